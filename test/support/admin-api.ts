/** Calls of the admin API, as an operator's program makes them. */

import { createAdminToken } from "../../packages/server/src/admin/api-access/tokens.ts";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { requireDocumented } from "./admin-answer-schemas.ts";
import type { TestServer } from "./test-server.ts";

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the answer; undefined without a body. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly text: string;
}

export interface AdminCall {
  readonly token?: string | null;
  readonly body?: unknown;
  /** The bytes of the body, instead of `body`. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export class AdminApi {
  readonly server: TestServer;
  readonly token: string;

  constructor(server: TestServer, token: string) {
    this.server = server;
    this.token = token;
  }

  /** Another caller at the same server. */
  with(token: string): AdminApi {
    return new AdminApi(this.server, token);
  }

  async call(method: string, path: string, { token, body, raw, headers = {} }: AdminCall = {}): Promise<AdminAnswer> {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const bearer = token === undefined ? this.token : token;
    const response = await fetch(`${this.server.issuer}/admin/api/v1${path}`, {
      method,
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent as BodyInit }),
    });
    const text = await response.text();
    requireDocumented(method, path, { status: response.status, headers: response.headers, text });
    const isJson = /[/+]json;/.test(response.headers.get("content-type") ?? "");
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? (JSON.parse(text) as AdminAnswer["body"]) : undefined,
      text,
    };
  }

  get(path: string, options?: AdminCall): Promise<AdminAnswer> {
    return this.call("GET", path, options);
  }

  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<AdminAnswer> {
    return this.call("POST", path, { body, ...(headers === undefined ? {} : { headers }) });
  }

  /** Changes the record as it is now. */
  async patch(path: string, body: unknown): Promise<AdminAnswer> {
    const etag = (await this.get(path)).headers.get("etag") ?? "";
    return this.call("PATCH", path, { body, headers: { "if-match": etag } });
  }
}

/** A token that an operator's command made. */
export async function adminToken(server: TestServer, scope = "admin", lifetime = 3600): Promise<string> {
  const context = adminOf(server.assent.storage, server.issuer, server.now);
  return (await createAdminToken({ scopes: scope.split(" "), lifetime }, context)).accessToken;
}

export async function adminApi(server: TestServer, scope = "admin"): Promise<AdminApi> {
  return new AdminApi(server, await adminToken(server, scope));
}
