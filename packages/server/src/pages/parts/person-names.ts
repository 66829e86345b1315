/** How pages name a person: two accounts can have the same display name, but not the same username. */
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import type { SignedInAs } from "../views.ts";
import type { Child } from "./html.ts";

/** The display name with the username, or the username alone. */
export function bothNames({ name: display, username }: Pick<SignedInAs, "name" | "username">): Child {
  return display === "" || display === username ? name(username) : [name(display), " (", name(username), ")"];
}

/** The same as plain text, for an option of a menu. The username comes last, so that no display name imitates it. */
export function bothNamesText({ name: display, username }: Pick<SignedInAs, "name" | "username">): string {
  return display === "" || display === username
    ? visible(username)
    : `${visible(display, NAME_LENGTH)}, ${visible(username)}`;
}
