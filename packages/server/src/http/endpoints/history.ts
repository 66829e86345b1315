/** `/account/history`: what an owner allowed and took back, and signed receipts of it. */

import { RECEIPT_TYPE } from "../../crypto/receipts.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import { descriptionOf } from "../../owners/scope-texts.ts";
import type { HistoryEntry } from "../../owners/storage.ts";
import { historyPage } from "../../pages/index.ts";
import type { HistoryEntryView, HistoryView } from "../../pages/views.ts";
import type { Assent } from "../../server-parts.ts";
import { formToken } from "../forms.ts";
import { type Answer, cachedJson, type HttpRequest, json, page } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { type Account, signedIn } from "./account.ts";
import { signedInAs } from "./cards.ts";

const ENTRIES_SHOWN = 25;
export const showHistory = signedIn(async ({ person, session, http, visitor }, assent) => {
  const before = new URLSearchParams(http.query).get("before");
  const last = before === null ? undefined : await entryFor(before, { person }, assent);
  if (before !== null && last === undefined) return problemAnswer("not_found", http, assent);
  const found = await assent.storage.history.list({
    partition: person.partition,
    ownerId: person.personId,
    before: last ?? null,
    limit: ENTRIES_SHOWN + 1,
  });
  const chrome = assent.chrome(http);
  const shown = found.slice(0, ENTRIES_SHOWN);
  const view: HistoryView = {
    csrf: formToken(assent.secrets, `session:${session.sessionId}`),
    person: signedInAs(person),
    entries: await Promise.all(shown.map((entry) => historyEntry(entry, chrome.words.language, assent))),
    now: assent.now(),
    older: found.length > ENTRIES_SHOWN ? (shown.at(-1)?.entryId ?? null) : null,
    first: before === null,
  };
  return page(200, historyPage(view, chrome), "here", visitor.cookies);
});

function entryFor(entryId: string, { person }: Pick<Account, "person">, assent: Assent) {
  return assent.storage.history.get({ ownerId: person.personId, entryId });
}

/** An entry as a page shows it: the app's name and the words are those of then, where they were noted. */
export async function historyEntry(entry: HistoryEntry, language: string, assent: Assent): Promise<HistoryEntryView> {
  const { record, clientId } = entry;
  const [client, scopes] = await Promise.all([assent.oauth.catalog.client(clientId), assent.oauth.catalog.scopes()]);
  const texts = record.shown?.texts ?? {};
  const say = (name: string) => {
    const scope = scopes.get(name);
    // In the language of the page; what is gone, as it was read then.
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

/** A receipt to keep: the signed text, what it says, and where the keys are. */
export const downloadReceipt = signedIn(async ({ person, http }, assent) => {
  const entry = await entryFor(new URLSearchParams(http.query).get("entry") ?? "", { person }, assent);
  return receiptAnswer(entry, http, assent);
});

/** Of what was decided: an app that came back within it is told of and no decision. */
export async function receiptAnswer(
  entry: HistoryEntry | undefined,
  http: HttpRequest,
  assent: Assent,
): Promise<Answer> {
  if (entry === undefined || entry.kind === "reconnected") return problemAnswer("not_found", http, assent);
  const { jws, claims } = await assent.receipts.sign(entry, assent.now());
  const day = new Date(entry.at).toISOString().slice(0, 10);
  const body = { receipt: jws, type: RECEIPT_TYPE, content: claims, keys: `${assent.issuer}/receipts/keys` };
  return json(200, `${JSON.stringify(body, null, 2)}\n`, {
    "content-disposition": `attachment; filename="receipt-${day}-${entry.entryId.slice(-6)}.json"`,
  });
}

/** Every public key that ever signed a receipt (RFC 7517 §5). */
export async function receiptKeys(_http: HttpRequest, assent: Assent): Promise<Answer> {
  const keys = await assent.storage.history.listReceiptKeys();
  return cachedJson(`{"keys":[${keys.join(",")}]}`);
}
