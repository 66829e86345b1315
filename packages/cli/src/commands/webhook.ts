/** `assent webhook …`: servers that are told of events. */

import type { DeliveryStatus, Remark, WebhookChanges } from "@assent/server/admin";
import { type Command, Option } from "commander";
import { lineOf, UsageError } from "../command-errors.ts";
import { confirm, counted, type YesOption, yesOption } from "../confirm.ts";
import { type Output, shown } from "../print-records.ts";
import {
  given,
  type JsonOption,
  limitOption,
  listOption,
  noun,
  requireChanges,
  secondsOption,
  verb,
  withAdmin,
} from "../shared-options.ts";
import { type Moment, timeOf, timeOption } from "../time-option.ts";

/** Number of listed deliveries if `--limit` is not given. */
const LISTED = 50;

export const ONCE = "secret: shown only once. Give it to the receiver, which checks the signatures with it.";

export interface Settings extends JsonOption {
  readonly url?: string;
  readonly kind?: readonly string[];
  readonly description?: string;
  /** False: about any. */
  readonly client?: string | false;
  readonly subject?: string | false;
}

export function register(program: Command): void {
  const webhook = noun(program, "webhook", "servers that are told of events");
  const create = verb(webhook, "create", "send events to a server; the secret that signs them is printed once")
    .requiredOption("--url <url>", "where the server posts events: https; it follows no redirect")
    .addOption(kindOption().makeOptionMandatory());
  filters(create)
    .addHelpText(
      "after",
      `
Example:
  assent webhook create --url https://hooks.example.com/assent --kind 'user.*' --kind consent.revoked`,
    )
    .action(create_);
  verb(webhook, "list", "list all webhooks").action(list);
  verb(webhook, "show <id>", "show a webhook; its secrets are never shown again").action(show);
  filters(
    verb(webhook, "update <id>", "change a webhook; settings that you omit stay the same")
      .option("--url <url>", "another URL; deliveries that wait go there, too")
      .addOption(kindOption()),
  )
    .option("--no-client", "events about any client")
    .option("--no-subject", "events about any person or company")
    .addOption(
      new Option("--status <status>", "a disabled webhook gets no events; active counts failures anew").choices([
        "active",
        "disabled",
      ]),
    )
    .action(update);
  verb(webhook, "rotate-secret <id>", "give a webhook a new secret; it is printed once")
    .addOption(
      secondsOption(
        "--overlap <seconds>",
        "how long the old secret signs, too; default: one day; use 0 if it has leaked",
      ).default(86_400),
    )
    .action(rotate);
  verb(webhook, "delete <id>", "delete a webhook and its deliveries, also those that wait")
    .addOption(yesOption())
    .action(remove);
  verb(webhook, "deliveries <id>", "list deliveries, newest event first; the server keeps them for 7 days")
    .addOption(new Option("--status <status>", "only these").choices(["waiting", "sending", "delivered", "given_up"]))
    .addOption(limitOption(LISTED))
    .action(deliveries);
  verb(webhook, "replay <id> [event-id]", "deliver an event again, or all events of a time that fit the webhook")
    .addOption(timeOption("--since <time>", "events from then on: 2026-01-31T12:00:00Z, or 30m, 12h, 7d ago"))
    .addOption(timeOption("--until <time>", "events before then"))
    .action(replay);
  verb(webhook, "test <id>", "send an event to this webhook alone, to try it out").action(test);
}

function kindOption(): Option {
  return listOption("--kind <kind>", "a kind of event, a group such as 'consent.*', or '*'");
}

function filters(command: Command): Command {
  return command
    .option("--description <text>", "what it is for")
    .option("--client <client-id>", "only events about this client")
    .option("--subject <id>", "only events about this person or company");
}

export function settingsOf({ url, kind: kinds, description, client, subject }: Settings): WebhookChanges {
  return given({
    ...{ url, kinds, description },
    clientId: client === false ? null : client,
    subject: subject === false ? null : subject,
  });
}

function warn(remarks: readonly Remark[], out: Output, command: Command): void {
  for (const remark of remarks) out.warn(lineOf(remark, command));
}

async function create_(
  options: Settings & { readonly url: string; readonly kind: readonly string[] },
  command: Command,
) {
  await withAdmin(options, async (admin, out) => {
    const { createWebhook, webhookRecord } = await import("@assent/server/admin");
    const input = { ...settingsOf(options), url: options.url, kinds: options.kind };
    const { webhook, secret, remarks } = await createWebhook(input, admin);
    warn(remarks, out, command);
    out.record(webhookRecord({ webhook }, secret));
    out.note(ONCE);
  });
}

async function list(options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { allWebhooks, webhookRecord } = await import("@assent/server/admin");
    out.list(
      (await allWebhooks(admin)).map((one) => webhookRecord(one)),
      [{ field: "id" }, { field: "url" }, { field: "kinds" }, { field: "status" }, { field: "failing_since" }],
      "There are no webhooks. To add one, run: assent webhook create",
    );
  });
}

async function show(id: string, options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { webhookOf, webhookRecord } = await import("@assent/server/admin");
    out.record(webhookRecord(await webhookOf(id, admin)));
  });
}

async function update(id: string, options: Settings & { readonly status?: "active" | "disabled" }, command: Command) {
  const changes = { ...settingsOf(options), ...given({ status: options.status }) };
  requireChanges(changes, "webhook");
  await withAdmin(options, async (admin, out) => {
    const { updateWebhook, webhookRecord } = await import("@assent/server/admin");
    const { webhook, remarks } = await updateWebhook(id, changes, admin);
    warn(remarks, out, command);
    out.record(webhookRecord({ webhook }));
  });
}

async function rotate(id: string, options: JsonOption & { readonly overlap: number }) {
  await withAdmin(options, async (admin, out) => {
    const { rotateWebhookSecret, webhookRecord } = await import("@assent/server/admin");
    const { webhook, secret } = await rotateWebhookSecret(id, options.overlap * 1000, admin);
    out.record(webhookRecord({ webhook }, secret));
    out.note(ONCE);
  });
}

async function remove(id: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { deleteWebhook, webhookOf } = await import("@assent/server/admin");
    const { webhook } = await webhookOf(id, admin);
    await confirm(webhookQuestion(webhook.url), options);
    await deleteWebhook(id, admin);
    out.done({ id, deleted: true }, "Deleted the webhook.");
  });
}

export function webhookQuestion(url: string): string {
  return `Deleting the webhook for ${url} also deletes deliveries that wait.`;
}

async function deliveries(
  id: string,
  options: JsonOption & { readonly status?: DeliveryStatus; readonly limit?: number },
) {
  await withAdmin(options, async (admin, out) => {
    const { deliveriesPage, deliveryRecord } = await import("@assent/server/admin");
    const query = { before: null, limit: options.limit ?? LISTED, ...given({ status: options.status }) };
    const page = await deliveriesPage(id, query, admin);
    out.list(
      page.deliveries.map(deliveryRecord),
      [
        { field: "created_at" },
        { field: "event_id" },
        { field: "kind" },
        { field: "status" },
        { field: "tries" },
        { field: "attempts", title: "last_try", show: (value) => lastTry(value as readonly Attempt[]) },
      ],
      "There are no deliveries.",
    );
  });
}

interface Attempt {
  readonly status: number | null;
  readonly fault: string | null;
  readonly duration_ms: number;
}

function lastTry(attempts: readonly Attempt[]): string {
  const last = attempts.at(-1);
  return last === undefined ? "-" : `${shown(last.fault ?? `status ${last.status}`)} (${last.duration_ms} ms)`;
}

async function replay(
  id: string,
  eventId: string | undefined,
  options: JsonOption & { readonly since?: Moment; readonly until?: Moment },
) {
  if (
    (eventId === undefined) === (options.since === undefined) ||
    (eventId !== undefined && options.until !== undefined)
  ) {
    throw new UsageError("name an event, or use --since and perhaps --until");
  }
  await withAdmin(options, async (admin, out) => {
    const { replayDeliveries } = await import("@assent/server/admin");
    const now = admin.now();
    const what =
      eventId === undefined
        ? { since: timeOf(options.since, now) ?? 0, until: timeOf(options.until, now) }
        : { eventId };
    const replayed = await replayDeliveries(id, what, admin);
    out.done({ id, replayed }, `A running server delivers ${counted(replayed, "event")} now.`);
  });
}

async function test(id: string, options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { testWebhook } = await import("@assent/server/admin");
    await testWebhook(id, admin);
    out.done(
      { id, queued: true },
      `A running server sends the event now (up to 5 minutes later if the receiver failed before). To see the result, run: assent webhook deliveries ${id}`,
    );
  });
}
