/** The endpoint table: path, methods, who is answered when something is wrong, which other origins may read the answer. */

import type { Assent } from "../assent.ts";
import { VERIFICATION_PATH } from "../oauth/device-authorization.ts";
import type { GrantEndpoint } from "../oauth/grants/offered.ts";
import { endpoints } from "../oauth/server-metadata.ts";
import { showSignOut, submitSignOut } from "./endpoints/account.ts";
import { endApp, narrowApp, revokeApp, showApps } from "./endpoints/apps.ts";
import { submitAsk } from "./endpoints/ask-admin.ts";
import {
  removeAuthenticator,
  renewRecoveryCodes,
  showAuthenticator,
  submitAuthenticator,
} from "./endpoints/authenticator.ts";
import { authorize } from "./endpoints/authorize.ts";
import { deviceAuthorization, introspection, revocation, token } from "./endpoints/back-channel.ts";
import { showCompanies } from "./endpoints/company.ts";
import {
  decideApp,
  refuseRequest,
  revokeCompanyApp,
  setDefaultRule,
  setOptOut,
  showCompanyApps,
} from "./endpoints/company-apps.ts";
import {
  acceptInvitation,
  changeRole,
  downloadCompanyReceipt,
  invite,
  leaveCompany,
  removeFromCompany,
  showCompanyHistory,
  showInvitation,
  showMembers,
  withdraw,
} from "./endpoints/company-members.ts";
import { showEmailLink, submitEmailLink } from "./endpoints/confirm.ts";
import { showConsent, submitConsent } from "./endpoints/consent.ts";
import {
  answerElsewhere,
  showDevice,
  showDeviceConsent,
  submitDevice,
  submitDeviceConsent,
} from "./endpoints/device.ts";
import { submitDeviceAsk } from "./endpoints/device-ask.ts";
import { asset, errorCondition, home, jwks, live, logo, metadata, ready } from "./endpoints/documents.ts";
import { downloadReceipt, receiptKeys, showHistory } from "./endpoints/history.ts";
import { chooseLanguage, showLanguages } from "./endpoints/language.ts";
import { removePasskey, showAddPasskey, submitAddPasskey } from "./endpoints/passkeys.ts";
import { showChangePassword, submitChangePassword } from "./endpoints/password.ts";
import {
  askNewEmail,
  askVerification,
  exportData,
  keepAccount,
  saveName,
  showDelete,
  showProfile,
  submitDelete,
} from "./endpoints/profile.ts";
import { showNewPassword, showRecover, submitNewPassword, submitRecover } from "./endpoints/recover.ts";
import { refuseStronger, submitPasskey, submitSecondStep } from "./endpoints/second-step.ts";
import { endSessions, showConfirm, showSecurity } from "./endpoints/security.ts";
import { showSignIn, submitSignIn, switchAccount } from "./endpoints/sign-in.ts";
import { showCreateAccount, showSignUp, submitCreateAccount, submitSignUp } from "./endpoints/sign-up.ts";
import type { Answer, HttpRequest } from "./message.ts";

export type Endpoint = (http: HttpRequest, assent: Assent) => Promise<Answer>;

export interface Route {
  readonly path: string;
  readonly GET?: Endpoint;
  readonly POST?: Endpoint;
  /** Faults are told to a program (JSON) or a person (a page). */
  readonly for: "programs" | "people";
  /** Any origin's script may call it, without credentials. */
  readonly cors?: true;
  /** Only there while a grant type that is offered leads to this endpoint. */
  readonly part?: GrantEndpoint;
}

/** Paths below the issuer. What isn't here is 404; a method that isn't here is 405. */
export const routes: readonly Route[] = [
  { path: endpoints.authorization, GET: authorize, POST: authorize, for: "people", part: "authorization" },
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
  { path: "/login", GET: showSignIn, POST: submitSignIn, for: "people" },
  { path: "/login/second", POST: submitSecondStep, for: "people" },
  { path: "/login/passkey", POST: submitPasskey, for: "people" },
  { path: "/login/stronger", POST: refuseStronger, for: "people", part: "authorization" },
  { path: "/login/switch", POST: switchAccount, for: "people" },
  { path: "/consent", GET: showConsent, POST: submitConsent, for: "people", part: "authorization" },
  { path: "/consent/ask", POST: submitAsk, for: "people", part: "authorization" },
  { path: VERIFICATION_PATH, GET: showDevice, POST: submitDevice, for: "people", part: "deviceAuthorization" },
  {
    path: "/device/consent",
    GET: showDeviceConsent,
    POST: submitDeviceConsent,
    for: "people",
    part: "deviceAuthorization",
  },
  { path: "/device/ask", POST: submitDeviceAsk, for: "people", part: "deviceAuthorization" },
  { path: "/device/elsewhere", POST: answerElsewhere, for: "people", part: "deviceAuthorization" },
  { path: "/account/apps", GET: showApps, for: "people" },
  { path: "/account/apps/revoke", POST: revokeApp, for: "people" },
  { path: "/account/apps/narrow", POST: narrowApp, for: "people" },
  { path: "/account/apps/end", POST: endApp, for: "people" },
  { path: "/account/history", GET: showHistory, for: "people" },
  { path: "/account/history/receipt", GET: downloadReceipt, for: "people" },
  { path: "/receipts/keys", GET: receiptKeys, for: "programs", cors: true },
  { path: "/account/security", GET: showSecurity, for: "people" },
  { path: "/account/security/passkeys", GET: showAddPasskey, POST: submitAddPasskey, for: "people" },
  { path: "/account/security/passkeys/remove", POST: removePasskey, for: "people" },
  { path: "/account/security/authenticator", GET: showAuthenticator, POST: submitAuthenticator, for: "people" },
  { path: "/account/security/authenticator/remove", POST: removeAuthenticator, for: "people" },
  { path: "/account/security/recovery-codes", POST: renewRecoveryCodes, for: "people" },
  { path: "/account/security/sessions", POST: endSessions, for: "people" },
  { path: "/account/confirm", GET: showConfirm, for: "people" },
  { path: "/account/security/password", GET: showChangePassword, POST: submitChangePassword, for: "people" },
  { path: "/account/companies", GET: showCompanies, for: "people" },
  { path: "/company/:slug", GET: showCompanyApps, for: "people" },
  { path: "/company/:slug/rule", POST: decideApp, for: "people" },
  { path: "/company/:slug/revoke", POST: revokeCompanyApp, for: "people" },
  { path: "/company/:slug/refuse", POST: refuseRequest, for: "people" },
  { path: "/company/:slug/default", POST: setDefaultRule, for: "people" },
  { path: "/company/:slug/opt-out", POST: setOptOut, for: "people" },
  { path: "/company/:slug/leave", POST: leaveCompany, for: "people" },
  { path: "/company/:slug/members", GET: showMembers, for: "people" },
  { path: "/company/:slug/members/role", POST: changeRole, for: "people" },
  { path: "/company/:slug/members/remove", POST: removeFromCompany, for: "people" },
  { path: "/company/:slug/members/invite", POST: invite, for: "people" },
  { path: "/company/:slug/members/withdraw", POST: withdraw, for: "people" },
  { path: "/company/:slug/history", GET: showCompanyHistory, for: "people" },
  { path: "/company/:slug/history/receipt", GET: downloadCompanyReceipt, for: "people" },
  { path: "/invitation", GET: showInvitation, POST: acceptInvitation, for: "people" },
  { path: "/recover", GET: showRecover, POST: submitRecover, for: "people" },
  { path: "/recover/new", GET: showNewPassword("recover"), POST: submitNewPassword("recover"), for: "people" },
  { path: "/undo", GET: showNewPassword("undo"), POST: submitNewPassword("undo"), for: "people" },
  { path: "/sign-up", GET: showSignUp, POST: submitSignUp, for: "people" },
  { path: "/sign-up/account", GET: showCreateAccount, POST: submitCreateAccount, for: "people" },
  { path: "/confirm/verify", GET: showEmailLink("verify"), POST: submitEmailLink("verify"), for: "people" },
  { path: "/confirm/change", GET: showEmailLink("change"), POST: submitEmailLink("change"), for: "people" },
  { path: "/account/profile", GET: showProfile, for: "people" },
  { path: "/account/profile/name", POST: saveName, for: "people" },
  { path: "/account/profile/verify", POST: askVerification, for: "people" },
  { path: "/account/profile/email", POST: askNewEmail, for: "people" },
  { path: "/account/profile/export", POST: exportData, for: "people" },
  { path: "/account/profile/delete", GET: showDelete, POST: submitDelete, for: "people" },
  { path: "/account/profile/keep", POST: keepAccount, for: "people" },
  { path: "/account/sign-out", GET: showSignOut, POST: submitSignOut, for: "people" },
  { path: "/account", GET: home, for: "people" },
  { path: "/language", GET: showLanguages, POST: chooseLanguage, for: "people" },
  { path: "/errors/:condition", GET: errorCondition, for: "people" },
  { path: "/logos/:hash", GET: logo, for: "people" },
  { path: "/assets/:hash/:file", GET: asset, for: "people" },
  { path: "/favicon.svg", GET: asset, for: "people" },
  { path: "/health/live", GET: live, for: "programs" },
  { path: "/health/ready", GET: ready, for: "programs" },
  { path: "/", GET: home, for: "people" },
];

/** Answered under any load, beside metadata: they cost next to nothing, and others decide by them what to do. */
export const unshed: readonly string[] = [endpoints.jwks, "/health/live", "/health/ready"];

/** RFC 8414 §3.1: at the host's root, the issuer's path behind it. */
export function metadataRoute(basePath: string): Route {
  return { path: `/.well-known/oauth-authorization-server${basePath}`, GET: metadata, for: "programs", cors: true };
}
