/** What the machine gives: bare node:http, with and without a signature. */

import { endpoints } from "../../packages/server/src/oauth/endpoints.ts";
import type { Row } from "./row.ts";
import { redemption } from "./token-requests.ts";

/** What all others are told as shares of. */
export const REFERENCE = "inline";

const client = { clientId: "c-0123456789abcdef", secret: "s".repeat(46), redirectUris: ["https://app.test/cb"] };

/** They are sent what a redemption is sent, and answer as long a body. */
export const limitRows: readonly Row[] = [
  { name: "bare", label: "bare node:http, POST read and answered" },
  { name: "inline", label: "bare node:http + ES256 inline (the reference)" },
  { name: "batched", label: "bare node:http + ES256 batched" },
].map((limit) => ({
  ...limit,
  server: limit.name,
  operation: "nothing",
  next: () => redemption(endpoints.token, client, "c".repeat(122)),
}));
