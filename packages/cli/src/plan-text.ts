/** A plan of `assent apply` for people: `+` creates, `~` changes, `-` deletes. */

import type { Change, Ended, Plan } from "@assent/server/configuration";
import { counted, TOKENS } from "./confirm.ts";
import { coloured, fieldLines } from "./plan-fields.ts";
import { printable } from "./print-records.ts";

const SIGNS = { create: "+", update: "~", delete: "-" } as const;

/** As the server counts. */
const MOST_COUNTED = 100_000;
/** `done`: it was applied. */
export function planText(plan: Plan, done = false): string {
  const lines = plan.changes.flatMap(changeLines);
  const left = plan.left.map(
    (one) => `  ${printable(one)} is not in the file any more, and stays: to delete it, use --prune`,
  );
  const adopted =
    plan.adopted.length === 0
      ? []
      : [
          `  ${counted(plan.adopted.length, "record")} that nobody's file described ${plan.adopted.length === 1 ? "belongs" : "belong"} to this file once it is applied`,
        ];
  return [...lines, ...left, ...adopted, summary(plan, done)].map((line) => `${line}\n`).join("");
}

export function summary({ changes, unchanged }: Plan, done: boolean): string {
  if (changes.length === 0) return `No changes. ${counted(unchanged, "record")} as the file says.`;
  const part = (action: Change["action"], will: string, was: string) =>
    `${changes.filter((one) => one.action === action).length} ${done ? was : will}`;
  const parts = [
    part("create", "to create", "created"),
    part("update", "to change", "changed"),
    part("delete", "to delete", "deleted"),
  ];
  return `${parts.join(", ")}, ${unchanged} unchanged.`;
}

function changeLines({ action, noun, key, fields, ends }: Change): readonly string[] {
  const sign = SIGNS[action];
  const title = coloured(sign, `${sign} ${noun} ${printable(key)}`);
  const taken = ends === undefined ? "" : ` (ends ${endsText(ends)})`;
  return [`${title}${taken}`, ...fields.flatMap((one) => fieldLines(action, one))];
}

/** One and several of what can end. */
const WORDS: Readonly<Record<keyof Ended, readonly [string, string]>> = {
  grants: ["grant", "grants"],
  consents: ["consent", "consents"],
  approvals: ["approval of a company", "approvals of companies"],
  memberships: ["membership", "memberships"],
  uses_in_clients: ["use in a client", "uses in clients"],
  subject_links: ["link of a subject", "links of subjects"],
  connections: ["connection to a person", "connections to people"],
  only_ways_to_sign_in: ["person's only way to sign in", "people's only ways to sign in"],
  members_of_app: ["member's use of the app", "members' uses of the app"],
  permissions_of_members: ["permission of a member", "permissions of members"],
  app_connections: ["connection or offer at another server", "connections or offers at other servers"],
  connected_companies: ["company's access at another server", "companies' access at other servers"],
  connection_permissions: ["permission at another server", "permissions at other servers"],
  connection_apis: ["API of a connection at another server", "APIs of connections at other servers"],
  unlimited_connections: [
    "connection's access to all APIs of another server",
    "connections' access to all APIs of other servers",
  ],
};

/** `3 grants and 1 consent`. */
export function endsText(ends: Ended): string {
  const parts = (Object.keys(WORDS) as (keyof Ended)[]).flatMap((name) => {
    const count = ends[name] ?? 0;
    const [one, many] = WORDS[name];
    return count === 0 ? [] : [counted(count, one, MOST_COUNTED, many)];
  });
  const last = parts.pop();
  if (last === undefined) return "no access";
  return parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
}

/** What the operator reads before they say yes. Undefined: nothing ends, and there is nothing to confirm. */
export function destructiveText({ changes }: Plan): string | undefined {
  const ending = changes.filter(({ ends }) => ends !== undefined);
  const parts = changes.flatMap(({ action, noun, key, ends, question }) => {
    const doing = `${action === "delete" ? "Deleting" : "This change of"} ${noun} ${key}`;
    return [
      ...(ends === undefined ? [] : [`${doing} ends ${endsText(ends)}.`]),
      ...(question === undefined ? [] : [`${doing} ${question}.`]),
    ];
  });
  if (parts.length === 0) return undefined;
  return [...parts, ...(ending.length === 0 ? [] : [TOKENS, ...undoText(ending)])].join(" ");
}

/** What ends by a change, and comes back when the file has the earlier value again. */
const RETURNS: ReadonlySet<string> = new Set<keyof Ended>([
  // A limit of consents that is raised again.
  "consents",
  // A provider that is enabled again.
  "only_ways_to_sign_in",
  ...(["app_connections", "connected_companies"] as const),
  ...(["connection_permissions", "connection_apis", "unlimited_connections"] as const),
]);
/** What an app can still have at another server afterwards. */
const THERE = ["app_connections", "connection_permissions", "connection_apis", "unlimited_connections"] as const;
/** What a scope of the same name has again. */
const RETURNS_AFTER_DELETION: ReadonlySet<string> = new Set<keyof Ended>(["uses_in_clients"]);

/** What can't be undone. Without a sentence, all of it can. */
function undoText(ending: readonly Change[]): readonly string[] {
  const isGone = ending.some(
    ({ action, ends = {} }) =>
      action === "delete" && Object.keys(ends).some((name) => !RETURNS_AFTER_DELETION.has(name)),
  );
  const gone = ending
    .filter(({ action }) => action !== "delete")
    .flatMap(({ ends = {} }) => Object.entries(ends).filter(([name, count]) => count > 0 && !RETURNS.has(name)))
    .map(([name]) => name);
  return [
    ...(isGone ? [ending.length === 1 ? "You can't undo this." : "You can't undo a deletion."] : []),
    // A disabled client or company. Consents stay, and count again when it is enabled.
    ...(gone.includes("grants") ? ["Grants that ended don't come back when you undo the change."] : []),
    ...(gone.includes("permissions_of_members")
      ? ["Permissions that members lose don't come back when you undo the change."]
      : []),
    ...(gone.includes("members_of_app") ? ["Access to a blocked app doesn't come back when you lift the block."] : []),
    ...(ending.some(({ ends }) => THERE.some((name) => (ends?.[name] ?? 0) > 0))
      ? ["Access that an app already has at another server lasts until that server ends it."]
      : []),
  ];
}
