/** The outbox as the configuration wants it. */

import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { Secrets } from "./crypto/secrets.ts";
import { Outbox } from "./mail/outbox.ts";
import { logTransport, smtpTransport } from "./mail/transport.ts";
import type { Millis } from "./oauth/model.ts";
import type { MailStorage } from "./owners/mail-storage.ts";
import type { Brand } from "./pages/brand.ts";

interface OutboxSources {
  readonly config: Pick<Config, "issuer" | "smtpUrl" | "mailFrom">;
  readonly storage: Pick<MailStorage, "claimMail" | "settleMail">;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly now: () => Millis;
  readonly brand: Brand;
}

/** Messages go to the server that the configuration names, to the log in a demo, or nowhere, which the start says. */
export function openOutbox({ config, storage, secrets, log, now, brand }: OutboxSources, logged: boolean): Outbox {
  const { issuer, smtpUrl, mailFrom } = config;
  const transport =
    smtpUrl !== null ? smtpTransport(smtpUrl) : logged ? logTransport((fields, text) => log.info(fields, text)) : null;
  if (transport === null) {
    log.info({ event: "mail_off" }, "no mail is sent: ASSENT_SMTP_URL names no server that would take it");
  }
  return new Outbox({
    ...{ storage, secrets, issuer, transport, now, brand },
    from: mailFrom ?? `no-reply@${new URL(issuer).hostname}`,
    event: (name, fields) => log.info({ event: name, ...fields }, name),
    alarm: (name, fields, text) => log.error({ event: name, ...fields }, text),
  });
}
