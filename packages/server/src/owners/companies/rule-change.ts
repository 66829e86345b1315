/** What a new rule about an app takes from members, and whom it lets in. Pure functions. */

import { sooner } from "../../oauth/consent-reach.ts";
import type { GrantedScope, Millis } from "../../oauth/model.ts";
import { isLeftOut, scopesTaken } from "../company-rules.ts";
import type { DefaultRule, HeldScope, ListedRule, NewRule } from "../company-storage.ts";
import { latestOf } from "../consent-after-decision.ts";

/** The present state that a new rule changes. */
export interface RuleNow {
  /** Undefined: there is none, or it has ended. */
  readonly rule: ListedRule | undefined;
  /** True: a rule for selected members has ended. Members ask an admin, also where they would decide otherwise. */
  readonly keepsOut?: boolean;
  readonly defaultRule: DefaultRule;
  /** The app's access in the company's name. */
  readonly held: readonly HeldScope[];
}

/** The differences between the present rule and the next one. */
export interface RuleChange {
  /** True: from now on all members can connect the app, or can give it more. */
  readonly opens: boolean;
  readonly blocks: boolean;
  /**
   * The access of members who could connect the app without asking, and can't any more. If there is some, the admin
   * chooses whether the access of all members ends whom the next rule doesn't allow (`leftOut`).
   */
  readonly withdraws: readonly HeldScope[];
  /** The scopes that members' grants lose. */
  readonly lost: readonly string[];
  /** The access that ends sooner than now: then. Admins' access is no exception. */
  readonly shortens: { readonly to: Millis; readonly held: readonly HeldScope[] } | undefined;
  /** The access of members who can't connect the app without asking under the next rule, whether or not they could before. */
  readonly leftOut: readonly HeldScope[];
  /**
   * For an approval: the access that it doesn't change, because it is to scopes that the approval doesn't name. Access
   * that the admin's choice can end is not part of it.
   */
  readonly stays: readonly HeldScope[];
}

/** A shorter time by less than this is no change: a year from now is later each time the page is shown. */
const UNNOTICED: Millis = 60_000;

/** `next`: null: the company's default applies. */
export function ruleChange(now: RuleNow, next: NewRule | null): RuleChange {
  const { rule, defaultRule, held } = now;
  const before = rule?.rule === "allow" ? rule : undefined;
  const after = next?.rule === "allow" ? next : undefined;
  const wasForAll = before !== undefined && before.forSelected !== true;
  const isForAll = after !== undefined && after.selected === undefined;
  const isByDefault = next === null && defaultRule === "members";
  const gains = after?.scopes.some((name) => before?.scopes.includes(name) !== true) ?? false;
  const blocks = next?.rule === "block";
  const lost = scopesTaken(before, next);
  const leftOut = isByDefault ? [] : held.filter((one) => isLeftOut(next, one));
  const withdraws = blocks ? [] : leftOut.filter(({ personId }) => letIn(personId, now));
  const isKept = (one: HeldScope) => !loses(one, lost) && !(withdraws.length > 0 && leftOut.includes(one));
  return {
    opens: (isForAll && (!wasForAll || gains)) || (isByDefault && (rule !== undefined || now.keepsOut === true)),
    blocks,
    withdraws,
    lost,
    shortens: after && shortened(held, after),
    leftOut,
    stays: after === undefined ? [] : held.filter((one) => !after.scopes.includes(one.name) && isKept(one)),
  };
}

/** True: this member can connect the app now without asking an admin. */
function letIn(personId: string, { rule, defaultRule, keepsOut }: RuleNow): boolean {
  if (rule === undefined) return defaultRule === "members" && keepsOut !== true;
  return rule.rule === "allow" && (rule.forSelected !== true || rule.selected.includes(personId));
}

/** Admins keep what a narrower approval takes from members. */
export function loses({ admin, name }: HeldScope, lost: readonly string[]): boolean {
  return !admin && lost.includes(name);
}

/** The approval is a decision about its scopes alone, so only they end with it. */
function shortened(held: readonly HeldScope[], { scopes, endsAt }: NewRule): RuleChange["shortens"] {
  if (endsAt === null) return undefined;
  const some = held.filter((one) => scopes.includes(one.name) && (one.endsAt ?? Infinity) > endsAt + UNNOTICED);
  return some.length === 0 ? undefined : { to: endsAt, held: some };
}

/** The latest end of the access that members whom the next rule doesn't allow keep under it. */
export function keptUntil(
  { leftOut, lost }: Pick<RuleChange, "leftOut" | "lost">,
  next: NewRule | null,
): Millis | null {
  const after = next?.rule === "allow" ? next : undefined;
  const ends = leftOut
    .filter((one) => !loses(one, lost))
    .map(({ name, endsAt }) => (after?.scopes.includes(name) === true ? sooner(endsAt, after.endsAt) : endsAt));
  return latestOf(ends) ?? null;
}

/** Each scope once, with its latest end. */
export function latestEnds(held: readonly HeldScope[]): readonly GrantedScope[] {
  return [...Map.groupBy(held, ({ name }) => name)].map(([name, some]) => ({
    name,
    expiresAt: latestOf(some.map(({ endsAt }) => endsAt)) ?? null,
  }));
}

/** Number of people whose access this is. */
export function peopleIn(held: readonly HeldScope[]): number {
  return new Set(held.map(({ personId }) => personId)).size;
}
