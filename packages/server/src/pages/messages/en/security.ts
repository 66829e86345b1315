/** English: passwords, sign-up, e-mail addresses, the profile and deletion. */

export const security = {
  cancel: "Cancel",

  security: {
    title: "Security",
    back: "Back to Security",
    intro: "How you sign in, and where you’re signed in.",
    password: "Password",
    passwordSince: "Set {when}",
    passwordNone: "You don’t have a password.",
    passwordUnknown: "Your password no longer works, because your ways to sign in were restored.",
    passwordByMail: "Choose a new one with a link that we send you.",
    emailMoved:
      "The account’s e-mail address was changed on {when}. If that wasn’t you, ask for the link with your earlier e-mail address, not with your username. It takes the address back and lets you choose a new password.",
    passwordAsk: "Ask the people who run {product} for a new one.",
    passwordChange: "Change password",
    passwordSet: "Choose a password",
    passwordDone: "Your new password was saved.",
    companyAppsEnded: "If you connected apps for a company, you must connect them again.",
  },

  password: {
    title: "Change your password",
    titleSet: "Choose a password",
    titleMust: "Choose a new password",
    introMust: "Somebody else may know the password that you signed in with. Choose a new one to continue.",
    current: "Current password",
    new: "New password",
    again: "Confirm new password",
    hint: "At least 8 characters. A few random words are hard to guess and easy to remember.",
    endSessions: "Sign out everywhere else",
    endApps: "Revoke the access of all apps",
    endAppsHint: "Keep this selected if somebody else may know your password. You can allow your apps again later.",
    endAppsIf: "Select this if somebody else may have used your account. You can allow your apps again later.",
    show: "Show",
    hide: "Hide",
    showLabel: "Show password",
    hideLabel: "Hide password",
    strength: { short: "Too short", weak: "Weak: easy to guess", good: "Good", strong: "Strong" },
    submit: "Change password",
    wrong: {
      noCurrent: "Enter your current password.",
      unknown: "Your password no longer works. First choose a new one under “Security”.",
      current: "That isn’t your current password.",
      missing: "Enter a new password.",
      stale: "You signed in a while ago. Sign out, sign in again, then choose a password.",
      differ: "This doesn’t match the password above. Enter the same password twice.",
      same: "That is already your password. Choose another one.",
      malformed: "This password has a character that can’t be used. Choose another one.",
      short: "Too short. Use at least 8 characters.",
      long: "Too long. Use at most 1,024 bytes.",
      name: "Too easy to guess, because it is your name. Choose another one.",
      common: "Too common. Choose another one.",
    },
  },

  recover: {
    link: "Forgot your password?",
    title: "Choose a new password",
    intro: "Enter your username or e-mail address. We’ll send you a link.",
    login: "Username or e-mail address",
    submit: "Send the link",
    missing: "Enter your username or e-mail address.",
    stale: "This page was open too long, or your browser blocks cookies. Try again.",
    submitNew: "Save password",
    doneTitle: "Your password was changed",
  },

  sent: {
    title: "Check your inbox",
    recover:
      "If there is an account with a password and a verified e-mail address, we’ve sent a link by e-mail. The link works once, for 15 minutes.",
    signUp: "We’ve sent a message to {email}. Its link works once, for an hour.",
    hint: "No message after a few minutes? Check your spam folder, or ask again.",
    recoverHint:
      "No message after a few minutes? Check your spam folder, or ask again. If none comes, ask the people who run {product} for help.",
    full: "Too many messages are waiting, so we couldn’t send yours. Try again in a few minutes.",
    back: "Back to sign-in",
  },

  link: {
    incomplete: {
      title: "This link is incomplete",
      text: "Part of the address is missing. Open the link in the message again, or copy the whole address. Nothing was changed.",
    },
    expired: { title: "This link has expired", text: "It stopped working {when}. Nothing was changed." },
    used: { title: "This link was already used", text: "It works only once. Nothing was changed this time." },
    ended: { title: "This link no longer works", text: "It was already used, or it has expired. Nothing was changed." },
    overtaken: {
      title: "This link no longer works",
      text: "It was already used, it has expired, or a change of your account ended it, such as a new password. Nothing was changed this time.",
    },
    usedSignUp: "An account with this address already exists.",
    usedEnter: "Sign in to it.",
    usedByYou: "Your account was created with it.",
    usedByAnother: "An account with this address already exists. To use it, sign out first.",
    again: "Ask for a new link",
    anotherBrowserTitle: "This link doesn’t work in this browser",
    anotherBrowserText:
      "It works only in the browser that you have used the longest for this account. Open the link there. If you no longer have that browser, ask the people who run {product} for help. Nothing was changed.",
    takenTitle: "This address can’t be used",
    takenText: "Another account already uses it. Nothing was changed.",
    account: "Go to your account",
  },

  signUp: {
    link: "Create an account",
    title: "Create an account",
    intro: "We’ll send you a link to continue.",
    email: "E-mail address",
    submit: "Send the link",
    emailWrong: "Enter an e-mail address such as name@example.com.",
    newText: "Your e-mail address is {email}.",
    username: "Username",
    usernameHint: "Letters, digits and . _ - without spaces. You’ll sign in with it.",
    name: "Your name",
    nameHint: "This is how others see you. Optional.",
    again: "Confirm password",
    create: "Create account",
    usernameWrong:
      "Use only letters, digits and . _ - from one alphabet, at most 64, and start with a letter or digit.",
    usernameTaken: "That username is taken. Choose another one.",
    nameWrong: "This name can’t be used. Use up to 120 visible characters on one line, in one alphabet.",
  },

  /** For people who sign up or choose a new password, and afterwards continue to an app, a device or an invitation. */
  waiting: {
    signInTitle: "Sign in to join {company}",
    invitedBy: {
      member: "{person} invited you to join {company} as a member.",
      admin: "{person} invited you to join {company} as an admin.",
    },
    invited: {
      member: "You are invited to join {company} as a member.",
      admin: "You are invited to join {company} as an admin.",
    },
    promotedBy: "{person} invites you to become an admin of {company}, where you are a member.",
    promoted: "You are invited to become an admin of {company}, where you are a member.",
    invitedNeedlessly:
      "{person} invited you to {company}, but you belong to it already. This invitation changes nothing.",
    invitedOnly: "Use the username or e-mail address that the invitation is for.",
    invitedAddress: "Use the e-mail address that the invitation is for.",
    /** Shown to somebody who is already signed in. */
    onward: {
      app: "You can now continue to {app}.",
      device: "You can now connect your device if it still shows its code.",
    },
    /** Shown on pages that ask for an address or a password. */
    next: {
      app: "After that, you continue to {app}.",
      device: "After that, you can connect your device if it still shows its code.",
    },
    sent: {
      app: "Open the link in this browser to continue to {app}. If you open it on another device, come back to this page afterwards.",
      device:
        "Open the link in this browser to connect your device. If you open it somewhere else, come back to this page afterwards. The code on the device is valid for a few minutes only. You can get a new one there.",
      invitation:
        "Open the link in this browser to join {company}. If you open it on another device, come back to this page afterwards.",
    },
    /** Shown if the link was opened in another browser than the one that asked for it. */
    elsewhere: {
      app: "To continue to {app}, go back to the browser where you started, and sign in there.",
      device:
        "If your device still shows its code, go back to the browser where you started, and sign in there to connect it.",
      invitation: "To join {company}, go back to the browser where you started, or open the invitation’s link again.",
    },
    elsewhereFirst: {
      app: "You started in another browser. Create your account here. Then go back to the browser where you started to continue to {app}.",
      device:
        "You started in another browser. Create your account here. If your device still shows its code then, go back to the browser where you started to connect it.",
      invitation:
        "You started in another browser. Create your account here. Then go back to the browser where you started to join {company}.",
    },
    expired: "The request from {app} has expired, because it was started more than an hour ago. Start again.",
    expiredFirst: "The request from {app} has expired. Create your account, and then start again from {app}.",
    withdrawn:
      "The invitation to {company} isn’t valid any more. Use the newest invitation, or ask an admin of {company}.",
    withdrawnFirst:
      "The invitation to {company} isn’t valid any more. You can still create your account. To join {company}, you need a new invitation.",
    readyTitle: "Your account is ready",
    readyText: "You are signed in as {person} in this browser.",
    gone: "If an app or a company sent you here, go back to it and start again.",
  },

  confirm: {
    verifyTitle: "Is this your e‑mail address?",
    verifyText: "{email} is the address of the account {person}. Confirm only if both are yours.",
    changeTitle: "Change your e‑mail address?",
    changeText: "The address of the account {person} will become {email}. Confirm only if both are yours.",
    yes: "Yes, both are mine",
    doneTitle: "Address confirmed",
    doneText: "{email} is now the verified address of the account {person}.",
    undoTitle: "Undo the change of address",
    undoSubmit: "Undo the change",
    undoneTitle: "The account is yours again",
    undoneText: "Its address is {email} again. Sign in with the new password.",
  },

  profile: {
    title: "Profile",
    intro: "Your name, address and data.",
    username: "Username",
    name: "Name",
    nameSave: "Save",
    nameSaved: "Your name was changed.",
    picture: "Picture",
    pictureText:
      "Optional. Apps that you allow to see your profile can show your picture. Anybody who knows its address can open it.",
    pictureFile: "Picture file",
    pictureHint:
      "PNG, JPEG, WebP or GIF, at most 8 MB. We keep the middle as a small square, without the place and the time of the photo.",
    pictureSave: "Upload",
    pictureRemove: "Remove",
    pictureSaved: "Your picture was changed.",
    pictureRemoved: "Your picture was removed.",
    pictureWrong: {
      none: "Choose a file first.",
      too_large: "The file is larger than 8 MB. Choose a smaller one.",
      no_picture: "The file is not a PNG, JPEG, WebP or GIF picture. Choose another one.",
      unreadable: "We can’t read this picture. It is damaged or too large. Choose another one.",
      too_many: "You’ve uploaded too many pictures. Try again in an hour.",
      busy: "Too many files are arriving. Try again in a minute.",
    },
    about: "About you",
    aboutText:
      "All of this is optional. Apps that you allow to see your profile, phone number or postal address can read it.",
    detailsSaved: "Your details were changed.",
    details: {
      givenName: "Given name",
      middleName: "Middle name",
      familyName: "Family name",
      nickname: "Nickname",
      birthdate: "Date of birth",
      gender: "Gender",
      locale: "Language and region",
      zoneinfo: "Time zone",
      website: "Website",
      profileUrl: "Profile page on another website",
      phoneNumber: "Phone number",
      street: "Street and house number",
      postalCode: "Postal code",
      locality: "City or town",
      region: "State or province",
      country: "Country",
    },
    detailHints: {
      locale: "For example: en-GB",
      zoneinfo: "For example: Europe/London",
      website: "For example: https://ada.example",
      profileUrl: "For example, on a social network",
      phoneNumber: "With the country code, for example: +44 20 7946 0000",
    },
    detailWrong: {
      text: "Use visible characters on one line, in one alphabet, or a shorter text.",
      birthdate: "Enter a date from 1800 to today.",
      locale: "Enter a language tag, for example: en-GB",
      zoneinfo: "Enter the name of a time zone, for example: Europe/London",
      website: "Enter the whole address in at most 500 characters, for example: https://ada.example",
      profileUrl: "Enter the whole address in at most 500 characters, for example: https://ada.example",
      phoneNumber: "Enter the number with its country code, for example: +44 20 7946 0000",
    },
    email: "E-mail address",
    verified: "Verified",
    unverified: "Not verified",
    unverifiedText:
      "Until it is verified, we can’t send you a link if you forget your password, and we send no messages about changes to your account.",
    verify: "Send a verification link",
    verifySent: "We’ve sent a message to {email}. Its link works once, for an hour.",
    change: "Change",
    newEmail: "New e-mail address",
    changeSubmit: "Send a link",
    changeSent:
      "We’ve sent a message to {email}. Open its link to change your address. The link works once, for an hour.",
    changeSame: "That is already your address.",
    tooMany: "Too many messages were requested. Try again in an hour.",
    data: "Your data",
    dataText: "Download everything we store about you.",
    download: "Download",
    delete: "Delete your account",
    deleteText: "This deletes your account and all your own data.",
    deleteLink: "Delete account",
    pending: "Your account will be deleted on {when}.",
    keep: "Keep my account",
    kept: "Your account will be kept.",
  },

  dataExport: {
    title: "Download your data",
    text: "One file (JSON) with everything we store about you: account, sign-ins, apps, companies and history.",
    care: "Keep it where nobody else can read it.",
    back: "Back to your profile",
  },

  deletion: {
    title: "Delete your account?",
    text: "It will be deleted on {when}. Until then, you can sign in and choose “Keep my account”. After that, nobody can restore it.",
    now: "Right away, you’re signed out everywhere else, and all apps are disconnected.",
    notBack: "It doesn’t come back if you keep your account.",
    later:
      "On that day, your account and all your own data are deleted, and others can take your username and e-mail address.",
    stays:
      "Companies keep the history of what you did for them, without your name. Apps keep the data that they already have.",
    submit: "Delete my account",
    keep: "Keep my account",
    soleAdmin:
      "You can’t delete your account yet, because you’re the only admin of {companies}. Make somebody else an admin first, or ask the people who run this service.",
  },
} as const;
