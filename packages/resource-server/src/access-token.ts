/** Validates a JWT access token (RFC 9068 §4; RFC 8725 for attacks on JWTs in general). */

import { type CryptoKey, compactVerify, errors } from "jose";
import { quoted, type Refuse } from "./bearer-errors.ts";
import type { KeyHint } from "./jwk-set.ts";
import type { Settings } from "./options.ts";
import { type JsonObject, parseJsonObject } from "./strict-json.ts";

/** Maximum number of characters, which are bytes here, because a token is ASCII. */
export const TOKEN_LIMIT = 8192;

/** The claims of an accepted access token (RFC 9068 §2.2). Times are seconds since the epoch. */
export interface AccessTokenClaims {
  readonly iss: string;
  /** The owner who granted the access; the client itself if no owner took part. */
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly client_id: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  readonly nbf?: number;
  /** Space-separated. Use `hasScope` to look for one scope. */
  readonly scope?: string;
  /**
   * Who acted for `sub`, the latest first (RFC 8693 §4.1): clients that exchanged a token, and last the person who acted for
   * a company. Absent: the owner acted.
   */
  readonly act?: Actor;
  readonly [claim: string]: unknown;
}

/** An actor, and the one through whom they act. For decisions about access, only the outermost counts. */
export interface Actor {
  readonly sub: string;
  readonly act?: Actor;
}

/** Finds the key for a token's header. Undefined: the issuer has no such key. Rejects if the keys are not available. */
export type FindKey = (hint: KeyHint) => Promise<CryptoKey | undefined>;

/**
 * The claims of `token` after all checks, except those of the scope and of `cnf`, which need the request.
 * @throws {ResourceServerError} made by `refuse`; also every error with which `findKey` rejects.
 */
export async function verifyAccessToken(
  token: string,
  settings: Settings,
  findKey: FindKey,
  refuse: Refuse,
): Promise<AccessTokenClaims> {
  if (token.length > TOKEN_LIMIT) throw refuse("token_too_long", `${token.length} characters`);
  const hint = readHeader(token, settings, refuse);
  const key = await findKey(hint);
  if (key === undefined) throw refuse("key_unknown", `kid ${quoted(hint.kid)}, alg ${hint.alg}`);
  return checkClaims(await verifiedPayload(token, key, hint.alg, refuse), settings, refuse);
}

/** Checks the header before the search for a key, so that a token that can't be valid causes no fetch. */
function readHeader(token: string, settings: Settings, refuse: Refuse): KeyHint {
  const [first = "", payload = "", signature = "", ...rest] = token.split(".");
  if (rest.length > 0 || ![first, payload, signature].every(isCanonicalBase64url)) {
    throw refuse("token_malformed", "not three base64url parts");
  }
  const header = parsePart(Buffer.from(first, "base64url"), "header", refuse);
  // Ignore jwk, jku, x5c and x5u: a key that comes with the token proves nothing (RFC 8725 §3.10).
  const { typ, alg, kid } = header;
  if (typeof typ !== "string" || !/^(?:application\/)?at\+jwt$/i.test(typ)) {
    throw refuse("token_type_wrong", `typ ${quoted(typ)}`);
  }
  if (typeof alg !== "string" || !settings.algorithms.has(alg)) {
    throw refuse("algorithm_refused", `alg ${quoted(alg)}`);
  }
  if ("crit" in header) throw refuse("header_extension", `crit ${quoted(header.crit)}`);
  if (kid !== undefined && typeof kid !== "string") throw refuse("token_malformed", `kid ${quoted(kid)}`);
  return { alg, kid };
}

async function verifiedPayload(token: string, key: CryptoKey, alg: string, refuse: Refuse): Promise<JsonObject> {
  let payload: Uint8Array;
  try {
    ({ payload } = await compactVerify(token, key, { algorithms: [alg] }));
  } catch (cause) {
    if (cause instanceof errors.JWSSignatureVerificationFailed) {
      throw refuse("signature_invalid", "the signature does not verify", { cause });
    }
    throw refuse("token_malformed", cause instanceof Error ? cause.message : String(cause), { cause });
  }
  return parsePart(payload, "claims", refuse);
}

/** RFC 9068 §4 in its order; §2.2 for the required claims. */
function checkClaims(claims: JsonObject, settings: Settings, refuse: Refuse): AccessTokenClaims {
  const { iss, aud, exp, nbf, iat, scope } = claims;
  if (iss !== settings.issuer) throw refuse("issuer_wrong", `iss ${quoted(iss)}`);
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audiences.includes(settings.audience)) throw refuse("audience_wrong", `aud ${quoted(aud)}`);
  if (!audiences.every((audience) => typeof audience === "string")) {
    throw refuse("claim_invalid", `aud ${quoted(aud)}`);
  }
  for (const name of ["sub", "client_id", "jti"] as const) {
    const value = claims[name];
    if (typeof value !== "string" || value === "") throw refuse("claim_invalid", `${name} ${quoted(value)}`);
  }
  if (claims.act !== undefined && !isActor(claims.act)) throw refuse("claim_invalid", `act ${quoted(claims.act)}`);
  if (scope !== undefined && typeof scope !== "string") throw refuse("claim_invalid", `scope ${quoted(scope)}`);

  if (!isNumericDate(exp)) throw refuse("claim_invalid", `exp ${quoted(exp)}`);
  if (!isNumericDate(iat) || iat > exp) throw refuse("claim_invalid", `iat ${quoted(iat)}`);
  if (nbf !== undefined && !isNumericDate(nbf)) throw refuse("claim_invalid", `nbf ${quoted(nbf)}`);
  const now = settings.now() / 1000;
  if (now >= exp + settings.clockTolerance) throw refuse("token_expired", `exp ${exp}, now ${now}`);
  const from = Math.max(iat, nbf ?? iat);
  if (now < from - settings.clockTolerance) throw refuse("token_not_yet_valid", `from ${from}, now ${now}`);
  // The checks above prove this type.
  return Object.freeze(claims) as AccessTokenClaims;
}

function parsePart(bytes: Uint8Array, part: string, refuse: Refuse): JsonObject {
  try {
    return parseJsonObject(bytes);
  } catch (cause) {
    throw refuse("token_malformed", `${part}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** RFC 7515 §2: no padding. Unused bits must be zero, otherwise one token would have several forms. */
function isCanonicalBase64url(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text) && Buffer.from(text, "base64url").toString("base64url") === text;
}

/** More than the server ever nests. */
const MOST_ACTORS = 20;

function isActor(value: unknown): boolean {
  let actor: unknown = value;
  for (let depth = 0; depth < MOST_ACTORS; depth += 1) {
    if (typeof actor !== "object" || actor === null) return false;
    const { sub, act } = actor as { readonly sub?: unknown; readonly act?: unknown };
    if (typeof sub !== "string") return false;
    if (act === undefined) return true;
    actor = act;
  }
  return false;
}

function isNumericDate(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
