/** Fetches one JSON document of the issuer, with limits for size and time, without redirects or compression. */

import http from "node:http";
import https from "node:https";
import { type JsonObject, parseJsonObject } from "./strict-json.ts";

/** Bytes. A hundred RSA keys fit. */
export const DOCUMENT_LIMIT = 128 * 1024;

export interface FetchedJson {
  readonly value: JsonObject;
  /** Seconds for which the headers allow caching; null: they don't say. */
  readonly maxAge: number | null;
}

/**
 * GETs `url` by node:http(s). It doesn't use `fetch`, which decompresses every body and follows redirects by default.
 * @param signal ends the request, body included.
 * @throws {Error} unreachable, not 200, a redirect, compressed, longer than DOCUMENT_LIMIT, no JSON object, or ended by
 * `signal`.
 */
export async function fetchJson(url: string, signal: AbortSignal): Promise<FetchedJson> {
  const response = await get(url, signal);
  try {
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400) throw new Error(`a redirect (${statusCode}) is not followed`);
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    if ((headers["content-encoding"] ?? "identity") !== "identity") throw new Error("the answer is compressed");
    const value = parseJsonObject(await readBounded(response));
    return { value, maxAge: maxAgeOf(headers) };
  } catch (error) {
    throw new Error(`${url}: ${signal.aborted ? "took too long" : message(error)}`, { cause: error });
  } finally {
    response.destroy();
  }
}

/**
 * The reader of the body gets the response's errors. The empty listener is for an error after the reader has stopped.
 */
function get(url: string, signal: AbortSignal): Promise<http.IncomingMessage> {
  const { request } = new URL(url).protocol === "https:" ? https : http;
  const headers = { accept: "application/json", "accept-encoding": "identity", connection: "close" };
  return new Promise((resolve, reject) => {
    request(url, { method: "GET", headers, signal })
      .on("response", (response) => resolve(response.on("error", () => {})))
      .on("error", (error) =>
        reject(new Error(`${url}: ${signal.aborted ? "took too long" : message(error)}`, { cause: error })),
      )
      .end();
  });
}

async function readBounded(response: http.IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > DOCUMENT_LIMIT) throw new Error(`the answer is longer than ${DOCUMENT_LIMIT} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** RFC 9111 §5.2.2: the remaining part of max-age; 0 if storing is forbidden. */
function maxAgeOf(headers: http.IncomingHttpHeaders): number | null {
  const cacheControl = headers["cache-control"] ?? "";
  if (/(?:^|[\s,])no-(?:store|cache)(?:$|[\s,=])/i.test(cacheControl)) return 0;
  const seconds = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(cacheControl)?.[1];
  if (seconds === undefined) return null;
  const age = /^\d{1,9}$/.test(headers.age ?? "") ? Number(headers.age) : 0;
  return Math.max(0, Number(seconds) - age);
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
