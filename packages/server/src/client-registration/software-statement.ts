/** Software statements: metadata of a client that a trusted issuer has signed (RFC 7591 §2.3, §3.1.1). */

import type { ClientMetadata } from "../oauth/client-registration/metadata.ts";
import { refuse } from "../oauth/errors.ts";
import { PUBLIC_KEY_ALGS } from "../oauth/foreign-jwk-set.ts";
import type { Millis } from "../oauth/model.ts";
import { timeClaim } from "../oauth/numeric-date.ts";
import type { ForeignJwts, OAuthContext } from "../oauth/ports.ts";

export interface StatementParts {
  readonly foreignJwts: Pick<ForeignJwts, "read" | "verify">;
  readonly catalog: Pick<OAuthContext["catalog"], "issuers">;
  /** Of this server. */
  readonly issuer: string;
  /** Identifiers of the trusted issuers whose statements count. */
  readonly issuers: readonly string[];
  readonly now: () => Millis;
}

/** In characters. The statement is stored with the client. */
const LONGEST = 8_000;
const TYPES = /^(?:application\/)?(?:jwt|software-statement\+jwt)$/i;
/** The issuer's clock may be ahead. */
const CLOCK_SKEW: Millis = 30_000;
/** Claims about the statement itself. */
const ABOUT_ITSELF: ReadonlySet<string> = new Set([
  "iss",
  "sub",
  "aud",
  "exp",
  "nbf",
  "iat",
  "jti",
  "software_statement",
]);

/** The metadata with the statement's members, which win. `issuer` null: it has no statement. */
export async function withStatement(
  metadata: ClientMetadata,
  parts: StatementParts,
): Promise<{ readonly metadata: ClientMetadata; readonly issuer: string | null }> {
  const text = Object.hasOwn(metadata, "software_statement")
    ? (metadata["software_statement"] ?? undefined)
    : undefined;
  if (text === undefined) return { metadata, issuer: null };
  const jwt = typeof text === "string" && text.length <= LONGEST ? parts.foreignJwts.read(text) : undefined;
  if (jwt === undefined) return refuse("software_statement_invalid", "no JWT");
  const { claims, typ } = jwt;
  if (typ !== undefined && !TYPES.test(typ)) refuse("software_statement_invalid", `its type is ${typ.slice(0, 50)}`);
  const { iss } = claims;
  const record =
    typeof iss === "string" && parts.issuers.includes(iss) ? (await parts.catalog.issuers()).get(iss) : undefined;
  if (record === undefined || record.type !== "jwt" || record.status !== "active")
    return refuse("software_statement_unapproved");
  const { jwks, jwksUri } = record;
  const outcome = await parts.foreignJwts.verify(jwt, { algs: PUBLIC_KEY_ALGS, jwks, jwksUri });
  if (outcome === "keys_busy" || outcome === "keys_unavailable") return refuse("temporarily_unavailable");
  if (outcome !== "verified") return refuse("software_statement_invalid", outcome);
  checkTimes(claims, parts.now());
  const { aud, software_id: software } = claims;
  // Another JWT of this issuer, for example about a person, names no software.
  if (typeof software !== "string") return refuse("software_statement_invalid", "it has no software_id");
  const audiences: readonly unknown[] = aud === undefined ? [parts.issuer] : [aud].flat();
  if (!audiences.includes(parts.issuer)) refuse("software_statement_invalid", "it is for another server");
  const named = metadata["software_id"] ?? software;
  if (named !== software) return refuse("software_statement_invalid", "it has another software_id");
  const signed = Object.entries(claims).filter(([name]) => !ABOUT_ITSELF.has(name));
  return { metadata: { ...metadata, ...Object.fromEntries(signed) }, issuer: record.issuer };
}

function checkTimes(claims: ClientMetadata, now: Millis): void {
  const time = (name: "exp" | "nbf" | "iat"): Millis | null => {
    const read = timeClaim(claims, name);
    return read === undefined ? refuse("software_statement_invalid", `${name} is no time`) : read;
  };
  const end = time("exp");
  if (end !== null && end <= now) refuse("software_statement_invalid", "expired");
  if (Math.max(time("nbf") ?? 0, time("iat") ?? 0) > now + CLOCK_SKEW)
    refuse("software_statement_invalid", "not valid yet");
}
