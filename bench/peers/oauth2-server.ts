/**
 * @node-oauth/oauth2-server: the grants as a library. Its user adds storage, tokens and HTTP, which are minimal here.
 */

import { createHash, createPrivateKey, type JsonWebKeyInput, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import OAuth2Server from "@node-oauth/oauth2-server";
import { signEs256 } from "../../packages/server/src/crypto/es256.ts";
import type { MakePeer, PeerClient } from "../peer-interface.ts";

const { version } = createRequire(import.meta.url)("@node-oauth/oauth2-server/package.json") as {
  readonly version: string;
};
const HOUR = 3_600_000;

interface Known extends OAuth2Server.Client {
  readonly secretHash: Buffer;
}

export const peer: MakePeer = async ({ issuer, audience, scope, key, keeping, rotating, robot, codeChallenge }) => {
  const privateKey = createPrivateKey({ key, format: "jwk" } as JsonWebKeyInput);
  const header = Buffer.from(JSON.stringify({ alg: "ES256", typ: "at+jwt", kid: key.kid })).toString("base64url");
  const clients = new Map<string, Known>();
  const add = ({ clientId, secret, redirectUris }: PeerClient, grants: string[]) =>
    clients.set(clientId, { id: clientId, grants, redirectUris: [...redirectUris], secretHash: sha256(secret) });
  for (const client of [keeping, rotating]) add(client, ["authorization_code", "refresh_token"]);
  add(robot, ["client_credentials"]);
  const codes = new Map<string, OAuth2Server.AuthorizationCode>();
  const refreshTokens = new Map<string, OAuth2Server.RefreshToken>();
  const model: OAuth2Server.AuthorizationCodeModel &
    OAuth2Server.ClientCredentialsModel &
    OAuth2Server.RefreshTokenModel = {
    getClient: async (id, secret) => {
      const client = clients.get(id);
      return client !== undefined && timingSafeEqual(sha256(secret ?? ""), client.secretHash) ? client : undefined;
    },
    getUserFromClient: async ({ id }) => ({ id }),
    validateScope: async (_user, _client, wanted) => (wanted?.every((one) => one === scope) ? wanted : false),
    generateAccessToken: async ({ id }, user, scopes) => {
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        ...{ iss: issuer, sub: user["id"], aud: audience, client_id: id, scope: scopes.join(" ") },
        ...{ iat: now, exp: now + 600, jti: randomBytes(16).toString("base64url") },
      };
      const input = `${header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
      return `${input}.${signEs256(input, privateKey).toString("base64url")}`;
    },
    generateRefreshToken: async () => randomBytes(32).toString("base64url"),
    saveToken: async (token, client, user) => {
      const saved = { ...token, client, user };
      if (saved.refreshToken !== undefined) refreshTokens.set(saved.refreshToken, saved as OAuth2Server.RefreshToken);
      return saved;
    },
    getAccessToken: async () => undefined,
    getAuthorizationCode: async (code) => codes.get(code),
    saveAuthorizationCode: async () => false,
    revokeAuthorizationCode: async ({ authorizationCode }) => codes.delete(authorizationCode),
    getRefreshToken: async (token) => refreshTokens.get(token),
    revokeToken: async ({ refreshToken }) => refreshTokens.delete(refreshToken ?? ""),
  };
  const server = new OAuth2Server({ model });
  return {
    label: `@node-oauth/oauth2-server ${version}`,
    note: "has only the grants; here they run on bare node:http, with a Map for storage and our own ES256 for the tokens; it has no introspection",
    listener: (request, response) => void answer(server, request, response),
    tokenPath: "/token",
    refresh: ["rotated"],
    codes: async ({ clientId, redirectUris }, count) => {
      const client = clients.get(clientId);
      if (client === undefined) throw new Error(`no client ${clientId}`);
      return Array.from({ length: count }, () => {
        const authorizationCode = randomBytes(32).toString("base64url");
        codes.set(authorizationCode, {
          authorizationCode,
          expiresAt: new Date(Date.now() + HOUR),
          redirectUri: redirectUris[0] ?? "",
          scope: [scope],
          client,
          user: { id: `account-${authorizationCode.slice(0, 8)}` },
          codeChallenge,
          codeChallengeMethod: "S256",
        });
        return authorizationCode;
      });
    },
    opaqueTokens: async () => [],
  };
};

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

async function answer(server: OAuth2Server, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  let body = "";
  incoming.setEncoding("utf8");
  for await (const chunk of incoming) body += chunk;
  const request = new OAuth2Server.Request({
    headers: incoming.headers as Record<string, string>,
    method: incoming.method ?? "",
    query: {},
    body: Object.fromEntries(new URLSearchParams(body)),
  });
  const response = new OAuth2Server.Response({});
  let status = 200;
  await server.token(request, response).catch((error: { code?: number }) => {
    status = error.code ?? 500;
  });
  const text = JSON.stringify(response.body);
  outgoing.writeHead(status, {
    ...response.headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  outgoing.end(text);
}
