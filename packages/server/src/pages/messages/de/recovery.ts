/** German: taking an account back by mail, and undoing that. */
import type { recovery as english } from "../en/recovery.ts";
import type { Translation } from "../translation.ts";

export const recovery: Translation<typeof english, "one" | "other"> = {
  takeBack: {
    proveTitle: "Bestätigen Sie, dass Sie es sind",
    proveCode:
      "Bevor Sie für das Konto {person} ein neues Passwort wählen, geben Sie einen Code Ihrer Authenticator-App ein.",
    provePasskey: "Bevor Sie für das Konto {person} ein neues Passwort wählen, benutzen Sie einen seiner Passkeys.",
    proveWith: "Passkey benutzen",
    proveNone: "Sie haben nichts davon mehr? Bitten Sie den Betreiber von {product} um Hilfe.",
    text: "Für das Konto {person}. Sie werden überall abgemeldet.",
    undoText: "Das Konto {person} bekommt {email} zurück. Sie werden überall abgemeldet.",
    changed:
      "Das Konto wurde geändert, während diese Seite offen war. Prüfen Sie alles noch einmal, und wählen Sie dann das Passwort.",
    ways: "Anmeldewege",
    waysDoubtful:
      "Diese wurden mit einem Browser hinzugefügt, der damals neu für Ihr Konto war. Angekreuzte werden entfernt. Entfernen Sie das Häkchen bei denen, die Ihnen gehören.",
    waysKept: "Diese bleiben:",
    remove: "Entfernen: {way}",
    passkey: "Passkey „{name}“",
    authenticator: "Authenticator-App",
    codes: "Wiederherstellungscodes",
    added: "Hinzugefügt {when}",
    addedFrom: "Hinzugefügt {when} mit {device}",
    place: "Netzwerk {place}",
    used: "zuletzt benutzt {when}",
    back: "Die vorherige kommt zurück.",
    apps: "Apps mit Zugriff",
    appsHint: "Angekreuzte Apps verlieren den Zugriff. Die anderen behalten ihn.",
    appsSince: "Apps, die nach diesem Zeitpunkt verbunden wurden, sind angekreuzt: {when}.",
    appsNone: "Keine App hat Zugriff auf Ihr Konto.",
    appsHidden: "Nicht gezeigt: {count}. Die seitdem verbundenen verlieren den Zugriff, die anderen behalten ihn.",
    connected: "Verbunden {when}",
    connectedDevice: "Verbunden {when} mit dem Code eines Geräts",
    latest: "wieder {when}",
    company: "Was Sie für {company} verbunden haben",
    companyApps: "Anzahl der Apps: {count}",
    browsers: "Die Browser",
    browsersText: "Alle Browser werden abgemeldet. Nach diesem Zeitpunkt ({when}) waren neu:",
    doneText: "Sie wurden überall abgemeldet. Melden Sie sich mit dem neuen Passwort an.",
    doneRemoved: "Entfernt: {list}.",
    doneKept: "Damit können Sie sich weiter anmelden: {list}.",
    doneEnded: "Kein Zugriff mehr für: {list}.",
    doneApps: "Weiterhin Zugriff haben: {list}.",
    restoreTitle: "Die entfernten Anmeldewege wiederherstellen?",
    restoreText:
      "Am {when} hat jemand mit einem Link aus einer E-Mail ein neues Passwort für das Konto {person} gewählt und entfernt:",
    restoreThen:
      "Wenn Sie das waren, tun Sie nichts. Wenn nicht, stellen Sie sie wieder her: Alle werden abgemeldet, das Passwort gilt nicht mehr, und was seitdem hinzugefügt wurde, wird entfernt. Wählen Sie dann ein neues Passwort. Sie brauchen dafür einen dieser Anmeldewege.",
    restoreYes: "Wiederherstellen",
    restoredTitle: "Die Anmeldewege sind wiederhergestellt",
    restoredText: "Alle sind abgemeldet, und das Passwort gilt nicht mehr. Wählen Sie jetzt ein neues.",
  },
};
