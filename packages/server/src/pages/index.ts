/** The pages for owners and developers. Each page is a pure function from its view to an HTML document. */
export { agentsPage, companyAgentsPage } from "./agents.ts";
export { appsPage } from "./allowed-apps.ts";
export { askAdminPage, askedAdminPage } from "./ask-admin.ts";
export { type Asset, assets } from "./assets.ts";
export { accentPath, accentSheet, type Brand, type BrandColors, brandOf, OURS, readBrandColors } from "./branding.ts";
export { type Chrome, chrome } from "./chrome.ts";
export { companyProofPage } from "./company/admin-password.ts";
export { companyAppPage } from "./company/company-app.ts";
export { companyAppsPage } from "./company/company-apps.ts";
export { companiesPage, companyHistoryPage, companyMembersPage, invitationPage } from "./company/company-members.ts";
export { companyConfirmPage } from "./company/confirm-company-change.ts";
export {
  companyConnectionsPage,
  connectionFormPage,
  findConnectionPage,
  removeConnectionPage,
} from "./company/connections.ts";
export { createCompanyPage } from "./company/create-company.ts";
export { ownProviderPage, removeOwnProviderPage, triedProviderPage } from "./company/own-sign-in.ts";
export { companyReviewPage } from "./company/review-rule.ts";
export { consentPage } from "./consent.ts";
export { deviceCodePage, deviceDonePage, deviceElsewherePage } from "./device.ts";
export { problemPage } from "./error.ts";
export { errorRedirectPage } from "./error-redirect.ts";
export { conditionPage } from "./error-uri.ts";
export { formPostPage } from "./form-post.ts";
export { historyList, historyPage } from "./history.ts";
export { languagePage } from "./language.ts";
export { type MailView, mailOf } from "./mail-body.ts";
export { locales, type Messages, spoken } from "./messages/index.ts";
export { bothNamesText } from "./parts/person-names.ts";
export { secondStepPage } from "./second-step.ts";
export { restoredPage, restorePage, takenBackPage } from "./security/account-recovered.ts";
export { addPasskeyPage } from "./security/add-passkey.ts";
export { authenticatorPage, recoveryCodesPage } from "./security/authenticator.ts";
export { changePasswordPage, keptPasswordPage } from "./security/change-password.ts";
export { connectIdentityPage, disconnectIdentityPage } from "./security/connect-identity.ts";
export { exportPage } from "./security/data-export.ts";
export { securityPage } from "./security/index.ts";
export {
  accountReadyPage,
  askPage,
  confirmPage,
  createAccountPage,
  donePage,
  goneLinkPage,
  sentPage,
} from "./security/links-by-mail.ts";
export { deletePage, profilePage } from "./security/profile.ts";
export { provePage } from "./security/prove-before-recovery.ts";
export { takeBackPage } from "./security/recover-account.ts";
export { removeAuthenticatorPage, removePasskeyPage } from "./security/remove-factor.ts";
export { removeIdentityPage } from "./security/remove-identity.ts";
export { signInPage } from "./sign-in.ts";
export { logoutPage, signedOutPage, signOutPage } from "./sign-out.ts";
export { strongerPage } from "./stronger-sign-in-needed.ts";
export { localPath } from "./untrusted-text.ts";
export { genuineReceiptPage, verifyReceiptPage } from "./verify-receipt.ts";
