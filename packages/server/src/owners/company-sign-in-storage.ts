/** How the people of companies sign in: the port to the database. */

import type { Millis } from "../oauth/model.ts";
import type { ByAdmin, CompanyKey, Role } from "./company-storage.ts";
import type { CompanyProvider, CompanySignIn } from "./identities/company-provider.ts";
import type { StoredMail } from "./mail/storage.ts";
import type { OwnSignInStep } from "./storage.ts";

/** Messages about the change, written in its transaction, in the company's partition. */
export interface Told {
  readonly mails?: readonly StoredMail[];
}

export interface CompanySignInStorage {
  readonly companySignIn: {
    /** All companies that have a domain or a provider, or may have one. */
    list(): Promise<readonly CompanySignIn[]>;
    get(args: Pick<CompanyKey, "companyId">): Promise<CompanySignIn | undefined>;
    /**
     * The operator's part, with an event if something changes. `taken`: another company, or a provider of the
     * operator's, has the domain.
     */
    set(
      args: CompanyKey & {
        /** Absent: as before. */
        readonly ownProvider?: boolean;
        readonly addDomains: readonly string[];
        readonly removeDomains: readonly string[];
        readonly now: Millis;
      },
    ): Promise<
      | { readonly kind: "stored"; readonly record: CompanySignIn }
      | { readonly kind: "taken"; readonly domain: string }
      | { readonly kind: "unknown" }
    >;
    /**
     * Stores the provider with a history entry. `denied`: the operator does not let this company's admins do that.
     * `changed`: the stored provider is not the one that was seen. `full`: there are `most` on this server already.
     */
    putProvider(
      args: CompanyKey &
        ByAdmin &
        Told & {
          readonly provider: CompanyProvider;
          /** `changedAt` of the provider that is replaced. Null: there is none. */
          readonly seen: Millis | null;
          readonly most: number;
          /** For the history. Null: nothing that others have to know. */
          readonly step: OwnSignInStep | null;
        },
    ): Promise<"stored" | "not_admin" | "denied" | "changed" | "full" | "unknown">;
    /** Ends the sessions that began there, and deletes the connections to its people. `seen` null: any. */
    removeProvider(
      args: CompanyKey & ByAdmin & Told & { readonly seen: Millis | null },
    ): Promise<"removed" | "not_admin" | "changed" | "unknown">;
    /** Ends the sessions that began at a provider. */
    endSessions(args: { readonly provider: Pick<CompanyProvider, "id" | "name">; readonly now: Millis }): Promise<void>;
    /**
     * Gives a member the role that their groups give. `kept`: the last admin stays an admin. `unknown`: they are no
     * member, or the company is disabled.
     */
    followRole(
      args: CompanyKey & {
        readonly personId: string;
        readonly role: Role;
        /** The provider's name, for the history. */
        readonly provider: string;
        readonly now: Millis;
      },
    ): Promise<"same" | "changed" | "kept" | "unknown">;
  };
}
