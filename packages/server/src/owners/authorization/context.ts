/** The dependencies of the authorization use-cases, and the person at the browser. */

import type { Millis } from "../../oauth/model.ts";
import type { OAuthContext } from "../../oauth/ports.ts";
import type { GrantStorage } from "../../oauth/storage.ts";
import type { Uses } from "../../storage-subset.ts";
import type { InvitationCredentials } from "../companies/context.ts";
import type { CompanyConnectionStorage } from "../company-connection-storage.ts";
import type { CompanyStorage } from "../company-storage.ts";
import type { KnownDeviceStorage } from "../known-device-storage.ts";
import type { LastCompanyStorage } from "../last-company.ts";
import type { Notice } from "../mail/company-notice-kinds.ts";
import type { StoredMail } from "../mail/storage.ts";
import type { PresentedDevice } from "../recognize-known-device.ts";
import type { SignInContext } from "../sign-in.ts";
import type { SignInPolicyContext } from "../sign-in-policy.ts";
import type { OfferedDuration, OwnerStorage, Person, Session } from "../storage.ts";
import type { CarrierContext } from "./continuation.ts";

export interface AuthorizationContext extends CarrierContext, Pick<SignInPolicyContext, "signInPolicy"> {
  readonly oauth: OAuthContext;
  readonly storage: Uses<GrantStorage, "grants.find" | "grants.issue"> &
    Uses<
      OwnerStorage,
      | "people.get"
      | "consents.find"
      | "grants.approve"
      | "grants.refuse"
      | "attempts.count"
      | "attempts.forgive"
      | "deviceRequests.claim"
      | "deviceRequests.previewAnswer"
      | "deviceRequests.approve"
      | "deviceRequests.deny"
    > &
    Uses<KnownDeviceStorage, "knownDevices.get"> &
    Uses<CompanyConnectionStorage, "companyConnections.list"> &
    Uses<LastCompanyStorage, "lastCompanies.note"> &
    Uses<
      CompanyStorage,
      | "members.consentAndCompaniesOf"
      | "members.companiesOf"
      | "companyApps.askApproval"
      | "companyApps.liveAccess"
      | "companyApps.requestsOfMember"
      | "invitations.find"
    >;
  readonly credentials: Pick<InvitationCredentials, "read" | "partitionOf">;
  /** The durations that the operator offers. */
  readonly consentDurations: readonly OfferedDuration[];
  readonly attemptKey: SignInContext["attemptKey"];
  /** A random text from that many bytes. */
  randomText(bytes: number): string;
  /** Returns the same id, in that partition, for the same parts. */
  derivedId(partition: number, ...parts: readonly string[]): string;
  /** The salt of a text, and its hash. */
  saltOf(text: string): { readonly salt: Uint8Array; readonly hash: Uint8Array };
  /**
   * The network and the provider of an address, as limits count them: the IPv4 address or the IPv6 /64, and the /24 or
   * the /48.
   */
  originOf(address: string): { readonly network: string; readonly provider: string };
  noticeLetters(notice: Notice): Promise<readonly StoredMail[]>;
  notify(notice: Notice): void;
  now(): Millis;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** The person who is signed in at the browser. */
export interface SignedIn {
  readonly person: Person;
  readonly session: Session;
}

/** Somebody at a browser, signed in or not. */
export interface Reader {
  /** Undefined: nobody is signed in. */
  readonly signedIn: SignedIn | undefined;
  /** The nonce that binds a request to this browser. */
  readonly browser: string;
  readonly address: string;
  /** The number of this request, with which an operator finds a refusal. */
  readonly requestId: string;
  /** The browser's device cookie, of any person. */
  readonly device: PresentedDevice | undefined;
  /** The language of the pages. `request`: the authorization request of these pages, if there is one. */
  language(request?: { readonly uiLocales: string | null; readonly startedAt: Millis }): string;
}
