/** The data for the pages about apps that a company connected with other services. */
import type { Messages } from "../messages/index.ts";
import type { DurationChoice } from "../views.ts";
import type { CompanyFrame } from "./views.ts";

/** Actions that succeeded or failed. An address can name one of them. */
export const CONNECTION_NOTICES = ["connected", "saved", "removed", "changed", "blocked", "full", "gone"] as const;
export type ConnectionNotice = (typeof CONNECTION_NOTICES)[number];

/** An app and another service, as people recognize them. `clientId` and `audience` are for links and forms. */
export interface ConnectedPair {
  readonly clientId: string;
  readonly audience: string;
  readonly name: string;
  readonly logo: string | null;
  readonly host: string | null;
  readonly verified: boolean;
  readonly server: string;
  /** The real address of the service, in plain text. */
  readonly serverHost: string;
}

export interface ConnectionRow extends ConnectedPair {
  readonly state: keyof Messages["companyConnections"]["states"];
  /** What the app may do there, in words for owners. */
  readonly can: readonly string[];
  /** Null: until the operator changes it. */
  readonly endsAt: number | null;
  /** When and by whom it was connected (null: not known). Null: by the operator. */
  readonly made: { readonly at: number; readonly by: string | null } | null;
}

/** A part of a long list. `page` counts from 1. */
export interface PartOfList {
  readonly page: number;
  readonly more: boolean;
}

export interface CompanyConnectionsView extends CompanyFrame, PartOfList {
  readonly said: ConnectionNotice | null;
  readonly rows: readonly ConnectionRow[];
  /** False: the operator offers nothing. */
  readonly offered: boolean;
}

export interface FindConnectionView extends CompanyFrame, PartOfList {
  readonly query: string;
  readonly offers: readonly (ConnectedPair & { readonly connected: boolean })[];
}

export interface ConnectionFormView extends CompanyFrame, ConnectedPair {
  /** Empty: the app may use every API of the service. */
  readonly apis: readonly string[];
  readonly scopes: readonly { readonly name: string; readonly text: string; readonly checked: boolean }[];
  /** `same`: the end of the present connection. */
  readonly durations: readonly DurationChoice[];
  /** The end of the present connection. Null: there is none that still holds. */
  readonly endsNow: number | null;
  /** The time of the connection that the page shows. Null: there is none. */
  readonly seen: number | null;
  /** Stands for the operator's offer that the page shows. */
  readonly offer: string;
  readonly blocked: boolean;
  readonly problem: null | "scopes" | "duration";
}

export interface RemoveConnectionView extends CompanyFrame, ConnectedPair {
  readonly seen: number;
}
