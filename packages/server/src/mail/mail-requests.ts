/**
 * Requests for mail. The server stores each one sealed before the page says that a message comes. Any process answers
 * it.
 */

import { newOwnerId } from "../crypto/ids.ts";
import { seal, unseal } from "../crypto/seal.ts";
import type { Secrets } from "../crypto/server-secret.ts";
import type { Millis } from "../oauth/model.ts";
import type { AskedMail, MailDesk, MailRequest } from "../owners/mail/answer-mail-request.ts";
import type { ClaimedMailRequest, MailStorage } from "../owners/mail/storage.ts";
import type { Uses } from "../storage-subset.ts";
import { PeriodicWork } from "./periodic-work.ts";

const SECOND: Millis = 1000;
const DAY: Millis = 86_400 * SECOND;

/**
 * Maximum number of waiting requests and messages. Above it, the server refuses a request, and the page says so.
 * Unknown browsers can use only the first half.
 */
const MOST_WAITING = { anybody: 5_000, "a known device": 10_000 };
/** How long other processes leave a request to the process that took it. It grows with each try. */
const PAUSE: Millis = 15 * SECOND;
const AT_ONCE = 5;
/** The longest useful delay. A later message would only surprise its reader. */
const USEFUL: Millis = DAY;

export interface MailRequestParts {
  readonly storage: Uses<MailStorage, "mailRequests.add" | "mailRequests.claim" | "mailRequests.remove">;
  readonly secrets: Secrets;
  /** False: this server sends no mail. */
  readonly enabled: boolean;
  partitionOf(id: string): number;
  readonly now: () => Millis;
  /** Makes the message. For the same request, it always makes the same message. */
  readonly answer: (asked: AskedMail) => Promise<void>;
  /** Called when an answer failed. The request is tried again. */
  readonly failed: (error: unknown, fields: Readonly<Record<string, string | number>>) => void;
  /** Reports something that an operator must know. */
  readonly alarm: (name: string, fields: Readonly<Record<string, string | number>>, text: string) => void;
}

export class MailRequests implements MailDesk {
  readonly #parts: MailRequestParts;
  readonly #rounds: PeriodicWork;

  constructor(parts: MailRequestParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicWork(
      () => this.#round(),
      (error) => parts.failed(error, {}),
    );
  }

  async ask(request: MailRequest, from: keyof typeof MOST_WAITING): Promise<boolean> {
    const { storage, secrets, partitionOf, now } = this.#parts;
    // Made like an owner's id, partition included, because an account from a sign-up gets this partition.
    const requestId = newOwnerId();
    const sealed = seal(secrets, "mail request", requestId, Buffer.from(JSON.stringify(request)));
    const stored = await storage.mailRequests.add({
      request: { partition: partitionOf(requestId), requestId, sealed },
      most: MOST_WAITING[from],
      now: now(),
    });
    if (stored) this.#rounds.kick();
    return stored;
  }

  start(): void {
    if (this.#parts.enabled) this.#rounds.start();
  }

  /** Resolves when the requests in progress are answered. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Answers one request after the other, so that a burst takes no more of the processor than one request. */
  async #round(): Promise<number> {
    const { storage, now } = this.#parts;
    const claimed = await storage.mailRequests.claim({ now: now(), limit: AT_ONCE, pause: PAUSE });
    for (const one of claimed) await this.#answer(one);
    return claimed.length;
  }

  async #answer(claimed: ClaimedMailRequest): Promise<void> {
    const { storage, now, answer, failed, alarm } = this.#parts;
    const { requestId, tries, createdAt } = claimed;
    const request = this.#open(claimed);
    const fault =
      request === undefined
        ? "sealed with a secret that is gone"
        : now() >= createdAt + USEFUL
          ? "too late to be of use"
          : undefined;
    try {
      if (request !== undefined && fault === undefined) await answer({ request, requestId, askedAt: createdAt });
      await storage.mailRequests.remove(claimed);
    } catch (error) {
      failed(error, { request: requestId, tries });
      return;
    }
    if (fault !== undefined)
      alarm("mail_request_dead", { request: requestId, tries, fault }, `a request for mail was given up: ${fault}`);
  }

  #open({ requestId, sealed }: ClaimedMailRequest): MailRequest | undefined {
    const plain = unseal(this.#parts.secrets, "mail request", requestId, sealed);
    return plain === undefined ? undefined : (JSON.parse(plain.toString()) as MailRequest);
  }
}
