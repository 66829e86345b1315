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

/**
 * Says what ended, what came back, and what the operator must check. `source`: where the new data comes from.
 * `replaced`: the data that were there before; absent: unknown, because other tools replaced them.
 */
export function noteEnded(
  out: Output,
  { grants, consents, sessions, invitations, links, codes }: Ended,
  source: "backup" | "export",
  replaced?: Inventory | "unreadable" | null,
): void {
  if (replaced != null && replaced !== "unreadable") {
    out.note(
      `Ended with the replaced data: ${counted(replaced.grants, "grant")}, ${counted(replaced.consents, "consent")} and ${counted(replaced.sessions, "session")}.`,
    );
  }
  out.note(
    `Ended in the data of the ${source}: ${counted(grants, "grant")} and ${counted(sessions, "session")}. Owners must give ${counted(consents, "consent")} again.`,
  );
  if (invitations + links + codes > 0) {
    out.note(
      `These no longer work: ${counted(invitations, "invitation")} to a company, ${counted(links, "link")} in messages (to sign up, to recover an account, or to confirm an address), and ${counted(codes, "recovery code")}. Invite people again; people ask for new links, and create new recovery codes on their security page.`,
    );
  }
  out.note(
    `People, companies and clients that were deleted since the ${source} are back. Those that were created since then are gone.`,
  );
  out.note(
    `Passwords, client secrets, signing keys, and disabled people and clients are as they were at the ${source}. Repeat all security changes that were made since then.`,
  );
}
