/** The endpoint table: path, methods, the audience of errors, and the origins that may read the response. */

import { VERIFICATION_PATH } from "../oauth/device-authorization.ts";
import { endpoints, metadataPath, OPENID_CONFIGURATION } from "../oauth/endpoints.ts";
import type { GrantEndpoint } from "../oauth/grants/registry.ts";
import { jwks, live, metadata, openIdConfiguration, ready } from "./endpoints/metadata-jwks-health.ts";
import { deviceAuthorization, introspection, revocation, token } from "./endpoints/oauth-endpoints.ts";
import { type Endpoint, forPeople, forUploads, type ReadUpload } from "./lazy-pages.ts";
import { adminApi, readAdminBody, readRegistration, registration } from "./lazy-programs.ts";
import { userInfo } from "./openid/user-info.ts";

export interface Route {
  readonly path: string;
  readonly GET?: Endpoint;
  readonly POST?: Endpoint;
  /** Instead of these: it answers every method, also at every path below. */
  readonly all?: Endpoint;
  /** Errors go to a program (JSON) or a person (a page). */
  readonly for: "programs" | "people";
  /**
   * True: pages of other sites may post here. The server accepts every other form for people only from its own pages.
   */
  readonly fromAnySite?: true;
  /** True: scripts of any origin may call it, without credentials. */
  readonly cors?: true;
  /** The POST has a file: this reads its body instead of the usual reader. */
  readonly upload?: ReadUpload;
  /** The endpoint exists only while an offered grant type needs it. */
  readonly part?: GrantEndpoint;
  /** True: a way in of the built-in sign-in. Where the operator's own page has replaced that, it does not exist. */
  readonly builtIn?: true;
  /** True: clients register themselves here. Where the operator doesn't allow it, it does not exist. */
  readonly registers?: true;
}

/** Paths below the issuer. Any other path is a 404; any other method is a 405. */
export const routes: readonly Route[] = [
  {
    path: endpoints.authorization,
    GET: forPeople((all) => all.authorize),
    POST: forPeople((all) => all.authorize),
    for: "people",
    fromAnySite: true,
    part: "authorization",
  },
  { path: "/authorize/error", POST: forPeople((all) => all.sendErrorRedirect), for: "people", part: "authorization" },
  { path: endpoints.token, POST: token, for: "programs", cors: true, part: "token" },
  { path: endpoints.revocation, POST: revocation, for: "programs", cors: true },
  { path: endpoints.introspection, POST: introspection, for: "programs" },
  {
    path: endpoints.deviceAuthorization,
    POST: deviceAuthorization,
    for: "programs",
    cors: true,
    part: "deviceAuthorization",
  },
  { path: endpoints.jwks, GET: jwks, for: "programs", cors: true },
  {
    path: endpoints.userInfo,
    GET: userInfo,
    POST: userInfo,
    for: "programs",
    fromAnySite: true,
    cors: true,
    part: "authorization",
  },
  {
    path: endpoints.registration,
    all: registration,
    upload: readRegistration,
    for: "programs",
    cors: true,
    registers: true,
  },
  {
    path: endpoints.endSession,
    GET: forPeople((all) => all.logout),
    POST: forPeople((all) => all.logout),
    for: "people",
    fromAnySite: true,
    part: "authorization",
  },
  { path: "/logout/confirm", POST: forPeople((all) => all.confirmLogout), for: "people", part: "authorization" },
  { path: OPENID_CONFIGURATION, GET: openIdConfiguration, for: "programs", cors: true, part: "authorization" },
  {
    path: "/login",
    GET: forPeople((all) => all.showSignIn),
    POST: forPeople((all) => all.submitSignIn),
    for: "people",
  },
  { path: "/login/second", POST: forPeople((all) => all.submitSecondStep), for: "people" },
  { path: "/login/passkey", POST: forPeople((all) => all.submitPasskey), for: "people" },
  { path: "/login/stronger", POST: forPeople((all) => all.refuseStronger), for: "people", part: "authorization" },
  { path: "/login/switch", POST: forPeople((all) => all.switchAccount), for: "people" },
  { path: "/login/provider", POST: forPeople((all) => all.submitProvider), for: "people" },
  {
    path: "/login/provider/:provider/callback",
    GET: forPeople((all) => all.finishSignIn),
    POST: forPeople((all) => all.receivePostedCallback),
    for: "people",
    fromAnySite: true,
  },
  {
    path: "/login/provider/:provider/backchannel-logout",
    POST: forPeople((all) => all.submitLogoutToken),
    for: "programs",
  },
  { path: "/login/external", GET: forPeople((all) => all.finishAtOwnPage), for: "people" },
  { path: "/external-sign-in/challenge", POST: forPeople((all) => all.submitReadChallenge), for: "programs" },
  { path: "/external-sign-in/accept", POST: forPeople((all) => all.submitAcceptChallenge), for: "programs" },
  { path: "/external-sign-in/reject", POST: forPeople((all) => all.submitRejectChallenge), for: "programs" },
  { path: "/upstream/change", POST: forPeople((all) => all.submitUpstreamChange), for: "programs" },
  {
    path: "/consent",
    GET: forPeople((all) => all.showConsent),
    POST: forPeople((all) => all.submitConsent),
    for: "people",
    part: "authorization",
  },
  { path: "/consent/ask", POST: forPeople((all) => all.submitAsk), for: "people", part: "authorization" },
  {
    path: VERIFICATION_PATH,
    GET: forPeople((all) => all.showDevice),
    POST: forPeople((all) => all.submitDevice),
    for: "people",
    part: "deviceAuthorization",
  },
  {
    path: "/device/consent",
    GET: forPeople((all) => all.showDeviceConsent),
    POST: forPeople((all) => all.submitDeviceConsent),
    for: "people",
    part: "deviceAuthorization",
  },
  { path: "/device/ask", POST: forPeople((all) => all.submitDeviceAsk), for: "people", part: "deviceAuthorization" },
  {
    path: "/device/elsewhere",
    POST: forPeople((all) => all.answerElsewhere),
    for: "people",
    part: "deviceAuthorization",
  },
  { path: "/account/apps", GET: forPeople((all) => all.showApps), for: "people" },
  { path: "/account/apps/revoke", POST: forPeople((all) => all.revokeApp), for: "people" },
  { path: "/account/apps/narrow", POST: forPeople((all) => all.narrowApp), for: "people" },
  { path: "/account/apps/ask-for-whom", POST: forPeople((all) => all.askNextTime), for: "people" },
  { path: "/account/apps/ask-again", POST: forPeople((all) => all.askAgain), for: "people" },
  { path: "/account/apps/end", POST: forPeople((all) => all.endApp), for: "people" },
  { path: "/account/agents", GET: forPeople((all) => all.showAgents), for: "people" },
  { path: "/account/agents/pause", POST: forPeople((all) => all.pauseAgent), for: "people" },
  { path: "/account/agents/resume", POST: forPeople((all) => all.resumeAgent), for: "people" },
  { path: "/account/history", GET: forPeople((all) => all.showHistory), for: "people" },
  { path: "/account/history/receipt", GET: forPeople((all) => all.downloadReceipt), for: "people" },
  { path: "/receipts/keys", GET: forPeople((all) => all.receiptKeys), for: "programs", cors: true },
  {
    path: "/receipts/verify",
    GET: forPeople((all) => all.showVerifyReceipt),
    POST: forPeople((all) => all.submitVerifyReceipt),
    for: "people",
  },
  { path: "/account/security", GET: forPeople((all) => all.showSecurity), for: "people" },
  {
    path: "/account/security/passkeys",
    GET: forPeople((all) => all.showAddPasskey),
    POST: forPeople((all) => all.submitAddPasskey),
    for: "people",
  },
  {
    path: "/account/security/passkeys/remove",
    GET: forPeople((all) => all.showRemovePasskey),
    POST: forPeople((all) => all.removePasskey),
    for: "people",
  },
  {
    path: "/account/security/authenticator",
    GET: forPeople((all) => all.showAuthenticator),
    POST: forPeople((all) => all.submitAuthenticator),
    for: "people",
  },
  {
    path: "/account/security/authenticator/remove",
    GET: forPeople((all) => all.showRemoveAuthenticator),
    POST: forPeople((all) => all.removeAuthenticator),
    for: "people",
  },
  { path: "/account/security/recovery-codes", POST: forPeople((all) => all.renewRecoveryCodes), for: "people" },
  {
    path: "/account/security/identities/remove",
    GET: forPeople((all) => all.showRemoveIdentity),
    POST: forPeople((all) => all.removeIdentity),
    for: "people",
  },
  { path: "/account/security/connect/begin", POST: forPeople((all) => all.beginConnect), for: "people" },
  {
    path: "/account/security/connect",
    GET: forPeople((all) => all.showConnect),
    POST: forPeople((all) => all.submitConnect),
    for: "people",
  },
  { path: "/account/security/sessions", POST: forPeople((all) => all.endSessions), for: "people" },
  { path: "/account/confirm", GET: forPeople((all) => all.showConfirm), for: "people" },
  {
    path: "/account/security/password",
    GET: forPeople((all) => all.showChangePassword),
    POST: forPeople((all) => all.submitChangePassword),
    for: "people",
  },
  {
    path: "/account/companies/new",
    GET: forPeople((all) => all.showCreateCompany),
    POST: forPeople((all) => all.submitCreateCompany),
    for: "people",
  },
  { path: "/account/companies", GET: forPeople((all) => all.showCompanies), for: "people" },
  { path: "/company/:slug", GET: forPeople((all) => all.showCompanyApps), for: "people" },
  { path: "/company/:slug/agents", GET: forPeople((all) => all.showCompanyAgents), for: "people" },
  { path: "/company/:slug/agents/pause", POST: forPeople((all) => all.pauseCompanyAgent), for: "people" },
  { path: "/company/:slug/agents/resume", POST: forPeople((all) => all.resumeCompanyAgent), for: "people" },
  {
    path: "/company/:slug/apps/:client",
    GET: forPeople((all) => all.showCompanyApp),
    POST: forPeople((all) => all.decideApp),
    for: "people",
  },
  {
    path: "/company/:slug/revoke",
    GET: forPeople((all) => all.confirmRevoke),
    POST: forPeople((all) => all.revokeCompanyApp),
    for: "people",
  },
  { path: "/company/:slug/connections", GET: forPeople((all) => all.showConnections), for: "people" },
  { path: "/company/:slug/connections/find", GET: forPeople((all) => all.findConnection), for: "people" },
  {
    path: "/company/:slug/connections/app",
    GET: forPeople((all) => all.showConnection),
    POST: forPeople((all) => all.saveConnection),
    for: "people",
  },
  {
    path: "/company/:slug/connections/remove",
    GET: forPeople((all) => all.confirmRemoveConnection),
    POST: forPeople((all) => all.removeConnection),
    for: "people",
  },
  {
    path: "/company/:slug/provider",
    GET: forPeople((all) => all.showOwnProvider),
    POST: forPeople((all) => all.saveProvider),
    for: "people",
  },
  { path: "/company/:slug/provider/try", POST: forPeople((all) => all.tryProvider), for: "people" },
  { path: "/company/:slug/provider/switch", POST: forPeople((all) => all.switchProvider), for: "people" },
  {
    path: "/company/:slug/provider/remove",
    GET: forPeople((all) => all.confirmRemoveProvider),
    POST: forPeople((all) => all.removeProvider),
    for: "people",
  },
  { path: "/company/:slug/sign-in", GET: forPeople((all) => all.showCompanySignIn), for: "people" },
  { path: "/company/:slug/refuse", POST: forPeople((all) => all.refuseRequest), for: "people" },
  { path: "/company/:slug/default", POST: forPeople((all) => all.setDefaultRule), for: "people" },
  { path: "/company/:slug/opt-out", POST: forPeople((all) => all.setOptOut), for: "people" },
  {
    path: "/company/:slug/leave",
    GET: forPeople((all) => all.confirmLeave),
    POST: forPeople((all) => all.leaveCompany),
    for: "people",
  },
  { path: "/company/:slug/members", GET: forPeople((all) => all.showMembers), for: "people" },
  { path: "/company/:slug/members/role", POST: forPeople((all) => all.changeRole), for: "people" },
  {
    path: "/company/:slug/members/remove",
    GET: forPeople((all) => all.confirmRemoval),
    POST: forPeople((all) => all.removeFromCompany),
    for: "people",
  },
  { path: "/company/:slug/members/invite", POST: forPeople((all) => all.invite), for: "people" },
  { path: "/company/:slug/members/withdraw", POST: forPeople((all) => all.withdraw), for: "people" },
  { path: "/company/:slug/history", GET: forPeople((all) => all.showCompanyHistory), for: "people" },
  { path: "/company/:slug/history/receipt", GET: forPeople((all) => all.downloadCompanyReceipt), for: "people" },
  {
    path: "/invitation",
    GET: forPeople((all) => all.showInvitation),
    POST: forPeople((all) => all.acceptInvitation),
    for: "people",
  },
  {
    path: "/recover",
    GET: forPeople((all) => all.showRecover),
    POST: forPeople((all) => all.submitRecover),
    for: "people",
    builtIn: true,
  },
  {
    path: "/recover/new",
    GET: forPeople((all) => all.showTakeBack("recover")),
    POST: forPeople((all) => all.submitTakeBack("recover")),
    for: "people",
    builtIn: true,
  },
  {
    path: "/undo",
    GET: forPeople((all) => all.showTakeBack("undo")),
    POST: forPeople((all) => all.submitTakeBack("undo")),
    for: "people",
  },
  { path: "/recover/proof", POST: forPeople((all) => all.submitProof("recover")), for: "people", builtIn: true },
  { path: "/undo/proof", POST: forPeople((all) => all.submitProof("undo")), for: "people" },
  {
    path: "/recover/undo",
    GET: forPeople((all) => all.showRestore),
    POST: forPeople((all) => all.submitRestore),
    for: "people",
    builtIn: true,
  },
  {
    path: "/sign-up",
    GET: forPeople((all) => all.showSignUp),
    POST: forPeople((all) => all.submitSignUp),
    for: "people",
    builtIn: true,
  },
  {
    path: "/sign-up/account",
    GET: forPeople((all) => all.showCreateAccount),
    POST: forPeople((all) => all.submitCreateAccount),
    for: "people",
    builtIn: true,
  },
  {
    path: "/confirm/verify",
    GET: forPeople((all) => all.showEmailLink("verify")),
    POST: forPeople((all) => all.submitEmailLink("verify")),
    for: "people",
  },
  {
    path: "/confirm/change",
    GET: forPeople((all) => all.showEmailLink("change")),
    POST: forPeople((all) => all.submitEmailLink("change")),
    for: "people",
  },
  { path: "/account/profile", GET: forPeople((all) => all.showProfile), for: "people" },
  { path: "/account/profile/name", POST: forPeople((all) => all.saveName), for: "people" },
  { path: "/account/profile/details", POST: forPeople((all) => all.saveDetails), for: "people" },
  {
    path: "/account/profile/picture",
    POST: forPeople((all) => all.savePicture),
    for: "people",
    upload: forUploads((all) => all.receiveUpload),
  },
  { path: "/account/profile/picture/remove", POST: forPeople((all) => all.removePicture), for: "people" },
  { path: "/account/profile/verify", POST: forPeople((all) => all.askVerification), for: "people" },
  { path: "/account/profile/email", POST: forPeople((all) => all.askNewEmail), for: "people" },
  {
    path: "/account/profile/export",
    GET: forPeople((all) => all.showExport),
    POST: forPeople((all) => all.exportData),
    for: "people",
  },
  {
    path: "/account/profile/delete",
    GET: forPeople((all) => all.showDelete),
    POST: forPeople((all) => all.submitDelete),
    for: "people",
  },
  { path: "/account/profile/keep", POST: forPeople((all) => all.keepAccount), for: "people" },
  {
    path: "/account/sign-out",
    GET: forPeople((all) => all.showSignOut),
    POST: forPeople((all) => all.submitSignOut),
    for: "people",
  },
  { path: "/account", GET: forPeople((all) => all.home), for: "people" },
  {
    path: "/language",
    GET: forPeople((all) => all.showLanguages),
    POST: forPeople((all) => all.chooseLanguage),
    for: "people",
  },
  { path: "/errors/:condition", GET: forPeople((all) => all.errorCondition), for: "people" },
  { path: "/logos/:hash", GET: forPeople((all) => all.logo), for: "people" },
  { path: "/pictures/:file", GET: forPeople((all) => all.picture), for: "people" },
  { path: "/assets/:hash/:file", GET: forPeople((all) => all.asset), for: "people" },
  { path: "/favicon.svg", GET: forPeople((all) => all.asset), for: "people" },
  { path: "/admin/api/v1", all: adminApi, upload: readAdminBody, for: "programs" },
  { path: "/health/live", GET: live, for: "programs" },
  { path: "/health/ready", GET: ready, for: "programs" },
  { path: "/", GET: forPeople((all) => all.home), for: "people" },
];

/** Served under any load, like metadata: they cost almost nothing, and other systems decide by them. */
export const unshed: readonly string[] = [endpoints.jwks, "/health/live", "/health/ready"];

/** RFC 8414 §3.1: at the host's root, followed by the issuer's path. */
export function metadataRoute(basePath: string): Route {
  return { path: metadataPath(basePath), GET: metadata, for: "programs", cors: true };
}
