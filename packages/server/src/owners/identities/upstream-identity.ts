/** A sign-in at another OpenID Connect provider, and what the provider says of the person. */

import type { DetailName, Millis } from "../../oauth/model.ts";
import type { SignInProvider } from "./sign-in-provider.ts";

export interface UpstreamIdentity {
  /** The provider's `iss`. */
  readonly issuer: string;
  /** The provider's `sub`. With the issuer, the only lasting name of the person there (OpenID Connect Core §5.7). */
  readonly subject: string;
  readonly email: string | null;
  /** True: the provider says that the address is the person's. */
  readonly emailVerified: boolean;
  readonly username: string | null;
  readonly name: string | null;
  /** What else the provider says of them, as it wrote it. */
  readonly details: Readonly<Partial<Record<DetailName, string>>>;
  /** The address of their picture. */
  readonly picture: string | null;
  /** When the person proved there who they are. Null: the provider does not say. */
  readonly authTime: Millis | null;
  /** Of the claim that gives roles in a company. Empty: it has none, or groups don't count. */
  readonly groups: readonly string[];
  /** True: the provider says that they used a second factor, in words that the operator has named. */
  readonly mfa: boolean;
  /** The provider's session (OpenID Connect Back-Channel Logout §2.1). Null: it names none. */
  readonly sid: string | null;
}

/**
 * `denied`: the person, or the provider, said no. `unreachable`: no answer, none in time, or the answer that the provider
 * isn't working. `unverified`: an answer that can't be believed.
 */
export type UpstreamFault = "denied" | "unreachable" | "unverified";

/** What one sign-in at a provider is bound to. */
export interface Attempt {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly begunAt: Millis;
}

/** What the provider is asked for besides. */
export interface Wishes {
  /** True: the person must prove there again who they are (`prompt=login`, `max_age=0`). */
  readonly fresh: boolean;
  /** True: the person chooses an account there (`prompt=select_account`). */
  readonly choose: boolean;
  /** True: the provider knows no such choice, so it asks the person to sign in again instead (`prompt=login`). */
  readonly noChooser: boolean;
  /** True: what waits needs a second factor. */
  readonly mfa: boolean;
  readonly loginHint: string | null;
  readonly uiLocales: string;
}

export interface UpstreamFailed {
  readonly kind: "failed";
  readonly fault: UpstreamFault;
  /** For the log only. */
  readonly detail: string;
}

/** This server as a client of providers. */
export interface UpstreamClient {
  /** The address to which the browser goes. */
  begin(
    provider: SignInProvider,
    attempt: Attempt,
    wishes: Wishes,
  ): Promise<{ readonly kind: "begun"; readonly location: string } | UpstreamFailed>;
  /** Redeems the code of a callback and verifies the ID token. `query`: the query of the callback, as it arrived. */
  finish(
    provider: SignInProvider,
    attempt: Attempt,
    query: string,
  ): Promise<{ readonly kind: "finished"; readonly identity: UpstreamIdentity } | UpstreamFailed>;
  /** Where the provider's keys are. */
  keysAt(provider: SignInProvider): Promise<{ readonly kind: "found"; readonly uri: string } | UpstreamFailed>;
}
