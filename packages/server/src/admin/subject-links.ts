/** What an operator does with links from a trusted issuer's subjects to owners (RFC 7521 §5.2). */

import type { TrustedIssuer } from "../oauth/trusted-issuer.ts";
import { subjectOf } from "../owners/asserted-owners.ts";
import type { Person } from "../owners/storage.ts";
import type { ForeignSubject, SubjectLink } from "../owners/subject-link-storage.ts";
import { refuse } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";
import type { Page, Place } from "./directory.ts";
import { type UserRef, userOf } from "./people.ts";
import { pagesOf } from "./read-whole-list.ts";
import { issuerOf } from "./trusted-issuers.ts";

export interface LinkedSubject {
  readonly subject: ForeignSubject;
  readonly person: Person;
}

/** Makes an issuer's subject a person, again and again without change. Throws `unknown`, `invalid`, or `taken` if it is another. */
export async function linkSubject(
  issuer: string,
  subject: string,
  login: UserRef,
  context: AdminContext,
): Promise<LinkedSubject> {
  const record = await issuerOf(issuer, context);
  const key = keyOf(record, subject);
  const person = await userOf(login, context);
  if (person.operator.length > 0) refuse("invalid", "user", "an operator's account can't be linked to an issuer");
  const { partition, personId } = person;
  const { storage, now } = context;
  const args = { partition, personId, subject: key, sole: false, madeBy: "operator", now: now() } as const;
  const { kind } = await storage.subjectLinks.link(args);
  if (kind === "unknown")
    return refuse(
      "unknown",
      "user",
      `there is no user ${JSON.stringify(typeof login === "string" ? login : login.id)}`,
    );
  if (kind === "taken" || kind === "other") {
    return refuse("taken", "subject", `${JSON.stringify(key.subject)} is linked to another user: unlink it first`);
  }
  return { subject: key, person };
}

/**
 * Ends a link; the owner stays. `claim`: what the subject is the value of, where it isn't what the record names now (null: `sub`, or the NameID). Throws
 * `unknown`, `invalid`.
 */
export async function unlinkSubject(
  issuer: string,
  subject: string,
  { claim }: { readonly claim?: string | null },
  context: AdminContext,
): Promise<ForeignSubject> {
  const record = await issuerOf(issuer, context);
  const key = keyOf(claim === undefined ? record : { ...record, subjectClaim: claim }, subject);
  const owner = await context.storage.subjectLinks.unlink({ subject: key, now: context.now() });
  if (owner === undefined) refuse("unknown", "subject", `${JSON.stringify(key.subject)} is not linked`);
  return key;
}

export interface OwnedLink {
  readonly link: SubjectLink;
  /** Undefined: deleted meanwhile. */
  readonly person: Person | undefined;
}

/** All links of an issuer, oldest first, a page at a time. Throws `unknown`. */
export async function* subjectLinksOf(issuer: string, context: AdminContext): AsyncGenerator<OwnedLink> {
  const { id: issuerId } = await issuerOf(issuer, context);
  const { storage } = context;
  for await (const link of linksOfIssuer(issuerId, context)) {
    yield { link, person: await storage.people.get({ partition: link.partition, personId: link.ownerId }) };
  }
}

/** A page of them. Throws `unknown`. */
export async function linkPage(
  issuer: string,
  { limit, after }: { readonly limit: number; readonly after: Place | null },
  context: AdminContext,
): Promise<Page<OwnedLink>> {
  const { id: issuerId } = await issuerOf(issuer, context);
  const { storage } = context;
  const place = after === null ? null : { createdAt: Number(after.key), link: after.id };
  const found = await storage.subjectLinks.list({ issuerId, limit, after: place });
  const items = await Promise.all(
    found.map(async (link) => ({
      ...{ link, person: await storage.people.get({ partition: link.partition, personId: link.ownerId }) },
    })),
  );
  const last = found.at(-1);
  const next = last === undefined || found.length < limit ? null : { key: last.createdAt, id: last.link };
  return { items, next };
}

/** The same without the people. */
export function linksOfIssuer(issuerId: string, { storage }: AdminContext): AsyncGenerator<SubjectLink> {
  return pagesOf<SubjectLink, SubjectLink>(
    (limit, after) => storage.subjectLinks.list({ issuerId, limit, after }),
    (link) => link,
  );
}

function keyOf(record: TrustedIssuer, subject: string): ForeignSubject {
  if (record.mapSubject === "id") {
    refuse("invalid", "issuer", "this issuer's subjects are IDs of this server, so they can't be linked");
  }
  const key = subjectOf(record, { value: subject, name: null, nameBelieved: false, lasting: true });
  const wanted =
    "use 1 to 255 characters, exactly as the issuer writes them, without control characters or spaces at the start or end";
  return key ?? refuse("invalid", "subject", wanted);
}
