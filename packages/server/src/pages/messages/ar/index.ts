/** What the pages say in Arabic. */
import { owner } from "./owner.ts";
import { pages } from "./pages.ts";

export const ar = { language: "ar", name: "العربية", direction: "rtl", ...pages, ...owner } as const;
