/** Webhooks for tests. */

import type { Webhook } from "../../../src/webhooks/webhook.ts";
import { anId, NOW } from "./record-builders.ts";

export function aWebhook(changes: Partial<Webhook> = {}): Webhook {
  return {
    ...{ id: anId(), url: "https://hooks.test/", description: "", kinds: ["*"], clientId: null, subject: null },
    ...{ status: "active", createdAt: NOW },
    secrets: [{ sealed: "s", fingerprint: "f", createdAt: NOW, until: null }],
    ...changes,
  };
}
