/** All parts of a running server. Endpoints that ask for less name it in an interface of their own, which this one fits. */

import type { X509Certificate } from "node:crypto";
import type { ClientRegistration } from "./client-registration/index.ts";
import type { Config } from "./config.ts";
import type { DerivedCredentials } from "./crypto/derived-credentials.ts";
import type { Secrets } from "./crypto/server-secret.ts";
import type { Receipts } from "./crypto/signed-receipts.ts";
import type { KeySet } from "./crypto/signing-keys.ts";
import type { Reporting } from "./event-reporting.ts";
import type { AdminApiTools } from "./http/admin-api/tools.ts";
import type { TrustedProxies } from "./http/connections/client-address.ts";
import type { Gate } from "./http/connections/load-shedding.ts";
import type { HeaderLines } from "./http/connections/response-header-lines.ts";
import type { Unread } from "./http/connections/slow-request-limits.ts";
import type { Cookies } from "./http/cookies.ts";
import type { HttpRequest } from "./http/http-message.ts";
import type { PageContext } from "./http/page-chromes.ts";
import type { ServerMetrics } from "./metrics/server-metrics.ts";
import type { Millis, Soon } from "./oauth/model.ts";
import type { TokenEndpointContext } from "./oauth/token-endpoint/endpoint.ts";
import type { AccountContext } from "./owners/account/context.ts";
import type { IdentityContext } from "./owners/account/identities.ts";
import type { Popularity } from "./owners/app-popularity.ts";
import type { AppsContext } from "./owners/apps/context.ts";
import type { AuthorizationContext } from "./owners/authorization/context.ts";
import type { FactorContext } from "./owners/change-factors.ts";
import type { FailedClients } from "./owners/client-authentication-failures.ts";
import type { CompanyContext } from "./owners/companies/context.ts";
import type { OwnProviderContext } from "./owners/companies/own-provider.ts";
import type { PasswordKeeper } from "./owners/identities/password-keeper.ts";
import type { Elsewhere } from "./owners/identities/sign-in-elsewhere.ts";
import type { Postbox } from "./owners/mail/mail-content.ts";
import type { ProveContext } from "./owners/recovery/prove-factor.ts";
import type { RecoveryContext } from "./owners/recovery/recover-account.ts";
import type { SessionContext } from "./owners/sessions.ts";
import type { SignInContext } from "./owners/sign-in.ts";
import type { Brand, Chrome } from "./pages/index.ts";
import type { Crew } from "./workers/messages.ts";

/** What the endpoints are given. */
export interface Assent {
  readonly config: Config;
  readonly issuer: string;
  /** Path of the issuer, without its final slash. */
  readonly basePath: string;
  readonly oauth: TokenEndpointContext;
  /** The operator's look. */
  readonly brand: Brand;
  readonly receipts: Receipts;
  readonly popularity: Popularity;
  readonly authorization: AuthorizationContext;
  readonly adminApi: AdminApiTools;
  /** Null: clients can't register themselves. */
  readonly registration: ClientRegistration | null;
  readonly account: AccountContext;
  readonly apps: AppsContext;
  readonly companies: CompanyContext;
  readonly factors: FactorContext;
  readonly identities: IdentityContext;
  readonly elsewhere: Elsewhere;
  readonly ownProvider: OwnProviderContext;
  /** Without what depends on passkeys, which are loaded with the pages. */
  readonly recovery: Omit<RecoveryContext, "passkeysWork">;
  readonly sessions: SessionContext;
  readonly signIn: SignInContext;
  readonly secondStep: ProveContext;
  /** The application that keeps people's passwords; null: none does. */
  readonly keeper: PasswordKeeper | null;
  readonly credentials: DerivedCredentials;
  readonly secrets: Secrets;
  readonly cookies: Cookies;
  readonly proxies: TrustedProxies;
  readonly failedClients: FailedClients;
  readonly gate: Gate;
  /** Requests whose body has not arrived. */
  readonly unread: Unread;
  readonly metrics: ServerMetrics;
  /** How many processes serve beside this one, where a supervisor says so. */
  crew(): Crew | undefined;
  /** Who may issue clients' certificates; null: nobody is named. */
  readonly clientAuthorities: readonly X509Certificate[] | null;
  readonly headerLines: HeaderLines;
  keys(): Soon<KeySet>;
  /** Whether the database answers. */
  databaseAnswers(): Promise<boolean>;
  /** A client's logo by its hash; undefined: no client has had it. */
  logo(hash: string): Promise<{ readonly type: string; readonly bytes: Uint8Array } | undefined>;
  /** A person's picture by its id; undefined: it was replaced or removed, or never was. */
  picture(pictureId: string): Promise<{ readonly type: string; readonly bytes: Uint8Array } | undefined>;
  /** The metadata document (RFC 8414), serialized. */
  metadata(): Promise<string>;
  /** The frame of a page, in its reader's language: for those who are `people` themselves. `about`: the authorization request that it belongs to. */
  chrome(request: HttpRequest, about?: PageContext): Chrome;
  now(): Millis;
  readonly event: Reporting["event"];
  /** Logs why a request was refused, or what fault it met. */
  readonly refused: Reporting["refused"];
  /** A page says that the request was refused. */
  readonly refusalShown: Reporting["shown"];
  /** Messages to people. */
  readonly mail: Postbox;
  requestId(): string;
  /** The database was changed so that this process can't serve it any more: `/health/ready` says so. */
  unfit(): boolean;
  /** It has been told to stop: `/health/ready` says so. */
  ending(): boolean;
  /** Nobody can connect any more: each answer closes its connection. */
  draining(): boolean;
}
