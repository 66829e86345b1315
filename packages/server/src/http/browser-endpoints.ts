/** All endpoints that need pages. `lazy-pages.ts` loads this file apart from the rest. */

export { authorize } from "./authorization/authorize.ts";
export { showConsent, submitAsk, submitConsent } from "./authorization/consent.ts";
export {
  answerElsewhere,
  showDevice,
  showDeviceConsent,
  submitDevice,
  submitDeviceAsk,
  submitDeviceConsent,
} from "./authorization/device.ts";
export { sendHeldError } from "./authorization/send-held-error.ts";
export { Chromes } from "./chromes.ts";
export { showSignOut, submitSignOut } from "./endpoints/account.ts";
export { askAgain, endApp, narrowApp, revokeApp, showApps } from "./endpoints/apps.ts";
export {
  removeAuthenticator,
  renewRecoveryCodes,
  showAuthenticator,
  submitAuthenticator,
} from "./endpoints/authenticator.ts";
export { showCompanies } from "./endpoints/company.ts";
export {
  decideApp,
  refuseRequest,
  revokeCompanyApp,
  setDefaultRule,
  setOptOut,
  showCompanyApps,
} from "./endpoints/company-apps.ts";
export { confirmLeave, confirmRemoval, confirmRevoke } from "./endpoints/company-confirm.ts";
export {
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
export { showEmailLink, submitEmailLink } from "./endpoints/confirm.ts";
export { exportData, showExport } from "./endpoints/data-export.ts";
export { downloadReceipt, receiptKeys, showHistory } from "./endpoints/history.ts";
export { removeIdentity, showRemoveIdentity } from "./endpoints/identities.ts";
export { chooseLanguage, showLanguages } from "./endpoints/language.ts";
export { removePasskey, showAddPasskey, submitAddPasskey } from "./endpoints/passkeys.ts";
export { showChangePassword, submitChangePassword } from "./endpoints/password.ts";
export {
  askNewEmail,
  askVerification,
  keepAccount,
  saveName,
  showDelete,
  showProfile,
  submitDelete,
} from "./endpoints/profile.ts";
export { submitProof } from "./endpoints/prove.ts";
export { asset, errorCondition, home, logo } from "./endpoints/public-files.ts";
export { showRecover, submitRecover } from "./endpoints/recover.ts";
export { showTakeBack, submitTakeBack } from "./endpoints/recovery-link.ts";
export { refuseStronger, submitPasskey, submitSecondStep } from "./endpoints/second-step.ts";
export { endSessions, showConfirm, showSecurity } from "./endpoints/security.ts";
export { showSignIn, submitSignIn, switchAccount } from "./endpoints/sign-in.ts";
export { showCreateAccount, showSignUp, submitCreateAccount, submitSignUp } from "./endpoints/sign-up.ts";
export { showRestore, submitRestore } from "./endpoints/undo-factor-removal.ts";
export { problemAnswer } from "./problem.ts";
