/** The operator's use-cases of the log of events: list, follow, export, verify. */

import { setTimeout as sleep } from "node:timers/promises";
import { type ChainFault, ChainWalk, CheckpointKeys } from "../events/chain.ts";
import { GENESIS, type SealedEvent, type StoredRecord } from "../events/event.ts";
import { eventKinds, isEventKind } from "../events/kinds.ts";
import { Sealer } from "../events/sealer.ts";
import type { Checkpoint, EventFilter, Head } from "../events/storage.ts";
import type { Millis } from "../oauth/model.ts";
import { openFacts } from "../storage/events/tell.ts";
import { partitionOf } from "../storage/partition.ts";
import { refuse } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";

type EventContext = AdminContext & Required<Pick<AdminContext, "secrets">>;

export interface EventQuery {
  readonly kind?: string;
  readonly actor?: string;
  readonly subject?: string;
  readonly clientId?: string;
  readonly since?: Millis;
  readonly until?: Millis;
}

/** An event as operators see it. */
export interface ShownEvent extends Omit<SealedEvent, "record" | "hash"> {
  readonly details: StoredRecord["details"];
  /** Facts about a person. Null: the event has none. `erased`: the person was deleted. */
  readonly personal: Readonly<Record<string, string>> | "erased" | null;
  readonly hash: string;
}

function filterOf({ kind, actor, subject, clientId, since, until }: EventQuery): EventFilter {
  if (kind !== undefined && !isEventKind(kind)) {
    const near = Object.keys(eventKinds).filter((name) => name.startsWith(`${kind.split(".")[0]}.`));
    const hint = near.length === 0 ? "" : `; there are ${near.join(", ")}`;
    refuse("invalid", "kind", `there is no kind ${JSON.stringify(kind.slice(0, 100))}${hint}`);
  }
  return {
    ...{ kind: kind ?? null, actor: actor ?? null, subject: subject ?? null, clientId: clientId ?? null },
    ...{ since: since ?? null, until: until ?? null },
  };
}

/** Newest first. A page can have fewer events than its limit although older ones follow: see `before`. */
export async function eventsPage(
  { before, limit, ...query }: EventQuery & { readonly before: number | null; readonly limit: number },
  context: AdminContext,
): Promise<{ readonly events: readonly ShownEvent[]; readonly before: number | null }> {
  const page = await context.storage.events.page({ ...filterOf(query), before, limit });
  return { events: await shownEvents(page.events, context), before: page.before };
}

/** The newest events that fit, whatever the number of events between them. */
export async function listEvents(
  query: EventQuery & { readonly limit: number },
  context: AdminContext,
): Promise<readonly ShownEvent[]> {
  const found: ShownEvent[] = [];
  let before: number | null = null;
  do {
    const page = await eventsPage({ ...query, before, limit: Math.min(query.limit - found.length, 500) }, context);
    found.push(...page.events);
    before = page.before;
  } while (before !== null && found.length < query.limit);
  return found;
}

/** Events after a number of the log, oldest first, that fit. `last`: the number at which the next call goes on. */
export async function eventsAfter(
  { after, limit, ...query }: EventQuery & { readonly after: number; readonly limit: number },
  context: AdminContext,
): Promise<{ readonly events: readonly ShownEvent[]; readonly last: number; readonly more: boolean }> {
  const filter = filterOf(query);
  const all = await context.storage.events.chain({ after, limit });
  const fitting = all.filter((event) => fits(event, filter));
  return { events: await shownEvents(fitting, context), last: all.at(-1)?.seq ?? after, more: all.length === limit };
}

function fits(event: SealedEvent, { kind, actor, subject, clientId, since, until }: EventFilter): boolean {
  const same = (wanted: string | null, found: string | null) => wanted === null || wanted === found;
  return (
    same(kind, event.kind) &&
    same(actor, event.actor) &&
    same(subject, event.subject) &&
    same(clientId, event.clientId) &&
    (since === null || event.at >= since) &&
    (until === null || event.at < until)
  );
}

/** The number of the last event. 0: there are none. */
export async function lastEvent({ storage }: AdminContext): Promise<number> {
  return (await storage.events.lastCheckpoint({ kind: "sealed", at: Number.MAX_SAFE_INTEGER }))?.seq ?? 0;
}

/** Throws `unknown`. */
export async function eventOf(eventId: string, context: AdminContext): Promise<ShownEvent> {
  const found = await context.storage.events.get({ eventId });
  const [shown] = found === undefined ? [] : await shownEvents([found], context);
  return shown ?? refuse("unknown", "id", `there is no event ${JSON.stringify(eventId.slice(0, 100))}`);
}

async function shownEvents(events: readonly SealedEvent[], { storage }: AdminContext): Promise<readonly ShownEvent[]> {
  const records = events.map((event) => ({ event, record: JSON.parse(event.record) as StoredRecord }));
  const people = new Set(records.flatMap(({ record: { personal } }) => (personal === undefined ? [] : [personal.of])));
  const keys = new Map(
    await Promise.all(
      [...people].map(async (personId) => {
        const key = await storage.events.personsKey({ partition: partitionOf(personId), personId });
        return [personId, key] as const;
      }),
    ),
  );
  return records.map(({ event: { record: _, ...event }, record: { details, personal } }) => {
    if (personal === undefined) return { ...event, details, personal: null };
    const key = keys.get(personal.of);
    const facts = key && openFacts(key, event.eventId, personal.sealed);
    return {
      ...event,
      details,
      personal: facts === undefined ? "erased" : (JSON.parse(facts) as Record<string, string>),
    };
  });
}

export function eventRecord({ seq, eventId, at, kind, actor, subject, clientId, details, personal, hash }: ShownEvent) {
  return {
    ...{ seq, id: eventId, at: new Date(at).toISOString(), kind, actor, subject, client_id: clientId },
    ...{ details, personal: personal === "erased" ? null : personal, personal_erased: personal === "erased", hash },
  };
}

/** A line of an export. */
export function eventLine(event: ShownEvent): string {
  return `${JSON.stringify(eventRecord(event))}\n`;
}

const CSV = ["seq", "id", "at", "kind", "actor", "subject", "client_id", "details", "personal"] as const;

export const eventCsvHead = `${CSV.join(",")}\r\n`;

/** A line of CSV (RFC 4180). A spreadsheet must take no value for a formula. */
export function eventCsvLine(event: ShownEvent): string {
  const record = eventRecord(event);
  const cells = CSV.map((name) => {
    const value = record[name];
    const text = value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return `"${safe.replaceAll('"', '""')}"`;
  });
  return `${cells.join(",")}\r\n`;
}

/** How long a command waits for the server that seals at the moment, and how often it looks. */
const PATIENCE: Millis = 3000;
const LOOK_AGAIN: Millis = 100;

/** Gives the events that wait their place now, or waits until a server has done it. Without a server, nobody else would. */
export async function sealWaiting(context: EventContext): Promise<void> {
  const { storage, now, issuer } = context;
  const sealer = new Sealer({
    storage,
    secrets: context.secrets(),
    issuer,
    keptFor: null,
    now,
    event: () => undefined,
  });
  for (let waited = 0; waited < PATIENCE; waited += LOOK_AGAIN) {
    while ((await sealer.round()) > 0);
    if (!(await storage.events.due()).waiting) break;
    await sleep(LOOK_AGAIN);
  }
  await sealer.release();
}

/** The result of a check of the log. */
export interface LogReport {
  readonly fault: ChainFault | null;
  /** Number of events that were checked. */
  readonly checked: number;
  readonly head: Head | null;
  readonly checkpoints: number;
  /** Checkpoints that were signed with a secret that the configuration doesn't have any more. */
  readonly unknownKeys: number;
  /** Retention has deleted the events up to this one. */
  readonly dropped: Checkpoint | null;
  /** The newest checkpoint. A copy at another place shows later that the end of the log is not missing. */
  readonly newest: Checkpoint | null;
  readonly unsealed: { readonly count: number; readonly oldest: Millis | null };
  /** The public key with which others can check signed texts. */
  readonly publicJwk: Readonly<Record<string, unknown>>;
}

const READ_AT_ONCE = 1000;
const MOST_WAITING = 1_000_000;

/** Checks the whole log against its hashes and signatures. `checkpoint`: a signed text of an earlier check that must fit. */
export async function verifyEvents(
  { checkpoint }: { readonly checkpoint?: string },
  context: EventContext,
): Promise<LogReport> {
  const { storage } = context;
  const keys = new CheckpointKeys(context.secrets(), context.issuer);
  const ever = { at: Number.MAX_SAFE_INTEGER };
  const [dropped, newest] = await Promise.all([
    storage.events.lastCheckpoint({ kind: "dropped", ...ever }),
    storage.events.lastCheckpoint({ kind: "sealed", ...ever }),
  ]);
  const check = new Check(keys, dropped, copyOf(checkpoint, keys));
  const fault = (await check.run(storage, newest)) ?? null;
  return {
    fault,
    checked: check.walk.count,
    head: check.walk.head ?? null,
    checkpoints: check.checkpoints,
    unknownKeys: check.unknownKeys,
    dropped: dropped ?? null,
    newest: newest ?? null,
    unsealed: await storage.events.tail({ most: MOST_WAITING }),
    publicJwk: keys.publicJwk,
  };
}

const running = new WeakMap<object, Promise<LogReport>>();

/** The same for all who ask at the same time: the check reads the whole log. */
export function verifyOnce(context: EventContext): Promise<LogReport> {
  const { storage } = context;
  const report = running.get(storage) ?? verifyEvents({}, context).finally(() => running.delete(storage));
  running.set(storage, report);
  return report;
}

function copyOf(text: string | undefined, keys: CheckpointKeys): Checkpoint | undefined {
  if (text === undefined) return undefined;
  const copy = keys.open(text.trim());
  if (copy === undefined) return refuse("invalid", "checkpoint", "this is no signed checkpoint of this server");
  if (copy === "unknown_key")
    return refuse("invalid", "checkpoint", "it was signed with a secret that is not in ASSENT_SECRET any more");
  return copy;
}

class Check {
  readonly walk: ChainWalk;
  readonly #keys: CheckpointKeys;
  readonly #dropped: Checkpoint | undefined;
  readonly #copy: Checkpoint | undefined;
  checkpoints = 0;
  unknownKeys = 0;

  constructor(keys: CheckpointKeys, dropped: Checkpoint | undefined, copy: Checkpoint | undefined) {
    this.#keys = keys;
    this.#dropped = dropped;
    this.#copy = copy;
    this.walk = new ChainWalk(dropped === undefined ? GENESIS : undefined, dropped);
  }

  async run(storage: EventContext["storage"], newest: Checkpoint | undefined): Promise<ChainFault | undefined> {
    if (this.#dropped !== undefined && this.#keys.check(this.#dropped) === false)
      return { seq: this.#dropped.seq, problem: "the note about deleted events was not signed by this server" };
    const fault = (await this.#walkThrough(storage)) ?? this.#endFault(newest);
    if (fault !== undefined) return fault;
    const copy = this.#copy;
    if (copy === undefined || copy.seq <= (this.#dropped?.seq ?? 0)) return undefined;
    const [event] = await storage.events.chain({ after: copy.seq - 1, limit: 1 });
    if (event?.seq === copy.seq && event.hash === copy.hash) return undefined;
    return { seq: copy.seq, problem: "the log does not have the event of the given checkpoint" };
  }

  async #walkThrough(storage: EventContext["storage"]): Promise<ChainFault | undefined> {
    const checkpoints = checkpointsIn(storage);
    let checkpoint = await checkpoints.next();
    let after = 0;
    for (;;) {
      const events = await storage.events.chain({ after, limit: READ_AT_ONCE });
      for (const event of events) {
        const fault = this.walk.next(event);
        if (fault !== undefined) return fault;
        while (!checkpoint.done && checkpoint.value.seq <= event.seq) {
          const wrong = this.#checkpointFault(checkpoint.value, event);
          if (wrong !== undefined) return wrong;
          checkpoint = await checkpoints.next();
        }
      }
      after = events.at(-1)?.seq ?? after;
      if (events.length < READ_AT_ONCE) break;
    }
    if (checkpoint.done || checkpoint.value.seq <= (this.#dropped?.seq ?? 0)) return undefined;
    return {
      seq: after + 1,
      problem: `the end of the log is missing: a checkpoint names event ${checkpoint.value.seq}`,
    };
  }

  /** `at`: the first event at the place of the checkpoint or after it. */
  #checkpointFault(checkpoint: Checkpoint, at: SealedEvent): ChainFault | undefined {
    const { seq, hash } = checkpoint;
    this.checkpoints += 1;
    const signature = this.#keys.check(checkpoint);
    if (signature === false) return { seq, problem: "the checkpoint was not signed by this server" };
    if (signature === "unknown_key") this.unknownKeys += 1;
    if (at.seq !== seq || at.hash === hash) return undefined;
    return { seq, problem: "the log was different when its checkpoint was signed" };
  }

  #endFault(newest: Checkpoint | undefined): ChainFault | undefined {
    const last = this.walk.head?.seq ?? this.#dropped?.seq ?? 0;
    if (newest === undefined && last > 0)
      return { seq: last, problem: "no checkpoint says that this is the end of the log" };
    if (newest === undefined) return undefined;
    if (this.#keys.check(newest) === "unknown_key")
      return {
        seq: newest.seq,
        problem: "the newest checkpoint was signed with a secret that is not in ASSENT_SECRET",
      };
    return last > newest.seq
      ? { seq: newest.seq + 1, problem: "no checkpoint covers the events from here on" }
      : undefined;
  }
}

async function* checkpointsIn(storage: EventContext["storage"]): AsyncGenerator<Checkpoint, undefined> {
  for (let after = -1; ; ) {
    const some = await storage.events.checkpoints({ kind: "sealed", after, limit: READ_AT_ONCE });
    yield* some;
    const last = some.at(-1);
    if (last === undefined || some.length < READ_AT_ONCE) return undefined;
    after = last.seq;
  }
}

export function logReportRecord({
  fault,
  checked,
  head,
  checkpoints,
  unknownKeys,
  dropped,
  newest,
  unsealed,
  publicJwk,
}: LogReport) {
  return {
    valid: fault === null,
    fault: fault === null ? null : { event: fault.seq, problem: fault.problem },
    checked,
    head: head === null ? null : { seq: head.seq, hash: head.hash },
    checkpoints,
    checkpoints_with_unknown_key: unknownKeys,
    deleted_up_to: dropped === null ? null : dropped.seq,
    unsealed: unsealed.count,
    unsealed_since: unsealed.oldest === null ? null : new Date(unsealed.oldest).toISOString(),
    checkpoint: newest?.signed ?? null,
    public_key: publicJwk,
  };
}
