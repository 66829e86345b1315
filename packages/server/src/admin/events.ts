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
    // A command can have another secret than the servers.
    onlyKnown: true,
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
/** Retention can delete events while they are checked. Then the check begins again, at most so often. */
const MOST_TRIES = 3;
const EVER = { at: Number.MAX_SAFE_INTEGER };

/** Checks the whole log against its hashes and signatures. `checkpoint`: a signed text of an earlier check that must fit. */
export async function verifyEvents(
  { checkpoint }: { readonly checkpoint?: string },
  context: EventContext,
): Promise<LogReport> {
  const { events } = context.storage;
  const keys = new CheckpointKeys(context.secrets(), context.issuer);
  const copy = copyOf(checkpoint, keys);
  for (let tries = 1; ; tries += 1) {
    const dropped = await events.lastCheckpoint({ kind: "dropped", ...EVER });
    const check = new Check(events, keys, dropped, copy);
    const fault = (await check.run()) ?? null;
    const isOvertaken =
      fault !== null && (await events.lastCheckpoint({ kind: "dropped", ...EVER }))?.seq !== dropped?.seq;
    if (isOvertaken && tries < MOST_TRIES) continue;
    return {
      fault,
      checked: check.walk.count,
      head: check.walk.head.seq === 0 ? null : check.walk.head,
      checkpoints: check.checkpoints,
      unknownKeys: check.unknownKeys,
      dropped: dropped ?? null,
      newest: (await events.lastCheckpoint({ kind: "sealed", ...EVER })) ?? null,
      unsealed: await events.tail({ most: MOST_WAITING }),
      publicJwk: keys.publicJwk,
    };
  }
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
  readonly #events: Events;
  readonly #keys: CheckpointKeys;
  readonly #dropped: Checkpoint | undefined;
  readonly #copy: Checkpoint | undefined;
  /** The last checkpoint that was checked. */
  #reached: number;
  checkpoints = 0;
  unknownKeys = 0;

  constructor(events: Events, keys: CheckpointKeys, dropped: Checkpoint | undefined, copy: Checkpoint | undefined) {
    this.#events = events;
    this.#keys = keys;
    this.#dropped = dropped;
    this.#copy = copy;
    this.#reached = dropped?.seq ?? 0;
    this.walk = new ChainWalk(dropped ?? GENESIS);
  }

  async run(): Promise<ChainFault | undefined> {
    const dropped = this.#dropped;
    const isGood = dropped === undefined || this.#keys.check(dropped);
    if (isGood !== true) {
      const signer = isGood === false ? "was not signed by this server" : `was signed with ${UNKNOWN_SECRET}`;
      return { seq: dropped?.seq ?? 0, problem: `the note about deleted events ${signer}` };
    }
    return (await this.#walkToTheEnd()) ?? (await this.#copyFault());
  }

  /** Servers can append events meanwhile: the end is where events and checkpoints end together. */
  async #walkToTheEnd(): Promise<ChainFault | undefined> {
    for (let expected = 0; ; ) {
      const fault = await this.#walkOn();
      if (fault !== undefined) return fault;
      const { seq, hash } = this.walk.head;
      if (seq < expected)
        return { seq: seq + 1, problem: `the end of the log is missing: a checkpoint names event ${expected}` };
      // Read after the events, so it covers them all: both are written together.
      const newest = await this.#events.lastCheckpoint({ kind: "sealed", ...EVER });
      if (newest === undefined)
        return seq === 0 ? undefined : { seq, problem: "no checkpoint says that this is the end of the log" };
      if (newest.seq < seq) return { seq: newest.seq + 1, problem: "no checkpoint covers the events from here on" };
      expected = newest.seq;
      if (newest.seq > seq) continue;
      if (this.#reached < seq) {
        const wrong = this.#checkpointFault(newest, hash);
        if (wrong !== undefined) return wrong;
      }
      return this.#proofFault(newest);
    }
  }

  /** The events and checkpoints from the last ones on. */
  async #walkOn(): Promise<ChainFault | undefined> {
    const checkpoints = this.#checkpoints();
    let checkpoint = await checkpoints.next();
    for (;;) {
      const events = await this.#events.chain({ after: this.walk.head.seq, limit: READ_AT_ONCE });
      for (const event of events) {
        const fault = this.walk.next(event);
        if (fault !== undefined) return fault;
        while (!checkpoint.done && checkpoint.value.seq <= event.seq) {
          const wrong = this.#checkpointFault(checkpoint.value, event.hash);
          if (wrong !== undefined) return wrong;
          checkpoint = await checkpoints.next();
        }
      }
      if (events.length < READ_AT_ONCE) return undefined;
    }
  }

  async *#checkpoints(): AsyncGenerator<Checkpoint, undefined> {
    for (let after = this.#reached; ; ) {
      const some = await this.#events.checkpoints({ kind: "sealed", after, limit: READ_AT_ONCE });
      yield* some;
      const last = some.at(-1);
      if (last === undefined || some.length < READ_AT_ONCE) return undefined;
      after = last.seq;
    }
  }

  /** `found`: the hash of its event. */
  #checkpointFault(checkpoint: Checkpoint, found: string): ChainFault | undefined {
    const { seq, hash } = checkpoint;
    this.checkpoints += 1;
    this.#reached = seq;
    const isGood = this.#keys.check(checkpoint);
    if (isGood === false) return { seq, problem: "the checkpoint was not signed by this server" };
    if (isGood === "unknown_key") this.unknownKeys += 1;
    return found === hash ? undefined : { seq, problem: "the log was different when its checkpoint was signed" };
  }

  /** A good signature of the end proves everything before it, unless its signer couldn't check what it went on from. */
  async #proofFault(newest: Checkpoint): Promise<ChainFault | undefined> {
    for (let at: Checkpoint | undefined = newest; ; ) {
      if (at === undefined || this.#keys.check(at) !== true) {
        const seq = at?.seq ?? newest.seq;
        return {
          seq,
          problem: `a checkpoint was signed with ${UNKNOWN_SECRET}, and nothing else proves the events up to it`,
        };
      }
      const unproven = this.#keys.unprovenBefore(at);
      if (unproven <= (this.#dropped?.seq ?? 0)) return undefined;
      const [before]: readonly Checkpoint[] = await this.#events.checkpoints({
        ...{ kind: "sealed", after: unproven - 1, limit: 1 },
      });
      if (before?.seq !== unproven)
        return { seq: unproven, problem: "the log went on after a checkpoint that was not good, and it is missing" };
      at = before;
    }
  }

  async #copyFault(): Promise<ChainFault | undefined> {
    const copy = this.#copy;
    if (copy === undefined || copy.seq <= (this.#dropped?.seq ?? 0)) return undefined;
    const [event] = await this.#events.chain({ after: copy.seq - 1, limit: 1 });
    if (event?.seq === copy.seq && event.hash === copy.hash) return undefined;
    return { seq: copy.seq, problem: "the log does not have the event of the given checkpoint" };
  }
}

type Events = EventContext["storage"]["events"];

const UNKNOWN_SECRET = "a secret that is not in ASSENT_SECRET";

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
