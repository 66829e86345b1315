/** Fetches an issuer's metadata (RFC 8414 §3) as bytes, without decompression, with limits on time and size. */

import { get as httpGet } from "node:http";
import { get as httpsGet } from "node:https";
import { metadataUrl } from "./issuer-metadata-url.ts";

const TIMEOUT = 3000;
const MAX_BODY = 262_144;

export type MetadataAnswer =
  | { readonly kind: "metadata"; readonly url: string; readonly metadata: unknown }
  | { readonly kind: "other"; readonly url: string; readonly reason: string }
  | { readonly kind: "unreachable"; readonly reason: string };

/** Never throws. */
export function fetchMetadata(issuer: string): Promise<MetadataAnswer> {
  const url = metadataUrl(issuer);
  const get = url.startsWith("https:") ? httpsGet : httpGet;
  return new Promise((resolve) => {
    const headers = { accept: "application/json", "accept-encoding": "identity" };
    const request = get(url, { headers, agent: false, signal: AbortSignal.timeout(TIMEOUT) }, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length > MAX_BODY) request.destroy(new Error(`the answer is larger than ${MAX_BODY} bytes`));
        else chunks.push(chunk);
      });
      response.on("end", () => resolve(read(url, response.statusCode ?? 0, Buffer.concat(chunks).toString())));
      response.on("error", (error) => resolve({ kind: "other", url, reason: error.message }));
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const reason =
        error.name === "AbortError" || error.name === "TimeoutError"
          ? "no answer within 3 seconds"
          : (error.code ?? error.message);
      resolve({ kind: "unreachable", reason });
    });
  });
}

function read(url: string, status: number, body: string): MetadataAnswer {
  if (status !== 200) return { kind: "other", url, reason: `status ${status}` };
  try {
    return { kind: "metadata", url, metadata: JSON.parse(body) as unknown };
  } catch {
    return { kind: "other", url, reason: "no JSON" };
  }
}
