/** What a new rule about an app takes from members, and whom it lets in. Pure functions. */

import type { Millis } from "../../oauth/model.ts";
import type { DefaultRule, ListedRule, NewRule } from "../company-storage.ts";

/** The present state that a new rule changes. */
export interface RuleNow {
  /** Undefined: there is none, or it has ended. */
  readonly rule: ListedRule | undefined;
  readonly defaultRule: DefaultRule;
  /** The latest end of the app's access in the company's name. Null: none. Undefined: there is no access. */
  readonly accessEnds: Millis | null | undefined;
}

/** The differences between the present rule and the next one. */
export interface RuleChange {
  /** True: from now on all members can connect the app, or can give it more. */
  readonly opens: boolean;
  readonly blocks: boolean;
  /** True: members could connect the app without asking, and some of them can't any more. */
  readonly withdraws: boolean;
  /** Members whom the present rule names and the next one does not allow. */
  readonly unnamed: readonly string[];
  /** The scopes that members' grants lose. */
  readonly lost: readonly string[];
  /** The access that lasts longest ends sooner than now: then and now. */
  readonly shortens: { readonly from: Millis | null; readonly to: Millis } | undefined;
}

/** A shorter time by less than this is no change: a year from now is later each time the page is shown. */
const UNNOTICED: Millis = 60_000;

/** `next`: null: the company's default applies. */
export function ruleChange({ rule, defaultRule, accessEnds }: RuleNow, next: NewRule | null): RuleChange {
  const before = rule?.rule === "allow" ? rule : undefined;
  const after = next?.rule === "allow" ? next : undefined;
  const wasForAll = before !== undefined && before.forSelected !== true;
  const isForAll = after !== undefined && after.selected === undefined;
  const wasOpen = wasForAll || (rule === undefined && defaultRule === "members");
  const gains = after?.scopes.some((name) => before?.scopes.includes(name) !== true) ?? false;
  const unnamed =
    before?.forSelected === true && !isForAll
      ? before.selected.filter((personId) => after?.selected?.includes(personId) !== true)
      : [];
  const blocks = next?.rule === "block";
  return {
    opens: isForAll && (!wasForAll || gains),
    blocks,
    withdraws: !blocks && !isForAll && ((wasOpen && !(next === null && rule === undefined)) || unnamed.length > 0),
    unnamed,
    lost: before === undefined || after === undefined ? [] : before.scopes.filter((one) => !after.scopes.includes(one)),
    shortens: after === undefined ? undefined : sooner(accessEnds, after.endsAt),
  };
}

function sooner(from: Millis | null | undefined, to: Millis | null): RuleChange["shortens"] {
  if (from === undefined || to === null) return undefined;
  return from === null || to < from - UNNOTICED ? { from, to } : undefined;
}
