/** Refusals of the admin API as problem details (RFC 9457), with the names of the catalogue. */

import { AdminError, type Remark } from "../../admin/admin-error.ts";
import { type ConditionName, conditions, OAuthError, publicCondition } from "../../oauth/errors.ts";
import type { Answer } from "../http-message.ts";
import { problemDetails } from "../refusal.ts";

const HEADERS = {
  "content-type": "application/problem+json; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cache-control": "no-store",
  pragma: "no-cache",
};

/** A refusal that names fields. */
export class ApiRefusal extends OAuthError {
  readonly problems: readonly Remark[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    condition: ConditionName,
    problems: readonly Remark[] = [],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(condition, problems.map(({ field, problem }) => `${field ?? ""}: ${problem}`.slice(0, 200)).join("; "));
    this.problems = problems;
    this.headers = headers;
  }
}

export function refuseFields(problems: readonly Remark[]): never {
  throw new ApiRefusal("field_invalid", problems);
}

/** A use-case's error in the catalogue's words. `named`: the address names a record. */
export function refusalOfUseCase(error: AdminError, named: boolean): ApiRefusal {
  switch (error.kind) {
    case "unknown":
      return new ApiRefusal(named ? "record_unknown" : "field_invalid", error.problems);
    case "invalid":
      return new ApiRefusal("field_invalid", error.problems);
    case "taken":
      return new ApiRefusal("record_exists", error.problems);
    case "in_use":
      return new ApiRefusal("record_in_use", error.problems);
    case "conflict":
      return new ApiRefusal("record_conflict", error.problems);
    case "stale":
      return new ApiRefusal("record_changed");
  }
}

/** Maximum number of problems and of characters of one that an answer repeats: the request chose them. */
const MOST_PROBLEMS = 50;
const LONGEST = 500;

export function problemAnswer(
  condition: ConditionName,
  issuer: string,
  requestId: string,
  { problems = [], headers = {} }: { problems?: readonly Remark[]; headers?: Readonly<Record<string, string>> } = {},
): Answer {
  const shown = publicCondition(condition);
  const { status } = conditions[shown];
  const errors = problems
    .slice(0, MOST_PROBLEMS)
    .map(({ field, problem }) => ({ field, problem: problem.slice(0, LONGEST) }));
  const retry = status === 503 ? { "retry-after": "2" } : status === 429 ? { "retry-after": "60" } : {};
  const body = {
    ...problemDetails(shown, issuer),
    request_id: requestId,
    ...(errors.length === 0 ? {} : { errors }),
  };
  return { status, headers: { ...HEADERS, ...retry, ...headers }, body: JSON.stringify(body) };
}

export { AdminError };
