/** German: companies, on whose behalf people answer, and their pages. */
import type { company as english } from "../en/company.ts";
import type { Translation } from "../translation.ts";

export const company = {
  forWhom: {
    label: "Für wen",
    self: "Sie selbst: {person}",
    asks: "{company} (die Verwaltung muss zustimmen)",
    blocked: "{company} (lässt diese App nicht zu)",
    blockedNote: "{company} lässt diese App nicht zu.",
    adminsOnly: "{company} (nur für die Verwaltung)",
    adminsNote: "Nur die Verwaltung kann {company} für diese App auswählen.",
    adminsKeeps: "Die App behält den Zugriff, den Sie ihr für {company} gegeben haben.",
    pausedNote: "Ein Admin von {company} hat diese App pausiert. Nur ein Admin kann sie fortsetzen.",
    last: "Beim letzten Mal haben Sie {owner} gewählt.",
    lastSelf: "Beim letzten Mal haben Sie sich selbst gewählt.",
    hint: "Zugriff, den Sie für ein Unternehmen erlauben, gehört dem Unternehmen. Wer es verwaltet, sieht ihn und kann ihn widerrufen.",
    endsBy:
      "{company} erlaubt diese App bis zum {when}. Auch wenn Sie eine längere Dauer wählen, endet der Zugriff für {company} dann.",
    standsUntil:
      "Einen Teil davon haben Sie für {company} bereits erlaubt, längstens bis {when}. Wenn Sie fortfahren, zeigt diese Seite zuerst diesen Teil, und Sie können dort sein Ende ändern.",
    stopped:
      "Sie haben diese App für {company} abgeschaltet. Wenn Sie ihr jetzt für {company} Zugriff erlauben, kann sie dort wieder für Sie handeln.",
    ownOnly:
      "Die Berechtigungen und die Dauer, die Sie für {company} wählen, gelten nur für Sie. Für andere Mitglieder entscheiden Sie auf den Seiten des Unternehmens.",
    later: {
      one: "{company} erlaubt auch 1 weitere Berechtigung. {app} kann sie später erhalten, ohne Sie zu fragen.",
      other:
        "{company} erlaubt auch {count} weitere Berechtigungen. {app} kann sie später erhalten, ohne Sie zu fragen.",
    },
    howLong:
      "Die Verwaltung von {company} entscheidet, ob sie das erlaubt und für wie lange. Vorher bekommt die App dort nichts Neues.",
    leaveOut:
      "{company} hat diese Berechtigungen nicht freigegeben. Lassen Sie sie weg, sonst führt „{allow}“ zu einer Anfrage an die Verwaltung:",
    needed:
      "{company} hat diese App freigegeben, aber nicht für diese Berechtigungen. Die Verwaltung muss ihnen zustimmen:",
    wrong: "Dafür können Sie nicht entscheiden. Wählen Sie aus der Liste.",
    gone: "Sie können für das gewählte Unternehmen nicht mehr entscheiden. Es wurde nichts gesendet. Diese Seite fragt jetzt nach Ihrem eigenen Konto.",
    wrongPaused:
      "Ein Admin von {company} hat diese App pausiert. Bitten Sie einen Admin, sie fortzusetzen, oder wählen Sie jemand anderen aus der Liste.",
    askButton: "Verwaltung fragen",
    eitherButton: "Erlauben oder Verwaltung fragen",
  },

  askAdmin: {
    title: "Die Verwaltung von {company} fragen",
    text: "Bevor {app} im Namen von {company} handeln darf, muss die Verwaltung zustimmen. Die App könnte dann:",
    textKeeps:
      "{app} behält den Zugriff, den Sie für {company} erlaubt haben. Bevor die App neuen Zugriff bekommt, muss die Verwaltung zustimmen. Die App könnte dann:",
    textMore:
      "{company} hat {app} für andere Berechtigungen freigegeben. Bevor die App auch das darf, muss die Verwaltung zustimmen:",
    approved: "Schon freigegeben:",
    replaces: "Diese Anfrage ersetzt Ihre offene Anfrage zu {app}.",
    dropped: "Diese Berechtigungen fragen Sie dann nicht mehr an:",
    droppedAt: "Bei dieser Adresse fragen Sie diese Berechtigungen dann nicht mehr an:",
    goOn: "Mit dem Freigegebenen fortfahren",
    reason: "Wofür brauchen Sie die App?",
    hint: "Die Verwaltung sieht das, Ihren Namen und die Liste oben. Höchstens {count} Zeichen.",
    wrong: "Schreiben Sie in höchstens {count} Zeichen, wofür Sie die App brauchen.",
    tooMany: "Viele Ihrer Anfragen sind noch offen. Warten Sie, bis einige beantwortet sind.",
    submit: "Anfrage senden",
    cancel: "Nicht fragen",
    askedTitle: "Die Verwaltung von {company} wurde gefragt",
    askedText: "Sobald sie zugestimmt hat, öffnen Sie {app} noch einmal. Bis dahin erhält {app} nichts Neues.",
    back: "Zurück zu {app}",
  },

  company: {
    pages: "Seiten des Unternehmens",
    places: { apps: "Apps", members: "Mitglieder", history: "Verlauf" },
    yours: "Ihre Unternehmen",
    none: "Sie gehören zu keinem Unternehmen. Wenn Sie einem beitreten, finden Sie es hier.",
    companyOff: "Hier deaktiviert",
    companyOffText:
      "Dieses Unternehmen ist hier deaktiviert. Niemand kann es verwenden, und Apps bekommen in seinem Namen keinen neuen Zugriff. Wenn es wieder aktiviert wird, gehören Sie ihm an wie zuvor.",
    appsTitle: "Apps von {company}",
    membersTitle: "Mitglieder von {company}",
    historyTitle: "Verlauf von {company}",
    requestBy: "{person} hat {when} gefragt",
    requestOf: "Anfrage von {person}",
    refuse: "Ablehnen",
    requests: "Offene Anfragen",
    yourRequests: "Ihre offenen Anfragen",
    youAsked: "Sie haben die Verwaltung {when} gefragt. Die Antwort steht noch aus.",
    youAskedMore:
      "Sie haben die Verwaltung {when} gefragt. Ein Teil der Berechtigungen ist freigegeben, die anderen warten auf eine Antwort.",
    youMayDecide:
      "Sie haben die Verwaltung {when} gefragt. Sie brauchen die Antwort nicht mehr: Über diese App entscheiden jetzt die Mitglieder.",
    mayDecide:
      "Über diese App entscheiden jetzt die Mitglieder, also braucht {person} keine Antwort. Eine Ablehnung hält die App nicht fern. Ändern Sie dafür die Regel der App.",
    youWereRefused: "Sie haben die Verwaltung {when} gefragt. Sie hat die Anfrage {refused} abgelehnt.",
    refusedRequests: "Abgelehnte Anfragen",
    refusedScopes: "Nicht freigegeben",
    waiting: "Wartet auf eine Antwort",
    blockedApps: "Gesperrte Apps",
    blockedHint: "Die Verwaltung hat diese Apps gesperrt. Niemand kann sie für {company} nutzen.",
    review: "Prüfen",
    asksFor: "Die App dürfte",
    verified: "Überprüft",
    newAddress: "Neue Adresse",
    search: "App nach Namen suchen",
    searchMore: "Es gibt weitere. Geben Sie mehr vom Namen ein.",
    searchHint:
      "Sie finden hier Apps, die Mitglieder von {company} nutzen oder angefragt haben, und Apps, die der Betreiber dieses Dienstes überprüft hat.",
    allApps: "Alle Apps",
    rule: "Regel",
    access: "Zugriff jetzt",
    may: "Die App darf",
    noAccess: "Die App hat keinen Zugriff im Namen des Unternehmens.",
    noOwnAccess: "Die App hat keinen eigenen Zugriff im Namen des Unternehmens.",
    actsThrough: "Sie verwendet den Zugriff anderer Apps",
    appGone: "Diese App ist nicht mehr registriert. Darum können Sie ihre Regel nicht ändern.",
    off: "Hier deaktiviert",
    appOff: "Diese App ist hier deaktiviert. Niemand kann sie verbinden, und sie bekommt keinen neuen Zugriff.",
    accessSince: "Seit",
    paused: "Pausiert",
    pausedText:
      "Pausiert: Ein anderes System hat das Konto dieses Mitglieds gesperrt. Die App erhält für dieses Mitglied keinen neuen Zugriff, bis das Konto wieder freigegeben ist.",
    usesSince: "seit {when}",
    decidedBy: "{person} hat diese Regel {when} festgelegt.",
    decidedAt: "Diese Regel wurde {when} festgelegt.",
    endedBy: "Die Freigabe von {person} endete {when}.",
    endedAt: "Die Freigabe endete {when}.",
    ruleUntil: "Sie gilt bis zum {when}.",
    ruleStays: "Sie gilt, bis die Verwaltung sie ändert.",
    nowSelected: "Jetzt fragen alle Mitglieder die Verwaltung.",
    afterSelected: "Nach dem Ende fragen alle Mitglieder die Verwaltung.",
    afterEnd: {
      members: "Nach dem Ende gilt die Regel für andere Apps: Mitglieder entscheiden.",
      ask: "Nach dem Ende gilt die Regel für andere Apps: Mitglieder fragen die Verwaltung.",
      block: "Nach dem Ende gilt die Regel für andere Apps: Nur die Verwaltung kann sie verbinden.",
      selected: "Ist sie für ausgewählte Mitglieder erlaubt, fragen nach dem Ende alle Mitglieder die Verwaltung.",
    },
    ruleLegend: "Regel für Mitglieder",
    who: "Wer die App nutzen darf",
    everybody: "Alle Mitglieder",
    everybodyHint: "Alle, die jetzt zu {company} gehören, und alle, die später beitreten.",
    selected: "Ausgewählte Mitglieder",
    selectedHint: "Die anderen Mitglieder fragen die Verwaltung.",
    otherMembers: "Andere Mitglieder, nach Benutzernamen",
    otherMembersHint: "Trennen Sie Benutzernamen mit Leerzeichen.",
    ceiling: "Was Mitglieder der App erlauben dürfen",
    asked: "Angefragt",
    ceilingHint:
      "Fragt eine App nach einer erforderlichen Berechtigung, die Sie weglassen, können Mitglieder sie nicht verbinden.",
    hosts: "Adressen der App",
    untilWhen: "Bis wann",
    untilEnded: "Bis die Verwaltung es beendet",
    laterEnd: "Ein späteres Ende gilt für neue Verbindungen. Zugriff, den Mitglieder schon haben, behält sein Ende.",
    sameEnd: "Bis zum {when}, wie bisher",
    sameForever: "Ohne Ende, wie bisher",
    saveRule: "Regel speichern",
    otherApps: "Andere Apps",
    undecided: "Apps ohne eigene Regel",
    defaultKeeps: "Mitglieder behalten die Apps, die sie schon nutzen.",
    openRequests: {
      one: "1 Anfrage",
      other: "{count} Anfragen",
    },
    moreUsers: {
      one: "und 1 weiteres",
      other: "und {count} weitere",
    },
    rules: {
      allow: "Zugelassen",
      selected: "Für ausgewählte Mitglieder zugelassen",
      ask: "Auf Anfrage",
      block: "Gesperrt",
      none: "Keine Regel",
    },
    decisions: {
      allow: "Zugelassen",
      ask: "Auf Anfrage",
      block: "Gesperrt",
      default: "Gleiche Regel wie für andere Apps",
    },
    decisionHints: {
      allow:
        "Alle oder ausgewählte Mitglieder verbinden {app}, ohne die Verwaltung zu fragen. Jedes von ihnen entscheidet weiterhin selbst, ob es sie für {company} nutzt.",
      ask: "Mitglieder fragen die Verwaltung, bevor sie {app} verbinden können.",
      block: "Niemand kann {app} für {company} verbinden, auch die Verwaltung nicht. Der gesamte Zugriff endet.",
    },
    defaultRuleHints: {
      members: "Für {app} gilt die Regel für andere Apps: Mitglieder entscheiden.",
      ask: "Für {app} gilt die Regel für andere Apps: Mitglieder fragen die Verwaltung.",
      block: "Für {app} gilt die Regel für andere Apps: Nur die Verwaltung kann sie verbinden.",
    },
    defaults: {
      members: "Mitglieder entscheiden",
      ask: "Auf Anfrage",
      block: "Nur die Verwaltung",
    },
    defaultHints: {
      members: "Jedes Mitglied kann jede App im Namen des Unternehmens verbinden.",
      ask: "Mitglieder fragen die Verwaltung, bevor sie eine App verbinden.",
      block: "Mitglieder können keine Apps verbinden. Die Verwaltung kann es.",
    },
    ruleProblems: {
      rule: "Wählen Sie eine Regel.",
      audience: "Wählen Sie, wer die App nutzen darf.",
      members: "Wählen Sie mindestens ein Mitglied.",
      unknownMember: "{person} ist kein Mitglied dieses Unternehmens.",
      tooMany: "Wählen Sie höchstens 200 Mitglieder, oder lassen Sie die App für alle zu.",
      scopes: "Wählen Sie mindestens eine Berechtigung.",
      duration: "Wählen Sie, bis wann.",
    },
    reviewRule: {
      title: "Diese Regel für {app} speichern?",
      opens: "Alle Mitglieder von {company} können {app} verbinden, und alle, die später beitreten.",
      pausedStays: "Das Speichern dieser Regel setzt die App nicht fort.",
      allowed: "Mitglieder dürfen erlauben",
      blocks:
        "Der gesamte Zugriff von {app} für {company} endet. Niemand kann sie für {company} verbinden, bis die Verwaltung die Regel ändert.",
      blocksThrough: "Sie kann den Zugriff anderer Apps nicht mehr verwenden:",
      withdraws: "Diese Regel gilt für einige Mitglieder, die {app} nutzen, nicht.",
      loses:
        "{app} verliert diese Berechtigungen bei Mitgliedern. Wer jetzt zur Verwaltung gehört, behält den eigenen Zugriff.",
      shortens: "Mit dieser Regel enden diese Berechtigungen spätestens am {to}. Ohne sie gelten sie länger:",
      stays:
        "Diese Regel ändert diese Berechtigungen nicht. Zugriff, den Mitglieder oder die Verwaltung früher erlaubt haben, behält sein eigenes Ende:",
      staysAllowed:
        "Diese Berechtigungen gehören nicht zu dieser Regel. Die Verwaltung und Mitglieder, denen die Regel die App erlaubt, behalten bis zu dessen eigenem Ende, was sie früher erlaubt haben:",
      staysAdmins: "Für die jetzige Verwaltung ändern sich diese Berechtigungen nicht:",
      people: "Betroffene Mitglieder",
      permissions: "Betroffene Berechtigungen",
      who: "Was geschieht mit dem Zugriff der Mitglieder, für die die Regel nicht gilt?",
    },
    create: {
      title: "Unternehmen anlegen",
      text: "Sie verwalten es. Seine Mitglieder können Apps erlauben, in seinem Namen zu handeln.",
      losesVouchers:
        "{issuer} kann Apps Zugriff auf Ihr Konto geben, weil {company} Ihr einziges Unternehmen ist. Sobald Sie ein weiteres anlegen, kann {issuer} ihnen keinen neuen Zugriff mehr geben.",
      name: "Name des Unternehmens",
      slug: "Adresse",
      slugHint:
        "Buchstaben a–z, Ziffern und Bindestriche, zum Beispiel acme-berlin. Sie ist Teil der Links des Unternehmens.",
      submit: "Unternehmen anlegen",
      link: "Unternehmen anlegen",
      problems: {
        name: "Geben Sie einen Namen mit bis zu 120 sichtbaren Zeichen ein, in einer Zeile und aus einem Alphabet.",
        similar: "Ein anderes Unternehmen heißt so oder sehr ähnlich. Ergänzen Sie etwas, zum Beispiel einen Ort.",
        slug: "Geben Sie 1 bis 40 der Zeichen a–z und 0–9 ein, mit einzelnen Bindestrichen dazwischen.",
        taken: "Ein anderes Unternehmen hat diese Adresse. Wählen Sie eine andere.",
        tooMany:
          "Sie haben schon 5 Unternehmen angelegt, mehr sind nicht möglich. Wenn Sie ein weiteres brauchen, fragen Sie den Betreiber dieses Dienstes.",
      },
    },
    apps: "Apps mit Zugriff oder einer Regel",
    noApps: "Keine App handelt im Namen des Unternehmens. Anfragen von Mitgliedern erscheinen hier.",
    yourApps: "Apps, die Sie für das Unternehmen verwenden",
    noAppsYours: "Sie verwenden keine App im Namen des Unternehmens.",
    usableApps: "Apps, die Sie für das Unternehmen verwenden können",
    usableHint: "Keine davon handelt im Moment für Sie.",
    usedBy: "Nutzen die App",
    people: { one: "1 Mitglied", other: "{count} Mitglieder" },
    nobody: "Derzeit niemand",
    vouched: {
      nobody: "Niemand im Namen des Unternehmens",
      access:
        "{issuer} kann {app} Zugriff auf die Konten von Mitgliedern geben, die die App nutzen dürfen, ohne sie zu fragen. Diese Seite führt sie nicht auf.",
      stop: {
        one: "Wenn Sie die App sperren, bekommt sie keinen neuen Zugriff von {issuer}. Der Zugriff, den sie dann noch hat, endet innerhalb von 1 Minute.",
        other:
          "Wenn Sie die App sperren, bekommt sie keinen neuen Zugriff von {issuer}. Der Zugriff, den sie dann noch hat, endet innerhalb von {count} Minuten.",
      },
      stopOrPause: {
        one: "Wenn Sie die App sperren oder pausieren, bekommt sie keinen neuen Zugriff von {issuer}. Der Zugriff, den sie dann noch hat, endet innerhalb von 1 Minute.",
        other:
          "Wenn Sie die App sperren oder pausieren, bekommt sie keinen neuen Zugriff von {issuer}. Der Zugriff, den sie dann noch hat, endet innerhalb von {count} Minuten.",
      },
      stopped: {
        one: "Solange die App gesperrt oder pausiert ist, kann {issuer} ihr keinen neuen Zugriff auf die Konten von Mitgliedern geben. Früherer Zugriff dauert höchstens 1 Minute.",
        other:
          "Solange die App gesperrt oder pausiert ist, kann {issuer} ihr keinen neuen Zugriff auf die Konten von Mitgliedern geben. Früherer Zugriff dauert höchstens {count} Minuten.",
      },
    },
    endless: "ohne Ende",
    standing: "Von {company} erlaubt",
    standingText:
      "Mitglieder, die {company} für diese App schon gewählt haben, können sie wieder verbinden, ohne gefragt zu werden, wenn die Regel sie lässt. Nach Berechtigungen, die für sie neu sind, werden sie gefragt, außer die Regel erlaubt diese.",
    noEnd: "Wenn jemand sie widerruft",
    newHosts: "Neu seit der Freigabe: {hosts}. Dort fragen Mitglieder die Verwaltung, bis Sie die Regel neu speichern.",
    save: "Speichern",
    revokeAll: "Für alle widerrufen",
    stopMineHint:
      "Das schaltet die App nur für Sie bei {company} ab. Andere Mitglieder behalten ihren Zugriff, und was Sie für Ihr eigenes Konto erlaubt haben, bleibt.",
    stopMine: "Für mich bei {company} abschalten",
    stoppedByYou: "Von Ihnen abgeschaltet",
    endsSoon: {
      one: "Der Zugriff endet spätestens um {time}, in höchstens 1 Minute.",
      other: "Der Zugriff endet spätestens um {time}, in höchstens {count} Minuten.",
    },
    stoppedSoon: {
      one: "{app} kann noch bis {time} für Sie handeln, höchstens 1 Minute.",
      other: "{app} kann noch bis {time} für Sie handeln, höchstens {count} Minuten.",
    },
    resumeMine: "Wieder verbinden lassen",
    resumeMineHint:
      "Sie haben die App für {company} abgeschaltet. Sie bekommt für Sie keinen neuen Zugriff. Das bleibt so, bis Sie es hier wieder zulassen, oder bis Sie die App öffnen, {company} wählen und ihr den Zugriff erlauben.",
    chosen:
      "Sie haben für diese App {company} gewählt. Das nächste Mal verbindet sie sich vielleicht, ohne Sie zu fragen.",
    chosenElsewhere:
      "Sie haben für diese App {company} gewählt und sie auch für sich selbst oder ein anderes Unternehmen erlaubt. Das nächste Mal fragt sie, für wen, außer wenn nur eine dieser Erlaubnisse umfasst, was sie möchte.",
    chosenAsks: "Sie haben für diese App {company} gewählt. Das nächste Mal fragt sie, für wen.",
    askNext: "Nächstes Mal fragen",
    block: "Sperren",
    leave: "{company} verlassen",
    members: "Mitglieder",
    roles: { member: "Mitglied", admin: "Verwaltung" },
    you: "Sie",
    disabled: "Konto gesperrt",
    since: "Beigetreten {when}",
    makeAdmin: "Verwaltungsrechte geben",
    makeMember: "Verwaltungsrechte entziehen",
    roleThere: "Bei jeder Anmeldung mit {provider} entscheiden die Gruppen dort über diese Rolle.",
    remove: "Entfernen",
    firstPage: "Erste Seite",
    nextPage: "Weitere Mitglieder",
    invite: "Jemanden einladen",
    addressee: "E-Mail-Adresse oder Benutzername",
    wrongAddressee: "Das ist weder eine E-Mail-Adresse noch ein Benutzername.",
    memberAlready: "{person} ist schon Mitglied. Die Rolle können Sie in der Mitgliederliste ändern.",
    tooManyInvitations: "200 Einladungen sind offen. Ziehen Sie einige zurück, bevor Sie weitere verschicken.",
    tooOftenInvited: "In kurzer Zeit wurden zu viele Personen eingeladen. Versuchen Sie es später noch einmal.",
    role: "Rolle",
    inviteSubmit: "Einladung erstellen",
    invitedTitle: "Geben Sie {person} diesen Link",
    invitedText: "Er gilt einmal, nur für {person}, und läuft {when} ab. Er wird nicht noch einmal gezeigt.",
    invitedUsername: {
      mail: "Wenn ein Konto den Benutzernamen {person} und eine bestätigte E-Mail-Adresse hat, senden wir den Link auch dorthin. Wenn kein Konto so heißt, kann niemand den Link verwenden: Prüfen Sie die Schreibweise.",
      noMail:
        "Wenn kein Konto den Benutzernamen {person} hat, kann niemand den Link verwenden: Prüfen Sie die Schreibweise.",
    },
    invitedAgain: "Falls es eine frühere Einladung an {person} gab, gilt sie nicht mehr.",
    invitedMailed: "Eine Einladung ist unterwegs an {person}",
    invitedMailedText:
      "Sie gilt einmal, nur für {person}, und läuft {when} ab. Falls die Nachricht nicht ankommt, geben Sie {person} diesen Link. Er wird nicht noch einmal gezeigt.",
    invitations: "Offene Einladungen",
    invitationEnds: "Endet {when}",
    withdraw: "Zurückziehen",
    invitationTitle: "{company} lädt Sie ein",
    invitationText: {
      member:
        "Als Mitglied können Sie Apps im Namen von {company} handeln lassen, soweit die Verwaltung es erlaubt. Sie sieht, was Sie zulassen, und kann es beenden.",
      admin:
        "In der Verwaltung von {company} entscheiden Sie, welche Apps im Namen von {company} handeln dürfen und wer dazugehört.",
    },
    belongsTitle: {
      member: "Sie sind schon Mitglied von {company}",
      admin: "Sie gehören schon zur Verwaltung von {company}",
    },
    promotionText: "Wenn Sie annehmen, wechselt Ihre Rolle von Mitglied zu Verwaltung.",
    invitationChangesNothing: "Diese Einladung ändert nichts.",
    becomeAdmin: "Verwaltungsrechte annehmen",
    goTo: "Zu {company}",
    join: "Als {person} beitreten",
    notNow: "Nicht jetzt",
    wrongPerson: "Diese Einladung ist für jemand anderen. Sie sind als {person} angemeldet.",
    byOperator: "Betreiber",
    byServer: "Server",
    byApp: "App",
    formerMember: "ein früheres Mitglied",
    memberEvents: {
      removed: "{person} wurde entfernt",
      left: "{person} ist ausgetreten",
      deleted: "{person} ist ausgeschieden, weil das Konto gelöscht wurde",
      joined: "{person} ist beigetreten",
      joinedAsAdmin: "{person} ist mit Verwaltungsrechten beigetreten",
      added: "{person} wurde hinzugefügt",
      addedAsAdmin: "{person} wurde mit Verwaltungsrechten hinzugefügt",
      madeAdmin: "{person} hat jetzt Verwaltungsrechte",
      acceptedAdmin: "{person} hat eine Einladung angenommen und hat jetzt Verwaltungsrechte",
      madeMember: "{person} hat keine Verwaltungsrechte mehr",
      invited: "Eine Einladung ging hinaus",
      invitedAsAdmin: "Eine Einladung mit Verwaltungsrechten ging hinaus",
      withdrawn: "Eine Einladung wurde zurückgezogen",
    },
    ruleEvents: {
      blocked: "{app} wurde gesperrt",
      selected: "{app} wurde für ausgewählte Mitglieder zugelassen",
      unblocked: "{app} ist nicht mehr gesperrt",
      ask: "Mitglieder fragen wegen {app} ab jetzt die Verwaltung",
      none: "Für {app} gilt ab jetzt die Regel für alle Apps",
      default_members: "Über Apps ohne eigene Regel entscheiden ab jetzt die Mitglieder",
      default_ask: "Mitglieder fragen wegen Apps ohne eigene Regel ab jetzt die Verwaltung",
      default_block: "Apps ohne eigene Regel kann ab jetzt nur die Verwaltung verbinden",
    },
    confirm: {
      revokeTitle: "{app} für alle widerrufen?",
      revokeText:
        "{app} verliert den Zugriff im Namen des Unternehmens, bei allen Mitgliedern. Auch eine Freigabe für Mitglieder endet.",
      revokeAfter: {
        members:
          "Bei {company} entscheiden die Mitglieder. Sie können {app} also sofort wieder verbinden. Um das zu verhindern, sperren Sie die App.",
        ask: "Mitglieder fragen die Verwaltung, bevor sie {app} wieder verbinden.",
        block: "Nur die Verwaltung kann {app} wieder verbinden.",
      },
      revokeAfterUnasked: {
        members:
          "Bei {company} entscheiden die Mitglieder. {app} kann also sofort wieder Zugriff auf die Konten der Mitglieder bekommen, ohne jemanden zu fragen. Um das zu verhindern, sperren Sie die App.",
        admins:
          "{app} bekommt keinen neuen Zugriff auf die Konten der Mitglieder, bis die Verwaltung die App wieder erlaubt.",
      },
      keep: "Diese Mitglieder behalten ihren Zugriff bis zu dem Ende, das sie jeweils gewählt haben, spätestens bis zum {when}",
      keepForever: "Diese Mitglieder behalten ihren Zugriff, bis er widerrufen wird",
      end: "Der Zugriff dieser Mitglieder endet. Wer jetzt zur Verwaltung gehört, behält den eigenen Zugriff.",
      removeTitle: "{person} aus {company} entfernen?",
      removeText:
        "Apps, die andere Mitglieder für das Unternehmen verbunden haben, bleiben. Diese Person behält ihr eigenes Konto und die Apps, die dafür verbunden sind.",
      removeInvitations:
        "Offene Einladungen an {person} und von {person} werden zurückgezogen. Das gilt auch für offene Anfragen dieser Person für Apps.",
      removeReturns:
        "{person} meldet sich mit {provider} an. Bei der nächsten Anmeldung dort wird diese Person wieder Mitglied. Um das zu verhindern, entfernen Sie sie zuerst bei {provider}.",
      leaveInvitations: "Offene Einladungen von Ihnen werden zurückgezogen.",
      leaveTitle: "{company} verlassen?",
      leaveText:
        "Wenn Sie zurückkommen möchten, brauchen Sie eine neue Einladung. Ihre offenen Anfragen für Apps werden zurückgezogen. Ihr eigenes Konto und die Apps darin bleiben, wie sie sind.",
      leaveReturns:
        "Bei Ihrer nächsten Anmeldung mit {provider} werden Sie wieder Mitglied. Ihre offenen Anfragen für Apps werden zurückgezogen. Ihr eigenes Konto und die Apps darin bleiben, wie sie sind.",
      hasLeft: "Sie haben das Unternehmen verlassen.",
      apps: "Diese Apps verlieren den Zugriff, den dieses Mitglied ihnen für das Unternehmen gegeben hat",
      leaveApps: "Diese Apps verlieren den Zugriff, den Sie ihnen für das Unternehmen gegeben haben",
      none: "Keine App verliert Zugriff.",
      cancel: "Abbrechen",
    },
    noHistory: "Bisher wurde keiner App etwas im Namen des Unternehmens erlaubt.",
    events: {
      allowed: "{app} wurde zugelassen",
      allowedByDevice: "{app} wurde auf einem Gerät zugelassen",
      allowedByPassword: "{app} hat sich mit einem Passwort angemeldet",
      allowedByPolicy: "{app} wurde für alle Mitglieder zugelassen",
      reconnected: "{app} hat sich wieder verbunden",
      vouched: "{app} darf bei {through} für {person} handeln",
      vouchedByCompany: "{company} lässt {app} bei {through} für Sie handeln",
      delegated: "{app}, über {through}, erhielt Zugriff auf die Daten des Unternehmens",
      connected: "{person} hat {app} verbunden",
      refused: "Eine Anfrage von {app} wurde abgelehnt",
      narrowed: "{app} wurde ein Teil des Zugriffs entzogen",
      endChanged: "Das Ende des Zugriffs von {app} wurde geändert",
      paused: "{app} wurde für alle pausiert",
      resumed: "{app} wurde für alle fortgesetzt",
      revoked: "{app} wurde für alle widerrufen",
      revokedByOther: "{app} wurde für alle widerrufen",
      givenUp: "{app} hat den Zugriff für ein Mitglied aufgegeben",
      givenUpFor: "{app} hat den Zugriff für {person} aufgegeben",
      alarm: "{app} wurde getrennt, weil ein alter Schlüssel verwendet wurde",
    },
    notices: {
      founded: "Das Unternehmen ist angelegt, und Sie verwalten es. Laden Sie hier seine Mitglieder ein.",
      decided: "Die Regel ist gespeichert.",
      changed:
        "Jemand hat diese Regel inzwischen geändert. Nichts wurde gespeichert. Prüfen Sie die Regel und versuchen Sie es erneut.",
      blocked: "Die App ist gesperrt. Sie bekommt keinen neuen Zugriff.",
      revoked: "Die App ist für alle widerrufen.",
      refused: "Die Anfrage wurde abgelehnt.",
      requestChanged:
        "Das Mitglied hat diese Anfrage inzwischen geändert. Es wurde nichts abgelehnt. Lesen Sie, wie sie jetzt lautet, und entscheiden Sie dann.",
      defaults: "Das gilt ab jetzt für Apps, über die niemand entschieden hat.",
      role: "Die Rolle wurde geändert.",
      roleMember:
        "Die Rolle wurde geändert. Offene Einladungen von diesem Mitglied und an dieses Mitglied wurden zurückgezogen. Apps, die dieses Mitglied als Admin verbunden hat, behalten ihren Zugriff.",
      roleSelf:
        "Sie sind jetzt Mitglied des Unternehmens. Nur die Verwaltung kann Sie wieder zum Admin machen. Offene Einladungen von Ihnen und an Sie wurden zurückgezogen. Apps, die Sie als Admin verbunden haben, behalten ihren Zugriff.",
      removed:
        "Das Mitglied wurde entfernt. Apps können Zugriff, den dieses Mitglied ihnen für das Unternehmen gab, nicht erneuern.",
      removedReturns:
        "Das Mitglied wurde entfernt, wird aber bei der nächsten Anmeldung im System des Unternehmens wieder Mitglied. Um das zu verhindern, entfernen Sie die Person auch dort. Apps können Zugriff, den dieses Mitglied ihnen für das Unternehmen gab, nicht erneuern.",
      withdrawn: "Die Einladung wurde zurückgezogen.",
      stopped:
        "Sie haben die App in diesem Unternehmen für sich abgeschaltet. Sie bekommt hier keinen neuen Zugriff. Was Sie für Ihr eigenes Konto erlaubt haben, bleibt.",
      resumed:
        "Die App ist in diesem Unternehmen für Sie nicht mehr abgeschaltet. Sie bekommt keinen neuen Zugriff, bis Sie sie wieder verbinden: Öffnen Sie die App.",
      asksNext:
        "Wenn sich die App das nächste Mal verbindet, wählen Sie, für wen. Ihr jetziger Zugriff bleibt, was auch immer Sie dann wählen.",
      joined: "Willkommen. Sie gehören jetzt zum Unternehmen.",
      promoted: "Sie haben jetzt Verwaltungsrechte im Unternehmen.",
      lastAdmin:
        "Sie verwalten das Unternehmen allein. Bevor Sie es verlassen, geben Sie einem anderen Mitglied Verwaltungsrechte.",
      nothing: "Nichts wurde geändert: Wählen Sie, was Mitglieder erlauben dürfen und wie lange.",
      gone: "Das gab es schon nicht mehr. Nichts wurde geändert.",
    },
  },
} as const satisfies Translation<typeof english, "one" | "other">;
