/** English: companies, on whose behalf people answer, and their pages. */

export const company = {
  forWhom: {
    label: "For whom",
    self: "{person} (you)",
    asks: "{company} (an admin has to approve)",
    blocked: "{company} (doesn’t let this app in)",
    hint: "What you allow for a company belongs to the company. Its admins see it and can take it back.",
    wrong: "You can’t answer for that owner. Choose one from the list.",
  },

  askAdmin: {
    title: "Ask an admin of {company}",
    text: "Before {app} may act in the name of {company}, an admin has to approve it. The app would be able to:",
    reason: "What do you need it for?",
    hint: "The admins read this. {count} characters at most.",
    wrong: "Write what you need the app for, in {count} characters at most.",
    tooMany: "You have many requests open already. Wait until an admin has answered some of them.",
    submit: "Send the request",
    cancel: "Don’t ask",
    askedTitle: "The admins of {company} have been asked",
    askedText: "Once one of them has approved it, open {app} again. Nothing has been shared so far.",
    back: "Go back to {app}",
  },
} as const;
