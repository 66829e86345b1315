/** Lifetimes by the configuration, with their defaults. */

import type { Config } from "./config.ts";
import type { EarlierLifetime, Millis } from "./oauth/model.ts";
import type { OAuthContext } from "./oauth/ports.ts";

const HOUR: Millis = 3_600_000;
/** A token that is in an address bar for a moment: RFC 9700 §2.1.2 wants these to be short-lived. */
const IMPLICIT_TTL: Millis = 300_000;

const YEAR: Millis = 365 * 24 * HOUR;

/** A public client proves nothing when it refreshes, so its refresh tokens have an absolute end (RFC 9700 §4.14.2). */
function consentCeilings({ consentCeiling: set }: Pick<Config, "consentCeiling">) {
  if (set === null) return { consentCeilingPublic: YEAR, consentCeilingConfidential: null };
  const ceiling = set === "none" ? null : set;
  return { consentCeilingPublic: ceiling, consentCeilingConfidential: ceiling };
}

/** `earlierAccessTtl`: the lifetime that servers gave access tokens before they were started with this one. */
export function policyOf(config: Config, earlierAccessTtl: EarlierLifetime | null): OAuthContext["policy"] {
  return {
    codeTtl: config.codeTtl,
    deviceTtl: config.deviceTtl,
    deviceInterval: config.deviceInterval,
    accessTtl: config.accessTtl,
    earlierAccessTtl,
    implicitTtl: IMPLICIT_TTL,
    refreshIdlePublic: config.refreshIdle ?? 14 * 24 * HOUR,
    refreshIdleConfidential: config.refreshIdle ?? 90 * 24 * HOUR,
    retryWindow: config.retryWindow ?? 30_000,
    retryWindowPublic: config.retryWindow ?? 10_000,
    ...consentCeilings(config),
    requirePkce: config.requirePkce,
    passwordRefresh: config.passwordRefresh,
  };
}
