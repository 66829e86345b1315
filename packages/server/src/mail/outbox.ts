/**
 * The outbox: messages that are sealed in the database. Any process sends them, until a mail server accepts them or
 * they are too old.
 */

import { derivedId } from "../crypto/ids.ts";
import { seal, unseal } from "../crypto/seal.ts";
import type { Secrets } from "../crypto/server-secret.ts";
import type { Millis } from "../oauth/model.ts";
import type { MailDraft, Postbox } from "../owners/mail/mail-content.ts";
import type { ClaimedMail, MailStorage, SettledMail, StoredMail } from "../owners/mail/storage.ts";
import type { Brand } from "../pages/branding.ts";
import type { Uses } from "../storage-subset.ts";
import { PeriodicWork } from "./periodic-work.ts";
import { MailFault, type Transport } from "./smtp.ts";

const SECOND: Millis = 1000;
const MINUTE: Millis = 60 * SECOND;
const HOUR: Millis = 60 * MINUTE;

/** After this time, another process can take a message whose process has died. */
const CLAIM: Millis = 2 * MINUTE;
const AT_ONCE = 5;
/** The pause after each failed try. After the last one, the outbox gives the message up. */
const PAUSES: readonly Millis[] = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR];
/** How long to try a message without a link that expires. */
const NEWS_LAST: Millis = 3 * 24 * HOUR;

export interface OutboxParts {
  readonly storage: Uses<MailStorage, "mail.claim" | "mail.settle">;
  readonly secrets: Secrets;
  readonly issuer: string;
  /** The sender's address. */
  readonly from: string;
  /** Null: this server sends no mail. */
  readonly transport: Transport | null;
  /** The name and look of the service in messages. */
  readonly brand: Brand;
  readonly now: () => Millis;
  readonly event: (name: string, fields: Readonly<Record<string, string | number>>) => void;
  /** Reports something that an operator must know. */
  readonly alarm: (name: string, fields: Readonly<Record<string, string | number>>, text: string) => void;
}

export class Outbox implements Postbox {
  readonly enabled: boolean;
  readonly #parts: OutboxParts;
  readonly #rounds: PeriodicWork;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.enabled = parts.transport !== null;
    this.#rounds = new PeriodicWork(
      () => this.#round(),
      (error) => parts.event("outbox_unreachable", { fault: error instanceof Error ? error.name : "unknown" }),
    );
  }

  write(
    draft: MailDraft,
    about: { readonly partition: number; readonly cause: readonly string[]; readonly uselessAfter?: Millis },
  ): readonly StoredMail[] {
    if (!this.enabled) return [];
    const { secrets, now } = this.#parts;
    const { partition, cause, uselessAfter = now() + NEWS_LAST } = about;
    const mailId = derivedId(partition, "mail", draft.kind, draft.to, ...cause);
    const sealed = seal(secrets, "mail", mailId, Buffer.from(JSON.stringify(draft)));
    return [{ partition, mailId, kind: draft.kind, sealed, uselessAfter }];
  }

  kick(): void {
    this.#rounds.kick();
  }

  start(): void {
    if (this.enabled) this.#rounds.start();
  }

  /** Resolves when the messages in progress are sent. */
  async stop(): Promise<void> {
    await this.#rounds.stop();
    this.#parts.transport?.close();
  }

  /** Sends the messages that are due. Returns how many it took. */
  async #round(): Promise<number> {
    const now = this.#parts.now();
    const claimed = await this.#parts.storage.mail.claim({ now, limit: AT_ONCE, until: now + CLAIM });
    await Promise.all(claimed.map((mail) => this.#deliver(mail)));
    return claimed.length;
  }

  async #deliver(mail: ClaimedMail): Promise<void> {
    const outcome = await this.#send(mail);
    const { mailId, kind, tries } = mail;
    if (outcome.kind === "dead") {
      const text = `a message (${kind}) was given up after ${tries} tries: ${outcome.fault}`;
      this.#parts.alarm("mail_dead", { mail: mailId, kind, tries, fault: outcome.fault }, text);
    } else if (outcome.kind === "again") {
      this.#parts.event("mail_delayed", { mail: mailId, kind, tries, fault: outcome.fault });
    } else {
      this.#parts.event("mail_sent", { mail: mailId, kind, tries });
    }
    await this.#parts.storage.mail.settle({ ...mail, outcome });
  }

  async #send({ mailId, sealed, tries, uselessAfter }: ClaimedMail): Promise<SettledMail> {
    const { secrets, issuer, brand, from, transport, now } = this.#parts;
    const plain = unseal(secrets, "mail", mailId, sealed);
    if (plain === undefined) return { kind: "dead", fault: "sealed with a secret that is gone" };
    if (now() >= uselessAfter) return { kind: "dead", fault: "too late to be of use" };
    const draft = JSON.parse(plain.toString()) as MailDraft;
    // The modules of the pages load only when a message needs them.
    const { chrome, mailOf } = await import("../pages/index.ts");
    const frame = chrome({ issuer, brand, locale: draft.language });
    const words = mailOf(draft, { issuer, chrome: frame });
    const { to } = draft;
    const letter = { id: mailId, from: { name: frame.product, address: from }, to, ...words };
    try {
      await transport?.send(letter);
      return { kind: "sent" };
    } catch (error) {
      if (!(error instanceof MailFault)) return { kind: "dead", fault: "it can't be put into words" };
      const pause = PAUSES[tries - 1];
      if (error.permanent || pause === undefined) return { kind: "dead", fault: error.message };
      return { kind: "again", at: now() + pause, fault: error.message };
    }
  }
}
