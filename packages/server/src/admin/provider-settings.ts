/** Settings of sign-in providers beyond the usual: endpoints without metadata, signed secrets, claims, second factors, order. */

import { createPrivateKey } from "node:crypto";
import { CLAIM_FIELDS, type ClaimNames, isClaimName } from "../owners/identities/claim-names.ts";
import { presetOf } from "../owners/identities/provider-presets.ts";
import type { OAuthEndpoints, SignInProvider } from "../owners/identities/sign-in-provider.ts";
import { isLoopbackHost } from "../setting-kinds.ts";
import type { Remark } from "./admin-error.ts";

const MAX_VALUES = 20;
const MAX_VALUE = 255;
const MAX_ENDPOINT = 1_024;
export const MAX_POSITION = 1_000;

export interface FurtherSettings {
  /** With the type `oauth`: where the provider is asked. */
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userEndpoint: string;
  /** Apple's names of the team and of the key that signs client secrets. */
  readonly teamId: string;
  readonly keyId: string;
  /** Replaces all of the operator's choices. */
  readonly claims: Readonly<Record<string, string>>;
  readonly profile: "first" | "follow";
  readonly mfaAcr: readonly string[];
  readonly mfaAmr: readonly string[];
  /** Null: after those with one. */
  readonly position: number | null;
}

/** Takes the further settings out of all settings. */
export function splitSettings<T extends Partial<FurtherSettings>>(all: T) {
  const { authorizationEndpoint, tokenEndpoint, userEndpoint, teamId, keyId, ...others } = all;
  const { claims, profile, mfaAcr, mfaAmr, position, ...usual } = others;
  const further = {
    ...{ authorizationEndpoint, tokenEndpoint, userEndpoint, teamId, keyId },
    ...{ claims, profile, mfaAcr, mfaAmr, position },
  };
  return { further, usual };
}

type Further = { readonly [Name in keyof FurtherSettings]?: FurtherSettings[Name] | undefined };

/** The record with the settings that are given. Empty lists and defaults are not stored. */
export function withFurther(provider: SignInProvider, further: Further): SignInProvider {
  const { oauth, signedSecret, claims, profile, mfaAcr, mfaAmr, position, ...rest } = provider;
  const after = {
    oauth: endpointsOf(oauth, further),
    signedSecret: signedSecretOf(signedSecret, further),
    claims:
      further.claims === undefined ? claims : { ...presetOf(provider)?.claims, ...(further.claims as ClaimNames) },
    profile: further.profile === undefined ? profile : further.profile === "follow" ? ("follow" as const) : undefined,
    mfaAcr: further.mfaAcr ?? mfaAcr,
    mfaAmr: further.mfaAmr ?? mfaAmr,
    position: further.position === undefined ? position : (further.position ?? undefined),
  };
  const stored = Object.entries(after).filter(([, value]) => value !== undefined && !isEmpty(value));
  return { ...rest, ...Object.fromEntries(stored) };
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function endpointsOf(
  before: OAuthEndpoints | undefined,
  { authorizationEndpoint, tokenEndpoint, userEndpoint }: Further,
): OAuthEndpoints | undefined {
  const [first, second, third] = [authorizationEndpoint, tokenEndpoint, userEndpoint];
  if (first === undefined && second === undefined && third === undefined) return before;
  const absent = { authorizationEndpoint: "", tokenEndpoint: "", userEndpoint: "" };
  return {
    ...absent,
    ...before,
    ...(first === undefined ? {} : { authorizationEndpoint: first }),
    ...(second === undefined ? {} : { tokenEndpoint: second }),
    ...(third === undefined ? {} : { userEndpoint: third }),
  };
}

function signedSecretOf(before: SignInProvider["signedSecret"], { teamId, keyId }: Further) {
  if (teamId === undefined && keyId === undefined) return before;
  return { teamId: teamId ?? before?.teamId ?? "", keyId: keyId ?? before?.keyId ?? "" };
}

/** `secret`: a new one. Undefined: none is set. */
export function furtherProblems(provider: SignInProvider, secret: string | null | undefined): readonly Remark[] {
  return [
    ...endpointProblems(provider),
    ...signedSecretProblems(provider, secret),
    ...claimProblems(provider),
    ...levelProblems(provider),
  ];
}

const ENDPOINTS = [
  ["authorization_endpoint", "authorizationEndpoint"],
  ["token_endpoint", "tokenEndpoint"],
  ["user_endpoint", "userEndpoint"],
] as const;

function endpointProblems({ type, oauth, preset }: SignInProvider): readonly Remark[] {
  return ENDPOINTS.flatMap(([field, name]) => {
    const value = oauth?.[name] ?? "";
    if (type === "openid")
      return value === "" ? [] : [{ field, problem: "only the type oauth has it: OpenID Connect has metadata" }];
    if (value === "") return [{ field, problem: "the type oauth needs it" }];
    const problem = endpointProblem(value);
    return problem === undefined || preset !== undefined ? [] : [{ field, problem }];
  });
}

function endpointProblem(text: string): string | undefined {
  const wanted = "must be an https URL without fragment, user and password";
  if (text.length > MAX_ENDPOINT || !/^https?:\/\/[\u0021-\u007e]+$/.test(text) || /[#\\]/.test(text)) return wanted;
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return wanted;
  if (url.protocol === "https:" || isLoopbackHost(url.hostname)) return undefined;
  return "must be an https URL: http is only for a provider on this machine";
}

function signedSecretProblems(provider: SignInProvider, secret: string | null | undefined): readonly Remark[] {
  const { signedSecret } = provider;
  const signs = presetOf(provider)?.signedSecret === true;
  if (!signs) {
    return signedSecret === undefined ? [] : [{ field: "team_id", problem: "only the preset apple has it" }];
  }
  const problems: Remark[] = [];
  const ten = /^[A-Z0-9]{10}$/;
  const problem = "must be the 10 capital letters and digits that Apple shows";
  if (!ten.test(signedSecret?.teamId ?? "")) problems.push({ field: "team_id", problem });
  if (!ten.test(signedSecret?.keyId ?? "")) problems.push({ field: "key_id", problem });
  if (secret === null || (secret !== undefined && !isSigningKey(secret))) {
    const wanted = "must be the private key that Apple gave you: the content of the file AuthKey_….p8";
    problems.push({ field: "client_secret", problem: wanted });
  }
  return problems;
}

/** A private key for ES256. */
function isSigningKey(text: string): boolean {
  if (text.length > 2_048) return false;
  try {
    const key = createPrivateKey(text);
    return key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}

function claimProblems(provider: SignInProvider): readonly Remark[] {
  const { type, claims = {} } = provider;
  const fields: readonly string[] = CLAIM_FIELDS;
  const own = presetOf(provider)?.claims?.subject;
  return Object.entries(claims).flatMap(([name, claim]) => {
    const problem = (text: string) => [{ field: "claim", problem: text }];
    if (!fields.includes(name)) return problem(`${JSON.stringify(name.slice(0, 50))} is none of: ${fields.join(", ")}`);
    if (name === "subject" && type === "openid")
      return problem("subject is sub, always: another claim could change, or be somebody else's");
    if (name === "subject" && own !== undefined && claim !== own) return problem(`subject is ${own} there, always`);
    if (name === "subject" && claim === "") return problem("subject can't be empty");
    return claim === "" || isClaimName(claim)
      ? []
      : problem(`${JSON.stringify(claim.slice(0, 50))} is no name of a claim: 1 to 200 printable ASCII characters`);
  });
}

function levelProblems({ type, mfaAcr = [], mfaAmr = [], position }: SignInProvider): readonly Remark[] {
  const problems: Remark[] = [];
  for (const [field, values] of [
    ["mfa_acr", mfaAcr],
    ["mfa_amr", mfaAmr],
  ] as const) {
    if (values.length === 0) continue;
    if (type === "oauth") problems.push({ field, problem: "a provider without ID tokens can't prove a second factor" });
    if (values.length > MAX_VALUES) problems.push({ field, problem: `at most ${MAX_VALUES} values are allowed` });
    const wrong = values.find((one) => one.length > MAX_VALUE || !/^[\u0021-\u007e]+$/.test(one));
    if (wrong !== undefined)
      problems.push({ field, problem: `${JSON.stringify(wrong.slice(0, 50))} must be printable ASCII without spaces` });
  }
  if (position !== undefined && !(Number.isSafeInteger(position) && position >= 0 && position <= MAX_POSITION))
    problems.push({ field: "position", problem: `must be a whole number from 0 to ${MAX_POSITION}` });
  return problems;
}
