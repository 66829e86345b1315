/** Findings about webhooks: those that fail or are disabled, and whether the server can open their secrets. */

import { Secrets } from "../../crypto/server-secret.ts";
import { openWebhookSecret } from "../../crypto/webhook-secrets.ts";
import type { StoredWebhook } from "../../webhooks/storage.ts";
import { counted } from "../counted.ts";
import type { Finding } from "../doctor-finding.ts";

/** `secrets`: those of the configuration. Empty: they can't be read. */
export function webhookFindings(webhooks: readonly StoredWebhook[], secrets: readonly Buffer[]): readonly Finding[] {
  if (webhooks.length === 0) return [];
  const [all, newest] = [new Secrets(secrets), new Secrets(secrets.slice(0, 1))];
  const findings = webhooks.flatMap(({ webhook: { id, url, status, secrets: own }, health }): Finding[] => {
    const check = "webhooks";
    const named = `${url} (${id})`;
    const [secret] = own;
    if (health.disabledReason !== null) {
      const detail = `${named}: the server disabled it, because its receiver fails (${health.disabledReason}); once it works again, run: assent webhook update ${id} --status active`;
      return [{ check, status: "warning", detail }];
    }
    if (status === "disabled" || secret === undefined) return [];
    if (openWebhookSecret(all, id, secret.sealed) === undefined) {
      const detail = `${named}: its secret can't be decrypted, so it gets nothing: ASSENT_SECRET must contain the secret that it was encrypted with, behind the first of the list; or run: assent webhook rotate-secret ${id}`;
      return [{ check, status: "broken", detail }];
    }
    if (openWebhookSecret(newest, id, secret.sealed) === undefined) {
      const detail = `${named}: its secret is encrypted with an older secret; before you remove that one from ASSENT_SECRET, run: assent webhook rotate-secret ${id}`;
      return [{ check, status: "note", detail }];
    }
    if (health.failingSince === null) return [];
    const since = new Date(health.failingSince).toISOString();
    const detail = `${named}: its receiver has failed ${counted(health.failures, "time")} since ${since}; see: assent webhook deliveries ${id}`;
    return [{ check, status: "warning", detail }];
  });
  return findings.length > 0
    ? findings
    : [{ check: "webhooks", status: "ok", detail: counted(webhooks.length, "webhook") }];
}
