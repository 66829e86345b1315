/** What the pages say in German. */
import { owner } from "./owner.ts";
import { pages } from "./pages.ts";

export const de = { language: "de", name: "Deutsch", direction: "ltr", ...pages, ...owner } as const;
