/** Clients, scopes, resources and trusted issuers held in memory, at most 1 s behind the database. */

import { LRUCache } from "lru-cache";
import type { AdminStorage, CatalogVersions } from "../admin/storage.ts";
import type { Client, Millis, Resource, Scope, Soon, TrustedIssuer } from "../oauth/model.ts";
import type { Catalog } from "../oauth/storage.ts";
import type { CompanyStorage } from "../owners/company-storage.ts";
import type { OwnerStorage } from "../owners/storage.ts";
import type { Uses } from "../uses.ts";
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
  keysVersion(): Soon<number>;
}

type Source = Uses<
  AdminStorage,
  "catalog.versions" | "clients.changedSince" | "clients.get" | "scopes.list" | "resources.list" | "issuers.list"
> &
  Uses<CompanyStorage, "membershipOutbox.undelivered"> &
  Uses<OwnerStorage, "people.get">;

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
  readonly #scopes: Whole<ReadonlyMap<string, Scope>>;
  readonly #resources: Whole<ReadonlyMap<string, Resource>>;
  readonly #issuers: Whole<ReadonlyMap<string, TrustedIssuer>>;
  #versions: CatalogVersions | undefined;
  /** Null: too many to be held. */
  #suspended: ReadonlySet<string> | null = new Set();
  #comparedAt: Millis | undefined;
  #comparing: Promise<CatalogVersions> | undefined;
  /** Raised by every change seen: what was asked for before it is not kept. */
  #epoch = 0;
  /** Raised by `invalidate`. */
  #invalidated = 0;

  constructor(storage: Source, now: () => Millis) {
    this.#storage = storage;
    this.#now = now;
    this.#scopes = new Whole(async () => new Map((await storage.scopes.list()).map((one) => [one.name, one])));
    this.#resources = new Whole(
      async () => new Map((await storage.resources.list()).map((one) => [one.identifier, one])),
    );
    this.#issuers = new Whole(async () => new Map((await storage.issuers.list()).map((one) => [one.issuer, one])));
  }

  client(clientId: string): Soon<Client | undefined> {
    if (this.#fresh() !== undefined) {
      const held = this.#clients.get(clientId);
      if (held !== undefined || this.#unknown.has(clientId)) return held;
    }
    return this.#clientLater(clientId);
  }

  async #clientLater(clientId: string): Promise<Client | undefined> {
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

  scopes(): Soon<ReadonlyMap<string, Scope>> {
    return this.#allOf(this.#scopes);
  }

  resources(): Soon<ReadonlyMap<string, Resource>> {
    return this.#allOf(this.#resources);
  }

  issuers(): Soon<ReadonlyMap<string, TrustedIssuer>> {
    return this.#allOf(this.#issuers);
  }

  #allOf<T>(whole: Whole<T>): Soon<T> {
    return this.#fresh() === undefined ? this.#compare().then(() => whole.get()) : whole.get();
  }

  someSuspended(): Soon<boolean> {
    const some = () => this.#suspended === null || this.#suspended.size > 0;
    return this.#fresh() === undefined ? this.#compare().then(some) : some();
  }

  async isSuspended(personId: string): Promise<boolean> {
    if (this.#fresh() === undefined) await this.#compare();
    const suspended = this.#suspended;
    if (suspended !== null) return suspended.has(personId);
    const person = await this.#storage.people.get({ partition: partitionOf(personId), personId });
    return person?.status !== "active";
  }

  scopesReducedAt(): Soon<Millis | null> {
    const fresh = this.#fresh();
    return fresh === undefined ? this.#compare().then(({ scopesReducedAt }) => scopesReducedAt) : fresh.scopesReducedAt;
  }

  keysVersion(): Soon<number> {
    return this.#fresh()?.keys ?? this.#compare().then(({ keys }) => keys);
  }

  invalidate(): void {
    this.#comparedAt = undefined;
    // A comparison under way may have read the versions before the change.
    this.#comparing = undefined;
    this.#invalidated += 1;
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
    const invalidated = this.#invalidated;
    const [versions, suspended] = await Promise.all([
      this.#storage.catalog.versions(),
      this.#storage.membershipOutbox.undelivered({ limit: SUSPENDED_HELD }),
    ]);
    if (before !== undefined && versions.clients !== before.clients)
      await this.#dropClients(before.clients, versions.clients);
    // Its callers asked before what was changed since; for whoever asks from now on it proves nothing, and what another one has found is newer.
    const overtaken = invalidated !== this.#invalidated;
    if (overtaken && this.#versions !== before) return versions;
    if (versions.scopes !== before?.scopes) this.#scopes.forget();
    if (versions.resources !== before?.resources) this.#resources.forget();
    if (versions.issuers !== before?.issuers) this.#issuers.forget();
    this.#versions = versions;
    this.#suspended = suspended === null ? null : new Set(suspended);
    if (!overtaken) this.#comparedAt = startedAt;
    return versions;
  }

  async #dropClients(from: number, to: number): Promise<void> {
    const changed =
      to > from && to - from <= CHANGES_ASKED ? await this.#storage.clients.changedSince({ version: from }) : undefined;
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
    const found = await this.#storage.clients.get({ clientId });
    if (epoch === this.#epoch) {
      if (found === undefined) this.#unknown.set(clientId, true);
      else this.#clients.set(clientId, found.record);
    }
    return found?.record;
  }
}

/** Something that is read as a whole and then held. A failed load is not kept. */
class Whole<T> {
  readonly #load: () => Promise<T>;
  #value: T | undefined;
  #loading: Promise<T> | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  get(): Soon<T> {
    return this.#value ?? this.#loading ?? this.#begin();
  }

  /** What was asked for before is not kept. */
  forget(): void {
    this.#value = undefined;
    this.#loading = undefined;
  }

  #begin(): Promise<T> {
    const loading = this.#load();
    this.#loading = loading;
    loading.then(
      (value) => {
        if (this.#loading === loading) this.#value = value;
      },
      () => {
        if (this.#loading === loading) this.#loading = undefined;
      },
    );
    return loading;
  }
}
