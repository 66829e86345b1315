/** The storage port of token exchange (RFC 8693): which clients act for an owner through which app. */

import type { OwnConnection } from "../map-asserted-subject.ts";
import type { Consent, GrantedScope, Millis } from "../model.ts";

/** A client got a token under the grant of another client. */
export interface RecordDelegation {
  readonly partition: number;
  readonly ownerId: string;
  /** The grant of the subject token, its client, and the person who acts for its owner. */
  readonly grantId: string;
  readonly clientId: string;
  readonly personId: string;
  /**
   * The client that acts: the actor of the new token or, without an actor, the client that gets it. If this is the client
   * of the grant, nobody acts through it.
   */
  readonly actorId: string;
  /** The client that gets the token. */
  readonly askerId: string;
  /** The names of both apps now, for the history. */
  readonly clientName: string;
  readonly actorName: string;
  readonly scopes: readonly GrantedScope[];
  /** Those of them that come from the owner's consent to the asker, which must still have them. */
  readonly byConsent: readonly string[];
  /** True: the token names no actor. */
  readonly impersonation: boolean;
  /** The network of the request, if the grant's own client used the grant. Null: it did not. */
  readonly usedFrom: string | null;
  readonly now: Millis;
}

/** An app gets an ID-JAG for another server. */
export interface RecordVouching extends Pick<Consent, "partition" | "ownerId" | "clientId"> {
  readonly personId: string;
  readonly clientName: string;
  /** The issuer of the other server. */
  readonly audience: string;
  /** What people call it. Absent: its issuer. */
  readonly audienceName?: string;
  /** The connection of the owner's admins, which must still be the same. Absent: an operator made the connection. */
  readonly own?: OwnConnection;
  /** The scope without which the owner does not let the app say who they are. */
  readonly needs: string;
  readonly now: Millis;
}

/** `ended`: the grant gives no tokens any more. `blocked`: the owner has removed the access of the asker or the actor. */
export type DelegationOutcome = "recorded" | "ended" | "blocked";

/** A client that acts for the owner through an app. */
export interface Delegation {
  /** The app. */
  readonly clientId: string;
  readonly actorId: string;
  /** Its name at that time. */
  readonly actorName: string;
  readonly lastUsedAt: Millis;
  /** True: the owner has ended the actor's access, or has blocked it, so that it gets nothing through the app either. */
  readonly stopped: boolean;
}

export interface DelegationStorage {
  readonly delegations: {
    /**
     * True: the owner has ended or paused the access of this client, or is a company that has blocked it or whose member
     * has stopped it for themselves. So the client gets nothing through other apps either. False: it is not stopped, or the owner was never asked.
     */
    isStopped(args: Pick<RecordDelegation, "partition" | "ownerId" | "personId" | "clientId">): Promise<boolean>;
    list(args: { readonly partition: number; readonly ownerId: string }): Promise<readonly Delegation[]>;
    /** Records the use, at most once a minute, and in the history once a day (UTC). */
    record(args: RecordDelegation): Promise<DelegationOutcome>;
    /**
     * Records that the server vouches for a person at another server, in the history once a day (UTC), for a connection
     * of a company's admins in the person's, too. False: the owner does not allow the app any more, or paused it, or the
     * admins' connection or the membership has ended.
     */
    vouch(args: RecordVouching): Promise<boolean>;
  };
  readonly consents: {
    /** The record with any status. */
    find(args: Pick<Consent, "partition" | "ownerId" | "clientId">): Promise<Consent | undefined>;
  };
}
