/** All endpoints that need pages. `lazy-pages.ts` loads this file apart from the rest. */

export { authorize } from "./authorization/authorize.ts";
export { sendErrorRedirect } from "./authorization/confirm-error-redirect.ts";
export { showConsent, submitAsk, submitConsent } from "./authorization/consent.ts";
export {
  answerElsewhere,
  showDevice,
  showDeviceConsent,
  submitDevice,
  submitDeviceAsk,
  submitDeviceConsent,
} from "./authorization/device.ts";
export { submitLogoutToken } from "./elsewhere/backchannel-logout.ts";
export { submitProvider } from "./elsewhere/begin.ts";
export { finishSignIn } from "./elsewhere/callback.ts";
export { showCompanySignIn } from "./elsewhere/company-sign-in.ts";
export { beginConnect, showConnect, submitConnect } from "./elsewhere/connect.ts";
export { receivePostedCallback } from "./elsewhere/posted-callback.ts";
export { submitUpstreamChange } from "./elsewhere/upstream-change.ts";
export {
  pauseAgent,
  pauseCompanyAgent,
  resumeAgent,
  resumeCompanyAgent,
  showAgents,
  showCompanyAgents,
} from "./endpoints/agents.ts";
export { askAgain, askNextTime, endApp, narrowApp, revokeApp, showApps } from "./endpoints/allowed-apps.ts";
export { showRecover, submitRecover } from "./endpoints/ask-recovery.ts";
export { asset, errorCondition, home, logo } from "./endpoints/assets-and-error-docs.ts";
export {
  removeAuthenticator,
  renewRecoveryCodes,
  showAuthenticator,
  showRemoveAuthenticator,
  submitAuthenticator,
} from "./endpoints/authenticator.ts";
export { showChangePassword, submitChangePassword } from "./endpoints/change-password.ts";
export { decideApp, showCompanyApp } from "./endpoints/company-app.ts";
export {
  refuseRequest,
  revokeCompanyApp,
  setDefaultRule,
  setOptOut,
  showCompanyApps,
} from "./endpoints/company-apps.ts";
export {
  confirmRemoveConnection,
  findConnection,
  removeConnection,
  saveConnection,
  showConnection,
  showConnections,
} from "./endpoints/company-connections.ts";
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
export {
  confirmRemoveProvider,
  removeProvider,
  saveProvider,
  showOwnProvider,
  switchProvider,
  tryProvider,
} from "./endpoints/company-provider.ts";
export { showEmailLink, submitEmailLink } from "./endpoints/confirm-address.ts";
export { confirmLeave, confirmRemoval, confirmRevoke } from "./endpoints/confirm-company-change.ts";
export { showCreateCompany, submitCreateCompany } from "./endpoints/create-company.ts";
export { exportData, showExport } from "./endpoints/data-export.ts";
export { downloadReceipt, showHistory } from "./endpoints/history.ts";
export { removeIdentity, showRemoveIdentity } from "./endpoints/identities.ts";
export { chooseLanguage, showLanguages } from "./endpoints/language.ts";
export { removePasskey, showAddPasskey, showRemovePasskey, submitAddPasskey } from "./endpoints/passkeys.ts";
export {
  askNewEmail,
  askVerification,
  keepAccount,
  saveDetails,
  saveName,
  showDelete,
  showProfile,
  submitDelete,
} from "./endpoints/profile.ts";
export { submitProof } from "./endpoints/prove-before-recovery.ts";
export { showTakeBack, submitTakeBack } from "./endpoints/recover-account.ts";
export { showCompanies } from "./endpoints/require-membership.ts";
export { showSignOut, submitSignOut } from "./endpoints/require-sign-in.ts";
export { refuseStronger, submitPasskey, submitSecondStep } from "./endpoints/second-step.ts";
export { endSessions, showConfirm, showSecurity } from "./endpoints/security.ts";
export { showSignIn, submitSignIn, switchAccount } from "./endpoints/sign-in.ts";
export { showCreateAccount, showSignUp, submitCreateAccount, submitSignUp } from "./endpoints/sign-up.ts";
export { showRestore, submitRestore } from "./endpoints/undo-factor-removal.ts";
export { problemAnswer, refusedAnswer } from "./error-page.ts";
export {
  submitAcceptChallenge,
  submitReadChallenge,
  submitRejectChallenge,
} from "./external/back-channel.ts";
export { finishAtOwnPage } from "./external/return.ts";
export { confirmLogout, logout } from "./openid/logout.ts";
export { PageChromes } from "./page-chromes.ts";
export { picture, removePicture, savePicture } from "./pictures/picture.ts";
export { receiveUpload } from "./pictures/receive-upload.ts";
export { receiptKeys } from "./receipts/receipt-file.ts";
export { showVerifyReceipt, submitVerifyReceipt } from "./receipts/verify-receipt.ts";
