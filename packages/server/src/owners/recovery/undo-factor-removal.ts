/** Undoes a removal of factors, for the owner of an account that somebody else recovered by reading its mail. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import { minutesLeft, outstanding, type TokenExpiryContext } from "../apps/remaining-token-lifetime.ts";
import type { CompanyStorage } from "../company-storage.ts";
import { isPaused, lastDecided } from "../consent-after-decision.ts";
import type { FactorStorage } from "../factor-storage.ts";
import type { DeviceSeen } from "../known-device-storage.ts";
import type { NamedApps, Postbox, RecoveryNews } from "../mail/mail-content.ts";
import { type MailLimitContext, mayTell } from "../mail/mail-limits.ts";
import type { FollowedLink } from "../mail/open-mail-link.ts";
import type { FollowLinkOutcome, StoredMail } from "../mail/storage.ts";
import type { ConsentWithGrants, OwnerStorage } from "../storage.ts";
import { some } from "./announce-recovery.ts";
import { type ProvingCodes, provingCodes } from "./factor-trust.ts";
import type { RecoveryStorage, RemovedFactor } from "./storage.ts";
import { type Moved, movedFrom } from "./undo-address-link.ts";

export interface RestoreContext extends MailLimitContext, TokenExpiryContext {
  readonly storage: MailLimitContext["storage"] &
    TokenExpiryContext["storage"] &
    Uses<FactorStorage, "secondFactors.get"> &
    Uses<OwnerStorage, "consents.list" | "history.resumedSince"> &
    Uses<CompanyStorage, "members.companiesOf"> &
    Uses<RecoveryStorage, "recovery.removedFactors" | "recovery.restoreFactors" | "people.addresses">;
  readonly mail: Postbox;
  readonly issuer: string;
}

/** The factors that come back. Empty if the removal was undone already, or the time is over. */
export function showRemoved(
  { person, link }: FollowedLink,
  { storage, now }: RestoreContext,
): Promise<readonly RemovedFactor[]> {
  const { partition, personId } = person;
  if (link.about === null) return Promise.resolve([]);
  return storage.recovery.removedFactors({ partition, personId, removalId: link.about, now: now() });
}

/** Which recovery codes prove who recovers the account, after the removal was undone. Undefined: none is asked for. */
export async function provingSince(
  { person: { partition, personId } }: FollowedLink,
  { storage, now }: RestoreContext,
): Promise<ProvingCodes | undefined> {
  return provingCodes(await storage.secondFactors.get({ partition, personId }), now());
}

/** Whether the account still has the address to which the link went. The undo of a removal leaves the address as it is. */
export async function movedSince(
  { person: { partition, personId, email }, link }: FollowedLink,
  { storage, now: clock }: RestoreContext,
): Promise<Moved | null> {
  const now = clock();
  const addresses = await storage.people.addresses({ partition, personId, now });
  return movedFrom(link.address, { present: email, addresses, now });
}

/** Apps of the person's own account that lose access, because they got it since the removal. */
export interface LostAccess {
  /** Names of apps that lose all access. */
  readonly ended: readonly string[];
  /** Names of apps that keep what they had before. */
  readonly narrowed: readonly string[];
  /** Names of apps that are paused again. */
  readonly paused: readonly string[];
  /** Minutes for which the last of the others can still use what it lost. 0: none can. */
  readonly endsIn: number;
}

/** Whether the person is a member of a company. Companies keep what was changed there in the person's name. */
export async function isMember(
  { person: { partition, personId } }: FollowedLink,
  { storage, now }: RestoreContext,
): Promise<boolean> {
  return (await storage.members.companiesOf({ partition, personId, clientId: null, now: now() })).length > 0;
}

/** What apps lose if a removal of that time is undone now. */
async function lostSince(
  { partition, personId }: FollowedLink["person"],
  since: Millis,
  context: RestoreContext,
): Promise<LostAccess> {
  const now = context.now();
  const { consents: stored, history } = context.storage;
  const [consents, resumed] = await Promise.all([
    stored.list({ partition, ownerId: personId, now }),
    history.resumedSince({ partition, ownerId: personId, since }),
  ]);
  const touched = consents.filter(
    ({ consent }) => consent.createdAt >= since || consent.scopes.some((scope) => lastDecided(scope) >= since),
  );
  const [narrowed, ended] = [true, false].map((stays) => touched.filter((one) => keepsSome(one, since) === stays));
  const [less, none] = await Promise.all(
    (["narrowed", "ended"] as const).map((change) =>
      outstanding({ partition, ownerId: personId }, now, change, context),
    ),
  );
  const named = (all: readonly ConsentWithGrants[] = []) => all.map(({ consent }) => consent.shown.clientName);
  const ends = (all: readonly ConsentWithGrants[] = [], held = none) =>
    all.flatMap(({ consent }) => held?.get(consent.clientId) ?? []);
  const until = [...ends(narrowed, less), ...ends(ended)];
  const last = until.length === 0 ? undefined : Math.max(...until);
  const again = new Set(resumed.flatMap(({ clientId, wasPaused }) => (wasPaused ? [clientId] : [])));
  const paused = consents.filter((one) => again.has(one.consent.clientId) && ended?.includes(one) !== true);
  return {
    ...{ ended: named(ended), narrowed: named(narrowed), endsIn: minutesLeft(last, now) },
    paused: named(paused.filter(({ consent }) => !isPaused(consent))),
  };
}

/** True: an app that was connected before that time keeps access that it had then. */
function keepsSome({ consent, grants }: ConsentWithGrants, since: Millis): boolean {
  if (consent.createdAt >= since) return false;
  const lost = new Set(consent.scopes.filter((scope) => lastDecided(scope) >= since).map(({ name }) => name));
  const older = grants.filter(({ status, createdAt }) => status === "active" && createdAt < since);
  return [consent, ...older].some(({ scopes }) => scopes.some(({ name }) => !lost.has(name)));
}

/** What the message says about recovery codes. Only the transaction knows which of these is true. */
const TOLD_OF_CODES: readonly ProvingCodes[] = [
  { codes: true, earlierCodes: true },
  { codes: false, earlierCodes: true },
  { codes: false, earlierCodes: false },
];

/**
 * `passwordHash`: the hash of a password that nobody knows. `since`: the time of the removal. `member`: as
 * `isMember` says. Every address of the account gets a message.
 */
export async function restore(
  followed: FollowedLink,
  from: {
    readonly passwordHash: string;
    readonly since: Millis;
    readonly member: boolean;
    readonly device: DeviceSeen | null;
    readonly language: string;
    readonly browser: string | null;
    readonly address: string;
  },
  context: RestoreContext,
): Promise<{ readonly outcome: FollowLinkOutcome; readonly lost: LostAccess }> {
  const { key, link, person } = followed;
  const { storage, mail, issuer } = context;
  const { partition, personId, username } = person;
  const now = context.now();
  const addresses = await storage.people.addresses({ partition, personId, now });
  const told = new Set([link.address, ...addresses.map(({ address }) => address)]);
  const lost = await lostSince(person, from.since, context);
  const recovery: RecoveryNews = {
    ...{ removed: [], kept: [], keptApps: listOf([]) },
    ...{ ended: listOf(lost.ended), narrowed: listOf(lost.narrowed), pausedAgain: listOf(lost.paused) },
  };
  const accountStays = (person.deleteAt ?? null) !== null;
  const about = { accountStays, companiesKeep: from.member };
  const who = { browser: from.browser, address: from.address, recovery, appsEndIn: lost.endsIn, ...about };
  const language = person.language ?? from.language;
  const heard: { readonly to: string; readonly theirs: boolean }[] = [];
  for (const to of told) {
    const theirs = to === link.address || to === person.email;
    if (theirs || (await mayTell(to, "factorsRestored", context))) heard.push({ to, theirs });
  }
  const mailsOf = (proving: ProvingCodes | undefined): readonly StoredMail[] =>
    heard.flatMap(({ to, theirs }) => {
      // A possible intruder, at an address that the account no longer has, must not learn about browser, codes and apps.
      const moved = movedFrom(to, { present: person.email, addresses, now });
      const values = {
        ...{ person: username, at: now },
        ...(theirs ? { ...who, ...(proving && { proving }) } : {}),
        ...(moved !== null && (theirs || moved.owed) ? { email: to, moved } : {}),
      };
      const draft = { kind: "factorsRestored", to, language, link: `${issuer}/recover`, values } as const;
      return mail.write(draft, { partition, cause: [link.linkId, String(now)] });
    });
  const { linkId, saltHash } = key;
  const outcome = await storage.recovery.restoreFactors({
    partition: key.partition,
    linkId,
    saltHash,
    passwordHash: from.passwordHash,
    device: from.device,
    mails: mailsOf(undefined),
    mailsIf: TOLD_OF_CODES.map((proving) => ({ proving, mails: mailsOf(proving) })),
    now,
  });
  return { outcome, lost };
}

function listOf(names: readonly string[]): NamedApps {
  return some(
    names.map((name) => ({ name })),
    [],
  );
}
