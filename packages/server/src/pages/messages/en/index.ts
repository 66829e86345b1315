/** What the pages say in English: every other language has the same keys and the same holes. */
import { company } from "./company.ts";
import { factors } from "./factors.ts";
import { mail } from "./mail.ts";
import { owner } from "./owner.ts";
import { pages } from "./pages.ts";
import { recovery } from "./recovery.ts";
import { security } from "./security.ts";

export const en = {
  language: "en",
  name: "English",
  direction: "ltr",
  ...pages,
  ...owner,
  ...company,
  ...security,
  ...mail,
  ...factors,
  ...recovery,
} as const;
