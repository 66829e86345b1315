/** Reports events and refusals to the log and the metrics. */

import { hash } from "node:crypto";
import type { Logger } from "pino";
import type { StoredRefusal } from "./admin/storage.ts";
import { networkOf } from "./http/connections/client-address.ts";
import type { HttpRequest } from "./http/http-message.ts";
import { type Refusal, withoutCredentials } from "./http/refusal.ts";
import { LogSampler } from "./log-sampling.ts";
import type { ServerMetrics } from "./metrics/server-metrics.ts";
import type { ConditionName } from "./oauth/errors.ts";
import type { Millis } from "./oauth/model.ts";

/**
 * Events that strangers, or faulty clients, can cause in any number. The log samples them, and the metrics count them.
 */
export const FAILURES: ReadonlySet<string> = new Set([
  "sign_in_failed",
  "sign_in_throttled",
  "sign_in_denied",
  "second_step_failed",
  "second_step_throttled",
  "reauthentication_failed",
  "passkey_refused",
  "user_code_unknown",
  "user_code_throttled",
  // An owner's "Don't allow" is no failure: see below.
  "authorization_denied",
  "refresh_token_of_other_client",
  "state_lost",
  "unknown_tokens",
  "revocation_of_other_clients_token",
  "remote_keys_unavailable",
  "client_document_unusable",
  "use_unrecorded",
]);

/** Events about security that no transaction of a change writes. Operators find them in the log of events, too. */
export const SECURITY: ReadonlySet<string> = new Set([
  ...["sign_in_failed", "sign_in_throttled", "sign_in_elsewhere_failed", "second_step_failed", "second_step_throttled"],
  "sign_in_denied",
  ...["reauthentication_failed", "passkey_refused", "recovery_proof_failed", "user_code_throttled"],
  ...["refresh_token_replayed", "code_replayed", "refresh_token_of_other_client", "state_lost", "passkey_copied"],
  ...["revocation_of_other_clients_token", "pkce_challenge_reused", "guessing", "unknown_tokens"],
]);

type EventFields = Readonly<Record<string, string | number | null>>;

/**
 * Numbers that say nothing about each other. Making one never fails, also without random bytes. A command takes a number
 * that begins with a dash for an option.
 */
export function requestNumber(seed: string): string {
  return hash("sha256", seed, "base64url").slice(0, 16).replace(/^-/, "0");
}

export interface Reporting {
  event(name: string, fields: EventFields): void;
  /** Logs why a request was refused, or the fault that it caused. */
  refused(refusal: Refusal, request: HttpRequest, error?: unknown): void;
  /** A page says that its request was refused. The first report of a request counts, because it knows more. */
  shown(condition: ConditionName, request: HttpRequest): void;
  /** Resolves when all refusals so far are stored. */
  settle(): Promise<void>;
  /** Writes the counts so far. */
  close(): void;
}

/** Stores refusals for operators. */
export interface RefusalStore {
  note(refusal: StoredRefusal): void;
  settle(): Promise<void>;
}

/** Stores events about security. */
export interface SecurityEvents {
  note(name: string, fields: EventFields, at: Millis): void;
  settle(): Promise<void>;
}

/** Refusals that are not stored: nobody asks why, or the server has no time or no database for it. */
const UNSTORED: ReadonlySet<ConditionName> = new Set(["not_found", "temporarily_unavailable", "authorization_pending"]);

interface Stores {
  /** Makes the store of refusals at the first one. */
  readonly load: () => Promise<RefusalStore>;
  /** The same for events. */
  readonly loadEvents: () => Promise<SecurityEvents>;
  /** The time of a refusal or an event. */
  readonly now: () => Millis;
}

export function reporting(log: Logger, metrics: ServerMetrics, { load, loadEvents, now }: Stores): Reporting {
  const sampler = new LogSampler((fields, text) => log.info(fields, text));
  // At this level an operator looks for a fault, so every line is written.
  const everything = log.isLevelEnabled("debug");
  let store: Promise<RefusalStore> | undefined;
  const keep = (refusal: Omit<StoredRefusal, "at">) => {
    if (UNSTORED.has(refusal.condition)) return;
    const stored = { ...refusal, at: now() };
    store ??= load();
    store.then(
      (to) => to.note(stored),
      (error: unknown) => log.error({ err: error, event: "refusals_unstored" }, "refusals can't be stored"),
    );
  };
  let events: Promise<SecurityEvents> | undefined;
  const keepEvent = (name: string, fields: EventFields) => {
    const at = now();
    events ??= loadEvents();
    events.then(
      (to) => to.note(name, fields, at),
      (error: unknown) => log.error({ err: error, event: "events_unstored" }, "events can't be stored"),
    );
  };
  return {
    event(name, fields) {
      if (SECURITY.has(name)) keepEvent(name, fields);
      const line = { event: name, ...fields };
      const failure = FAILURES.has(name) && fields["condition"] !== "access_denied";
      if (failure) metrics.failed(name);
      if (name === "authorization_denied") keepDenial(fields, keep);
      if (everything || !failure) log.info(line, name);
      else sampler.line({ cause: causeOf(name, fields), source: sourceOf(fields), fields: line, text: name });
    },
    refused({ condition, detail: found, fault, facts }, { method, path, address, id }, error) {
      metrics.refused(condition);
      const detail = found && withoutCredentials(found);
      const request = { method, path: cut(path), address };
      const { client_id: clientId = "", ...about } = facts ?? {};
      const kept = detail === undefined ? {} : { detail: cut(detail, LONGEST_DETAIL) };
      keep({ requestId: id, condition, clientId, ...request, ...kept, ...about });
      const fields = { event: "refused", condition, detail, ...request, request_id: id, ...facts };
      if (fault) log.error({ ...fields, err: error }, "fault");
      else if (everything) log.info(fields, condition);
      else
        sampler.line({
          ...{ cause: { event: "refused", condition }, source: { network: networkOf(address) } },
          ...{ fields, text: condition },
        });
    },
    shown(condition, { method, path, address, id }) {
      keep({ requestId: id, condition, clientId: "", method, path: cut(path), address });
    },
    settle: async () => {
      await (await store?.catch(() => undefined))?.settle();
      await (await events?.catch(() => undefined))?.settle();
    },
    close: () => sampler.flush(),
  };
}

/** Maximum length of a path in a line: the server's own are shorter, and strangers choose theirs. */
const LONGEST_PATH = 200;
/** Maximum length of a stored detail. */
const LONGEST_DETAIL = 500;

function cut(text: string, longest = LONGEST_PATH): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** An owner or the server said no to a checked request at the authorization endpoint. */
function keepDenial(
  { request_id: requestId, condition, client_id: clientId, address }: EventFields,
  keep: (refusal: Omit<StoredRefusal, "at">) => void,
): void {
  if (typeof requestId !== "string" || typeof clientId !== "string" || typeof address !== "string") return;
  keep({ requestId, condition: condition as ConditionName, clientId, method: "GET", path: "/authorize", address });
}

/** There are few reasons and conditions, because no caller can choose them. */
function causeOf(event: string, { reason, condition }: EventFields): Readonly<Record<string, string>> {
  return {
    event,
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof condition === "string" ? { condition } : {}),
  };
}

/** The first that the event has: the network, the client, the owner. */
function sourceOf({ address, client_id, owner, uri }: EventFields): Readonly<Record<string, string>> {
  if (typeof address === "string") return { network: networkOf(address) };
  if (typeof client_id === "string") return { client_id };
  if (typeof owner === "string") return { owner };
  return typeof uri === "string" ? { uri } : {};
}
