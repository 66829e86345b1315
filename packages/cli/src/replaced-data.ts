/** Texts about data that a restore or an import replaces. */

import type { Ended, Inventory } from "@assent/server/admin";
import { counted } from "./confirm.ts";
import type { Output } from "./print-records.ts";

/** The content of a database, in a few words. */
export function holding(holds: Inventory | "unreadable"): string {
  if (holds === "unreadable") return "which can't be read";
  const { people, companies, clients, grants, consents, sessions } = holds;
  return [
    counted(people, "person", undefined, "people"),
    counted(companies, "company", undefined, "companies"),
    counted(clients, "client"),
    counted(grants, "grant"),
    counted(consents, "consent"),
    counted(sessions, "session"),
  ].join(", ");
}

/** Says what ended in the new data, and what the operator must check. `source`: where the new data comes from. */
export function noteEnded(out: Output, { grants, consents, sessions }: Ended, source: "backup" | "export"): void {
  out.note(
    `Ended: ${counted(grants, "grant")} and ${counted(sessions, "session")}. Owners must give ${counted(consents, "consent")} again.`,
  );
  out.note(
    `Passwords, client secrets, signing keys, and disabled people and clients are as they were at the ${source}. Repeat all security changes that were made since then.`,
  );
}
