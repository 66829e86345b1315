/** Verbs of accounts that their people want to delete: in two weeks, unless they change their minds. */

import type { Swept } from "../../admin/storage.ts";
import type { Millis } from "../../oauth/model.ts";
import type { Asked } from "../../owners/change-conditions.ts";
import type { CompanyKey } from "../../owners/company-storage.ts";
import type { StoredMail } from "../../owners/mail/storage.ts";
import { getCompany } from "../companies/companies.ts";
import { lockCompany, thisCompany } from "../companies/lock-company-row.ts";
import { companyLinksOf } from "../companies/members.ts";
import { noteForCompanies, tellOf } from "../companies/membership-outbox.ts";
import { endConsentsOf } from "../consents/consents.ts";
import { type Call, query, sql, statement, steps, transaction } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { mayStill } from "../factors/lock-person-row.ts";
import { post } from "../mail/outbox.ts";
import { partitionOf } from "../partition.ts";
import { DAY, text, whole } from "../row-conversion.ts";
import { endedBy, revokeDevices } from "./known-devices.ts";
import { noteSessionEnds } from "./logout-notices.ts";
import { endGrantsOf, eraseWholly } from "./people.ts";
import { getPerson, type PersonKey } from "./person-row.ts";

type Deletion = PersonKey &
  Asked & {
    readonly at: Millis | null;
    readonly keepSessionId: string | null;
    readonly mails: readonly StoredMail[];
    readonly now: Millis;
  };

export const setDeletion = steps<Deletion, boolean>(async (call, args) => {
  const written = await call(writeDeletion, args);
  if (written) await tellOf(call, args, args.now);
  return written;
});

export const writeDeletion = transaction<Deletion, boolean>(
  async (tx, { partition, personId, at, keepSessionId, mails, now, ...asked }) => {
    const key = { partition, personId };
    // Otherwise a deletion that an intruder requested could be written after the owner's recovery, which cancels it.
    if (!(await mayStill(tx, key, asked))) return false;
    const changed = await tx.run(
      sql`UPDATE people SET delete_at = :at, updated_at = :now WHERE partition = :partition AND person_id = :personId`,
      { ...key, at, now },
    );
    if (changed === 0) return false;
    if (at !== null) {
      await revokeDevices(tx, key, endedBy(keepSessionId), now);
      await tx.run(
        sql`DELETE FROM sessions WHERE partition = :partition AND person_id = :personId AND (session_id <> :keepSessionId OR :keepSessionId IS NULL)`,
        { ...key, keepSessionId },
      );
      await noteSessionEnds(tx, { ...key, keepSessionId }, now);
      // Otherwise an app would get access again without a page until the deletion.
      await endConsentsOf(tx, { ...key, now });
      await endGrantsOf(tx, { ...key, cause: "leaving", by: personId, now });
    }
    // Who keeps the account is an admin again, where housekeeping had begun to erase it.
    await noteForCompanies(tx, key, { cutAt: at === null ? null : now, cutBy: "leaving", now });
    await post(tx, mails, now);
    await tell(tx, {
      ...{ kind: at === null ? "user.deletion_withdrawn" : "user.deletion_requested", at: now },
      ...{ by: `user:${personId}`, subject: personId, details: { session_id: asked.sessionId } },
    });
    return true;
  },
);

export const soleAdminOf = steps<PersonKey, readonly { readonly name: string; readonly slug: string }[]>(
  async (call, { partition, personId }) => {
    const links = await call(companyLinksOf, { partition, personId });
    const found = await Promise.all(links.map(({ companyId }) => soleAdminAt(call, companyId, personId)));
    return found.filter((one) => one !== undefined);
  },
);

async function soleAdminAt(call: Call, companyId: string, personId: string) {
  const key = { partition: partitionOf(companyId), companyId };
  const admins = await call(adminsOf, key);
  if (!admins.includes(personId) || admins.length > 1) return undefined;
  const company = await call(getCompany, key);
  return company && { name: company.name, slug: company.slug };
}

/** Reads at most two: callers only need to know whether there is more than one. */
export const adminsOf = query<{ readonly partition: number; readonly companyId: string }, readonly string[]>({
  sql: sql`SELECT person_id FROM members WHERE ${thisCompany} AND role = 'admin' AND standing = 'active' LIMIT 2`,
  bind: ({ partition, companyId }) => ({ partition, companyId }),
  outcome: (rows) => rows.map((row) => text(row, "person_id")),
});

interface Sweep {
  readonly now: Millis;
  readonly limit: number;
}

/**
 * Accounts whose deletion is due. If a person has become a company's only admin meanwhile, the account is visited again
 * the next day. A person who cancels the deletion, even during this sweep, stays.
 */
export async function collectPeople(call: Call, { now, limit }: Sweep): Promise<Swept> {
  const due = await call(duePeople, { now, limit });
  let removed = 0;
  for (const key of due) if (await eraseDue(call, key, now)) removed += 1;
  return { seen: due.length, removed };
}

/**
 * First, the person stops acting as an admin in each of their companies. The company's lock refuses this for the last admin. So if two admins delete
 * their accounts at the same time, one stays. A person who is not erased is an admin again, because their companies get the account's real state. If
 * a sweep fails in between, the account is still due. The next sweep erases it, unless the person keeps it. Keeping it updates the companies too.
 */
async function eraseDue(call: Call, key: PersonKey, now: Millis): Promise<boolean> {
  const person = await call(getPerson, key);
  if (person === undefined) return false;
  const { personId } = person;
  let erased = false;
  try {
    for (const { companyId } of await call(companyLinksOf, key)) {
      const company = { partition: partitionOf(companyId), companyId };
      if ((await call(stepDown, { ...company, personId })) === "last") {
        await call(postponeDeletion, { ...key, now });
        return false;
      }
    }
    erased = await eraseWholly(call, person, now, { due: now });
  } finally {
    if (!erased) {
      await call(noteStanding, { ...key, now });
      await tellOf(call, key, now);
    }
  }
  return erased;
}

/**
 * For the company, the account is disabled from then on, until news of the person say otherwise. `last`: without them nobody could change anything;
 * nothing was changed. `none`: they are no active admin.
 */
export const stepDown = transaction<CompanyKey & { readonly personId: string }, "done" | "last" | "none">(
  async (tx, { partition, companyId, personId }) => {
    const key = { partition, companyId };
    if ((await lockCompany(tx, key)) === undefined) return "none";
    const admins = sql`SELECT person_id FROM members WHERE ${thisCompany} AND role = 'admin' AND standing = 'active'`;
    const all = (await tx.all(admins, key)).map((row) => text(row, "person_id"));
    if (!all.includes(personId)) return "none";
    if (all.length === 1) return "last";
    await tx.run(sql`UPDATE members SET standing = 'disabled' WHERE ${thisCompany} AND person_id = :personId`, {
      ...key,
      personId,
    });
    return "done";
  },
);

/** For a person who stays after all. */
export const noteStanding = transaction<PersonKey & { readonly now: Millis }, void>(async (tx, { now, ...key }) =>
  noteForCompanies(tx, key, { cutAt: null, now }),
);

export const duePeople = query<Sweep, readonly PersonKey[]>({
  sql: sql`SELECT partition, person_id FROM people WHERE +partition >= 0 AND delete_at <= :now ORDER BY delete_at LIMIT :limit`,
  bind: ({ now, limit }) => ({ now, limit }),
  outcome: (rows) => rows.map((row) => ({ partition: whole(row, "partition"), personId: text(row, "person_id") })),
});

export const postponeDeletion = statement<PersonKey & { readonly now: Millis }, boolean>({
  lock: "personId",
  sql: sql`UPDATE people SET delete_at = :later WHERE partition = :partition AND person_id = :personId AND delete_at <= :now RETURNING person_id`,
  bind: ({ partition, personId, now }) => ({ partition, personId, now, later: now + DAY }),
  outcome: (row) => row !== undefined,
});
