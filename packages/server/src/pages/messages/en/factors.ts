/** English: ways to sign in beside a password, and where one is signed in. */

export const factors = {
  secondStep: {
    title: "One more step",
    intro: "Enter the code that your authenticator app shows for this account.",
    introPasskey: "Use a passkey to confirm that it is you.",
    as: "Signing in as {person}",
    code: "6-digit code",
    submit: "Continue",
    lost: "You don’t have your authenticator app?",
    recovery: "Recovery code",
    recoveryHint: "One of the codes that you wrote down. Each works once.",
    wrong: "That code isn’t right, or it was used already. Wait for the next one and enter that.",
    wrongRecovery: "That is none of your recovery codes, or it was used already.",
    missing: "Enter the code.",
    over: "Sign in as somebody else",
  },

  stronger: {
    title: "This needs a safer way to sign in",
    intro:
      "{app} asks for something that your account may only allow after a sign-in with more than a password. You haven’t set one up yet.",
    introPasskey:
      "{app} asks for something that your account may only allow after a sign-in with a passkey. You haven’t added one yet.",
    authenticator: "Set up an authenticator app",
    passkey: "Add a passkey",
    deny: "Don’t allow, and go back",
  },

  passkey: {
    use: "Sign in with a passkey",
    noScript: "Passkeys need JavaScript and a browser that knows them. You can sign in with your password.",
    noScriptSecond:
      "Passkeys need JavaScript and a browser that knows them. Switch it on for this page, or use another browser.",
    failed: "This passkey can’t be used here. Try again, or sign in another way.",
    cancelled: "Nothing was sent: the passkey was not used. Try again, or sign in another way.",
  },

  passkeys: {
    title: "Passkeys",
    intro: "Sign in with your fingerprint, face or screen lock, without a password. No other site can get hold of it.",
    unavailable: "Passkeys can’t be used at this address.",
    add: "Add a passkey",
    used: "last used {when}",
    unused: "never used",
    synced: "Kept in sync by its provider",
    bound: "On one device only",
    remove: "Remove",
    removeNamed: "Remove the passkey {name}",
    name: "Name",
    nameHint: "So that you recognize it later, such as “Work laptop”.",
    addTitle: "Add a passkey",
    addIntro: "Your browser will ask where to keep it: on this device, on a phone or on a security key.",
    addNoScript: "To add a passkey, switch on JavaScript for this page, in a browser that knows passkeys.",
    doneAdded: "Your passkey was added. You can sign in with it from now on.",
    doneRemoved: "The passkey was removed. It can’t sign in any more; delete it on your device, too.",
    last: "This is your only way to sign in. Choose a password or add another passkey first.",
    wrong: {
      failed: "This passkey could not be added. Try again.",
      cancelled: "No passkey was made. Try again.",
      taken: "This passkey has been added already.",
      full: "You can’t have more passkeys than these. Remove one first.",
      name: "Give it a name of 1 to 60 visible characters in one alphabet.",
    },
  },

  identities: {
    title: "Identities from other services",
    intro:
      "These services can tell this server who you are. Apps that they vouch for then act for you without your sign-in here.",
    since: "Linked {when}",
    remove: "Remove",
    removeNamed: "Remove the identity from {issuer}",
    ask: "Remove this identity?",
    ends: "{issuer} can’t say who you are here any more.",
    stays: "Apps keep the access that they have. You can end it on the page “Apps”.",
    again:
      "Whoever runs this server can link the identity again. If the service knows your e-mail address, that can also happen by itself.",
    doneRemoved: "The identity was removed.",
    last: "Without a password or a passkey, you could not get in any more. Choose a password or add a passkey first.",
  },

  authenticator: {
    title: "Authenticator app",
    intro: "After your password, you enter a code that an app on your phone shows.",
    off: "Not set up.",
    earlier:
      "The authenticator app that you had before can still confirm that it is you when you recover the account by e-mail. “Remove” removes both apps.",
    setUp: "Set up",
    replace: "Move to another phone",
    remove: "Remove",
    setUpTitle: "Set up an authenticator app",
    scan: "Scan this with an authenticator app. The password app of your phone may be one.",
    qr: "QR code with the secret below",
    secret: "Or type this in:",
    code: "6-digit code that the app shows now",
    submit: "Turn on",
    wrong: "That code isn’t right. Check that your phone shows the right time, and enter the code that it shows now.",
    expired: "This page was open for too long. Here is a new code to scan.",
    doneRemoved: "The authenticator app was removed. From now on, your password alone signs you in.",
  },

  recovery: {
    title: "Recovery codes",
    left: { one: "1 code left", other: "{count} codes left" },
    none: "No codes left. Make new ones before you need one.",
    renew: "Make new codes",
    newTitle: "Your recovery codes",
    newIntro:
      "Each signs you in once, in place of a code from the app. Print them or write them down, and keep them with your important papers: they are shown only this once.",
    newOld: "Codes that you had before don’t work any more.",
    download: "Save as a file",
    go: "I have saved them",
  },

  sessions: {
    title: "Where you are signed in",
    intro: "Signing out ends nothing of what you allowed to apps: see {apps} for that.",
    apps: "Your apps",
    here: "This browser",
    device: "{browser} on {system}",
    unknown: "Unknown browser",
    from: "from {place}",
    since: "Signed in {when}",
    seen: "last seen {when}",
    end: "Sign out",
    endNamed: "Sign out {device}, last seen {when}",
    endOthers: "Sign out everywhere else",
    endAll: "Sign out everywhere",
    doneOne: "That browser is signed out.",
    doneOthers: "You are signed out everywhere else. Apps keep the access that you allowed them.",
  },
} as const;
