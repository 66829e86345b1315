/** The operator's policy about sign-ins: it is asked after every rule of this server, and can only demand more. */

import { isAsSure } from "../oauth/authentication-context.ts";
import { OAuthError } from "../oauth/errors.ts";
import type { Acr, Millis } from "../oauth/model.ts";
import type { Uses } from "../storage-subset.ts";
import type { CompanyStorage } from "./company-storage.ts";
import type { KnownDeviceStorage } from "./known-device-storage.ts";
import type { Person } from "./person.ts";
import { boundDevice, type PresentedDevice } from "./recognize-known-device.ts";

/**
 * The occasion of a question. `sign_in`: all steps are done, and there is no session yet. `sign_up`: the account is new.
 * `request`: somebody who is signed in uses an app. `password_grant`: the password came through a client.
 */
export type SignInOccasion = "sign_in" | "sign_up" | "request" | "password_grant";

/** What is known of a sign-in. */
export interface SignInQuestion {
  readonly when: SignInOccasion;
  /** The person's id. */
  readonly sub: string;
  readonly username: string;
  /** The person's companies, by id, and their role there. */
  readonly companies: readonly { readonly id: string; readonly role: string }[];
  readonly acr: Acr;
  /** How the person signed in (RFC 8176). */
  readonly amr: readonly string[];
  /** The id of the provider where they signed in. Null: here, or, for a `request`, not known any more. */
  readonly provider: string | null;
  readonly authTime: Millis;
  /** The app that waits. Null: none, or a device whose code was not looked up yet. */
  readonly clientId: string | null;
  /** The network address. */
  readonly address: string;
  /** True: the person has signed in with this browser before, and nothing has ended its trust since. */
  readonly knownDevice: boolean;
  readonly at: Millis;
}

export type SignInVerdict =
  | { readonly kind: "allow" }
  | { readonly kind: "require"; readonly acr: Exclude<Acr, "1fa"> }
  /** `told`: for the person. `reason`: for the log alone. */
  | { readonly kind: "deny"; readonly told: string | null; readonly reason: string };

export interface SignInPolicyPort {
  /** Throws `sign_in_policy_failed` if there is no usable answer. */
  decide(question: SignInQuestion): Promise<SignInVerdict>;
}

export interface SignInPolicyContext {
  /** Null: there is no policy. */
  readonly signInPolicy: SignInPolicyPort | null;
  readonly storage: Uses<CompanyStorage, "members.companiesOf"> & Uses<KnownDeviceStorage, "knownDevices.get">;
  now(): Millis;
}

/** What the caller knows. */
export interface SignInSituation
  extends Pick<SignInQuestion, "when" | "acr" | "amr" | "provider" | "authTime" | "clientId" | "address"> {
  readonly person: Pick<Person, "partition" | "personId" | "username">;
  /** The browser's device cookie, of any person. */
  readonly device: PresentedDevice | undefined;
}

/** A required level that the sign-in reaches already counts as allowed. */
export async function askSignInPolicy(
  situation: SignInSituation,
  { signInPolicy, storage, now }: SignInPolicyContext,
): Promise<SignInVerdict> {
  if (signInPolicy === null) return { kind: "allow" };
  const { person, device, ...about } = situation;
  const { partition, personId, username } = person;
  const at = now();
  const [companies, known] = await Promise.all([
    storage.members.companiesOf({ partition, personId, clientId: null, now: at }),
    device?.personId === personId ? boundDevice(device, storage) : undefined,
  ]);
  const verdict = await signInPolicy.decide({
    ...about,
    sub: personId,
    username,
    companies: companies.map(({ company, member }) => ({ id: company.companyId, role: member.role })),
    knownDevice: known?.used === true,
    at,
  });
  return verdict.kind === "require" && isAsSure(about.acr, verdict.acr) ? { kind: "allow" } : verdict;
}

/** The dependencies of an answer that is enforced. */
export interface SignInRuleContext extends SignInPolicyContext {
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/**
 * The level that the policy requires, which the sign-in does not reach. Undefined: the person may go on. Refuses by
 * throwing.
 */
export async function levelBySignInPolicy(
  situation: SignInSituation,
  context: SignInRuleContext,
): Promise<Exclude<Acr, "1fa"> | undefined> {
  const verdict = await askSignInPolicy(situation, context);
  if (verdict.kind === "allow") return undefined;
  if (verdict.kind === "require") return verdict.acr;
  noteDenied(situation, "denied", context);
  throw new OAuthError("sign_in_policy_denied", verdict.reason, undefined, verdict.told ?? undefined);
}

/** No factor of the person reaches the level. */
export function refuseTooWeak(situation: SignInSituation, level: Acr, context: SignInRuleContext): never {
  noteDenied(situation, "too_weak", context);
  throw new OAuthError("sign_in_policy_too_weak", `the policy requires ${level}`);
}

function noteDenied(
  { person, when, clientId, address, acr, amr, provider, authTime }: SignInSituation,
  reason: string,
  { event }: SignInRuleContext,
): void {
  const how = { acr, amr: amr.join(" "), provider, auth_time: authTime };
  event("sign_in_denied", { owner: person.personId, when, reason, client_id: clientId, address, ...how });
}
