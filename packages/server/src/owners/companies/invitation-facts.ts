/** An invitation, as everybody who holds its link may read it, signed in or not. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import type { CompanyStorage, Invitation, Role } from "../company-storage.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";
import type { InvitationCredentials } from "./context.ts";

export type Inviter = Pick<Person, "username" | "name">;

/** Not whom it is for: the link may be in the wrong hands. */
export interface InvitationFacts {
  readonly company: string;
  /** Absent: the invitation waits in another browser. */
  readonly companyId?: string;
  readonly role: Role;
  /** The person who invited. Null: the operator invited. */
  readonly by: Inviter | null;
}

/** Finds an invitation without its token. */
export type InvitationKey = readonly [partition: number, invitationId: string, saltHash: string];

interface Inviters {
  readonly storage: Uses<OwnerStorage, "people.get">;
  readonly credentials: Pick<InvitationCredentials, "partitionOf">;
}

export interface InvitationFactsContext {
  readonly storage: Uses<CompanyStorage, "invitations.find"> & Uses<OwnerStorage, "people.get">;
  readonly credentials: Pick<InvitationCredentials, "read" | "partitionOf">;
  now(): Millis;
}

/** Undefined: the link is not valid, or not any more. */
export async function invitationFacts(
  token: string,
  { storage, credentials, now }: InvitationFactsContext,
): Promise<InvitationFacts | undefined> {
  const credential = credentials.read("invitation", token);
  if (credential === undefined) return undefined;
  const { partition, id: invitationId, saltHash } = credential;
  const found = await storage.invitations.find({ partition, invitationId, saltHash, now: now() });
  if (found === undefined) return undefined;
  const { company, invitation } = found;
  const { name, companyId } = company;
  return { company: name, companyId, role: invitation.role, by: await inviterOf(invitation, { storage, credentials }) };
}

/** Undefined: the token is not from this server. */
export function invitationKey(
  token: string,
  { credentials }: Pick<InvitationFactsContext, "credentials">,
): InvitationKey | undefined {
  const credential = credentials.read("invitation", token);
  if (credential === undefined) return undefined;
  const { partition, id, saltHash } = credential;
  return [partition, id, Buffer.from(saltHash).toString("base64url")];
}

/** False: it was withdrawn, replaced, accepted, or its time is over. */
export async function isOpenInvitation(
  [partition, invitationId, saltHash]: InvitationKey,
  {
    storage,
    now,
  }: Pick<InvitationFactsContext, "now"> & {
    readonly storage: Uses<CompanyStorage, "invitations.find">;
  },
): Promise<boolean> {
  const key = { partition, invitationId, saltHash: Buffer.from(saltHash, "base64url") };
  return (await storage.invitations.find({ ...key, now: now() })) !== undefined;
}

/** The person who invited. Null: the operator invited. */
export async function inviterOf(
  { invitedBy: personId }: Pick<Invitation, "invitedBy">,
  { storage, credentials }: Inviters,
): Promise<Inviter | null> {
  if (personId === "operator") return null;
  const inviter = await storage.people.get({ partition: credentials.partitionOf(personId), personId });
  return inviter === undefined ? null : { username: inviter.username, name: inviter.name };
}
