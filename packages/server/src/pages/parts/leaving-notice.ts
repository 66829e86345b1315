/** The notice before a step that keeps an account, although somebody asked for its deletion. */
import { type Messages, rich } from "../messages/index.ts";
import { shownTime } from "../shown-time.ts";
import { notice } from "./components.ts";
import type { Markup } from "./html.ts";

/** `at`: when the account is to be deleted. Null: nobody asked for that. */
export function leavingNotice(at: number | null, words: Messages): Markup | null {
  return at === null ? null : notice("plain", rich(words.takeBack.leaving, { when: shownTime(words, at, "exact") }));
}
