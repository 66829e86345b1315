/** The fields of a plan of `assent apply`: what a value loses and gets is shown, however long it is. */

import type { Change } from "@assent/server/configuration";
import { expect, test } from "vitest";
import { planText } from "../src/plan-text.ts";

type FieldChange = Change["fields"][number];
function shown(action: "create" | "update", ...fields: readonly FieldChange[]): readonly string[] {
  const text = planText({
    changes: [{ action, section: "clients", noun: "client", key: "a", fields }],
    ...{ name: "small", unchanged: 0, left: [], adopted: [], warnings: [], notes: [] },
  });
  return text.split("\n").slice(1, -2);
}
const change = (field: string, before: unknown, after: unknown) => shown("update", { field, before, after });

const CHAT = {
  audience: "https://chat.example.com",
  company: null,
  client_id: "web-at-the-chat-server-of-the-company",
};
const connection = (scope: string, resources: readonly string[] = []) => ({
  ...{ ...CHAT, scope, resources, status: "active" },
});

test("a connection gets a scope and loses its APIs → one line for each, not two equal texts", () => {
  const before = {
    subjects: ["access_token"],
    connections: [connection("chat:read", ["https://chat.example.com/api"])],
  };
  const after = { subjects: ["access_token"], connections: [connection("chat:read chat:admin")] };
  expect(change("token_exchange", before, after)).toEqual([
    "    token_exchange:",
    "      connections:",
    "        ~ https://chat.example.com",
    "          scope:",
    "            + chat:admin",
    "          resources:",
    "            - https://chat.example.com/api",
  ]);
});

test("connections for companies, added and removed → each with its whole content", () => {
  const forAcme = { ...connection("chat:read"), company: "acme" };
  const [line, lost, won] = change("connections", [connection("chat:read")], [forAcme]).map((one) => one.trim());
  expect(line).toBe("connections:");
  expect(lost).toBe(`- ${JSON.stringify(connection("chat:read"))}`);
  expect(won).toBe(`+ ${JSON.stringify(forAcme)}`);
});

test("an object is set, changed and removed → its fields", () => {
  expect(change("token_exchange", null, { audiences: ["https://a.test"], impersonation: true })).toEqual([
    "    token_exchange:",
    "      audiences:",
    "        + https://a.test",
    "      impersonation: - → yes",
  ]);
  expect(change("workload_identity", { issuer: "https://a.test", subject: "x" }, null)).toEqual([
    "    workload_identity:",
    "      issuer: https://a.test → -",
    "      subject: x → -",
  ]);
});

test("texts that differ after 100 characters, or after the first line → the part that differs", () => {
  const long = "x".repeat(300);
  const [line = ""] = change("description", `${long} one`, `${long} two`);
  expect(line).toMatch(/^ {4}description: …x{19} one → …x{19} two$/);
  const [pem = ""] = change("certificate", "-----BEGIN\nAAAA\n-----END", "-----BEGIN\nAAAB\n-----END");
  const [old, now] = pem.split(" → ");
  expect(old).toContain("AAAA");
  expect(now).toContain("AAAB");
  const [ends = ""] = change("name", "x".repeat(150), `${"x".repeat(150)}${"y".repeat(300)}`);
  expect(ends.length).toBeLessThan(300);
  expect(ends).toMatch(/x → .*y…$/);
});

test("two values of a list that differ after 100 characters → both whole", () => {
  const long = `https://a.test/${"x".repeat(100)}`;
  expect(change("redirect_uris", [`${long}1`], [`${long}2`])).toEqual([
    "    redirect_uris:",
    `      - ${long}1`,
    `      + ${long}2`,
  ]);
});

test("a new record → all of a long object, by its fields", () => {
  const policy = { audiences: ["https://a.test"], connections: [connection("chat:read")] };
  expect(shown("create", { field: "token_exchange", before: null, after: policy })).toEqual([
    "    token_exchange:",
    "      audiences: https://a.test",
    "      connections:",
    `        ${JSON.stringify(connection("chat:read"))}`,
  ]);
});
