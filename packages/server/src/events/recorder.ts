/**
 * Stores events that no other transaction causes: refused sign-ins and suspicions. Strangers can cause any number of
 * them, so each network and the whole process have a limit per minute. What goes beyond it is in the log and the metrics
 * only.
 */

import type { Millis } from "../oauth/model.ts";
import type { Uses } from "../storage-subset.ts";
import type { NewEvent } from "./event.ts";
import type { EventStorage } from "./storage.ts";

/** Limits of one minute. */
const WINDOW = 60_000;
const OF_A_NETWORK = 60;
const OF_ALL = 600;
/** Events wait so long for others, in milliseconds, and are then stored together. */
const COLLECT_FOR = 100;

export interface RecorderParts {
  readonly storage: Uses<EventStorage, "events.note" | "events.noteReuse">;
  networkOf(address: string): string;
  partitionOf(id: string): number;
  /** Milliseconds of a clock that nobody sets. */
  monotonic(): number;
}

type Fields = Readonly<Record<string, string | number | null>>;

export class EventRecorder {
  readonly #parts: RecorderParts;
  readonly #counts = new Map<string, number>();
  /** Grants whose reuse was noted in this minute: a thief can send a token again and again. */
  readonly #reused = new Set<string>();
  #all = 0;
  #windowUntil = 0;
  #waiting: NewEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  /** `name` and `fields`: as the log has them. Never throws. */
  note(name: string, fields: Fields, at: Millis): void {
    const grantId = fields["grant_id"];
    if (name === "refresh_token_replayed" || name === "code_replayed") {
      if (typeof grantId === "string") this.#noteReuse(grantId);
      return;
    }
    const network = typeof fields["address"] === "string" ? this.#parts.networkOf(fields["address"]) : undefined;
    if (!this.#admits(network)) return;
    this.#waiting.push(eventOf(name, fields, network, at));
    this.#timer ??= setTimeout(() => this.#write(), COLLECT_FOR).unref();
  }

  /** Resolves when everything noted before has been stored or given up. */
  async settle(): Promise<void> {
    this.#write();
    await this.#writing;
  }

  /** The grant's row says the same, so housekeeping repeats this if it fails. */
  #noteReuse(grantId: string): void {
    this.#beginWindow();
    if (this.#reused.has(grantId) || this.#reused.size >= OF_ALL) return;
    this.#reused.add(grantId);
    const args = { partition: this.#parts.partitionOf(grantId), grantId };
    this.#after(() => this.#parts.storage.events.noteReuse(args));
  }

  #beginWindow(): void {
    const now = this.#parts.monotonic();
    if (now < this.#windowUntil) return;
    this.#counts.clear();
    this.#reused.clear();
    this.#all = 0;
    this.#windowUntil = now + WINDOW;
  }

  #admits(network: string | undefined): boolean {
    this.#beginWindow();
    if (this.#all >= OF_ALL) return false;
    const ofNetwork = network === undefined ? 0 : (this.#counts.get(network) ?? 0);
    if (ofNetwork >= OF_A_NETWORK) return false;
    if (network !== undefined) this.#counts.set(network, ofNetwork + 1);
    this.#all += 1;
    return true;
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#waiting;
    this.#waiting = [];
    if (events.length > 0) this.#after(() => this.#parts.storage.events.note({ events }));
  }

  /** One at a time, so that a flood takes one connection. The log has the event, too, if the database is away. */
  #after(work: () => Promise<void>): void {
    this.#writing = this.#writing.then(work).catch(() => undefined);
  }
}

const text = (value: Fields[string] | undefined) => (value === undefined || value === null ? undefined : String(value));

function eventOf(name: string, fields: Fields, network: string | undefined, at: Millis): NewEvent {
  const { owner, client_id: clientId, reason, by, fault, provider } = fields;
  const about = { at, by: "anonymous", subject: text(owner) ?? null, clientId: text(clientId) ?? null };
  const step = text(by) ?? STEPS[name];
  if (name.endsWith("_throttled")) return { ...about, kind: "sign_in.throttled", details: { step, network } };
  if (step !== undefined) {
    const details = { step, reason: text(reason) ?? text(fault), provider: text(provider), network };
    if (name !== "sign_in_denied") return { ...about, kind: "sign_in.refused", details };
    // A trial of another policy asks the same question again.
    const { when, acr, amr, auth_time, address } = fields;
    const asked = { when: text(when), acr: text(acr), amr: text(amr), auth_time: auth_time ?? undefined };
    const personal = { address: text(address) ?? null };
    return { ...about, kind: "sign_in.refused", details: { ...details, ...asked }, personal };
  }
  return { ...about, kind: "security.suspicion", details: { what: name, network } };
}

/** What was tried, by the name of the refusal. */
const STEPS: Readonly<Record<string, string>> = {
  sign_in_failed: "sign_in",
  sign_in_throttled: "sign_in",
  sign_in_denied: "policy",
  sign_in_elsewhere_failed: "elsewhere",
  second_step_failed: "second_step",
  second_step_throttled: "second_step",
  user_code_throttled: "user_code",
  reauthentication_failed: "reauthentication",
  passkey_refused: "passkey",
  recovery_proof_failed: "recovery",
};
