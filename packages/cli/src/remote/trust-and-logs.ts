/** `assent issuer …`, `provider …`, `key …`, `events …`, `refusal …`, `admin …` and `setting …` on a server. */

import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { KeyRecord, ProviderImpactRecord } from "@assent/server/admin";
import { lineOf, UsageError } from "../command-errors.ts";
import { rolesOf } from "../commands/company-provider.ts";
import { type Filters, filtersOf, lineOfRecord, oneLine } from "../commands/events.ts";
import {
  companyIn,
  ISSUER_DISABLED,
  ISSUER_LISTS,
  type IssuerOptions,
  issuerDeletionTold,
  settingsOf as issuerSettingsOf,
  keysOf,
} from "../commands/issuer.ts";
import { ROTATED_NOW, retiringText, tellRetired } from "../commands/key.ts";
import {
  type ProviderOptions,
  providerDeletionTold,
  providerDisabledText,
  settingsOf as providerSettingsOf,
} from "../commands/provider.ts";
import { revokingQuestion } from "../commands/registration.ts";
import { settingText } from "../commands/setting.ts";
import { linesOf } from "../commands/user-import.ts";
import {
  ONCE,
  type Settings as WebhookSettings,
  webhookQuestion,
  settingsOf as webhookSettingsOf,
} from "../commands/webhook.ts";
import { confirm, confirmOnTerminal, limitText } from "../confirm.ts";
import { changesOf, listRemarks, listsAfter } from "../list-changes.ts";
import { TOKEN_COLUMNS } from "../list-columns.ts";
import { secretFromStdin } from "../password-prompt.ts";
import { given, requireChanges } from "../shared-options.ts";
import type { Body } from "./api.ts";
import {
  columns,
  companyId,
  deletionTold,
  limitOf,
  listed,
  on,
  type RemoteCall,
  type RemoteCommand,
  type RemoteCommands,
  show,
  textOption,
  userId,
  wire,
} from "./call.ts";

/** Shows a record that was made or changed, with warnings that name the flags of the command. */
function showChanged({ command, out }: RemoteCall, record: Body): void {
  show(out, record, [], (remark) => lineOf(remark, command));
}

const eventFilters = (options: object) => filtersOf(options as Filters);

async function issuerFields(call: Parameters<RemoteCommand>[0]): Promise<Body> {
  const options = call.options as unknown as IssuerOptions;
  const company = await companyIn(options.company, async (slug) => ({ companyId: await companyId(call, slug) }));
  return { ...wire(issuerSettingsOf(options)), ...company, ...wire((await keysOf(options)) ?? {}) };
}

/** The lists of a record that `issuer update` can change. */
function listsOf({ scope, clients, email_domains: emailDomains, subjects }: Body) {
  const list = (value: unknown) => (Array.isArray(value) ? (value as readonly string[]) : []);
  return {
    scopes: String(scope ?? "")
      .split(" ")
      .filter((word) => word !== ""),
    ...{ clients: list(clients), emailDomains: list(emailDomains), subjects: list(subjects) },
  };
}

/** Asks before a limit is taken away. */
async function confirmLimits({ api, options }: RemoteCall, issuer: string, changes: Body): Promise<void> {
  const { limitsLost } = await import("@assent/server/admin");
  const limitsOf = (record: Body) => {
    const { company, tenant } = record as { readonly company?: string | null; readonly tenant?: string | null };
    return { ...listsOf(record), company: company ?? null, tenant: tenant ?? null };
  };
  const present = await api.call("issuers.show", { path: [issuer] });
  const opens = limitsLost(limitsOf(present), limitsOf({ ...present, ...changes }));
  if (opens.length > 0) await confirm(`${on(api)}${limitText(`issuer ${issuer}`, opens)}`, options);
}

const issuerCommands: RemoteCommands = {
  "issuer create": async (call) => {
    const { type, issuer } = call.options;
    const body = { type, issuer, ...(await issuerFields(call)) };
    showChanged(call, await call.api.call("issuers.create", { body }));
  },
  "issuer list": listed(
    "issuers.list",
    columns("issuer", "type", "status", "scope", "map_subject", "create_owners"),
    "There are no trusted issuers.",
  ),
  "issuer update": async (call) => {
    const { args, options, api, out } = call;
    const [issuer = ""] = args;
    const changes = await issuerFields(call);
    const lists = changesOf(options, ISSUER_LISTS);
    requireChanges({ ...changes, ...lists }, "issuer");
    await confirmLimits(call, issuer, changes);
    let before = {};
    const changed = await api.change("issuers", [issuer], (present) => {
      before = listsOf(present);
      return { ...changes, ...wire(listsAfter(before, lists, ISSUER_LISTS)) };
    });
    for (const remark of listRemarks(options, { before, after: listsOf(changed) }, ISSUER_LISTS)) out.warn(remark);
    showChanged(call, changed);
    if (options["status"] === "disabled") out.note(ISSUER_DISABLED);
  },
  "issuer delete": async (call) => {
    const { args, options, api, out } = call;
    const [issuer = ""] = args;
    const { question, done } = await deletionTold(call, ["issuers.impact", issuer], issuerDeletionTold, issuer);
    await confirm(question, options);
    await api.call("issuers.delete", { path: [issuer] });
    out.done({ issuer, deleted: true }, done);
  },
  "issuer links": async (call) => {
    const found = await call.api.list("issuers.links", { path: [call.args[0] ?? ""] }, limitOf(call));
    const shown = columns("subject", "claim", "username", "made_by", "created_at");
    call.out.list(found, shown, "No subject of this issuer is linked.");
  },
  "issuer link": async (call) => {
    const [issuer = "", subject = ""] = call.args;
    const body = { subject, user_id: await userId(call, textOption(call, "user") ?? "") };
    show(call.out, await call.api.call("issuers.link", { path: [issuer], body }));
  },
  "issuer unlink": async ({ args: [issuer = "", subject = ""], options: { claim }, api, out }) => {
    const query = claim === undefined ? {} : { claim: claim === false ? "" : claim };
    await api.call("issuers.unlink", { path: [issuer, subject], query });
    out.done({ issuer, subject, unlinked: true }, `Deleted the link of ${subject} of ${issuer}.`);
  },
};

async function providerFields(options: ProviderOptions & { readonly clientSecret?: boolean }): Promise<Body> {
  const { name, issuer, clientId, clientSecretStdin, clientSecret } = options;
  if (clientSecretStdin && clientSecret === false)
    throw new UsageError("use only one of --client-secret-stdin and --no-client-secret");
  const secret = clientSecretStdin ? await secretFromStdin("--client-secret-stdin") : undefined;
  const settings = { ...providerSettingsOf(options), ...rolesOf(options) };
  return wire({
    ...settings,
    ...given({ name, issuer, clientId, clientSecret: clientSecret === false ? null : secret }),
  });
}

const providerCommands: RemoteCommands = {
  "provider create": async (call) => {
    const { type, preset, tenant, host, realm } = call.options;
    const asked = call.options as unknown as ProviderOptions & { readonly createPeople?: boolean };
    const company = textOption(call, "company");
    // The option has a default, which a company's provider does not take.
    const { createPeople, ...others } = asked;
    const fields = await providerFields(company === undefined || createPeople === false ? asked : others);
    const kind =
      company === undefined
        ? { type, preset, tenant, host, realm }
        : { preset, company_id: await companyId(call, company) };
    const made = await call.api.call("providers.create", { body: { ...fields, ...given(kind) } });
    showChanged(call, made);
    call.out.note(`Next step: register this redirect URI at the provider: ${String(made["redirect_uri"])}`);
  },
  "provider list": listed(
    "providers.list",
    columns("id", "name", "issuer", "status", "email_domains", "company"),
    "There are no sign-in providers.",
  ),
  "provider show": async ({ args: [id = ""], api, out }) => show(out, await api.call("providers.show", { path: [id] })),
  "provider update": async (call) => {
    const { args, options, api, out } = call;
    const [id = ""] = args;
    const { status } = options;
    const add = (options["addEmailDomain"] ?? []) as readonly string[];
    const remove = (options["removeEmailDomain"] ?? []) as readonly string[];
    const fields = { ...(await providerFields(options as unknown as ProviderOptions)), ...given({ status }) };
    requireChanges({ ...fields, ...Object.fromEntries([...add, ...remove].entries()) }, "provider");
    const changed = await api.change("providers", [id], (present) => {
      if (add.length + remove.length === 0) return fields;
      const kept = ((present["email_domains"] ?? []) as string[]).filter((one) => !remove.includes(one));
      return { ...fields, email_domains: [...new Set([...kept, ...add])] };
    });
    showChanged(call, changed);
    if (status !== "disabled") return;
    const impact = (await api.impact("providers.impact", { path: [id] })) as ProviderImpactRecord | undefined;
    if (impact !== undefined) out.note(providerDisabledText(impact));
  },
  "provider delete": async (call) => {
    const { args, options, api, out } = call;
    const [id = ""] = args;
    const { question, done } = await deletionTold(call, ["providers.impact", id], providerDeletionTold, id);
    await confirm(question, options);
    await api.call("providers.delete", { path: [id] });
    out.done({ id, deleted: true }, done);
  },
};

const webhookFields = (options: object) => wire(webhookSettingsOf(options as WebhookSettings));

const webhookCommands: RemoteCommands = {
  "webhook create": async ({ options, api, out }) => {
    show(out, await api.call("webhooks.create", { body: webhookFields(options) }));
    out.note(ONCE);
  },
  // There are few, so the list has no pages.
  "webhook list": async ({ api, out }) => {
    const { items } = await api.call("webhooks.list");
    out.list(items as Body[], columns("id", "url", "kinds", "status", "failing_since"), "There are no webhooks.");
  },
  "webhook show": async ({ args: [id = ""], api, out }) => show(out, await api.call("webhooks.show", { path: [id] })),
  "webhook update": async ({ args: [id = ""], options, api, out }) => {
    const changes = { ...webhookFields(options), ...given({ status: options["status"] }) };
    requireChanges(changes, "webhook");
    show(out, await api.change("webhooks", [id], () => changes));
  },
  "webhook rotate-secret": async ({ args: [id = ""], options: { overlap }, api, out }) => {
    show(out, await api.call("webhooks.rotate-secret", { path: [id], body: { overlap } }));
    out.note(ONCE);
  },
  "webhook delete": async ({ args: [id = ""], options, api, out }) => {
    const { url } = await api.call("webhooks.show", { path: [id] });
    await confirm(`${on(api)}${webhookQuestion(String(url))}`, options);
    await api.call("webhooks.delete", { path: [id] });
    out.done({ id, deleted: true }, "Deleted the webhook.");
  },
  "webhook deliveries": async (call) => {
    const limit = Number.isFinite(limitOf(call)) ? limitOf(call) : 50;
    const query = { status: call.options["status"] };
    const found = await call.api.list("webhooks.deliveries", { path: [call.args[0] ?? ""], query }, limit);
    call.out.list(found, columns("created_at", "event_id", "kind", "status", "tries"), "There are no deliveries.");
  },
  "webhook replay": async ({ args: [id = "", eventId], options, api, out }) => {
    const { since, until } = filtersOf(options as Filters);
    if ((eventId === undefined) === (since === undefined) || (eventId !== undefined && until !== undefined))
      throw new UsageError("name an event, or use --since and perhaps --until");
    const body = given({ event_id: eventId, since, until });
    out.record(await api.call("webhooks.replay", { path: [id], body }));
  },
  "webhook test": async ({ args: [id = ""], api, out }) => {
    await api.call("webhooks.test", { path: [id] });
    out.done(
      { id, queued: true },
      `The server sends the event now (up to 5 minutes later if the receiver failed before). To see the result: assent webhook deliveries ${id}`,
    );
  },
};

const keyCommands: RemoteCommands = {
  "key list": listed(
    "keys.list",
    columns("kid", "alg", "status", "signs_from", "published_until"),
    "There are no keys yet.",
  ),
  "key rotate": async ({ options: { alg, now }, api, out }) => {
    const made = await api.call("keys.rotate", { body: { alg, immediately: now === true } });
    if (now === true) for (const warning of ROTATED_NOW) out.warn(warning);
    show(out, made);
  },
  "key retire": async ({ args: [kid = ""], options, api, out }) => {
    const immediately = options["now"] === true;
    const all = (await api.list("keys.list")) as unknown as readonly KeyRecord[];
    const key = all.find((one) => one.kid === kid);
    // The server refuses an unknown key, and without --now also one that was retired before.
    if (key !== undefined && (immediately || key.retired_at === null))
      await confirm(`${on(api)}${await retiringText(key, immediately)}`, options);
    await api.call("keys.retire", { path: [kid], body: { immediately } });
    if (key !== undefined) await tellRetired(key, immediately, out);
  },
};

/** How often `tail` asks, in milliseconds. */
const ASK_EVERY = 2000;

const tail: RemoteCommand = async ({ options, api }) => {
  const { untilToldToStop } = await import("../wait-for-stop-signal.ts");
  let stopped = false;
  void untilToldToStop().then(() => {
    stopped = true;
  });
  const query = eventFilters(options);
  const [last] = (await api.call("events.list", { query: { limit: 1 } }))["items"] as Body[];
  let after = Number(last?.["seq"] ?? 0);
  while (!stopped) {
    const page = await api.call("events.tail", { query: { ...query, after_seq: after } });
    after = Number(page["last"]);
    for (const event of page["items"] as Body[])
      process.stdout.write(`${options["json"] === true ? oneLine(event) : lineOfRecord(event)}\n`);
    if (page["more"] !== true) await sleep(ASK_EVERY);
  }
};

const exportEvents: RemoteCommand = async ({ options, api }) => {
  if (options["format"] === "csv") throw new UsageError("a server gives events as NDJSON: leave out --format csv");
  const query = eventFilters(options);
  for (let after = 0; ; ) {
    const { text } = await api.send("events.export", { query: { ...query, after_seq: after } });
    if (text === "") return;
    if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once("drain", resolve));
    after = Number((JSON.parse(text.trimEnd().split("\n").at(-1) ?? "{}") as Body)["seq"]);
  }
};

const verify: RemoteCommand = async ({ options, api, out }) => {
  if (options["checkpoint"] !== undefined)
    throw new UsageError("--checkpoint works only on the machine of the database; compare the printed one yourself");
  const report = await api.call("events.verify");
  if (report["fault"] !== null) process.exitCode = 1;
  out.record(report);
};

/** Lines and bytes of one request, below the limits of the server. */
const [MOST_LINES, MOST_BYTES, LONGEST_LINE] = [1000, 900_000, 16_384];

const importPeople: RemoteCommand = async ({ args: [file = ""], options, api, out }) => {
  const report = options["report"] as string | undefined;
  if (report !== undefined) writeFileSync(report, "", { flag: "wx", mode: 0o600 });
  const counts = { created: 0, exists: 0, refused: 0 };
  const refused: Body[] = [];
  let sent = 0;
  const sendPart = async (lines: readonly Uint8Array[]) => {
    const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")]));
    const { text } = await api.send("users.import", { bytes, type: "application/x-ndjson" });
    for (const told of text.split("\n").filter((line) => line !== "")) {
      const result = JSON.parse(told) as Body;
      const record = { ...result, line: Number(result["line"]) + sent };
      counts[result["result"] as keyof typeof counts] += 1;
      if (result["result"] === "refused" && refused.length < 100) refused.push(record);
      if (report !== undefined) writeFileSync(report, `${JSON.stringify(record)}\n`, { flag: "a" });
    }
    sent += lines.length;
  };
  let part: Uint8Array[] = [];
  let length = 0;
  for await (const line of linesOf(file, LONGEST_LINE)) {
    if (part.length === MOST_LINES || length + line.length > MOST_BYTES) {
      await sendPart(part);
      [part, length] = [[], 0];
    }
    part.push(line);
    length += line.length + 1;
  }
  if (part.length > 0) await sendPart(part);
  out.done(
    { ...counts, refused_lines: refused },
    `Imported ${counts.created} people. ${counts.exists} existed already. ${counts.refused} refused.`,
  );
  for (const one of refused) out.warn(`line ${String(one["line"])}: ${JSON.stringify(one["errors"])}`);
  if (counts.refused > 0) process.exitCode = 1;
};

export const trustAndLogs: RemoteCommands = {
  ...issuerCommands,
  ...providerCommands,
  ...keyCommands,
  ...webhookCommands,
  "events list": async (call) => {
    const limit = Math.min(limitOf(call), 1e6);
    const found = await call.api.list(
      "events.list",
      { query: eventFilters(call.options) },
      Number.isFinite(limitOf(call)) ? limit : 50,
    );
    call.out.list(found, columns("at", "kind", "actor", "subject", "client_id", "details"), "There are no events.");
  },
  "events tail": tail,
  "events export": exportEvents,
  "events verify": verify,
  "user import": importPeople,
  whoami: async ({ api, out }) => out.record({ server: api.server, ...(await api.call("tokens.current")) }),
  "refusal list": async (call) => {
    const { client, condition } = call.options;
    const limit = Number.isFinite(limitOf(call)) ? limitOf(call) : 50;
    const found = await call.api.list("refusals.list", { query: { client_id: client, condition } }, limit);
    call.out.list(found, columns("at", "request_id", "condition", "client_id", "received"), "There are no refusals.");
  },
  "refusal show": async ({ args: [id = ""], api, out }) => out.record(await api.call("refusals.show", { path: [id] })),
  "admin create-token": async ({ options: { scope, expires }, api, out }) => {
    const body = { scope: (scope as readonly string[]).join(" "), ...given({ expires_in: expires }) };
    show(out, await api.call("tokens.create", { body }), ["access_token"]);
  },
  "admin list-tokens": listed("tokens.list", TOKEN_COLUMNS, "There are no tokens."),
  "admin revoke-token": async ({ args: [id = ""], options, api, out }) => {
    await confirmOnTerminal(`${on(api)}Revoking the token ${id} ends the access of the program that has it.`, options);
    await api.call("tokens.revoke", { path: [id] });
    out.done({ id, revoked: true }, "Revoked the token.");
  },
  "registration create-token": async ({ options, api, out }) => {
    const { uses, expires, grantType, scope, redirectHost, defaultScope } = options;
    const { reviewed, requirePkce, tokenEndpointAudience } = options;
    const policy = { grantTypes: grantType, scopes: scope, redirectHosts: redirectHost, defaultScopes: defaultScope };
    const terms = { reviewed, requirePkce, tokenEndpointAudience };
    const body = wire(given({ uses, expires_in: expires, ...policy, ...terms }));
    show(out, await api.call("registration_tokens.create", { body }), ["initial_access_token"]);
  },
  "registration list": listed(
    "registration_tokens.list",
    columns("id", "used", "uses", "created_by", "expires_at"),
    "There are no initial access tokens.",
  ),
  "registration revoke": async ({ args: [id = ""], options, api, out }) => {
    await confirmOnTerminal(`${on(api)}${revokingQuestion(id)}`, options);
    await api.call("registration_tokens.revoke", { path: [id] });
    out.done({ id, revoked: true }, "Revoked the token.");
  },
  "setting list": async ({ options, api, out }) => {
    const query = options["changed"] === true ? { is_default: false } : {};
    out.list(
      await api.list("settings.list", { query }),
      [{ field: "variable" }, { field: "value", show: settingText }, { field: "is_default" }],
      "Every setting has its default.",
    );
  },
};
