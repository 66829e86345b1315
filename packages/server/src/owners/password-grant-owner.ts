/**
 * An owner whose password came through a client (RFC 6749 §4.3): the same check and the same counters as on the sign-in
 * page.
 */

import { BY_PASSWORD, isAsSure } from "../oauth/authentication-context.ts";
import { OAuthError } from "../oauth/errors.ts";
import type { Scope } from "../oauth/model.ts";
import type { OwnerPasswordAsked, OwnerPasswordOutcome } from "../oauth/ports.ts";
import type { Uses } from "../storage-subset.ts";
import { grantableScopes } from "./consent-needed.ts";
import { stopOf } from "./consent-without-page.ts";
import type { FactorStorage } from "./factor-storage.ts";
import { type SignInContext, type SignInOutcome, type SignInRequest, signIn } from "./sign-in.ts";
import { levelBySignInPolicy, type SignInRuleContext } from "./sign-in-policy.ts";
import type { OwnerStorage, Person } from "./storage.ts";

/** The maximum length of any name. */
const MAX_USERNAME = 254;

export interface PasswordGrantContext extends SignInContext, Pick<SignInRuleContext, "signInPolicy" | "event"> {
  readonly storage: SignInContext["storage"] &
    SignInRuleContext["storage"] &
    Uses<FactorStorage, "secondFactors.get"> &
    Uses<OwnerStorage, "consents.find">;
  /** Maximum length of a password, in bytes. */
  readonly longest: number;
  /** The address in the form that limits count. */
  originOf(address: string): Pick<SignInRequest, "network" | "provider" | "allocation">;
}

/**
 * Reasons for a refusal although the password is right. The caller must not learn that it is right, neither from the
 * text nor from the time.
 */
const REFUSALS = ["second factor", "must change the password", "consent taken back"] as const;
type Refusal = (typeof REFUSALS)[number];

/**
 * Each refusal does the same work: the same reads, one hash, the same writes. A name or password that is too long gets
 * the same work, without being checked.
 */
export async function ownerByPassword(
  asked: OwnerPasswordAsked,
  context: PasswordGrantContext,
): Promise<OwnerPasswordOutcome> {
  const { username, password, address } = asked;
  const tooLong = username.length > MAX_USERNAME || Buffer.byteLength(password) > context.longest;
  const typed = tooLong ? { username: "", password: "" } : { username, password };
  const outcome = await signIn(
    {
      ...typed,
      ...context.originOf(address),
      // A client's server is no device of the owner: a guess through it counts as a stranger's.
      device: undefined,
      refusal: (person) => refusalOf(person, asked, context),
    },
    context,
  );
  if (outcome.kind === "throttled") return outcome;
  if (outcome.kind === "wrong") return refused(outcome, tooLong);
  const { person } = outcome;
  const against = await againstPolicy(person, asked, context);
  if (against !== undefined) return { kind: "refused", condition: "owner_password_wrong", reason: against };
  return {
    kind: "owner",
    owner: {
      partition: person.partition,
      ownerId: person.personId,
      trustedFrom: person.passwordChangedAt ?? 0,
      mayGrant: (scope) => mayGrant(person, scope),
    },
  };
}

/**
 * Why the operator's policy refuses the sign-in. Whether it refuses, wants more than a password, or fails: the client gets
 * the answer of a wrong password.
 */
async function againstPolicy(
  person: Person,
  { clientId, address }: OwnerPasswordAsked,
  context: PasswordGrantContext,
): Promise<string | undefined> {
  if (context.signInPolicy === null) return undefined;
  const situation = { ...BY_PASSWORD, person, provider: null, authTime: context.now(), clientId, address };
  try {
    const level = await levelBySignInPolicy({ when: "password_grant", ...situation, device: undefined }, context);
    return level && `the policy about sign-ins requires ${level}`;
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return `${error.condition}: ${error.detail}`;
  }
}

function refused({ reason }: Extract<SignInOutcome, { kind: "wrong" }>, tooLong: boolean): OwnerPasswordOutcome {
  const why = REFUSALS.find((one) => one === reason);
  switch (why) {
    case "must change the password":
      return { kind: "refused", condition: "owner_must_change_password", reason };
    case "consent taken back":
      return { kind: "refused", condition: "owner_consent_revoked", reason };
    default:
      return { kind: "refused", condition: "owner_password_wrong", reason: tooLong ? "too long" : reason };
  }
}

/** A password alone gives the lowest level that a scope can require. */
function mayGrant(person: Person, scope: Scope): boolean {
  return grantableScopes([scope], person).length > 0 && isAsSure(BY_PASSWORD.acr, scope.acr ?? BY_PASSWORD.acr);
}

/** The same read happens for an unknown person. */
const NOBODY = { partition: 0, personId: "nobody" };

async function refusalOf(
  person: Person | undefined,
  { clientId, scopes }: OwnerPasswordAsked,
  { storage }: PasswordGrantContext,
): Promise<Refusal | undefined> {
  const { partition, personId } = person ?? NOBODY;
  const [factor, consent] = await Promise.all([
    storage.secondFactors.get({ partition, personId }),
    storage.consents.find({ partition, ownerId: personId, clientId }),
  ]);
  // This owner chose to need more than a password, and no client can ask for the rest.
  if (factor !== undefined) return "second factor";
  if (person?.mustChangePassword) return "must change the password";
  const names = scopes.filter((scope) => person !== undefined && mayGrant(person, scope)).map(({ name }) => name);
  // If nothing is left to grant, the grant reports that.
  return names.length > 0 && stopOf(consent, names) !== undefined ? "consent taken back" : undefined;
}
