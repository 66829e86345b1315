import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { partitionOfName } from "../../../src/storage/partition.ts";
import { onEveryBackend } from "../support/backends.ts";
import { MINUTE, NOW } from "../support/record-builders.ts";

const sealed = new Uint8Array(randomBytes(40));

onEveryBackend("answers of the operator's own sign-in page", (storage) => {
  const anAnswer = () => {
    const challengeId = randomBytes(16).toString("base64url");
    const partition = partitionOfName("external sign-in", challengeId);
    return { partition, challengeId, verifierHash: "the hash", sealed, until: NOW + MINUTE };
  };
  const given = async () => {
    const answer = anAnswer();
    expect(await storage().externalAnswers.give(answer)).toEqual({ kind: "first" });
    return answer;
  };

  test("nobody answered, or the verifier is another's → unknown, and the answer can still be used", async () => {
    expect(await storage().externalAnswers.use({ ...anAnswer(), now: NOW })).toEqual({ kind: "unknown" });
    const answer = await given();
    const guess = { ...answer, verifierHash: "another", now: NOW };
    expect(await storage().externalAnswers.use(guess)).toEqual({ kind: "unknown" });
    expect(await storage().externalAnswers.use({ ...answer, now: NOW })).toMatchObject({ kind: "used" });
  });

  test("too late → over", async () => {
    const answer = await given();
    expect(await storage().externalAnswers.use({ ...answer, now: NOW + MINUTE })).toEqual({ kind: "over" });
  });

  test("a second answer → the first one stays, with what is known of it", async () => {
    const answer = await given();
    const other = { ...answer, verifierHash: "other", sealed: new Uint8Array([1]) };
    expect(await storage().externalAnswers.give(other)).toEqual({
      ...{ kind: "before", verifierHash: "the hash", used: false },
    });
    const used = await storage().externalAnswers.use({ ...answer, now: NOW });
    expect(used.kind === "used" && Buffer.from(used.sealed)).toEqual(Buffer.from(sealed));
    expect(await storage().externalAnswers.give(answer)).toMatchObject({ kind: "before", used: true });
  });

  test("twenty callers at once → one gives the answer, and one uses it", async () => {
    const answer = anAnswer();
    const twenty = Array.from({ length: 20 });
    const gave = await Promise.all(twenty.map(() => storage().externalAnswers.give(answer)));
    expect(gave.filter(({ kind }) => kind === "first")).toHaveLength(1);
    const uses = await Promise.all(twenty.map(() => storage().externalAnswers.use({ ...answer, now: NOW })));
    expect(uses.map(({ kind }) => kind).sort()).toEqual([...Array.from({ length: 19 }, () => "over"), "used"]);
  });

  test("housekeeping → old ones are deleted, others stay", async () => {
    const [old, young] = [await given(), { ...(await given()) }];
    const later = anAnswer();
    await storage().externalAnswers.give({ ...later, until: NOW + 3 * MINUTE });
    await storage().housekeeping.collect({ what: "external_answers", now: NOW + 2 * MINUTE, limit: 1000 });
    for (const one of [old, young]) expect(await storage().externalAnswers.give(one)).toEqual({ kind: "first" });
    expect(await storage().externalAnswers.give(later)).toMatchObject({ kind: "before" });
  });
});
