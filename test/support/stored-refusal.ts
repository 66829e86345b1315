/** What an operator reads about a refusal (`assent refusal show`). */

import { expect } from "vitest";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { explained, refusalOf } from "../../packages/server/src/admin/refusals/index.ts";
import type { TestServer } from "./test-server.ts";

/** Waits until the refusal is stored, which happens after the answer. */
export async function storedRefusal({ assent, issuer, now }: TestServer, { headers }: { readonly headers: Headers }) {
  const requestId = headers.get("x-request-id") ?? "";
  await expect.poll(() => assent.storage.refusals.get({ requestId })).toBeDefined();
  return explained(await refusalOf(requestId, adminOf(assent.storage, issuer, now)));
}
