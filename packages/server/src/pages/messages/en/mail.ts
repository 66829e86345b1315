/** English: what is written to people. */

export const mail = {
  mail: {
    open: "If the button doesn’t work, open this address:",
    footer: "{product} at {host} sent this message. Nobody reads replies to it.",
    facts: { when: "Time", browser: "Browser", address: "Network address", reason: "Reason given" },
    kinds: {
      recover: {
        subject: "Choose a new password",
        text: "Somebody, most likely you, asked for a new password for the account {person}. The link works once, for 15 minutes.",
        button: "Choose a new password",
        hint: "If it wasn’t you, do nothing: your password stays as it is.",
      },
      signUp: {
        subject: "Finish creating your account",
        text: "Somebody, most likely you, wants to create an account with the address {email}. The link works once, for an hour.",
        button: "Create the account",
        hint: "If it wasn’t you, do nothing: there will be no account.",
      },
      known: {
        subject: "You have an account already",
        text: "Somebody, most likely you, wanted to use the address {email} for an account. There is one with it already: {person}.",
        button: "Sign in",
        hint: "Forgotten the password? You can choose a new one from the sign-in page. If it wasn’t you, do nothing: nothing was changed.",
      },
      verify: {
        subject: "Is this your e-mail address?",
        text: "The account {person} has the address {email}. Please confirm that it is yours. The link works once, for an hour.",
        button: "Yes, it is mine",
        hint: "If you don’t know of this account, do nothing.",
      },
      change: {
        subject: "Your new e-mail address",
        text: "The account {person} is to have the address {email}. The link works once, for an hour.",
        button: "Use this address",
        hint: "If you don’t know of this account, do nothing: nothing will be changed.",
      },
      changed: {
        subject: "Your e-mail address was changed",
        text: "The account {person} has the address {email} now. Messages no longer go to this one.",
        button: "It wasn’t me: take it back",
        hint: "If it was you, do nothing. The link works once, for 7 days: it gives the account this address again and lets you choose a new password.",
      },
      passwordChanged: {
        subject: "Your password was changed",
        text: "The password of the account {person} was changed on {when}.",
        button: "It wasn’t me: choose a new one",
        hint: "If it was you, do nothing.",
      },
      signIn: {
        subject: "New sign-in to your account",
        text: "Somebody signed in as {person} with a browser that we hadn’t seen with you before.",
        button: "Look at your account",
        hint: "If it was you, do nothing. If not, change your password now.",
      },
      deletion: {
        subject: "Your account will be deleted",
        text: "As you asked, the account {person} will be deleted on {when}, with what is kept about you. Apps have lost their access already.",
        button: "Keep my account",
        hint: "Until then you can sign in and keep it. Afterwards nobody can bring it back.",
      },
      passkeyAdded: {
        subject: "A passkey was added to your account",
        text: "On {when}, the passkey “{key}” was added to the account {person}. Whoever has it can sign in with it.",
        button: "Look at your account",
        hint: "If it was you, do nothing. If not, change your password now and remove what you don’t know. If you can’t sign in any more, ask whoever runs {product} for help.",
      },
      passkeyRemoved: {
        subject: "A passkey was removed from your account",
        text: "On {when}, the passkey “{key}” was removed from the account {person}. Nobody can sign in with it any more.",
        button: "Look at your account",
        hint: "If it was you, do nothing. If not, change your password now and remove what you don’t know. If you can’t sign in any more, ask whoever runs {product} for help.",
      },
      authenticatorOn: {
        subject: "An authenticator app was set up for your account",
        text: "On {when}, an authenticator app was set up for the account {person}. From now on, signing in with the password takes one of its codes, too.",
        button: "Look at your account",
        hint: "If it was you, do nothing. If not, change your password now and remove what you don’t know. If you can’t sign in any more, ask whoever runs {product} for help.",
      },
      authenticatorOff: {
        subject: "The authenticator app was removed from your account",
        text: "On {when}, the authenticator app of the account {person} was removed, and its recovery codes with it. Signing in takes no code any more.",
        button: "Look at your account",
        hint: "If it was you, do nothing. If not, change your password now and remove what you don’t know. If you can’t sign in any more, ask whoever runs {product} for help.",
      },
      recoveryRenewed: {
        subject: "Your account has new recovery codes",
        text: "On {when}, new recovery codes were made for the account {person}. Those from before don’t work any more.",
        button: "Look at your account",
        hint: "If it was you, do nothing. If not, change your password now and remove what you don’t know. If you can’t sign in any more, ask whoever runs {product} for help.",
      },
      recoveryUsed: {
        subject: "A recovery code of your account was used",
        text: "On {when}, somebody signed in as {person} with a recovery code. That code doesn’t work again; unused ones left: {left}.",
        button: "Look at your account",
        hint: "If it was you, do nothing. If not, change your password now and remove what you don’t know. If you can’t sign in any more, ask whoever runs {product} for help.",
      },
      passwordGuessed: {
        subject: "Somebody is trying to guess your password",
        text: "On {when}, so many wrong passwords had been entered for the account {person} that we now accept fewer attempts. Browsers that you have signed in with still work.",
        button: "Look at your account",
        hint: "If it was you, wait 15 minutes and try again. If not, check that your password is long and that you use it nowhere else. A passkey can’t be guessed.",
      },
      codeGuessed: {
        subject: "Somebody knows your password",
        text: "On {when}, too many wrong codes had been entered for the account {person}, each of them after the right password. We now accept fewer attempts.",
        button: "Change your password",
        hint: "If it was you, wait 15 minutes and try again. If not, change your password now.",
      },
      companyRequest: {
        subject: "{by} asks for an app at {company}",
        text: "{by} asks that {app} may be used at {company}.",
        button: "Decide",
        hint: "You get this message because you are an admin of {company}.",
      },
      companyApproved: {
        subject: "{app} may be used at {company}",
        text: "An admin of {company} has approved {app}, as you asked.",
        button: "Go to {company}",
        hint: "Start again from the app.",
      },
      companyRefused: {
        subject: "{app} was not approved at {company}",
        text: "An admin of {company} has refused {app}, for which you had asked.",
        button: "Go to {company}",
        hint: "If you need it all the same, talk to an admin of {company}.",
      },
      companyRemoved: {
        subject: "You no longer belong to {company}",
        text: "An admin removed you from {company} on {when}. What you had let apps do in its name has ended.",
        button: "See your companies",
        hint: "If you think that this is a mistake, talk to an admin of {company}.",
      },
      companyInvitation: {
        subject: "Invitation to {company}",
        text: "{by} invites you to {company}. The invitation works once, until {when}.",
        button: "See the invitation",
        hint: "If you don’t know {company}, do nothing.",
      },
    },
  },
} as const;
