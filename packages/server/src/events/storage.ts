/** The storage port of events. */

import type { Millis } from "../oauth/model.ts";
import type { NewEvent, SealedEvent } from "./event.ts";

/** The last event of the log, or before the first one. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** An event that has no place in the order yet. */
export interface WaitingEvent {
  readonly partition: number;
  readonly eventId: string;
  readonly at: Millis;
  readonly record: string;
  /** True: an event with this id was sealed before. This row says the same again. */
  readonly known: boolean;
}

/** A signed state of the log. `dropped`: retention has deleted the events up to this one. */
export interface Checkpoint extends Head {
  readonly kind: "sealed" | "dropped";
  readonly at: Millis;
  /** A signed text with the same facts. */
  readonly signed: string;
}

export interface Seal {
  readonly holder: string;
  readonly now: Millis;
  /** The head that the events follow. */
  readonly head: Head;
  readonly events: readonly SealedEvent[];
  /** The rows that are done, also those of events that were sealed before. */
  readonly done: readonly Pick<WaitingEvent, "partition" | "eventId">[];
  readonly checkpoint: Checkpoint | null;
  /** The checkpoint before it, if it is intact: one of each hour is enough. */
  readonly replaces: Checkpoint | null;
}

/** Null: any. */
export interface EventFilter {
  readonly kind: string | null;
  readonly actor: string | null;
  readonly subject: string | null;
  readonly clientId: string | null;
  readonly since: Millis | null;
  readonly until: Millis | null;
}

export interface EventPage {
  readonly events: readonly SealedEvent[];
  /** The page goes on below this number. Null: it is the last one. A page can have fewer events than its limit. */
  readonly before: number | null;
}

export interface EventStorage {
  readonly events: {
    /** Writes events that have no other transaction as their cause. */
    note(args: { readonly events: readonly NewEvent[] }): Promise<void>;
    /** Writes the event of a grant that ended because its code or refresh token came back. Does nothing a second time. */
    noteReuse(args: { readonly partition: number; readonly grantId: string }): Promise<void>;
    /** One cheap read: whether events wait, and who seals them. */
    due(): Promise<{ readonly waiting: boolean; readonly holder: string | null; readonly until: Millis }>;
    /** The oldest events that wait, and the newest checkpoint, which is the head of the log. */
    waiting(args: {
      readonly limit: number;
    }): Promise<{ readonly newest: Checkpoint | null; readonly events: readonly WaitingEvent[] }>;
    /** Appends events. `queued`: some are to be delivered to webhooks. `lost`: another process holds the lease, or has appended meanwhile. */
    seal(args: Seal): Promise<"sealed" | "queued" | "lost">;
    /** Newest first. */
    page(args: EventFilter & { readonly before: number | null; readonly limit: number }): Promise<EventPage>;
    /** In the order of the log. */
    chain(args: { readonly after: number; readonly limit: number }): Promise<readonly SealedEvent[]>;
    /** The first event of that time or later. Some events that are a little younger can stand before it. */
    seqAt(args: { readonly at: Millis }): Promise<number | undefined>;
    get(args: { readonly eventId: string }): Promise<SealedEvent | undefined>;
    /** Checkpoints of one kind, in order. */
    checkpoints(args: {
      readonly kind: Checkpoint["kind"];
      readonly after: number;
      readonly limit: number;
    }): Promise<readonly Checkpoint[]>;
    /** The newest checkpoint of a kind, at that time or before. */
    lastCheckpoint(args: { readonly kind: Checkpoint["kind"]; readonly at: Millis }): Promise<Checkpoint | undefined>;
    /** How many events wait, counted up to `most`, and since when. */
    tail(args: { readonly most: number }): Promise<{ readonly count: number; readonly oldest: Millis | null }>;
    /** The key of a person's facts. Undefined: the person was deleted, or has no events with facts. */
    personsKey(args: { readonly partition: number; readonly personId: string }): Promise<Uint8Array | undefined>;
    /** Writes checkpoints that were signed again. False: another process holds the lease. */
    renew(args: {
      readonly holder: string;
      readonly now: Millis;
      readonly checkpoints: readonly Checkpoint[];
    }): Promise<boolean>;
    /** Notes that events up to a checkpoint may be deleted. False: another process holds the lease. */
    retire(args: { readonly holder: string; readonly now: Millis; readonly note: Checkpoint }): Promise<boolean>;
    /** Deletes at most `limit` of the events that were retired. Returns their number. */
    drop(args: { readonly limit: number }): Promise<number>;
  };
}
