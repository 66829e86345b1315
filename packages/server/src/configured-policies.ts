/** The operator's policies: code in the configuration that refuses or demands more, and never adds (RFC 6749 §§3.3, 5.1). */

import { callCode, isPlain } from "./configured-code.ts";
import { refuse } from "./oauth/errors.ts";
import type { Acr, Millis } from "./oauth/model.ts";
import type { IssueDecision, IssueRequest } from "./oauth/ports.ts";
import type { SignInQuestion, SignInVerdict } from "./owners/sign-in-policy.ts";

export interface Policies {
  /** Asked before every access token. */
  readonly issue?: IssuePolicy;
  /** Asked before every session, and when somebody who is signed in uses an app. */
  readonly signIn?: SignInPolicy;
}

export interface SignInPolicy {
  /** The longest time that a sign-in waits for `decide`, from 10 to 10,000 milliseconds. Absent: 1,000. */
  readonly timeout?: Millis;
  /** If it throws, takes too long, or gives anything but the answers below, nobody is signed in. */
  decide(about: SignInFacts): SignInAnswer | Promise<SignInAnswer>;
}

export interface SignInFacts extends SignInQuestion {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
}

/**
 * `require`: the level that the sign-in must reach; one that it reaches already counts as allowed. `message`: for the
 * person, who reads it on the page. `reason`: for the server's log alone.
 */
export type SignInAnswer =
  | { readonly allow: true; readonly require?: Exclude<Acr, "1fa"> }
  | { readonly allow: false; readonly message?: string; readonly reason?: string };

export interface IssuePolicy {
  /** The longest time that a request waits for `decide`, from 10 to 10,000 milliseconds. Absent: 1,000. */
  readonly timeout?: Millis;
  /**
   * If it throws, takes too long, or gives anything but the answers below, the request fails with `server_error`, and no
   * token is issued.
   */
  decide(about: TokenRequestFacts): IssueAnswer | Promise<IssueAnswer>;
}

export interface TokenRequestFacts extends IssueRequest {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
}

/**
 * `scopes`: some of those in the question; the token gets no others. `lifetime`: at most so many seconds. `reason`: for
 * the server's log alone.
 */
export type IssueAnswer =
  | { readonly allow: true; readonly scopes?: readonly string[]; readonly lifetime?: number }
  | { readonly allow: false; readonly reason?: string };

const TIMEOUT: Millis = 1_000;
const TIMEOUTS = { least: 10, most: 10_000 } as const;
const LONGEST_REASON = 200;

const NAMES: readonly string[] = ["issue", "signIn"] satisfies readonly (keyof Policies)[];

/** All problems with the policies of a configuration, one line each. */
export function policiesProblems(policies: unknown): readonly string[] {
  if (!isPlain(policies)) return ["policies: wanted { issue: { decide }, signIn: { decide } }"];
  const unknown = Object.keys(policies).filter((name) => !NAMES.includes(name));
  const problems = unknown.map((name) => `policies.${name}: unknown; there are ${NAMES.join(" and ")}`);
  return [...problems, ...NAMES.flatMap((name) => policyProblems(name, policies[name]))];
}

function policyProblems(name: string, policy: unknown): readonly string[] {
  if (policy === undefined) return [];
  if (!isPlain(policy)) return [`policies.${name}: wanted { decide }`];
  const { decide, timeout } = policy;
  const problems = typeof decide === "function" ? [] : [`policies.${name}.decide: wanted a function`];
  const { least, most } = TIMEOUTS;
  if (timeout !== undefined && !(Number.isInteger(timeout) && Number(timeout) >= least && Number(timeout) <= most))
    problems.push(`policies.${name}.timeout: wanted whole milliseconds from ${least} to ${most}`);
  return problems;
}

/** Fails closed. */
export async function askConfiguredSignInPolicy(policy: SignInPolicy, about: SignInQuestion): Promise<SignInVerdict> {
  const failed = (why: string) => refuse("sign_in_policy_failed", `the policy about sign-ins: ${why}`);
  const companies = Object.freeze(about.companies.map((one) => Object.freeze({ ...one })));
  const asked = { ...about, amr: Object.freeze([...about.amr]), companies };
  const called = await callCode(
    (signal) => policy.decide(Object.freeze({ ...asked, signal })),
    policy.timeout ?? TIMEOUT,
  );
  if (called.kind === "failed") return failed(called.why);
  const { value } = called;
  if (!isPlain(value) || typeof value["allow"] !== "boolean") return failed("the answer has no allow");
  const { allow, require: level, message, reason } = value;
  if (!allow) {
    const told = typeof message === "string" ? line(message).trim() : "";
    return { kind: "deny", told: told === "" ? null : told, reason: textOf(reason) };
  }
  if (level === undefined) return { kind: "allow" };
  if (level !== "mfa" && level !== "phr") return failed("require is neither mfa nor phr");
  return { kind: "require", acr: level };
}

/** Refuses by throwing. Fails closed. */
export async function askIssuePolicy(policy: IssuePolicy, about: IssueRequest): Promise<IssueDecision> {
  const failed = (why: string) => refuse("issue_policy_failed", `the policy about tokens: ${why}`);
  const asked = { ...about, scopes: Object.freeze([...about.scopes]), amr: Object.freeze([...about.amr]) };
  const called = await callCode(
    (signal) => policy.decide(Object.freeze({ ...asked, signal })),
    policy.timeout ?? TIMEOUT,
  );
  if (called.kind === "failed") return failed(called.why);
  const { value } = called;
  if (!isPlain(value) || typeof value["allow"] !== "boolean") return failed("the answer has no allow");
  const { allow, scopes = about.scopes, lifetime, reason } = value;
  if (!allow) return refuse("issue_policy_denied", textOf(reason));
  if (!Array.isArray(scopes) || !scopes.every((name) => about.scopes.includes(name as string)))
    return failed("scopes are no list of scopes that were asked for");
  if (scopes.length === 0) return refuse("issue_policy_denied", "no scope is left");
  if (lifetime !== undefined && !(Number.isSafeInteger(lifetime) && Number(lifetime) >= 1))
    return failed("lifetime is no number of seconds");
  const most = lifetime === undefined ? Number.POSITIVE_INFINITY : Number(lifetime) * 1000;
  return { scopes: [...(scopes as readonly string[])], most };
}

/** One line of the log. */
function textOf(reason: unknown): string {
  return typeof reason === "string" ? line(reason) : "without a reason";
}

function line(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .slice(0, LONGEST_REASON)
    .toWellFormed();
}
