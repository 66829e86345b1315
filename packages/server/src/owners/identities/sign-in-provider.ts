/** Providers at which people may sign in to this server. */

import type { Millis, Soon } from "../../oauth/model.ts";
import type { CompanyKey } from "../company-storage.ts";
import type { WhenDisabled } from "../upstream-change-storage.ts";
import type { ClaimNames } from "./claim-names.ts";

/** A well-known provider whose settings are ready-made. */
export type PresetName = "google" | "entra" | "gitlab" | "keycloak" | "assent" | "github" | "apple";

/** Where a provider without metadata is asked. */
export interface OAuthEndpoints {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** Answers with a JSON object about the owner of the access token. */
  readonly userEndpoint: string;
  /** GitHub's list of the owner's addresses. Absent: the user endpoint has the address, if any. */
  readonly emailsEndpoint?: string;
}

/** How the provider's groups give roles, at every sign-in there. */
export interface RoleMapping {
  /** A claim of the ID token or of UserInfo: a text or a list of texts. */
  readonly claim: string;
  /** Groups whose people are admins. Compared exactly. */
  readonly admin: readonly string[];
  readonly member: readonly string[];
  /** What somebody in none of these groups is. */
  readonly others: "member" | "refuse";
}

/** What the operator registered. This server is a client of the provider. */
export interface SignInProvider {
  /** Random. It is a part of the redirect URI, so that each provider has its own (RFC 9700 §4.4.2). */
  readonly id: string;
  /** `oauth`: it has no ID tokens. */
  readonly type: "openid" | "oauth";
  /**
   * The operator's own sign-in page, from the configuration. `only`: nobody signs in another way. Absent: a provider that
   * was registered.
   */
  readonly ownPage?: "only" | "beside";
  /** Whose quirks count. Absent: a provider that follows the standard. */
  readonly preset?: PresetName;
  /** What people read on the button. */
  readonly name: string;
  /** The `iss` of its ID tokens, exactly. With `oauth`: the URL that its subjects are named after. */
  readonly issuer: string;
  readonly clientId: string;
  /** Sealed with the purpose `sign-in provider` and the id as context, in base64url. Null: a public client. */
  readonly sealedSecret: string | null;
  /** Present: the secret is a private key, with which this server signs a client secret for each request (Apple). */
  readonly signedSecret?: { readonly teamId: string; readonly keyId: string };
  /** Present with the type `oauth` alone. */
  readonly oauth?: OAuthEndpoints;
  /** Claims that the ID token must have, with exactly these values. Absent: none. */
  readonly requiredClaims?: Readonly<Record<string, string>>;
  /** What this server asks for. With `openid`, that is among them. */
  readonly scopes: readonly string[];
  /**
   * Lowercase domains of its people's addresses. Somebody who types such an address signs in there. If there is any
   * domain, the provider can create accounts and find them by address only for these domains.
   */
  readonly emailDomains: readonly string[];
  /** True: an address of `emailDomains` that the provider calls verified counts as verified here, and finds an account. */
  readonly trustEmail: boolean;
  /** True: people without an account here get one when they first sign in. */
  readonly createPeople: boolean;
  /**
   * True: a sign-in there that this server asked to be fresh counts as fresh although the provider does not say when it
   * was (`auth_time`). Absent: it does not.
   */
  readonly believeFresh?: boolean;
  /** Which claims become what here. Absent: the usual ones. */
  readonly claims?: ClaimNames;
  /** `follow`: each sign-in there renews the profile here. Absent: the profile is filled once, for a new account. */
  readonly profile?: "follow";
  /** Values of `acr` and `amr` that stand for a second factor. Absent: none do. */
  readonly mfaAcr?: readonly string[];
  readonly mfaAmr?: readonly string[];
  /** Where its button is: the lowest number first, those without one last. */
  readonly position?: number;
  /** What happens here when the provider's directory says that a person is disabled there. Absent: `keep`. */
  readonly whenDisabled?: WhenDisabled;
  /** Clients of this server that may tell of changes to the provider's people. Absent: none. */
  readonly changeClients?: readonly string[];
  /** The company whose own provider it is. Absent: it is the operator's, and for everybody. */
  readonly company?: CompanyKey & { readonly roles: RoleMapping | null };
  readonly status: "active" | "disabled";
  readonly createdAt: Millis;
}

/** The providers, at most 1 s behind the database. */
export interface SignInProviders {
  /** By id, disabled ones too. */
  providers(): Soon<ReadonlyMap<string, SignInProvider>>;
}
