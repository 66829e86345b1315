/** Verbs with which a person creates a company of their own. The company and its first admin begin in one transaction. */

import { createHash } from "node:crypto";
import type { Millis } from "../../oauth/model.ts";
import type { InSession } from "../../owners/change-conditions.ts";
import type { Company, FoundOutcome, PersonRef } from "../../owners/company-storage.ts";
import { type Call, sql, steps, transaction, words } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { mayStill } from "../factors/lock-person-row.ts";
import { activateName, dropName, forgetName, type Name, reserveName } from "../people/unique-names.ts";
import { whole } from "../row-conversion.ts";
import { eraseCompany } from "./companies.ts";
import { companyColumns } from "./company-row-conversion.ts";
import { confirmCompanyLink, doubtCompanyLink, MAX_COMPANIES, putMember } from "./members.ts";

type Found = InSession & {
  readonly company: Company;
  readonly person: PersonRef;
  readonly link: string;
  /** Maximum number of companies that the person created and still belongs to. */
  readonly most: number;
  readonly now: Millis;
};

export interface HeldName {
  /** The keys of the name, as `nameKeys` gives them. */
  readonly keys: readonly string[];
  readonly companyId: string;
  readonly now: Millis;
}

/**
 * Keeps others from creating a company with a similar name, until the name is released or an hour has passed. The
 * caller then reads the names of all companies: those count that nobody held, too, because they are older or an
 * operator's. False: somebody else holds a key; nothing is held.
 */
export const holdName = steps<HeldName, boolean>(async (call, { keys, ...args }) => {
  // One order for all: of two creations with the same keys, one goes on.
  for (const [at, key] of keys.toSorted().entries()) {
    if (await call(reserveName, { ...heldAs(key), ownerId: args.companyId, now: args.now })) continue;
    await release(call, { keys: keys.toSorted().slice(0, at), ...args });
    return false;
  }
  return true;
});

/** Ends what `holdName` did. Call this when the company was created, or was not. */
export const releaseName = steps<HeldName, void>(release);

async function release(call: Call, { keys, companyId: ownerId, now }: HeldName): Promise<void> {
  for (const key of keys) await call(dropName, { ...heldAs(key), ownerId, now });
}

/** No slug has a colon. A key can be longer than an index of PostgreSQL takes, so its hash is stored. */
function heldAs(key: string): Name {
  return { kind: "slug", value: `name:${createHash("sha256").update(key).digest("base64url")}` };
}

/**
 * Reserves the slug, writes the person's link, then the company with its admin. A crash leaves no company without an
 * admin: the slug's reservation expires, and housekeeping deletes a link without a membership.
 */
export const foundCompany = steps<Found, FoundOutcome>(async (call, args) => {
  const { company, person, link, now } = args;
  const { companyId } = company;
  const name = { kind: "slug", value: company.slug, ownerId: companyId, now } as const;
  if (!(await call(reserveName, name))) return { kind: "taken" };
  const written = await call(writeFounderLink, args);
  if (written.kind !== "written") {
    await call(forgetName, name);
    return written;
  }
  const { version } = written;
  const key = { partition: person.partition, personId: person.personId, companyId };
  await call(insertFounded, { company, person, link, version, now });
  if (!(await call(activateName, name))) {
    // The reservation was so old that another company took it over.
    await call(eraseCompany, { partition: company.partition, companyId, now });
    await call(doubtCompanyLink, { ...key, link, now });
    return { kind: "taken" };
  }
  await call(confirmCompanyLink, { ...key, link, version, now });
  return { kind: "founded" };
});

/** Simultaneous calls for one person run one after the other, so that together they stay below the limits. */
export const writeFounderLink = transaction<
  Found,
  { readonly kind: "written"; readonly version: number } | { readonly kind: "too_many" | "no_person" }
>(async (tx, { company, person, link, most, now, ...asked }) => {
  const { partition, personId } = person;
  if (!(await mayStill(tx, { partition, personId }, asked))) return { kind: "no_person" };
  const row = await tx.one(
    sql`SELECT standing_version FROM people WHERE partition = :partition AND person_id = :personId AND status = 'active' ${words.forUpdate}`,
    { partition, personId },
  );
  if (row === undefined) return { kind: "no_person" };
  const links = await tx.all(
    sql`SELECT founded FROM member_links WHERE partition = :partition AND person_id = :personId LIMIT :limit`,
    { partition, personId, limit: MAX_COMPANIES },
  );
  const founded = links.filter((one) => whole(one, "founded") === 1).length;
  if (links.length >= MAX_COMPANIES || founded >= most) return { kind: "too_many" };
  await tx.run(
    sql`INSERT INTO member_links (partition, person_id, company_id, link, status, written_at, founded)
      VALUES (:partition, :personId, :companyId, :link, 'pending', :now, 1)`,
    { partition, personId, companyId: company.companyId, link, now },
  );
  return { kind: "written", version: whole(row, "standing_version") };
});

export const insertFounded = transaction<
  Pick<Found, "company" | "person" | "link" | "now"> & { readonly version: number },
  void
>(async (tx, { company, person: { personId, username }, link, version, now }) => {
  const { partition, companyId } = company;
  await tx.run(
    sql`INSERT INTO companies (${companyColumns})
      VALUES (:partition, :companyId, :slug, :name, :status, :defaultRule, :createdAt, :updatedAt)`,
    { ...company },
  );
  await tell(tx, { kind: "company.created", at: now, by: `user:${personId}`, subject: companyId });
  const who = { personId, username, role: "admin", addedBy: personId } as const;
  await putMember(tx, { partition, companyId, ...who, link, version, now });
});
