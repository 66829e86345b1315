/** The limit of the machine: bare node:http, with and without a signature. */

import { endpoints } from "../../packages/server/src/oauth/endpoints.ts";
import { redemption } from "../load/token-endpoint-requests.ts";
import type { Row } from "./row.ts";

/** The reference: other rows are shares of it. */
export const REFERENCE = "inline";

const client = { clientId: "c-0123456789abcdef", secret: "s".repeat(46), redirectUris: ["https://app.test/cb"] };

/** They get the request of a redemption, and send an answer of the same length. */
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
