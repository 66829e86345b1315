/**
 * What the pages say, in English. `{holes}` are filled by the page; entries with `one` and `other` are chosen by number.
 * Another language is a file like this one, with the same keys and the same holes.
 */
export const en = {
  language: "en",
  direction: "ltr",
  product: "Assent",
  documentTitle: "{title} · Assent",
  home: "Assent, your apps",
  newTab: "(opens in a new tab)",

  signIn: {
    title: "Sign in",
    titleFor: "Sign in to go on to {app}",
    introAlone: "See which apps use your account, and decide about them.",
    introFor: "Your password stays here. The app doesn’t get to see it.",
    titleAgain: "Sign in again",
    introAgain: "You are signed in as {person}. Please enter your password once more, so that we know it is you.",
    username: "Username",
    password: "Password",
    submit: "Sign in",
    wrong: "That username and password don’t belong together. Check both and try again.",
    missing: "Enter your username and your password.",
    missingPassword: "Enter your password.",
    throttled: {
      one: "Too many tries in a row. Wait a minute, then try again.",
      other: "Too many tries in a row. Wait {count} minutes, then try again.",
    },
    stale: "This page was open for too long, or your browser refuses cookies. Please sign in once more.",
  },

  consent: {
    title: "{app} wants to use your account",
    titleMore: "{app} wants to do more with your account",
    titleAgain: "{app} asks to use your account again",
    thisDevice: "{host} (this device)",
    appOnDevice: "An app on this device, {host}",
    what: "It will be able to",
    whatMore: "New: it will also be able to",
    whatAgain: "What you have allowed already",
    granted: {
      one: "1 thing you have allowed already",
      other: "{count} things you have allowed already",
    },
    account: "Your account",
    choose: "Untick what you don’t want to allow.",
    required: "Required",
    sensitive: "Sensitive",
    duration: "For how long",
    asWhom: "Signed in as",
    switch: "Not you? Use another account",
    nextWeb: "You go back to {host}.",
    nextDevice: "You go back to the app on this device.",
    nextUndo: "You can take this back any time under {apps}.",
    apps: "Your apps",
    allow: "Allow",
    deny: "Don’t allow",
    policy: "Privacy policy",
    terms: "Terms of service",
    links: "About {app}:",
    stale: "This page was open for too long, so nothing was sent. Please look again and decide.",
    badDuration: "That length of time can’t be chosen. Pick one from the list.",
    nothing: "Nothing was ticked. Tick what you want to allow, or choose “Don’t allow”.",
  },

  duration: {
    once: "Only this once",
    forever: "Until I revoke it",
    second: { one: "1 second", other: "{count} seconds" },
    minute: { one: "1 minute", other: "{count} minutes" },
    hour: { one: "1 hour", other: "{count} hours" },
    day: { one: "1 day", other: "{count} days" },
    year: { one: "1 year", other: "{count} years" },
  },

  apps: {
    title: "Your apps",
    intro: {
      one: "This app can use your account. You can take that back at any time.",
      other: "These {count} apps can use your account. You can take that back at any time.",
    },
    signedIn: "Signed in as {person}",
    emptyTitle: "No app uses your account",
    emptyText: "When you allow an app to use your account, it appears here, and you can take it back.",
    can: "It can",
    more: { one: "and 1 more", other: "and {count} more" },
    until: "ends {when}",
    granted: "Allowed",
    used: "Last used",
    ends: "Ends",
    never: "Not used yet",
    noEnd: "When you revoke it",
    revoke: "Revoke access",
    revokeOf: "of {app}",
    narrow: "Change what it can do",
    narrowHint: "Untick what the app should no longer do. To take everything back, revoke its access.",
    narrowSubmit: "Save",
    required: "Required",
    theft:
      "An old key of this app was used {when}, so we disconnected it. The app may have a fault, or somebody copied the key. If you don’t trust the app any more, revoke its access.",
    revoked: "{app} can’t use your account any more.",
    revokedSoon: {
      one: "{app} can’t use your account any more. What it had open stops within a minute.",
      other: "{app} can’t use your account any more. What it had open stops within {count} minutes.",
    },
    narrowed: "{app} can do less now.",
    narrowedSoon: {
      one: "{app} can do less now. It takes up to a minute until this holds everywhere.",
      other: "{app} can do less now. It takes up to {count} minutes until this holds everywhere.",
    },
    gone: "That app had no access any more. Nothing was left to change.",
  },

  signOut: {
    button: "Sign out",
    title: "Do you want to sign out?",
    text: "You are signed in as {person}. Apps that you allowed keep their access.",
    stay: "Stay signed in",
    doneTitle: "You are signed out",
    doneText: "Nobody can see or change your account in this browser now.",
    again: "Sign in again",
  },

  formPost: {
    title: "Going back to the app",
    text: "Your answer goes to {host}. If nothing happens, press the button.",
    submit: "Go on",
  },

  problem: {
    forDevelopers: "For the developer of the app",
    reference: "Reference",
  },

  condition: {
    error: "Error code",
    status: "HTTP status",
    section: "Defined in",
    clientSees: "What the client reads",
    help: "What to do",
    others: "More with the code {code}",
    documentTitle: "{name} (error)",
  },

  time: {
    now: "just now",
    soon: "in a moment",
  },
} as const;
