/** Signing keys: made at first start, sealed at rest, published a day before they sign (RFC 7517, RFC 7638). */

import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { AdminStorage, StoredKey } from "../admin/storage.ts";
import type { Millis, Resource, SigningAlg } from "../oauth/model.ts";
import type { Uses } from "../uses.ts";
import { seal, unseal } from "./seal.ts";
import type { Secrets } from "./secrets.ts";
import { signingAlgOf, signingAlgorithms } from "./signing-algs.ts";

/** What signs for the server itself and for an API that names nothing else. */
export const DEFAULT_ALG: SigningAlg = "ES256";

const DAY = 86_400_000;
/** A new key is made when the newest is this old … */
export const ROTATE_AFTER: Millis = 30 * DAY;
/** … and signs only when it has been published for this long: every API has fetched it by then. */
export const PUBLISH_BEFORE_USE: Millis = DAY;
/** How long a key stays published after it signed last: longer than any access token lives (a day at most) and any clock is off. */
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

/** The keys of the moment. */
export interface KeySet {
  /** The one of each alg that signs; `ES256` is always there, another one once an API uses it. */
  readonly active: ReadonlyMap<SigningAlg, SigningKey>;
  /** Verify, and are published: the active ones, those to come, and those whose last token may still live. */
  readonly published: readonly PublishedKey[];
  /** The JWK Set, serialized. */
  readonly jwks: string;
  /** When the choice of keys must be made anew. */
  readonly until: Millis;
}

/** The key that signs was sealed under a secret that isn't in the list. */
export class SigningKeySealed extends Error {
  constructor(alg: SigningAlg) {
    const [which, flag] = alg === DEFAULT_ALG ? ["", ""] : [`${alg} `, ` --alg ${alg}`];
    super(
      `the ${which}signing key cannot be unsealed: ASSENT_SECRET (or the file secret in the data directory) must contain the secret that it was sealed under, behind the first of the list. Where that one has leaked or is lost, make another key: assent key rotate --now${flag}`,
    );
    this.name = "SigningKeySealed";
  }
}

/** Makes and stores a key; false: another process made one of this alg at the same time. `existing`: all keys there are. */
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

/** The algs that tokens of these APIs are signed with, the server's own first. Sealed tokens need none. */
export function algsInUse(resources: readonly Resource[]): readonly SigningAlg[] {
  const named = resources.filter(({ tokenFormat }) => tokenFormat === "jwt").map(({ alg }) => alg);
  return [...new Set([DEFAULT_ALG, ...named])];
}

/** Makes what is missing of each alg: the first key, at once active; and the next one, when the newest is old enough. */
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

/** The keys of a moment, from their records. Throws where a key that signs can't be unsealed: ASSENT_SECRET isn't the one it was sealed under. */
export function keySet(stored: readonly StoredKey[], secrets: Secrets, now: Millis): KeySet {
  const keys = stored.filter((key) => isPublished(key, stored, now));
  const usable = keys.filter(({ activeFrom, retiredAt }) => retiredAt === null && activeFrom <= now);
  // The last one made, as in `supersededAt`: an operator's rotation at once comes before a key that was announced earlier for a later day.
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

/** Only keys that sign are unsealed: those before them verify, whatever became of the secret that they were sealed under. */
function privateHalf(key: StoredKey, secrets: Secrets): KeyObject {
  const pkcs8 = unseal(secrets, "signing key", key.kid, key.sealedPrivate);
  if (pkcs8 === undefined) throw new SigningKeySealed(algOf(key));
  return createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
}
