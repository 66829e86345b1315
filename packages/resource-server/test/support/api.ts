/** A protected API over real HTTP, and a client that sends the exact headers that a test gives. */

import { createServer, request as httpRequest } from "node:http";
import { createResourceServer, type ResourceServerError, type ResourceServerOptions } from "../../src/index.ts";
import { withToken } from "../../src/node.ts";
import { close, listen } from "./issuer.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface TestApi {
  readonly origin: string;
  readonly refusals: ResourceServerError[];
  readonly issuerErrors: Error[];
  /** Calls with one Authorization: Bearer header. */
  call(token: string): Promise<Answer>;
  close(): Promise<void>;
}

/** An API on node:http that answers with the claims. `needed` is the scope of its one operation. */
export async function startApi(options: ResourceServerOptions, needed?: string): Promise<TestApi> {
  const refusals: ResourceServerError[] = [];
  const issuerErrors: Error[] = [];
  const api = createResourceServer({
    onRefusal: (error) => refusals.push(error),
    onIssuerError: (error) => issuerErrors.push(error),
    ...options,
  });
  const server = createServer(
    withToken(api, { scope: needed }, (_, response, claims) => response.end(JSON.stringify(claims))),
  );
  const origin = await listen(server);
  return {
    origin,
    refusals,
    issuerErrors,
    call: (token) => send(origin, ["Authorization", `Bearer ${token}`]),
    close: () => close(server),
  };
}

/** `headers`: alternating names and values, sent unchanged, including repetitions. */
export async function send(url: string, headers: readonly string[] = [], method = "GET"): Promise<Answer> {
  const { host } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers: ["Host", host, ...headers], agent: false }, (response) => {
      let body = "";
      response
        .setEncoding("utf8")
        .on("data", (chunk: string) => {
          body += chunk;
        })
        .on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
        .on("error", reject);
    });
    request.on("error", reject).end();
  });
}
