/** oidc-provider: the OpenID-certified authorization server for Node, as a library. */

import { createRequire } from "node:module";
import Provider, { type Adapter, type AdapterPayload, type Client } from "oidc-provider";
import type { MakePeer, PeerClient } from "../peer-interface.ts";

const { version } = createRequire(import.meta.url)("oidc-provider/package.json") as { readonly version: string };
const SCOPE_OF_OPAQUE = "https://sealed.test";
const HOUR = 3600;

/**
 * The library's example adapter without the limit of 1,000 entries. It keeps everything in one Map, and copies and
 * writes nothing.
 */
class InMemory implements Adapter {
  static readonly #all = new Map<string, AdapterPayload>();
  readonly #model: string;

  constructor(model: string) {
    this.#model = model;
  }

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    InMemory.#all.set(`${this.#model}:${id}`, payload);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return InMemory.#all.get(`${this.#model}:${id}`);
  }

  async consume(id: string): Promise<void> {
    const found = InMemory.#all.get(`${this.#model}:${id}`);
    if (found !== undefined) found.consumed = Math.floor(Date.now() / 1000);
  }

  async destroy(id: string): Promise<void> {
    InMemory.#all.delete(`${this.#model}:${id}`);
  }

  async findByUid(): Promise<undefined> {}
  async findByUserCode(): Promise<undefined> {}
  async revokeByGrantId(): Promise<void> {}
}

export const peer: MakePeer = async ({ issuer, audience, scope, key, keeping, rotating, robot, codeChallenge }) => {
  const withCodes = (client: PeerClient) => ({
    client_id: client.clientId,
    client_secret: client.secret,
    redirect_uris: [...client.redirectUris],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "client_secret_basic" as const,
    scope,
  });
  const provider = new Provider(issuer, {
    adapter: InMemory,
    clients: [
      withCodes(keeping),
      withCodes(rotating),
      {
        client_id: robot.clientId,
        client_secret: robot.secret,
        redirect_uris: [],
        response_types: [],
        grant_types: ["client_credentials"],
        token_endpoint_auth_method: "client_secret_post",
        scope,
      },
    ],
    jwks: { keys: [{ ...key, alg: "ES256", use: "sig" } as never] },
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    scopes: [scope],
    ttl: {
      AuthorizationCode: HOUR,
      RefreshToken: 24 * HOUR,
      Grant: 24 * HOUR,
      AccessToken: 600,
      ClientCredentials: 600,
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: ({ oidc }) => oidc.client?.clientId === rotating.clientId,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope,
          audience: resource,
          accessTokenTTL: 600,
          ...(resource === SCOPE_OF_OPAQUE
            ? { accessTokenFormat: "opaque" as const }
            : { accessTokenFormat: "jwt" as const, jwt: { sign: { alg: "ES256" as const } } }),
        }),
      },
    },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  });
  const clientOf = async ({ clientId }: PeerClient): Promise<Client> => {
    const client = await provider.Client.find(clientId);
    if (client === undefined) throw new Error(`oidc-provider does not know ${clientId}`);
    return client;
  };
  const aCode = async (client: Client, redirectUri: string, at: number): Promise<string> => {
    const accountId = `account-${at}`;
    const grant = new provider.Grant({ accountId, clientId: client.clientId });
    grant.addResourceScope(audience, scope);
    const grantId = await grant.save();
    const code = new provider.AuthorizationCode({
      accountId,
      client,
      grantId,
      redirectUri,
      scope,
      codeChallenge,
      codeChallengeMethod: "S256",
      gty: "authorization_code",
      resource: audience,
      authTime: Math.floor(Date.now() / 1000),
    });
    return code.save();
  };
  let made = 0;
  return {
    label: `oidc-provider ${version}`,
    note: "keeps codes, grants and refresh tokens in a Map of its process and stores nothing; compares client secrets without hashing; does not introspect JWTs",
    listener: provider.callback(),
    tokenPath: "/token",
    introspectionPath: "/token/introspection",
    refresh: ["kept", "rotated"],
    codes: async (client, count) => {
      const found = await clientOf(client);
      const codes: string[] = [];
      while (codes.length < count) codes.push(await aCode(found, client.redirectUris[0] ?? "", made++));
      return codes;
    },
    opaqueTokens: async (count) => {
      const client = await clientOf(robot);
      const resourceServer = new provider.ResourceServer(SCOPE_OF_OPAQUE, {
        scope,
        audience: SCOPE_OF_OPAQUE,
        accessTokenTTL: 600,
        accessTokenFormat: "opaque",
      });
      return Promise.all(
        Array.from({ length: count }, () => {
          const token = new provider.ClientCredentials({ client, scope });
          token.resourceServer = resourceServer;
          return token.save();
        }),
      );
    },
  };
};
