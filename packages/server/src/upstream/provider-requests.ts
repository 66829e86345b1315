/** How this server asks a provider, and what a failure means. */

import * as oidc from "openid-client";
import type { Asked, GuardedFetcher } from "../outbound/guarded-fetch.ts";
import type { UpstreamFailed } from "../owners/identities/upstream-identity.ts";

/** Bytes of a document of a provider: metadata, keys, tokens, UserInfo. */
const MAX_ANSWER = 262_144;
/** How much the clocks of two servers may differ, in seconds. */
export const CLOCK_TOLERANCE = 60;

/** An answer that can't be believed. */
export class Unverified extends Error {}
/** No answer, none in time, or one that says that the provider isn't working (RFC 9110 §15.6). */
export class Unreachable extends Error {}

/** The library's requests go through the guarded fetcher. */
export function fetchWith(fetcher: GuardedFetcher): oidc.CustomFetch {
  return async (url, { method, headers, body }) => {
    const asked: Asked = { method, headers, maxBytes: MAX_ANSWER, ...(body == null ? {} : { body: String(body) }) };
    const answered = await fetcher.ask(url, asked);
    if (answered.kind === "failed") throw new Unreachable(`${answered.fault}: ${answered.detail}`);
    const { status, headers: got, body: bytes } = answered;
    if (status < 200 || status >= 500) throw new Unreachable(`${new URL(url).pathname}: status ${status}`);
    // A response with one of these statuses has no body.
    const content = status === 204 || status === 205 || status === 304 ? null : new Uint8Array(bytes);
    const { "content-type": type, "www-authenticate": challenge } = got;
    return new Response(content, {
      status,
      headers: {
        ...(type === undefined ? {} : { "content-type": type }),
        ...(challenge === undefined ? {} : { "www-authenticate": challenge }),
      },
    });
  };
}

/** The library refuses http unless it is told. An operator can name a provider on this machine only. */
export function allowPlainAt(address: string, configuration: oidc.Configuration): void {
  if (address.startsWith("http:")) oidc.allowInsecureRequests(configuration);
}

/** Apple's word for it is its own. */
const DENIED: readonly string[] = ["access_denied", "user_cancelled_authorize"];
/** What a provider says in a callback in place of the statuses 500 and 503 (RFC 6749 §4.1.2.1). */
const NOT_WORKING: readonly string[] = ["server_error", "temporarily_unavailable"];

export function failed(error: unknown): UpstreamFailed {
  const unreachable = [error, (error as { cause?: unknown }).cause].find((one) => one instanceof Unreachable);
  if (unreachable !== undefined)
    return { kind: "failed", fault: "unreachable", detail: unreachable.message.slice(0, 200) };
  const detail = detailOf(error);
  const said = error instanceof oidc.AuthorizationResponseError ? error.error : "";
  if (DENIED.includes(said)) return { kind: "failed", fault: "denied", detail };
  return { kind: "failed", fault: NOT_WORKING.includes(said) ? "unreachable" : "unverified", detail };
}

/** Every registered error code. Another text may repeat what was sent: a code, or the client secret. */
const ERROR_CODE = /^[a-z_]{1,50}$/;

/** What an operator needs to find the mistake. No token, code or secret is in it. */
function detailOf(error: unknown): string {
  if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError)
    return `${error.name}: ${ERROR_CODE.test(error.error) ? error.error : "an unknown error"}`;
  const { name, message, code } = error as { name?: string; message?: string; code?: string };
  return [name, code, message]
    .filter((part) => part !== undefined && part !== "")
    .join(": ")
    .slice(0, 200);
}
