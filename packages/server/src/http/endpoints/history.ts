/** `/account/history`: what an owner allowed and revoked, with signed receipts. */

import { redirectHost } from "../../oauth/redirect-uri.ts";
import type { Catalog } from "../../oauth/storage.ts";
import type { AppsContext } from "../../owners/apps/context.ts";
import { historyPage as entriesOf, historyEntryOf } from "../../owners/apps/history-page.ts";
import { belongsToCompany } from "../../owners/apps/remembered-owner-choice.ts";
import { descriptionOf } from "../../owners/scope-texts.ts";
import type { HistoryEntry } from "../../owners/storage.ts";
import { historyPage } from "../../pages/index.ts";
import type { HistoryEntryView, HistoryView } from "../../pages/views.ts";
import { problemAnswer } from "../error-page.ts";
import { formToken } from "../form-token.ts";
import { page } from "../http-message.ts";
import { type ReceiptTools, receiptAnswer } from "../receipts/receipt-file.ts";
import { signedInAs } from "./client-and-person-views.ts";
import { type AccountTools, signedIn } from "./require-sign-in.ts";

interface HistoryTools extends AccountTools {
  readonly apps: AppsContext;
}

export const showHistory = signedIn(async ({ person, session, http, visitor }, tools: HistoryTools) => {
  const { partition, personId } = person;
  const before = new URLSearchParams(http.query).get("before");
  const found = await entriesOf({ partition, ownerId: personId }, before, tools.apps);
  if (found === undefined) return problemAnswer("not_found", http, tools);
  const chrome = tools.chrome(http);
  const view: HistoryView = {
    csrf: formToken(session, tools),
    person: signedInAs(person),
    entries: await Promise.all(
      found.entries.map((entry) => historyEntry(entry, chrome.words.language, tools.apps.oauth.catalog)),
    ),
    now: tools.now(),
    older: found.older,
    first: before === null,
    inCompany: await belongsToCompany(person, tools.apps),
  };
  return page(200, historyPage(view, chrome), "here", visitor.cookies);
});

/** An entry in the form of a page: with the app's name and the texts of that time, if they were recorded. */
export async function historyEntry(entry: HistoryEntry, language: string, catalog: Catalog): Promise<HistoryEntryView> {
  const { record, clientId } = entry;
  const [client, scopes] = await Promise.all([catalog.client(clientId), catalog.scopes()]);
  const texts = record.shown?.texts ?? {};
  const say = (name: string) => {
    // Scopes of another server can have the names of this server's.
    const scope = entry.kind === "connection" ? undefined : scopes.get(name);
    // In the language of the page; for a deleted scope, the text of that time.
    return scope === undefined
      ? ((Object.hasOwn(texts, name) ? texts[name] : undefined) ?? name)
      : descriptionOf(scope, language);
  };
  const leaves = entry.kind !== "alarm" && entry.kind !== "given_up";
  // The record of a consent keeps permissions that expired before this entry.
  const standing = leaves ? record.scopes.filter(({ expiresAt }) => expiresAt === null || expiresAt > entry.at) : [];
  return {
    entryId: entry.entryId,
    at: entry.at,
    what: whatOf(entry),
    app: record.clientName ?? client?.name ?? clientId,
    can: standing.map(({ name, expiresAt }) => ({ text: say(name), end: record.once === true ? "once" : expiresAt })),
    ...(record.paused === undefined ? {} : { paused: true }),
    takenAway: record.removed.map(say),
    ...(record.removedFor === undefined ? {} : { takenFrom: record.removedFor }),
    ...(record.through === undefined ? {} : { through: record.through.clientName ?? record.through.clientId }),
    ...(record.company === undefined ? {} : { company: record.company.name }),
    ...(record.asked === undefined ? {} : { refused: record.asked.map(say) }),
    ...(record.earlierUntil === undefined ? {} : { earlierUntil: record.earlierUntil }),
    ...(record.newHosts === undefined ? {} : { newHosts: record.newHosts.map(redirectHost) }),
  };
}

/** The parts of an entry that say what happened. */
type Happened = Pick<HistoryEntry, "kind" | "ownerId"> & {
  readonly record: Pick<
    HistoryEntry["record"],
    ("by" | "personId" | "role" | "rule" | "forSelected" | "via" | "cause" | "ownSignIn") | ("company" | "connection")
  >;
};

/**
 * In a company's entry: the member whom it is about. An answer on a page is about the access of the person who answered,
 * also where it made the company's consent. Entries of earlier versions name that person only in `by`.
 */
export function memberIn({ kind, record, ownerId }: Happened): string | undefined {
  const { by, via, personId } = record;
  const isAnswer = kind === "allowed" && by !== ownerId && (via === "browser" || via === "device");
  return personId ?? (isAnswer ? by : undefined);
}

export function whatOf({ kind, record, ownerId }: Happened): HistoryEntryView["what"] {
  const own = record.by === record.personId;
  const admin = record.role === "admin";
  switch (kind) {
    case "allowed":
      if (record.forSelected === true) return { rule: "selected" };
      if (memberIn({ kind, record, ownerId }) !== undefined) return "connected";
      if (record.via === "browser") return "allowed";
      return record.via === "device"
        ? "allowedByDevice"
        : record.via === "password"
          ? "allowedByPassword"
          : "allowedByPolicy";
    case "revoked":
      // The server itself ends an owner's decision only at a restore. Entries of earlier versions name no cause.
      if (record.cause === "restore" || record.by === "server") return { endedBy: "restore" };
      if (record.cause === "recovery") return { endedBy: "recovery" };
      return record.by === ownerId ? "revoked" : "revokedByOther";
    case "end_changed":
      return "endChanged";
    case "given_up":
      return record.personId === undefined ? "givenUp" : "givenUpFor";
    case "member_left":
      if (record.cause === "member_deleted") return { member: "deleted" };
      return { member: own ? "left" : "removed" };
    case "member_joined":
      return own ? { member: admin ? "joinedAsAdmin" : "joined" } : { member: admin ? "addedAsAdmin" : "added" };
    case "member_role":
      // Nobody makes themselves an admin, except by accepting an invitation.
      return { member: admin ? (own ? "acceptedAdmin" : "madeAdmin") : "madeMember" };
    case "member_invited":
      return { member: admin ? "invitedAsAdmin" : "invited" };
    case "invitation_withdrawn":
      return { member: "withdrawn" };
    case "own_sign_in":
      return { signIn: record.ownSignIn ?? "changed" };
    case "connection":
      return { connection: record.connection ?? "changed" };
    case "vouched":
      return record.company === undefined ? "vouched" : "vouchedByCompany";
    case "rule_changed":
      return { rule: record.rule ?? "none" };
    case "signed_out":
      return { account: "signedOut" };
    case "disabled":
      return { account: "disabled" };
    case "enabled":
      return { account: record.by === "operator" ? "enabledByOperator" : "enabled" };
    case "ended":
      // Of what ends an app itself, only a deletion of its own registration is the app's doing.
      return { endedBy: record.cause === "app" && record.by === "client" ? "unregistered" : (record.cause ?? "app") };
    case "narrowed":
      return record.cause === "recovery" ? { endedBy: "recoveryNarrowed" } : kind;
    case "paused":
      return record.cause === "recovery" ? { endedBy: "recoveryPaused" } : kind;
    case "reconnected":
    case "delegated":
    case "connected":
    case "refused":
    case "resumed":
    case "alarm":
      return kind;
  }
}

/** A receipt to download: the signed text, its content, and the address of the keys. */
export const downloadReceipt = signedIn(async ({ person, http }, tools: HistoryTools & ReceiptTools) => {
  const entryId = new URLSearchParams(http.query).get("entry") ?? "";
  const entry = await historyEntryOf(person.personId, entryId, tools.apps);
  return receiptAnswer(entry, http, tools);
});
