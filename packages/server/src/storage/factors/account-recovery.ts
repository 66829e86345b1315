/** Verbs of account recovery by mail: a new password, what ends with it, and how to undo it. */

import type { Millis } from "../../oauth/model.ts";
import type { ByLesser } from "../../owners/change-conditions.ts";
import { lastDecided } from "../../owners/consent-after-decision.ts";
import type { KnownDevice } from "../../owners/known-device-storage.ts";
import { presentedAmong } from "../../owners/known-device-storage.ts";
import type { FollowLinkOutcome, MailLink, MailLinkPurpose } from "../../owners/mail/storage.ts";
import { unvouchedSince } from "../../owners/recovery/factor-fingerprints.ts";
import { isOwners, type ProvingCodes, provingCodes } from "../../owners/recovery/factor-trust.ts";
import {
  OWN_BROWSER_ONLY,
  REMOVAL_KEPT,
  type RecoveryStorage,
  type Removal,
  type TakeBack,
  type TakeBackOutcome,
  undoHolds,
} from "../../owners/recovery/storage.ts";
import { noteForCompanies, tellOf } from "../companies/membership-outbox.ts";
import { endConsent, narrow, setPaused } from "../consents/consents.ts";
import { noteRecentEnded, resumptionsSince } from "../consents/history.ts";
import { sql, steps, type Tx, transaction, words } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { endGrants, endingOf } from "../grants/end-in-batches.ts";
import { keepLastUse } from "../grants/uses.ts";
import {
  findMailLink,
  insertMailLink,
  lockMailLink,
  moving,
  peekMailLink,
  type UnpurposedKey,
} from "../mail/mail-links.ts";
import { post } from "../mail/outbox.ts";
import {
  addressesOf,
  dropFirstUses,
  dropMailLinks,
  endOwed,
  knownAddresses,
  noteFormer,
  sinceWhen,
} from "../people/current-and-former-addresses.ts";
import { byMail, devicesOf, keepAge, listKnownDevices, revokeDevices } from "../people/known-devices.ts";
import { noteSessionEnds } from "../people/logout-notices.ts";
import { settleName } from "../people/name-reconciliation.ts";
import type { PersonKey } from "../people/person-row.ts";
import { getPerson } from "../people/person-row.ts";
import { unreserveName } from "../people/unique-names.ts";
import { consentColumns, consentOf, personColumns, personOf, text } from "../row-conversion.ts";
import { isOperator } from "./lock-person-row.ts";
import { listPasskeys, lockPasskeys } from "./passkeys.ts";
import { bringBack, eraseRemovals, removedFactors, removedPasskeys, setAside } from "./removed-factors.ts";
import { codesOf, lockFactor } from "./second-factors.ts";

/** Changes the person's partition first. Then their companies learn that grants in their names end. */
export const recoverPassword = steps<TakeBack, TakeBackOutcome>(async (call, args) => {
  const outcome = await call(writeRecovery, args);
  if (outcome.kind === "done") await tellOf(call, outcome.person, args.now);
  return outcome;
});

export const writeRecovery = transaction<TakeBack, TakeBackOutcome>(async (tx, args) => {
  const link = await lockAccount(tx, args, "recover");
  if (link === undefined) return { kind: "unknown" };
  const { partition, passwordHash, now } = args;
  const key = { partition, personId: link.personId };
  const removal = await removalNow(tx, key, link, args);
  if (removal === "changed") return { kind: "changed" };
  // If the person has another address now, the link proves nothing.
  const row = await tx.one(
    sql`UPDATE people SET password_hash = :passwordHash, password_changed_at = :now, must_change_password = 0, ${byMail},
        email_verified_at = :now, delete_at = NULL, updated_at = :now
      WHERE partition = :partition AND person_id = :personId AND status = 'active' AND email = :address
      RETURNING ${personColumns}`,
    { ...key, address: link.address, passwordHash, now },
  );
  if (row === undefined) return { kind: "unknown" };
  await takeBack(tx, key, link, removal, args);
  return { kind: "done", person: personOf(row) };
});

export const undoEmail = steps<TakeBack, TakeBackOutcome>(async (call, args) => {
  const { partition, now } = args;
  for (;;) {
    const link = await call(findMailLink, { ...args, purpose: "undo" });
    const person = link && (await call(getPerson, { partition, personId: link.personId }));
    if (link === undefined || person?.status !== "active") return { kind: "unknown" };
    const key = { partition, personId: link.personId };
    const addresses = await call(addressesOf, { ...key, now });
    const device = presentedAmong(await call(listKnownDevices, key), args.device);
    if (undoHolds(link, person.email, addresses, { device, now }) !== "yes") return { kind: "unknown" };
    const write = () => call(writeUndo, { ...args, before: person.email });
    const outcome =
      person.email === link.address ? await write() : await moving(call, { link, before: person.email, now }, write);
    if (outcome.kind === "done") await tellOf(call, outcome.person, now);
    // Unknown: the link was used at the same moment, or somebody with access to the account changed the address once
    // more. Then the link that takes the change back still exists.
    if (outcome.kind !== "unknown") return outcome;
  }
});

/** Unknown: nothing changed, and the link stays. */
export const writeUndo = transaction<TakeBack & { readonly before: string }, TakeBackOutcome>(async (tx, args) => {
  const link = await lockAccount(tx, args, "undo");
  if (link === undefined) return { kind: "unknown" };
  const { partition, passwordHash, before, now } = args;
  const key = { partition, personId: link.personId };
  const removal = await removalNow(tx, key, link, args);
  if (removal === "changed") return { kind: "changed" };
  const addresses = await knownAddresses(tx, key, now);
  const device = presentedAmong(await devicesOf(tx, key), args.device);
  if (undoHolds(link, before, addresses, { device, now }) !== "yes") return { kind: "unknown" };
  // Otherwise, a person who reads the replaced address could take the account back in turn. Like an address that the
  // operator gives, the one that the oldest browser takes back is older than all before it.
  const older = link.about === OWN_BROWSER_ONLY ? -now : now;
  const since = Math.min(older, await sinceWhen(tx, key, link.address, now));
  await noteFormer(tx, key, { from: before, to: link.address }, now);
  const row = await tx.one(
    sql`UPDATE people SET email = :address, email_verified_at = :now, email_since = :since,
        password_hash = :passwordHash, password_changed_at = :now, must_change_password = 0, ${byMail}, delete_at = NULL, updated_at = :now
      WHERE partition = :partition AND person_id = :personId AND status = 'active' AND email = :before
      RETURNING ${personColumns}`,
    { ...key, address: link.address, since, passwordHash, before, now },
  );
  if (row === undefined) return { kind: "unknown" };
  await takeBack(tx, key, link, removal, args);
  const { wayBack } = args;
  if (wayBack?.link.address === before) await insertMailLink(tx, wayBack.link, wayBack.saltHash, now);
  return { kind: "done", person: personOf(row) };
});

/** `leaving`: the account was to be deleted. */
interface Locked extends MailLink {
  readonly leaving: boolean;
}

/**
 * Locks the person first, because every change of a person waits for that lock, then the link. Undefined also if the
 * person is not active.
 */
async function lockAccount(tx: Tx, args: UnpurposedKey, purpose: MailLinkPurpose): Promise<Locked | undefined> {
  const link = await peekMailLink(tx, args, purpose);
  if (link === undefined) return undefined;
  const { partition, personId } = link;
  const person = await tx.one(
    sql`SELECT status, delete_at FROM people WHERE partition = :partition AND person_id = :personId ${words.forUpdate}`,
    { partition, personId },
  );
  if (person === undefined || text(person, "status") !== "active") return undefined;
  const locked = await lockMailLink(tx, args, purpose);
  return locked && { ...locked, leaving: person["delete_at"] !== null };
}

/** Every way back keeps an account that was to be deleted: an intruder may have asked for that. */
async function tellRecovered(
  tx: Tx,
  { personId, leaving }: Locked,
  details: Readonly<Record<string, string | number>>,
  now: Millis,
): Promise<void> {
  const about = { at: now, by: `user:${personId}`, subject: personId };
  if (leaving) await tell(tx, { kind: "user.deletion_withdrawn", ...about });
  await tell(tx, { kind: "user.recovered", ...about, details });
}

/**
 * The removal with the unvouched factors that were added since it was decided. `null`: nothing is removed. `changed`:
 * another factor is vouched for.
 */
async function removalNow(
  tx: Tx,
  key: PersonKey,
  link: MailLink,
  { seen, removal, now }: TakeBack,
): Promise<Removal | null | "changed"> {
  const [passkeys, factor] = [await lockPasskeys(tx, key), await lockFactor(tx, key)];
  const late = unvouchedSince(seen, passkeys, factor, now);
  if (late === undefined) return "changed";
  if (late.passkeys.length === 0 && !late.authenticator && !late.codes) return removal;
  const { passkeys: ids, ...decided } = removal ?? {
    ...{ removalId: link.linkId, passkeys: [], authenticator: false, codes: false },
    ...{ until: now + REMOVAL_KEPT, links: [] },
  };
  return {
    ...{ ...decided, passkeys: [...new Set([...ids, ...late.passkeys])] },
    ...{ authenticator: decided.authenticator || late.authenticator, codes: decided.codes || late.codes },
  };
}

/** A former intruder keeps nothing except what the person chose to keep. */
async function takeBack(tx: Tx, key: PersonKey, link: Locked, removal: Removal | null, args: TakeBack): Promise<void> {
  const { device, endApps, chosenApps, endCompanies, shownAt, identitiesSince, mails, now } = args;
  const before = { device: presentedAmong(await devicesOf(tx, key), device), now };
  const own = before.device !== undefined && isOwners(before.device, now, now) ? before.device : undefined;
  await endSessions(tx, key, own, now);
  const { partition, personId: ownerId } = key;
  // Somebody may have resumed an app between the decision and this moment.
  const resumed = await resumptionsSince(tx, { partition, ownerId, since: shownAt });
  for (const clientId of new Set([...endApps, ...resumed.map((one) => one.clientId)])) {
    const cause = chosenApps.includes(clientId) ? {} : { cause: "recovery" as const };
    await endConsent(tx, { partition, ownerId, clientId, revokedBy: ownerId, ...cause, now });
  }
  await endNewConnections(tx, key, shownAt, "password", now);
  await dropFirstUses(tx, key, identitiesSince);
  const keeps = { before: shownAt, butIn: endCompanies };
  await noteForCompanies(tx, key, { cutAt: now, keeps, invitedSince: identitiesSince, now });
  await useUp(tx, link);
  await dropMailLinks(tx, key, link.address, { given: true, restores: own !== undefined, own: before }, now);
  if (removal !== null) await remove(tx, key, removal, now);
  await post(tx, mails, now);
  await tellRecovered(tx, link, { way: link.purpose, apps_ended: endApps.length }, now);
}

async function remove(tx: Tx, key: PersonKey, removal: Removal, now: Millis): Promise<void> {
  await setAside(tx, key, removal, now);
  for (const { link, saltHash } of removal.links) await insertMailLink(tx, link, saltHash, now);
}

/**
 * Ends all sessions and revokes all known devices except the person's own browser. That browser is signed out too, but
 * does not count as new.
 */
async function endSessions(
  tx: Tx,
  { partition, personId }: PersonKey,
  own: KnownDevice | undefined,
  now: Millis,
): Promise<void> {
  await tx.run(sql`DELETE FROM sessions WHERE partition = :partition AND person_id = :personId`, {
    partition,
    personId,
  });
  await noteSessionEnds(tx, { partition, personId }, now);
  await revokeDevices(tx, { partition, personId }, { by: { own } }, now);
  if (own !== undefined) await keepAge(tx, own);
}

async function useUp(tx: Tx, { partition, linkId }: MailLink): Promise<void> {
  await tx.run(sql`UPDATE mail_links SET purpose = 'used' WHERE partition = :partition AND link_id = :linkId`, {
    ...{ partition, linkId },
  });
}

/** Grants whose code is not redeemed, and grants made after the page was shown to the person. */
const newGrants = endingOf(
  sql`partition = :partition AND owner_id = :personId AND (generation = 0 OR created_at >= :since)`,
);

/**
 * Ends the grants to apps that were connected to the person's own account since then, and grants that are being made at
 * this moment. Apps that were connected before lose the scopes that they got since, or whose end was decided since: the end
 * before is not stored. `cause`: why apps that have no older grant are disconnected.
 */
async function endNewConnections(
  tx: Tx,
  { partition, personId }: PersonKey,
  since: Millis,
  cause: "password" | "recent",
  now: Millis,
): Promise<void> {
  const apps = await tx.all(
    sql`SELECT client_id FROM consents WHERE partition = :partition AND owner_id = :personId AND status = 'active' AND created_at >= :since`,
    { partition, personId, since },
  );
  for (const app of apps) {
    const clientId = text(app, "client_id");
    await endConsent(tx, { partition, ownerId: personId, clientId, revokedBy: personId, cause: "recovery", now });
  }
  for (const { clientId, remove } of await widenedSince(tx, { partition, personId }, since))
    await narrow(tx, { partition, ownerId: personId, clientId, remove, by: personId, cause: "recovery", now });
  await keepLastUse(tx, partition, personId);
  const ended = await endGrants(tx, newGrants, { partition, personId, since }, { status: "owner_ended", now });
  await noteRecentEnded(tx, { partition, ownerId: personId, cause, by: personId, now }, "recent", ended);
}

/** Pauses apps that were paused at that time and were resumed since. */
async function pauseAgain(tx: Tx, { partition, personId }: PersonKey, since: Millis, now: Millis): Promise<void> {
  for (const { clientId, wasPaused } of await resumptionsSince(tx, { partition, ownerId: personId, since }))
    if (wasPaused)
      await setPaused(tx, {
        ...{ partition, ownerId: personId, clientId, paused: true, by: personId, cause: "recovery", now },
      });
}

/** The scopes that consents of the person got since then, or whose end was decided since. */
async function widenedSince(
  tx: Tx,
  { partition, personId }: PersonKey,
  since: Millis,
): Promise<readonly { readonly clientId: string; readonly remove: readonly string[] }[]> {
  const rows = await tx.all(
    sql`SELECT ${consentColumns} FROM consents WHERE partition = :partition AND owner_id = :personId AND status = 'active' AND updated_at >= :since`,
    { partition, personId, since },
  );
  return rows.map(consentOf).flatMap(({ clientId, scopes }) => {
    const added = scopes.filter((scope) => lastDecided(scope) >= since);
    return added.length === 0 ? [] : [{ clientId, remove: added.map(({ name }) => name) }];
  });
}

type Restore = Parameters<RecoveryStorage["recovery"]["restoreFactors"]>[0];

/** Releases the ids of passkeys that the transaction may delete before it, and settles them after it. */
export const restoreFactors = steps<Restore, FollowLinkOutcome>(async (call, args) => {
  const { now } = args;
  const link = await call(findMailLink, { ...args, purpose: "restore" });
  if (link === undefined || link.about === null) return { kind: "unknown" };
  const key = { partition: link.partition, personId: link.personId };
  const nameOf = (value: string) => ({ kind: "passkey", value, ownerId: key.personId, now }) as const;
  const removed = await call(removedFactors, { ...key, removalId: link.about, now });
  const since = Math.min(...removed.map(({ removedAt }) => removedAt));
  const added = (await call(listPasskeys, key)).filter(({ createdAt }) => createdAt >= since);
  for (const { credentialId } of added) await call(unreserveName, nameOf(credentialId));
  const { outcome, erased } = await call(writeRestore, args);
  for (const value of new Set([...added.map(({ credentialId }) => credentialId), ...erased]))
    await settleName(call, nameOf(value));
  if (outcome.kind === "done") await tellOf(call, outcome.person, now);
  return outcome;
});

export const writeRestore = transaction<
  Restore,
  { readonly outcome: FollowLinkOutcome; readonly erased: readonly string[] }
>(async (tx, args) => {
  const nothing = { outcome: { kind: "unknown" }, erased: [] } as const;
  const link = await lockAccount(tx, args, "restore");
  if (link === undefined || link.about === null) return nothing;
  const { partition, passwordHash, device, mails, mailsIf = [], now } = args;
  const key = { partition, personId: link.personId };
  const back = await bringBack(tx, key, { removalId: link.about, device, now });
  if (back === undefined) return nothing;
  const row = await tx.one(
    sql`UPDATE people SET password_hash = :passwordHash, password_changed_at = :now, must_change_password = 0, delete_at = NULL,
      updated_at = :now WHERE partition = :partition AND person_id = :personId RETURNING ${personColumns}`,
    { ...key, passwordHash, now },
  );
  if (row === undefined) throw new Error("the person was locked and is gone");
  await endSessions(tx, key, back.own, now);
  await endNewConnections(tx, key, back.since, "recent", now);
  await pauseAgain(tx, key, back.since, now);
  await dropFirstUses(tx, key, back.since);
  const keeps = { before: back.since, butIn: [] };
  await noteForCompanies(tx, key, { cutAt: now, cutBy: "restored", keeps, invitedSince: back.since, now });
  await dropMailLinks(tx, key, link.address, { given: false, restores: false }, now);
  await tx.run(
    sql`DELETE FROM mail_links WHERE partition = :partition AND person_id = :personId AND purpose = 'restore' AND about = :about`,
    { ...key, about: link.about },
  );
  const proving = await provingNow(tx, key, now);
  const said = mailsIf.find(({ proving: { codes, earlierCodes } }) => {
    return codes === proving?.codes && earlierCodes === proving.earlierCodes;
  });
  await post(tx, said?.mails ?? mails, now);
  await tellRecovered(tx, link, { way: "restore" }, now);
  return { outcome: { kind: "done", person: personOf(row) }, erased: back.erased };
});

async function provingNow(tx: Tx, key: PersonKey, now: Millis): Promise<ProvingCodes | undefined> {
  const factor = await lockFactor(tx, key);
  if (factor === undefined) return undefined;
  return provingCodes({ ...factor, earlierCodesLeft: (await codesOf(tx, key, true)).length }, now);
}

/** Releases the passkeys' ids before the change and settles them after it; then they are free. */
export const endWaysBack = steps<PersonKey & ByLesser & { readonly now: Millis }, void>(
  async (call, { now, unlessOperator = false, ...key }) => {
    const nameOf = (value: string) => ({ kind: "passkey", value, ownerId: key.personId, now }) as const;
    const removed = await call(removedPasskeys, key);
    for (const value of removed) await call(unreserveName, nameOf(value));
    const erased = await call(eraseWaysBack, { ...key, unlessOperator });
    for (const value of new Set([...removed, ...erased])) await settleName(call, nameOf(value));
  },
);

/** After a reset of factors, a copy of such a link, or a link to an intruder's address, would perhaps meet no factor. */
export const endLinks = transaction<PersonKey & ByLesser, void>(
  async (tx, { partition, personId, unlessOperator = false }) => {
    if (unlessOperator && (await isOperator(tx, { partition, personId }))) return;
    await dropLinks(tx, { partition, personId });
  },
);

async function dropLinks(tx: Tx, { partition, personId }: PersonKey): Promise<void> {
  const key = { partition, personId };
  await tx.one(
    sql`SELECT status FROM people WHERE partition = :partition AND person_id = :personId ${words.forUpdate}`,
    key,
  );
  await tx.run(
    sql`DELETE FROM mail_links WHERE partition = :partition AND person_id = :personId AND purpose IN ('recover', 'change')`,
    key,
  );
}

export const eraseWaysBack = transaction<PersonKey & ByLesser, readonly string[]>(
  async (tx, { partition, personId, unlessOperator = false }) => {
    const key = { partition, personId };
    if (unlessOperator && (await isOperator(tx, key))) return [];
    await dropLinks(tx, key);
    await tx.run(
      sql`DELETE FROM mail_links WHERE partition = :partition AND person_id = :personId AND purpose IN ('undo', 'restore')`,
      key,
    );
    await endOwed(tx, key);
    return eraseRemovals(tx, key);
  },
);
