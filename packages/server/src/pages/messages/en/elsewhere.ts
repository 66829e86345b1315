/** English: sign-in at other providers. */

export const elsewhere = {
  elsewhere: {
    with: "Continue with {provider}",
    or: "or",
    workAddress: "To sign in with your organization, enter your work address and no password.",
    introAgain: "You’re signed in as {person}. Sign in again to confirm that it’s you.",
    chooseIntro:
      "You’re signed in as {person}. To continue with this account, sign in again. To use another account, sign in with that one.",
    problem: {
      denied: "You stopped the sign-in at {provider}, or {provider} refused it. Try again, or sign in another way.",
      unreachable: "{provider} isn’t answering at the moment. Try again in a minute, or sign in another way.",
      unverified: "The sign-in at {provider} couldn’t be verified. Try again, or sign in another way.",
      too_long: "This request is too long for the sign-in at {provider}. Sign in another way.",
      another:
        "Your account at {provider} isn’t connected to the account that you use here. Choose the connected account at {provider}, or confirm another way.",
      other_person:
        "You’re still signed in to the same account. Your account at {provider} is connected to a different account here, or to none yet. To use it, choose “Switch account”.",
      unexpected:
        "This request is for a different account from the one that you used at {provider}. Sign in with the account that it is for.",
      not_fresh:
        "{provider} didn’t say when you signed in there, so this doesn’t confirm that it’s you. Sign in another way, or ask the people who run this service.",
      no_second_step:
        "{provider} didn’t ask you for a second step. Choose another way, or ask the people who run this service.",
      stale: "This sign-in took too long, was finished before, or began in another browser. Start again.",
      closed:
        "You can’t sign in with {provider} here at the moment. Sign in another way, or ask the people who run this service.",
      company_closed:
        "You can’t sign in with {provider} here at the moment. Sign in another way, or ask an admin of your company.",
      gone: "You can no longer sign in here with the service that you chose. Sign in another way, or ask the people who run this service.",
      stranger:
        "Your account at {provider} isn’t connected to an account here. Sign in another way, then connect it under “Security”.",
      refused:
        "You can’t sign in here with your account at {provider}. Sign in another way, or ask the people who run this service.",
      domain:
        "You can’t sign in here with this account at {provider}: it needs a confirmed e-mail address of the organization. Sign in another way, or choose another account there.",
      address_taken:
        "An account here already uses your e-mail address. Sign in to it another way, then connect {provider} under “Security”.",
      no_group: "Your groups at {provider} don’t let you sign in here. Ask the people who manage {provider}.",
      other_company:
        "You can’t use {provider} for this account, because you also belong to another company or help to run this service. Sign in another way.",
      too_many: "Too many new accounts for {provider} today. Try again tomorrow, or ask an admin of your company.",
      not_member: "You aren’t a member of the company that uses {provider}. Ask one of its admins for an invitation.",
      company_address:
        "An account here already uses your work address. Sign in to it another way. As a member of the company, you can then connect {provider} under “Security”.",
    },
    onlyHere: {
      denied: "You stopped the sign-in at {provider}, or {provider} refused it. Try again.",
      another:
        "Your account at {provider} isn’t connected to the account that you use here. Choose the connected account at {provider}.",
      stranger: "Your account at {provider} isn’t connected to an account here. Ask the people who run this service.",
      refused: "You can’t sign in here with your account at {provider}. Ask the people who run this service.",
      address_taken: "An account here already uses your e-mail address. Ask the people who run this service.",
    },
    noWay: {
      notNow: "You can’t sign in with {providers} at the moment.",
      noOther: "You have no other way to sign in.",
      signOut: "If you sign out, you can’t sign in again.",
      byMail: "Choose a password with a link that we send you.",
      now: "Choose a password now.",
      ask: "Ask the people who run this service.",
    },
    codeAfter: "After you sign in with another account, you enter a code from an app on your phone.",
    noEmail: "Your account has no e-mail address.",
    addEmail: "Add",
    title: "Sign in with other accounts",
    intro: "You can sign in here with an account that you have elsewhere.",
    since: "Connected {when}",
    open: "Not connected",
    paused: "You can’t sign in with it at the moment.",
    connect: "Connect",
    connectNamed: "Connect {provider}",
    ask: "Connect this account?",
    asks: "At {provider}, you are signed in as {account}. Anybody who can sign in to that account can then sign in here as {person}.",
    nameless: "an account without a name",
    notYours: "If this isn’t your account at {provider}, cancel.",
    doneConnected: "The account is connected. You can sign in with it from now on.",
    doneKnown: "This account was already connected.",
    doneTaken:
      "Not connected: that account is already connected to another account here, perhaps one of yours. To connect it to this one, first sign in with it and disconnect it there.",
    doneOther: "Not connected: another account of that service is connected. Disconnect it first.",
    doneFailed: "Not connected: the sign-in at the other service failed or took too long. Try again.",
    doneClosed:
      "Not connected: an account of that service can’t be connected here at the moment. Ask the people who run this service.",
    disconnect: "Disconnect",
    disconnectNamed: "Disconnect {provider}",
    askDisconnect: "Disconnect this account?",
    ends: "After that, you can’t sign in here with your account at {provider}. You stay signed in here. Other browsers where you signed in with it are signed out.",
    endsNew:
      "After that, your account at {provider} no longer signs you in to this account. A sign-in with it can create a new, empty account here. You stay signed in here. Other browsers where you signed in with it are signed out.",
    reconnects: "If your account there has the same e-mail address, a sign-in at {provider} connects it again.",
    stays: "Apps keep the access they have. You can revoke it in “Apps”.",
    doneDisconnected: "The account is disconnected. Other browsers where you signed in with it are signed out.",
    last: "Not disconnected: you would have no way to sign in. Choose a password, add a passkey or connect another account first.",
  },
} as const;
