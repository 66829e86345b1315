/** What the operator's own sign-in page says of a person: every value is bounded, and checked against what was asked. */

import { refuse } from "../../oauth/errors.ts";
import type { Acr, Millis } from "../../oauth/model.ts";
import type { Parameters } from "../../oauth/parameters.ts";
import { foreignSubject } from "../canonical-login.ts";
import {
  type Accepted,
  type ExternalAnswer,
  type ExternalChallenge,
  type ExternalSignIn,
  REJECTIONS,
} from "./external-sign-in.ts";

/** Parameters with which a client authenticates (RFC 6749 §2.3.1, RFC 7521 §4.2), and the challenge. */
const COMMON = ["challenge", "client_id", "client_secret", "client_assertion", "client_assertion_type"];
const ACCEPT = ["subject", "auth_time", "acr", "amr", "name", "preferred_username", "email", "email_verified"];
const REJECT = ["error"];

/** How much the clocks of two servers may differ. */
const CLOCK_TOLERANCE: Millis = 60_000;
/** Characters of a claim. */
const MAX_CLAIM = 254;
const MAX_AMR = 10;

/** The values of RFC 8176 §2. */
export const REGISTERED_AMR: readonly string[] = [
  ...["face", "fpt", "geo", "hwk", "iris", "kba", "mca", "mfa", "otp", "pin"],
  ...["pwd", "rba", "retina", "sc", "sms", "swk", "tel", "user", "vbm", "wia"],
];

type Rules = Pick<ExternalSignIn, "acrValues" | "amrValues">;

/** Throws a refusal that tells the page's developer what is wrong. */
export function readAccept(
  single: Parameters,
  rules: Rules,
  { provedSince }: Pick<ExternalChallenge, "provedSince">,
  now: Millis,
): Accepted {
  refuseUnknown(single, ACCEPT);
  const subject = foreignSubject(single.get("subject") ?? "") ?? malformed("subject");
  const authTime = timeOf(single.get("auth_time"));
  if (authTime > now + CLOCK_TOLERANCE) refuse("external_auth_time_not_accepted", "auth_time is in the future");
  if (authTime < provedSince - CLOCK_TOLERANCE) refuse("external_auth_time_not_accepted", "auth_time is too old");
  return {
    ...{ kind: "accepted", subject, authTime, ...levelOf(single, rules) },
    username: claim(single, "preferred_username"),
    name: claim(single, "name"),
    ...addressOf(single),
  };
}

export function readReject(single: Parameters): ExternalAnswer {
  refuseUnknown(single, REJECT);
  const error = REJECTIONS.find((one) => one === single.get("error")) ?? malformed("error");
  return { kind: "rejected", error };
}

/** A misspelt parameter would silently be no answer. */
function refuseUnknown(single: Parameters, known: readonly string[]): void {
  for (const name of single.keys())
    if (!COMMON.includes(name) && !known.includes(name)) malformed("an unknown parameter");
}

function malformed(what: string): never {
  return refuse("external_answer_malformed", what);
}

function timeOf(text: string | undefined): Millis {
  return text !== undefined && /^\d{1,11}$/.test(text) ? Number(text) * 1000 : malformed("auth_time");
}

function levelOf(
  single: Parameters,
  { acrValues = ["1fa"], amrValues = REGISTERED_AMR }: Rules,
): { readonly acr: Acr; readonly amr: readonly string[] } {
  const wanted = single.get("acr") ?? "1fa";
  const acr = acrValues.find((one) => one === wanted);
  if (acr === undefined) return refuse("external_level_not_allowed", "acr");
  const amr = [...new Set(single.get("amr")?.split(" ") ?? [])];
  if (amr.length > MAX_AMR || amr.some((one) => !amrValues.includes(one)))
    return refuse("external_level_not_allowed", "amr");
  return { acr, amr };
}

function addressOf(single: Parameters): Pick<Accepted, "email" | "emailVerified"> {
  const email = claim(single, "email");
  const verified = single.get("email_verified");
  if (verified !== undefined && (email === null || (verified !== "true" && verified !== "false")))
    return malformed("email_verified");
  return { email, emailVerified: verified === "true" };
}

function claim(single: Parameters, name: string): string | null {
  const value = single.get(name) ?? null;
  return value === null || value.length <= MAX_CLAIM ? value : malformed(name);
}
