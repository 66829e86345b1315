/** The pages for owners and developers. Each page is a pure function from its view to an HTML document. */
export { appsPage } from "./apps.ts";
export { askAdminPage, askedAdminPage } from "./ask-admin.ts";
export { type Asset, assets } from "./assets.ts";
export { accentPath, accentSheet, type Brand, type BrandColors, brandOf, OURS, readBrandColors } from "./brand.ts";
export { type Chrome, chrome } from "./chrome.ts";
export { companyProofPage } from "./company/admin-password.ts";
export { companyAppsPage } from "./company/apps.ts";
export { companyConfirmPage } from "./company/confirm.ts";
export { companiesPage, companyHistoryPage, companyMembersPage, invitationPage } from "./company/members.ts";
export { conditionPage } from "./condition.ts";
export { consentPage } from "./consent.ts";
export { deviceCodePage, deviceDonePage, deviceElsewherePage } from "./device.ts";
export { formPostPage } from "./form-post.ts";
export { heldErrorPage } from "./held-error.ts";
export { historyList, historyPage } from "./history.ts";
export { languagePage } from "./language.ts";
export { type MailView, mailOf } from "./mail.ts";
export { locales, type Messages, spoken } from "./messages/index.ts";
export { problemPage } from "./problem.ts";
export { secondStepPage } from "./second-step.ts";
export { restoredPage, restorePage, takenBackPage } from "./security/account-recovered.ts";
export { addPasskeyPage } from "./security/add-passkey.ts";
export { authenticatorPage, recoveryCodesPage } from "./security/authenticator.ts";
export {
  askPage,
  confirmPage,
  createAccountPage,
  donePage,
  sentPage,
} from "./security/by-mail.ts";
export { changePasswordPage } from "./security/change-password.ts";
export { exportPage } from "./security/export.ts";
export { securityPage } from "./security/index.ts";
export { deletePage, profilePage } from "./security/profile.ts";
export { provePage } from "./security/prove.ts";
export { takeBackPage } from "./security/recover-account.ts";
export { removeIdentityPage } from "./security/remove-identity.ts";
export { signInPage } from "./sign-in.ts";
export { signedOutPage, signOutPage } from "./sign-out.ts";
export { strongerPage } from "./stronger-sign-in.ts";
export { localPath } from "./text.ts";
