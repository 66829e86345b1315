/** English: apps that act while their owner is away, and their pause. */

export const agents = {
  agents: {
    title: "Agents",
    intro:
      "These apps can use what you allow while you’re away. You can pause one and resume it later, without allowing it again.",
    introCompany:
      "These apps can use what {company} allows while nobody is signed in. You can pause one for everyone and resume it later: what was allowed stays.",
    emptyTitle: "No app can act while you’re away",
    emptyText: "Apps that you allow to keep access while you’re away appear here.",
    emptyTitleOwn: "No app can act for your own account while you’re away",
    ownOnly:
      "This page is about your own account. Apps that act for you in a company are on the company’s page: {companies}",
    emptyTitleCompany: "No app can act while nobody is signed in",
    emptyTextCompany: "Apps that keep access for {company} while nobody is signed in appear here.",
    unusedTitle: "Used by nobody now",
    unusedText:
      "Nobody uses these apps for {company} now. They get no new access of their own until somebody connects them again. They can use the access that they already have a little longer, at most until the end shown.",
    can: "It may",
    keeps: "Keeps access until",
    keepsForever: "you revoke it",
    notAway: "It gets no new access while you’re away.",
    notAwayCompany: "It gets no new access while nobody is signed in.",
    endsResumed: "If resumed, access ends",
    endsOn: "If turned on again, access ends",
    lastResumed: "If resumed, last permission ends",
    lastOn: "If turned on again, last permission ends",
    keepsResumed: "If resumed, keeps access until",
    keepsOn: "If turned on again, keeps access until",
    canResumed: "If resumed, it may",
    canOn: "If turned on again, it may",
    uses: "What it used",
    useOne: "{api}, {when}",
    details: "Details",
    pausedSince: "Paused {when}. It gets no new access until you resume it. What you allowed stays.",
    pausedSinceCompany: "Paused {when}. It gets no new access until an admin resumes it. What was allowed stays.",
    pausedOver: "Paused {when}. What was allowed has ended since. It gets no new access until it is resumed here.",
    pausedHere: "You paused this app {when}, so it gets no new access. {agents} lets you resume it.",
    pausedStill: {
      one: "The access that it already has ends within 1 minute.",
      other: "The access that it already has ends within {count} minutes.",
    },
    pause: "Pause",
    resume: "Resume",
    pauseAlso: "The same goes for apps that act through it.",
    pauseAtOnce: "If you pause it, access stops immediately.",
    pauseSoon: {
      one: "If you pause it, access stops within 1 minute.",
      other: "If you pause it, access stops within {count} minutes.",
    },
    paused: "{app} is paused. It gets no new access until you resume it.",
    pausedNow: "{app} is paused.",
    pausedSoon: {
      one: "The access that it already has ends by {time}, within 1 minute.",
      other: "The access that it already has ends by {time}, within {count} minutes.",
    },
    resumed: "{app} was resumed. It can use what you allowed again.",
    resumedOver: "{app} was resumed. But what you allowed has ended: it can use nothing of it now.",
    appPaused: "The app is paused for everyone. It gets no new access until an admin resumes it.",
    appResumed: "The app was resumed. It can use again what was allowed and has not ended.",
    asksPaused:
      "You paused this app {when}. If you allow it now, it resumes with what you allowed before, except what you untick here. If you don’t allow it, it stays paused.",
    asksPausedFor:
      "This app was paused for {company} {when}. If you allow it now, it resumes for everyone there with what was allowed before. If you don’t allow it, it stays paused.",
    asksPausedOver:
      "You paused this app {when}. What you allowed has ended since. If you allow it now, it resumes and gets only what is ticked. If you don’t allow it, it stays paused.",
    asksPausedOverFor:
      "This app was paused for {company} {when}. What was allowed there has ended since. If you allow it now, it resumes for everyone there and gets only what is ticked. If you don’t allow it, it stays paused.",
    asksPausedNotAsked: "“{allow}” also gives the app back permissions that it doesn’t ask for now: {permissions}",
    asksPausedForAll: "For everyone there, “{allow}” gives the app back: {permissions}",
    nothingNew: "If you tick none of these, “{allow}” only gives the app back what was allowed before.",
    backEnds: "If the app resumes, it gets this back, whatever you tick here; that ends {when}",
    backNever: "If the app resumes, it gets this back, whatever you tick here, with no end",
    allowAndResume: "Allow and resume",
    ownerPaused: "{company} (an admin paused this app)",
    away: "It can use what you allow without you, even when you have signed out: until the end that you choose, or until you pause or revoke it.",
    awayEnd:
      "It can use what you allow without you, even when you have signed out: until the end that you choose, or until you end its access.",
    today: "Today, until {time}",
    awayAlways:
      "This app keeps its access while you’re away, even when you have signed out: until the time that you choose ends, or until you pause or revoke it.",
    awayAlwaysEnd:
      "This app keeps its access while you’re away, even when you have signed out: until the time that you choose ends, or until you end its access.",
  },
} as const;
