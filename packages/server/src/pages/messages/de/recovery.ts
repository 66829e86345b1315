/** German: recovering an account by e-mail, and undoing a recovery. */
import type { recovery as english } from "../en/recovery.ts";
import type { Translation } from "../translation.ts";

export const recovery: Translation<typeof english, "one" | "other"> = {
  takeBack: {
    proveTitle: "Bestätigen Sie, dass Sie es sind",
    proveCode:
      "Bevor Sie für das Konto {person} ein neues Passwort wählen, geben Sie einen Code aus Ihrer Authenticator-App ein.",
    provePasskey: "Bevor Sie für das Konto {person} ein neues Passwort wählen, verwenden Sie einen seiner Passkeys.",
    proveWith: "Passkey verwenden",
    proveNone: "Haben Sie nichts davon mehr? Bitten Sie den Betreiber von {product} um Hilfe.",
    throttled: {
      one: "Zu viele Versuche. Warten Sie eine Minute und fordern Sie dann einen neuen Link an.",
      other: "Zu viele Versuche. Warten Sie {count} Minuten und fordern Sie dann einen neuen Link an.",
    },
    text: "Für das Konto {person}. Sie werden überall abgemeldet.",
    undoText: "Das Konto {person} erhält wieder die Adresse {email}. Sie werden überall abgemeldet.",
    changed:
      "Das Konto wurde geändert, während diese Seite offen war. Prüfen Sie alles noch einmal, und wählen Sie dann das Passwort.",
    leaving: "Ihr Konto sollte am {when} gelöscht werden. Wenn Sie fortfahren, wird es nicht gelöscht.",
    stays:
      "Ihr Konto wird nicht mehr gelöscht. Wenn Sie es doch löschen möchten, melden Sie sich an, und wählen Sie in Ihrem Profil „Konto löschen“.",
    ways: "Anmeldemethoden",
    waysDoubtful:
      "Diese wurden mit einem Browser hinzugefügt, der für Ihr Konto neu war. Angekreuzte werden entfernt. Entfernen Sie das Häkchen bei denen, die Sie selbst hinzugefügt haben.",
    waysStates: { ticked: "Wird entfernt", open: "Bleibt" },
    waysKept: "Diese bleiben:",
    remove: "Entfernen: {way}",
    passkey: "Passkey „{name}“",
    authenticator: "Authenticator-App",
    codes: "Wiederherstellungscodes",
    added: "Hinzugefügt {when}",
    addedFrom: "Hinzugefügt {when} mit {device}",
    place: "Netzwerk {place}",
    used: "zuletzt verwendet {when}",
    back: "Ihre vorherige Authenticator-App funktioniert dann wieder.",
    backCodes: "Die vorherigen funktionieren dann wieder.",
    apps: "Apps mit Zugriff",
    appsHint: "Angekreuzte Apps verlieren ihren Zugriff. Die anderen behalten ihn.",
    appsStates: { ticked: "Verliert den Zugriff", open: "Behält den Zugriff" },
    staysPaused: "Bleibt pausiert",
    appsSince: "Apps, die seit dem {when} verbunden, geändert oder fortgesetzt wurden, sind angekreuzt.",
    appsNone: "Keine App hat Zugriff auf Ihr Konto.",
    appsEnding:
      "Keine App bekommt neuen Zugriff auf Ihr Konto. Apps, die vorher Zugriff hatten, können ihn noch kurz nutzen.",
    appsRevoked: "Der Zugriff aller Apps wurde widerrufen.",
    appsHidden:
      "Nicht angezeigt: {count}. Die seitdem verbundenen, geänderten oder fortgesetzten verlieren ihren Zugriff. Die anderen behalten ihn.",
    connected: "Verbunden {when}",
    connectedDevice: "Verbunden {when} mit einem Code von einem Gerät",
    latest: "erneut {when}",
    endChanged: "geändert {when}",
    resumed: "fortgesetzt {when}",
    company: "Apps, die Sie für {company} verbunden haben",
    browsers: "Browser",
    browsersText: "Alle Browser werden abgemeldet. Diese waren seit dem {when} neu:",
    doneText: "Sie wurden überall abgemeldet. Melden Sie sich mit dem neuen Passwort an.",
    doneRemoved: "Entfernt: {list}.",
    doneBack: "Funktionieren wieder: {list}.",
    previous: { authenticator: "Vorherige Authenticator-App", codes: "Vorherige Wiederherstellungscodes" },
    doneKept: "Sie können sich weiterhin anmelden mit: {list}.",
    doneEnded: "Zugriff widerrufen: {list}.",
    doneApps: "Weiterhin Zugriff: {list}.",
    donePaused: "Weiterhin pausiert: {list}.",
    restoreTitle: "Entfernte Anmeldemethoden wiederherstellen?",
    restoreText:
      "Am {when} hat jemand mit einem Link aus einer E-Mail ein neues Passwort für das Konto {person} gewählt und entfernt:",
    restoreThen:
      "Wenn Sie das waren, tun Sie nichts. Wenn nicht, stellen Sie sie wieder her: Alle werden abgemeldet, das Passwort gilt nicht mehr, und Anmeldemethoden, die seitdem mit einem neuen Browser hinzugefügt wurden, werden entfernt. Wählen Sie dann ein neues Passwort. Vielleicht brauchen Sie eine dieser Anmeldemethoden, um sich anzumelden.",
    restoreApps:
      "Apps verlieren den Zugriff, den sie seitdem für Sie oder für ein Unternehmen bekommen haben, und Berechtigungen, deren Ende seitdem geändert wurde. Ihre eigenen Antworten für Unternehmen seitdem werden vergessen. Apps, die seitdem fortgesetzt wurden, werden wieder pausiert. Apps, deren Zugriff seitdem widerrufen wurde, bleiben ohne Zugriff: Verbinden Sie sie danach neu.",
    restoreExpired:
      "Er ist {when} abgelaufen. Es wurde nichts geändert. Die entfernten Anmeldemethoden lassen sich nicht mehr wiederherstellen, und das jetzige Passwort bleibt. Wenn Sie es nicht kennen, wählen Sie ein neues.",
    restoreYes: "Wiederherstellen",
    restoredTitle: "Die Anmeldemethoden sind wiederhergestellt",
    restoredText: "Alle sind abgemeldet, und das Passwort gilt nicht mehr. Wählen Sie jetzt ein neues.",
    restoredFirst: "Alle sind abgemeldet, und das Passwort gilt nicht mehr.",
    moved: "Die E-Mail-Adresse des Kontos ist nicht mehr {email}: Sie wurde am {when} geändert und bleibt geändert.",
    movedThen:
      "Wenn Sie das nicht waren, stellen Sie zuerst die Anmeldemethoden wieder her. Danach können Sie sich an {email} einen Link senden lassen, der die Adresse zurückholt.",
    movedNow:
      "Wenn Sie das nicht waren, lassen Sie sich einen Link an {email} senden. Er holt die Adresse zurück, und Sie wählen dabei ein neues Passwort. Ein Link, den Sie mit Ihrem Benutzernamen anfordern, geht an die andere Adresse.",
    movedMail:
      "Wenn Sie das nicht waren, geben Sie auf der Seite {email} ein, nicht Ihren Benutzernamen. Wir senden dann einen Link an {email}, der die Adresse zurückholt und mit dem Sie ein neues Passwort wählen.",
    movedLate:
      "Kein Link kann das mehr rückgängig machen. Wenn Sie das nicht waren, bitten Sie den Betreiber von {product} um Hilfe.",
    movedSend: "Link an {email} senden",
    pausedAgain: "Wieder pausiert: {list}.",
    companiesKeep:
      "Was seit dem Entfernen bei Ihren Unternehmen geändert wurde, bleibt: Regeln für Apps, Verbindungen, Mitglieder und neue Unternehmen. Nur offene Einladungen in Ihrem Namen werden zurückgezogen. Prüfen Sie Ihre Unternehmen.",
    doneLost: "Berechtigungen widerrufen: {list}.",
    lostSoon: {
      one: "Diese Berechtigungen enden innerhalb von 1 Minute.",
      other: "Diese Berechtigungen enden innerhalb von {count} Minuten.",
    },
    restoredApps:
      "Apps, deren Zugriff seit dem Entfernen widerrufen wurde, bleiben ohne Zugriff. Um eine davon wieder zu nutzen, verbinden Sie sie neu.",
  },
};
