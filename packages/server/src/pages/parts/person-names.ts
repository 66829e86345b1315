/**
 * How pages and messages name a person: the display name, then the username in parentheses. Two accounts can have the
 * same display name, but not the same username. The username comes last, so that no display name imitates it.
 */
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import type { Child } from "./html.ts";

export interface PersonNames {
  readonly username: string;
  /** The display name. Null or empty: the person has none. */
  readonly name: string | null;
}

/** The display name with the username, or the username alone. */
export function bothNames({ name: display, username }: PersonNames): Child {
  return display === null || display === "" || display === username
    ? name(username)
    : [name(display), " (", name(username), ")"];
}

/** The same as plain text, for messages and for an option of a menu. */
export function bothNamesText({ name: display, username }: PersonNames): string {
  return display === null || display === "" || display === username
    ? visible(username, NAME_LENGTH)
    : `${visible(display, NAME_LENGTH)} (${visible(username, NAME_LENGTH)})`;
}
