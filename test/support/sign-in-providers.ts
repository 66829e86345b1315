/** OpenID Connect providers for people of the server under test: records, and a provider that answers what a test wants. */

import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll } from "vitest";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import { sealProviderSecret } from "../../packages/server/src/crypto/sign-in-provider-secrets.ts";
import type { Company } from "../../packages/server/src/owners/company-storage.ts";
import type { CompanyProvider } from "../../packages/server/src/owners/identities/company-provider.ts";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import type { Agent, Page } from "./http-browser.ts";
import { settle, startServer, type TestServer } from "./test-server.ts";

const secret = randomBytes(32);

/**
 * A server and a provider with its clock for the tests of one file. `use` gets them before the first test. After each
 * test, the provider answers as usual again.
 */
export function withForgingProvider(
  use: (at: { readonly server: TestServer; readonly there: ForgingProvider }) => void | Promise<void>,
  options: () => Parameters<typeof startServer>[0] | Promise<Parameters<typeof startServer>[0]> = () => ({}),
): void {
  let server: TestServer | undefined;
  let there: ForgingProvider | undefined;
  beforeAll(async () => {
    server = await startServerForProviders(await options());
    there = await ForgingProvider.start(server.now);
    await use({ server, there });
  });
  afterEach(() => {
    if (there !== undefined) there.answering = {};
  });
  afterAll(() => Promise.all([server?.stop(), there?.stop()]));
}

/** A server that may send requests to this machine. */
export function startServerForProviders(options: Parameters<typeof startServer>[0] = {}): Promise<TestServer> {
  const config = { secret: [secret], ...options.config };
  return startServer({ ...options, config, fetchFromLoopback: true });
}

/** Registers a provider as `assent provider create` does after its checks. */
export async function addProvider(
  { assent, now }: TestServer,
  issuer: string,
  { clientSecret, ...changes }: Partial<SignInProvider> & { readonly clientSecret?: string } = {},
): Promise<SignInProvider> {
  const id = changes.id ?? randomBytes(16).toString("base64url");
  const sealedSecret = sealProviderSecret(new Secrets([secret]), id, clientSecret ?? "client secret");
  const provider: SignInProvider = {
    ...{ id, type: "openid", name: "Example ID", issuer, clientId: `assent-${id}` },
    ...{ sealedSecret, scopes: ["openid", "profile", "email"] },
    ...{ emailDomains: [], trustEmail: false, createPeople: true, status: "active", createdAt: now() },
    ...changes,
  };
  const outcome = await assent.storage.signInProviders.put({ provider, create: changes.id === undefined, most: 1_000 });
  if (outcome !== "stored") throw new Error(`the provider was not stored: ${outcome}`);
  await settle();
  return provider;
}

function aKey(): KeyObject {
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
}

/** A company's own provider, switched on, and the company's confirmed domains. */
export async function addCompanyProvider(
  { assent, now }: TestServer,
  { partition, companyId }: Company,
  issuer: string,
  {
    domains,
    clientSecret = "client secret",
    ...changes
  }: Partial<CompanyProvider> & { readonly domains: readonly string[]; readonly clientSecret?: string },
): Promise<CompanyProvider> {
  const key = { partition, companyId };
  await assent.storage.companySignIn.set({
    ...key,
    ownProvider: true,
    addDomains: domains,
    removeDomains: [],
    now: Date.now(),
  });
  const id = changes.id ?? randomBytes(16).toString("base64url");
  const before = (await assent.storage.companySignIn.get(key))?.provider ?? null;
  const provider: CompanyProvider = {
    ...{ id, name: "Acme ID", issuer, clientId: `assent-${id}`, roles: null, status: "active", triedAt: now() },
    ...{ sealedSecret: sealProviderSecret(new Secrets([secret]), id, clientSecret) },
    ...{ scopes: ["openid", "profile", "email"], createdAt: now(), changedAt: (before?.changedAt ?? now()) + 1 },
    ...changes,
  };
  const outcome = await assent.storage.companySignIn.putProvider({
    ...{ ...key, by: null, provider, seen: before?.changedAt ?? null, most: 1_000, step: "connected", now: now() },
  });
  if (outcome !== "stored") throw new Error(`the provider was not stored: ${outcome}`);
  await settle();
  return provider;
}

/** What the token endpoint and UserInfo answer next. */
export interface Answering {
  /** Changes to the claims of a genuine ID token. Undefined removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Makes the ID token instead, from genuine claims. */
  readonly idToken?: (claims: Record<string, unknown>, key: KeyObject) => string | Promise<string>;
  readonly userInfo?: Readonly<Record<string, unknown>>;
  /** Handles a request to this path instead. */
  readonly instead?: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Judges a request to the token endpoint. The text is the error. */
  readonly checkToken?: (form: URLSearchParams) => string | undefined;
}

/** The access token of every token response. */
export const ACCESS_TOKEN = "their access token";

interface Authorized {
  readonly nonce: string | null;
  readonly clientId: string;
  /** Whether the request asked how old the sign-in is: then the provider says when it was (OpenID Connect Core §2). */
  readonly dated: boolean;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** A provider whose every answer a test decides. Its authorization endpoint is the test itself. */
export class ForgingProvider {
  readonly issuer: string;
  key: KeyObject;
  kid = "k1";
  /** How often its keys were read. */
  keysRead = 0;
  /** Codes that arrived at the token endpoint. */
  readonly codes: string[] = [];
  answering: Answering = {};
  readonly #now: () => number;
  readonly #server: ReturnType<typeof createServer>;
  /** By code, as the authorization endpoint would keep it. */
  readonly #authorized = new Map<string, Authorized>();

  private constructor(server: ReturnType<typeof createServer>, key: KeyObject, now: () => number) {
    this.#now = now;
    this.#server = server;
    this.key = key;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** `now`: the clock of its ID tokens. */
  static async start(now: () => number = Date.now): Promise<ForgingProvider> {
    const privateKey = aKey();
    let provider: ForgingProvider | undefined;
    const server = createServer((request, response) => void provider?.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    provider = new ForgingProvider(server, privateKey, now);
    return provider;
  }

  /** Signs with another key from now on, and no longer has the old one. */
  changeKey(): void {
    this.key = aKey();
    this.kid = randomBytes(4).toString("hex");
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /**
   * The callback after the person has signed in here. `begun`: the redirect that led here. `claims`: what the ID token
   * for this code says, after `answering`.
   */
  callback(
    begun: Page,
    changes: Readonly<Record<string, string | undefined>> = {},
    claims: Readonly<Record<string, unknown>> = {},
  ): string {
    const asked = begun.location?.searchParams;
    if (asked == null) throw new Error(`no redirect to the provider: ${begun.status} ${begun.text.slice(0, 200)}`);
    const query = new URLSearchParams();
    const parameters = { code: randomBytes(8).toString("hex"), state: asked.get("state") ?? "", ...changes };
    const authorized = {
      nonce: asked.get("nonce"),
      clientId: asked.get("client_id") ?? "",
      claims,
      dated: asked.has("max_age"),
    };
    if (parameters.code !== undefined) this.#authorized.set(parameters.code, authorized);
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
    return `${asked.get("redirect_uri")}?${query}`;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", this.issuer);
    const instead = this.answering.instead?.[pathname];
    if (instead !== undefined) return instead(request, response);
    const json = (body: unknown) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    switch (pathname) {
      case "/.well-known/openid-configuration":
        json(this.#metadata());
        return;
      case "/jwks": {
        this.keysRead += 1;
        const { n, e, kty } = await exportJWK(this.key);
        json({ keys: [{ kty, n, e, kid: this.kid, alg: "RS256", use: "sig" }] });
        return;
      }
      case "/token": {
        let body = "";
        for await (const part of request) body += String(part);
        const code = new URLSearchParams(body).get("code") ?? "";
        this.codes.push(code);
        const error = this.answering.checkToken?.(new URLSearchParams(body));
        if (error !== undefined) {
          response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
          return;
        }
        json({ access_token: ACCESS_TOKEN, token_type: "Bearer", id_token: await this.#idToken(code) });
        return;
      }
      case "/userinfo":
        json(this.answering.userInfo ?? { sub: "ada-at-example" });
        return;
      default:
        response.writeHead(404).end();
    }
  }

  #metadata() {
    return {
      ...{ issuer: this.issuer, authorization_endpoint: `${this.issuer}/authorize` },
      ...{ token_endpoint: `${this.issuer}/token`, jwks_uri: `${this.issuer}/jwks` },
      ...{ userinfo_endpoint: `${this.issuer}/userinfo`, response_types_supported: ["code"] },
      ...{ subject_types_supported: ["public"], id_token_signing_alg_values_supported: ["RS256"] },
      ...this.answering.metadata,
    };
  }

  async #idToken(code: string): Promise<string> {
    const unknown = { nonce: null, clientId: "", claims: {}, dated: false };
    const { nonce, clientId, claims: own, dated } = this.#authorized.get(code) ?? unknown;
    const now = Math.floor(this.#now() / 1000);
    const genuine: Record<string, unknown> = {
      ...{ iss: this.issuer, aud: clientId, sub: "ada-at-example", iat: now, exp: now + 300 },
      ...{ nonce, email: "ada@example.com", email_verified: true, preferred_username: "ada" },
      ...(dated ? { auth_time: now } : {}),
      ...this.answering.claims,
      ...own,
    };
    const claims = Object.fromEntries(Object.entries(genuine).filter(([, value]) => value !== undefined));
    const { idToken } = this.answering;
    if (idToken !== undefined) return idToken(claims, this.key);
    return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: this.kid }).sign(this.key);
  }
}

/** Presses the button of a provider on a sign-in page. Returns the redirect to the provider, or a page. */
export function pressProvider(agent: Agent, page: Page, { id }: Pick<SignInProvider, "id">): Promise<Page> {
  const form = page.forms.find(({ buttons }) => buttons.some(([name, value]) => name === "provider" && value === id));
  if (form === undefined) throw new Error(`no button of the provider: ${page.status} ${page.text.slice(0, 300)}`);
  return agent.submit(form, { provider: id });
}

let subjects = 0;
/** Somebody whom only the other provider knows. */
export function aSubject(): { readonly sub: string; readonly email: string; readonly preferred_username: string } {
  subjects += 1;
  return { sub: `subject-${subjects}`, email: `p${subjects}@example.com`, preferred_username: `person${subjects}` };
}

/** Types a work address on the sign-in page. Returns the redirect to the provider, or a page. */
export async function typeWorkAddress(agent: Agent, address: string, page?: Page): Promise<Page> {
  const shown = page ?? (await agent.get("/login"));
  const form = shown.forms.find(({ fields }) => fields.has("username"));
  if (form === undefined) throw new Error(`no sign-in form: ${shown.status}`);
  return agent.submit(form, { username: address, password: "" });
}

/** Signs in at the provider as whoever `there` answers with. Returns the last page, or redirect to a client. */
export async function signInThere(
  agent: Agent,
  there: ForgingProvider,
  provider: Pick<SignInProvider, "id">,
  page?: Page,
): Promise<Page> {
  const begun = await pressProvider(agent, page ?? (await agent.get("/login")), provider);
  return agent.follow(await agent.get(there.callback(begun)));
}

/** True if the browser has a session. */
export async function isSignedIn(agent: Agent): Promise<boolean> {
  return (await agent.get("/account/apps")).status === 200;
}
