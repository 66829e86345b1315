/** `/account/profile/export`: all stored data about a person in one file. */

import type { Receipts } from "../../crypto/signed-receipts.ts";
import { ceilingOrNone, underCeiling } from "../../oauth/consent-reach.ts";
import { type Consent, type ListedGrant, type Millis, NEVER } from "../../oauth/model.ts";
import { type DataExportContext, type InCompany, personalData } from "../../owners/account/data-export.ts";
import type { Picture } from "../../owners/account/picture-storage.ts";
import type { AppsContext } from "../../owners/apps/context.ts";
import { isDecision } from "../../owners/apps/history-page.ts";
import { isAddressOfNobody } from "../../owners/canonical-login.ts";
import { consentUnder } from "../../owners/consent-after-decision.ts";
import type { SecondFactor } from "../../owners/factor-storage.ts";
import { knowsPassword } from "../../owners/person.ts";
import type { ConsentWithGrants, HistoryEntry, Person } from "../../owners/storage.ts";
import { exportPage } from "../../pages/index.ts";
import type { EventTools } from "../endpoint-contexts.ts";
import { formToken } from "../form-token.ts";
import { json, page } from "../http-message.ts";
import type { AccountTools } from "./require-sign-in.ts";
import { freshly } from "./security.ts";

/** Maximum number of receipts signed for one file, the newest first; the others are available at their entries. */
const MOST_RECEIPTS = 500;

interface ExportTools extends AccountTools, EventTools {
  readonly account: DataExportContext;
  readonly apps: Pick<AppsContext, "oauth">;
  readonly receipts: Receipts;
}

export const showExport = freshly("export", async ({ session, http, visitor }, tools: AccountTools) => {
  const view = { csrf: formToken(session, tools) };
  const chrome = tools.chrome(http, { here: "/account/profile/export" });
  return page(200, exportPage(view, chrome), "here", visitor.cookies);
});

/** Without keys, secrets and hashes, which prove who somebody is. Names are in snake_case, times in ISO 8601. */
export const exportData = freshly("export", async ({ person, http, visitor }, tools: ExportTools) => {
  const now = tools.now();
  const data = await personalData(person, tools.account);
  const {
    sessions,
    devices,
    apps,
    uses,
    apis,
    history,
    companies,
    passkeys,
    factor,
    subjects,
    removed,
    addresses,
    picture,
  } = data;
  const body = {
    issuer: tools.issuer,
    madeAt: now,
    account: { ...accountOf(person), picture: picture === undefined ? null : dataUrl(picture) },
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
    apps: await Promise.all(apps.map((app) => appOf(app, tools.apps))),
    uses,
    apis,
    history: await Promise.all(history.map((entry, at) => entryOf(entry, at, now, tools.receipts))),
    companies: companies.map(companyOf),
  };
  tools.event("data_exported", { owner: person.personId, address: http.address });
  const made = json(200, `${JSON.stringify(portable(body), null, 2)}\n`, {
    "content-disposition": 'attachment; filename="my-data.json"',
  });
  return { ...made, cookies: visitor.cookies };
});

function dataUrl({ type, bytes }: Picture): string {
  return `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
}

function accountOf({ passwordHash, partition: _, pictureId: _id, email, ...account }: Person) {
  const known = isAddressOfNobody(email) ? null : email;
  return { ...account, email: known, hasPassword: knowsPassword({ passwordHash }) };
}

/** When and where it was set up, and the same of the previous one, if that is still kept. */
function authenticatorOf({ createdAt, lastUsedAt, added, codesAt, codesAdded, earlier }: SecondFactor) {
  const before = earlier && { since: earlier.createdAt, lastUsedAt: earlier.lastUsedAt, added: earlier.added };
  return { since: createdAt, lastUsedAt, added, recoveryCodes: { since: codesAt, added: codesAdded }, before };
}

/** With the ends that hold: the longest time that the operator set for the app may be over sooner than what is stored. */
async function appOf({ consent, grants }: ConsentWithGrants, { oauth }: ExportTools["apps"]) {
  const client = await oauth.catalog.client(consent.clientId);
  const ceiling = ceilingOrNone(client, oauth.policy);
  const connections = grants.map((grant) => connectionOf(underCeiling(grant, ceiling)));
  return { ...consentOf(consentUnder(consent, ceiling)), connections };
}

function consentOf({ partition: _, ownerId: _owner, chosenAt, ...consent }: Consent) {
  // The database keeps the time of a forgotten choice as a negative number.
  return { ...consent, chosenAt: chosenAt === null ? null : Math.abs(chosenAt), asksForWhom: (chosenAt ?? 0) < 0 };
}

/**
 * The scopes of one authorization, and when they were used. Data that only the protocol needs is left out, because it
 * says nothing about the person.
 */
function connectionOf(grant: ListedGrant) {
  const { scopes, createdAt, lastUsedAt, introspectedAt, usedFrom, uses, idleUntil, absoluteUntil, status } = grant;
  return { scopes, createdAt, lastUsedAt, introspectedAt, usedFrom, uses, idleUntil, absoluteUntil, status };
}

/** With its receipt, if it has one. */
async function entryOf(entry: HistoryEntry, at: number, now: Millis, receipts: Receipts) {
  const { partition: _, ...told } = entry;
  if (!isDecision(entry) || at >= MOST_RECEIPTS) return told;
  return { ...told, receipt: (await receipts.sign(entry, now)).jws };
}

/** The person's membership in a company, and what apps do there in their name. */
function companyOf({ company, member, grants }: InCompany) {
  const { companyId, name, slug } = company;
  const { role, since, accountStatus: standing } = member;
  const connections = grants.map((grant) => ({ clientId: grant.clientId, ...connectionOf(grant) }));
  return { companyId, name, slug, role, since, standing, connections };
}

/** Fields that hold a time, in milliseconds since the epoch. */
const TIME = /^(?:at|until|since|authTime)$|(?:At|From|Until|Since)$/;

/** As other programs read it: field names in snake_case, times in ISO 8601; null for a time that never comes. */
function portable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(portable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      portableField(name, one),
    ]),
  );
}

function portableField(name: string, value: unknown): unknown {
  // What people read is kept by the names of scopes, which are nobody's to respell.
  if (name === "texts") return value;
  if (name === "hostEnds") return timesByHost(value as Readonly<Record<string, Millis>>);
  return typeof value === "number" && TIME.test(name) ? isoTime(value) : portable(value);
}

/** The names are hosts, which nobody may respell. */
function timesByHost(ends: Readonly<Record<string, Millis>>): Readonly<Record<string, string | null>> {
  return Object.fromEntries(Object.entries(ends).map(([host, at]) => [host, isoTime(at)]));
}

function isoTime(at: Millis): string | null {
  return at >= NEVER ? null : new Date(at).toISOString();
}
