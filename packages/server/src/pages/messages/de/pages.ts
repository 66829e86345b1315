/** German: what all pages share, signing in and out, devices, and what went wrong. */
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
    introAlone: "Sehen Sie, welche Apps Ihr Konto verwenden, und entscheiden Sie darüber.",
    introFor: "Ihr Passwort bleibt hier. Die App bekommt es nicht zu sehen.",
    titleAgain: "Noch einmal anmelden",
    introAgain:
      "Sie sind als {person} angemeldet. Bitte geben Sie Ihr Passwort noch einmal ein, damit wir wissen, dass Sie es sind.",
    chooseFor: "Konto für {app} wählen",
    chooseIntro:
      "Sie sind als {person} angemeldet. Um als {person} fortzufahren, geben Sie Ihr Passwort ein; für ein anderes Konto geben Sie dessen Namen und Passwort ein.",
    username: "Benutzername oder E-Mail-Adresse",
    password: "Passwort",
    submit: "Anmelden",
    wrong:
      "Benutzername oder E-Mail-Adresse passt nicht zum Passwort. Prüfen Sie beides und versuchen Sie es noch einmal.",
    missing: "Geben Sie Benutzernamen oder E-Mail-Adresse und Ihr Passwort ein.",
    missingPassword: "Geben Sie Ihr Passwort ein.",
    throttled: {
      one: "Zu viele Versuche hintereinander. Warten Sie eine Minute und versuchen Sie es dann noch einmal.",
      other: "Zu viele Versuche hintereinander. Warten Sie {count} Minuten und versuchen Sie es dann noch einmal.",
    },
    stale:
      "Diese Seite war zu lange offen, oder Ihr Browser nimmt keine Cookies an. Bitte melden Sie sich noch einmal an.",
  },

  signOut: {
    button: "Abmelden",
    title: "Möchten Sie sich abmelden?",
    text: "Sie sind als {person} angemeldet. Apps, denen Sie etwas erlaubt haben, behalten ihren Zugriff.",
    stay: "Angemeldet bleiben",
    doneTitle: "Sie sind abgemeldet",
    doneText: "In diesem Browser kann jetzt niemand Ihr Konto sehen oder ändern.",
    again: "Wieder anmelden",
  },

  device: {
    title: "Ein Gerät verbinden",
    intro: "Geben Sie den Code ein, den Ihr Gerät anzeigt.",
    compare:
      "Zeigt das Gerät vor Ihnen diesen Code? Dann machen Sie weiter. Hat Ihnen jemand den Link geschickt, schließen Sie diese Seite.",
    code: "Code",
    hint: "8 Buchstaben. Großschreibung, Striche und Leerzeichen spielen keine Rolle.",
    submit: "Weiter",
    unknown:
      "Mit diesem Code wartet kein Gerät. Prüfen Sie die Buchstaben, oder lassen Sie das Gerät einen neuen Code anzeigen.",
    missing: "Geben Sie den Code ein.",
    throttled: {
      one: "Zu viele falsche Codes. Warten Sie eine Minute und versuchen Sie es dann noch einmal.",
      other: "Zu viele falsche Codes. Warten Sie {count} Minuten und versuchen Sie es dann noch einmal.",
    },
    stale:
      "Diese Seite war zu lange offen, oder Ihr Browser nimmt keine Cookies an. Bitte geben Sie den Code noch einmal ein.",
    signIn: "Melden Sie sich an, um Ihr Gerät zu verbinden",
    signInIntro: "Ihr Passwort bleibt hier. Das Gerät bekommt es nicht zu sehen.",
    itsCode: "Code auf dem Gerät",
    itsAddress: "Adresse des Geräts",
    fromHere: "{address} (Ihr Netz)",
    fromElsewhere: "{address} (nicht Ihr Netz)",
    fromUnknown: "Unbekannt",
    when: "Angefragt",
    warning: "Erlauben Sie es nur, wenn Sie es selbst begonnen haben und das Gerät vor Ihnen diesen Code zeigt.",
    next: "Auf dem Gerät geht es von selbst weiter.",
    elsewhereTitle: "Ist das Ihr Gerät?",
    elsewhereText:
      "Die Anfrage von {app} kam aus einem anderen Netz als Ihrem. Das kann stimmen, wenn Ihr Telefon nicht im selben WLAN ist wie das Gerät. Hat Ihnen aber jemand den Link geschickt, will er vielleicht mit seinem Gerät Ihr Konto verwenden.",
    elsewhereYes: "Ja, das war ich",
    elsewhereNo: "Nein, ablehnen",
    allowedTitle: "{app} ist verbunden",
    allowedText:
      "Gehen Sie zu Ihrem Gerät zurück: Dort geht es in ein paar Sekunden weiter. Sie können diese Seite schließen.",
    deniedTitle: "{app} wurde abgelehnt",
    deniedText: "Das Gerät kann Ihr Konto nicht verwenden. Sie können diese Seite schließen.",
    nothingText:
      "Ihr Konto darf nicht erlauben, was das Gerät wollte. Es wurde nichts weitergegeben. Sie können diese Seite schließen.",
    apps: "Zu Ihren Apps",
  },

  heldError: {
    title: "{app} hat Sie mit einem Fehler hierher geschickt",
    wrong: "Die App hat bei ihrer Anfrage einen Fehler gemacht. Es wurde nichts weitergegeben.",
    denied: "Die App kann nicht bekommen, worum sie gebeten hat. Es wurde nichts weitergegeben.",
    leads:
      "„Weiter“ führt zu {host} und teilt der App mit, was schiefging. Gehen Sie nur dorthin, wenn Sie dieser Adresse vertrauen.",
    submit: "Weiter",
  },

  formPost: {
    title: "Zurück zur App",
    text: "Ihre Antwort geht an {host}. Wenn nichts geschieht, klicken Sie auf die Schaltfläche.",
    submit: "Weiter",
  },

  problems: {
    apps: "Zu Ihren Apps",
    startAgain: "Neu beginnen",
    other: {
      title: "Diese Anfrage lässt sich nicht ausführen",
      text: "Die Anfrage der App ist fehlerhaft. Es wurde nichts weitergegeben. Gehen Sie zur App zurück, und melden Sie es dem Hersteller, wenn es wieder geschieht.",
    },
    clientUnknown: {
      title: "Diese App ist hier nicht bekannt",
      text: "Der Link, der Sie hierher gebracht hat, nennt eine App, die nicht registriert ist. Es wurde nichts weitergegeben. Gehen Sie zur App zurück, und melden Sie es dem Hersteller, wenn es wieder geschieht.",
    },
    redirectUri: {
      title: "Der Link dieser App ist nicht sicher",
      text: "Die App wollte Sie an eine Adresse schicken, die nicht für sie registriert ist. Deshalb haben wir hier angehalten. Es wurde nichts weitergegeben. Melden Sie es dem Hersteller der App.",
    },
    notFound: {
      title: "Hier ist nichts",
      text: "Vielleicht ist die Adresse falsch geschrieben, oder die Seite ist umgezogen.",
    },
    invitation: {
      title: "Diese Einladung gilt nicht mehr",
      text: "Vielleicht wurde sie schon benutzt oder zurückgezogen, oder sie ist älter als sieben Tage. Bitten Sie die Verwaltung des Unternehmens um eine neue.",
    },
    method: {
      title: "So geht das nicht",
      text: "Diese Adresse nimmt diese Art von Anfrage nicht an.",
    },
    form: {
      title: "Dieses Formular gilt nicht mehr",
      text: "Es war zu lange offen oder kam aus einem anderen Browser. Es wurde nichts geändert. Laden Sie die Seite neu und versuchen Sie es noch einmal.",
    },
    foreignForm: {
      title: "Dieses Formular kam von einer anderen Website",
      text: "Es wurde nichts geändert. Wenn Sie das tun wollten, öffnen Sie die Seite hier und senden Sie das Formular noch einmal.",
    },
    cutOff: {
      title: "Beginnen Sie in der App noch einmal",
      text: "Diese Seite gehört zu einer Anmeldung, die in einem anderen Browser begonnen wurde, oder der Link ist unvollständig. Es wurde nichts weitergegeben.",
    },
    expired: {
      title: "Diese Seite war zu lange offen",
      text: "Die Anmeldung wurde vor mehr als einer Stunde begonnen und gilt nicht mehr. Es wurde nichts weitergegeben. Beginnen Sie neu.",
    },
    finished: {
      title: "Das haben Sie schon beantwortet",
      text: "Gehen Sie zur App zurück: Sie hat Ihre Antwort. Was sie darf, können Sie auf der Seite Ihrer Apps ändern.",
    },
    tooMuch: {
      title: "Das war zu viel auf einmal",
      text: "Was gesendet wurde, ist länger, als diese Seite annimmt. Es wurde nichts geändert.",
    },
    unavailable: {
      title: "Wir können gerade nicht antworten",
      text: "Etwas hinter dieser Seite antwortet nicht. Das sollte vorübergehen: Warten Sie einen Moment und laden Sie die Seite neu.",
    },
    fault: {
      title: "Hier ist etwas schiefgegangen",
      text: "Es liegt an uns, nicht an Ihnen. Versuchen Sie es noch einmal; geschieht es wieder, nennen Sie dem Betreiber dieses Dienstes die Nummer unten.",
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
