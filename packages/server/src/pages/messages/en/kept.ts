/** English: passwords that the operator's application keeps. */

export const kept = {
  kept: {
    forgot: "If you sign in with your {application} password, choose a new one there.",
    forgotLink: "New password at {application}",
    here: "For any other account, enter your username or e-mail address. We’ll send you a link.",
    unchecked: "Passwords can’t be checked at the moment. Try again in a minute, or sign in another way.",
    password: "You sign in with your {application} password. You can change it only there.",
    change: "Change it at {application}",
    profile:
      "{application} sets your name and e-mail address each time you sign in with your {application} password. Change them there.",
  },
} as const;
