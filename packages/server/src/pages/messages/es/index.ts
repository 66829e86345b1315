/** What the pages say in Spanish. */
import { owner } from "./owner.ts";
import { pages } from "./pages.ts";

export const es = { language: "es", name: "Español", direction: "ltr", ...pages, ...owner } as const;
