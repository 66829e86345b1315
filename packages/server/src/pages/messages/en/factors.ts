/** English: passkeys, authenticator apps, recovery codes, other identities and sessions. */

export const factors = {
  secondStep: {
    title: "One more step",
    intro: "Enter the code that your authenticator app shows for this account.",
    introPasskey: "Use a passkey to confirm that it’s you.",
    as: "Signing in as {person}",
    code: "6-digit code",
    submit: "Continue",
    lost: "Don’t have your authenticator app?",
    recovery: "Recovery code",
    recoveryHint: "One of the codes you saved. Each works once.",
    wrong: "That code is wrong or was already used. Wait for the next code and enter it.",
    wrongRecovery: "That isn’t one of your recovery codes, or it was already used.",
    untrustedRecovery:
      "This code was created or restored in a browser that was new to your account, so it can’t confirm that it’s you here. Use an older recovery code or your authenticator app.",
    untrustedPasskey:
      "This passkey was added in a browser that was new to your account, so it can’t confirm that it’s you here. Use another passkey. You can still sign in with this one.",
    missing: "Enter the code.",
    over: "Use another account",
  },

  stronger: {
    title: "This needs a more secure sign-in",
    intro: "{app} asks for access that needs a second step at sign-in. You haven’t set one up yet.",
    introPasskey: "{app} asks for access that needs a sign-in with a passkey. You haven’t added one yet.",
    elsewhere: "You can also sign in with a service that asks you for a second step:",
    authenticator: "Set up an authenticator app",
    passkey: "Add a passkey",
    deny: "Don’t allow, and go back",
  },

  passkey: {
    use: "Sign in with a passkey",
    noScript: "Passkeys need JavaScript and a browser that supports them. You can sign in with your password.",
    noScriptSecond:
      "Passkeys need JavaScript and a browser that supports them. Turn on JavaScript for this page, or use another browser.",
    failed: "This passkey can’t be used here. Try again, or sign in another way.",
    cancelled: "The passkey wasn’t used. Try again, or sign in another way.",
  },

  passkeys: {
    title: "Passkeys",
    intro:
      "Sign in with your fingerprint, face or screen lock instead of a password. No other site can use your passkey.",
    unavailable: "Passkeys can’t be used at this address.",
    add: "Add a passkey",
    used: "last used {when}",
    unused: "never used",
    synced: "Synced by its provider",
    bound: "On one device only",
    remove: "Remove",
    removeNamed: "Remove the passkey {name}",
    ask: "Remove this passkey?",
    ends: "You won’t be able to sign in with “{name}”.",
    name: "Name",
    nameHint: "For example, “Work laptop”.",
    addTitle: "Add a passkey",
    addIntro: "Your browser will ask where to save it: on this device, on a phone or on a security key.",
    addNoScript: "To add a passkey, turn on JavaScript for this page in a browser that supports passkeys.",
    doneAdded: "Your passkey was added. You can now sign in with it.",
    doneRemoved: "The passkey was removed and no longer works. Delete it on your device, too.",
    last: "This is your only way to sign in. Choose a password or add another passkey first.",
    wrong: {
      failed: "This passkey could not be added. Try again.",
      cancelled: "No passkey was created. Try again.",
      taken: "You already added this passkey.",
      full: "You have the maximum number of passkeys. Remove one first.",
      name: "Enter a name of 1 to 60 visible characters in one alphabet.",
    },
  },

  identities: {
    title: "Identities from other services",
    intro:
      "These services can confirm who you are. Apps that they vouch for can then act for you without a sign-in here.",
    since: "Linked {when}",
    remove: "Remove",
    removeNamed: "Remove the identity from {issuer}",
    ask: "Remove this identity?",
    ends: "{issuer} can no longer confirm who you are here.",
    stays: "Apps keep the access they have. You can revoke it in “Apps”.",
    again:
      "The people who run this service can link the identity again. If that service knows your e-mail address, it can also be linked automatically.",
    doneRemoved: "The identity was removed.",
    last: "Without a password or a passkey, you couldn’t sign in any more. Choose a password or add a passkey first.",
  },

  authenticator: {
    title: "Authenticator app",
    intro: "After your password, you enter a code from an app on your phone.",
    off: "Not set up.",
    earlier:
      "Your previous authenticator app can still confirm that it’s you when you recover the account by e-mail. “Remove” removes both apps.",
    setUp: "Set up",
    replace: "Move to another phone",
    remove: "Remove",
    ask: "Remove the authenticator app?",
    ends: "After that, you sign in without a code. Your recovery codes stop working, too.",
    setUpTitle: "Set up an authenticator app",
    scan: "Scan this with an authenticator app. Your phone’s password app may be one.",
    qr: "QR code with the secret below",
    open: "Open in an authenticator app",
    secret: "Or enter this key:",
    code: "6-digit code from the app",
    submit: "Turn on",
    wrong: "That code is wrong. Check that your phone’s time is correct, and enter the current code.",
    expired: "This page was open too long. Here is a new code to scan.",
    doneRemoved: "The authenticator app was removed. You no longer enter its code after your password.",
  },

  recovery: {
    title: "Recovery codes",
    left: { one: "1 code left", other: "{count} codes left" },
    none: "No codes left. Create new ones before you need one.",
    renew: "Create new codes",
    newer:
      "This time, nothing was changed. Your newest recovery codes still work, but they are shown only once. If you didn’t save them, create new ones.",
    newTitle: "Your recovery codes",
    newIntro:
      "Each code signs you in once, in place of a code from the app. Print them or write them down, and keep them in a safe place. They are shown only once.",
    newOld: "Your old codes no longer work.",
    newOldKept:
      "Your old codes no longer sign you in. Keep them: they still confirm that it’s you when you recover the account by e-mail.",
    untrusted:
      "Codes that were created or restored in a browser new to your account can’t confirm that it’s you when you recover the account by e-mail. Create codes again once you have used a browser for 7 days.",
    download: "Save as a file",
    go: "I have saved them",
  },

  sessions: {
    title: "Where you are signed in",
    intro: "Signing out doesn’t change what apps may do. To change that, go to {apps}.",
    apps: "Your apps",
    here: "This browser",
    device: "{browser} on {system}",
    unknown: "Unknown browser",
    from: "From {place}",
    since: "Signed in {when}",
    seen: "last seen {when}",
    end: "Sign out",
    endNamed: "Sign out {device}, last seen {when}",
    endOthers: "Sign out everywhere else",
    endAll: "Sign out everywhere",
    doneOne: "That browser was signed out.",
    doneOthers: "You’re signed out everywhere else. Apps keep their access.",
  },
} as const;
