/** English: what all pages share, signing in and out, devices, and what went wrong. */

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
    introAlone: "See which apps use your account, and decide about them.",
    introFor: "Your password stays here. The app doesn’t get to see it.",
    titleAgain: "Sign in again",
    introAgain: "You are signed in as {person}. Please enter your password once more, so that we know it is you.",
    chooseFor: "Choose an account for {app}",
    chooseIntro:
      "You are signed in as {person}. To continue as {person}, enter your password; for another account, enter its name and password.",
    username: "Username or e-mail address",
    password: "Password",
    submit: "Sign in",
    wrong: "That username or e-mail address doesn’t match the password. Check both and try again.",
    missing: "Enter your username or e-mail address, and your password.",
    missingPassword: "Enter your password.",
    throttled: {
      one: "Too many attempts in a row. Wait a minute, then try again.",
      other: "Too many attempts in a row. Wait {count} minutes, then try again.",
    },
    stale: "This page was open for too long, or your browser refuses cookies. Please sign in once more.",
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

  device: {
    title: "Connect a device",
    intro: "Enter the code that your device shows.",
    compare:
      "Does the device in front of you show this code? Then continue. If somebody sent you the link, close this page.",
    code: "Code",
    hint: "8 letters. Capitals, dashes and spaces make no difference.",
    submit: "Continue",
    unknown: "No device is waiting with that code. Check the letters, or let the device show a new code.",
    missing: "Enter the code.",
    throttled: {
      one: "Too many codes that weren’t right. Wait a minute, then try again.",
      other: "Too many codes that weren’t right. Wait {count} minutes, then try again.",
    },
    stale: "This page was open for too long, or your browser refuses cookies. Please enter the code once more.",
    signIn: "Sign in to connect your device",
    signInIntro: "Your password stays here. The device doesn’t get to see it.",
    itsCode: "Code on the device",
    itsAddress: "The device’s address",
    fromHere: "{address} (your network)",
    fromElsewhere: "{address} (not your network)",
    fromUnknown: "Unknown",
    when: "Asked for access",
    warning: "Only allow this if you started it yourself, and the device in front of you shows this code.",
    next: "The device goes on by itself.",
    elsewhereTitle: "Is this your device?",
    elsewhereText:
      "{app} asked from another network than yours. That can be right, if your phone isn’t on the Wi-Fi that the device is on. But if somebody sent you here, they may want their device to use your account.",
    elsewhereYes: "Yes, I started this",
    elsewhereNo: "No, refuse it",
    allowedTitle: "{app} is connected",
    allowedText: "Go back to your device: it goes on in a few seconds. You can close this page.",
    deniedTitle: "{app} was refused",
    deniedText: "The device can’t use your account. You can close this page.",
    nothingText: "Your account may not allow what the device asked for. Nothing was shared. You can close this page.",
    apps: "Go to your apps",
  },

  heldError: {
    title: "{app} sent you here with a mistake",
    wrong: "The app made a mistake in what it asked for. Nothing was shared.",
    denied: "The app can’t get what it asked for. Nothing was shared.",
    leads: "Continue leads to {host}, and tells the app what went wrong. Go there only if you trust that address.",
    submit: "Continue",
  },

  formPost: {
    title: "Going back to the app",
    text: "Your answer goes to {host}. If nothing happens, press the button.",
    submit: "Continue",
  },

  /** What stands on a page where something went wrong, for people. */
  problems: {
    apps: "Go to your apps",
    startAgain: "Start again",
    other: {
      title: "This request can’t be followed",
      text: "The app made a mistake in what it asked for. Nothing was shared. Go back to the app, and tell its makers if it happens again.",
    },
    clientUnknown: {
      title: "This app is not known here",
      text: "The link that brought you here names an app that isn’t registered. Nothing was shared. Go back to the app, and tell its makers if it happens again.",
    },
    redirectUri: {
      title: "This app’s link is not safe to follow",
      text: "The app asked to send you to an address that it has not registered, so we stopped here. Nothing was shared. Tell the app’s makers.",
    },
    notFound: {
      title: "There is nothing here",
      text: "The address may be mistyped, or the page has moved.",
    },
    invitation: {
      title: "This invitation is no longer valid",
      text: "It may have been used, withdrawn, or be older than seven days. Ask an admin of the company for a new one.",
    },
    method: {
      title: "That doesn’t work this way",
      text: "This address doesn’t take that kind of request.",
    },
    form: {
      title: "That form is out of date",
      text: "It was open for too long, or came from another browser. Nothing was changed. Load the page again and try once more.",
    },
    foreignForm: {
      title: "That form came from another site",
      text: "Nothing was changed. If you meant to do this, open the page here and send the form again.",
    },
    cutOff: {
      title: "Start again from the app",
      text: "This page belongs to a sign-in that was started in another browser, or the link was cut off. Nothing was shared.",
    },
    expired: {
      title: "This page was open for too long",
      text: "The sign-in was started more than an hour ago, so it is no longer valid. Nothing was shared. Start again.",
    },
    finished: {
      title: "You have answered this already",
      text: "Go back to the app: it has your answer. You can change what it may do on the page of your apps.",
    },
    tooMuch: {
      title: "That was too much at once",
      text: "What was sent is longer than this page takes. Nothing was changed.",
    },
    unavailable: {
      title: "We can’t answer just now",
      text: "Something behind this page isn’t answering. It should pass: wait a moment and load the page again.",
    },
    fault: {
      title: "Something went wrong here",
      text: "It is our fault, not yours. Try again; if it happens again, tell whoever runs this service, with the number below.",
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
