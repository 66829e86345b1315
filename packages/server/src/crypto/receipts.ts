/**
 * Receipts: entries of an owner's history, signed so that anybody can verify them (RFC 7515; RFC 8725 §3.11 for their
 * own type).
 */

import type { Millis, Soon } from "../oauth/model.ts";
import type { EndCause, HistoryEntry, OwnerStorage } from "../owners/storage.ts";
import type { Uses } from "../uses.ts";
import { signingAlgorithms } from "./signing-algs.ts";
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
  readonly by: string;
  /** The member of a company whom the entry is about. */
  readonly member?: string;
  /** For a `member_joined`, `member_role` or `member_invited`: the role that it gave or offered. */
  readonly role?: NonNullable<HistoryEntry["record"]["role"]>;
  /** For a `rule_changed`: the rule about the app from then on. */
  readonly rule?: NonNullable<HistoryEntry["record"]["rule"]>;
  readonly via: string | null;
  /** For an `ended`: the event that ended the access. */
  readonly cause?: EndCause;
  readonly allowed: readonly { readonly scope: string; readonly text: string | null; readonly until: number | null }[];
  readonly taken_away: readonly string[];
  /** For an `allowed`: the redirect hosts that the answer holds for. Absent: none. */
  readonly redirect_hosts?: readonly string[];
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
  return {
    iss: issuer,
    sub: ownerId,
    jti: entryId,
    iat: Math.floor(now / 1000),
    event: kind,
    event_at: Math.floor(at / 1000),
    app: clientId === "" ? null : { client_id: clientId, name: record.clientName },
    by: record.by,
    ...(record.personId === undefined ? {} : { member: record.personId }),
    ...(record.role === undefined ? {} : { role: record.role }),
    ...(record.rule === undefined ? {} : { rule: record.rule }),
    via: record.via,
    ...(record.cause === undefined ? {} : { cause: record.cause }),
    allowed: record.scopes.map(({ name, expiresAt }) => ({
      scope: name,
      text: Object.hasOwn(texts, name) ? (texts[name] ?? null) : null,
      until: seconds(expiresAt),
    })),
    taken_away: record.removed,
    ...(record.hosts === undefined ? {} : { redirect_hosts: record.hosts }),
    until: seconds(record.expiresAt),
  };
}

function seconds(at: Millis | null): number | null {
  return at === null ? null : Math.floor(at / 1000);
}

function encoded(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
