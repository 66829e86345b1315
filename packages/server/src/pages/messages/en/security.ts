/** English: the pages about how one signs in. */

export const security = {
  cancel: "Cancel",

  security: {
    title: "Security",
    intro: "How you sign in, and where you are signed in.",
    password: "Password",
    passwordChanged: "Changed {when}",
    passwordNone: "You sign in without a password here.",
    passwordChange: "Change password",
    passwordSet: "Choose a password",
    passwordDone: "Your password was changed.",
  },

  password: {
    title: "Change your password",
    titleSet: "Choose a password",
    titleMust: "Choose a new password",
    introMust:
      "Somebody else may know the password that you signed in with. Choose one of your own, then you can go on.",
    current: "Current password",
    new: "New password",
    again: "New password once more",
    hint: "8 characters or more. A few words in a row are hard to guess and easy to keep in mind.",
    endSessions: "Sign out everywhere else",
    endApps: "Revoke the access of all apps",
    endAppsHint: "Leave this ticked if somebody else may have known your password. You can allow your apps again.",
    submit: "Change password",
    wrong: {
      current: "That is not your current password.",
      missing: "Enter a new password.",
      stale: "You signed in a while ago. Sign out and in again, then choose a password.",
      differ: "This is not the same as above. Enter the new password twice.",
      same: "That is the password you have already. Choose another one.",
      malformed: "This password has a character that can’t be used. Choose another one.",
      short: "That is too short. A password has 8 characters or more.",
      long: "That is too long. A password has no more than 1,024 bytes.",
      name: "Your own name is the first thing that others try. Choose another password.",
      common: "Many people have this password, so it is tried first. Choose another one.",
    },
  },
} as const;
