/** English: texts of all pages, sign-in and sign-out, devices, and errors. */

export const pages = {
  documentTitle: "{title} · {product}",
  errorTitle: "Error: {title}",
  skip: "Skip to the content",
  home: "{product}, your apps",
  newTab: "(opens in a new tab)",
  languages: { label: "Language", choose: "Language of these pages" },

  signIn: {
    title: "Sign in",
    titleFor: "Sign in to continue to {app}",
    introAlone: "See which apps have access to your account, and manage them.",
    introFor: "Your password stays here. The app never sees it.",
    titleAgain: "Sign in again",
    introAgain: "You’re signed in as {person}. Enter your password again to confirm that it’s you.",
    introOther: "You’re signed in as {person}, but this app asks for a different account. Sign in with that one.",
    chooseFor: "Choose an account for {app}",
    stays: "You stay signed in as {person} until you sign in with another account.",
    stay: "Go back",
    chooseIntro:
      "You’re signed in as {person}. To continue with this account, enter its password. To use another account, enter its username and password.",
    username: "Username or e-mail address",
    password: "Password",
    submit: "Sign in",
    wrong: "The username, e-mail address or password is wrong. Check them and try again.",
    missing: "Enter your username or e-mail address, and your password.",
    missingPassword: "Enter your password.",
    throttled: {
      one: "Too many attempts. Wait a minute, then try again.",
      other: "Too many attempts. Wait {count} minutes, then try again.",
    },
    stale: "This page was open too long, or your browser blocks cookies. Sign in again.",
  },

  signOut: {
    button: "Sign out",
    title: "Sign out?",
    text: "You’re signed in as {person} in this browser. Apps that you allowed keep their access.",
    asked: "An app wants to sign you out in this browser. Apps that you allowed keep their access.",
    plain: "You’ll be signed out in this browser. Apps that you allowed keep their access.",
    leads: "After that, you go to {host}.",
    stay: "Stay signed in",
    doneTitle: "You’re signed out",
    doneText: "Nobody can see or change your account in this browser.",
    doneElsewhere:
      "You may still be signed in at {provider}. Then anybody who uses this browser can sign in here without a password. Sign out there, too.",
    doneApps: "Apps that you allowed keep their access.",
    again: "Sign in again",
  },

  device: {
    title: "Connect a device",
    intro: "Enter the code shown on your device.",
    compare:
      "Continue only if the device in front of you shows this code. If somebody sent you the link, close this page.",
    code: "Code",
    hint: "8 letters. Capitals, dashes and spaces make no difference.",
    submit: "Continue",
    unknown:
      "No device is waiting with that code. A letter may be wrong, or the device was connected already, or the code has expired. Check the code, or get a new one on the device.",
    missing: "Enter the code.",
    throttled: {
      one: "Too many wrong codes. Wait a minute, then try again.",
      other: "Too many wrong codes. Wait {count} minutes, then try again.",
    },
    stale: "This page was open too long, or your browser blocks cookies. Enter the code again.",
    signIn: "Sign in to connect your device",
    signInIntro: "Your password stays here. The device never sees it.",
    itsCode: "Code on the device",
    itsAddress: "The device’s address",
    fromHere: "{address} (your network)",
    fromElsewhere: "{address} (not your network)",
    fromUnknown: "Unknown",
    when: "Requested",
    warning:
      "Did somebody call you or write to you about this? Choose “{refuse}”. Allow it only if you started this yourself and the device in front of you shows this code. If you allow it, whoever has the device can use your account as you allow here.",
    next: "Your device continues by itself.",
    elsewhereTitle: "Is this your device?",
    elsewhereText:
      "{app} asked from a different network than yours. That can be normal, for example if your phone isn’t on the same Wi-Fi as the device.",
    elsewhereYes: "Yes, it’s mine",
    elsewhereNo: "No, refuse it",
    allowedTitle: "{app} is connected",
    allowedText: "Go back to your device. It continues in a few seconds. You can close this page.",
    allowedBefore:
      "Go back to your device. It continues in a few seconds with what you ticked, and with nothing new. You can close this page.",
    deniedTitle: "{app} was not connected",
    deniedText: "The device can’t use your account. You can close this page.",
    deniedKeepsTitle: "Nothing changed for {app}",
    deniedKeeps:
      "The app keeps the access that you allowed before. To end it, revoke the app in your apps. You can close this page.",
    deniedKeepsFor:
      "If the app has access for {company} already, it keeps it. You can end it on the company’s page. You can close this page.",
    nothingText:
      "Your account isn’t permitted to allow what the device asked for. Nothing was shared. You can close this page.",
    apps: "Go to your apps",
  },

  heldError: {
    title: "Something is wrong with {app}’s request",
    wrong: "The app made a mistake in its request. Nothing was shared.",
    denied: "The app can’t get what it asked for. Nothing was shared.",
    leads: "“Continue” takes you to {host} and tells the app what went wrong. Continue only if you trust that address.",
    submit: "Continue",
  },

  formPost: {
    title: "Returning to the app",
    text: "Your answer is being sent to {host}. If nothing happens, select “Continue”.",
    submit: "Continue",
  },

  /** The error pages that people see. */
  problems: {
    apps: "Go to your apps",
    startAgain: "Start again",
    other: {
      title: "This request doesn’t work",
      text: "The app made a mistake in its request. Nothing was shared. Go back to the app. If it happens again, tell the app’s developer.",
    },
    clientUnknown: {
      title: "This app can’t be used here",
      text: "The link that brought you here names an app that isn’t registered, or that was turned off by the people who run this service. Nothing was shared. Go back to the app. If it happens again, tell the app’s developer.",
    },
    redirectUri: {
      title: "This app’s link isn’t safe",
      text: "The app asked to send you to an address that it hasn’t registered, so we stopped. Nothing was shared. Tell the app’s developer.",
    },
    notFound: {
      title: "Page not found",
      text: "The address may be wrong, or the page may have moved.",
    },
    invitation: {
      title: "This invitation is no longer valid",
      text: "It was used or withdrawn, or it has expired. Ask an admin of the company for a new one.",
    },
    method: {
      title: "This page can’t do that",
      text: "This address doesn’t accept that kind of request.",
    },
    form: {
      title: "This form is out of date",
      text: "It was sent before, was open too long, or came from another browser. This time, nothing was changed. Check whether it is already done. If not, open the page again and send it once more.",
      codes:
        "It was sent before, or was open too long. This time, nothing was changed. Recovery codes are shown only once. If you didn’t save yours, create new ones under “Security”.",
    },
    foreignForm: {
      title: "This form came from another site",
      text: "Nothing was changed. If you meant to do this, open the page here and send the form again.",
    },
    signInRefused: {
      title: "You can’t sign in this way",
      text: "Your sign-in was right, but a rule of this service doesn’t allow it now. Sign in from another place or in another way, or ask whoever runs this service.",
    },
    signInTooWeak: {
      title: "This sign-in needs a second step",
      text: "A rule of this service asks for a stronger sign-in, and your account has no second step that is strong enough. Sign in with a passkey if you have one, or ask whoever runs this service.",
    },
    signInUnchecked: {
      title: "Your sign-in could not be checked",
      text: "The service could not ask one of its rules, so you are not signed in. Nothing is wrong with your account. Try again in a minute.",
    },
    cutOff: {
      title: "Start again from the app",
      text: "This page belongs to a sign-in that was started in another browser, or the link is incomplete. Nothing was shared.",
    },
    expired: {
      title: "This page was open too long",
      text: "The sign-in was started more than an hour ago, so it is no longer valid. Nothing was shared. Start again.",
    },
    finished: {
      title: "You already answered",
      text: "The app has your answer. Go back to it to continue. You can change what it may do in your apps.",
    },
    tooMuch: {
      title: "That was too long",
      text: "You sent more than this page accepts. Nothing was changed.",
    },
    unavailable: {
      title: "This service isn’t available right now",
      text: "A part of the service isn’t responding. Wait a moment, then reload the page.",
    },
    fault: {
      title: "Something went wrong",
      text: "This is our mistake, not yours. Try again. If it happens again, contact the people who run this service and give them the number below.",
    },
  },

  /** Why an invitation is not valid. */
  invitationEnds: {
    incomplete: {
      title: "This invitation’s link is incomplete",
      text: "Part of the address is missing. Open the link in the message again, or copy the whole address.",
    },
    expired: {
      title: "This invitation has expired",
      text: "Invitations are valid for seven days. Ask an admin of the company for a new one.",
    },
    withdrawn: {
      title: "This invitation was withdrawn",
      text: "An admin withdrew it, or sent a newer one. Use the newest message, or ask an admin of the company.",
    },
    used: {
      title: "This invitation was already used",
      text: "If you used it yourself, sign in to see your companies. If not, ask an admin of the company.",
    },
    usedByOther: {
      title: "This invitation was already used",
      text: "Another account used it. If that account is yours, sign in with it. If not, ask an admin of the company.",
    },
    left: {
      title: "This invitation was already used",
      text: "You used it yourself, but you no longer belong to the company. To come back, ask an admin of the company for a new invitation.",
    },
    joined: {
      title: "This invitation was already used",
      text: "You used it yourself. You find the company among your companies.",
    },
  },

  problem: {
    forDevelopers: "For the developer of the app",
    reference: "Reference",
  },

  time: {
    now: "just now",
    soon: "in a moment",
  },
} as const;
