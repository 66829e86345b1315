/** Taking access from a client: disable, delete, and fewer scopes. What the operator reads before and after. */

import type { Client, OpenedAdmin } from "@assent/server/admin";
import {
  confirm,
  counted,
  countedAll,
  disabledText,
  disablingText,
  enabledText,
  TOKENS,
  type YesOption,
} from "../confirm.ts";
import { type JsonOption, withAdmin } from "../shared-options.ts";
import { disconnected } from "./client-connect.ts";

/** What a new limit of consents means for consents from before. Undefined: it ends none sooner. */
export async function ceilingNote(before: Client, after: Client, admin: OpenedAdmin): Promise<string | undefined> {
  const { impactOfCeiling, MOST_COUNTED } = await import("@assent/server/admin");
  const impact = await impactOfCeiling(before, after, admin);
  if (impact === undefined) return undefined;
  const { ends, lasts, ceiling } = impact;
  const ended = ends === 0 ? "" : ` ${counted(ends, "consent", MOST_COUNTED)} of owners ended now, with the grants.`;
  const last = lasts === 0 ? "" : ` ${counted(lasts, "consent", MOST_COUNTED)} will end at this limit, or before.`;
  return `${CEILING} It is ${(ceiling / 1000).toLocaleString("en")} seconds from the owner's last answer.${ended}${last} ${TOKENS}`;
}

export const CEILING =
  "The limit also counts for consents from before. If you raise it, consents that it ended hold again.";

/**
 * Asks before the client is disabled, unless it is already: then all its grants have ended. Returns what the operator reads once
 * the status is changed. Undefined: it doesn't change.
 */
export async function statusChange(
  clientId: string,
  status: "active" | "disabled" | undefined,
  options: YesOption,
  admin: OpenedAdmin,
): Promise<string | undefined> {
  if (status === undefined) return undefined;
  const { MOST_COUNTED, impactOfClient, impactOfConnections } = await import("@assent/server/admin");
  const { client, consents, grants } = await impactOfClient(clientId, admin);
  const what = `${client.name} (${clientId})`;
  const stays = countedAll({ consent: consents }, MOST_COUNTED);
  if (status === "active") return client.status === "active" ? undefined : enabledText(what, stays);
  if (client.status === "disabled") return disabledText(what, "client", undefined);
  const lost = disconnected(await impactOfConnections(clientId, admin));
  const connections = lost === "" ? "" : ` Until you enable it, this disconnects ${lost}`;
  const disabling = {
    ends: countedAll({ grant: grants }, MOST_COUNTED),
    stays,
    owned: " of owners",
    also: `${NO_MORE_TOKENS}${connections}`,
  };
  await confirm(disablingText(what, "client", disabling), options);
  return disabledText(what, "client", disabling);
}

/** True also of a client that has its tokens in its own name, and so no grants. */
export const NO_MORE_TOKENS = "The client gets no more tokens.";

export async function setStatus(clientId: string, status: "active" | "disabled", options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { clientRecord, updateClient } = await import("@assent/server/admin");
    const told = await statusChange(clientId, status, options, admin);
    out.record(clientRecord(await updateClient(clientId, { status }, admin), admin.issuer));
    if (told !== undefined) out.note(told);
  });
}

export async function remove(clientId: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { deleteClient, MOST_COUNTED, impactOfClient, impactOfConnections } = await import("@assent/server/admin");
    const { client, consents, grants, approvals, connections } = await impactOfClient(clientId, admin);
    const lost = disconnected(await impactOfConnections(clientId, admin));
    const what = `${client.name} (${clientId})`;
    await confirm(deletionText(what, { consents, grants, approvals, connections, lost }, MOST_COUNTED), options);
    await deleteClient(clientId, admin);
    const counts = {
      consent: consents,
      grant: grants,
      "company approval": approvals,
      "company connection": connections,
    };
    out.done(
      { client_id: clientId, deleted: true },
      `Deleted ${what}. Ended ${countedAll(counts, MOST_COUNTED)}.${lost === "" ? "" : ` Disconnected: ${lost}`} ${TOKENS}`,
    );
  });
}

interface Deletion {
  readonly consents: number;
  readonly grants: number;
  readonly approvals: number;
  /** That companies' admins made with other servers. */
  readonly connections: number;
  /** Whom the app's connections with other servers lose. Empty: nobody. */
  readonly lost: string;
}

/** An owner has one consent for a client, so the number of consents is that of owners. */
function deletionText(
  what: string,
  { consents, grants, approvals, connections, lost }: Deletion,
  most: number,
): string {
  const owners = counted(consents, "person or company", most, "people or companies");
  const approved =
    approvals === 0
      ? ""
      : ` It ends ${counted(approvals, "approval of a company", most, "approvals of companies")}: the members must then ask an admin. Blocks stay.`;
  const ends =
    consents === 0 && grants === 0
      ? `Deleting ${what} ends no access of people or companies.${approved}`
      : `Deleting ${what} ends the consent of ${owners}, and ${counted(grants, "grant", most)}. If you register the app again, they must consent again.${approved}`;
  const disconnects = lost === "" ? "" : ` It disconnects ${lost}`;
  const connected =
    connections === 0
      ? ""
      : ` It ends ${counted(connections, "connection of a company", most, "connections of companies")} with other servers: if you register the app again, their admins must connect it again.`;
  return `${ends}${disconnects}${connected} ${NO_MORE_TOKENS} Issued access tokens work until they expire. You can't undo this.`;
}
