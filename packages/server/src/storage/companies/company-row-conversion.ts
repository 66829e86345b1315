/** Converts rows of companies' tables to values of the model. */

import { sooner } from "../../oauth/consent-reach.ts";
import type { Millis } from "../../oauth/model.ts";
import type { AnsweredScope } from "../../owners/answered-hosts.ts";
import { ONCE_OVER } from "../../owners/company-rules.ts";
import type {
  Acting,
  AppRequest,
  AppRule,
  ChosenEnds,
  Company,
  DefaultRule,
  Invitation,
  Member,
  Role,
} from "../../owners/company-storage.ts";
import { type Row, sql } from "../define-verbs.ts";
import { json, text, textOrNull, whole, wholeOrNull } from "../row-conversion.ts";

export const companyColumns = sql`partition, company_id, slug, name, status, default_rule, created_at, updated_at`;

export const memberColumns = sql`company_id, person_id, username, role, since, added_by, standing, trusted_from`;

export const ruleColumns = sql`client_id, rule, audience, scopes, hosts, ends_at, decided_by, decided_at`;

export const requestColumns = sql`client_id, person_id, username, scopes, reason, asked_at, status, decided_by, decided_at, host`;

export const invitationColumns = sql`partition, invitation_id, company_id, addressee, role, invited_by, created_at, expires_at, status`;

export function companyOf(row: Row): Company {
  return {
    partition: whole(row, "partition"),
    companyId: text(row, "company_id"),
    slug: text(row, "slug"),
    name: text(row, "name"),
    status: text(row, "status") as Company["status"],
    defaultRule: text(row, "default_rule") as DefaultRule,
    createdAt: whole(row, "created_at"),
    updatedAt: whole(row, "updated_at"),
  };
}

export function memberOf(row: Row): Member {
  return {
    companyId: text(row, "company_id"),
    personId: text(row, "person_id"),
    username: text(row, "username"),
    role: text(row, "role") as Role,
    since: whole(row, "since"),
    addedBy: text(row, "added_by"),
    accountStatus: text(row, "standing") as Member["accountStatus"],
    trustedFrom: whole(row, "trusted_from"),
  };
}

/** A rule for selected members is stored as `ask`, so that servers of an earlier version allow nobody by it. */
export function ruleOf(row: Row): AppRule {
  const forSelected = text(row, "audience") === "selected";
  return {
    clientId: text(row, "client_id"),
    ...(forSelected ? { forSelected, rule: "allow" } : { rule: text(row, "rule") as AppRule["rule"] }),
    scopes: json<readonly string[]>(row, "scopes"),
    hosts: row["hosts"] === null ? null : json<readonly string[]>(row, "hosts"),
    endsAt: wholeOrNull(row, "ends_at"),
    decidedBy: text(row, "decided_by"),
    decidedAt: whole(row, "decided_at"),
  };
}

export function requestOf(row: Row): AppRequest {
  return {
    clientId: text(row, "client_id"),
    personId: text(row, "person_id"),
    username: text(row, "username"),
    scopes: json<readonly string[]>(row, "scopes"),
    reason: text(row, "reason"),
    askedAt: whole(row, "asked_at"),
    status: text(row, "status") as AppRequest["status"],
    decidedBy: textOrNull(row, "decided_by"),
    decidedAt: wholeOrNull(row, "decided_at"),
    host: textOrNull(row, "host"),
  };
}

export function invitationOf(row: Row): Invitation {
  return {
    partition: whole(row, "partition"),
    invitationId: text(row, "invitation_id"),
    companyId: text(row, "company_id"),
    addressee: text(row, "addressee"),
    role: text(row, "role") as Role,
    invitedBy: text(row, "invited_by"),
    createdAt: whole(row, "created_at"),
    expiresAt: whole(row, "expires_at"),
    status: text(row, "status") as Invitation["status"],
  };
}

/** One row with a company, one of its members and the rule about an app, if there is one. Each has a prefix. */
export const actingColumns = sql`c.partition, c.company_id, c.slug, c.name, c.status, c.default_rule, c.created_at, c.updated_at,
  m.person_id, m.username, m.role, m.since, m.added_by, m.standing, m.trusted_from,
  r.client_id, r.rule, r.audience, r.scopes, r.hosts, r.ends_at, r.decided_by, r.decided_at, o.since AS opted_out_at,
  w.since AS chosen_at, w.declined, w.unapproved, w.ends_at AS chosen_until, w.ends AS chosen_ends, w.hosts AS chosen_hosts, s.since AS selected_at`;

/** The shortest of these ends. Null: none of them ends. Scopes that were for once don't count. */
export function shortestOf(ends: ChosenEnds): Millis | null {
  return Object.values(ends)
    .filter((end) => end !== ONCE_OVER)
    .reduce(sooner, null);
}

/** A server of an earlier version doesn't change this column: an answer that it wrote since counts. */
function unapprovedIn(row: Row, { declined, chosenEnds }: Pick<Acting, "declined" | "chosenEnds">): readonly string[] {
  const names = json<readonly string[]>(row, "unapproved");
  return names.filter((name) => !declined.includes(name) && !Object.hasOwn(chosenEnds, name));
}

/** A server of an earlier version writes only the shortest end. Then the ends beside it belong to an older answer. */
function chosenEndsIn(row: Row, shortest: Millis | null): ChosenEnds {
  const ends = row["chosen_ends"] === null ? {} : json<ChosenEnds>(row, "chosen_ends");
  return shortestOf(ends) === shortest ? ends : {};
}

export function actingOf(row: Row): Acting {
  // A negative time is that of a choice that the member has forgotten.
  const chosenAt = wholeOrNull(row, "chosen_at");
  const chosenUntil = wholeOrNull(row, "chosen_until");
  const chosenEnds = chosenEndsIn(row, chosenUntil);
  const declined = chosenAt === null ? [] : json<readonly string[]>(row, "declined");
  return {
    company: companyOf(row),
    member: memberOf(row),
    rule: row["client_id"] === null ? undefined : ruleOf(row),
    selected: row["selected_at"] !== null,
    optedOut: row["opted_out_at"] !== null,
    chosen: (chosenAt ?? 0) > 0,
    chosenAt: chosenAt === null ? null : Math.abs(chosenAt),
    chosenUntil,
    ...{ chosenEnds, declined },
    ...(row["chosen_hosts"] === null ? {} : { answeredAt: json<readonly AnsweredScope[]>(row, "chosen_hosts") }),
    unapproved: chosenAt === null ? [] : unapprovedIn(row, { chosenEnds, declined }),
  };
}
