/** `/account/history`: what an owner allowed and revoked, with signed receipts. */

import { RECEIPT_TYPE, type Receipts } from "../../crypto/receipts.ts";
import type { Millis } from "../../oauth/model.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import type { Catalog } from "../../oauth/storage.ts";
import type { AppsContext } from "../../owners/apps/context.ts";
import { historyPage as entriesOf, historyEntryOf } from "../../owners/apps/history-page.ts";
import { descriptionOf } from "../../owners/scope-texts.ts";
import type { HistoryEntry } from "../../owners/storage.ts";
import { historyPage } from "../../pages/index.ts";
import type { HistoryEntryView, HistoryView } from "../../pages/views.ts";
import type { PageTools } from "../contexts.ts";
import { formToken } from "../forms.ts";
import { type Answer, cachedJson, type HttpRequest, json, page } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { type AccountTools, signedIn } from "./account.ts";
import { signedInAs } from "./client-and-person-views.ts";

interface HistoryTools extends AccountTools {
  readonly apps: AppsContext;
}

/** The dependencies of a receipt. */
export interface ReceiptTools extends PageTools {
  readonly receipts: Receipts;
  now(): Millis;
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
  };
  return page(200, historyPage(view, chrome), "here", visitor.cookies);
});

/** An entry in the form of a page: with the app's name and the texts of that time, if they were recorded. */
export async function historyEntry(entry: HistoryEntry, language: string, catalog: Catalog): Promise<HistoryEntryView> {
  const { record, clientId } = entry;
  const [client, scopes] = await Promise.all([catalog.client(clientId), catalog.scopes()]);
  const texts = record.shown?.texts ?? {};
  const say = (name: string) => {
    const scope = scopes.get(name);
    // In the language of the page; for a deleted scope, the text of that time.
    return scope === undefined
      ? ((Object.hasOwn(texts, name) ? texts[name] : undefined) ?? name)
      : descriptionOf(scope, language);
  };
  return {
    entryId: entry.entryId,
    at: entry.at,
    what: whatOf(entry),
    app: record.clientName ?? client?.name ?? clientId,
    can: entry.kind === "alarm" || entry.kind === "given_up" ? [] : record.scopes.map(({ name }) => say(name)),
    takenAway: record.removed.map(say),
    ...(record.newHosts === undefined ? {} : { newHosts: record.newHosts.map(redirectHost) }),
    expiresAt:
      entry.kind === "allowed" || entry.kind === "end_changed"
        ? record.once === true
          ? "once"
          : record.expiresAt
        : undefined,
  };
}

function whatOf({ kind, record, ownerId }: HistoryEntry): HistoryEntryView["what"] {
  const own = record.by === record.personId;
  const admin = record.role === "admin";
  switch (kind) {
    case "allowed":
      if (record.via === "browser") return "allowed";
      return record.via === "device"
        ? "allowedByDevice"
        : record.via === "password"
          ? "allowedByPassword"
          : "allowedByPolicy";
    case "revoked":
      return record.by === ownerId ? "revoked" : "revokedByOther";
    case "end_changed":
      return "endChanged";
    case "given_up":
      return "givenUp";
    case "member_left":
      return { member: own ? "left" : "removed" };
    case "member_joined":
      return own ? { member: admin ? "joinedAsAdmin" : "joined" } : { member: admin ? "addedAsAdmin" : "added" };
    case "member_role":
      return { member: admin ? "madeAdmin" : "madeMember" };
    case "member_invited":
      return { member: admin ? "invitedAsAdmin" : "invited" };
    case "invitation_withdrawn":
      return { member: "withdrawn" };
    case "rule_changed":
      return { rule: record.rule ?? "none" };
    case "ended":
      return { endedBy: record.cause ?? "app" };
    case "reconnected":
    case "narrowed":
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

/** Only for decisions: an app that came back under an existing consent is no decision. */
export async function receiptAnswer(
  entry: HistoryEntry | undefined,
  http: HttpRequest,
  tools: ReceiptTools,
): Promise<Answer> {
  if (entry === undefined || entry.kind === "reconnected") return problemAnswer("not_found", http, tools);
  const { jws, claims } = await tools.receipts.sign(entry, tools.now());
  const day = new Date(entry.at).toISOString().slice(0, 10);
  const body = { receipt: jws, type: RECEIPT_TYPE, content: claims, keys: `${tools.issuer}/receipts/keys` };
  return json(200, `${JSON.stringify(body, null, 2)}\n`, {
    "content-disposition": `attachment; filename="receipt-${day}-${entry.entryId.slice(-6)}.json"`,
  });
}

/** Every public key that ever signed a receipt (RFC 7517 §5). */
export async function receiptKeys(_http: HttpRequest, { receipts }: Pick<ReceiptTools, "receipts">): Promise<Answer> {
  const keys = await receipts.keys();
  return cachedJson(`{"keys":[${keys.join(",")}]}`);
}
