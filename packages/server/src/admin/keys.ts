/** The operator's use-cases for signing keys (RFC 7517): list, rotate, retire. */

import type { Secrets } from "../crypto/server-secret.ts";
import { SIGNING_ALGS, signingAlgOf } from "../crypto/signing-algs.ts";
import {
  addSigningKey,
  algsInUse,
  DEFAULT_ALG,
  KEEP_AFTER,
  PUBLISH_BEFORE_USE,
  supersededAt,
} from "../crypto/signing-keys.ts";
import type { Millis } from "../oauth/model.ts";
import { refuse } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";
import type { StoredKey } from "./storage.ts";

/** The dependencies of use-cases that need the server's secret. */
export interface KeyContext extends AdminContext {
  secrets(): Secrets;
}

/**
 * `signing`: signs now. `next`: published, signs later. `verifying`: its last tokens may still be live. `past`: not
 * needed any more.
 */
export type KeyStatus = "signing" | "next" | "verifying" | "past";

export interface KeyState {
  readonly key: StoredKey;
  readonly status: KeyStatus;
  /** When it stops being published. Null: unknown, because it has no successor yet. */
  readonly publishedUntil: Millis | null;
}

/** All keys, oldest first, each with its present status. */
export async function listKeys({ storage, now }: AdminContext): Promise<readonly KeyState[]> {
  const keys = await storage.keys.list();
  return keys.map((key) => stateOf(key, keys, now()));
}

function stateOf(key: StoredKey, all: readonly StoredKey[], now: Millis): KeyState {
  const until = supersededAt(key, all, now);
  if (until === undefined) {
    return { key, status: key.activeFrom > now ? "next" : "signing", publishedUntil: null };
  }
  const publishedUntil = until + KEEP_AFTER;
  return { key, status: now < publishedUntil ? "verifying" : "past", publishedUntil };
}

/**
 * Makes a key. It is published at once and signs a day later, when every API has it. With `immediately` it signs at
 * once, for a present key that is no longer trusted: an API that has the old key set refuses its tokens until it
 * fetches again. `alg`: default ES256. Throws `invalid` for an unknown alg, `conflict` if a next key is published
 * already.
 */
export async function rotateKey(
  { immediately, alg: named = DEFAULT_ALG }: { readonly immediately: boolean; readonly alg?: string },
  context: KeyContext,
): Promise<StoredKey> {
  const { storage } = context;
  const alg = signingAlgOf(named) ?? refuse("invalid", "alg", `must be one of ${SIGNING_ALGS.join(", ")}`);
  const now = context.now();
  const all = await storage.keys.list();
  const before = all.filter((key) => key.alg === alg);
  const pending = before.filter(({ activeFrom, retiredAt }) => activeFrom > now && retiredAt === null);
  const [next] = pending;
  if (next !== undefined && !immediately) {
    refuse(
      "conflict",
      null,
      `the next key is already published: ${next.kid} signs from ${new Date(next.activeFrom).toISOString()}`,
    );
  }
  // No API knows an earlier key, so the very first key can sign at once.
  const activeFrom =
    immediately || before.every(({ retiredAt }) => retiredAt !== null) ? now : now + PUBLISH_BEFORE_USE;
  if (!(await addSigningKey(storage, context.secrets(), before, now, activeFrom, alg))) {
    refuse("conflict", null, "another process created a key at the same time: check assent key list, and try again");
  }
  // Otherwise an announced key would replace the new one tomorrow.
  for (const { kid } of pending) await storage.keys.retire({ kid, now });
  const known = new Set(all.map(({ kid }) => kid));
  const made = (await storage.keys.list()).find(({ kid }) => !known.has(kid));
  return made ?? refuse("conflict", null, "another operator has already retired the new key");
}

/**
 * Retires a key. It stays published until the last token that it signed has expired. With `immediately` it disappears
 * at once and its tokens are refused. Throws `unknown`, and `conflict` if no other key can sign an API's tokens.
 */
export async function retireKey(
  kid: string,
  { immediately }: { readonly immediately: boolean },
  context: AdminContext,
): Promise<void> {
  await refuseRetiring(kid, { immediately }, context);
  const { storage, now } = context;
  if (immediately) await storage.keys.remove({ kid });
  else if (!(await storage.keys.retire({ kid, now: now() }))) refuseRetiredBefore();
}

/** Throws what `retireKey` would throw, and changes nothing. Returns the key as it is now. */
export async function refuseRetiring(
  kid: string,
  { immediately }: { readonly immediately: boolean },
  { storage, now }: AdminContext,
): Promise<KeyState> {
  const keys = await storage.keys.list();
  const key = keys.find((one) => one.kid === kid);
  if (key === undefined) return refuse("unknown", "kid", `there is no key ${JSON.stringify(kid)}`);
  const at = now();
  const others = keys.filter(
    (one) => one.kid !== kid && one.alg === key.alg && one.retiredAt === null && one.activeFrom <= at,
  );
  const inUse: readonly string[] = algsInUse(await storage.resources.list());
  if (key.retiredAt === null && others.length === 0 && inUse.includes(key.alg)) {
    const flag = key.alg === DEFAULT_ALG ? "" : ` --alg ${key.alg}`;
    refuse("conflict", "kid", `no other key can sign: create one first (assent key rotate --now${flag})`);
  }
  if (!immediately && key.retiredAt !== null) refuseRetiredBefore();
  return stateOf(key, keys, at);
}

function refuseRetiredBefore(): never {
  return refuse("conflict", "kid", "this key is already retired");
}
