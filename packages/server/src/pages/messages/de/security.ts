/** German: passwords, sign-up, e-mail addresses, the profile and deletion. */
import type { security as english } from "../en/security.ts";
import type { Translation } from "../translation.ts";

export const security = {
  cancel: "Abbrechen",

  security: {
    title: "Sicherheit",
    back: "Zurück zu „Sicherheit“",
    intro: "Wie und wo Sie angemeldet sind.",
    password: "Passwort",
    passwordSince: "Festgelegt {when}",
    passwordNone: "Sie haben kein Passwort.",
    passwordUnknown: "Ihr Passwort funktioniert nicht mehr, weil Ihre Anmeldemethoden wiederhergestellt wurden.",
    passwordByMail: "Wählen Sie ein neues mit einem Link, den wir Ihnen senden.",
    emailMoved:
      "Die E-Mail-Adresse des Kontos wurde am {when} geändert. Wenn Sie das nicht waren, fordern Sie den Link mit Ihrer früheren E-Mail-Adresse an, nicht mit Ihrem Benutzernamen. Er holt die Adresse zurück, und Sie wählen dabei ein neues Passwort.",
    passwordAsk: "Bitten Sie den Betreiber von {product} um ein neues.",
    passwordChange: "Passwort ändern",
    passwordSet: "Passwort wählen",
    passwordDone: "Ihr neues Passwort wurde gespeichert.",
    companyAppsEnded: "Falls Sie Apps für ein Unternehmen verbunden haben, müssen Sie sie neu verbinden.",
  },

  password: {
    title: "Passwort ändern",
    titleSet: "Passwort wählen",
    titleMust: "Wählen Sie ein neues Passwort",
    introMust:
      "Vielleicht kennt jemand anderes das Passwort, mit dem Sie sich angemeldet haben. Wählen Sie ein neues, um fortzufahren.",
    current: "Aktuelles Passwort",
    new: "Neues Passwort",
    again: "Neues Passwort bestätigen",
    hint: "Mindestens 8 Zeichen. Ein paar zufällige Wörter sind schwer zu erraten und leicht zu merken.",
    endSessions: "Überall sonst abmelden",
    endApps: "Zugriff aller Apps widerrufen",
    endAppsHint:
      "Lassen Sie das ausgewählt, wenn jemand anderes Ihr Passwort kennen könnte. Sie können Ihre Apps später wieder erlauben.",
    endAppsIf:
      "Wählen Sie das aus, wenn jemand anderes Ihr Konto benutzt haben könnte. Sie können Ihre Apps später wieder erlauben.",
    show: "Anzeigen",
    hide: "Verbergen",
    showLabel: "Passwort anzeigen",
    hideLabel: "Passwort verbergen",
    strength: { short: "Zu kurz", weak: "Schwach: leicht zu erraten", good: "Gut", strong: "Stark" },
    submit: "Passwort ändern",
    wrong: {
      noCurrent: "Geben Sie Ihr aktuelles Passwort ein.",
      unknown: "Ihr Passwort funktioniert nicht mehr. Wählen Sie zuerst unter „Sicherheit“ ein neues.",
      current: "Das ist nicht Ihr aktuelles Passwort.",
      missing: "Geben Sie ein neues Passwort ein.",
      stale: "Ihre Anmeldung liegt eine Weile zurück. Melden Sie sich ab und wieder an. Wählen Sie dann ein Passwort.",
      differ: "Das stimmt nicht mit dem Passwort oben überein. Geben Sie zweimal dasselbe Passwort ein.",
      same: "Das ist schon Ihr Passwort. Wählen Sie ein anderes.",
      malformed: "Dieses Passwort enthält ein Zeichen, das nicht verwendet werden kann. Wählen Sie ein anderes.",
      short: "Zu kurz. Verwenden Sie mindestens 8 Zeichen.",
      long: "Zu lang. Verwenden Sie höchstens 1024 Bytes.",
      name: "Zu leicht zu erraten, weil es Ihr Name ist. Wählen Sie ein anderes.",
      common: "Zu häufig verwendet. Wählen Sie ein anderes.",
    },
  },

  recover: {
    link: "Passwort vergessen?",
    title: "Neues Passwort wählen",
    intro: "Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link.",
    login: "Benutzername oder E-Mail-Adresse",
    submit: "Link senden",
    missing: "Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein.",
    stale: "Diese Seite war zu lange geöffnet, oder Ihr Browser blockiert Cookies. Versuchen Sie es noch einmal.",
    submitNew: "Passwort speichern",
    doneTitle: "Ihr Passwort wurde geändert",
  },

  sent: {
    title: "Prüfen Sie Ihren Posteingang",
    recover:
      "Wenn es ein Konto mit Passwort und bestätigter E-Mail-Adresse gibt, haben wir einen Link per E-Mail gesendet. Der Link funktioniert einmal, 15 Minuten lang.",
    signUp: "Wir haben eine Nachricht an {email} gesendet. Der Link darin funktioniert einmal, eine Stunde lang.",
    hint: "Nach ein paar Minuten keine Nachricht? Prüfen Sie Ihren Spam-Ordner, oder fordern Sie den Link noch einmal an.",
    recoverHint:
      "Nach ein paar Minuten keine Nachricht? Prüfen Sie Ihren Spam-Ordner, oder fordern Sie den Link noch einmal an. Wenn keine kommt, bitten Sie den Betreiber von {product} um Hilfe.",
    full: "Zu viele Nachrichten warten, deshalb konnten wir Ihre nicht senden. Versuchen Sie es in ein paar Minuten noch einmal.",
    back: "Zurück zur Anmeldung",
  },

  link: {
    incomplete: {
      title: "Dieser Link ist unvollständig",
      text: "Ein Teil der Adresse fehlt. Öffnen Sie den Link in der Nachricht noch einmal, oder kopieren Sie die ganze Adresse. Es wurde nichts geändert.",
    },
    expired: { title: "Dieser Link ist abgelaufen", text: "Er ist {when} abgelaufen. Es wurde nichts geändert." },
    used: {
      title: "Dieser Link wurde schon verwendet",
      text: "Er funktioniert nur einmal. Dieses Mal wurde nichts geändert.",
    },
    ended: {
      title: "Dieser Link funktioniert nicht mehr",
      text: "Er wurde schon verwendet oder ist abgelaufen. Es wurde nichts geändert.",
    },
    overtaken: {
      title: "Dieser Link funktioniert nicht mehr",
      text: "Er wurde schon verwendet, er ist abgelaufen, oder eine Änderung Ihres Kontos hat ihn beendet, zum Beispiel ein neues Passwort. Dieses Mal wurde nichts geändert.",
    },
    usedSignUp: "Mit dieser Adresse gibt es schon ein Konto.",
    usedEnter: "Melden Sie sich damit an.",
    usedByYou: "Ihr Konto wurde damit erstellt.",
    usedByAnother: "Mit dieser Adresse gibt es schon ein Konto. Um es zu benutzen, melden Sie sich zuerst ab.",
    again: "Neuen Link anfordern",
    anotherBrowserTitle: "Dieser Link funktioniert nicht in diesem Browser",
    anotherBrowserText:
      "Er funktioniert nur in dem Browser, den Sie für dieses Konto am längsten verwenden. Öffnen Sie den Link dort. Wenn Sie diesen Browser nicht mehr haben, bitten Sie den Betreiber von {product} um Hilfe. Es wurde nichts geändert.",
    takenTitle: "Diese Adresse kann nicht verwendet werden",
    takenText: "Ein anderes Konto verwendet sie schon. Es wurde nichts geändert.",
    account: "Zu Ihrem Konto",
  },

  signUp: {
    link: "Konto erstellen",
    title: "Konto erstellen",
    intro: "Wir senden Ihnen einen Link, mit dem Sie fortfahren.",
    email: "E-Mail-Adresse",
    submit: "Link senden",
    emailWrong: "Geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.com.",
    newText: "Ihre E-Mail-Adresse ist {email}.",
    username: "Benutzername",
    usernameHint: "Buchstaben, Ziffern und . _ - ohne Leerzeichen. Damit melden Sie sich an.",
    name: "Ihr Name",
    nameHint: "So sehen andere Sie. Optional.",
    again: "Passwort bestätigen",
    create: "Konto erstellen",
    usernameWrong:
      "Verwenden Sie nur Buchstaben aus einem Alphabet, Ziffern und . _ -, höchstens 64 Zeichen. Beginnen Sie mit einem Buchstaben oder einer Ziffer.",
    usernameTaken: "Dieser Benutzername ist vergeben. Wählen Sie einen anderen.",
    nameWrong:
      "Dieser Name kann nicht verwendet werden. Verwenden Sie bis zu 120 sichtbare Zeichen in einer Zeile, aus einem Alphabet.",
  },

  waiting: {
    signInTitle: "Anmelden, um {company} beizutreten",
    invitedBy: {
      member: "{person} hat Sie eingeladen, {company} als Mitglied beizutreten.",
      admin: "{person} hat Sie in die Verwaltung von {company} eingeladen.",
    },
    invited: {
      member: "Sie sind eingeladen, {company} als Mitglied beizutreten.",
      admin: "Sie sind in die Verwaltung von {company} eingeladen.",
    },
    promotedBy: "{person} lädt Sie in die Verwaltung von {company} ein. Sie sind dort schon Mitglied.",
    promoted: "Sie sind in die Verwaltung von {company} eingeladen. Sie sind dort schon Mitglied.",
    invitedNeedlessly:
      "{person} hat Sie zu {company} eingeladen, aber Sie gehören schon dazu. Diese Einladung ändert nichts.",
    invitedOnly: "Verwenden Sie den Benutzernamen oder die E-Mail-Adresse, für die die Einladung gilt.",
    invitedAddress: "Verwenden Sie die E-Mail-Adresse, für die die Einladung gilt.",
    onward: {
      app: "Sie können jetzt zu {app} weitergehen.",
      device: "Sie können jetzt Ihr Gerät verbinden, wenn es seinen Code noch anzeigt.",
    },
    next: {
      app: "Danach geht es weiter zu {app}.",
      device: "Danach können Sie Ihr Gerät verbinden, wenn es seinen Code noch anzeigt.",
    },
    sent: {
      app: "Öffnen Sie den Link in diesem Browser, um zu {app} zu gelangen. Wenn Sie ihn auf einem anderen Gerät öffnen, müssen Sie danach selbst auf diese Seite zurückkehren.",
      device:
        "Öffnen Sie den Link in diesem Browser, um Ihr Gerät zu verbinden. Wenn Sie ihn woanders öffnen, müssen Sie danach selbst auf diese Seite zurückkehren. Der Code auf dem Gerät gilt nur wenige Minuten. Dort bekommen Sie auch einen neuen.",
      invitation:
        "Öffnen Sie den Link in diesem Browser, um {company} beizutreten. Wenn Sie ihn auf einem anderen Gerät öffnen, müssen Sie danach selbst auf diese Seite zurückkehren.",
    },
    elsewhere: {
      app: "Um zu {app} zu gelangen, kehren Sie zu dem Browser zurück, in dem Sie begonnen haben, und melden Sie sich dort an.",
      device:
        "Wenn Ihr Gerät seinen Code noch anzeigt, kehren Sie zu dem Browser zurück, in dem Sie begonnen haben, und melden Sie sich dort an, um es zu verbinden.",
      invitation:
        "Um {company} beizutreten, kehren Sie zu dem Browser zurück, in dem Sie begonnen haben, oder öffnen Sie den Link der Einladung noch einmal.",
    },
    elsewhereFirst: {
      app: "Sie haben in einem anderen Browser begonnen. Erstellen Sie Ihr Konto hier. Kehren Sie dann zu dem anderen Browser zurück, um zu {app} zu gelangen.",
      device:
        "Sie haben in einem anderen Browser begonnen. Erstellen Sie Ihr Konto hier. Wenn Ihr Gerät dann seinen Code noch anzeigt, kehren Sie zu dem anderen Browser zurück, um es zu verbinden.",
      invitation:
        "Sie haben in einem anderen Browser begonnen. Erstellen Sie Ihr Konto hier. Kehren Sie dann zu dem anderen Browser zurück, um {company} beizutreten.",
    },
    expired:
      "Die Anfrage von {app} ist abgelaufen, weil sie vor mehr als einer Stunde gestartet wurde. Beginnen Sie von vorn.",
    expiredFirst:
      "Die Anfrage von {app} ist abgelaufen. Erstellen Sie Ihr Konto und beginnen Sie dann in {app} von vorn.",
    withdrawn:
      "Die Einladung zu {company} gilt nicht mehr. Verwenden Sie die neueste Einladung, oder fragen Sie einen Admin von {company}.",
    withdrawnFirst:
      "Die Einladung zu {company} gilt nicht mehr. Sie können Ihr Konto trotzdem erstellen. Um {company} beizutreten, brauchen Sie eine neue Einladung.",
    readyTitle: "Ihr Konto ist bereit",
    readyText: "Sie sind in diesem Browser als {person} angemeldet.",
    gone: "Wenn eine App oder ein Unternehmen Sie hierher geschickt hat, gehen Sie dorthin zurück und beginnen Sie von vorn.",
  },

  confirm: {
    verifyTitle: "Ist das Ihre E‑Mail-Adresse?",
    verifyText: "{email} ist die Adresse des Kontos {person}. Bestätigen Sie nur, wenn beides Ihnen gehört.",
    changeTitle: "E‑Mail-Adresse ändern?",
    changeText: "Die Adresse des Kontos {person} wird {email}. Bestätigen Sie nur, wenn beides Ihnen gehört.",
    yes: "Ja, beides gehört mir",
    doneTitle: "Adresse bestätigt",
    doneText: "{email} ist jetzt die bestätigte Adresse des Kontos {person}.",
    undoTitle: "Adressänderung rückgängig machen",
    undoSubmit: "Rückgängig machen",
    undoneTitle: "Das Konto gehört wieder Ihnen",
    undoneText: "Die Adresse ist wieder {email}. Melden Sie sich mit dem neuen Passwort an.",
  },

  profile: {
    title: "Profil",
    intro: "Ihr Name, Ihre Adresse und Ihre Daten.",
    username: "Benutzername",
    name: "Name",
    nameSave: "Speichern",
    nameSaved: "Ihr Name wurde geändert.",
    picture: "Bild",
    pictureText:
      "Freiwillig. Apps, denen Sie erlauben, Ihr Profil zu sehen, können Ihr Bild zeigen. Alle, die seine Adresse kennen, können es öffnen.",
    pictureFile: "Bilddatei",
    pictureHint:
      "PNG, JPEG, WebP oder GIF, höchstens 8 MB. Wir behalten die Mitte als kleines Quadrat, ohne Ort und Zeit der Aufnahme.",
    pictureSave: "Hochladen",
    pictureRemove: "Entfernen",
    pictureSaved: "Ihr Bild wurde geändert.",
    pictureRemoved: "Ihr Bild wurde entfernt.",
    pictureWrong: {
      none: "Wählen Sie zuerst eine Datei.",
      too_large: "Die Datei ist größer als 8 MB. Wählen Sie eine kleinere.",
      no_picture: "Die Datei ist kein Bild im Format PNG, JPEG, WebP oder GIF. Wählen Sie eine andere.",
      unreadable: "Wir können dieses Bild nicht lesen. Es ist beschädigt oder zu groß. Wählen Sie ein anderes.",
      too_many: "Sie haben zu viele Bilder hochgeladen. Versuchen Sie es in einer Stunde noch einmal.",
      busy: "Gerade kommen zu viele Dateien an. Versuchen Sie es in einer Minute noch einmal.",
    },
    about: "Über Sie",
    aboutText:
      "Alle diese Angaben sind freiwillig. Apps, denen Sie erlauben, Ihr Profil, Ihre Telefonnummer oder Ihre Postanschrift zu sehen, können sie lesen.",
    detailsSaved: "Ihre Angaben wurden geändert.",
    details: {
      givenName: "Vorname",
      middleName: "Weitere Vornamen",
      familyName: "Nachname",
      nickname: "Spitzname",
      birthdate: "Geburtsdatum",
      gender: "Geschlecht",
      locale: "Sprache und Region",
      zoneinfo: "Zeitzone",
      website: "Eigene Website",
      profileUrl: "Profilseite auf einer anderen Website",
      phoneNumber: "Telefonnummer",
      street: "Straße und Hausnummer",
      postalCode: "Postleitzahl",
      locality: "Ort",
      region: "Bundesland oder Region",
      country: "Land",
    },
    detailHints: {
      locale: "Zum Beispiel: de-CH",
      zoneinfo: "Zum Beispiel: Europe/Berlin",
      website: "Zum Beispiel: https://ada.example",
      profileUrl: "Zum Beispiel in einem sozialen Netzwerk",
      phoneNumber: "Mit Ländervorwahl, zum Beispiel: +49 30 123456",
    },
    detailWrong: {
      text: "Verwenden Sie sichtbare Zeichen in einer Zeile und einem Alphabet, oder einen kürzeren Text.",
      birthdate: "Geben Sie ein Datum ab 1800 ein, das nicht in der Zukunft liegt.",
      locale: "Geben Sie ein Sprachkürzel ein, zum Beispiel: de-CH",
      zoneinfo: "Geben Sie den Namen einer Zeitzone ein, zum Beispiel: Europe/Berlin",
      website: "Geben Sie die ganze Adresse mit höchstens 500 Zeichen ein, zum Beispiel: https://ada.example",
      profileUrl: "Geben Sie die ganze Adresse mit höchstens 500 Zeichen ein, zum Beispiel: https://ada.example",
      phoneNumber: "Geben Sie die Nummer mit Ländervorwahl ein, zum Beispiel: +49 30 123456",
    },
    email: "E-Mail-Adresse",
    verified: "Bestätigt",
    unverified: "Nicht bestätigt",
    unverifiedText:
      "Solange sie nicht bestätigt ist, können wir Ihnen keinen Link senden, wenn Sie Ihr Passwort vergessen, und senden keine Nachrichten über Änderungen an Ihrem Konto.",
    verify: "Bestätigungslink senden",
    verifySent: "Wir haben eine Nachricht an {email} gesendet. Der Link darin funktioniert einmal, eine Stunde lang.",
    change: "Ändern",
    newEmail: "Neue E-Mail-Adresse",
    changeSubmit: "Link senden",
    changeSent:
      "Wir haben eine Nachricht an {email} gesendet. Öffnen Sie den Link darin, um Ihre Adresse zu ändern. Der Link funktioniert einmal, eine Stunde lang.",
    changeSame: "Das ist schon Ihre Adresse.",
    tooMany: "Es wurden zu viele Nachrichten angefordert. Versuchen Sie es in einer Stunde noch einmal.",
    data: "Ihre Daten",
    dataText: "Laden Sie alles herunter, was wir über Sie speichern.",
    download: "Herunterladen",
    delete: "Konto löschen",
    deleteText: "Damit werden Ihr Konto und alle Ihre eigenen Daten gelöscht.",
    deleteLink: "Konto löschen",
    pending: "Ihr Konto wird am {when} gelöscht.",
    keep: "Konto behalten",
    kept: "Ihr Konto bleibt bestehen.",
  },

  dataExport: {
    title: "Ihre Daten herunterladen",
    text: "Eine Datei (JSON) mit allem, was wir über Sie speichern: Konto, Anmeldungen, Apps, Unternehmen und Verlauf.",
    care: "Bewahren Sie die Datei dort auf, wo niemand sonst sie lesen kann.",
    back: "Zurück zum Profil",
  },

  deletion: {
    title: "Konto löschen?",
    text: "Es wird am {when} gelöscht. Bis dahin können Sie sich anmelden und „Konto behalten“ wählen. Danach kann es niemand wiederherstellen.",
    now: "Sie werden sofort überall sonst abgemeldet, und alle Apps werden getrennt.",
    notBack: "Er kommt nicht zurück, wenn Sie Ihr Konto behalten.",
    later:
      "An diesem Tag werden Ihr Konto und alle Ihre eigenen Daten gelöscht, und andere können Ihren Benutzernamen und Ihre E-Mail-Adresse verwenden.",
    stays:
      "Unternehmen behalten den Verlauf dessen, was Sie für sie getan haben, ohne Ihren Namen. Apps behalten die Daten, die sie schon haben.",
    submit: "Mein Konto löschen",
    keep: "Konto behalten",
    soleAdmin:
      "Sie können Ihr Konto noch nicht löschen, weil nur Sie Verwaltungsrechte für {companies} haben. Geben Sie zuerst jemand anderem Verwaltungsrechte, oder fragen Sie den Betreiber dieses Dienstes.",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
