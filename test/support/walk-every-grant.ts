/** Every grant type from the first request to the token, with a client and an owner. */

import type { Person } from "../../packages/server/src/owners/storage.ts";
import { aJwtIssuer, claimsFor, JWT_BEARER, jwtOf, SAML2_BEARER, trust } from "./assertion-requests.ts";
import { aDevice, DEVICE_GRANT, decide, poll } from "./device-actor.ts";
import { Agent, authorize, authorizeUrl, pkce, postForm, redeem, refresh } from "./http-browser.ts";
import { anIdentityProvider, assertionXml, encoded, signed } from "./saml-idp.ts";
import { PASSWORD, type TestClient, type TestServer } from "./test-server.ts";
import { exchange, exchanging, TOKEN_EXCHANGE, typeOf } from "./token-exchange.ts";

export const OUR_GRANTS = [
  ...["authorization_code", "refresh_token", "client_credentials", "password"],
  ...[DEVICE_GRANT, JWT_BEARER, SAML2_BEARER, TOKEN_EXCHANGE],
  "implicit",
] as const;
export type OurGrant = (typeof OUR_GRANTS)[number];

const jwt = aJwtIssuer("https://jwt.test");
const saml = anIdentityProvider("https://saml.test");

/** The person to act for, and the trusted issuers of assertions. */
export async function prepare(server: TestServer): Promise<Person> {
  await trust(server, { issuer: jwt.issuer, type: "jwt", jwks: jwt.jwks, exchange: true });
  await trust(server, { issuer: saml.entityId, type: "saml", certificates: [saml.certificate] });
  return server.addPerson();
}

/** A client that is registered for all of these grants. */
export function aClientFor(
  server: TestServer,
  grantTypes: readonly string[] = OUR_GRANTS,
  scopes: readonly string[] = ["read", "write", "profile"],
): Promise<TestClient> {
  const responseTypes = [
    ...(grantTypes.includes("authorization_code") ? ["code"] : []),
    ...(grantTypes.includes("implicit") ? ["token"] : []),
  ];
  const tokenExchange = exchanging({ subjects: ["jwt"], audiences: ["https://api.test"], scopes: ["read"] });
  return server.addClient({ grantTypes, responseTypes, scopes, ownScopes: ["read"], tokenExchange });
}

/** The result of a flow: a token, or the error of the refused step. */
export interface Outcome {
  readonly token?: string | undefined;
  readonly error?: string | undefined;
}

type Flow = (server: TestServer, client: TestClient, person: Person) => Promise<Outcome>;

const answered = ({ body }: { body: { access_token?: string; error?: string } }): Outcome =>
  body.error === undefined ? { token: body.access_token } : { error: body.error };

const code: Flow = async (server, client, { username }) => {
  const { verifier, challenge } = pkce();
  const ask = { code_challenge: challenge, code_challenge_method: "S256" };
  const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, client, ask), username);
  const error = callback.searchParams.get("error");
  return error === null ? answered(await redeem(server, client, callback, { code_verifier: verifier })) : { error };
};

export const flows: Readonly<Record<OurGrant, Flow>> = {
  authorization_code: code,
  implicit: async (server, client, { username }) => {
    const url = authorizeUrl(server, client, { response_type: "token" });
    const answer = new URLSearchParams((await authorize(new Agent(server.issuer), url, username)).hash.slice(1));
    return { token: answer.get("access_token") ?? undefined, error: answer.get("error") ?? undefined };
  },
  refresh_token: async (server, client, { username }) => {
    const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, client), username);
    const { refresh_token = "rt_x" } = (await redeem(server, client, callback)).body;
    return answered(await refresh(server, client, refresh_token));
  },
  client_credentials: async (server, client) =>
    answered(await postForm(server, "/token", client, { grant_type: "client_credentials" })),
  password: async (server, client, { username }) =>
    answered(
      await postForm(server, "/token", client, { grant_type: "password", username, password: PASSWORD, scope: "read" }),
    ),
  [DEVICE_GRANT]: async (server, client, { username }) => {
    const asked = await postForm(server, "/device_authorization", client, { scope: "read" });
    // A client that doesn't use the device endpoint gets the refusal at the token endpoint.
    if (asked.status !== 200) return answered(await poll(server, client, "dc_x"));
    const { deviceCode, userCode } = await aDevice(server, client);
    await decide(new Agent(server.issuer), userCode, username);
    return answered(await poll(server, client, deviceCode));
  },
  [JWT_BEARER]: async (server, client, { username }) =>
    answered(await bearer(server, client, JWT_BEARER, jwtOf(jwt, claimsFor(server, jwt, username)))),
  [SAML2_BEARER]: async (server, client, { username }) =>
    answered(await bearer(server, client, SAML2_BEARER, encoded(signed(assertionXml(server, saml, username), saml)))),
  [TOKEN_EXCHANGE]: async (server, client, { username }) => {
    const subject = jwtOf(jwt, claimsFor(server, jwt, username));
    return answered(await exchange(server, client, subject, { subject_token_type: typeOf("jwt"), scope: "read" }));
  },
};

function bearer(server: TestServer, client: TestClient, grant_type: string, assertion: string) {
  return postForm(server, "/token", client, { grant_type, assertion, scope: "read" });
}
