/** All texts of the pages in English. Every other language has the same keys and placeholders. */
import { agents } from "./agents.ts";
import { company } from "./company.ts";
import { companyConnections } from "./company-connections.ts";
import { companySignIn } from "./company-sign-in.ts";
import { elsewhere } from "./elsewhere.ts";
import { factors } from "./factors.ts";
import { kept } from "./kept.ts";
import { mail } from "./mail.ts";
import { owner } from "./owner.ts";
import { pages } from "./pages.ts";
import { receipts } from "./receipts.ts";
import { recovery } from "./recovery.ts";
import { security } from "./security.ts";

export const en = {
  language: "en",
  name: "English",
  direction: "ltr",
  ...pages,
  ...owner,
  ...agents,
  ...company,
  ...security,
  ...mail,
  ...factors,
  ...companyConnections,
  ...companySignIn,
  ...elsewhere,
  ...kept,
  ...receipts,
  ...recovery,
} as const;
