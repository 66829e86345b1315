/** What the pages say in French. */
import { owner } from "./owner.ts";
import { pages } from "./pages.ts";

export const fr = { language: "fr", name: "Français", direction: "ltr", ...pages, ...owner } as const;
