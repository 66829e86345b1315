/** The dependencies of the use-cases of companies, and the member who uses them. */

import type { Millis } from "../../oauth/model.ts";
import type { Catalog } from "../../oauth/storage.ts";
import type { DelegationStorage } from "../../oauth/token-exchange/storage.ts";
import type { Uses } from "../../storage-subset.ts";
import type { CompanyConnectionStorage } from "../company-connection-storage.ts";
import type { CompanySignInStorage } from "../company-sign-in-storage.ts";
import type { Acting, CompanyKey, CompanyStorage } from "../company-storage.ts";
import type { CompanyRef, Notice } from "../mail/company-notice-kinds.ts";
import type { MailStorage, StoredMail } from "../mail/storage.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";

export interface CompanyContext {
  readonly storage: Uses<
    CompanyStorage,
    | "companies.find"
    | "companies.found"
    | "companies.holdName"
    | "companies.releaseName"
    | "companies.list"
    | "companies.update"
    | "members.setRole"
    | "members.remove"
    | "members.list"
    | "members.findActing"
    | "members.companiesOf"
    | "companyApps.list"
    | "companyApps.countPeople"
    | "companyApps.liveAccess"
    | "companyApps.listActing"
    | "companyApps.listVerified"
    | "companyApps.listRules"
    | "companyApps.listStopped"
    | "companyApps.setRule"
    | "companyApps.revokeForAll"
    | "companyApps.setPaused"
    | "companyApps.setOptOut"
    | "companyApps.grantsOfMember"
    | "companyApps.refuseRequest"
    | "companyApps.listRequests"
    | "companyApps.requestsOfMember"
    | "invitations.create"
    | "invitations.withdraw"
    | "invitations.list"
    | "invitations.find"
    | "invitations.trace"
    | "invitations.accept"
  > &
    Uses<
      OwnerStorage,
      | "attempts.count"
      | "sessions.isOpen"
      | "people.get"
      | "people.findByName"
      | "subjectLinks.ofPerson"
      | "consents.find"
      | "history.get"
      | "history.list"
    > &
    Uses<DelegationStorage, "delegations.list"> &
    Uses<MailStorage, "people.soleAdminOf"> &
    Uses<CompanySignInStorage, "companySignIn.get"> &
    Uses<
      CompanyConnectionStorage,
      | "companyConnections.list"
      | "companyConnections.find"
      | "companyConnections.put"
      | "companyConnections.remove"
      | "companyConnections.listClients"
    >;
  readonly catalog: Catalog;
  readonly credentials: InvitationCredentials;
  /** True: any person may create a company. False: operators alone. */
  readonly anyoneCreates: boolean;
  newCompanyId(): string;
  /** A new random id in a partition. */
  newId(partition: number): string;
  /** A random text from that many bytes. */
  randomText(bytes: number): string;
  /** The URL at which an invitation is answered. */
  invitationLink(token: string): string;
  /** Hashes the keys of counters. */
  attemptKey(...parts: readonly string[]): string;
  noticeLetters(notice: Notice): Promise<readonly StoredMail[]>;
  notify(notice: Notice): void;
  now(): Millis;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** Makes and recognizes the tokens of invitations. */
export interface InvitationCredentials {
  make(kind: "invitation", invitationId: string, generation: number, salt: Uint8Array): string;
  read(
    kind: "invitation",
    token: string,
  ): { readonly partition: number; readonly id: string; readonly saltHash: Uint8Array } | undefined;
  newSalt(): { readonly salt: Uint8Array; readonly hash: Uint8Array };
  /** The partition that an id begins with. */
  partitionOf(id: string): number;
}

/** A member of a company, as read together with their session. */
export interface AsMember {
  readonly key: CompanyKey;
  readonly acting: Acting;
  readonly person: Person;
}

/**
 * The person who makes a change, as storage needs it: if the member's sessions have ended since they were read, nothing
 * changes.
 */
export function askedBy({ acting: { member }, person }: AsMember): {
  readonly by: string;
  readonly trustedFrom: Millis;
} {
  return { by: person.personId, trustedFrom: member.trustedFrom };
}

/** The company and the member, as messages name them. */
export function toldOf({ acting: { company }, person }: AsMember): {
  readonly company: CompanyRef;
  readonly by: Pick<Person, "personId" | "username" | "name">;
} {
  const { companyId, slug, name } = company;
  const by = { personId: person.personId, username: person.username, name: person.name };
  return { company: { companyId, slug, name }, by };
}

/** Whether an id from a form can be a person's id. */
export function isPersonId(text: string): boolean {
  return /^[\w-]{22}$/.test(text);
}
