/** Clients, scopes, resources and trusted issuers held in memory, at most 1 s behind the database. */

import { LRUCache } from "lru-cache";
import type { AdminStorage, CatalogVersions } from "../admin/storage.ts";
import type { Client, Millis, Resource, Scope, TrustedIssuer } from "../oauth/model.ts";
import type { Catalog } from "../oauth/storage.ts";
import type { CompanyStorage } from "../owners/company-storage.ts";
import type { OwnerStorage } from "../owners/storage.ts";
import { partitionOf } from "./partition.ts";

/** How old the last comparison with the database may be. Half of what is promised: the comparison itself takes a while. */
const COMPARE_EVERY: Millis = 500;
const CLIENTS_HELD = 10_000;
/** Ids that don't exist have their own place: a flood of them pushes no client out. */
const UNKNOWN_HELD = 1_000;
/** Changes beyond this at once (an import): everything is forgotten, instead of asking which. */
const CHANGES_ASKED = 1_000;
/** So many people of whom companies haven't heard are kept; beyond (somebody disables a crowd), each is looked up. */
const SUSPENDED_HELD = 1_000;

export interface CachedCatalog extends Catalog {
  /** For whoever changed something in this process: the next question goes to the database first. */
  invalidate(): void;
  /** How often the signing keys have changed. */
  keysVersion(): Promise<number>;
}

type Source = Pick<
  AdminStorage,
  "catalogVersions" | "clientsChangedSince" | "getClient" | "listScopes" | "listResources" | "listIssuers"
> &
  Pick<CompanyStorage, "untoldPeople"> &
  Pick<OwnerStorage, "getPerson">;

/**
 * A cache over the operator's storage. Nothing polls: the versions are compared when something is asked and the last comparison is older than
 * 500 ms (`now`: milliseconds of a clock that nobody sets), one comparison for all who ask meanwhile. Rejects as the storage does; nothing stale is answered then.
 */
export function openCatalog(storage: Source, { now }: { readonly now: () => Millis }): CachedCatalog {
  return new StorageCatalog(storage, now);
}

class StorageCatalog implements CachedCatalog {
  readonly #storage: Source;
  readonly #now: () => Millis;
  readonly #clients = new LRUCache<string, Client>({ max: CLIENTS_HELD });
  readonly #unknown = new LRUCache<string, true>({ max: UNKNOWN_HELD });
  readonly #loading = new Map<string, Promise<Client | undefined>>();
  #scopes: Promise<ReadonlyMap<string, Scope>> | undefined;
  #resources: Promise<ReadonlyMap<string, Resource>> | undefined;
  #issuers: Promise<ReadonlyMap<string, TrustedIssuer>> | undefined;
  #versions: CatalogVersions | undefined;
  /** Null: too many to be held. */
  #suspended: ReadonlySet<string> | null = new Set();
  #comparedAt: Millis | undefined;
  #comparing: Promise<CatalogVersions> | undefined;
  /** Raised by every change seen: what was asked for before it is not kept. */
  #epoch = 0;

  constructor(storage: Source, now: () => Millis) {
    this.#storage = storage;
    this.#now = now;
  }

  async client(clientId: string): Promise<Client | undefined> {
    if (this.#fresh() === undefined) await this.#compare();
    const held = this.#clients.get(clientId);
    if (held !== undefined || this.#unknown.has(clientId)) return held;
    const loading = this.#loading.get(clientId);
    if (loading !== undefined) return loading;
    const load = this.#loadClient(clientId);
    this.#loading.set(clientId, load);
    try {
      return await load;
    } finally {
      if (this.#loading.get(clientId) === load) this.#loading.delete(clientId);
    }
  }

  async scopes(): Promise<ReadonlyMap<string, Scope>> {
    if (this.#fresh() === undefined) await this.#compare();
    this.#scopes ??= this.#whole("scopes", async () => {
      const all = await this.#storage.listScopes();
      return new Map(all.map((scope) => [scope.name, scope]));
    });
    return this.#scopes;
  }

  async resources(): Promise<ReadonlyMap<string, Resource>> {
    if (this.#fresh() === undefined) await this.#compare();
    this.#resources ??= this.#whole("resources", async () => {
      const all = await this.#storage.listResources();
      return new Map(all.map((resource) => [resource.identifier, resource]));
    });
    return this.#resources;
  }

  async issuers(): Promise<ReadonlyMap<string, TrustedIssuer>> {
    if (this.#fresh() === undefined) await this.#compare();
    this.#issuers ??= this.#whole("issuers", async () => {
      const all = await this.#storage.listIssuers();
      return new Map(all.map((issuer) => [issuer.issuer, issuer]));
    });
    return this.#issuers;
  }

  async someSuspended(): Promise<boolean> {
    if (this.#fresh() === undefined) await this.#compare();
    return this.#suspended === null || this.#suspended.size > 0;
  }

  async isSuspended(personId: string): Promise<boolean> {
    if (this.#fresh() === undefined) await this.#compare();
    const suspended = this.#suspended;
    if (suspended !== null) return suspended.has(personId);
    const person = await this.#storage.getPerson({ partition: partitionOf(personId), personId });
    return person?.status !== "active";
  }

  async scopesReducedAt(): Promise<Millis | null> {
    return (this.#fresh() ?? (await this.#compare())).scopesReducedAt;
  }

  async keysVersion(): Promise<number> {
    return (this.#fresh() ?? (await this.#compare())).keys;
  }

  invalidate(): void {
    this.#comparedAt = undefined;
    // A comparison under way may have read the versions before the change.
    this.#comparing = undefined;
  }

  /** The versions, where they are young enough to be believed. A clock that was set back proves nothing. */
  #fresh(): CatalogVersions | undefined {
    if (this.#comparedAt === undefined) return undefined;
    const age = this.#now() - this.#comparedAt;
    return age >= 0 && age < COMPARE_EVERY ? this.#versions : undefined;
  }

  #compare(): Promise<CatalogVersions> {
    if (this.#comparing !== undefined) return this.#comparing;
    const comparing = this.#compareNow().finally(() => {
      if (this.#comparing === comparing) this.#comparing = undefined;
    });
    this.#comparing = comparing;
    return comparing;
  }

  async #compareNow(): Promise<CatalogVersions> {
    const startedAt = this.#now();
    const before = this.#versions;
    const [versions, suspended] = await Promise.all([
      this.#storage.catalogVersions(),
      this.#storage.untoldPeople({ limit: SUSPENDED_HELD }),
    ]);
    if (before !== undefined && versions.clients !== before.clients)
      await this.#dropClients(before.clients, versions.clients);
    if (versions.scopes !== before?.scopes) this.#scopes = undefined;
    if (versions.resources !== before?.resources) this.#resources = undefined;
    if (versions.issuers !== before?.issuers) this.#issuers = undefined;
    this.#versions = versions;
    this.#suspended = suspended === null ? null : new Set(suspended);
    this.#comparedAt = startedAt;
    return versions;
  }

  async #dropClients(from: number, to: number): Promise<void> {
    const changed =
      to > from && to - from <= CHANGES_ASKED ? await this.#storage.clientsChangedSince({ version: from }) : undefined;
    this.#epoch += 1;
    this.#loading.clear();
    if (changed === undefined) {
      this.#clients.clear();
      this.#unknown.clear();
    }
    for (const clientId of changed ?? []) {
      this.#clients.delete(clientId);
      this.#unknown.delete(clientId);
    }
  }

  async #loadClient(clientId: string): Promise<Client | undefined> {
    const epoch = this.#epoch;
    const found = await this.#storage.getClient({ clientId });
    if (epoch === this.#epoch) {
      if (found === undefined) this.#unknown.set(clientId, true);
      else this.#clients.set(clientId, found.record);
    }
    return found?.record;
  }

  /** A failed load is not kept. */
  #whole<T>(kind: "scopes" | "resources" | "issuers", load: () => Promise<T>): Promise<T> {
    const loading = load();
    loading.catch(() => {
      if (kind === "scopes") this.#scopes = undefined;
      else if (kind === "resources") this.#resources = undefined;
      else this.#issuers = undefined;
    });
    return loading;
  }
}
