import { expect, test } from "vitest";
import { textSealer } from "../../../src/crypto/seal.ts";
import { Secrets } from "../../../src/crypto/server-secret.ts";
import { type Carried, type Continuation, carried, opened } from "../../../src/owners/authorization/continuation.ts";

const sealer = textSealer(new Secrets([Buffer.alloc(32, 7)]));
const credentials = { read: (_: "invitation", token: string) => (token === "genuine" ? {} : undefined) };
const context = { sealer, credentials };
const open = (fields: Carried, browser = "browser") => opened((name) => fields[name] ?? null, browser, context);

const request = { kind: "request", query: "client_id=a&state=ü", startedAt: 5, nonce: "n", codeSalt: "s" } as const;
const device = { kind: "device", userCode: "BCDF", claimedBy: "s", clientId: null, confirmed: true } as const;
const page = { kind: "account_page", page: "passkeys", behind: undefined } as const;

const kinds: readonly (readonly [string, Continuation])[] = [
  ["an authorization request", request],
  ["a device", device],
  ["a request whose page showed approvals", { ...request, approvals: { company: "1.2" } }],
  ["likewise of an app that describes itself", { ...request, seen: "looks", approvals: {} }],
  ["a device whose page showed approvals", { ...device, approvals: { company: "1." } }],
  ["an invitation", { kind: "invitation", token: "genuine" }],
  ["a page of the account", page],
  ["the members of a company", { ...page, page: "company/acme" }],
  ["a page of the account with a request behind it", { ...page, behind: request }],
];

test.each(kinds)("%s → carried and opened as it was", (_, continuation) => {
  expect(open(carried(continuation, "browser", context))).toEqual(continuation);
});

test("nothing → nothing", () => {
  expect(open(carried(undefined, "browser", context))).toBeUndefined();
});

test.each([
  ["a request", carried(request, "browser", context)],
  ["a device", carried(device, "browser", context)],
])("%s of another browser, or changed → unknown", (_, fields) => {
  expect(open(fields, "other")).toBe("unknown");
  const changed = Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, `${text}A`]));
  expect(open(changed)).toBe("unknown");
});

test("a device's text as a request, and the other way round → unknown", () => {
  expect(open({ request: carried(device, "browser", context).device ?? "" })).toBe("unknown");
  expect(open({ device: carried(request, "browser", context).request ?? "" })).toBe("unknown");
});

test.each([
  ["too long", { request: "A".repeat(32_769) }, "unknown"],
  ["not base64url", { device: "a b" }, "unknown"],
  ["an invitation that is none of ours", { invitation: "forged" }, undefined],
  ["a page that isn't there", { to: "admin" }, undefined],
  ["a property of every object", { to: "constructor" }, undefined],
  ["a company that can't be", { to: "company/../x" }, undefined],
] as const)("%s", (_, fields, expected) => {
  expect(open(fields)).toBe(expected);
});
