/** What the operator reads before a plan of `assent apply` ends something: what ends, and whether it comes back. */

import type { Change, Ended } from "@assent/server/configuration";
import { expect, test } from "vitest";
import { destructiveText } from "../src/plan-text.ts";

const TOKENS = "Issued access tokens work until they expire.";
const GONE = "Grants that ended don't come back when you undo the change.";
const BLOCKED = "Access to a blocked app doesn't come back when you lift the block.";
const THERE = "Access that an app already has at another server lasts until that server ends it.";

type Ending = Pick<Change, "action" | "noun" | "key" | "ends" | "question">;
const said = (...changes: readonly Ending[]) =>
  destructiveText({
    changes: changes.map((one) => ({ section: "clients", fields: [], ...one })) as readonly Change[],
    ...{ name: "small", unchanged: 0, left: [], adopted: [], warnings: [], notes: [] },
  });
const client = (action: "update" | "delete", ends: Ended): Ending => ({
  action,
  noun: "client",
  key: "a",
  ends,
});

test.each<[string, readonly Ending[], string]>([
  ["a client is deleted", [client("delete", { grants: 2 })], `${TOKENS} You can't undo this.`],
  ["a client is disabled: it can be enabled again", [client("update", { grants: 2 })], `${TOKENS} ${GONE}`],
  ["a disabled client had no grants", [client("update", { grants: 0 })], TOKENS],
  ["a lower limit of consents", [client("update", { consents: 2 })], TOKENS],
  ["a connection", [client("update", { app_connections: 1, connected_companies: 2 })], `${TOKENS} ${THERE}`],
  ["less of a connection", [client("update", { connection_permissions: 1 })], `${TOKENS} ${THERE}`],
  [
    "a provider is disabled",
    [{ action: "update", noun: "provider", key: "a", ends: { only_ways_to_sign_in: 1 } }],
    TOKENS,
  ],
  ["a scope is deleted", [{ action: "delete", noun: "scope", key: "a", ends: { uses_in_clients: 1 } }], TOKENS],
  ["a policy is deleted", [{ action: "delete", noun: "policy", key: "a", ends: {} }], TOKENS],
  [
    "an app is blocked",
    [{ action: "create", noun: "policy", key: "a", ends: { members_of_app: 1 } }],
    `${TOKENS} ${BLOCKED}`,
  ],
  [
    "an approval is narrower",
    [{ action: "update", noun: "policy", key: "a", ends: { permissions_of_members: 2 } }],
    `${TOKENS} Permissions that members lose don't come back when you undo the change.`,
  ],
  [
    "one is deleted, one is disabled",
    [client("delete", { grants: 2, app_connections: 1 }), client("update", { grants: 1 })],
    `${TOKENS} You can't undo a deletion. ${GONE} ${THERE}`,
  ],
])("%s → says whether it comes back", (_, changes, wanted) => {
  expect(said(...changes)?.replace(/^.*?(?=Issued)/, "")).toBe(wanted);
});

test("a change that ends nothing, with a question → the question alone", () => {
  const change = {
    action: "update",
    noun: "policy",
    key: "acme/a",
    question: "allows the app for all members",
  } as const;
  expect(said(change)).toBe("This change of policy acme/a allows the app for all members.");
  expect(said({ ...change, ends: { members_of_app: 1 } })).toContain(
    `This change of policy acme/a ends 1 member's use of the app. This change of policy acme/a allows the app for all members. ${TOKENS}`,
  );
});

test("nothing ends → no question", () => {
  expect(said({ action: "update", noun: "client", key: "a" } as Ending)).toBeUndefined();
});
