/** Operations that only read: the settings of the server, and why requests were refused. */

import { Type } from "typebox";
import { effectiveSettings } from "../../../admin/effective-settings.ts";
import { explained, explainedRecord, refusalOf, refusalRecord, refusalsPage } from "../../../admin/refusals/index.ts";
import { Cursors, DEFAULT_LIMIT, listQuery, pageInMemory, pageOf } from "../lists.ts";
import { at, operation, reads } from "../operation.ts";
import * as records from "../records.ts";
import { given, record, text } from "../schemas.ts";

const maybe = Type.Optional;

const settingOperations = [
  operation({
    ...at("settings.list", "GET /settings"),
    ...reads("settings"),
    summary: "List the settings that this process uses",
    notes:
      "Settings come from the environment and the configuration file, so nothing changes them while the server runs. A secret is masked.",
    command: "setting list",
    query: listQuery({ is_default: maybe(Type.Boolean({ description: "false: only settings that you changed" })) }),
    result: pageOf(records.settingRecord),
    async answer({ query, tools }) {
      const cursors = new Cursors("settings", query, tools);
      const { limit = DEFAULT_LIMIT, is_default: isDefault } = query;
      const all = effectiveSettings(tools.config).filter(
        (one) => isDefault === undefined || one["is_default"] === isDefault,
      );
      const page = pageInMemory(all, (one) => String(one["key"]), { limit, after: cursors.open(query.after) });
      return { record: { items: page.items, next: cursors.seal(page.next) } };
    },
  }),
];

const refusalOperations = [
  operation({
    ...at("refusals.list", "GET /refusals"),
    ...reads("refusals"),
    summary: "List refused requests, newest first",
    notes: "The server keeps them for 7 days.",
    command: "refusal list",
    query: listQuery({
      client_id: maybe(text(200, "only requests that named this client")),
      condition: maybe(text(100, "such as redirect_uri_mismatch")),
    }),
    result: pageOf(records.refusalRecord),
    async answer({ query, admin, tools }) {
      const cursors = new Cursors("refusals", query, tools);
      const { limit = DEFAULT_LIMIT, client_id: clientId, condition } = query;
      const asked = { ...given({ clientId, condition }), limit, after: cursors.open(query.after) };
      const { items, next } = await refusalsPage(asked, admin);
      return { record: { items: items.map(refusalRecord), next: cursors.seal(next) } };
    },
  }),
  operation({
    ...at("refusals.show", "GET /refusals/{request_id}"),
    ...reads("refusals"),
    summary: "Explain a refused request: its cause, and the commands that mend it",
    notes: "The number is on the error page, in `error_uri`, in the header `x-request-id` and in the log.",
    command: "refusal show",
    result: record({
      ...records.refusalRecord.properties,
      told: text(100, "the condition that the client was told"),
      error: text(100),
      status: Type.Integer(),
      section: text(200, "the section of the RFC with the rule"),
      explanation: Type.String(),
      commands: Type.Array(Type.String()),
    }),
    async answer({ params, admin }) {
      return { record: explainedRecord(explained(await refusalOf(params["request_id"] ?? "", admin))) };
    },
  }),
];

export const settingsAndRefusals = [...settingOperations, ...refusalOperations];
