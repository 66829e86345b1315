/**
 * Receipts: entries of an owner's history, signed so that anybody can verify them (RFC 7515; RFC 8725 §3.11 for their
 * own type).
 */

import { createPublicKey, type webcrypto } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Millis, Soon } from "../oauth/model.ts";
import type { EndCause, HistoryEntry, OwnerStorage } from "../owners/storage.ts";
import type { Uses } from "../storage-subset.ts";
import { signingAlgOf, signingAlgorithms } from "./signing-algs.ts";
import { DEFAULT_ALG, type KeySet, type SigningKey } from "./signing-keys.ts";

/** With this type, no API accepts a receipt as an access token (`at+jwt`), and nobody as an ID token. */
export const RECEIPT_TYPE = "consent-receipt+jwt";

/** The claims of a receipt. Times are in seconds since the epoch, as in every JWT. */
export interface ReceiptClaims {
  readonly iss: string;
  /** The owner. */
  readonly sub: string;
  /** The entry's id. */
  readonly jti: string;
  /** When the receipt was made; `event_at` is the time of the event. */
  readonly iat: number;
  readonly event: HistoryEntry["kind"];
  readonly event_at: number;
  /** Null: the entry is about no app. */
  readonly app: { readonly client_id: string; readonly name: string | null } | null;
  /** What people call the other system that signed out, disabled or enabled the owner. */
  readonly system?: string;
  readonly by: string;
  /** The member of a company whom the entry is about. */
  readonly member?: string;
  /** For a `member_joined`, `member_role` or `member_invited`: the role that it gave or offered. */
  readonly role?: NonNullable<HistoryEntry["record"]["role"]>;
  /** For a `rule_changed`: the rule about the app, or the default rule, from then on. */
  readonly rule?: NonNullable<HistoryEntry["record"]["rule"]>;
  /** For an `own_sign_in`: what happened to the company's own provider, whose name is `system`. */
  readonly own_sign_in?: NonNullable<HistoryEntry["record"]["ownSignIn"]>;
  /** For a `connection`. */
  readonly connection?: NonNullable<HistoryEntry["record"]["connection"]>;
  /** For a `connection`: the other server. */
  readonly server?: { readonly issuer: string; readonly name: string | null };
  /** For an `allowed` of a company: only for the members that its rule names. */
  readonly for?: "selected_members";
  readonly via: string | null;
  /** For an `ended`, and for a `revoked`, `narrowed` or `paused` that the owner did not choose: the reason, for example `recovery`. */
  readonly cause?: EndCause;
  readonly allowed: readonly { readonly scope: string; readonly text: string | null; readonly until: number | null }[];
  /** The app was paused: it can use what is allowed only once it is resumed. */
  readonly paused?: true;
  readonly taken_away: readonly string[];
  /** For a `narrowed` by a company's rule: only members lost it. Absent: everybody. */
  readonly taken_from?: "members";
  /** For a `refused`: what the app asked for. */
  readonly asked?: readonly { readonly scope: string; readonly text: string | null }[];
  /** For an `allowed`: the redirect hosts that the answer holds for. Absent: none. */
  readonly redirect_hosts?: readonly string[];
  /** For an `allowed`: the latest end of earlier access that it leaves, for other hosts or another name. Null: until revoked. Absent: none. */
  readonly earlier_until?: number | null;
  readonly until: number | null;
}

export interface Receipt {
  readonly jws: string;
  readonly claims: ReceiptClaims;
}

export interface ReceiptParts {
  readonly issuer: string;
  readonly storage: Uses<OwnerStorage, "history.keepReceiptKey" | "history.listReceiptKeys">;
  keys(): Soon<KeySet>;
}

/** Signs with the present key of access tokens, and stores its public half for good. */
export class Receipts {
  readonly #parts: ReceiptParts;
  /** Keys that are known to be stored. */
  readonly #kept = new Set<string>();

  constructor(parts: ReceiptParts) {
    this.#parts = parts;
  }

  async sign(entry: HistoryEntry, now: Millis): Promise<Receipt> {
    const keys = await this.#parts.keys();
    const key = keys.active.get(DEFAULT_ALG);
    if (key === undefined) throw new Error("no signing key is active");
    await this.#keep(key, keys, now);
    const claims = claimsOf(entry, this.#parts.issuer, now);
    const header = { typ: RECEIPT_TYPE, alg: key.alg, kid: key.kid };
    const input = `${encoded(header)}.${encoded(claims)}`;
    const signature = await signingAlgorithms[key.alg].sign(input, key.privateKey);
    return { jws: `${input}.${signature.toString("base64url")}`, claims };
  }

  /** Every public key that ever signed a receipt, as JWKs. */
  keys(): Promise<readonly string[]> {
    return this.#parts.storage.history.listReceiptKeys();
  }

  /** Called before the first receipt of a key is handed out. */
  async #keep({ kid }: SigningKey, { jwks }: KeySet, now: Millis): Promise<void> {
    if (this.#kept.has(kid)) return;
    const { keys } = JSON.parse(jwks) as { readonly keys: readonly { readonly kid: string }[] };
    const publicJwk = keys.find((one) => one.kid === kid);
    if (publicJwk === undefined) throw new Error("a key signs that isn't published");
    await this.#parts.storage.history.keepReceiptKey({ kid, publicJwk: JSON.stringify(publicJwk), now });
    this.#kept.add(kid);
  }
}

function claimsOf(
  { entryId, ownerId, at, kind, clientId, record }: HistoryEntry,
  issuer: string,
  now: Millis,
): ReceiptClaims {
  const texts = record.shown?.texts ?? {};
  const textOf = (name: string) => (Object.hasOwn(texts, name) ? (texts[name] ?? null) : null);
  return {
    iss: issuer,
    sub: ownerId,
    jti: entryId,
    iat: Math.floor(now / 1000),
    event: kind,
    event_at: Math.floor(at / 1000),
    app: clientId === "" ? null : { client_id: clientId, name: record.clientName },
    ...(clientId === "" && record.clientName !== null ? { system: record.clientName } : {}),
    by: record.by,
    ...(record.personId === undefined ? {} : { member: record.personId }),
    ...(record.role === undefined ? {} : { role: record.role }),
    ...(record.rule === undefined ? {} : { rule: record.rule }),
    ...(record.ownSignIn === undefined ? {} : { own_sign_in: record.ownSignIn }),
    ...(record.connection === undefined || record.through === undefined
      ? {}
      : {
          connection: record.connection,
          server: { issuer: record.through.clientId, name: record.through.clientName },
        }),
    ...(record.forSelected === undefined ? {} : { for: "selected_members" }),
    via: record.via,
    ...(record.cause === undefined ? {} : { cause: record.cause }),
    allowed: record.scopes.map(({ name, expiresAt }) => ({
      scope: name,
      text: textOf(name),
      until: seconds(expiresAt),
    })),
    ...(record.paused === undefined ? {} : { paused: true }),
    taken_away: record.removed,
    ...(record.removedFor === undefined ? {} : { taken_from: record.removedFor }),
    ...(record.asked === undefined ? {} : { asked: record.asked.map((name) => ({ scope: name, text: textOf(name) })) }),
    ...(record.hosts === undefined ? {} : { redirect_hosts: record.hosts }),
    ...(record.earlierUntil === undefined ? {} : { earlier_until: seconds(record.earlierUntil) }),
    until: seconds(record.expiresAt),
  };
}

function seconds(at: Millis | null): number | null {
  return at === null ? null : Math.floor(at / 1000);
}

function encoded(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

/**
 * `missing`: there is no text. `too_long`. `malformed`: neither a receipt nor a file with one. `other_type`: another
 * kind of JWT, for example an access token. `other_issuer`: another server made it. `unknown_key`: this server doesn't
 * publish the key. `altered`: the signature doesn't fit, or the file's readable part differs from what was signed.
 */
export type ReceiptFault =
  | ("missing" | "too_long" | "malformed" | "other_type" | "unknown_key" | "altered")
  | { readonly kind: "other_issuer"; readonly issuer: string };

export type VerifiedReceipt =
  | { readonly kind: "valid"; readonly claims: ReceiptClaims }
  | { readonly kind: "invalid"; readonly fault: ReceiptFault };

export interface ReceiptVerification {
  readonly issuer: string;
  /** Maximum number of characters of the text. */
  readonly longest: number;
  /** The public JWKs of every key that ever signed a receipt. */
  keys(): Promise<readonly string[]>;
}

/** @param text the file that the history offers, or the JWS in it. Spaces and line breaks in the JWS don't count. */
export async function verifyReceipt(text: string, by: ReceiptVerification): Promise<VerifiedReceipt> {
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  if (trimmed === "") return invalid("missing");
  if (trimmed.length > by.longest) return invalid("too_long");
  const { jws, content } = partsOf(trimmed);
  const [head, payload, signature, ...rest] = jws?.split(".") ?? [];
  if (head === undefined || payload === undefined || signature === undefined || rest.length > 0) {
    return invalid("malformed");
  }
  const header = objectIn(head);
  if (header === undefined) return invalid("malformed");
  if (header["typ"] !== RECEIPT_TYPE) return invalid("other_type");
  // RFC 7515 §4.1.11: no extension is understood.
  if ("crit" in header) return invalid("malformed");
  const claims = objectIn(payload);
  const key = keyWith(header["kid"], await by.keys());
  if (key === undefined) return invalid(anotherIssuer(claims, by) ?? "unknown_key");
  const alg = header["alg"] === key.alg ? signingAlgOf(String(header["alg"])) : undefined;
  const bytes = bytesOf(signature);
  if (alg === undefined || bytes === undefined || claims === undefined) return invalid("altered");
  const publicKey = createPublicKey({ key, format: "jwk" });
  if (!signingAlgorithms[alg].verify(`${head}.${payload}`, bytes, publicKey)) return invalid("altered");
  const other = anotherIssuer(claims, by);
  if (other !== undefined) return invalid(other);
  if (content !== undefined && !isDeepStrictEqual(content, claims)) return invalid("altered");
  return { kind: "valid", claims: claims as unknown as ReceiptClaims };
}

function invalid(fault: ReceiptFault): VerifiedReceipt {
  return { kind: "invalid", fault };
}

/** `content`: the readable part of a file. Undefined: the text is the JWS alone, or the file has no such part. */
function partsOf(text: string): { readonly jws?: string; readonly content?: unknown } {
  if (!text.startsWith("{")) return { jws: text.replace(/\s+/g, "") };
  const file = parsed(text);
  if (file === undefined || typeof file["receipt"] !== "string") return {};
  return { jws: file["receipt"], content: file["content"] };
}

type JsonObject = Readonly<Record<string, unknown>>;

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function objectIn(part: string): JsonObject | undefined {
  const bytes = bytesOf(part);
  return bytes === undefined ? undefined : parsed(bytes.toString());
}

/** RFC 7515 §2: no padding. Unused bits must be zero, otherwise one receipt would have several forms. */
function bytesOf(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, "base64url");
  return bytes.toString("base64url") === part ? bytes : undefined;
}

type PublicKey = webcrypto.JsonWebKey & { readonly kid: string };

function keyWith(kid: unknown, keys: readonly string[]): PublicKey | undefined {
  return keys.map((key) => JSON.parse(key) as PublicKey).find((key) => key.kid === kid);
}

function anotherIssuer(claims: JsonObject | undefined, { issuer }: ReceiptVerification): ReceiptFault | undefined {
  const iss = claims?.["iss"];
  return typeof iss === "string" && iss !== issuer ? { kind: "other_issuer", issuer: iss } : undefined;
}
