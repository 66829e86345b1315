/** Requests with a key of their caller: a repetition gets the answer of the first one (Idempotency-Key). */

import { hashes } from "../../crypto/node-hashes.ts";
import { seal, unseal } from "../../crypto/seal.ts";
import type { AdminContext } from "../context.ts";
import type { KeyedRequest } from "../storage.ts";

/** Keys of one caller that are kept, each for a day. */
export const MOST_KEYS = 10_000;

export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Begun =
  | { readonly kind: "begun" | "full" | "unfinished" | "reused" }
  | { readonly kind: "answered"; readonly answer: StoredAnswer };

/** `reused`: the key was used for another request. */
export async function beginKeyed(request: KeyedRequest, requestHash: string, context: KeyedContext): Promise<Begun> {
  const { storage, now } = context;
  const begun = await storage.adminRequests.begin({ ...request, requestHash, most: MOST_KEYS, now: now() });
  if (!("requestHash" in begun)) return begun;
  if (!hashes.equal(begun.requestHash, requestHash)) return { kind: "reused" };
  if (begun.kind === "unfinished") return { kind: "unfinished" };
  const plain = unseal(context.secrets(), "admin answer", contextOf(request), begun.answer);
  // It was sealed with a secret that is gone.
  if (plain === undefined) return { kind: "unfinished" };
  return { kind: "answered", answer: JSON.parse(plain.toString()) as StoredAnswer };
}

type KeyedContext = AdminContext & Required<Pick<AdminContext, "secrets">>;

/** Sealed, because an answer can have a secret. */
export async function finishKeyed(request: KeyedRequest, answer: StoredAnswer, context: KeyedContext): Promise<void> {
  const sealed = seal(context.secrets(), "admin answer", contextOf(request), Buffer.from(JSON.stringify(answer)));
  await context.storage.adminRequests.finish({ ...request, answer: sealed });
}

/** Nothing was changed, so the caller may use the key again. */
export function forgetKeyed(request: KeyedRequest, { storage }: AdminContext): Promise<void> {
  return storage.adminRequests.forget(request);
}

function contextOf({ actor, key }: KeyedRequest): string {
  return JSON.stringify([actor, key]);
}
