/** Tells the operator and the person that somebody guesses at an account more than its ceilings allow. */

import { leastRecentlyUsed } from "../../least-recently-used.ts";
import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import type { Guessed } from "../guessing-limits.ts";
import type { OwnerStorage, Person } from "../storage.ts";
import type { MailKind, Postbox } from "./mail-content.ts";
import type { MailStorage } from "./storage.ts";

const DAY: Millis = 86_400_000;
/** How long one process says nothing more of an account after an alarm. */
const QUIET: Millis = 15 * 60_000;
/** Maximum number of accounts that a process keeps quiet about. */
const MOST_QUIET = 10_000;

/** Somebody who guesses codes at a sign-in already knows the password. Somebody who guesses them at a recovery has the link of a message. */
type Told = Guessed | "proof";

const MAIL: Readonly<Record<Told, { readonly kind: MailKind; readonly path: string }>> = {
  password: { kind: "passwordGuessed", path: "/account/security" },
  code: { kind: "codeGuessed", path: "/account/security/password" },
  proof: { kind: "proofGuessed", path: "/account/security" },
};

export interface GuessAlarmParts {
  readonly issuer: string;
  readonly storage: Uses<OwnerStorage, "attempts.count"> & Uses<MailStorage, "mail.post">;
  readonly mail: Postbox;
  attemptKey(...parts: readonly string[]): string;
  event(name: string, fields: Readonly<Record<string, string>>): void;
  /** Counts an alarm in the metrics. */
  count(guessed: Guessed): void;
  /** The person could not be told; the next guess tries again. */
  failed(error: unknown): void;
  now(): Millis;
}

/** An event and a count at most every 15 minutes for an account in each process, and one message a day to the person. */
export class GuessAlarm {
  readonly #parts: GuessAlarmParts;
  /** Until when. */
  readonly #quiet = leastRecentlyUsed<Millis>(MOST_QUIET);

  constructor(parts: GuessAlarmParts) {
    this.#parts = parts;
  }

  /** Returns at once, so that no answer's time tells of a message. */
  raise(person: Person, guessed: Guessed, behind?: "link"): void {
    const { now, event, count, failed } = this.#parts;
    const told = behind === "link" ? "proof" : guessed;
    const key = `${told} ${person.personId}`;
    if ((this.#quiet.get(key) ?? 0) > now()) return;
    this.#quiet.set(key, now() + QUIET);
    event("guessing", { owner: person.personId, guessed });
    count(guessed);
    void this.#write(person, told).catch((error: unknown) => {
      this.#quiet.delete(key);
      failed(error);
    });
  }

  async #write(person: Person, told: Told): Promise<void> {
    const { storage, mail, issuer, attemptKey, now } = this.#parts;
    const { partition, personId, username, email, emailVerifiedAt, language } = person;
    if (!mail.enabled || emailVerifiedAt === null) return;
    const at = now();
    const once = { key: attemptKey("guess alarm", told, personId), limit: 1, window: DAY };
    if ((await storage.attempts.count({ attempts: [once], now: at })).kind !== "allowed") return;
    const { kind, path } = MAIL[told];
    const draft = {
      kind,
      to: email,
      language: language ?? "en",
      link: issuer + path,
      values: { person: username, at },
    };
    await storage.mail.post({ mails: mail.write(draft, { partition, cause: [personId, String(at)] }), now: at });
    mail.kick();
  }
}
