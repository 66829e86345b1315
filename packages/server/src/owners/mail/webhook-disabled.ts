/** Tells operators by mail that the server has disabled a webhook, because its receiver fails. */

import type { Millis } from "../../oauth/model.ts";
import type { Person } from "../person.ts";
import type { Postbox } from "./mail-content.ts";
import type { StoredMail } from "./storage.ts";

/** Maximum number of operators who get the message. */
const MOST = 100;

export interface WebhookMailContext {
  readonly issuer: string;
  readonly mail: Postbox;
  now(): Millis;
  /** Operators, oldest account first. */
  operators(most: number): Promise<readonly Person[]>;
  post(mails: readonly StoredMail[]): Promise<void>;
}

/** The webhook as an operator knows it. */
export interface DisabledWebhook {
  readonly id: string;
  readonly url: string;
  readonly description: string;
}

/** To everybody who may enable it again. `reason`: the last fault of the receiver. */
export async function tellOfDisabledWebhook(
  { id, url, description }: DisabledWebhook,
  reason: string,
  { issuer, mail, now, operators, post }: WebhookMailContext,
): Promise<void> {
  if (!mail.enabled) return;
  const at = now();
  // The rest of the address can be a secret.
  const app = description === "" ? new URL(url).host : description;
  for (const person of await operators(MOST)) {
    const { partition, personId, email, emailVerifiedAt, status, language } = person;
    if (status !== "active" || emailVerifiedAt === null || !person.operator.includes("admin")) continue;
    const values = { app, key: id, reason, at };
    const draft = { kind: "webhookDisabled", to: email, language: language ?? "en", link: issuer, values } as const;
    await post(mail.write(draft, { partition, cause: [personId, id, String(at)] }));
  }
  mail.kick();
}
