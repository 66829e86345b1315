/** Connections that a company's admins made: an app may act for members at another server. The port to the database. */

import type { Client, Millis } from "../oauth/model.ts";
import type { ByAdmin, CompanyKey } from "./company-storage.ts";

/** One app and one other server, connected for the members of a company. */
export interface CompanyConnection extends CompanyKey {
  readonly clientId: string;
  /** The issuer of the other server. */
  readonly audience: string;
  /** What the admin saw of the operator's offer, and chose. An offer that differs in what it gives is another one. */
  readonly record: {
    /** The app's client_id at the other server. */
    readonly clientIdThere: string;
    readonly scopes: readonly string[];
    readonly resources: readonly string[];
    /** The names at that time. */
    readonly clientName: string;
    readonly serverName: string;
    readonly texts: Readonly<Record<string, string>>;
  };
  readonly endsAt: Millis;
  /** A person. */
  readonly connectedBy: string;
  readonly connectedAt: Millis;
}

/** With the number of the company's members. */
export type MemberedConnection = CompanyConnection & { readonly members: number };

export type ConnectionKey = CompanyKey & Pick<CompanyConnection, "clientId" | "audience">;

/** Steps in the life of a connection. */
export type ConnectionStep = "connected" | "changed" | "removed";

export interface CompanyConnectionStorage {
  readonly companyConnections: {
    /** All of a company, ended ones too: at most 100. */
    list(args: CompanyKey): Promise<readonly CompanyConnection[]>;
    find(args: ConnectionKey): Promise<CompanyConnection | undefined>;
    /**
     * The connections with one server that have not ended, of all companies, sorted by their keys. `companyId`: only of this
     * company; null: of all.
     */
    listOfServer(args: {
      readonly clientId: string;
      readonly audience: string;
      readonly companyId: string | null;
      readonly now: Millis;
      readonly limit: number;
      readonly after: CompanyKey | null;
    }): Promise<readonly MemberedConnection[]>;
    /**
     * Stores the connection with a history entry. `changed`: another admin changed it since it was seen. `blocked`: the
     * company blocks the app. `gone`: the client was deleted or disabled.
     */
    put(
      args: Omit<CompanyConnection, "connectedBy" | "connectedAt"> &
        ByAdmin & {
          /** `connectedAt` of the connection that is replaced. Null: there is none. */
          readonly seen: Millis | null;
        },
    ): Promise<"stored" | "not_admin" | "changed" | "blocked" | "full" | "gone" | "unknown">;
    /** Deletes it with a history entry. */
    remove(
      args: ConnectionKey & ByAdmin & { readonly seen: Millis },
    ): Promise<"removed" | "not_admin" | "changed" | "unknown">;
    /** Clients that have connections or offers, sorted by client id. */
    listClients(args: { readonly limit: number; readonly after: string | null }): Promise<readonly Client[]>;
  };
}
