/** Mail by the configuration: the outbox, the requests for mail, the links in messages. */

import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { DerivedCredentials } from "./crypto/derived-credentials.ts";
import type { Secrets } from "./crypto/server-secret.ts";
import { mailLinks } from "./mail/mail-links.ts";
import { MailRequests } from "./mail/mail-requests.ts";
import { Outbox } from "./mail/outbox.ts";
import { logTransport, smtpTransport, type Transport } from "./mail/smtp.ts";
import type { Millis } from "./oauth/model.ts";
import type { MailDesk } from "./owners/mail/answer-mail-request.ts";
import type { MailLinks, Postbox } from "./owners/mail/mail-content.ts";
import type { Brand } from "./pages/branding.ts";
import type { Storage } from "./storage/open.ts";
import { partitionOf } from "./storage/partition.ts";

export interface MailSources {
  readonly config: Pick<Config, "issuer" | "smtpUrl" | "mailFrom">;
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly attemptKey: (...parts: readonly string[]) => string;
  readonly log: Logger;
  readonly now: () => Millis;
  readonly brand: Brand;
}

export interface Mail {
  readonly postbox: Postbox;
  readonly desk: MailDesk;
  readonly links: MailLinks;
  start(): void;
  /** Resolves when current work is done; the rest waits in the database. */
  stop(): Promise<void>;
}

/** Messages go to the configured server, to the log in a demo, or nowhere; the start logs the last case. */
export function openMail(sources: MailSources, logged: boolean): Mail {
  const { config, storage, secrets, attemptKey, log, now, brand } = sources;
  const { issuer } = config;
  const transport = transportOf(config, log, logged);
  const event = (name: string, fields: Readonly<Record<string, string | number>>) =>
    log.info({ event: name, ...fields }, name);
  const alarm = (name: string, fields: Readonly<Record<string, string | number>>, text: string) =>
    log.error({ event: name, ...fields }, text);
  const from = config.mailFrom ?? `no-reply@${new URL(issuer).hostname}`;
  const outbox = new Outbox({ storage, secrets, issuer, transport, now, brand, from, event, alarm });
  const links = mailLinks({ credentials: new DerivedCredentials(secrets), issuer, now });
  const context = { storage, mail: outbox, links, issuer, partitionOf, attemptKey, now, event };
  const requests = new MailRequests({
    ...{ storage, secrets, enabled: outbox.enabled, partitionOf, now, alarm },
    answer: async (asked) => (await import("./owners/mail/answer-mail-request.ts")).answerMailRequest(asked, context),
    failed: (err, fields) =>
      log.warn({ event: "mail_request_delayed", ...fields, err }, "a request for mail is answered later"),
  });
  return {
    postbox: outbox,
    desk: requests,
    links,
    start() {
      requests.start();
      outbox.start();
    },
    async stop() {
      await requests.stop();
      await outbox.stop();
    },
  };
}

function transportOf({ smtpUrl }: MailSources["config"], log: Logger, logged: boolean): Transport | null {
  if (smtpUrl !== null) return smtpTransport(smtpUrl);
  if (logged) return logTransport((fields, text) => log.info(fields, text));
  log.info({ event: "mail_off" }, "the server sends no mail, because ASSENT_SMTP_URL is not set");
  return null;
}
