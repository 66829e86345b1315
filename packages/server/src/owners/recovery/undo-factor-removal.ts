/** Undoes a removal of factors, for the owner of an account that somebody else recovered by reading its mail. */

import type { Uses } from "../../storage-subset.ts";
import type { FactorStorage } from "../factor-storage.ts";
import type { DeviceSeen } from "../known-device-storage.ts";
import type { Postbox } from "../mail/mail-content.ts";
import { type MailLimitContext, mayTell } from "../mail/mail-limits.ts";
import type { FollowedLink } from "../mail/open-mail-link.ts";
import type { FollowLinkOutcome, StoredMail } from "../mail/storage.ts";
import { type ProvingCodes, provingCodes } from "./factor-trust.ts";
import type { RecoveryStorage, RemovedFactor } from "./storage.ts";

export interface RestoreContext extends MailLimitContext {
  readonly storage: MailLimitContext["storage"] &
    Uses<FactorStorage, "secondFactors.get"> &
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

/** What the message says about recovery codes. Only the transaction knows which of these is true. */
const TOLD_OF_CODES: readonly ProvingCodes[] = [
  { codes: true, earlierCodes: true },
  { codes: false, earlierCodes: true },
  { codes: false, earlierCodes: false },
];

/** `passwordHash`: the hash of a password that nobody knows. Every address of the account gets a message. */
export async function restore(
  { key, link, person }: FollowedLink,
  from: {
    readonly passwordHash: string;
    readonly device: DeviceSeen | null;
    readonly language: string;
    readonly browser: string | null;
    readonly address: string;
  },
  context: RestoreContext,
): Promise<FollowLinkOutcome> {
  const { storage, mail, issuer } = context;
  const { partition, personId, username } = person;
  const now = context.now();
  const addresses = await storage.people.addresses({ partition, personId, now });
  const told = new Set([link.address, ...addresses.map(({ address }) => address)]);
  const who = { browser: from.browser, address: from.address };
  const language = person.language ?? from.language;
  const heard: { readonly to: string; readonly theirs: boolean }[] = [];
  for (const to of told) {
    const theirs = to === link.address || to === person.email;
    if (theirs || (await mayTell(to, "factorsRestored", context))) heard.push({ to, theirs });
  }
  const mailsOf = (proving: ProvingCodes | undefined): readonly StoredMail[] =>
    heard.flatMap(({ to, theirs }) => {
      // A possible intruder, at an address that the account no longer has, must not learn about browser and codes.
      const values = { person: username, at: now, ...(theirs ? { ...who, ...(proving && { proving }) } : {}) };
      const draft = { kind: "factorsRestored", to, language, link: `${issuer}/recover`, values } as const;
      return mail.write(draft, { partition, cause: [link.linkId, String(now)] });
    });
  const { linkId, saltHash } = key;
  return storage.recovery.restoreFactors({
    partition: key.partition,
    linkId,
    saltHash,
    passwordHash: from.passwordHash,
    device: from.device,
    mails: mailsOf(undefined),
    mailsIf: TOLD_OF_CODES.map((proving) => ({ proving, mails: mailsOf(proving) })),
    now,
  });
}
