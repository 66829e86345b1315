/** What the configuration says about tokens: lifetimes, with their defaults; and the policies. */

import { type Config, consentCeilings } from "./config.ts";
import type { IssuePolicy, SignInPolicy } from "./configured-policies.ts";
import type { EarlierLifetime, Millis } from "./oauth/model.ts";
import type { OAuthContext, TokenPolicy } from "./oauth/ports.ts";
import type { SignInPolicyPort } from "./owners/sign-in-policy.ts";

const HOUR: Millis = 3_600_000;
/** A token that is in an address bar for a moment: RFC 9700 §2.1.2 wants these to be short-lived. */
const IMPLICIT_TTL: Millis = 300_000;

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

/** The policy about tokens. Its code is loaded at the first token. */
export function issuePolicyOf(policy: IssuePolicy | undefined): TokenPolicy | null {
  if (policy === undefined) return null;
  return { decide: async (about) => (await import("./configured-policies.ts")).askIssuePolicy(policy, about) };
}

/** The policy about sign-ins. Its code is loaded at the first sign-in. */
export function signInPolicyOf(policy: SignInPolicy | undefined): SignInPolicyPort | null {
  if (policy === undefined) return null;
  const load = async () => (await import("./configured-policies.ts")).askConfiguredSignInPolicy;
  return { decide: async (about) => (await load())(policy, about) };
}
