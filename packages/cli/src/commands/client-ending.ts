/** Taking access from a client: disable, delete, and fewer scopes. What the operator reads before and after. */

import type { ClientImpactRecord, ConnectionImpactRecord, OpenedAdmin } from "@assent/server/admin";
import {
  confirm,
  counted,
  countedAll,
  statusTold,
  TOKENS,
  type Told,
  type ToldOfStatus,
  type YesOption,
} from "../confirm.ts";
import { type JsonOption, withAdmin } from "../shared-options.ts";

/** Reads and counts what would end with the client. */
export async function clientImpact(clientId: string, admin: OpenedAdmin): Promise<ClientImpactRecord> {
  const { clientImpactRecord, impactOfClient, impactOfConnections } = await import("@assent/server/admin");
  return clientImpactRecord(await impactOfClient(clientId, admin), await impactOfConnections(clientId, admin));
}

/** What another status of the client ends. */
export async function clientStatusTold(
  impact: ClientImpactRecord,
  status: "active" | "disabled" | undefined,
): Promise<ToldOfStatus> {
  const { MOST_COUNTED } = await import("@assent/server/admin");
  const { client_id: clientId, client_name: name, status: was, consents, grants } = impact;
  const lost = disconnected(impact.connections);
  const connections = lost === "" ? "" : ` Until you enable it, this disconnects ${lost}`;
  const disabling = {
    ends: countedAll({ grant: grants }, MOST_COUNTED),
    stays: countedAll({ consent: consents }, MOST_COUNTED),
    owned: " of owners",
    also: `${NO_MORE_TOKENS}${connections}`,
  };
  return statusTold({ what: `${name} (${clientId})`, noun: "client", was, disabling }, status);
}

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
  const { question, done } = await clientStatusTold(await clientImpact(clientId, admin), status);
  if (question !== undefined) await confirm(question, options);
  return done;
}

/** Who loses a connection, in words. Undefined: nobody. */
export function peopleOf(impact: ConnectionImpactRecord): string | undefined {
  const { status, company, company_name: name, company_slug: slug, companies, members, owners } = impact;
  if (status === "paused") return undefined;
  const with_ = counted(members, "member");
  if (status === "offered")
    return companies === 0 ? undefined : `${counted(companies, "company", undefined, "companies")} with ${with_}`;
  // A deleted company has no name.
  if (company !== null) return `${name === null ? company : `${name} (${slug})`} with ${with_}`;
  return `everybody here (${counted(owners, "person or company", undefined, "people or companies")} allowed the app)`;
}

/** The people of each connection that ends, and the server from which they are disconnected. */
export function disconnected(impacts: readonly ConnectionImpactRecord[]): string {
  const parts = impacts.flatMap((impact) => {
    const who = peopleOf(impact);
    return who === undefined ? [] : [`${who} at ${impact.audience}`];
  });
  return parts.length === 0
    ? ""
    : `${parts.join("; ")}. The access that the app already has there lasts until these servers end it.`;
}

/** True also of a client that has its tokens in its own name, and so no grants. */
const NO_MORE_TOKENS = "The client gets no more tokens.";

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
    const { deleteClient } = await import("@assent/server/admin");
    const { question, done } = await clientDeletionTold(await clientImpact(clientId, admin));
    await confirm(question, options);
    await deleteClient(clientId, admin);
    out.done({ client_id: clientId, deleted: true }, done);
  });
}

export async function clientDeletionTold(impact: ClientImpactRecord): Promise<Told> {
  const { MOST_COUNTED: most } = await import("@assent/server/admin");
  const { consents, grants, approvals, company_connections: connections } = impact;
  const what = `${impact.client_name} (${impact.client_id})`;
  const lost = disconnected(impact.connections);
  // An owner has one consent for a client, so the number of consents is that of owners.
  const owners = counted(consents, "person or company", most, "people or companies");
  const approved =
    approvals === 0
      ? ""
      : ` It ends ${counted(approvals, "approval of a company", most, "approvals of companies")}: the members must then ask an admin. Blocks stay.`;
  const ends =
    consents === 0 && grants === 0
      ? `Deleting ${what} ends no access of people or companies.${approved}`
      : `Deleting ${what} ends the consent of ${owners}, and ${counted(grants, "grant", most)}. If you register the app again, they must consent again, except to access by assertions.${approved}`;
  const disconnects = lost === "" ? "" : ` It disconnects ${lost}`;
  const connected =
    connections === 0
      ? ""
      : ` It ends ${counted(connections, "connection of a company", most, "connections of companies")} with other servers: if you register the app again, their admins must connect it again.`;
  const counts = { consent: consents, grant: grants, "company approval": approvals, "company connection": connections };
  return {
    question: `${ends}${disconnects}${connected} ${NO_MORE_TOKENS} Issued access tokens work until they expire. You can't undo this.`,
    done: `Deleted ${what}. Ended ${countedAll(counts, most)}.${lost === "" ? "" : ` Disconnected: ${lost}`} ${TOKENS}`,
  };
}
