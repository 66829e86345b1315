/** The operator's use-cases for refused requests: find one by its number, list the last ones, and explain each. */

import { type ConditionName, conditions, publicCondition } from "../../oauth/errors.ts";
import { refuse } from "../admin-error.ts";
import type { AdminContext } from "../context.ts";
import type { Page, Place } from "../directory.ts";
import type { StoredRefusal } from "../storage.ts";
import { remedyOf } from "./remedies.ts";

export interface RefusalFilter {
  /** Only requests that named this client. */
  readonly clientId?: string;
  /** Only this exact condition. */
  readonly condition?: string;
  readonly limit: number;
}

/** The last refusals, newest first. Throws `invalid` if the condition does not exist. */
export async function listRefusals(
  { clientId, condition, limit }: RefusalFilter,
  { storage }: AdminContext,
): Promise<readonly StoredRefusal[]> {
  requireCondition(condition);
  return storage.refusals.list({ clientId: clientId ?? null, condition: condition ?? null, before: null, limit });
}

/** A page of refusals, newest first. Throws `invalid` if the condition does not exist. */
export async function refusalsPage(
  { clientId, condition, limit, after }: RefusalFilter & { readonly after: Place | null },
  { storage }: AdminContext,
): Promise<Page<StoredRefusal>> {
  requireCondition(condition);
  const before = after === null ? null : { at: Number(after.key), requestId: after.id };
  const items = await storage.refusals.list({
    ...{ clientId: clientId ?? null, condition: condition ?? null, before, limit },
  });
  const last = items.at(-1);
  return {
    items,
    next: last === undefined || items.length < limit ? null : { key: last.at, id: last.requestId },
  };
}

function requireCondition(condition: string | undefined): void {
  if (condition !== undefined && !Object.hasOwn(conditions, condition))
    refuse("invalid", "condition", `there is no condition ${JSON.stringify(condition.slice(0, 100))}`);
}

/** Throws `unknown`. */
export async function refusalOf(requestId: string, { storage }: AdminContext): Promise<StoredRefusal> {
  const found = await storage.refusals.get({ requestId: requestId.trim() });
  const problem = `no refusal has the number ${JSON.stringify(requestId.slice(0, 100))}. The server keeps refusals for 7 days; of very many in one minute it keeps a part. The log has the number as request_id`;
  return found ?? refuse("unknown", "request_id", problem);
}

/** A refusal with its cause, and how to mend it. */
export interface ExplainedRefusal extends StoredRefusal {
  /** The condition that the client was told. */
  readonly told: ConditionName;
  readonly error: string;
  readonly status: number;
  /** The section with the rule. */
  readonly section: string;
  /** What happened, and what to do, for the operator. */
  readonly explanation: string;
  /** Commands that mend it, with the client of this request, but without the refused value. Empty: no command does. */
  readonly commands: readonly string[];
}

export function explained(refusal: StoredRefusal): ExplainedRefusal {
  const { error, status, section, help } = conditions[refusal.condition];
  const remedy = remedyOf(refusal);
  return {
    ...refusal,
    told: publicCondition(refusal.condition),
    ...{ error, status, section },
    explanation: remedy?.explanation ?? help,
    commands: remedy?.commands ?? [],
  };
}

/** Wire form: snake_case, times in ISO 8601. */
export function refusalRecord(refusal: StoredRefusal): Readonly<Record<string, unknown>> {
  const { requestId, at, condition, clientId, method, path, address, detail, parameter, received, registered } =
    refusal;
  return {
    request_id: requestId,
    at: new Date(at).toISOString(),
    condition,
    client_id: clientId === "" ? null : clientId,
    method,
    path,
    address,
    parameter: parameter ?? null,
    received: received ?? null,
    registered: registered ?? null,
    detail: detail ?? null,
  };
}

export function explainedRecord(refusal: ExplainedRefusal): Readonly<Record<string, unknown>> {
  const { told, error, status, section, explanation, commands } = refusal;
  return { ...refusalRecord(refusal), told, error, status, section, explanation, commands };
}
