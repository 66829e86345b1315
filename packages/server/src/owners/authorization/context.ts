/** What the use-cases of authorizing are given, and who comes to them. */

import type { Millis } from "../../oauth/model.ts";
import type { OAuthContext } from "../../oauth/ports.ts";
import type { GrantStorage } from "../../oauth/storage.ts";
import type { Uses } from "../../uses.ts";
import type { CompanyStorage } from "../company-storage.ts";
import type { PresentedDevice } from "../known-device.ts";
import type { KnownDeviceStorage } from "../known-device-storage.ts";
import type { Notice } from "../mail/notices.ts";
import type { StoredMail } from "../mail/storage.ts";
import type { SignInContext } from "../sign-in.ts";
import type { ConsentDuration, OwnerStorage, Person, Session } from "../storage.ts";
import type { CarrierContext } from "./continuation.ts";

export interface AuthorizationContext extends CarrierContext {
  readonly oauth: OAuthContext;
  readonly storage: Uses<GrantStorage, "grants.issue"> &
    Uses<
      OwnerStorage,
      | "people.get"
      | "consents.find"
      | "consents.approve"
      | "attempts.count"
      | "attempts.forgive"
      | "deviceRequests.claim"
      | "deviceRequests.standing"
      | "deviceRequests.approve"
      | "deviceRequests.deny"
    > &
    Uses<KnownDeviceStorage, "knownDevices.get"> &
    Uses<CompanyStorage, "members.companiesOf" | "companyApps.askApproval">;
  /** The lengths of time that the operator offers. */
  readonly consentDurations: readonly ConsentDuration[];
  readonly attemptKey: SignInContext["attemptKey"];
  /** A random text with so many bytes in it. */
  randomText(bytes: number): string;
  /** The same id for the same parts, in a partition. */
  derivedId(partition: number, ...parts: readonly string[]): string;
  /** A salt that was written as text, and its hash. */
  saltOf(text: string): { readonly salt: Uint8Array; readonly hash: Uint8Array };
  /** What limits count of an address: by itself, an IPv4 address or the /64 of an IPv6 one; and its provider's /24 or /48. */
  originOf(address: string): { readonly network: string; readonly provider: string };
  noticeLetters(notice: Notice): Promise<readonly StoredMail[]>;
  notify(notice: Notice): void;
  now(): Millis;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** Who is signed in at the browser. */
export interface SignedIn {
  readonly person: Person;
  readonly session: Session;
}

/** Somebody at a browser. */
export interface Reader {
  /** Undefined: nobody is signed in. */
  readonly signedIn: SignedIn | undefined;
  /** What ties a request under way to this browser. */
  readonly browser: string;
  readonly address: string;
  /** The browser's device cookie, whoever's it is. */
  readonly device: PresentedDevice | undefined;
  /** Of the pages that they read. `request`: the authorization request that these belong to, if any. */
  language(request?: { readonly uiLocales: string | null; readonly startedAt: Millis }): string;
}
