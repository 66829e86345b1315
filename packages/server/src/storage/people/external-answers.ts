/** Verbs of answers of the operator's own sign-in page: each is given once, and used once by the browser that began. */

import type {
  ExternalAnswerStorage,
  GivenAnswer,
  UsedAnswer,
} from "../../owners/identities/external-answer-storage.ts";
import { sql, statement } from "../define-verbs.ts";
import { bytes, text, wholeOrNull } from "../row-conversion.ts";

type Port = ExternalAnswerStorage["externalAnswers"];
type Args<Name extends keyof Port> = Parameters<Port[Name]>[0];

const thisAnswer = sql`partition = :partition AND challenge_id = :challengeId`;
const present = sql`SELECT verifier_hash, used_at FROM external_answers WHERE ${thisAnswer}`;

export const giveAnswer = statement<Args<"give">, GivenAnswer>({
  lock: "challengeId",
  sql: sql`INSERT INTO external_answers (partition, challenge_id, verifier_hash, sealed, used_at, until)
    VALUES (:partition, :challengeId, :verifierHash, :sealed, NULL, :until)
    ON CONFLICT (partition, challenge_id) DO NOTHING RETURNING challenge_id`,
  why: present,
  bind: ({ partition, challengeId, verifierHash, sealed, until }) => ({
    ...{ partition, challengeId, verifierHash, sealed, until },
  }),
  outcome: (row, _, before) =>
    row !== undefined || before === undefined
      ? { kind: "first" }
      : {
          kind: "before",
          verifierHash: text(before, "verifier_hash"),
          used: wholeOrNull(before, "used_at") !== null,
        },
});

export const useAnswer = statement<Args<"use">, UsedAnswer>({
  lock: "challengeId",
  sql: sql`UPDATE external_answers SET used_at = :now
    WHERE ${thisAnswer} AND verifier_hash = :verifierHash AND used_at IS NULL AND until > :now RETURNING sealed`,
  why: sql`SELECT until FROM external_answers WHERE ${thisAnswer} AND verifier_hash = :verifierHash`,
  bind: ({ partition, challengeId, verifierHash, now }) => ({ partition, challengeId, verifierHash, now }),
  outcome: (row, _, before) =>
    row === undefined
      ? { kind: before === undefined ? "unknown" : "over" }
      : { kind: "used", sealed: bytes(row, "sealed") },
});
