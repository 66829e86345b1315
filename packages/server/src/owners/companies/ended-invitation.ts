/** Why the link of an invitation leads nowhere, for the page that says so. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import type { CompanyStorage } from "../company-storage.ts";
import type { Person } from "../person.ts";
import type { InvitationCredentials } from "./context.ts";

export interface EndedInvitationContext {
  readonly storage: Uses<CompanyStorage, "invitations.trace" | "members.findActing">;
  readonly credentials: Pick<InvitationCredentials, "read">;
  now(): Millis;
}

/**
 * Why an invitation doesn't hold. `incomplete`: the token is not from this server. `withdrawn`: by an admin, or a newer
 * invitation of the same person replaced it. `used`: somebody accepted it, and the reader is not signed in.
 * `usedByOther`: another account than the reader's accepted it. `joined`: the reader accepted it, and is a member.
 * `left`: the reader accepted it, and is no member any more. `ended`: nothing else is known.
 */
export type InvitationEnd =
  | { readonly kind: "incomplete" | "used" | "usedByOther" | "left" | "withdrawn" | "ended" }
  | { readonly kind: "expired"; readonly at: Millis }
  | { readonly kind: "joined"; readonly slug: string };

/** Only somebody with the whole link learns more than `incomplete`. */
export async function invitationEnd(
  token: string,
  reader: Pick<Person, "personId"> | undefined,
  context: EndedInvitationContext,
): Promise<InvitationEnd> {
  const credential = context.credentials.read("invitation", token);
  if (credential === undefined) return { kind: "incomplete" };
  const { partition, id: invitationId, saltHash } = credential;
  const traced = await context.storage.invitations.trace({ partition, invitationId, saltHash });
  if (traced === undefined || traced.company === null) return { kind: "ended" };
  const { status, expiresAt, acceptedBy, company } = traced;
  if (status === "accepted") {
    const { companyId, slug } = company;
    if (reader === undefined) return { kind: "used" };
    const { personId } = reader;
    if (personId !== acceptedBy) return { kind: "usedByOther" };
    const acting = await context.storage.members.findActing({ partition, companyId, personId, clientId: null });
    return acting === undefined ? { kind: "left" } : { kind: "joined", slug };
  }
  if (status === "withdrawn") return { kind: "withdrawn" };
  return expiresAt <= context.now() ? { kind: "expired", at: expiresAt } : { kind: "ended" };
}
