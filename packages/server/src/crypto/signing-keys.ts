/** Signing keys: made at first start, sealed at rest, published a day before they sign (RFC 7517, RFC 7638). */

import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import type { AdminStorage, StoredKey } from "../admin/storage.ts";
import type { Millis } from "../oauth/model.ts";
import { seal, unseal } from "./seal.ts";
import type { Secrets } from "./secrets.ts";

const DAY = 86_400_000;
/** A new key is made when the newest is this old … */
export const ROTATE_AFTER: Millis = 30 * DAY;
/** … and signs only when it has been published for this long: every API has fetched it by then. */
export const PUBLISH_BEFORE_USE: Millis = DAY;
/** How long a key stays published after it signed last: longer than any access token lives (60 min at most) and any clock is off. */
export const KEEP_AFTER: Millis = 2 * 3_600_000;

/** A key that verifies. */
export interface PublishedKey {
  readonly kid: string;
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
  /** Signs. */
  readonly active: SigningKey;
  /** Verify, and are published: the active one, those to come, and those whose last token may still live. */
  readonly published: readonly PublishedKey[];
  /** The JWK Set, serialized. */
  readonly jwks: string;
  /** When the choice of keys must be made anew. */
  readonly until: Millis;
}

/** The key that signs was sealed under a secret that isn't in the list. */
export class SigningKeySealed extends Error {
  constructor() {
    super(
      "the signing key cannot be unsealed: ASSENT_SECRET (or the file secret in the data directory) must contain the secret that it was sealed under, behind the first of the list. Where that one has leaked or is lost, make another key: assent key rotate --now",
    );
    this.name = "SigningKeySealed";
  }
}

const generate = promisify(generateKeyPair);

/** Makes and stores a key; false: another process made one at the same time. */
export async function addSigningKey(
  storage: Pick<AdminStorage, "addKey">,
  secrets: Secrets,
  existing: readonly StoredKey[],
  now: Millis,
  activeFrom: Millis,
): Promise<boolean> {
  const { privateKey, publicKey } = await generate("ec", { namedCurve: "P-256" });
  const { kty, crv, x, y } = publicKey.export({ format: "jwk" });
  // RFC 7638: the thumbprint is the id.
  const kid = createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
  const pkcs8 = privateKey.export({ format: "der", type: "pkcs8" });
  return storage.addKey({
    key: {
      kid,
      alg: "ES256",
      serial: Math.max(0, ...existing.map(({ serial }) => serial)) + 1,
      publicJwk: JSON.stringify({ kty, crv, x, y, kid, use: "sig", alg: "ES256" }),
      sealedPrivate: seal(secrets, "signing key", kid, pkcs8),
      createdAt: now,
      activeFrom,
      retiredAt: null,
    },
  });
}

/** Makes what is missing: the first key, at once active; and the next one, when the newest is old enough. */
export async function ensureKeys(
  storage: Pick<AdminStorage, "addKey" | "listKeys">,
  secrets: Secrets,
  now: Millis,
): Promise<void> {
  const keys = (await storage.listKeys()).filter(({ retiredAt }) => retiredAt === null);
  const newest = Math.max(0, ...keys.map(({ activeFrom }) => activeFrom));
  if (keys.length === 0) await addSigningKey(storage, secrets, await storage.listKeys(), now, now);
  else if (newest + ROTATE_AFTER - PUBLISH_BEFORE_USE <= now) {
    await addSigningKey(storage, secrets, await storage.listKeys(), now, now + PUBLISH_BEFORE_USE);
  }
}

/** The keys of a moment, from their records. Throws where the key that signs can't be unsealed: ASSENT_SECRET isn't the one it was sealed under. */
export function keySet(stored: readonly StoredKey[], secrets: Secrets, now: Millis): KeySet {
  const keys = stored.filter((key) => isPublished(key, stored, now));
  const usable = keys.filter(({ activeFrom, retiredAt }) => retiredAt === null && activeFrom <= now);
  // The last one made, as in `supersededAt`: an operator's rotation at once comes before a key that was announced earlier for a later day.
  const newest = usable.toSorted((a, b) => b.serial - a.serial)[0];
  if (newest === undefined) throw new Error("no signing key is active");
  const changes = stored.map(({ activeFrom }) => activeFrom).filter((at) => at > now);
  return {
    active: { ...publicHalf(newest), privateKey: privateHalf(newest, secrets) },
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

function publicHalf({ kid, publicJwk }: StoredKey): PublishedKey {
  return {
    kid,
    publicKey: createPublicKey({ key: JSON.parse(publicJwk), format: "jwk" }),
    header: Buffer.from(JSON.stringify({ alg: "ES256", typ: "at+jwt", kid })).toString("base64url"),
  };
}

/** Only the key that signs is unsealed: those before it verify, whatever became of the secret that they were sealed under. */
function privateHalf({ kid, sealedPrivate }: StoredKey, secrets: Secrets): KeyObject {
  const pkcs8 = unseal(secrets, "signing key", kid, sealedPrivate);
  if (pkcs8 === undefined) throw new SigningKeySealed();
  return createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
}
