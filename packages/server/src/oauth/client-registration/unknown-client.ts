/** What the server assumes about a client that registers itself or has a document (RFC 7591 §5). */

import type { Client } from "../model.ts";

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

/** The same after it changed what owners see of it: an operator judged another app. */
export const aStrangerAgain = {
  verified: false,
  reviewed: false,
  firstParty: false,
  publisher: null,
} as const satisfies Partial<Client>;
