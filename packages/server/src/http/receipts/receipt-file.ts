/** The file of a receipt, and the keys that verify it. */

import { RECEIPT_TYPE, type Receipts } from "../../crypto/signed-receipts.ts";
import type { Millis } from "../../oauth/model.ts";
import type { Catalog } from "../../oauth/storage.ts";
import { isDecision } from "../../owners/apps/history-page.ts";
import type { HistoryEntry } from "../../owners/storage.ts";
import type { PageTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { type Answer, cachedJson, type HttpRequest, json } from "../http-message.ts";

/** The dependencies of a receipt. */
export interface ReceiptTools extends PageTools {
  readonly receipts: Receipts;
  now(): Millis;
}

/** Gives the names of apps to receipts. */
interface NamingTools extends ReceiptTools {
  readonly apps: { readonly oauth: { readonly catalog: Pick<Catalog, "client"> } };
}

/** Only for decisions: an app that came back under an existing consent is no decision. */
export async function receiptAnswer(
  entry: HistoryEntry | undefined,
  http: HttpRequest,
  tools: NamingTools,
): Promise<Answer> {
  if (entry === undefined || !isDecision(entry)) return problemAnswer("not_found", http, tools);
  const { record, clientId } = entry;
  // As the history shows it, where the entry records no name.
  const clientName = record.clientName ?? (await tools.apps.oauth.catalog.client(clientId))?.name ?? null;
  const { jws, claims } = await tools.receipts.sign({ ...entry, record: { ...record, clientName } }, tools.now());
  const day = new Date(entry.at).toISOString().slice(0, 10);
  const { issuer } = tools;
  const [keys, verify] = [`${issuer}/receipts/keys`, `${issuer}/receipts/verify`];
  const body = { receipt: jws, type: RECEIPT_TYPE, content: claims, keys, verify };
  return json(200, `${JSON.stringify(body, null, 2)}\n`, {
    "content-disposition": `attachment; filename="receipt-${day}-${entry.entryId.slice(-6)}.json"`,
  });
}

/** Every public key that ever signed a receipt (RFC 7517 §5). */
export async function receiptKeys(_http: HttpRequest, { receipts }: Pick<ReceiptTools, "receipts">): Promise<Answer> {
  const keys = await receipts.keys();
  return cachedJson(`{"keys":[${keys.join(",")}]}`);
}
