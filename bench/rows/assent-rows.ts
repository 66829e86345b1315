/** Assent's rows, the same on SQLite and on PostgreSQL. */

import { type KeyObject, randomUUID } from "node:crypto";
import { signEs256 } from "../../packages/server/src/crypto/es256.ts";
import { endpoints } from "../../packages/server/src/oauth/endpoints.ts";
import type { TestClient } from "../../test/support/test-server.ts";
import { basic, get, post } from "../load/http-bytes.ts";
import { collect, credentials, redemption, refresh, rotation } from "../load/token-endpoint-requests.ts";
import { ISSUER, type Prepared } from "../prepare-database.ts";
import { peopleRows } from "./owner-action-rows.ts";
import { always, inTurn, mapped, type Row, Supply } from "./row.ts";

/** Number of tokens that are used in turn. */
const IN_TURN = 2000;
/** More than one core handles in the first second. After that, the row knows its rate. */
const MOST = 6000;
const JWT_BEARER = encodeURIComponent("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
const ES256_HEADER = Buffer.from(JSON.stringify({ alg: "ES256" })).toString("base64url");
const { token: TOKEN, introspection: INTROSPECTION } = endpoints;

/** Prefix of the rows of a server on PostgreSQL. */
export const ON_POSTGRES = "postgres-";

export const assentRowNames = [
  "client-credentials-post",
  "client-credentials-basic",
  "client-credentials-jwt",
  "redeem",
  "redeem-openid-rs256",
  "redeem-openid-es256",
  "refresh-kept",
  "refresh-recorded",
  "refresh-rotated",
  "introspect-jwt",
  "introspect-opaque",
  "user-info",
  "jwks",
  "metadata",
  "cycle",
  "sign-in",
] as const;
export type AssentRowName = (typeof assentRowNames)[number];

/** These use no database, so one row stands for both databases. */
const STATIC: readonly AssentRowName[] = ["jwks", "metadata"];
export const postgresRowNames = assentRowNames.filter((name) => !STATIC.includes(name));

type Traits = Pick<Row, "label" | "operation" | "goal" | "peerGoal" | "p99Goal" | "requests">;

const traits: Readonly<Record<AssentRowName, Traits>> = {
  "client-credentials-post": {
    label: "client credentials, secret in the form",
    operation: "client-credentials",
    goal: 1.2,
    peerGoal: 3.5,
    p99Goal: 6,
  },
  "client-credentials-basic": {
    label: "client credentials, secret by HTTP Basic",
    operation: "client-credentials",
    goal: 1.2,
    peerGoal: 3.5,
    p99Goal: 6,
  },
  "client-credentials-jwt": {
    label: "client credentials, private_key_jwt: ES256 verified, jti stored, ES256 signed",
    operation: "nothing",
  },
  redeem: { label: "code redemption: PKCE, secret, refresh token", operation: "redeem", goal: 0.55, peerGoal: 3 },
  "redeem-openid-rs256": {
    label: "code redemption with an ID token signed with RS256",
    operation: "redeem-openid",
  },
  "redeem-openid-es256": {
    label: "code redemption with an ID token signed with ES256",
    operation: "redeem-openid",
    goal: 0.4,
  },
  "refresh-kept": {
    label: "refresh, token kept, used within 5 min",
    operation: "refresh-kept",
    goal: 0.65,
    peerGoal: 3.3,
  },
  "refresh-recorded": { label: "refresh, token kept, its use recorded", operation: "refresh-recorded", goal: 0.65 },
  "refresh-rotated": { label: "refresh, token rotated", operation: "refresh-rotated", goal: 0.65, peerGoal: 3.3 },
  "introspect-jwt": {
    label: `introspection of a JWT, ${IN_TURN.toLocaleString("en")} in turn`,
    operation: "introspect-jwt",
    goal: 2.5,
  },
  "introspect-opaque": {
    label: `introspection of an opaque token, ${IN_TURN.toLocaleString("en")} in turn`,
    operation: "introspect-opaque",
    peerGoal: 4,
  },
  "user-info": { label: "UserInfo, 2,000 people in turn", operation: "user-info", goal: 1 },
  jwks: { label: "JWK Set", operation: "jwks" },
  metadata: { label: "metadata", operation: "metadata" },
  cycle: { label: "the whole cycle: authorize, consent page, allow, token", operation: "cycle", requests: 3 },
  "sign-in": { label: "sign-in: page, password (argon2id), session", operation: "sign-in", requests: 2 },
};

/** The named rows, in the order of the table. Asks the server for the tokens that they need. */
export async function assentRows(
  data: Prepared,
  server: string,
  port: number,
  names: ReadonlySet<AssentRowName>,
): Promise<readonly Row[]> {
  const postgres = server === "postgres";
  const rows: Row[] = [];
  for (const name of assentRowNames) {
    if (!names.has(name)) continue;
    const { goal, peerGoal, p99Goal, ...rest } = traits[name];
    rows.push({
      name: postgres ? ON_POSTGRES + name : name,
      server,
      ...rest,
      // PostgreSQL has another goal: its share of the rate of the plain statements.
      ...(postgres ? {} : { ...(goal && { goal }), ...(peerGoal && { peerGoal }), ...(p99Goal && { p99Goal }) }),
      ...(await work(name, data, port)),
    });
  }
  return rows;
}

async function work(name: AssentRowName, data: Prepared, port: number): Promise<Pick<Row, "next" | "prepare">> {
  const { robots, keeping, rotating } = data;
  switch (name) {
    case "client-credentials-post":
      return { next: always(ownToken(data, "read")) };
    case "client-credentials-basic":
      return { next: always(post(TOKEN, "grant_type=client_credentials&scope=read", credentials(robots.basic))) };
    case "client-credentials-jwt":
      return byAssertion(robots.jwt.clientId, data.robotKey);
    case "redeem":
      return redemptions(data, keeping);
    case "redeem-openid-rs256":
      return redemptions(data, data.openId.RS256);
    case "redeem-openid-es256":
      return redemptions(data, data.openId.ES256);
    case "refresh-kept": {
      const tokens = await data.refreshTokens(keeping, IN_TURN);
      // The first use of each token is recorded. Further uses are not, for five minutes.
      await collect(
        port,
        tokens.map((token) => refresh(TOKEN, keeping, token)),
        "access_token",
      );
      const next = inTurn(tokens);
      return { next: () => refresh(TOKEN, keeping, next()) };
    }
    case "refresh-recorded": {
      const supply = new Supply((count) => data.refreshTokens(keeping, count), MOST);
      return supplied(supply, (token) => refresh(TOKEN, keeping, token));
    }
    case "refresh-rotated":
      return { next: rotation(TOKEN, rotating, await data.refreshTokens(rotating, IN_TURN)) };
    case "introspect-jwt":
      return introspection(data, port, "read");
    case "introspect-opaque":
      return introspection(data, port, "sealed");
    case "user-info":
      return userInfo(data, port);
    case "jwks":
      return { next: always(get(endpoints.jwks)) };
    case "metadata":
      return { next: always(get("/.well-known/oauth-authorization-server")) };
    default:
      return peopleRows[name satisfies "cycle" | "sign-in"](data, port);
  }
}

function supplied(supply: Supply, make: (one: string) => ReturnType<Row["next"]>): Pick<Row, "next" | "prepare"> {
  return { prepare: (seconds) => supply.prepare(seconds), next: () => mapped(supply.next(), make) };
}

function redemptions(data: Prepared, client: TestClient): Pick<Row, "next" | "prepare"> {
  const supply = new Supply((count) => data.codes(client, count), MOST);
  return supplied(supply, (code) => redemption(TOKEN, client, code));
}

async function userInfo(data: Prepared, port: number): Promise<Pick<Row, "next">> {
  const client = data.openId.ES256;
  const codes = await data.codes(client, IN_TURN);
  const redeemed = codes.map((code) => redemption(TOKEN, client, code));
  const next = inTurn(await collect(port, redeemed, "access_token"));
  return { next: () => ({ request: get(endpoints.userInfo, `Bearer ${next()}`) }) };
}

function ownToken({ robots }: Prepared, scope: string): string {
  const { clientId, secret } = robots.post;
  return post(TOKEN, `grant_type=client_credentials&scope=${scope}&client_id=${clientId}&client_secret=${secret}`);
}

/** Makes new assertions outside the measurement. Unused ones expire before the next measurement. */
function byAssertion(clientId: string, key: KeyObject): Pick<Row, "next" | "prepare"> {
  const supply = new Supply((count) => Array.from({ length: count }, () => assertion(clientId, key)), MOST, false);
  const form = `grant_type=client_credentials&scope=read&client_assertion_type=${JWT_BEARER}&client_assertion=`;
  return supplied(supply, (one) => ({ request: post(TOKEN, form + one) }));
}

/** Valid for one minute (RFC 7523 §3). */
function assertion(clientId: string, key: KeyObject): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: clientId, sub: clientId, aud: ISSUER, jti: randomUUID(), iat: now, exp: now + 60 };
  const input = `${ES256_HEADER}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
  return `${input}.${signEs256(input, key).toString("base64url")}`;
}

/** The introspection requests of the API that the tokens are for. */
async function introspection(data: Prepared, port: number, scope: "read" | "sealed"): Promise<Pick<Row, "next">> {
  const { id, secret } = scope === "read" ? data.api : data.opaqueApi;
  const asked = Array.from({ length: IN_TURN }, () => ({ request: ownToken(data, scope) }));
  const next = inTurn(await collect(port, asked, "access_token"));
  const authorization = basic(id, secret);
  const ask = () => ({ request: post(INTROSPECTION, `token=${next()}`, authorization) });
  // The server checks a token's signature only once. This measurement is not about that.
  await collect(port, Array.from({ length: IN_TURN }, ask), "client_id");
  return { next: ask };
}
