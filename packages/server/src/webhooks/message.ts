/** The message that a receiver gets (Standard Webhooks 1.0): an event as JSON, signed. */

import { Webhook as Signer } from "standardwebhooks";
import type { SealedEvent, StoredRecord } from "../events/event.ts";
import type { Millis } from "../oauth/model.ts";

/** Raised if a field changes its meaning or goes. New fields can come without it. */
export const PAYLOAD_VERSION = 1;

/**
 * The body. It has ids and what the catalogue of events names as details, but no facts about a person: those are sealed
 * in the event, and stay there.
 */
export function payloadOf({ seq, record }: SealedEvent, issuer: string): string {
  const { id, at, kind, actor, subject, client_id, details } = JSON.parse(record) as StoredRecord;
  return JSON.stringify({
    type: kind,
    timestamp: new Date(at).toISOString(),
    version: PAYLOAD_VERSION,
    issuer,
    data: { id, seq, actor, subject, client_id, details },
  });
}

/** The headers of a message. Each secret signs it, so that a receiver that has one of them can check it. */
export function signedHeaders(
  { id, body, at }: { readonly id: string; readonly body: string; readonly at: Millis },
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const time = new Date(at);
  return {
    "content-type": "application/json",
    "user-agent": "assent",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1000)),
    "webhook-signature": secrets.map((secret) => new Signer(secret).sign(id, time, body)).join(" "),
  };
}
