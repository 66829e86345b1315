/** Clients that register themselves, as a program does it. */

import { adminOf } from "../../packages/server/src/admin/context.ts";
import {
  createRegistrationToken,
  type NewRegistrationToken,
} from "../../packages/server/src/admin/registration-tokens.ts";
import type { TestClient, TestServer } from "./test-server.ts";

export type Metadata = Readonly<Record<string, unknown>>;

export interface Registration {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown> & {
    client_id?: string;
    client_secret?: string;
    registration_access_token?: string;
    registration_client_uri?: string;
    error?: string;
  };
}

export const CALLBACK = "https://stranger.test/cb";

/** A valid registration of a public client. */
export const aRegistration: Metadata = {
  client_name: "Stranger",
  redirect_uris: [CALLBACK],
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "none",
};

let networks = 0;

/** Another network for each call, where the server trusts this machine as a proxy: the limits of one don't reach another. */
export function aNetwork(): Record<string, string> {
  networks += 1;
  return {
    "x-forwarded-for": `203.0.${Math.floor(networks / 250)}.${(networks % 250) + 1}`,
    "x-forwarded-proto": "https",
  };
}

export interface Sending {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, instead of metadata. */
  readonly raw?: string | Uint8Array;
}

export async function send(
  method: string,
  url: string,
  metadata: unknown,
  { token, headers = aNetwork(), raw }: Sending = {},
): Promise<Registration> {
  const body = raw ?? (metadata === undefined ? undefined : JSON.stringify(metadata));
  const response = await fetch(url, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: body as BodyInit }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === "" ? {} : (JSON.parse(text) as Registration["body"]),
  };
}

export function register(server: TestServer, metadata: unknown = aRegistration, sending: Sending = {}) {
  return send("POST", `${server.issuer}/register`, metadata, sending);
}

/** Calls the client's own address with its own token. */
export function manage(method: string, made: Registration, metadata?: unknown, token?: string): Promise<Registration> {
  const { registration_client_uri: url = "", registration_access_token: own = "" } = made.body;
  return send(method, url, metadata, { token: token ?? own });
}

/** The client as other helpers use it. */
export function clientOf({ body }: Registration): TestClient {
  const { client_id: clientId = "", client_secret: secret = "", redirect_uris: redirectUris } = body;
  const type = body["token_endpoint_auth_method"] === "none" ? "public" : "confidential";
  return { clientId, secret, redirectUris, type, authMethod: body["token_endpoint_auth_method"] } as TestClient;
}

export async function anInitialToken(server: TestServer, asked: NewRegistrationToken = {}): Promise<string> {
  const context = adminOf(server.assent.storage, server.issuer, server.now);
  return (await createRegistrationToken(asked, context)).initialAccessToken;
}
