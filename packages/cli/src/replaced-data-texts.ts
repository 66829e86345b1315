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

export interface ReplacedData {
  readonly present: Inventory | "unreadable";
  /** What the backup or export holds. Null: nobody counted it. */
  readonly inSource: Inventory | "unreadable" | null;
  /** True: the command keeps the replaced data. */
  readonly keepsCopy: boolean;
}

/**
 * What becomes of the data that are replaced, and how much of them the backup or export doesn't have. A record that was
 * deleted since then can hide a new one, so the numbers are the least.
 */
export function replacedText(source: "backup" | "export", { present, inSource, keepsCopy }: ReplacedData): string {
  const since = `Everything that was created or changed since the ${source} is`;
  const told = keepsCopy
    ? `The command keeps a copy of that database beside it. ${since} then only in that copy, also passwords and settings: the server no longer has it.`
    : `${since} lost, also passwords and settings. You can't undo this. To keep the current data, run assent export first.`;
  if (present === "unreadable" || inSource === "unreadable" || inSource === null) return told;
  const parts = [
    [present.people - inSource.people, "person", "people"],
    [present.companies - inSource.companies, "company", "companies"],
    [present.clients - inSource.clients, "client", "clients"],
    [present.consents - inSource.consents, "consent", "consents"],
  ] as const;
  const more = parts.flatMap(([count, one, many]) => (count > 0 ? [counted(count, one, undefined, many)] : []));
  return more.length === 0 ? told : `${told} New since then: at least ${more.join(", ")}.`;
}

/** The admins' part, because nobody can know whether they withdrew an approval since. */
const ON_REQUEST = "Members can't use them until an admin allows each again.";

/** What ends in data that come back, before they do. `of`: where they come from, after a comma. */
export function endingText({
  keepConsents,
  of = "",
}: {
  readonly keepConsents: boolean;
  readonly of?: string;
}): string {
  const consents = keepConsents
    ? ". Consents and companies' approvals stay."
    : `, and owners must give every consent again. Apps that a company allowed become "on request". ${ON_REQUEST}`;
  return `All sessions and grants end${of}${consents} Invitations, links in messages, recovery codes, connections of apps with other servers that companies made, and tokens of the admin API and for registration end, too. Issued access tokens work until they expire.`;
}

export interface Replacement {
  /** Where the new data come from. */
  readonly source: "backup" | "export";
  readonly keepConsents: boolean;
  /** With `keepConsents`: the data that are there now. */
  readonly kept?: Inventory | "unreadable" | null | undefined;
  /** The data that were there before; absent: unknown, because other tools replaced them. */
  readonly replaced?: Inventory | "unreadable" | null | undefined;
}

/** Says what ended, what came back, and what the operator must check. */
export function noteEnded(out: Output, ended: Ended, { source, keepConsents, kept, replaced }: Replacement): void {
  if (replaced != null && replaced !== "unreadable") {
    const grants = counted(replaced.grants, "grant");
    const ends = keepConsents ? grants : `${grants}, ${counted(replaced.consents, "consent")}`;
    out.note(`Ended with the replaced data: ${ends} and ${counted(replaced.sessions, "session")}.`);
  }
  const { grants, sessions, consents, approvals } = ended;
  const again = keepConsents ? keptText(source, kept) : `Owners must give ${counted(consents, "consent")} again.`;
  out.note(
    `Ended in the data of the ${source}: ${counted(grants, "grant")} and ${counted(sessions, "session")}. ${again} Issued access tokens work until they expire.`,
  );
  if (approvals > 0) {
    out.note(
      `On request now: ${counted(approvals, "app")} that companies allowed or paused. ${ON_REQUEST} Admins do this on the company's page, you with: assent company policy SLUG CLIENT_ID --rule allow. Apps that a company blocked in the ${source} stay blocked.`,
    );
  }
  noteUnusable(out, ended);
  out.note(
    `People, companies and clients that were deleted since the ${source} are back. Those that were created since then are gone.`,
  );
  out.note(
    `Passwords, client secrets, signing keys, members and their roles, companies' blocked apps, and disabled people and clients are as they were at the ${source}. Repeat all security changes that were made since then.`,
  );
}

function keptText(source: Replacement["source"], kept: Replacement["kept"]): string {
  const count = kept == null || kept === "unreadable" ? "" : ` (${counted(kept.consents, "consent")})`;
  return `Consents${count} and companies' approvals are as they were at the ${source}: those that were given since then are gone. Revoke again what was revoked since then.`;
}

/** What else no longer works, and how people get new ones. */
function noteUnusable(out: Output, { invitations, links, codes, connections, tokens }: Ended): void {
  const lost = [
    [invitations, counted(invitations, "invitation"), "Invite people to companies again."],
    [
      links,
      `${counted(links, "link")} in messages`,
      "People ask for new links (to sign up, to recover an account, to confirm an address).",
    ],
    [codes, counted(codes, "recovery code"), "People create new recovery codes on their security page."],
    [
      connections,
      `${counted(connections, "connection")} of apps with other servers`,
      "Companies' admins connect these apps again.",
    ],
    [
      tokens,
      `${counted(tokens, "token")} of the admin API or for registration`,
      "Create new tokens with assent admin create-token and assent registration create-token.",
    ],
  ] as const;
  const some = lost.filter(([count]) => count > 0);
  if (some.length === 0) return;
  out.note(
    `These no longer work: ${some.map(([, what]) => what).join(", ")}. ${some.map(([, , how]) => how).join(" ")}`,
  );
}
