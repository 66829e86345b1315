/** Recovers an account by a link in a message: what the person sees, what they must prove, and what they decide. */

import { type Millis, NEVER } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import { minutesLeft, outstanding, type TokenExpiryContext } from "../apps/remaining-token-lifetime.ts";
import type { CompanyStorage } from "../company-storage.ts";
import { isPaused } from "../consent-after-decision.ts";
import type { FactorStorage, PersonKey } from "../factor-storage.ts";
import { type DeviceSeen, type KnownDeviceStorage, presentedAmong } from "../known-device-storage.ts";
import type { FollowedLink } from "../mail/open-mail-link.ts";
import type { FollowLinkOutcome, MailLink } from "../mail/storage.ts";
import type { OwnerStorage } from "../storage.ts";
import { type AnnounceContext, announced } from "./announce-recovery.ts";
import { marksOf } from "./factor-fingerprints.ts";
import { isOwners } from "./factor-trust.ts";
import {
  type Choice,
  type Decided,
  decide,
  type Holdings,
  type Proof,
  type Review,
  review,
} from "./review-factors-and-apps.ts";
import { OWN_BROWSER_ONLY, type RecoveryStorage, UNDO_TTL } from "./storage.ts";
import { undoFrom } from "./undo-address-link.ts";

/** The dependencies of a recovery. */
export interface RecoveryContext extends AnnounceContext, TokenExpiryContext {
  /** False: no passkey works at this server's address, so none can be demanded. */
  readonly passkeysWork: boolean;
  readonly storage: TokenExpiryContext["storage"] &
    Uses<FactorStorage, "passkeys.list" | "secondFactors.get"> &
    Uses<KnownDeviceStorage, "knownDevices.list"> &
    Uses<OwnerStorage, "consents.list" | "consents.find" | "attempts.count" | "history.resumedSince"> &
    Uses<CompanyStorage, "members.companiesOf" | "companyApps.grantsOfMember"> &
    Uses<
      RecoveryStorage,
      | "recovery.recoverPassword"
      | "recovery.undoEmail"
      | "people.addresses"
      | "recovery.removedFactors"
      | "recovery.restoreFactors"
    >;
}

/** What a person sees after following the link. `marks` identify the factors, so that the transaction notices a change. */
export interface Shown extends Review {
  readonly marks: readonly string[];
  /** If no app has access: when the last token of a revoked app expires. Undefined: no app holds one. */
  readonly heldUntil: Millis | undefined;
}

/** `shownAt`: when the person saw the review before. Default: they see it now. */
export async function showRecovery(
  { person, link }: FollowedLink,
  proof: Proof | undefined,
  context: RecoveryContext,
  shownAt: Millis = NEVER,
): Promise<Shown> {
  const now = context.now();
  const held = await holdingsOf(person, link, now, context);
  const { moment } = review(held, proof, now);
  const since = Math.min(moment ?? NEVER, shownAt);
  const resumed = since === NEVER ? held.resumed : await resumedSince(person, since, context);
  const found = review({ ...held, resumed }, proof, now);
  const none = found.apps.length === 0 && found.companies.length === 0;
  const heldUntil = none ? await lastTokenEnd(person, undefined, context) : undefined;
  return { ...found, heldUntil, marks: marksOf(held.passkeys, held.factor) };
}

/** When the last token that these apps hold expires, or that any app holds. Undefined: none holds one. */
async function lastTokenEnd(
  { partition, personId }: PersonKey,
  clientIds: readonly string[] | undefined,
  context: RecoveryContext,
): Promise<Millis | undefined> {
  const held = await outstanding({ partition, ownerId: personId }, context.now(), "ended", context);
  return latest([...held].flatMap(([id, until]) => (clientIds?.includes(id) === false ? [] : [until])));
}

/** The same for what a decision ends, companies included. */
async function endedUntil(person: PersonKey, decided: Decided, context: RecoveryContext): Promise<Millis | undefined> {
  const { personId } = person;
  const own = lastTokenEnd(
    person,
    decided.endApps.map(({ clientId }) => clientId),
    context,
  );
  const others = decided.endCompanies.map(async ({ partition, companyId: ownerId }) => {
    return latest([...(await outstanding({ partition, ownerId, personId }, context.now(), "ended", context)).values()]);
  });
  return latest((await Promise.all([own, ...others])).filter((until) => until !== undefined));
}

function latest(times: readonly Millis[]): Millis | undefined {
  return times.length === 0 ? undefined : Math.max(...times);
}

async function resumedSince(
  { partition, personId: ownerId }: PersonKey,
  since: Millis,
  { storage }: RecoveryContext,
): Promise<Holdings["resumed"]> {
  const all = await storage.history.resumedSince({ partition, ownerId, since });
  return new Map(all.map(({ clientId, at }) => [clientId, at]));
}

/** Without apps that were resumed: which of them matter depends on the rest. */
async function holdingsOf(
  { partition, personId }: PersonKey,
  link: MailLink,
  now: Millis,
  { storage, passkeysWork }: RecoveryContext,
): Promise<Holdings> {
  const key = { partition, personId };
  const [passkeys, factor, devices, consents, acting] = await Promise.all([
    storage.passkeys.list(key),
    storage.secondFactors.get(key),
    storage.knownDevices.list(key),
    storage.consents.list({ partition, ownerId: personId, now }),
    storage.members.companiesOf({ ...key, clientId: null, now }),
  ]);
  const companies = await Promise.all(
    acting.map(async (one) => {
      const { partition: companyPartition, companyId } = one.company;
      const grants = await storage.companyApps.grantsOfMember({
        partition: companyPartition,
        companyId,
        personId,
        now,
      });
      const owner = { partition: companyPartition, ownerId: companyId };
      const consents = await Promise.all(
        [...new Set(grants.map(({ clientId }) => clientId))].map((clientId) =>
          storage.consents.find({ ...owner, clientId }),
        ),
      );
      const paused = consents.flatMap((consent) => (consent && isPaused(consent) ? [consent.clientId] : []));
      return { acting: one, grants, paused: new Set(paused) };
    }),
  );
  const changedAt = link.purpose === "undo" ? link.expiresAt - UNDO_TTL : null;
  return { passkeys, passkeysWork, factor, devices, consents, resumed: new Map(), companies, changedAt };
}

/** The decision that a person sends. */
export interface Decision {
  readonly proof: Proof | undefined;
  /** What the person chose, for the factors and apps that the account has now. */
  choose(found: Review): Choice;
  /** When the person saw the review. */
  readonly shownAt: Millis;
  readonly passwordHash: string;
  /** The content of the browser's cookie. Null: it has none of this person. */
  readonly device: DeviceSeen | null;
  readonly language: string;
  readonly browser: string | null;
  readonly address: string;
}

/** `unproved`: the factor still has to be proved. `changed`: another factor is vouched for since. */
export type TakenBack =
  | {
      readonly kind: "done";
      readonly decided: Decided;
      /** When the last token of the apps that lose access expires. Undefined: they hold none. */
      readonly heldUntil: Millis | undefined;
    }
  | { readonly kind: Exclude<FollowLinkOutcome["kind"], "done"> | "unproved" | "changed" };

/**
 * The transaction checks again whether the link is valid, and whether another factor is vouched for. It also removes
 * unvouched factors that were added at the last moment, which the messages don't name. An intruder who is signed in can
 * add factors at any time, and the person's decision must not wait for that to end.
 */
export async function takeBack(
  followed: FollowedLink,
  { proof, choose, shownAt, passwordHash, device, ...from }: Decision,
  context: RecoveryContext,
): Promise<TakenBack> {
  const { key, link, person } = followed;
  const now = context.now();
  const seenAt = Math.min(shownAt, now);
  const found = await showRecovery(followed, proof, context, seenAt);
  if (!found.proved) return { kind: "unproved" };
  const choice = choose(found);
  const decided = decide(found, choice, seenAt);
  const { partition, personId } = person;
  const addresses = await context.storage.people.addresses({ partition, personId, now });
  const devices = await context.storage.knownDevices.list({ partition, personId });
  const seen = presentedAmong(devices, device);
  const own = seen !== undefined && isOwners(seen, now, now);
  // The address that the account loses may be the owner's newer one, if somebody who still reads the older one took the account back.
  // A change that the owner's oldest browser takes back is final.
  const leaves = link.purpose === "undo" && link.about !== OWN_BROWSER_ONLY && context.mail.enabled;
  const presented = { device: seen, now };
  const wayBack = leaves ? undoFrom(person, { to: link.address, addresses, presented }, context.links) : null;
  const heldUntil = await endedUntil(person, decided, context);
  const endsIn = minutesLeft(heldUntil, context.now());
  const happened = { person, link, decided, endsIn, moment: found.moment, addresses, own, wayBack, ...from };
  const { removal, mails } = await announced(happened, context);
  const args = {
    ...{ partition: key.partition, linkId: key.linkId, saltHash: key.saltHash, now },
    ...{ passwordHash, device, seen: found.marks, removal, wayBack, mails, shownAt: seenAt },
    identitiesSince: Math.min(found.moment ?? now, seenAt),
    endApps: decided.endApps.map(({ clientId }) => clientId),
    chosenApps: choice.apps,
    endCompanies: decided.endCompanies.map(({ companyId }) => companyId),
  };
  const { recoverPassword, undoEmail } = context.storage.recovery;
  const outcome = link.purpose === "undo" ? await undoEmail(args) : await recoverPassword(args);
  if (outcome.kind !== "done") return { kind: outcome.kind };
  return { kind: "done", decided, heldUntil: await endedUntil(person, decided, context) };
}
