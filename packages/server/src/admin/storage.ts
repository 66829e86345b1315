/** The storage port of the operator: clients, scopes, resources, sign-in providers, signing keys, housekeeping. Each verb is one transaction. */

import type { OwnPolicy } from "../oauth/client-registration/registration-policy.ts";
import type { ConditionName } from "../oauth/errors.ts";
import type { Client, Consent, Millis, Resource, Scope } from "../oauth/model.ts";
import type { TrustedIssuer } from "../oauth/trusted-issuer.ts";
import type { Company } from "../owners/company-storage.ts";
import type { SignInProvider } from "../owners/identities/sign-in-provider.ts";
import type { Person } from "../owners/storage.ts";

/** A refused request. `requestId`: the number that the response, its page and the log have. */
export interface StoredRefusal {
  readonly requestId: string;
  readonly at: Millis;
  readonly condition: ConditionName;
  /** As the request named it; empty: it named none. Nothing proves that this client sent the request. */
  readonly clientId: string;
  readonly method: string;
  readonly path: string;
  /** The network address that sent the request. */
  readonly address: string;
  /** What the server found, for operators. */
  readonly detail?: string;
  /** The parameter that was refused, its value without what could be a secret, and the registered values. */
  readonly parameter?: string;
  readonly received?: string;
  readonly registered?: readonly string[];
}

/** How long a refusal is kept, and the number of refusals that are kept. Beyond it, housekeeping deletes the oldest. */
export const REFUSALS_KEPT: Millis = 7 * 86_400_000;
export const MOST_REFUSALS = 50_000;

/** A client with the version of its record, for optimistic updates. */
export interface Versioned<T> {
  readonly record: T;
  readonly version: number;
}

export type PutOutcome = { readonly kind: "stored"; readonly version: number } | { readonly kind: "conflict" };

/** A signing key: the public half in clear, the private half sealed (XAES-256-GCM under a key outside the database). */
export interface StoredKey {
  readonly kid: string;
  readonly alg: string;
  /** Rising by one for each new key of an alg; unique, so that many starting nodes make one. */
  readonly serial: number;
  readonly publicJwk: string;
  readonly sealedPrivate: Uint8Array;
  readonly createdAt: Millis;
  /** Signs from then on; published from `createdAt`. */
  readonly activeFrom: Millis;
  /** Set when an operator retired it or a newer one took over: still published until its last token has expired. */
  readonly retiredAt: Millis | null;
}

/** How many changes of each kind the catalogue has seen; a process compares these, at most every second. */
export interface CatalogVersions {
  readonly clients: number;
  readonly scopes: number;
  readonly resources: number;
  readonly keys: number;
  readonly issuers: number;
  readonly providers: number;
  /** When a scope was last removed. */
  readonly scopesReducedAt: Millis | null;
}

/**
 * What housekeeping removes once it guards nothing any more. `ring`: ids that are remembered for a while, a quarter of an hour at once.
 * `client_endings`: what was granted to disabled and removed clients, where the command that ends it was cut short.
 */
export const COLLECTED = [
  "ring",
  "grants",
  "sessions",
  "logout_notices",
  "known_devices",
  "attempts",
  "accepted",
  "external_answers",
  "device_requests",
  "client_endings",
  "clients",
  "unused_clients",
  "history",
  "invitations",
  "mail_links",
  "mail_requests",
  "removed_factors",
  "former_addresses",
  "outbox",
  "webhook_deliveries",
  "people",
  "company_requests",
  "refusals",
  "leases",
  "admin_requests",
  "admin_tokens",
  "registration_tokens",
  "names",
  "member_links",
] as const;
export type Collected = (typeof COLLECTED)[number];

/** How the leases of running servers are named; what follows is unlike that of any other process. */
export const SERVER_LEASE = "server ";
/** For how long a sign of life is worth something. */
export const PRESENCE_LASTS: Millis = 30_000;

/** A lease that ends later than this was taken while the clock was wrong, and is worth nothing. */
export const LONGEST_LEASE: Millis = 600_000;

/** A server as it says itself, once in ten seconds. */
export interface RunningServer {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** The newest migration that its program knows. */
  readonly schema: number;
  readonly since: Millis;
  /** When its word is out of date. */
  readonly until: Millis;
}

/** What of the database makes a server that runs on it unfit. */
export interface DatabaseChanges {
  /** The newest migration that a program must know. */
  readonly floor: number;
  /** How many times it was put back. */
  readonly epochs: number;
  readonly importing: boolean;
}

/** Active consents, and approvals of companies, that name a scope. */
export interface ScopeCounts {
  readonly consents: number;
  readonly approvals: number;
}

/** What hangs on a client or an owner now. */
export interface OwnerCounts {
  readonly consents: number;
  /** That can still be used. */
  readonly grants: number;
  readonly sessions: number;
  /** Of a company. */
  readonly members: number;
  /** That a person belongs to. */
  readonly companies: number;
}

/** What ends when a client is deleted. */
export interface ClientCounts extends Pick<OwnerCounts, "consents" | "grants">, Pick<ScopeCounts, "approvals"> {
  /** That companies' admins made with other servers. */
  readonly connections: number;
}

/** A token for the admin API that an operator made. The server stores its hash. */
export interface AdminToken {
  readonly tokenId: string;
  readonly scopes: readonly string[];
  /** `operator`: by a command. Otherwise the actor of the request that made it. */
  readonly createdBy: string;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
}

/** A record that a file of `assent apply` describes. */
export interface ConfiguredRecord {
  readonly kind: string;
  readonly recordId: string;
  /** The name of the configuration. */
  readonly configuration: string;
  /** The record's key in the file. */
  readonly label: string;
}

/** An initial access token (RFC 7591 §1.2): with it, programs register clients. The server stores its hash. */
export interface RegistrationToken {
  readonly tokenId: string;
  /** Maximum number of clients. */
  readonly uses: number;
  readonly used: number;
  /** Null: the server's. */
  readonly policy: OwnPolicy | null;
  /** As in `AdminToken`. */
  readonly createdBy: string;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
}

/** `token_spent`: the token is used up, has expired or was revoked. `full`: too many clients wait for their first owner. */
export type RegisterOutcome = "registered" | "token_spent" | "full";

/** A request with a key of its caller, so that a repetition gets the same answer. */
export interface KeyedRequest {
  readonly actor: string;
  readonly key: string;
}

/** `unfinished`: nobody knows whether it was done. `full`: the actor has too many. */
export type BegunRequest =
  | { readonly kind: "begun" }
  | { readonly kind: "full" }
  | { readonly kind: "unfinished"; readonly requestHash: string }
  | { readonly kind: "answered"; readonly requestHash: string; readonly answer: Uint8Array };

/** A part of a sorted list. `prefix`: only texts that begin so; for sorts by text. `after`: the last item before it. */
export interface ListPart<Sort extends string> {
  readonly sort: Sort;
  readonly prefix: string;
  readonly after: { readonly key: string | number; readonly id: string } | null;
  readonly limit: number;
}

/** `disabled`, `operators`: only these people, by the time of their creation. */
export type PeopleSort = "created_at" | "-created_at" | "username" | "email" | "disabled" | "operators";
export type ClientSort = "client_id" | "name" | "created_at" | "-created_at";
export type CompanySort = "created_at" | "slug";

/** Null: of any. */
export interface ConsentPart {
  readonly ownerId: string | null;
  readonly clientId: string | null;
  readonly after: { readonly ownerId: string; readonly clientId: string } | null;
  readonly limit: number;
}

/** The text by which clients are found and sorted by name. */
export function searchName(name: string): string {
  return name.normalize("NFKC").toLowerCase().slice(0, 200);
}

/** What one batch of housekeeping did: rows looked at, rows removed. */
export interface Swept {
  readonly seen: number;
  readonly removed: number;
}

export interface AdminStorage {
  readonly catalog: {
    versions(): Promise<CatalogVersions>;
    databaseChanges(): Promise<DatabaseChanges>;
    /** One cheap read: the database answers. */
    ping(): Promise<void>;
  };
  readonly clients: {
    /** Ids of clients whose record changed after `version`. */
    changedSince(args: { readonly version: number }): Promise<readonly string[]>;
    get(args: { readonly clientId: string }): Promise<Versioned<Client> | undefined>;
    list(args: { readonly limit: number; readonly after: string | null }): Promise<readonly Client[]>;
    /** Clients that only documents describe, and that no operator has judged, counted up to `most`. */
    countDescribed(args: { readonly most: number }): Promise<number>;
    /**
     * Storing it as disabled ends its grants (`client_ended`): it is told no from the first transaction on, the grants follow in batches, all of them
     * before this answers; interrupted, housekeeping goes on. `expect`: the version that is replaced; 0: must be new; null: whatever is there.
     */
    put(args: { readonly client: Client; readonly expect: number | null }): Promise<PutOutcome>;
    /** Ends its grants (`client_ended`) and consents, likewise. If a document describes it, its record stays, disabled.
     * `by`: the client itself. Absent: the operator. */
    delete(args: { readonly clientId: string; readonly now: Millis; readonly by?: "client" }): Promise<boolean>;
  };
  readonly scopes: {
    list(): Promise<readonly Scope[]>;
    /** `create`: refuses to replace. `expected`: the record that is replaced; `conflict` if it is another one by now. */
    put(args: {
      readonly scope: Scope;
      readonly create: boolean;
      readonly expected?: Scope;
    }): Promise<PutOutcome | { readonly kind: "unknown_resource" }>;
    delete(args: { readonly name: string; readonly now: Millis }): Promise<boolean>;
  };
  readonly resources: {
    list(): Promise<readonly Resource[]>;
    put(args: {
      readonly resource: Resource;
      readonly create: boolean;
      readonly expected?: Resource;
    }): Promise<PutOutcome>;
    /** Refused while scopes belong to it. */
    delete(args: { readonly identifier: string }): Promise<"deleted" | "unknown" | "in_use">;
  };
  readonly issuers: {
    list(): Promise<readonly TrustedIssuer[]>;
    put(args: {
      readonly issuer: TrustedIssuer;
      readonly create: boolean;
      readonly expected?: TrustedIssuer;
    }): Promise<PutOutcome>;
    /** With all links of its subjects. */
    delete(args: { readonly issuer: string; readonly now: Millis }): Promise<boolean>;
  };
  readonly signInProviders: {
    /** Sorted by the time of creation. */
    list(): Promise<readonly SignInProvider[]>;
    /**
     * Creates the provider, or replaces the one with its id. `unknown`: there is none to replace. `taken`: another one
     * has the same issuer and client id. `company_domain`: a company has one of its domains. `full`: there are `most` providers already.
     */
    put(args: {
      readonly provider: SignInProvider;
      readonly create: boolean;
      readonly most: number;
      readonly expected?: SignInProvider;
    }): Promise<"stored" | "unknown" | "taken" | "company_domain" | "full" | "conflict">;
    /** With all links of its subjects. */
    delete(args: { readonly id: string; readonly now: Millis }): Promise<boolean>;
  };
  readonly logos: {
    put(args: {
      readonly hash: string;
      readonly type: string;
      readonly bytes: Uint8Array;
      readonly now: Millis;
    }): Promise<void>;
    get(args: { readonly hash: string }): Promise<{ readonly type: string; readonly bytes: Uint8Array } | undefined>;
  };
  /** Which configuration of `assent apply` describes a record. A mark is deleted with its record. */
  readonly configuredRecords: {
    list(): Promise<readonly ConfiguredRecord[]>;
    put(args: { readonly records: readonly ConfiguredRecord[] }): Promise<void>;
  };
  /** Lists for operators, in pieces that cost the same at any size. */
  readonly directory: {
    people(args: ListPart<PeopleSort>): Promise<readonly Person[]>;
    clients(args: ListPart<ClientSort>): Promise<readonly Versioned<Client>[]>;
    companies(args: ListPart<CompanySort>): Promise<readonly Company[]>;
    consents(args: ConsentPart): Promise<readonly Consent[]>;
  };
  readonly adminTokens: {
    /** False: there are `most` already. */
    add(args: {
      readonly token: AdminToken;
      readonly tokenHash: string;
      readonly most: number;
      readonly now: Millis;
    }): Promise<boolean>;
    find(args: { readonly tokenHash: string }): Promise<AdminToken | undefined>;
    /** Newest first. */
    list(): Promise<readonly AdminToken[]>;
    revoke(args: { readonly tokenId: string }): Promise<boolean>;
  };
  readonly registrations: {
    /** False: there are `most` already. */
    addToken(args: {
      readonly token: RegistrationToken;
      readonly tokenHash: string;
      readonly most: number;
      readonly now: Millis;
    }): Promise<boolean>;
    findToken(args: { readonly tokenHash: string }): Promise<RegistrationToken | undefined>;
    /** Newest first. */
    listTokens(): Promise<readonly RegistrationToken[]>;
    revokeToken(args: { readonly tokenId: string }): Promise<boolean>;
    /**
     * Stores a new client, and counts it for its initial access token. `forgetAfter`: when it is deleted if no owner has
     * answered it; null: never. `mostUnused`: maximum number of such clients, where no token limits them.
     */
    register(args: {
      readonly client: Client;
      readonly tokenHash: string | null;
      readonly forgetAfter: Millis | null;
      readonly mostUnused: number;
      /** Of the request, for the event. */
      readonly network: string;
      readonly now: Millis;
    }): Promise<RegisterOutcome>;
  };
  readonly adminRequests: {
    begin(
      args: KeyedRequest & { readonly requestHash: string; readonly most: number; readonly now: Millis },
    ): Promise<BegunRequest>;
    finish(args: KeyedRequest & { readonly answer: Uint8Array }): Promise<void>;
    forget(args: KeyedRequest): Promise<void>;
  };
  readonly keys: {
    list(): Promise<readonly StoredKey[]>;
    /** False: another process made the key with this alg and serial first. */
    add(args: { readonly key: StoredKey }): Promise<boolean>;
    retire(args: { readonly kid: string; readonly now: Millis }): Promise<boolean>;
    remove(args: { readonly kid: string }): Promise<boolean>;
  };
  readonly consents: {
    listAll(args: {
      readonly ownerId: string | null;
      readonly clientId: string | null;
      readonly limit: number;
    }): Promise<readonly Consent[]>;
    /** What ends with a client, each kind counted up to `most`. */
    countOfClient(args: {
      readonly clientId: string;
      readonly now: Millis;
      readonly most: number;
    }): Promise<ClientCounts>;
    /** What ends with a person or a company, each kind counted up to `most`. */
    countOfOwner(args: {
      readonly partition: number;
      readonly ownerId: string;
      readonly now: Millis;
      readonly most: number;
    }): Promise<OwnerCounts>;
    /** What names a scope, each kind counted up to `most`. Reads all consents. */
    countOfScope(args: { readonly name: string; readonly now: Millis; readonly most: number }): Promise<ScopeCounts>;
  };
  readonly refusals: {
    /** A second refusal with the same number changes nothing. */
    add(args: { readonly refusal: StoredRefusal }): Promise<void>;
    get(args: { readonly requestId: string }): Promise<StoredRefusal | undefined>;
    /** Newest first. `clientId`, `condition`: only these; null: all. `before`: the last one of the previous page. */
    list(args: {
      readonly clientId: string | null;
      readonly condition: string | null;
      readonly before: Pick<StoredRefusal, "at" | "requestId"> | null;
      readonly limit: number;
    }): Promise<readonly StoredRefusal[]>;
  };
  readonly housekeeping: {
    /** Removes what guards nothing any more, at most `limit` rows a call; the number removed. */
    collectGarbage(args: { readonly now: Millis; readonly limit: number }): Promise<number>;
    /** One short batch of one kind; there may be more where it saw as many rows as the limit. Many may call it at once. */
    collect(args: { readonly what: Collected; readonly now: Millis; readonly limit: number }): Promise<Swept>;
    /** Rows of each kind whose time to be collected has come, counted up to `most`. */
    backlog(args: { readonly now: Millis; readonly most: number }): Promise<Readonly<Record<string, number>>>;
  };
  readonly leases: {
    /** True: the work of that name is this holder's until then; it may prolong it. */
    claim(args: {
      readonly name: string;
      readonly holder: string;
      readonly until: Millis;
      readonly now: Millis;
    }): Promise<boolean>;
    release(args: { readonly name: string; readonly holder: string }): Promise<void>;
    /** Servers whose sign of life is not out of date. */
    runningServers(args: { readonly now: Millis }): Promise<readonly RunningServer[]>;
  };
}
