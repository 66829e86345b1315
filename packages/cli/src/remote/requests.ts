/** HTTP requests to a server, with errors that say what to do. */

import { Failure } from "../command-errors.ts";

/** Milliseconds. Some operations read a whole log. */
const PATIENCE = 120_000;
const MOST_BYTES = 64 * 1_048_576;

export interface Asked {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Follows no redirect: the request has a token. Throws if nothing answers. */
export async function send(url: string, { method, headers, body }: Asked): Promise<Answered> {
  try {
    const response = await fetch(url, {
      ...{ method, headers, redirect: "manual", signal: AbortSignal.timeout(PATIENCE) },
      ...(body === undefined ? {} : { body: body as BodyInit }),
    });
    return { status: response.status, headers: response.headers, text: await textOf(response) };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${new URL(url).origin}: ${reasonOf(error)}`);
  }
}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    length += part.length;
    if (length > MOST_BYTES) throw new Failure("the server's answer is too large");
  }
  return Buffer.concat(parts).toString("utf8");
}

/** `fetch` hides the reason in the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause, name } = error as { readonly cause?: NodeJS.ErrnoException; readonly name?: string };
  if (name === "TimeoutError") return `no answer within ${PATIENCE / 1000} seconds`;
  const code = cause?.code ?? "";
  if (code === "ECONNREFUSED") return "no server answers: is it running?";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "this name has no address: check the spelling";
  if (/CERT|SELF_SIGNED|ISSUER|ALTNAME/.test(code)) {
    return `its certificate is not trusted (${cause?.message}): if it is your own authority's, name the file in NODE_EXTRA_CA_CERTS`;
  }
  if (
    code === "ERR_SSL_WRONG_VERSION_NUMBER" ||
    /wrong version number|packet length too long/.test(cause?.message ?? "")
  )
    return "it doesn't speak TLS: the address begins with http://, or the port is another one";
  return `the request failed (${cause?.message ?? (error as Error).message})`;
}

/** The JSON object of an answer. Throws if it is none. */
export function objectOf({ text, status }: Answered, url: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Below.
  }
  throw new Failure(`${url} answered ${status} without JSON: is it an Assent server?`);
}
