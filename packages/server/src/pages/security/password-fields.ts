/** Two fields for a new password, with the error message. */

import { fill, type Messages, plural } from "../messages/index.ts";
import { field } from "../parts/fields.ts";
import type { Markup } from "../parts/html.ts";
import type { PasswordFault } from "./views.ts";

/** Two fields: `password` and `again`. `labels`: the field labels, because a first password replaces no old one. */
export function newPasswordFields(
  fault: PasswordFault | null,
  words: Messages,
  labels: { readonly new: string; readonly again: string } = words.password,
): readonly Markup[] {
  const { password } = words;
  const own = fault === null || isAboutProof(fault) ? null : faultText(fault, words);
  const differ = fault?.kind === "differ";
  return [
    field({
      ...{ name: "password", label: labels.new, type: "password", autocomplete: "new-password" },
      ...{ hint: password.hint, error: differ ? null : own },
    }),
    field({
      ...{ name: "again", label: labels.again, type: "password", autocomplete: "new-password" },
      error: differ ? own : null,
    }),
  ];
}

/** True if the fault is about the proof of identity, not about the new password. */
export function isAboutProof({ kind }: PasswordFault): boolean {
  return ["current", "noCurrent", "unknown", "throttled", "stale"].includes(kind);
}

export function faultText(fault: PasswordFault, words: Messages): string {
  if (fault.kind !== "throttled") return words.password.wrong[fault.kind];
  const count = Math.max(1, Math.ceil(fault.minutes));
  return fill(plural(words.language, words.signIn.throttled, count), { count });
}
