/**
 * Forms over node:http with their own agent: many at once, over kept connections. Each result says how the request
 * ended.
 */

import { type Agent, request } from "node:http";
import type { TestClient } from "./test-server.ts";

export interface BackChannelAnswer {
  /** 0: the connection broke before the whole answer arrived. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Milliseconds until the whole answer arrived. */
  readonly took: number;
  readonly problem: string;
}

export interface BackChannelRequest {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
  /** Authenticates by HTTP Basic, or by `client_id` alone if it is public. */
  readonly client?: Pick<TestClient, "clientId" | "secret">;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the connection has taken the bytes of the request. */
  readonly sent?: () => void;
}

/** Never rejects. A broken connection is an answer with status 0. */
export function send(url: string, asked: BackChannelRequest, agent?: Agent): Promise<BackChannelAnswer> {
  const { method = "POST", path, form, client } = asked;
  const isPublic = client?.secret === "";
  const body = new URLSearchParams({
    ...form,
    ...(isPublic && client !== undefined ? { client_id: client.clientId } : {}),
  });
  const headers: Record<string, string> = { ...asked.headers };
  if (method === "POST") headers["content-type"] = "application/x-www-form-urlencoded";
  if (client !== undefined && !isPublic)
    headers["authorization"] = `Basic ${Buffer.from(`${client.clientId}:${client.secret}`).toString("base64")}`;
  const started = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, text: string, problem: string, answered: BackChannelAnswer["headers"] = {}) =>
      resolve({ status, text, problem, headers: answered, took: performance.now() - started });
    const outgoing = request(`${url}${path}`, { method, headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("error", (error) => end(0, text, error.message));
      response.on("close", () =>
        response.complete ? end(response.statusCode ?? 0, text, "", response.headers) : end(0, text, "cut off"),
      );
    });
    outgoing.on("error", (error) => end(0, "", error.message));
    outgoing.on("finish", () => asked.sent?.());
    outgoing.end(method === "POST" ? body.toString() : undefined);
  });
}

/** The JSON body of an answer; empty if there is none. */
export function bodyOf({ text }: BackChannelAnswer): Record<string, string> {
  return text === "" ? {} : (JSON.parse(text) as Record<string, string>);
}

export function codeForm(client: TestClient, code: string, verifier?: string): Record<string, string> {
  return {
    grant_type: "authorization_code",
    code,
    redirect_uri: client.redirectUris[0] ?? "",
    ...(verifier === undefined ? {} : { code_verifier: verifier }),
  };
}

export function refreshForm(token: string | undefined): Record<string, string> {
  return { grant_type: "refresh_token", refresh_token: token ?? "" };
}
