/**
 * The tests that `npm run test:quick` runs besides lint and types: parts of paths in the vitest project `node`. A test
 * checks that each part matches a file.
 */

const UNITS = ["admin", "crypto", "http", "jose", "mail", "metrics", "oauth", "outbound", "owners", "pages", "saml"];

/** Each flow once, on SQLite. */
const FLOWS = [
  ...["authorization-code", "implicit", "client-credentials", "password", "refresh", "revocation", "device"],
  ...["jwt-bearer", "saml2-bearer", "custom-grant", "resource-tokens", "metadata", "tabs"],
  ...["consent-ends", "companies", "second-step", "recovery"],
];

export const quick = [
  ...UNITS.map((folder) => `packages/server/test/${folder}/`),
  "packages/resource-server/test/",
  ...FLOWS.map((flow) => `test/flows/${flow}.test.ts`),
];
