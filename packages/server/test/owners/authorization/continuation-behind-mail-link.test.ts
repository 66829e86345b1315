import { expect, test } from "vitest";
import { textSealer } from "../../../src/crypto/seal.ts";
import { Secrets } from "../../../src/crypto/server-secret.ts";
import { findBehindLink, keepForLink } from "../../../src/owners/authorization/continuation-behind-mail-link.ts";

const sealer = textSealer(new Secrets([Buffer.alloc(32, 7)]));
const continuation = { kind: "invitation", token: "genuine" } as const;
const grace = { username: "grace", name: "Grace Hopper" };

test.each([
  ["a person", grace],
  ["one without a display name", { username: "grace", name: null }],
  ["the operator", null],
])("an invitation by %s → kept and found as it was, with the username where earlier versions read it", (_, by) => {
  const waitingFor = { kind: "invitation", company: "Acme Corp", role: "admin", by } as const;
  const kept = keepForLink(continuation, waitingFor, "browser", { sealer });
  expect(JSON.parse(kept)[0].by).toBe(by === null ? null : "grace");
  expect(findBehindLink(kept, "browser", { sealer })).toEqual({ kind: "here", continuation, waitingFor });
  expect(findBehindLink(kept, "other", { sealer })).toEqual({ kind: "elsewhere", waitingFor });
});

test("an invitation that an earlier version kept → its text is the name", () => {
  const kept = JSON.stringify([{ kind: "invitation", company: "Acme", role: "member", by: "grace (Grace)" }, "x"]);
  const waitingFor = {
    kind: "invitation",
    company: "Acme",
    role: "member",
    by: { username: "grace (Grace)", name: null },
  };
  expect(findBehindLink(kept, "browser", { sealer })).toEqual({ kind: "elsewhere", waitingFor });
});
