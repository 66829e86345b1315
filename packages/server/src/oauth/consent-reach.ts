/** How far a consent reaches: to which redirect hosts, and how long at most (RFC 6749 §10.6, RFC 9700 §§4.1, 4.14.2). */

import { type Client, type ConsentedScope, type Grant, type Millis, NEVER } from "./model.ts";
import type { Policy } from "./ports.ts";
import { consentHost, consentHosts } from "./redirect-uri.ts";

/** Where the answer to a request goes, and what bounds the consents to its client. */
export interface Reach {
  /** The host of the request's redirect URI; null: the answer goes to the client itself, as for a device. */
  readonly host: string | null;
  /** What consents hold for that were given before hosts were noted. */
  readonly earlierHosts: readonly string[];
  /** How long an answer holds at most, in milliseconds; null: as long as it says. */
  readonly ceiling: Millis | null;
}

/** `redirectUri` null: there is none. */
export function reachOf(
  client: Pick<Client, "earlierRedirectUris">,
  redirectUri: string | null,
  ceiling: Millis | null,
): Reach {
  return {
    host: redirectUri === null ? null : consentHost(redirectUri),
    earlierHosts: consentHosts(client.earlierRedirectUris ?? []),
    ceiling,
  };
}

/** `hosts`: as a consent or an approval notes them. */
export function reaches(hosts: ConsentedScope["hosts"] | null, { host, earlierHosts }: Reach): boolean {
  return host === null || (hosts ?? earlierHosts).includes(host);
}

/** How long an owner's answer to a client holds at most, in milliseconds; null: as long as it says. */
export function ceilingOf(
  { type, consentCeiling }: Pick<Client, "type" | "consentCeiling">,
  policy: Pick<Policy, "consentCeilingPublic" | "consentCeilingConfidential">,
): Millis | null {
  if (consentCeiling === "none") return null;
  if (typeof consentCeiling === "number") return consentCeiling * 1000;
  return type === "public" ? policy.consentCeilingPublic : policy.consentCeilingConfidential;
}

/** An end that was decided then (null: never by itself), under a ceiling. */
export function cappedEnd(end: Millis | null, decidedAt: Millis, ceiling: Millis | null): Millis | null {
  return ceiling === null ? end : Math.min(end ?? NEVER, decidedAt + ceiling);
}

/** A grant as it stands under a ceiling, which may be lower now than when it was made. */
export function underCeiling<G extends Pick<Grant, "decidedAt" | "absoluteUntil" | "scopes">>(
  grant: G,
  ceiling: Millis | null,
): G {
  if (ceiling === null || grant.absoluteUntil <= grant.decidedAt + ceiling) return grant;
  const end = grant.decidedAt + ceiling;
  return {
    ...grant,
    absoluteUntil: end,
    scopes: grant.scopes.map(({ name, expiresAt }) => ({ name, expiresAt: Math.min(expiresAt ?? NEVER, end) })),
  };
}
