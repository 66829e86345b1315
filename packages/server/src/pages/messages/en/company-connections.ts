/** English: apps that a company's admins connect with other services. */

export const companyConnections = {
  companyConnections: {
    place: "Connections",
    title: "Connections of {company}",
    heading: "Apps connected with other services",
    intro:
      "A connected app can act for members of {company} in another service without asking each of them. Members can still stop the app for themselves.",
    none: "No app is connected with another service for {company}.",
    nothing: "The operator of this service offers nothing to connect at the moment.",
    connect: "Connect an app",
    pair: "{app} with {server}",
    may: "In {server}, it may",
    could: "In {server}, it could",
    at: "{server} is at",
    states: {
      on: "Connected",
      operator: "Connected by the operator",
      ended: "Ended",
      withdrawn: "Not offered any more",
      altered: "Offer changed",
      blocked: "App blocked",
      paused: "App paused",
    },
    hints: {
      on: "Connected until {when}.",
      operator: "The operator of this service connected it for {company}. To stop it, block the app.",
      ended: "It ended {when}. The app gets nothing by it.",
      withdrawn:
        "The operator of this service doesn’t offer this any more. The app gets nothing by it. If it is offered again, the app can use it again. To prevent that, remove it.",
      altered: "The operator of this service changed the offer. The app gets nothing by it until you connect it again.",
      blocked: "{company} blocks the app, so the app gets nothing by it.",
      paused:
        "An admin paused the app for {company}. Until an admin resumes it, the app gets nothing new by this connection. Then the connection works again.",
    },
    by: "{person} connected it {when}.",
    since: "Connected {when}.",
    change: "Change",
    again: "Connect again",
    remove: "Remove",
    previous: "Previous page",
    next: "Next page",
    find: "Connect an app with another service",
    findText: "The operator of this service offers these. Choose the app and the service.",
    search: "Find by the name of the app or the service",
    searchNone: "Nothing that is offered has this in its name.",
    choose: "Choose",
    connected: "Connected already",
    back: "All connections",
    question: "Connect {app} with {server}?",
    forWhom:
      "Only for members who use {app} for {company}, and only as far as the rule about the app lets them. Their own accounts are not affected.",
    learns:
      "{server} learns who the member is: an identifier, the verified e-mail address, and when and how they signed in here.",
    learnsYou:
      "{server} learns who you are: an identifier, the verified e-mail address, and when and how you signed in here.",
    blocked: "{company} blocks this app. Change the rule about the app first.",
    rule: "Rule about {app}",
    permissions: "What {app} may do in {server}",
    apis: "Only with these addresses of the service",
    submit: "Connect",
    save: "Save",
    removeQuestion: "Remove the connection of {app} with {server}?",
    removeText:
      "{app} gets no new access in {server} for members of {company}. The access that it already has there lasts until {server} ends it.",
    removeStays: "What members allowed {app} here stays.",
    lasts: "The access that {app} already has in {server} lasts until {server} ends it.",
    memberText: "{company} connected it with {server}. There, it may act for you:",
    memberUncovered:
      "{company} connected it with {server}, but the rule about it doesn’t cover you. The app gets nothing new there for you until an admin approves it.",
    onlyCovered: "{app} gets new access in {server} only for members who may connect it.",
    allOnlyCovered: "In connected services, apps get new access only for members who may connect them.",
    consentText:
      "{company} has connected this app with {server}. If you allow the app for {company}, it may act for you there, too:",
    until: "Until {when}.",
    problems: {
      scopes: "Choose at least one permission.",
      duration: "Choose until when.",
    },
    notices: {
      connected: "The app is connected.",
      saved: "The connection is changed.",
      removed: "The connection is removed. The app gets no new access there.",
      changed: "Somebody changed this in the meantime. Nothing was saved. Look at it again.",
      blocked: "The app is blocked. Nothing was saved.",
      full: "There are 100 connections already. Remove one first.",
      gone: "That no longer exists. Nothing was changed.",
    },
    events: {
      connected: "{app} was connected with {server} for the members",
      changed: "The connection of {app} with {server} was changed",
      removed: "The connection of {app} with {server} was removed",
    },
  },
} as const;
