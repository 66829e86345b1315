/** `assent events …`: what happened on this server, and whether its log is whole. */

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { EventQuery, OpenedAdmin, ShownEvent } from "@assent/server/admin";
import { type Command, Option } from "commander";
import { jsonText, type Output, printable } from "../print-records.ts";
import { given, type JsonOption, limitOption, noun, verb, withAdmin } from "../shared-options.ts";
import { type Moment, timeOf, timeOption } from "../time-option.ts";

/** Number of listed events if `--limit` is not given. */
const LISTED = 50;
/** How often `tail` looks, in milliseconds. */
const LOOK_EVERY = 500;
const READ_AT_ONCE = 500;

export interface Filters extends JsonOption {
  readonly kind?: string;
  readonly actor?: string;
  readonly subject?: string;
  readonly client?: string;
  readonly since?: Moment;
  readonly until?: Moment;
}

export function register(program: Command): void {
  const events = noun(program, "events", "what happened: changes, sign-ins, consents, suspicions");
  filtered(verb(events, "list", "list the last events, newest first"))
    .addOption(limitOption(LISTED))
    .action(list);
  filtered(
    verb(events, "tail", "print new events until Ctrl-C, one line each; with --json, one JSON text each"),
  ).action(tail);
  filtered(
    events
      .command("export")
      .description("print all events, oldest first, as lines of JSON (NDJSON) or as CSV for a spreadsheet"),
  )
    .addOption(new Option("--format <format>", "ndjson or csv").choices(["ndjson", "csv"]).default("ndjson"))
    .action(exportAll);
  verb(events, "verify", "check that no event was changed, cut out or put elsewhere; exit code 1 if one was")
    .option(
      "--checkpoint <file>",
      "a file with the checkpoint that an earlier verify printed: the log must still have it",
    )
    .action(verify);
}

function filtered(command: Command): Command {
  return command
    .option("--kind <kind>", "only this kind, such as sign_in.refused")
    .option("--actor <actor>", "only what this one did: user:ID, client:ID, token:ID, operator, server, anonymous")
    .option("--subject <id>", "only events about this person or company")
    .option("--client <client-id>", "only events about this client")
    .addOption(timeOption("--since <time>", "only events from then on: 2026-01-31T12:00:00Z, or 30m, 12h, 7d ago"))
    .addOption(timeOption("--until <time>", "only events before then"));
}

export function queryOf({ kind, actor, subject, client, since, until }: Filters, now: number): EventQuery {
  return given({ kind, actor, subject, clientId: client, since: timeOf(since, now), until: timeOf(until, now) });
}

async function list(options: Filters & { readonly limit?: number }) {
  await withAdmin(options, async (admin, out) => {
    const { eventRecord, listEvents, sealWaiting } = await import("@assent/server/admin");
    await sealWaiting(admin);
    const found = await listEvents({ ...queryOf(options, admin.now()), limit: options.limit ?? LISTED }, admin);
    out.list(
      found.map(eventRecord),
      [
        { field: "at" },
        { field: "kind" },
        { field: "actor" },
        { field: "subject" },
        { field: "client_id" },
        { field: "details", show: (value) => briefly(value as ShownEvent["details"]) },
      ],
      "There are no events.",
    );
  });
}

export function briefly(details: ShownEvent["details"]): string {
  const text = Object.entries(details)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(",") : String(value)}`)
    .join(" ");
  return text.length > 100 ? `${text.slice(0, 99)}…` : text || "-";
}

/** One line that is safe on a terminal. */
function lineOf(event: ShownEvent): string {
  const { at, kind, actor, subject, clientId, details, personal } = event;
  const about = [subject, clientId].filter((one) => one !== null).map((one) => `→ ${one}`);
  const facts = personal === null || personal === "erased" ? [] : Object.values(personal);
  return printable([new Date(at).toISOString(), kind, actor, ...about, briefly(details), ...facts].join("  "));
}

/** The same line, from the record of the event. */
export function lineOfRecord(event: Readonly<Record<string, unknown>>): string {
  const about = [event["subject"], event["client_id"]].filter((one) => one !== null).map((one) => `→ ${one}`);
  const facts = Object.values((event["personal"] ?? {}) as Readonly<Record<string, string>>);
  const details = briefly(event["details"] as ShownEvent["details"]);
  return printable([event["at"], event["kind"], event["actor"], ...about, details, ...facts].join("  "));
}

/** The filters as parameters of the admin API. */
export function filtersOf(options: Filters): Readonly<Record<string, unknown>> {
  const { since, until, clientId, ...others } = queryOf(options, Date.now());
  const time = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());
  return { ...others, client_id: clientId, since: time(since), until: time(until) };
}

async function tail(options: Filters) {
  await withAdmin(options, async (admin) => {
    const { eventRecord, eventsAfter, lastEvent, sealWaiting } = await import("@assent/server/admin");
    const { untilToldToStop } = await import("../wait-for-stop-signal.ts");
    const query = queryOf(options, admin.now());
    let stopped = false;
    void untilToldToStop().then(() => {
      stopped = true;
    });
    let after = await lastEvent(admin);
    while (!stopped) {
      await sealWaiting(admin);
      const page = await eventsAfter({ ...query, after, limit: READ_AT_ONCE }, admin);
      after = page.last;
      for (const event of page.events) {
        process.stdout.write(`${options.json ? oneLine(eventRecord(event)) : lineOf(event)}\n`);
      }
      if (!page.more) await sleep(LOOK_EVERY);
    }
  });
}

/** JSON on one line, without characters that act on a terminal. */
export function oneLine(document: unknown): string {
  return jsonText(JSON.parse(JSON.stringify(document))).replaceAll(/\n */g, " ");
}

async function exportAll(options: Filters & { readonly format: "ndjson" | "csv" }) {
  await withAdmin({}, async (admin) => {
    const { sealWaiting } = await import("@assent/server/admin");
    await sealWaiting(admin);
    await writeAll(options, admin);
  });
}

async function writeAll(options: Filters & { readonly format: "ndjson" | "csv" }, admin: OpenedAdmin): Promise<void> {
  const { eventCsvHead, eventCsvLine, eventLine, eventsAfter } = await import("@assent/server/admin");
  const query = queryOf(options, admin.now());
  const isCsv = options.format === "csv";
  if (isCsv) process.stdout.write(eventCsvHead);
  for (let after = 0; ; ) {
    const page = await eventsAfter({ ...query, after, limit: READ_AT_ONCE }, admin);
    after = page.last;
    const written = process.stdout.write(page.events.map(isCsv ? eventCsvLine : eventLine).join(""));
    if (!written) await new Promise((resolve) => process.stdout.once("drain", resolve));
    if (!page.more) return;
  }
}

async function verify(options: JsonOption & { readonly checkpoint?: string }) {
  await withAdmin(options, async (admin, out) => {
    const { logReportRecord, verifyEvents } = await import("@assent/server/admin");
    const checkpoint = options.checkpoint === undefined ? {} : { checkpoint: readFileSync(options.checkpoint, "utf8") };
    const report = await verifyEvents(checkpoint, admin);
    const record = logReportRecord(report);
    if (report.fault !== null) process.exitCode = 1;
    out.report(record, (to) => tellReport(record, to));
  });
}

function tellReport(
  { fault, public_key: key, ...record }: ReturnType<typeof import("@assent/server/admin").logReportRecord>,
  out: Output,
) {
  out.record({
    ...record,
    head: record.head === null ? null : `${record.head.seq} ${record.head.hash}`,
    public_key: key,
  });
  if (fault === null) process.stdout.write("\nThe log is whole.\n");
  else out.warn(`the log is not whole: event ${fault.event}: ${fault.problem}`);
  if (record.unsealed > 0) out.note(`${record.unsealed} events wait for a server to seal them`);
}
