/** What the pages say in Arabic. */
import { company } from "./company.ts";
import { owner } from "./owner.ts";
import { pages } from "./pages.ts";

export const ar = { language: "ar", name: "العربية", direction: "rtl", ...pages, ...owner, ...company } as const;
