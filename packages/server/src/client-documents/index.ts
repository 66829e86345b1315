/**
 * Clients whose `client_id` is the address of a document: fetched by the guarded fetcher, kept for a while, and stored
 * when an owner answers (draft-ietf-oauth-client-id-metadata-document-02 §§4, 5).
 */

import type { AdminStorage } from "../admin/storage.ts";
import { readJsonObject } from "../jose/strict-json.ts";
import { leastRecentlyUsed } from "../least-recently-used.ts";
import { type DescribedClient, readClientDocument } from "../oauth/client-registration/client-id-metadata-document.ts";
import { refuse } from "../oauth/errors.ts";
import type { GrantRegistry } from "../oauth/grants/registry.ts";
import type { Client, Millis } from "../oauth/model.ts";
import type { DocumentClients, RequestOrigin } from "../oauth/ports.ts";
import type { Catalog } from "../oauth/storage.ts";
import type { GuardedFetcher } from "../outbound/guarded-fetch.ts";
import type { Uses } from "../storage-subset.ts";
import { type AddressRules, addressProblem, isAddress } from "./address.ts";
import { clientOf, isSame, redirectProblem, withScopes } from "./described-client.ts";
import { lifetimeOf } from "./freshness.ts";
import { FetchLimits } from "./limits.ts";

/** Bytes of a document. */
const MAX_BYTES = 10_240;
const DOCUMENTS_HELD = 1_000;
/** Stored clients that no operator has judged. Unused ones are forgotten. */
const STORED = 20_000;
/** The pause after a fetch that failed. */
const FAILED_PAUSE: Millis = 10_000;
/** How long a stored client works although its document can't be had. */
const BELIEVED: Millis = 7 * 86_400_000;
/** How often the stored time of the last check is renewed. */
const NOTED_EVERY: Millis = 86_400_000;

export interface DocumentParts extends AddressRules {
  readonly storage: Uses<AdminStorage, "clients.get" | "clients.put" | "clients.countDescribed">;
  readonly catalog: Pick<Catalog, "client" | "scopes">;
  readonly grants: GrantRegistry;
  /** For clients that owners have answered. */
  readonly fetcher: GuardedFetcher;
  /** For all others: any number of them can have slow hosts, and they must not delay the first ones. */
  readonly strangers: GuardedFetcher;
  /** The time as it is stored. */
  readonly now: () => Millis;
  /** A clock that nobody sets. */
  readonly monotonic: () => Millis;
  /** Call it after a change of a stored client. */
  readonly changed: () => void;
  event(name: string, fields: Readonly<Record<string, string>>): void;
}

/** The outcome of the last fetch. */
interface Held {
  /** Undefined: the document can't be used. */
  readonly described: DescribedClient | undefined;
  /** For the log. */
  readonly problem: string;
  readonly until: Millis;
}

export class ClientDocuments implements DocumentClients {
  readonly #parts: DocumentParts;
  readonly #held = leastRecentlyUsed<Held>(DOCUMENTS_HELD);
  readonly #loading = new Map<string, Promise<Held>>();
  readonly #limits: FetchLimits;

  constructor(parts: DocumentParts) {
    this.#parts = parts;
    this.#limits = new FetchLimits(parts.monotonic);
  }

  client(clientId: string, condition: Parameters<DocumentClients["client"]>[1]): Promise<Client> | undefined {
    return isAddress(clientId) ? this.#find(clientId, condition) : undefined;
  }

  async admit(clientId: string, origin: RequestOrigin): Promise<number | undefined> {
    if (!isAddress(clientId) || addressProblem(clientId, this.#parts) !== undefined) return undefined;
    if (this.#fresh(clientId) !== undefined || this.#loading.has(clientId)) return undefined;
    if ((await this.#parts.catalog.client(clientId)) !== undefined) return undefined;
    return this.#limits.count(new URL(clientId).host, origin);
  }

  async keep(client: Client): Promise<void> {
    const { storage, catalog } = this.#parts;
    if ((await catalog.client(client.clientId)) !== undefined) return;
    if ((await storage.clients.countDescribed({ most: STORED })) >= STORED)
      refuse("client_documents_throttled", "too many clients are stored that only documents describe");
    const outcome = await storage.clients.put({ client, expect: 0 });
    // Another answer was first, or the client is here already.
    if (outcome.kind === "stored") this.#parts.changed();
  }

  async #find(clientId: string, condition: Parameters<DocumentClients["client"]>[1]): Promise<Client> {
    const { storage, catalog, now } = this.#parts;
    const problem = addressProblem(clientId, this.#parts);
    if (problem !== undefined) return refuse(condition, problem);
    let stored = await catalog.client(clientId);
    // A token belongs to a client that an owner has answered. Another process may have stored it a moment ago.
    if (stored === undefined && condition === "client_unknown") {
      stored = (await storage.clients.get({ clientId }))?.record;
      if (stored === undefined) return refuse(condition, "no owner has answered this client");
    }
    // An operator has switched it off, so nothing is fetched.
    if (stored?.status === "disabled") return stored;
    const held = this.#fresh(clientId) ?? (await this.#load(clientId, stored !== undefined));
    if (held.described !== undefined) {
      const client = clientOf(clientId, held.described, stored, now());
      if (stored !== undefined) await this.#store(client, stored);
      return withScopes(client, await catalog.scopes());
    }
    if (stored?.document === undefined || now() - stored.document.checkedAt > BELIEVED)
      return refuse(condition, held.problem);
    return withScopes(stored, await catalog.scopes());
  }

  #fresh(clientId: string): Held | undefined {
    const held = this.#held.get(clientId);
    return held !== undefined && this.#parts.monotonic() < held.until ? held : undefined;
  }

  /** One fetch serves all who wait. */
  #load(clientId: string, isStored: boolean): Promise<Held> {
    const under = this.#loading.get(clientId);
    if (under !== undefined) return under;
    const loading = this.#fetch(clientId, isStored).finally(() => this.#loading.delete(clientId));
    this.#loading.set(clientId, loading);
    return loading;
  }

  async #fetch(clientId: string, isStored: boolean): Promise<Held> {
    const { monotonic, event } = this.#parts;
    const fetcher = isStored ? this.#parts.fetcher : this.#parts.strangers;
    const headers = { accept: "application/json", "user-agent": "assent" };
    const answer = await fetcher.ask(clientId, { method: "GET", headers, maxBytes: MAX_BYTES });
    const read = answer.kind === "failed" ? `${answer.fault}: ${answer.detail}` : this.#read(clientId, answer);
    const good = typeof read !== "string" && answer.kind === "answered";
    const held: Held = good
      ? { described: read, problem: "", until: monotonic() + lifetimeOf(answer.headers) }
      : { described: undefined, problem: String(read), until: monotonic() + FAILED_PAUSE };
    if (!good) event("client_document_unusable", { client_id: clientId, detail: held.problem.slice(0, 500) });
    this.#held.set(clientId, held);
    return held;
  }

  /** The client, or what is wrong with the answer. */
  #read(
    clientId: string,
    { status, headers, body }: { status: number; headers: Record<string, unknown>; body: Buffer },
  ): DescribedClient | string {
    if (status !== 200) return `the answer has the status ${status}`;
    const type =
      String(headers["content-type"] ?? "")
        .split(";", 1)[0]
        ?.trim()
        .toLowerCase() ?? "";
    if (!/^application\/(?:[\w.-]+\+)?json$/.test(type)) return "the answer is not application/json";
    const document = readJsonObject(body);
    if (document === undefined) return "the body is not one JSON object with unique names in UTF-8";
    const read = readClientDocument(clientId, document, this.#parts.grants);
    if (read.kind === "invalid") return read.problem;
    return redirectProblem(clientId, read.client.fields.redirectUris, this.#parts.hosts) ?? read.client;
  }

  /** Writes a change of the document, and once a day that it was read. */
  async #store(client: Client, stored: Client): Promise<void> {
    const recent = this.#parts.now() - (stored.document?.checkedAt ?? 0) < NOTED_EVERY;
    if (recent && isSame(client, stored)) return;
    const { storage, changed, event } = this.#parts;
    const { clientId } = client;
    const found = await storage.clients.get({ clientId });
    // Another process was first.
    if (found === undefined || !isSame(found.record, stored)) return;
    const outcome = await storage.clients.put({ client, expect: found.version });
    if (outcome.kind !== "stored") return;
    changed();
    if (!isSame(client, stored)) event("client_document_changed", { client_id: clientId });
  }
}
