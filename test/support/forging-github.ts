/** GitHub's OAuth and its API, as its documentation describes them; a test decides whose account it is. */

import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import type { Page } from "./http-browser.ts";

/** What the API says of the owner of a token. */
export interface GitHubAccount {
  readonly user: unknown;
  readonly emails?: unknown;
  /** The status of the API's answers. */
  readonly status?: number;
}

interface Authorized {
  readonly account: GitHubAccount;
  readonly asked: URLSearchParams;
}

export class ForgingGitHub {
  readonly issuer: string;
  /** Codes that arrived at the token endpoint. */
  readonly codes: string[] = [];
  readonly #server: ReturnType<typeof createServer>;
  readonly #codes = new Map<string, Authorized>();
  readonly #tokens = new Map<string, GitHubAccount>();

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<ForgingGitHub> {
    let github: ForgingGitHub | undefined;
    const server = createServer((request, response) => void github?.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    github = new ForgingGitHub(server);
    return github;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The settings that the preset makes, at this address. */
  settings(): Partial<SignInProvider> {
    return {
      ...{ type: "oauth", preset: "github", name: "GitHub", scopes: ["read:user", "user:email"] },
      claims: { subject: "id", username: "login", given_name: "", family_name: "", locale: "", zoneinfo: "" },
      oauth: {
        authorizationEndpoint: `${this.issuer}/login/oauth/authorize`,
        tokenEndpoint: `${this.issuer}/login/oauth/access_token`,
        userEndpoint: `${this.issuer}/user`,
        emailsEndpoint: `${this.issuer}/user/emails`,
      },
    };
  }

  /** The callback after this account has allowed it. */
  callback(begun: Page, account: GitHubAccount): string {
    const asked = begun.location?.searchParams;
    if (asked == null) throw new Error(`no redirect to GitHub: ${begun.status} ${begun.text.slice(0, 200)}`);
    const code = randomBytes(10).toString("hex");
    this.#codes.set(code, { account, asked });
    return `${asked.get("redirect_uri")}?${new URLSearchParams({ code, state: asked.get("state") ?? "" })}`;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", this.issuer);
    const json = (body: unknown, status = 200) =>
      response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
    if (pathname === "/login/oauth/access_token") {
      let body = "";
      for await (const part of request) body += String(part);
      // Without this header, GitHub answers with a form instead of JSON.
      if (request.headers.accept !== "application/json") {
        response.writeHead(200, { "content-type": "application/x-www-form-urlencoded" }).end("error=not_json");
        return;
      }
      json(this.#redeem(new URLSearchParams(body)));
      return;
    }
    const account = this.#tokens.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
    if ((request.headers["user-agent"] ?? "") === "")
      json({ message: "Request forbidden by administrative rules." }, 403);
    else if (account === undefined) json({ message: "Bad credentials" }, 401);
    else if (pathname === "/user") json(account.user, account.status);
    else if (pathname === "/user/emails") json(account.emails ?? [], account.status);
    else json({ message: "Not Found" }, 404);
  }

  /** GitHub answers errors with the status 200. */
  #redeem(form: URLSearchParams): unknown {
    const code = form.get("code") ?? "";
    this.codes.push(code);
    const found = this.#codes.get(code);
    this.#codes.delete(code);
    const bad = { error: "bad_verification_code", error_description: `The code ${code} is incorrect or expired.` };
    if (found === undefined) return bad;
    const { account, asked } = found;
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (challenge !== asked.get("code_challenge")) return bad;
    if (form.get("redirect_uri") !== asked.get("redirect_uri")) return { error: "redirect_uri_mismatch" };
    if (form.get("client_id") !== asked.get("client_id") || form.get("client_secret") !== "client secret")
      return { error: "incorrect_client_credentials" };
    const token = `gho_${randomBytes(18).toString("hex")}`;
    this.#tokens.set(token, account);
    return { access_token: token, scope: "read:user,user:email", token_type: "bearer" };
  }
}
