/** Reads the form with an admin's rule about one app. */

import { cappedEnd, ceilingOf, receiversOf } from "../../oauth/consent-reach.ts";
import type { Client, Millis } from "../../oauth/model.ts";
import { membersNamed } from "../../owners/companies/app-details.ts";
import { endOfRule, MAX_SELECTED } from "../../owners/company-rules.ts";
import type { ListedRule, NewRule } from "../../owners/company-storage.ts";
import { endOf } from "../../owners/consent-after-decision.ts";
import { fixedDurations, offeredDurations, readDuration } from "../../owners/consent-needed.ts";
import type { ConsentDuration } from "../../owners/storage.ts";
import type { CompanyRuleForm } from "../../pages/company/views.ts";
import type { CompanyTools, InCompany } from "./require-membership.ts";

/** The value of the duration that keeps the end of the current rule. */
export const SAME_END = "same";
/** Maximum length of the field for other members' usernames, in characters. */
const MOST_TYPED = 2_000;

/** The admin's input, which the page shows again. */
export interface TypedRule {
  readonly rule: CompanyRuleForm["rule"];
  readonly audience: CompanyRuleForm["audience"];
  readonly members: readonly string[];
  readonly others: string;
  readonly scopes: readonly string[];
  readonly duration: string;
}

const RULES = ["allow", "ask", "block", "default"] as const;
const AUDIENCES = ["everybody", "selected"] as const;

export function typedRule(form: URLSearchParams): TypedRule {
  const named = <T extends string>(all: readonly T[], name: string) =>
    all.find((one) => one === form.get(name)) ?? null;
  return {
    rule: named(RULES, "rule"),
    audience: named(AUDIENCES, "audience"),
    members: [...new Set(form.getAll("member"))].filter((one) => /^[\w-]{22}$/.test(one)).slice(0, MAX_SELECTED + 1),
    others: (form.get("others") ?? "").trim().slice(0, MOST_TYPED),
    scopes: form.getAll("scope"),
    duration: form.get("duration") ?? "",
  };
}

/** The durations for an approval. `once` is left out, because an approval must last longer than one request. */
export function longDurations(
  client: Client,
  { apps: { consentDurations, oauth } }: CompanyTools,
): readonly ConsentDuration[] {
  const durations = fixedDurations(consentDurations).filter((one) => one !== "once");
  const most: readonly ConsentDuration[] = durations.length > 0 ? durations : ["forever"];
  return offeredDurations(most, ceilingOf(client, oauth.policy));
}

export type RuleRead =
  | { readonly kind: "rule"; readonly rule: NewRule | null }
  | { readonly kind: "wrong"; readonly problem: NonNullable<CompanyRuleForm["problem"]> };

function wrong(kind: NonNullable<CompanyRuleForm["problem"]>["kind"], about = ""): RuleRead {
  return { kind: "wrong", problem: { kind, about } };
}

/** The rule that the form asks for. Null: the company's default. */
export async function ruleIn(
  at: InCompany,
  typed: TypedRule,
  { client, before, form }: { readonly client: Client; readonly before: ListedRule | undefined; form: URLSearchParams },
  tools: CompanyTools,
): Promise<RuleRead> {
  const { rule, audience } = typed;
  if (rule === null) return wrong("rule");
  if (rule === "default") return { kind: "rule", rule: null };
  if (rule !== "allow") return { kind: "rule", rule: { rule, scopes: [], hosts: [], endsAt: null } };
  if (audience === null) return wrong("audience");
  const names = audience === "selected" ? typed.others.split(/[\s,;]+/u).filter((name) => name !== "") : [];
  if (typed.members.length + names.length > MAX_SELECTED) return wrong("tooMany");
  const named = await membersNamed(at, names, tools.companies);
  if (named.unknown !== undefined) return wrong("unknownMember", named.unknown);
  const selected = [...new Set([...typed.members, ...named.personIds])];
  if (audience === "selected" && selected.length === 0) return wrong("members");
  const known = await tools.apps.oauth.catalog.scopes();
  // The form may name any scope. The rule covers only those that the app may ask for, and none for operators.
  const scopes = client.scopes.filter((name) => typed.scopes.includes(name) && known.get(name)?.ownerRole === null);
  if (scopes.length === 0) return wrong("scopes");
  const endsAt = endIn(typed, client, before, tools);
  if (endsAt === undefined) return wrong("duration");
  const shown = form.getAll("host");
  return {
    kind: "rule",
    rule: {
      ...{ rule, scopes, endsAt },
      // The admin has not seen hosts that were registered after the page was made.
      hosts: receiversOf(client).filter((host) => shown.includes(host)),
      ...(audience === "selected" ? { selected } : {}),
    },
  };
}

/** When the rule ends (null: never). Undefined: the form names no duration that is offered. */
function endIn(
  { duration }: TypedRule,
  client: Client,
  before: ListedRule | undefined,
  tools: CompanyTools,
): Millis | null | undefined {
  const ceiling = ceilingOf(client, tools.apps.oauth.policy);
  // A ceiling counts from the rule before, so that saving again does not move the end that the page shows.
  if (duration === SAME_END && before?.rule === "allow") return endOfRule(before, { ceiling });
  const chosen = readDuration(duration, longDurations(client, tools));
  const now = tools.now();
  return chosen === undefined ? undefined : cappedEnd(endOf(chosen, now, now), now, ceiling);
}
