/** A person changes their factors: an authenticator app with its recovery codes, and passkeys. */

import type { Millis } from "../oauth/model.ts";
import type { GrantStorage } from "../oauth/storage.ts";
import type { Uses } from "../storage-subset.ts";
import { type News, type NewsKind, newsFor } from "./account-change-mail.ts";
import type {
  AddPasskeyOutcome,
  FactorStorage,
  Passkey,
  RemovePasskeyOutcome,
  SetCodesOutcome,
  UsePasskeyOutcome,
} from "./factor-storage.ts";
import type { StoredMail } from "./mail/storage.ts";
import type { Person } from "./person.ts";
import { isBoundTo, type PresentedDevice } from "./recognize-known-device.ts";
import { type ProvingCodes, provingCodes } from "./recovery/factor-trust.ts";
import { provingAfterRenewal } from "./recovery/review-factors-and-apps.ts";
import { addedFrom } from "./recovery/trust-used-factor.ts";
import type { SessionContext } from "./sessions.ts";
import type { Session } from "./storage.ts";
import type { WayIn } from "./subject-link-storage.ts";

export interface FactorContext extends SessionContext {
  readonly storage: SessionContext["storage"] &
    Uses<
      FactorStorage,
      | ("secondFactors.set" | "secondFactors.remove" | "secondFactors.setRecoveryCodes")
      | ("passkeys.add" | "passkeys.remove" | "passkeys.find" | "passkeys.use")
    > &
    Uses<GrantStorage, "replayCache.useOnce">;
}

/** The person and browser that change a factor. */
export interface FactorChange {
  readonly person: Person;
  readonly session: Session;
  readonly address: string;
  readonly userAgent: string | null;
  /** What the message to the person says about this browser. */
  readonly news: News;
}

function told(
  at: FactorChange,
  kind: NewsKind,
  context: FactorContext,
  more: News["values"] = {},
): Promise<readonly StoredMail[]> {
  const { person, news } = at;
  return newsFor(person, kind, { ...news, values: { ...news.values, ...more } }, context);
}

function whose({ person: { partition, personId }, session: { sessionId } }: FactorChange) {
  return { partition, personId, sessionId };
}

function addedHere({ session, address, userAgent }: FactorChange, context: FactorContext) {
  return addedFrom(session, { deviceId: session.deviceId, address, userAgent }, context);
}

/**
 * `codes`: hashes of its recovery codes. `renewed`: it replaced another authenticator. `ended`: the session has ended
 * meanwhile.
 */
export async function setAuthenticator(
  at: FactorChange,
  factor: { readonly sealedSecret: Uint8Array; readonly step: number; readonly codes: readonly string[] },
  context: FactorContext,
): Promise<{ readonly kind: "set"; readonly renewed: boolean } | { readonly kind: "ended" }> {
  const { storage, event, now: clock } = context;
  const now = clock();
  const renewed = (await storage.secondFactors.get(at.person)) !== undefined;
  const added = await addedHere(at, context);
  const mails = await told(at, "authenticatorOn", context, { replaced: renewed });
  if (!(await storage.secondFactors.set({ ...whose(at), ...factor, added, mails, now }))) return { kind: "ended" };
  context.mail.kick();
  event("second_factor_set", { owner: at.person.personId, address: at.address });
  return { kind: "set", renewed };
}

export async function removeSecondFactor(at: FactorChange, context: FactorContext): Promise<void> {
  const { storage, event, now } = context;
  const had = (await storage.secondFactors.get(at.person)) !== undefined;
  const mails = had ? await told(at, "authenticatorOff", context) : [];
  if (!(await storage.secondFactors.remove({ ...whose(at), mails, now: now() }))) return;
  context.mail.kick();
  event("second_factor_removed", { owner: at.person.personId, address: at.address });
}

/**
 * `codes`: hashes. `replaces`: `codesAt` of the codes that the form's page showed; the form works once, so that a reload
 * of the page with the new codes doesn't replace them. `proving`: which codes prove who recovers the account now;
 * undefined if no recovery asks for one.
 */
export async function setRecoveryCodes(
  at: FactorChange,
  { codes, replaces }: { readonly codes: readonly string[]; readonly replaces: Millis },
  context: FactorContext,
): Promise<Renewed> {
  const { storage, event, now: clock } = context;
  const factor = await storage.secondFactors.get(at.person);
  // Before the messages, because they are limited: a form without effect must not use the limit up.
  if (factor !== undefined && factor.codesAt !== replaces) return { kind: "newer" };
  const added = await addedHere(at, context);
  const now = clock();
  const after = provingAfterRenewal(factor, added, now);
  const proving = context.mail.enabled ? after : undefined;
  const mails = await told(at, "recoveryRenewed", context, proving && { proving });
  const kind = await storage.secondFactors.setRecoveryCodes({ ...whose(at), codes, replaces, added, mails, now });
  if (kind !== "set") return { kind };
  context.mail.kick();
  event("recovery_codes_renewed", { owner: at.person.personId, address: at.address });
  return { kind, proving };
}

type Renewed =
  | { readonly kind: "set"; readonly proving: ProvingCodes | undefined }
  | { readonly kind: Exclude<SetCodesOutcome, "set"> };

/** Which recovery codes prove who recovers the account. Undefined: no recovery asks for one. */
export async function provingCodesOf(
  { partition, personId }: Pick<Person, "partition" | "personId">,
  { storage, mail, now }: Pick<FactorContext, "storage" | "mail" | "now">,
): Promise<ProvingCodes | undefined> {
  return mail.enabled ? provingCodes(await storage.secondFactors.get({ partition, personId }), now()) : undefined;
}

/** True: this challenge was not answered before. */
export function useChallenge(
  key: string,
  until: number,
  { storage, now }: Pick<FactorContext, "storage" | "now">,
): Promise<boolean> {
  return storage.replayCache.useOnce({ kind: "passkey challenge", key, until, now: now() });
}

/** The person who has the passkey, because the sign-in begins without a name. Undefined: nobody has it. */
export function passkeyOf(credentialId: string, { storage }: FactorContext) {
  return storage.passkeys.find({ credentialId });
}

/** Records that a passkey has signed. Of two signatures with the same count, one is recorded. */
export function recordUse(
  used: Pick<Passkey, "partition" | "personId" | "credentialId" | "counter" | "backedUp">,
  { storage, now }: FactorContext,
): Promise<UsePasskeyOutcome> {
  const { partition, personId, credentialId, counter, backedUp } = used;
  return storage.passkeys.use({ partition, personId, credentialId, counter, backedUp, now: now() });
}

export function passkeysOf({ partition, personId }: Person, { storage }: FactorContext): Promise<readonly Passkey[]> {
  return storage.passkeys.list({ partition, personId });
}

/**
 * `knownDevice`: the browser was bound to the person before. A new factor turns all known devices into strangers, and
 * this one is bound again.
 */
export async function addPasskey(
  at: FactorChange,
  made: Pick<Passkey, "credentialId" | "publicKey" | "counter" | "transports" | "backupEligible" | "backedUp">,
  { name, device }: { readonly name: string; readonly device: PresentedDevice | undefined },
  context: FactorContext,
): Promise<{ readonly outcome: AddPasskeyOutcome; readonly knownDevice: boolean }> {
  const { storage, event, now: clock } = context;
  const { partition, personId } = at.person;
  const now = clock();
  const added = await addedHere(at, context);
  const passkey = { ...made, partition, personId, name, createdAt: now, lastUsedAt: null, added };
  const mails = await told(at, "passkeyAdded", context, { key: name });
  const knownDevice = await isBoundTo(personId, device, storage);
  const { sessionId } = at.session;
  const outcome = await storage.passkeys.add({ passkey, sessionId, mails, now });
  if (outcome === "added") {
    context.mail.kick();
    event("passkey_added", { owner: personId, credential_id: made.credentialId, address: at.address });
  }
  return { outcome, knownDevice };
}

export async function removePasskey(
  at: FactorChange,
  credentialId: string,
  waysIn: readonly WayIn[],
  context: FactorContext,
): Promise<RemovePasskeyOutcome> {
  const { storage, event, now } = context;
  const own = (await passkeysOf(at.person, context)).find((one) => one.credentialId === credentialId);
  if (own === undefined) return "unknown";
  const mails = await told(at, "passkeyRemoved", context, { key: own.name });
  const outcome = await storage.passkeys.remove({ ...whose(at), credentialId, waysIn, mails, now: now() });
  if (outcome === "removed") {
    context.mail.kick();
    event("passkey_removed", { owner: at.person.personId, credential_id: credentialId, address: at.address });
  }
  return outcome;
}
