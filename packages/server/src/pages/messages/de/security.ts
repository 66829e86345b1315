/** German: the pages about how one signs in. */
import type { security as english } from "../en/security.ts";
import type { Translation } from "../translation.ts";

export const security = {
  cancel: "Abbrechen",

  security: {
    title: "Sicherheit",
    intro: "Wie Sie sich anmelden und wo Sie angemeldet sind.",
    password: "Passwort",
    passwordChanged: "Geändert {when}",
    passwordNone: "Sie melden sich hier ohne Passwort an.",
    passwordChange: "Passwort ändern",
    passwordSet: "Passwort wählen",
    passwordDone: "Ihr Passwort wurde geändert.",
  },

  password: {
    title: "Passwort ändern",
    titleSet: "Passwort wählen",
    titleMust: "Wählen Sie ein neues Passwort",
    introMust:
      "Das Passwort, mit dem Sie sich angemeldet haben, kennt vielleicht noch jemand. Wählen Sie ein eigenes, dann geht es weiter.",
    current: "Aktuelles Passwort",
    new: "Neues Passwort",
    again: "Neues Passwort noch einmal",
    hint: "8 Zeichen oder mehr. Ein paar Wörter hintereinander sind schwer zu erraten und leicht zu merken.",
    endSessions: "Überall sonst abmelden",
    endApps: "Allen Apps den Zugriff entziehen",
    endAppsHint:
      "Lassen Sie das Häkchen gesetzt, wenn jemand anderes Ihr Passwort gekannt haben könnte. Sie können Ihre Apps wieder zulassen.",
    submit: "Passwort ändern",
    wrong: {
      current: "Das ist nicht Ihr aktuelles Passwort.",
      missing: "Geben Sie ein neues Passwort ein.",
      stale:
        "Ihre Anmeldung liegt eine Weile zurück. Melden Sie sich ab und wieder an, und wählen Sie dann ein Passwort.",
      differ: "Das ist nicht dasselbe wie oben. Geben Sie das neue Passwort zweimal ein.",
      same: "Dieses Passwort haben Sie schon. Wählen Sie ein anderes.",
      malformed: "In diesem Passwort ist ein Zeichen, das nicht erlaubt ist. Wählen Sie ein anderes.",
      short: "Das ist zu kurz. Ein Passwort hat 8 Zeichen oder mehr.",
      long: "Das ist zu lang. Ein Passwort hat höchstens 1024 Bytes.",
      name: "Den eigenen Namen probieren andere zuerst. Wählen Sie ein anderes Passwort.",
      common: "Dieses Passwort haben viele, deshalb wird es zuerst probiert. Wählen Sie ein anderes.",
    },
  },

  recover: {
    link: "Passwort vergessen?",
    title: "Neues Passwort wählen",
    intro: "Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein. Wir schicken Ihnen einen Link.",
    login: "Benutzername oder E-Mail-Adresse",
    submit: "Link schicken",
    missing: "Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein.",
    stale:
      "Diese Seite war zu lange offen, oder Ihr Browser nimmt keine Cookies an. Versuchen Sie es bitte noch einmal.",
    submitNew: "Dieses Passwort verwenden",
    doneTitle: "Ihr Passwort wurde geändert",
  },

  sent: {
    title: "Sehen Sie in Ihrem Postfach nach",
    recover:
      "Wenn es dieses Konto gibt, ist ein Link an seine E-Mail-Adresse unterwegs. Er gilt einmal, 15 Minuten lang.",
    signUp: "Eine Nachricht an {email} ist unterwegs. Der Link darin gilt einmal, eine Stunde lang.",
    hint: "Nach ein paar Minuten nichts da? Sehen Sie im Spam-Ordner nach, oder fordern Sie den Link noch einmal an.",
    full: "Zu viele Nachrichten warten auf den Versand. An Sie wurde nichts gesendet. Versuchen Sie es in ein paar Minuten wieder.",
    back: "Zurück zur Anmeldung",
  },

  link: {
    goneTitle: "Dieser Link gilt nicht mehr",
    goneText: "Er wurde schon verwendet, ist zu alt oder unvollständig. Es wurde nichts geändert.",
    again: "Neuen Link anfordern",
    anotherBrowserTitle: "Dieser Link gilt nicht in diesem Browser",
    anotherBrowserText:
      "Er gilt nur in dem Browser, den Sie für dieses Konto am längsten verwenden. Öffnen Sie den Link dort. Wenn Sie diesen Browser nicht mehr haben, bitten Sie den Betreiber von {product} um Hilfe. Es wurde nichts geändert.",
    takenTitle: "Diese Adresse kann nicht verwendet werden",
    takenText: "Ein anderes Konto hat sie schon. Es wurde nichts geändert.",
    account: "Zu Ihrem Konto",
  },

  signUp: {
    link: "Konto anlegen",
    title: "Konto anlegen",
    intro: "Wir schicken einen Link an Ihre E-Mail-Adresse, mit dem es weitergeht.",
    email: "E-Mail-Adresse",
    submit: "Link schicken",
    emailWrong: "Das ist keine E-Mail-Adresse. Sie sieht zum Beispiel so aus: name@example.com.",
    newText: "Ihre E-Mail-Adresse ist {email}.",
    username: "Benutzername",
    usernameHint: "Buchstaben, Ziffern und . _ - ohne Leerzeichen. Damit melden Sie sich an.",
    name: "Ihr Name",
    nameHint: "So, wie andere ihn sehen sollen. Das Feld kann leer bleiben.",
    again: "Passwort noch einmal",
    create: "Konto anlegen",
    usernameWrong:
      "Ein Benutzername hat nur Buchstaben, Ziffern und . _ -, höchstens 64, alle aus einem Alphabet, und beginnt mit einem Buchstaben oder einer Ziffer.",
    usernameTaken: "Diesen Benutzernamen hat schon jemand. Wählen Sie einen anderen.",
    nameWrong:
      "Das lässt sich nicht anzeigen. Ein Name hat bis zu 120 Zeichen in einer Zeile, in einem Alphabet, und keine unsichtbaren.",
  },

  confirm: {
    verifyTitle: "Ist das Ihre E‑Mail-Adresse?",
    verifyText: "{email} ist beim Konto {person} eingetragen. Bestätigen Sie nur, wenn beides Ihnen gehört.",
    changeTitle: "E‑Mail-Adresse ändern?",
    changeText: "Das Konto {person} bekommt die Adresse {email}. Bestätigen Sie nur, wenn beides Ihnen gehört.",
    yes: "Ja, beides gehört mir",
    doneTitle: "Danke",
    doneText: "{email} ist die bestätigte Adresse des Kontos {person}.",
    undoTitle: "Änderung zurücknehmen",
    undoSubmit: "Zurücknehmen",
    undoneTitle: "Das Konto gehört wieder Ihnen",
    undoneText: "Es hat wieder die Adresse {email}. Melden Sie sich mit dem neuen Passwort an.",
  },

  profile: {
    title: "Profil",
    intro: "Wer Sie hier sind.",
    username: "Benutzername",
    name: "Name",
    nameSave: "Speichern",
    nameSaved: "Ihr Name wurde geändert.",
    email: "E-Mail-Adresse",
    verified: "Bestätigt",
    unverified: "Nicht bestätigt",
    verify: "Link zum Bestätigen schicken",
    verifySent: "Eine Nachricht an {email} ist unterwegs. Der Link darin gilt einmal, eine Stunde lang.",
    change: "Ändern",
    newEmail: "Neue E-Mail-Adresse",
    changeSubmit: "Link dorthin schicken",
    changeSent:
      "Eine Nachricht an {email} ist unterwegs. Ihre Adresse ändert sich, wenn Sie den Link darin öffnen. Er gilt einmal, eine Stunde lang.",
    changeSame: "Das ist schon Ihre Adresse.",
    tooMany: "Es wurden zu viele Nachrichten angefordert. Versuchen Sie es in einer Stunde wieder.",
    data: "Ihre Daten",
    dataText: "Alles, was hier über Sie gespeichert ist, als Datei für Sie.",
    download: "Herunterladen",
    delete: "Konto löschen",
    deleteText: "Mit allem, was hier über Sie gespeichert ist.",
    deleteLink: "Konto löschen",
    pending: "Ihr Konto wird am {when} gelöscht.",
    keep: "Konto behalten",
    kept: "Ihr Konto bleibt bestehen.",
  },

  dataExport: {
    title: "Ihre Daten herunterladen",
    text: "Eine Datei (JSON) mit allem, was hier über Sie gespeichert ist: Konto, Anmeldungen, Apps, Unternehmen und Verlauf.",
    care: "Bewahren Sie die Datei dort auf, wo niemand sonst sie lesen kann.",
    back: "Zurück zum Profil",
  },

  deletion: {
    title: "Konto löschen?",
    text: "Es wird am {when} gelöscht. Bis dahin können Sie sich anmelden und es behalten. Danach kann es niemand zurückholen.",
    now: "Sofort verlieren Apps ihren Zugriff, und Sie werden überall sonst abgemeldet.",
    later:
      "Dann verschwindet alles, was hier über Sie gespeichert ist, und andere können Ihren Benutzernamen und Ihre Adresse nehmen.",
    submit: "Mein Konto löschen",
    keep: "Behalten",
    soleAdmin:
      "Sie sind die einzige Person, die {companies} verwaltet. Geben Sie dort erst jemand anderem diese Aufgabe, oder fragen Sie den Betreiber dieses Dienstes.",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
