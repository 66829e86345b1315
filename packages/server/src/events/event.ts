/** Events for operators: what happened, who caused it, and to whom. The storage writes each one in the transaction of its cause. */

import type { Millis } from "../oauth/model.ts";
import type { EventKind } from "./kinds.ts";

export type EventValue = string | number | boolean | null | readonly string[];

/** Who uses the storage, if it is an operator, or a client that changes its registration. The engine passes it to every transaction of a call. */
export interface Cause {
  /** `user:`, `client:` or `token:` and an id; `operator`: a command on the database. */
  readonly actor: string;
  readonly door: "api" | "command" | "registration";
  /** The operation of the admin API, or the words of the command. */
  readonly operation: string;
  /** Names of the fields that the request set. Their values may be secrets. */
  readonly fields: readonly string[];
  /** The network address of the request. Null: a command. */
  readonly address: string | null;
  readonly at: Millis;
  readonly requestId: string | null;
}

/** An event as a transaction writes it. */
export interface NewEvent {
  readonly kind: EventKind;
  /** Absent: the time of the cause. */
  readonly at?: Millis;
  /** Who caused it, if no operator did: `user:` or `client:` and an id, `server`, `anonymous`. Default: `server`. */
  readonly by?: string;
  /** The person or company that it is about. */
  readonly subject?: string | null;
  readonly clientId?: string | null;
  readonly details?: Readonly<Record<string, EventValue | undefined>>;
  /** Facts about the subject, a person. They become unreadable when the person is deleted. */
  readonly personal?: Readonly<Record<string, string | null>>;
  /** Names the event, so that it exists once. Absent: a random one. */
  readonly eventId?: string;
}

/** An event in the order of the log. */
export interface SealedEvent {
  readonly seq: number;
  readonly eventId: string;
  readonly at: Millis;
  readonly kind: string;
  readonly actor: string;
  readonly subject: string | null;
  readonly clientId: string | null;
  /** The text that the hash covers: a `StoredRecord` as JSON. */
  readonly record: string;
  /** SHA-256 of the previous hash and this event, base64url. */
  readonly hash: string;
}

/** The content of an event. Its text is what the hash covers. */
export interface StoredRecord {
  readonly id: string;
  readonly at: Millis;
  readonly kind: string;
  readonly actor: string;
  readonly subject: string | null;
  readonly client_id: string | null;
  readonly details: Readonly<Record<string, EventValue>>;
  /** Sealed with the key of the person `of`. */
  readonly personal?: { readonly of: string; readonly sealed: string };
}

/** The name of the lease of the process that seals. */
export const SEALER_LEASE = "event sealer";
/**
 * An event can be sealed after others that are younger by at most this time: its transaction took so long, the caller of
 * a long import sent its request so long ago, or no server ran.
 */
export const DISORDER: Millis = 86_400_000;
/** The head of a log without events. */
export const GENESIS = { seq: 0, hash: "" };

/** Limits of what one event holds. A longer text is cut, and ends with `…`. */
export const LONGEST_TEXT = 300;
export const MOST_VALUES = 50;

/** A text that both databases and every reader of JSON hold alike. */
export function eventText(text: string, longest = LONGEST_TEXT): string {
  // NUL and lone surrogates can't be stored everywhere.
  const whole = text.toWellFormed().replaceAll("\0", "\ufffd");
  return whole.length > longest ? `${whole.slice(0, longest).toWellFormed()}…` : whole;
}

/** The storage has a function under this symbol: it makes the same storage for calls with one cause. */
export const BECAUSE = Symbol("because");

/** The same storage, whose transactions know who caused them. */
export function because<S extends object>(storage: S, cause: Cause): S {
  const made = (storage as { readonly [BECAUSE]?: (cause: Cause) => object })[BECAUSE];
  if (made === undefined) throw new Error("this storage takes no cause");
  return made(cause) as S;
}
