/** `/account/profile/export`: all that is kept about a person, in one file for them. */

import type { Consent, Grant, Millis } from "../../oauth/model.ts";
import type { Acting } from "../../owners/company-storage.ts";
import type { SecondFactor } from "../../owners/factor-storage.ts";
import type { HistoryEntry, Person } from "../../owners/storage.ts";
import { exportPage } from "../../pages/index.ts";
import type { Assent } from "../../server-parts.ts";
import { formToken } from "../forms.ts";
import { json, page } from "../message.ts";
import { freshly } from "./security.ts";

/** Of each kind. */
const MOST_ENTRIES = 10_000;
/** So many receipts are signed for one file, the newest first; each of the others is had at its entry. */
const MOST_RECEIPTS = 500;

export const showExport = freshly("export", async ({ session, http, visitor }, assent: Assent) => {
  const view = { csrf: formToken(assent.secrets, `session:${session.sessionId}`) };
  const chrome = assent.chrome(http, { here: "/account/profile/export" });
  return page(200, exportPage(view, chrome), "here", visitor.cookies);
});

/** But for what proves who they are: keys, secrets and hashes stay here. Times in milliseconds since the epoch. */
export const exportData = freshly("export", async ({ person, http, visitor }, assent: Assent) => {
  const { storage } = assent;
  const { partition, personId } = person;
  const now = assent.now();
  const key = { partition, ownerId: personId };
  const [sessions, devices, apps, uses, history, companies, passkeys, factor, subjects, removed, addresses] =
    await Promise.all([
      storage.sessions.list({ partition, personId, now }),
      storage.knownDevices.list({ partition, personId }),
      storage.consents.list({ ...key, now }),
      storage.scopeUses.list(key),
      storage.history.list({ ...key, before: null, limit: MOST_ENTRIES }),
      storage.members.companiesOf({ partition, personId, clientId: null, now }),
      storage.passkeys.list({ partition, personId }),
      storage.secondFactors.get({ partition, personId }),
      storage.subjectLinks.ofPerson({ partition, personId }),
      storage.recovery.removedFactors({ partition, personId, removalId: null, now }),
      storage.people.addresses({ partition, personId, now }),
    ]);
  const body = {
    issuer: assent.issuer,
    made_at: now,
    account: accountOf(person),
    passkeys: passkeys.map(({ name, createdAt, lastUsedAt, backupEligible, added }) => ({
      ...{ name, createdAt, lastUsedAt, synced: backupEligible, added },
    })),
    authenticator: factor === undefined ? null : authenticatorOf(factor),
    recoveryCodesLeft: factor?.codesLeft ?? 0,
    removedFactors: removed,
    formerAddresses: addresses.filter(({ until }) => until !== null),
    sessions: sessions.map(({ partition: _partition, ...session }) => session),
    devices: devices.map(({ deviceId, firstSeenAt, lastSeenAt, address, userAgent }) => ({
      ...{ deviceId, firstSeenAt, lastSeenAt, address, userAgent },
    })),
    identities: subjects.map(({ issuerId, claim, subject, createdAt }) => ({ issuerId, claim, subject, createdAt })),
    apps: apps.map(({ consent, grants }) => ({ ...consentOf(consent), connections: grants.map(connectionOf) })),
    uses,
    history: await Promise.all(history.map((entry, at) => entryOf(entry, at, now, assent))),
    companies: await Promise.all(companies.map((acting) => companyOf(acting, personId, now, assent))),
  };
  assent.event("data_exported", { owner: personId, address: http.address });
  const made = json(200, `${JSON.stringify(body, null, 2)}\n`, {
    "content-disposition": 'attachment; filename="my-data.json"',
  });
  return { ...made, cookies: visitor.cookies };
});

function accountOf({ passwordHash, partition: _, ...account }: Person) {
  return { ...account, hasPassword: passwordHash !== null };
}

/** When and from where it was set up, and the one before it, if that is still kept. */
function authenticatorOf({ createdAt, lastUsedAt, added, codesAt, codesAdded, earlier }: SecondFactor) {
  const before = earlier && { since: earlier.createdAt, lastUsedAt: earlier.lastUsedAt, added: earlier.added };
  return { since: createdAt, lastUsedAt, added, recoveryCodes: { since: codesAt, added: codesAdded }, before };
}

function consentOf({ partition: _, ownerId: _owner, ...consent }: Consent) {
  return consent;
}

/** What an app may do by one authorization, and when it did; what the protocol needs for it says nothing of the person. */
function connectionOf({ scopes, createdAt, lastUsedAt, usedFrom, uses, idleUntil, absoluteUntil, status }: Grant) {
  return { scopes, createdAt, lastUsedAt, usedFrom, uses, idleUntil, absoluteUntil, status };
}

/** With its receipt, where it has one. */
async function entryOf(entry: HistoryEntry, at: number, now: Millis, assent: Assent) {
  const { partition: _, ...told } = entry;
  if (entry.kind === "reconnected" || at >= MOST_RECEIPTS) return told;
  return { ...told, receipt: (await assent.receipts.sign(entry, now)).jws };
}

/** The person's place in a company, and what apps do there by their word. What the company decided is the company's. */
async function companyOf({ company, member }: Acting, personId: string, now: Millis, { storage }: Assent) {
  const { partition, companyId, name, slug } = company;
  const grants = await storage.companyApps.grantsOfMember({ partition, companyId, personId, now });
  const { role, since, accountStatus: standing } = member;
  const connections = grants.map((grant) => ({ clientId: grant.clientId, ...connectionOf(grant) }));
  return { companyId, name, slug, role, since, standing, connections };
}
