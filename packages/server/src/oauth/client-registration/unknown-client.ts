/** What the server assumes about a client that registers itself or has a document (RFC 7591 §5). */

import type { Client } from "../model.ts";
import type { OwnPolicy } from "./registration-policy.ts";

/** The fields of its record that it can't choose. */
export const aStranger = {
  status: "active",
  ownScopes: [],
  secrets: [],
  sealedSecret: null,
  tokenEndpointAudience: false,
  requirePkce: true,
  allowPlainPkce: false,
  firstParty: false,
  publisher: null,
  accent: null,
  verified: false,
  reviewed: false,
  refresh: "rotate",
  logo: null,
  reducedAt: null,
} as const satisfies Partial<Client>;

/**
 * The same after it changed what owners see of it: an operator judged another app. What weakens the protocol was for that app,
 * too, unless it came with the initial access token (`policy`). Nothing becomes weaker than before.
 */
export function aStrangerAgain(before: Client, policy: OwnPolicy | null): Partial<Client> {
  const { requirePkce = true, tokenEndpointAudience = false } = policy ?? {};
  return {
    ...{
      verified: false,
      reviewed: false,
      firstParty: false,
      publisher: null,
      allowPlainPkce: false,
      refresh: "rotate",
    },
    requirePkce: before.requirePkce || requirePkce,
    tokenEndpointAudience: before.tokenEndpointAudience && tokenEndpointAudience,
    ...(before.consentCeiling === "none" ? { consentCeiling: null } : {}),
  };
}
