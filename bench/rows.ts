/** What is measured: each row's server and the requests that it is sent. */

import { type KeyObject, randomUUID } from "node:crypto";
import { signEs256 } from "../packages/server/src/crypto/es256.ts";
import { endpoints } from "../packages/server/src/oauth/server-metadata.ts";
import { type Exchange, run } from "./load.ts";
import { ISSUER, type Prepared, VERIFIER } from "./prepare.ts";

export const rowNames = [
  "bare",
  "inline",
  "batched",
  "client-credentials-post",
  "client-credentials-basic",
  "client-credentials-jwt",
  "redeem",
  "refresh-kept",
  "refresh-recorded",
  "refresh-rotated",
  "introspect",
  "jwks",
  "metadata",
] as const;
export type RowName = (typeof rowNames)[number];

export interface Row {
  readonly name: RowName;
  readonly label: string;
  readonly server: "bare" | "inline" | "batched" | "assent";
  /** Share of the reference that it should reach. */
  readonly goal?: number;
  /** Called before each measurement, with its length in seconds: what is dear to make is made then. */
  prepare?(seconds: number): void;
  /** A fresh request; undefined: none is left. */
  next(): Exchange | undefined;
}

/** Credentials in turn: each is used again only when all others have been. */
export const IN_TURN = 2000;

/** All rows in the order of a round. Asks the server for the access tokens that are introspected. */
export async function rowsOf(data: Prepared, assentPort: number): Promise<readonly Row[]> {
  const asKeeping = basic(data.keeping.clientId, data.keeping.secret);
  const codes = data.codes.values();
  const fresh = data.keptTokens.slice(IN_TURN).values();
  const used = data.keptTokens.slice(0, IN_TURN);
  const accessTokens = await refreshOnce(used, asKeeping, assentPort);
  /** Read, but never redeemed: their servers only echo. */
  const sample = inTurn(data.codes.slice(0, IN_TURN));
  return [
    {
      name: "bare",
      label: "bare node:http, POST read and answered",
      server: "bare",
      next: () => redemption(data, sample()),
    },
    {
      name: "inline",
      label: "bare node:http + ES256 inline (the reference)",
      server: "inline",
      next: () => redemption(data, sample()),
    },
    {
      name: "batched",
      label: "bare node:http + ES256 batched",
      server: "batched",
      next: () => redemption(data, sample()),
    },
    ...clientCredentials(data),
    {
      name: "redeem",
      label: "code redemption, PKCE, secret, refresh token",
      server: "assent",
      goal: 0.35,
      next: () => mapped(codes.next(), (code) => redemption(data, code)),
    },
    {
      name: "refresh-kept",
      label: "refresh, token kept, used within 5 min",
      server: "assent",
      goal: 0.45,
      next: mapNext(inTurn(used), (token) => ({ request: post(endpoints.token, refreshForm(token), asKeeping) })),
    },
    {
      name: "refresh-recorded",
      label: "refresh, token kept, its use recorded",
      server: "assent",
      goal: 0.45,
      next: () => mapped(fresh.next(), (token) => ({ request: post(endpoints.token, refreshForm(token), asKeeping) })),
    },
    {
      name: "refresh-rotated",
      label: "refresh, token rotated",
      server: "assent",
      goal: 0.45,
      next: rotation(data),
    },
    {
      name: "introspect",
      label: `introspection of a JWT (${IN_TURN.toLocaleString("en")} of them in turn), by an API`,
      server: "assent",
      goal: 1.2,
      next: mapNext(inTurn(accessTokens), (token) => ({
        request: post(endpoints.introspection, `token=${token}`, basic(data.api.id, data.api.secret)),
      })),
    },
    { name: "jwks", label: "JWK Set", server: "assent", next: always(get(endpoints.jwks)) },
    {
      name: "metadata",
      label: "metadata",
      server: "assent",
      next: always(get("/.well-known/oauth-authorization-server")),
    },
  ];
}

/** The client's own token, asked for in three ways. */
function clientCredentials({ robots, robotKey }: Prepared): readonly Row[] {
  const { post: posting, basic: naming, jwt: signing } = robots;
  const form = "grant_type=client_credentials&scope=read";
  const named = post(endpoints.token, form, basic(naming.clientId, naming.secret));
  const posted = post(endpoints.token, `${form}&client_id=${posting.clientId}&client_secret=${posting.secret}`);
  let assertions: Iterator<string> = [].values();
  return [
    {
      name: "client-credentials-post",
      label: "client credentials, secret in the form",
      server: "assent",
      goal: 1.2,
      next: always(posted),
    },
    {
      name: "client-credentials-basic",
      label: "client credentials, secret by HTTP Basic",
      server: "assent",
      goal: 1.2,
      next: always(named),
    },
    {
      name: "client-credentials-jwt",
      label: "client credentials, private_key_jwt (ES256), its jti kept",
      server: "assent",
      prepare: (seconds) => {
        const many = Math.ceil(seconds * MOST_ASSERTIONS);
        assertions = Array.from({ length: many }, () => clientAssertion(signing.clientId, robotKey)).values();
      },
      next: () =>
        mapped(assertions.next(), (assertion) => ({
          request: post(endpoints.token, `${form}&client_assertion_type=${JWT_BEARER}&client_assertion=${assertion}`),
        })),
    },
  ];
}

/** More than one core takes in a second. */
const MOST_ASSERTIONS = 9000;
const JWT_BEARER = encodeURIComponent("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
const ES256_HEADER = Buffer.from(JSON.stringify({ alg: "ES256" })).toString("base64url");

/** Fresh, and good for a minute (RFC 7523 §3). */
function clientAssertion(clientId: string, key: KeyObject): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: clientId, sub: clientId, aud: ISSUER, jti: randomUUID(), iat: now, exp: now + 60 };
  const input = `${ES256_HEADER}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
  return `${input}.${signEs256(input, key).toString("base64url")}`;
}

/** Each token is refreshed once, so that its use is recorded; the access tokens. */
async function refreshOnce(tokens: readonly string[], credentials: string, port: number): Promise<string[]> {
  const accessTokens: string[] = [];
  const left = tokens.values();
  await run({
    port,
    connections: 32,
    seconds: 60,
    next: () =>
      mapped(left.next(), (token) => ({
        request: post(endpoints.token, refreshForm(token), credentials),
        answered: (body) => accessTokens.push(member(body, "access_token")),
      })),
  });
  return accessTokens;
}

/** Whichever token has rested longest; its successor goes to the end of the line. */
function rotation({ rotating, rotatingTokens }: Prepared): () => Exchange {
  const credentials = basic(rotating.clientId, rotating.secret);
  const line = [...rotatingTokens];
  let at = 0;
  return () => {
    const place = at++ % line.length;
    return {
      request: post(endpoints.token, refreshForm(line[place] ?? ""), credentials),
      answered: (body) => {
        line[place] = member(body, "refresh_token");
      },
    };
  };
}

function inTurn(values: readonly string[]): () => string {
  let at = 0;
  return () => values[at++ % values.length] ?? "";
}

function mapNext(next: () => string, make: (value: string) => Exchange): () => Exchange {
  return () => make(next());
}

function mapped(next: IteratorResult<string, unknown>, make: (value: string) => Exchange): Exchange | undefined {
  return next.done === true ? undefined : make(next.value);
}

function always(request: string): () => Exchange {
  return () => ({ request });
}

/** The redemption of a code, by PKCE and the client's secret. */
export function redemption({ keeping }: Prepared, code: string): Exchange {
  const redirectUri = encodeURIComponent(keeping.redirectUris[0] ?? "");
  const form = `grant_type=authorization_code&code=${code}&redirect_uri=${redirectUri}&code_verifier=${VERIFIER}`;
  return { request: post(endpoints.token, form, basic(keeping.clientId, keeping.secret)) };
}

function refreshForm(token: string): string {
  return `grant_type=refresh_token&refresh_token=${token}`;
}

/** What common HTTP clients send beside what is needed. */
const HEAD = `Host: ${new URL(ISSUER).host}\r\nUser-Agent: bench\r\nAccept: application/json\r\nConnection: keep-alive\r\n`;

function post(path: string, form: string, credentials?: string): string {
  const authorization = credentials === undefined ? "" : `Authorization: ${credentials}\r\n`;
  return `POST ${path} HTTP/1.1\r\n${HEAD}${authorization}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`;
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\n${HEAD}\r\n`;
}

function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
}

/** A text member of a JSON object, without reading the rest of it. */
function member(json: string, name: string): string {
  const start = json.indexOf(`"${name}":"`) + name.length + 4;
  return json.slice(start, json.indexOf('"', start));
}
