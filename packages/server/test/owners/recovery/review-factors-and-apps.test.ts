import { expect, test } from "vitest";
import type { SecondFactor } from "../../../src/owners/factor-storage.ts";
import { decide, type Holdings, review, suggested } from "../../../src/owners/recovery/review-factors-and-apps.ts";
import { FROM_OWNER, FROM_STRANGER, NOW } from "../../storage/support/record-builders.ts";

function aHolding(factor: Partial<SecondFactor>): Holdings {
  const authenticator = { sealedSecret: new Uint8Array(), lastStep: 1, createdAt: NOW, lastUsedAt: null };
  const codes = { codesAt: NOW, codesLeft: 10, earlierCodesLeft: 0 };
  return {
    ...{
      passkeys: [],
      passkeysWork: true,
      devices: [],
      consents: [],
      resumed: new Map(),
      companies: [],
      changedAt: null,
    },
    factor: { ...authenticator, added: FROM_STRANGER, ...codes, codesAdded: FROM_STRANGER, earlier: null, ...factor },
  };
}

const reviewed = (factor: Partial<SecondFactor>) => review(aHolding(factor), undefined, NOW + 1);
const doubtful = (factor: Partial<SecondFactor>) =>
  reviewed(factor)
    .factors.filter((one) => one.doubtful)
    .map(({ kind }) => kind);

test.each<[string, Partial<SecondFactor>, readonly string[]]>([
  ["came with a doubtful authenticator", {}, ["authenticator"]],
  ["were made anew for a doubtful authenticator", { codesAt: NOW + 1 }, ["authenticator", "codes"]],
  ["were made anew for one that is vouched for", { added: FROM_OWNER, codesAt: NOW + 1 }, ["codes"]],
  ["were made anew, and are used up", { codesAt: NOW + 1, codesLeft: 0 }, ["authenticator"]],
  ["are vouched for", { added: FROM_OWNER, codesAdded: FROM_OWNER }, []],
])("recovery codes that %s → doubtful: %j", (_, factor, wanted) => {
  expect(doubtful(factor)).toEqual(wanted);
});

test("codes made anew for a doubtful authenticator that its owner keeps → they can go alone; the authenticator never goes without them", () => {
  const found = reviewed({ codesAt: NOW + 1 });
  const removed = (factors: readonly string[]) =>
    decide(found, { factors, apps: [], companies: [] }, Infinity).removed.map(({ kind }) => kind);
  expect(removed(suggested(found).factors)).toEqual(["authenticator", "codes"]);
  expect(removed(["codes"])).toEqual(["codes"]);
  expect(removed(["authenticator"])).toEqual(["authenticator", "codes"]);
  expect(removed([])).toEqual([]);
});
