/**
 * The traffic of a soak: owners sign in, allow an app and change their mind, devices are connected, apps use every
 * grant type, and apps that were connected long ago refresh their tokens.
 */

import type { Person } from "../../packages/server/src/owners/storage.ts";
import { aJwtIssuer, claimsFor, JWT_BEARER, jwtOf, SAML2_BEARER, trust } from "./assertion-requests.ts";
import { aDevice, decide, poll } from "./device-actor.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  pkce,
  postForm,
  redeem,
  refresh,
  signIn,
  type TokenAnswer,
} from "./http-browser.ts";
import { anIdentityProvider, assertionXml, encoded, signed } from "./saml-idp.ts";
import { PASSWORD, type TestClient, type TestServer } from "./test-server.ts";
import { OUR_GRANTS } from "./walk-every-grant.ts";

/** Apps that each owner connected long ago. */
const CONNECTED = 5;
/** Rounds between two new sign-ins with a password, which cost far more than anything else. */
const ROUNDS_PER_SIGN_IN = 20;

/** One network may have 1,000 devices waiting in ten minutes. */
const ROUNDS_PER_DEVICE = 2;

const jwt = aJwtIssuer("https://jwt.test");
const saml = anIdentityProvider("https://saml.test");

export interface SoakData {
  /** Rotates its refresh tokens. May use every grant type. */
  readonly client: TestClient;
  readonly people: readonly Person[];
}

/** Registers the client, the trusted issuers and this number of owners. */
export async function prepareSoak(server: TestServer, owners: number): Promise<SoakData> {
  await trust(server, { issuer: jwt.issuer, type: "jwt", jwks: jwt.jwks });
  await trust(server, { issuer: saml.entityId, type: "saml", certificates: [saml.certificate] });
  const client = await server.addClient({
    grantTypes: OUR_GRANTS,
    responseTypes: ["code", "token"],
    ownScopes: ["read"],
    refresh: "rotate",
  });
  const people: Person[] = [];
  for (let at = 0; at < owners; at += 1) people.push(await server.addPerson({ username: `owner-${at}` }));
  return { client, people };
}

/** What happened since the last call of `taken`. */
export interface Taken {
  readonly rounds: number;
  /** Milliseconds of each request to the token endpoint. */
  readonly latencies: readonly number[];
  /** Requests that an overloaded machine turned away (503). */
  readonly shed: number;
  /** Everything else that went wrong. */
  readonly failures: readonly string[];
}

class Shed extends Error {}

/** Drives one server. `round` may run several times at once. */
export class SoakTraffic {
  readonly #server: Pick<TestServer, "issuer" | "now">;
  readonly #data: SoakData;
  readonly #agents: Agent[] = [];
  readonly #connected: { refreshToken: string; busy: boolean }[] = [];
  #count = 0;
  #rounds = 0;
  #shed = 0;
  #latencies: number[] = [];
  #failures: string[] = [];

  constructor(issuer: string, data: SoakData) {
    this.#server = { issuer, now: Date.now };
    this.#data = data;
  }

  /** Signs every owner in, and connects the apps that only refresh from then on. */
  async begin(): Promise<void> {
    for (const { username } of this.#data.people) {
      const agent = new Agent(this.#server.issuer);
      await signIn(agent, username);
      this.#agents.push(agent);
      for (let at = 0; at < CONNECTED; at += 1) {
        const { refresh_token = "" } = await this.#authorized(agent, username);
        this.#connected.push({ refreshToken: refresh_token, busy: false });
      }
    }
  }

  /** One turn of one owner. Never rejects. */
  async round(): Promise<void> {
    const at = this.#count++;
    const who = at % this.#data.people.length;
    const { username = "" } = this.#data.people[who] ?? {};
    const agent = this.#agents[who] as Agent;
    try {
      if (at % ROUNDS_PER_SIGN_IN === 0) await this.#signInAnew(who, username);
      await this.#codeToRevocation(agent, username);
      if (at % ROUNDS_PER_DEVICE === 0) await this.#device(agent, username);
      await this.#withoutOwner(username);
      await this.#implicit(agent, username);
      await this.#refreshConnected(at);
    } catch (error) {
      if (error instanceof Shed) this.#shed += 1;
      else this.#failures.push(String(error));
    }
    this.#rounds += 1;
  }

  taken(): Taken {
    const taken = { rounds: this.#rounds, latencies: this.#latencies, shed: this.#shed, failures: this.#failures };
    [this.#rounds, this.#shed, this.#latencies, this.#failures] = [0, 0, [], []];
    return taken;
  }

  async #signInAnew(who: number, username: string): Promise<void> {
    const agent = new Agent(this.#server.issuer);
    await signIn(agent, username);
    this.#agents[who] = agent;
    const { client } = this.#data;
    await this.#token({ grant_type: "password", username, password: PASSWORD, scope: "read" }, client);
  }

  async #authorized(agent: Agent, username: string): Promise<TokenAnswer["body"]> {
    const { client } = this.#data;
    const { verifier, challenge } = pkce();
    // The page is shown each time, and answered with Allow.
    const ask = { code_challenge: challenge, code_challenge_method: "S256", prompt: "consent" };
    const callback = await authorize(agent, authorizeUrl(this.#server, client, ask), username);
    return this.#timed(() => redeem(this.#server, client, callback, { code_verifier: verifier }));
  }

  async #codeToRevocation(agent: Agent, username: string): Promise<void> {
    const { client } = this.#data;
    const first = await this.#authorized(agent, username);
    const second = await this.#timed(() => refresh(this.#server, client, first.refresh_token));
    const { status, body } = await postForm(this.#server, "/introspect", client, { token: second.access_token });
    if (status === 503) throw new Shed();
    if (body["active"] !== true) throw new Error(`not active: ${status} ${JSON.stringify(body)}`);
    const revoked = await postForm(this.#server, "/revoke", client, { token: second.refresh_token });
    if (revoked.status === 503) throw new Shed();
    if (revoked.status !== 200) throw new Error(`not revoked: ${revoked.status}`);
  }

  async #device(agent: Agent, username: string): Promise<void> {
    const { client } = this.#data;
    const { deviceCode, userCode } = await aDevice(this.#server, client);
    await decide(agent, userCode, username);
    const { refresh_token } = await this.#timed(() => poll(this.#server, client, deviceCode));
    await postForm(this.#server, "/revoke", client, { token: refresh_token });
  }

  async #withoutOwner(username: string): Promise<void> {
    const { client } = this.#data;
    await this.#token({ grant_type: "client_credentials", scope: "read" }, client);
    const byJwt = jwtOf(jwt, claimsFor(this.#server, jwt, username));
    await this.#token({ grant_type: JWT_BEARER, assertion: byJwt, scope: "read" }, client);
    const bySaml = encoded(signed(assertionXml(this.#server, saml, username), saml));
    await this.#token({ grant_type: SAML2_BEARER, assertion: bySaml, scope: "read" }, client);
  }

  async #implicit(agent: Agent, username: string): Promise<void> {
    const url = authorizeUrl(this.#server, this.#data.client, { response_type: "token" });
    const { hash } = await authorize(agent, url, username);
    if (!hash.includes("access_token=")) throw new Error(`no token in the fragment: ${hash.slice(0, 100)}`);
  }

  async #refreshConnected(at: number): Promise<void> {
    const one = this.#connected[at % this.#connected.length];
    if (one === undefined || one.busy) return;
    one.busy = true;
    try {
      const { refresh_token } = await this.#timed(() => refresh(this.#server, this.#data.client, one.refreshToken));
      one.refreshToken = refresh_token ?? "";
    } finally {
      one.busy = false;
    }
  }

  #token(form: Record<string, string>, client: TestClient): Promise<TokenAnswer["body"]> {
    return this.#timed(() => postForm(this.#server, "/token", client, form));
  }

  async #timed(request: () => Promise<TokenAnswer>): Promise<TokenAnswer["body"]> {
    const began = performance.now();
    const { status, body } = await request();
    if (status === 503) throw new Shed();
    this.#latencies.push(performance.now() - began);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body;
  }
}
