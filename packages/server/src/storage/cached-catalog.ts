/** Clients, scopes, resources, trusted issuers and sign-in providers held in memory, at most 1 s behind the database. */

import { LRUCache } from "lru-cache";
import type { AdminStorage, CatalogVersions } from "../admin/storage.ts";
import type { Client, Millis, Resource, Scope, Soon } from "../oauth/model.ts";
import type { Catalog } from "../oauth/storage.ts";
import type { TrustedIssuer } from "../oauth/trusted-issuer.ts";
import { signInProviderOf } from "../owners/company-rules.ts";
import type { CompanySignInStorage } from "../owners/company-sign-in-storage.ts";
import type { CompanyStorage } from "../owners/company-storage.ts";
import type { SignInProvider, SignInProviders } from "../owners/identities/sign-in-provider.ts";
import type { OwnerStorage } from "../owners/storage.ts";
import type { Uses } from "../storage-subset.ts";
import { StorageUnavailable } from "./errors.ts";
import { partitionOf } from "./partition.ts";

/**
 * Maximum age of the last comparison with the database: half of the promised second, because the comparison itself
 * takes time.
 */
const COMPARE_EVERY: Millis = 500;
const CLIENTS_HELD = 10_000;
/** Ids that don't exist have a cache of their own, so that a flood of them can't push a client out. */
const UNKNOWN_HELD = 1_000;
/**
 * If more records than this change at once (an import), the cache forgets everything and does not ask which ones
 * changed.
 */
const CHANGES_ASKED = 1_000;
/**
 * Maximum number of suspended people, not yet reported to companies, that the cache holds. If there are more, each
 * person is looked up.
 */
const SUSPENDED_HELD = 1_000;

export interface CachedCatalog extends Catalog, SignInProviders {
  /** Call this after a change in this process: the next read compares with the database first. */
  invalidate(): void;
  /** Number of changes of the signing keys so far. */
  keysVersion(): Soon<number>;
}

type Source = Uses<
  AdminStorage,
  | "catalog.versions"
  | "clients.changedSince"
  | "clients.get"
  | "scopes.list"
  | "resources.list"
  | "issuers.list"
  | "signInProviders.list"
> &
  Uses<CompanyStorage, "membershipOutbox.undelivered"> &
  Uses<CompanySignInStorage, "companySignIn.list"> &
  Uses<OwnerStorage, "people.get">;

interface CatalogOptions {
  readonly now: () => Millis;
  /** Adds the scopes that every server has to the operator's. Absent: there are none. */
  readonly withBuiltIn?: (scopes: readonly Scope[]) => readonly Scope[];
  /** The APIs that every server has. Absent: none. */
  readonly builtInResources?: readonly Resource[];
}

/**
 * A cache over the operator's storage. It does not poll. A read compares the versions with the database if the last
 * comparison is older than 500 ms (`now`: milliseconds of a clock that nobody sets). Simultaneous reads share one
 * comparison. If the storage fails, the read rejects; the cache never answers with stale data.
 */
export function openCatalog(storage: Source, options: CatalogOptions): CachedCatalog {
  return new StorageCatalog(storage, options);
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
  readonly #providers: Whole<ReadonlyMap<string, SignInProvider>>;
  #versions: CatalogVersions | undefined;
  /** Null: each person is looked up, because there are too many to hold or a part of the database is away. */
  #suspended: ReadonlySet<string> | null = new Set();
  #comparedAt: Millis | undefined;
  #comparing: Promise<CatalogVersions> | undefined;
  /** Increases with every change that is seen. A value that was requested before the change is not kept. */
  #epoch = 0;
  /** Increases with each call of `invalidate`. */
  #invalidated = 0;

  constructor(
    storage: Source,
    { now, withBuiltIn = (scopes) => scopes, builtInResources: builtIn = [] }: CatalogOptions,
  ) {
    this.#storage = storage;
    this.#now = now;
    this.#scopes = new Whole(
      async () => new Map(withBuiltIn(await storage.scopes.list()).map((one) => [one.name, one])),
    );
    this.#resources = new Whole(
      async () => new Map([...(await storage.resources.list()), ...builtIn].map((one) => [one.identifier, one])),
    );
    this.#issuers = new Whole(async () => new Map((await storage.issuers.list()).map((one) => [one.issuer, one])));
    this.#providers = new Whole(async () => {
      const [operators, companies] = await Promise.all([storage.signInProviders.list(), storage.companySignIn.list()]);
      const own = companies.map(signInProviderOf).filter((one) => one !== undefined);
      return new Map([...operators, ...own].map((one) => [one.id, one]));
    });
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

  providers(): Soon<ReadonlyMap<string, SignInProvider>> {
    return this.#allOf(this.#providers);
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
    // A comparison that is under way may have read the versions before the change.
    this.#comparing = undefined;
    this.#invalidated += 1;
  }

  /** The versions, if they are recent enough. If the clock was set back, they count as old. */
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
      this.#storage.membershipOutbox.undelivered({ limit: SUSPENDED_HELD }).catch(unknownIfAway),
    ]);
    if (before !== undefined && versions.clients !== before.clients)
      await this.#dropClients(before.clients, versions.clients);
    // These callers asked before the last change. For later callers this result proves nothing, and another comparison
    // may have found newer versions.
    const overtaken = invalidated !== this.#invalidated;
    if (overtaken && this.#versions !== before) return versions;
    if (versions.scopes !== before?.scopes) this.#scopes.forget();
    if (versions.resources !== before?.resources) this.#resources.forget();
    if (versions.issuers !== before?.issuers) this.#issuers.forget();
    if (versions.providers !== before?.providers) this.#providers.forget();
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

/** A list over all partitions can't be read while one of several servers of the database is away. */
function unknownIfAway(error: unknown): null {
  if (error instanceof StorageUnavailable) return null;
  throw error;
}

/** Data that is read as a whole and then held. A failed load is not kept. */
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

  /** A value that was requested before this call is not kept. */
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
