/** The data for the pages of a company's own sign-in provider. */
import type { Messages } from "../messages/index.ts";
import type { CompanyFrame } from "./views.ts";

/** Actions that succeeded or failed. An address can name one of them. */
export const OWN_SIGN_IN_NOTICES = ["saved", "on", "off", "removed", "changed", "tooOften", "notNow"] as const;
export type OwnSignInNotice = (typeof OWN_SIGN_IN_NOTICES)[number];

/** The settings as the form has them. The client secret is never shown. */
export interface OwnProviderForm {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Separated by spaces. */
  readonly scopes: string;
  /** `field=claim`, one in each line. */
  readonly claims: string;
  readonly follow: boolean;
  readonly byGroups: boolean;
  readonly claim: string;
  /** One in each line. */
  readonly adminGroups: string;
  readonly memberGroups: string;
  readonly others: "member" | "refuse";
}

export interface OwnProviderView extends CompanyFrame {
  readonly said: OwnSignInNotice | null;
  /** False: the operator allows no changes any more. */
  readonly allowed: boolean;
  readonly domains: readonly string[];
  readonly form: OwnProviderForm;
  /** For what a claim can be named. */
  readonly claimFields: string;
  /** `fixed`: the issuer or the client ID can't be changed while it is on. */
  readonly faults: readonly (keyof Messages["companySignIn"]["faults"] | "fixed")[];
  /** The version of the settings. Null: there are none. */
  readonly seen: number | null;
  readonly connected: null | {
    readonly name: string;
    readonly on: boolean;
    readonly hasSecret: boolean;
    readonly triedAt: number | null;
    /** Why it can't be switched on. Null: it can, or is on. */
    readonly waits: "try" | "domain" | "way_in" | null;
    readonly address: string;
    readonly redirectUri: string;
    readonly logoutUri: string;
  };
}

export interface RemoveOwnProviderView extends CompanyFrame {
  readonly provider: string;
  readonly seen: number;
  /** People who sign in with it. */
  readonly people: number;
  /** Of these, people without another way. */
  readonly stranded: number;
}

export interface TriedProviderView extends CompanyFrame {
  /** Null: it failed. */
  readonly result: null | {
    readonly subject: string;
    readonly email: string | null;
    readonly verified: boolean;
    /** True: the address is verified, and of a confirmed domain. */
    readonly counts: boolean;
    /** Null: groups give no roles. */
    readonly groups: readonly string[] | null;
    /** Null: none, so they couldn't sign in. */
    readonly role: "member" | "admin" | null;
  };
}
