/** English: recovering an account by e-mail, and undoing a recovery. */

export const recovery = {
  takeBack: {
    proveTitle: "Confirm that it’s you",
    proveCode: "Before you choose a new password for the account {person}, enter a code from your authenticator app.",
    provePasskey: "Before you choose a new password for the account {person}, use one of its passkeys.",
    proveWith: "Use a passkey",
    proveNone: "No longer have any of these? Ask the people who run {product} for help.",
    throttled: {
      one: "Too many attempts. Wait a minute, then ask for a new link.",
      other: "Too many attempts. Wait {count} minutes, then ask for a new link.",
    },
    text: "For the account {person}. You will be signed out everywhere.",
    undoText: "The account {person} gets {email} back. You will be signed out everywhere.",
    changed: "The account was changed while this page was open. Check everything again, then choose the password.",
    leaving: "Your account was going to be deleted on {when}. If you go on, it will not be deleted.",
    stays:
      "Your account will not be deleted any more. To delete it after all, sign in and choose “Delete account” in your profile.",
    ways: "Ways to sign in",
    waysDoubtful:
      "These were added with a browser that was new to your account. Ticked ones will be removed. Untick those that you added yourself.",
    waysStates: { ticked: "Will be removed", open: "Stays" },
    waysKept: "These stay:",
    remove: "Remove: {way}",
    passkey: "Passkey “{name}”",
    authenticator: "Authenticator app",
    codes: "Recovery codes",
    added: "Added {when}",
    addedFrom: "Added {when} with {device}",
    place: "network {place}",
    used: "last used {when}",
    back: "Your previous authenticator app will work again.",
    backCodes: "Your previous ones will work again.",
    apps: "Apps with access",
    appsHint: "Ticked apps lose their access. The others keep it.",
    appsStates: { ticked: "Will lose access", open: "Keeps access" },
    staysPaused: "Stays paused",
    appsSince: "Apps connected, changed or resumed since {when} are ticked.",
    appsNone: "No app has access to your account.",
    appsEnding: "No app gets new access to your account. Apps that had access before can use it a little longer.",
    appsRevoked: "The access of all apps was revoked.",
    appsHidden:
      "Not shown: {count}. Those connected, changed or resumed since then lose their access. The others keep it.",
    connected: "Connected {when}",
    connectedDevice: "Connected {when} with a code from a device",
    latest: "again {when}",
    endChanged: "changed {when}",
    resumed: "resumed {when}",
    company: "Apps you connected for {company}",
    browsers: "Browsers",
    browsersText: "All browsers will be signed out. These were new since {when}:",
    doneText: "You were signed out everywhere. Sign in with the new password.",
    doneRemoved: "Removed: {list}.",
    doneBack: "Work again: {list}.",
    previous: { authenticator: "Previous authenticator app", codes: "Previous recovery codes" },
    doneKept: "You can still sign in with: {list}.",
    doneEnded: "Access revoked: {list}.",
    doneApps: "Still have access: {list}.",
    donePaused: "Still paused: {list}.",
    restoreTitle: "Restore your ways to sign in?",
    restoreText:
      "On {when}, somebody chose a new password for the account {person} with a link from an e-mail, and removed:",
    restoreThen:
      "If that was you, do nothing. If not, restore them: everybody is signed out, the new password stops working, and ways to sign in that were added since then with a new browser are removed. Then choose a new password. You may need one of these ways to sign in.",
    restoreApps:
      "Apps lose access that they got since then, for you or for a company, and permissions whose end was changed since then. Your own answers for companies since then are forgotten. Apps that were resumed since then are paused again. Apps whose access was revoked since then stay without it: connect them again afterwards.",
    restoreExpired:
      "It stopped working {when}. Nothing was changed. The removed ways to sign in can’t come back any more, and the present password stays. If you don’t know it, choose a new one.",
    restoreYes: "Restore them",
    restoredTitle: "Your ways to sign in are restored",
    restoredText: "Everybody is signed out, and the password no longer works. Choose a new one now.",
    restoredFirst: "Everybody is signed out, and the password no longer works.",
    moved: "The account’s e-mail address is no longer {email}: it was changed on {when}, and stays changed.",
    movedThen:
      "If that wasn’t you, restore first. Afterwards, you can get a link sent to {email} that takes the address back.",
    movedNow:
      "If that wasn’t you, get a link sent to {email}. It takes the address back and lets you choose a new password. A link that you ask for with your username goes to the other address.",
    movedMail:
      "If that wasn’t you, enter {email} on the page, not your username. We then send a link to {email} that takes the address back and lets you choose a new password.",
    movedLate: "No link can take that back any more. If it wasn’t you, ask the people who run {product} for help.",
    movedSend: "Send a link to {email}",
    pausedAgain: "Paused again: {list}.",
    companiesKeep:
      "What was changed at your companies since the removal stays: rules about apps, connections, members, and new companies. Only open invitations in your name are withdrawn. Check your companies.",
    doneLost: "Permissions revoked: {list}.",
    lostSoon: {
      one: "These permissions end within 1 minute.",
      other: "These permissions end within {count} minutes.",
    },
    restoredApps:
      "Apps whose access was revoked since the removal stay without it. To use one again, connect it again.",
  },
} as const;
