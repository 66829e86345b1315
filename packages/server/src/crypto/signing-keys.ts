/**
 * Signing keys: made at the first start, sealed in the database, published a day before they sign (RFC 7517, RFC 7638).
 */

import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { AdminStorage, StoredKey } from "../admin/storage.ts";
import type { Millis, Resource, SigningAlg } from "../oauth/model.ts";
import type { Uses } from "../storage-subset.ts";
import { seal, unseal } from "./seal.ts";
import type { Secrets } from "./server-secret.ts";
import { signingAlgOf, signingAlgorithms } from "./signing-algs.ts";

/** Signs for the server itself, and for an API that names no other alg. */
export const DEFAULT_ALG: SigningAlg = "ES256";

const DAY = 86_400_000;
/** The server makes a new key when the newest is this old. */
export const ROTATE_AFTER: Millis = 30 * DAY;
/** A new key signs only after it has been published for this long, so that every API has fetched it. */
export const PUBLISH_BEFORE_USE: Millis = DAY;
/**
 * How long a key stays published after its last signature: longer than any access token lives (at most a day), with
 * room for wrong clocks.
 */
export const KEEP_AFTER: Millis = 25 * 3_600_000;

/** A key that verifies. */
export interface PublishedKey {
  readonly kid: string;
  readonly alg: SigningAlg;
  readonly publicKey: KeyObject;
  /** The encoded JOSE header of its access tokens. */
  readonly header: string;
}

/** The key that signs. */
export interface SigningKey extends PublishedKey {
  readonly privateKey: KeyObject;
}

/** The present keys. */
export interface KeySet {
  /** The signing key of each alg. `ES256` is always there; another alg once an API uses it. */
  readonly active: ReadonlyMap<SigningAlg, SigningKey>;
  /** The published keys, which verify: active ones, future ones, and those whose last token may still be live. */
  readonly published: readonly PublishedKey[];
  /** The JWK Set as JSON. */
  readonly jwks: string;
  /** When the keys must be chosen again. */
  readonly until: Millis;
}

/** The signing key was sealed under a secret that is not in the list. */
export class SigningKeySealed extends Error {
  constructor(alg: SigningAlg) {
    const [which, flag] = alg === DEFAULT_ALG ? ["", ""] : [`${alg} `, ` --alg ${alg}`];
    super(
      `the ${which}signing key cannot be unsealed: ASSENT_SECRET (or the file secret in the data directory) must contain the secret that it was sealed under, behind the first of the list. Where that one has leaked or is lost, make another key: assent key rotate --now${flag}`,
    );
    this.name = "SigningKeySealed";
  }
}

/**
 * Makes and stores a key. False: another process made one of this alg at the same time. `existing`: all present keys.
 */
export async function addSigningKey(
  storage: Uses<AdminStorage, "keys.add">,
  secrets: Secrets,
  existing: readonly StoredKey[],
  now: Millis,
  activeFrom: Millis,
  alg: SigningAlg = DEFAULT_ALG,
): Promise<boolean> {
  const { members, generate } = signingAlgorithms[alg];
  const { privateKey, publicKey } = await generate();
  const jwk = publicKey.export({ format: "jwk" });
  const required = Object.fromEntries(members.map((name) => [name, jwk[name]]));
  // RFC 7638: the thumbprint is the id.
  const kid = createHash("sha256").update(JSON.stringify(required)).digest("base64url");
  const pkcs8 = privateKey.export({ format: "der", type: "pkcs8" });
  const serials = existing.filter((key) => key.alg === alg).map(({ serial }) => serial);
  return storage.keys.add({
    key: {
      kid,
      alg,
      serial: Math.max(0, ...serials) + 1,
      publicJwk: JSON.stringify({ ...required, kid, use: "sig", alg }),
      sealedPrivate: seal(secrets, "signing key", kid, pkcs8),
      createdAt: now,
      activeFrom,
      retiredAt: null,
    },
  });
}

/**
 * The algs of these APIs' tokens, and of the keys that ID tokens have needed so far; the server's own first. Sealed
 * tokens need none.
 */
export function algsInUse(resources: readonly Resource[], stored: readonly StoredKey[] = []): readonly SigningAlg[] {
  const named = resources.filter(({ tokenFormat }) => tokenFormat === "jwt").map(({ alg }) => alg);
  const needed = stored.filter(({ retiredAt }) => retiredAt === null).flatMap(({ alg }) => signingAlgOf(alg) ?? []);
  return [...new Set([DEFAULT_ALG, ...named, ...needed])];
}

/**
 * Makes the missing keys of each alg: the first one, which is active at once, and the next one when the newest is old
 * enough.
 */
export async function ensureKeys(
  storage: Uses<AdminStorage, "keys.add" | "keys.list">,
  secrets: Secrets,
  now: Millis,
  algs: readonly SigningAlg[] = [DEFAULT_ALG],
): Promise<void> {
  for (const alg of algs) {
    const all = await storage.keys.list();
    const keys = all.filter((key) => key.alg === alg && key.retiredAt === null);
    const newest = Math.max(0, ...keys.map(({ activeFrom }) => activeFrom));
    if (keys.length === 0) await addSigningKey(storage, secrets, all, now, now, alg);
    else if (newest + ROTATE_AFTER - PUBLISH_BEFORE_USE <= now) {
      await addSigningKey(storage, secrets, all, now, now + PUBLISH_BEFORE_USE, alg);
    }
  }
}

/**
 * The present keys from their records. Throws if a signing key can't be opened, because ASSENT_SECRET differs from the
 * secret under which it was sealed.
 */
export function keySet(stored: readonly StoredKey[], secrets: Secrets, now: Millis): KeySet {
  const keys = stored.filter((key) => isPublished(key, stored, now));
  const usable = keys.filter(({ activeFrom, retiredAt }) => retiredAt === null && activeFrom <= now);
  // The newest key, as in `supersededAt`: a key that an operator rotates to at once comes before one that was announced
  // earlier for a later day.
  const newest = new Map(usable.toSorted((a, b) => a.serial - b.serial).map((key) => [algOf(key), key]));
  if (!newest.has(DEFAULT_ALG)) throw new Error("no signing key is active");
  const signing = [...newest].map(([alg, key]): [SigningAlg, SigningKey] => [
    alg,
    { ...publicHalf(key), privateKey: privateHalf(key, secrets) },
  ]);
  const changes = stored.map(({ activeFrom }) => activeFrom).filter((at) => at > now);
  return {
    active: new Map(signing),
    published: keys.map(publicHalf),
    jwks: JSON.stringify({ keys: keys.map(({ publicJwk }) => JSON.parse(publicJwk) as unknown) }),
    until: Math.min(now + 60_000, ...changes),
  };
}

/** When a key stopped signing: a newer one became active, or it was retired. */
export function supersededAt(key: StoredKey, all: readonly StoredKey[], now: Millis): Millis | undefined {
  const newer = all.filter(
    (other) =>
      other.retiredAt === null && other.activeFrom <= now && other.serial > key.serial && other.alg === key.alg,
  );
  const times = newer.map(({ activeFrom }) => Math.max(activeFrom, key.activeFrom));
  if (key.retiredAt !== null) times.push(key.retiredAt);
  return times.length === 0 ? undefined : Math.min(...times);
}

function isPublished(key: StoredKey, all: readonly StoredKey[], now: Millis): boolean {
  const at = supersededAt(key, all, now);
  return at === undefined || now < at + KEEP_AFTER;
}

function algOf({ kid, alg }: StoredKey): SigningAlg {
  const known = signingAlgOf(alg);
  if (known === undefined) throw new Error(`the key ${kid} is of an alg that this version doesn't know: ${alg}`);
  return known;
}

function publicHalf(key: StoredKey): PublishedKey {
  const { kid, publicJwk } = key;
  const alg = algOf(key);
  return {
    kid,
    alg,
    publicKey: createPublicKey({ key: JSON.parse(publicJwk), format: "jwk" }),
    header: Buffer.from(JSON.stringify({ alg, typ: "at+jwt", kid })).toString("base64url"),
  };
}

/** Opens only keys that sign: earlier ones verify even if the secret under which they were sealed was removed. */
function privateHalf(key: StoredKey, secrets: Secrets): KeyObject {
  const pkcs8 = unseal(secrets, "signing key", key.kid, key.sealedPrivate);
  if (pkcs8 === undefined) throw new SigningKeySealed(algOf(key));
  return createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
}
