/** The server's configuration for page.ts in this folder, which has the commands. */

import type { ExternalSignIn } from "@assent/server";

const { CLIENT_ID: backEnd = "", PORT: port = "4000" } = process.env;

export const externalSignIn: ExternalSignIn = {
  url: `http://localhost:${port}/sign-in`,
  name: "Acme",
  clients: [backEnd],
  emailDomains: ["acme.example"],
};

export default { externalSignIn };
