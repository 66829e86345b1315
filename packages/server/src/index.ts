/** `@assent/server`: the authorization server as a library. */

export { type AssentOptions, type AssentServer, createAssent } from "./assent.ts";
export { type Config, ConfigError, configOf, loadConfig } from "./config.ts";
export type { ClaimsRequest, CustomClaims, GivenClaims } from "./configured-claims.ts";
export type { ExistingClaims, ExistingPeople, ExistingPerson } from "./configured-people.ts";
export type {
  IssueAnswer,
  IssuePolicy,
  Policies,
  SignInAnswer,
  SignInFacts,
  SignInPolicy,
  TokenRequestFacts,
} from "./configured-policies.ts";
export { type Listening, listen } from "./listen.ts";
export type {
  CustomGrant,
  CustomGrantDecision,
  CustomGrantError,
  CustomGrantRequest,
  TokenForClient,
  TokenForOwner,
} from "./oauth/grants/custom-grant-interface.ts";
export type { ExternalSignIn } from "./owners/identities/external-sign-in.ts";
export type { Notice } from "./owners/mail/company-notice-kinds.ts";
export { isLoopbackHost } from "./setting-kinds.ts";
