/** Operations on a configuration as a whole: what a file would change, the change, and the file of what there is. */

import { createHash } from "node:crypto";
import { Type } from "typebox";
import { at, operation, reads, writes } from "../operation.ts";
import { ApiRefusal } from "../problem.ts";
import { body, oneOf, orNull, record, text, texts } from "../schemas.ts";
import type { ConfigurationPlan, ConfigurationTools } from "../tools.ts";

const maybe = Type.Optional;
/** Bytes of a request: the file (1 MiB), written as JSON, and the values of its references. */
const MOST = 4_194_304;
const MAX_TEXT = 1_048_576;
const MAX_VALUE = 65_536;
/** A SHA-256 hash, base64url. */
const FINGERPRINT = "^[A-Za-z0-9_-]{43}$";

const file = {
  text: text(MAX_TEXT, "the file, in YAML"),
  values: maybe(
    Type.Record(Type.String({ maxLength: 4_200 }), text(MAX_VALUE), {
      description: 'the value of each reference in the file, by its JSON: {"env":"NAME"}; they are stored as secrets',
      maxProperties: 1000,
    }),
  ),
  prune: maybe(Type.Boolean({ description: "delete what the file described before; default false" })),
};

const change = record({
  action: oneOf(["create", "update", "delete"]),
  section: text(100),
  noun: text(100),
  key: text(2_100),
  fields: Type.Array(record({ field: text(200), before: Type.Unknown(), after: Type.Unknown() })),
  ends: maybe(Type.Record(Type.String(), Type.Integer(), { description: "how many things of each sort end with it" })),
  question: maybe(text(5_000, "what an operator should confirm: the change …")),
});

const plan = record({
  name: text(64),
  changes: Type.Array(change),
  unchanged: Type.Integer(),
  adopted: texts(10_000, 2_200, "records that belong to this file from now on"),
  left: texts(10_000, 2_200, "records that the file described before, and that stay"),
  warnings: texts(10_000, 2_500),
  notes: texts(10_000, 5_000, "what the changes mean for access that exists"),
  problems: Type.Array(
    record({
      field: orNull(text(2_500)),
      problem: text(5_000),
      line: orNull(Type.Integer()),
      column: orNull(Type.Integer()),
    }),
    { description: "what is wrong with the file; then there are no changes" },
  ),
  fingerprint: text(43, "of these changes"),
});

/** It says what ends, but not how much: where people use an app, that changes all the time. */
const planned = (found: ConfigurationPlan) => {
  const changes = found.changes.map(({ ends = {}, ...one }) => ({ ...one, ends: namesOf(ends) }));
  const { notes: _, ...rest } = found;
  const fingerprint = createHash("sha256")
    .update(JSON.stringify({ ...rest, changes }))
    .digest("base64url");
  return { ...found, fingerprint };
};

const namesOf = (ends: Readonly<Record<string, number>>) => Object.keys(ends).filter((name) => ends[name] !== 0);

/** The values are secrets, so no event and no message repeats them. */
const askedOf = (asked: { text: string; values?: Record<string, string>; prune?: boolean }) => ({
  text: asked.text,
  values: asked.values ?? {},
  prune: asked.prune ?? false,
});

export const configurations = [
  operation({
    ...at("configurations.plan", "POST /configurations/plan"),
    ...reads(null),
    summary: "Show what a configuration file would change",
    notes: "It changes nothing. Problems of the file are in the answer, with their lines.",
    command: "apply",
    repeats: true,
    most: MOST,
    body: body(file),
    result: plan,
    async answer({ body, tools, admin, authority }) {
      const configuration: ConfigurationTools = await tools.configuration();
      const found = await configuration.plan(askedOf(body), { admin, authority, cause: null });
      return { record: planned(found.plan) };
    },
  }),
  operation({
    ...at("configurations.apply", "POST /configurations/apply"),
    ...writes(null),
    summary: "Make the server's records like a configuration file says",
    notes:
      "All changes are made in one transaction, or none. With `fingerprint`, only the changes of that plan are made: if anything was changed since, the answer is 409.",
    command: "apply",
    most: MOST,
    body: body({ ...file, fingerprint: maybe(Type.String({ pattern: FINGERPRINT, description: "of the plan" })) }),
    result: plan,
    async answer({ body, tools, admin, authority, cause }) {
      const configuration = await tools.configuration();
      const found = await configuration.plan(askedOf(body), { admin, authority, cause });
      const answer = planned(found.plan);
      if (body.fingerprint !== undefined && body.fingerprint !== answer.fingerprint)
        throw new ApiRefusal("record_conflict", [
          { field: "fingerprint", problem: "somebody changed something since the plan: ask for a new plan" },
        ]);
      const problems = found.plan.problems.length > 0 ? found.plan.problems : await found.perform();
      if (problems.length > 0)
        throw new ApiRefusal(
          "field_invalid",
          problems.map(({ field, problem, line, column }) => ({
            field: "text",
            problem: `${line === null ? "" : `${line}:${column}: `}${field === null ? "" : `${field}: `}${problem}`,
          })),
        );
      return { record: answer };
    },
  }),
  operation({
    ...at("configurations.export", "GET /configurations/export"),
    ...reads(null),
    summary: "Write what there is as a configuration file, without secrets and people",
    command: "export",
    query: Type.Object(
      {
        name: maybe(
          Type.String({ pattern: "^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$", description: "of the configuration" }),
        ),
      },
      { additionalProperties: false },
    ),
    result: record({ text: Type.String() }),
    async answer({ query, tools, admin }) {
      return { record: { text: await (await tools.configuration()).write(query.name, admin) } };
    },
  }),
];
