/**
 * A service gets a token in its own name with openid-client, by each authentication method that needs no certificate.
 * AUTH_METHOD selects the method.
 *
 *   npx assent client create --name "Nightly Import" --type confidential --grant-type client_credentials --own-scope photos:read
 *   AUTH_METHOD=client_secret_basic CLIENT_ID=… CLIENT_SECRET=… node examples/libraries/client-credentials.ts
 *   AUTH_METHOD=client_secret_post CLIENT_ID=… CLIENT_SECRET=… node examples/libraries/client-credentials.ts
 *
 *   npx assent client create --name "Nightly Import" --type confidential --grant-type client_credentials --own-scope photos:read \
 *     --auth-method client_secret_jwt
 *   AUTH_METHOD=client_secret_jwt CLIENT_ID=… CLIENT_SECRET=… node examples/libraries/client-credentials.ts
 *
 *   node examples/client-authentication/private-key-jwt.ts keys
 *   npx assent client create --name "Nightly Import" --type confidential --grant-type client_credentials --own-scope photos:read \
 *     --auth-method private_key_jwt --jwks client.jwks.json
 *   AUTH_METHOD=private_key_jwt CLIENT_ID=… node examples/libraries/client-credentials.ts
 */

import { readFileSync } from "node:fs";
import { importJWK, type JWK } from "jose";
import * as oauth from "openid-client";

const {
  ISSUER: issuer = "http://localhost:9400",
  CLIENT_ID: id,
  CLIENT_SECRET: secret,
  AUTH_METHOD: method,
} = process.env;
const methods: Readonly<Record<string, () => oauth.ClientAuth | Promise<oauth.ClientAuth>>> = {
  client_secret_basic: () => oauth.ClientSecretBasic(secret),
  client_secret_post: () => oauth.ClientSecretPost(secret),
  client_secret_jwt: () => oauth.ClientSecretJwt(secret),
  private_key_jwt: async () => {
    const jwk = JSON.parse(readFileSync("client.key.json", "utf8")) as JWK & { kid: string };
    return oauth.PrivateKeyJwt({ key: (await importJWK(jwk)) as CryptoKey, kid: jwk.kid });
  },
};
const authentication = methods[method ?? ""];
if (id === undefined || authentication === undefined) {
  console.error(`Set CLIENT_ID, and AUTH_METHOD to one of ${Object.keys(methods).join(", ")}.`);
  process.exit(2);
}

const config = await oauth.discovery(new URL(issuer), id, undefined, await authentication(), {
  algorithm: "oauth2",
  // Allows http, for a server on this machine. Delete `execute` if your issuer uses https.
  execute: [oauth.allowInsecureRequests],
});
const { access_token, expires_in, scope } = await oauth.clientCredentialsGrant(config, { scope: "photos:read" });
console.log({ access_token, expires_in, scope });
