/** German: texts of all pages, sign-in and sign-out, devices, and errors. */
import type { pages as english } from "../en/pages.ts";
import type { Translation } from "../translation.ts";

export const pages = {
  documentTitle: "{title} · {product}",
  errorTitle: "Fehler: {title}",
  skip: "Zum Inhalt springen",
  home: "{product}, Ihre Apps",
  newTab: "(öffnet sich in einem neuen Tab)",
  languages: { label: "Sprache", choose: "Sprache dieser Seiten" },

  signIn: {
    title: "Anmelden",
    titleFor: "Anmelden, um mit {app} fortzufahren",
    introAlone: "Sehen Sie, welche Apps Zugriff auf Ihr Konto haben, und verwalten Sie diese Apps.",
    introFor: "Ihr Passwort bleibt hier. Die App sieht es nie.",
    titleAgain: "Erneut anmelden",
    introAgain:
      "Sie sind als {person} angemeldet. Geben Sie Ihr Passwort noch einmal ein, um zu bestätigen, dass Sie es sind.",
    introOther:
      "Sie sind als {person} angemeldet, aber diese App verlangt ein anderes Konto. Melden Sie sich mit diesem anderen Konto an.",
    chooseFor: "Konto für {app} wählen",
    stays: "Sie bleiben als {person} angemeldet, bis Sie sich mit einem anderen Konto anmelden.",
    stay: "Zurück",
    chooseIntro:
      "Sie sind als {person} angemeldet. Um mit diesem Konto fortzufahren, geben Sie Ihr Passwort ein. Um ein anderes Konto zu verwenden, geben Sie dessen Benutzernamen und Passwort ein.",
    username: "Benutzername oder E-Mail-Adresse",
    password: "Passwort",
    submit: "Anmelden",
    wrong:
      "Benutzername, E-Mail-Adresse oder Passwort ist falsch. Prüfen Sie Ihre Eingabe und versuchen Sie es noch einmal.",
    missing: "Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse und Ihr Passwort ein.",
    missingPassword: "Geben Sie Ihr Passwort ein.",
    throttled: {
      one: "Zu viele Versuche. Warten Sie eine Minute und versuchen Sie es dann noch einmal.",
      other: "Zu viele Versuche. Warten Sie {count} Minuten und versuchen Sie es dann noch einmal.",
    },
    stale: "Diese Seite war zu lange geöffnet, oder Ihr Browser blockiert Cookies. Melden Sie sich noch einmal an.",
  },

  signOut: {
    button: "Abmelden",
    title: "Abmelden?",
    text: "Sie sind in diesem Browser als {person} angemeldet. Apps, die Sie erlaubt haben, behalten ihren Zugriff.",
    asked: "Eine App möchte Sie in diesem Browser abmelden. Apps, die Sie erlaubt haben, behalten ihren Zugriff.",
    plain: "Sie werden in diesem Browser abgemeldet. Apps, die Sie erlaubt haben, behalten ihren Zugriff.",
    leads: "Danach gelangen Sie zu {host}.",
    stay: "Angemeldet bleiben",
    doneTitle: "Sie sind abgemeldet",
    doneText: "In diesem Browser kann niemand Ihr Konto sehen oder ändern.",
    doneElsewhere:
      "Vielleicht sind Sie bei {provider} noch angemeldet. Dann kann sich jeder, der diesen Browser benutzt, hier ohne Passwort anmelden. Melden Sie sich auch dort ab.",
    doneApps: "Apps, die Sie erlaubt haben, behalten ihren Zugriff.",
    again: "Erneut anmelden",
  },

  device: {
    title: "Gerät verbinden",
    intro: "Geben Sie den Code ein, den Ihr Gerät anzeigt.",
    compare:
      "Fahren Sie nur fort, wenn das Gerät vor Ihnen diesen Code anzeigt. Wenn Ihnen jemand den Link geschickt hat, schließen Sie diese Seite.",
    code: "Code",
    hint: "8 Buchstaben. Großschreibung, Bindestriche und Leerzeichen spielen keine Rolle.",
    submit: "Weiter",
    unknown:
      "Mit diesem Code wartet kein Gerät. Vielleicht ist ein Buchstabe falsch, das Gerät ist schon verbunden, oder der Code ist abgelaufen. Prüfen Sie den Code, oder fordern Sie auf dem Gerät einen neuen an.",
    missing: "Geben Sie den Code ein.",
    throttled: {
      one: "Zu viele falsche Codes. Warten Sie eine Minute und versuchen Sie es dann noch einmal.",
      other: "Zu viele falsche Codes. Warten Sie {count} Minuten und versuchen Sie es dann noch einmal.",
    },
    stale: "Diese Seite war zu lange geöffnet, oder Ihr Browser blockiert Cookies. Geben Sie den Code noch einmal ein.",
    signIn: "Melden Sie sich an, um Ihr Gerät zu verbinden",
    signInIntro: "Ihr Passwort bleibt hier. Das Gerät sieht es nie.",
    itsCode: "Code auf dem Gerät",
    itsAddress: "Adresse des Geräts",
    fromHere: "{address} (Ihr Netzwerk)",
    fromElsewhere: "{address} (nicht Ihr Netzwerk)",
    fromUnknown: "Unbekannt",
    when: "Angefragt",
    warning:
      "Hat Sie jemand deswegen angerufen oder Ihnen geschrieben? Wählen Sie „{refuse}“. Erlauben Sie es nur, wenn Sie es selbst gestartet haben und das Gerät vor Ihnen diesen Code anzeigt. Wenn Sie es erlauben, kann jeder, der das Gerät hat, Ihr Konto so nutzen, wie Sie es hier erlauben.",
    next: "Ihr Gerät macht von selbst weiter.",
    elsewhereTitle: "Ist das Ihr Gerät?",
    elsewhereText:
      "Die Anfrage von {app} kam aus einem anderen Netzwerk als Ihrem. Das kann normal sein, zum Beispiel wenn Ihr Telefon nicht im selben WLAN ist wie das Gerät.",
    elsewhereYes: "Ja, meins",
    elsewhereNo: "Nein, ablehnen",
    allowedTitle: "{app} ist verbunden",
    allowedText:
      "Gehen Sie zu Ihrem Gerät zurück. Dort geht es in ein paar Sekunden weiter. Sie können diese Seite schließen.",
    allowedBefore:
      "Gehen Sie zu Ihrem Gerät zurück. In ein paar Sekunden geht es dort mit dem weiter, was Sie angekreuzt haben, und mit nichts Neuem. Sie können diese Seite schließen.",
    deniedTitle: "{app} wurde nicht verbunden",
    deniedText: "Das Gerät kann Ihr Konto nicht verwenden. Sie können diese Seite schließen.",
    deniedKeepsTitle: "Für {app} hat sich nichts geändert",
    deniedKeeps:
      "Die App behält den Zugriff, den Sie früher erlaubt haben. Um ihn zu beenden, widerrufen Sie den Zugriff der App unter „Ihre Apps“. Sie können diese Seite schließen.",
    deniedKeepsFor:
      "Falls die App schon Zugriff für {company} hat, behält sie ihn. Beenden können Sie ihn auf der Seite des Unternehmens. Sie können diese Seite schließen.",
    nothingText:
      "Ihr Konto darf nicht erlauben, was das Gerät angefragt hat. Es wurde nichts weitergegeben. Sie können diese Seite schließen.",
    apps: "Zu Ihren Apps",
  },

  heldError: {
    title: "Mit der Anfrage von {app} stimmt etwas nicht",
    wrong: "Die Anfrage der App ist fehlerhaft. Es wurde nichts weitergegeben.",
    denied: "Die App kann nicht bekommen, was sie angefragt hat. Es wurde nichts weitergegeben.",
    leads:
      "„Weiter“ führt zu {host} und teilt der App den Fehler mit. Fahren Sie nur fort, wenn Sie dieser Adresse vertrauen.",
    submit: "Weiter",
  },

  formPost: {
    title: "Zurück zur App",
    text: "Ihre Antwort wird an {host} gesendet. Wenn nichts geschieht, wählen Sie „Weiter“.",
    submit: "Weiter",
  },

  problems: {
    apps: "Zu Ihren Apps",
    startAgain: "Von vorn beginnen",
    other: {
      title: "Diese Anfrage funktioniert nicht",
      text: "Die Anfrage der App ist fehlerhaft. Es wurde nichts weitergegeben. Gehen Sie zur App zurück. Wenn es wieder geschieht, melden Sie es dem Entwickler der App.",
    },
    clientUnknown: {
      title: "Diese App kann hier nicht benutzt werden",
      text: "Der Link, der Sie hierher geführt hat, nennt eine App, die nicht registriert ist oder die der Betreiber dieses Dienstes ausgeschaltet hat. Es wurde nichts weitergegeben. Gehen Sie zur App zurück. Wenn es wieder geschieht, melden Sie es dem Entwickler der App.",
    },
    redirectUri: {
      title: "Der Link dieser App ist nicht sicher",
      text: "Die App wollte Sie an eine Adresse weiterleiten, die sie nicht registriert hat. Deshalb haben wir abgebrochen. Es wurde nichts weitergegeben. Melden Sie es dem Entwickler der App.",
    },
    notFound: {
      title: "Seite nicht gefunden",
      text: "Vielleicht ist die Adresse falsch, oder die Seite wurde verschoben.",
    },
    invitation: {
      title: "Diese Einladung gilt nicht mehr",
      text: "Sie wurde verwendet oder zurückgezogen, oder sie ist abgelaufen. Bitten Sie die Verwaltung des Unternehmens um eine neue.",
    },
    method: {
      title: "Diese Seite kann das nicht",
      text: "Diese Adresse nimmt diese Art von Anfrage nicht an.",
    },
    form: {
      title: "Dieses Formular ist abgelaufen",
      text: "Es wurde schon gesendet, war zu lange geöffnet, oder kam aus einem anderen Browser. Dieses Mal wurde nichts geändert. Prüfen Sie, ob es schon erledigt ist. Wenn nicht, öffnen Sie die Seite neu und senden Sie es noch einmal.",
      codes:
        "Es wurde schon gesendet oder war zu lange geöffnet. Dieses Mal wurde nichts geändert. Wiederherstellungscodes werden nur einmal angezeigt. Wenn Sie Ihre nicht gespeichert haben, erstellen Sie unter „Sicherheit“ neue.",
    },
    foreignForm: {
      title: "Dieses Formular kam von einer anderen Website",
      text: "Es wurde nichts geändert. Wenn Sie das tun wollten, öffnen Sie die Seite hier und senden Sie das Formular noch einmal.",
    },
    signInRefused: {
      title: "So können Sie sich nicht anmelden",
      text: "Ihre Anmeldung war richtig, aber eine Regel dieses Dienstes lässt sie jetzt nicht zu. Melden Sie sich von einem anderen Ort oder auf andere Weise an, oder fragen Sie den Betreiber dieses Dienstes.",
    },
    signInTooWeak: {
      title: "Diese Anmeldung braucht einen zweiten Schritt",
      text: "Eine Regel dieses Dienstes verlangt eine stärkere Anmeldung, und Ihr Konto hat keinen zweiten Schritt, der stark genug ist. Melden Sie sich mit einem Passkey an, falls Sie einen haben, oder fragen Sie den Betreiber dieses Dienstes.",
    },
    signInUnchecked: {
      title: "Ihre Anmeldung konnte nicht geprüft werden",
      text: "Der Dienst konnte eine seiner Regeln nicht abfragen, deshalb sind Sie nicht angemeldet. Mit Ihrem Konto ist alles in Ordnung. Versuchen Sie es in einer Minute noch einmal.",
    },
    cutOff: {
      title: "Beginnen Sie in der App noch einmal",
      text: "Diese Seite gehört zu einer Anmeldung, die in einem anderen Browser gestartet wurde, oder der Link ist unvollständig. Es wurde nichts weitergegeben.",
    },
    expired: {
      title: "Diese Seite war zu lange geöffnet",
      text: "Die Anmeldung wurde vor mehr als einer Stunde gestartet und gilt nicht mehr. Es wurde nichts weitergegeben. Beginnen Sie von vorn.",
    },
    finished: {
      title: "Sie haben schon geantwortet",
      text: "Die App hat Ihre Antwort. Gehen Sie zur App zurück, um fortzufahren. Was die App darf, können Sie unter „Apps“ ändern.",
    },
    tooMuch: {
      title: "Das war zu lang",
      text: "Sie haben mehr gesendet, als diese Seite annimmt. Es wurde nichts geändert.",
    },
    unavailable: {
      title: "Dieser Dienst ist gerade nicht verfügbar",
      text: "Ein Teil des Dienstes antwortet nicht. Warten Sie einen Moment und laden Sie die Seite dann neu.",
    },
    fault: {
      title: "Etwas ist schiefgegangen",
      text: "Der Fehler liegt bei uns, nicht bei Ihnen. Versuchen Sie es noch einmal. Wenn es wieder geschieht, wenden Sie sich an den Betreiber dieses Dienstes und nennen Sie ihm die Nummer unten.",
    },
  },

  /** Why an invitation is not valid. */
  invitationEnds: {
    incomplete: {
      title: "Der Link dieser Einladung ist unvollständig",
      text: "Ein Teil der Adresse fehlt. Öffnen Sie den Link in der Nachricht noch einmal, oder kopieren Sie die ganze Adresse.",
    },
    expired: {
      title: "Diese Einladung ist abgelaufen",
      text: "Einladungen gelten sieben Tage. Bitten Sie die Verwaltung des Unternehmens um eine neue.",
    },
    withdrawn: {
      title: "Diese Einladung wurde zurückgezogen",
      text: "Die Verwaltung hat sie zurückgezogen oder eine neuere geschickt. Verwenden Sie die neueste Nachricht, oder fragen Sie die Verwaltung des Unternehmens.",
    },
    used: {
      title: "Diese Einladung wurde schon verwendet",
      text: "Wenn Sie sie selbst verwendet haben, melden Sie sich an, um Ihre Unternehmen zu sehen. Wenn nicht, fragen Sie die Verwaltung des Unternehmens.",
    },
    usedByOther: {
      title: "Diese Einladung wurde schon verwendet",
      text: "Ein anderes Konto hat sie verwendet. Wenn es Ihres ist, melden Sie sich damit an. Wenn nicht, fragen Sie die Verwaltung des Unternehmens.",
    },
    left: {
      title: "Diese Einladung wurde schon verwendet",
      text: "Sie haben sie selbst verwendet, gehören aber nicht mehr zu dem Unternehmen. Wenn Sie zurückkommen möchten, bitten Sie die Verwaltung des Unternehmens um eine neue Einladung.",
    },
    joined: {
      title: "Diese Einladung wurde schon verwendet",
      text: "Sie haben sie selbst verwendet. Sie finden das Unternehmen unter Ihren Unternehmen.",
    },
  },

  problem: {
    forDevelopers: "Für die Entwickler der App",
    reference: "Vorgangsnummer",
  },

  time: {
    now: "gerade eben",
    soon: "gleich",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
