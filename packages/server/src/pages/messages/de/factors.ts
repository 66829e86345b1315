/** German: ways to sign in beside a password, and where one is signed in. */
import type { factors as english } from "../en/factors.ts";
import type { Translation } from "../translation.ts";

export const factors: Translation<typeof english, "one" | "other"> = {
  secondStep: {
    title: "Noch ein Schritt",
    intro: "Geben Sie den Code ein, den Ihre Authenticator-App für dieses Konto anzeigt.",
    introPasskey: "Bestätigen Sie mit einem Passkey, dass Sie es sind.",
    as: "Anmeldung als {person}",
    code: "6-stelliger Code",
    submit: "Weiter",
    lost: "Sie haben Ihre Authenticator-App nicht zur Hand?",
    recovery: "Wiederherstellungscode",
    recoveryHint: "Einer der Codes, die Sie sich notiert haben. Jeder gilt einmal.",
    wrong: "Dieser Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten und geben Sie ihn ein.",
    wrongRecovery: "Das ist keiner Ihrer Wiederherstellungscodes, oder er wurde schon benutzt.",
    missing: "Geben Sie den Code ein.",
    over: "Als jemand anderes anmelden",
  },

  stronger: {
    title: "Dafür ist eine sicherere Anmeldung nötig",
    intro:
      "{app} bittet um etwas, das Ihr Konto nur nach einer Anmeldung mit mehr als einem Passwort erlauben darf. Das haben Sie noch nicht eingerichtet.",
    introPasskey:
      "{app} bittet um etwas, das Ihr Konto nur nach einer Anmeldung mit einem Passkey erlauben darf. Sie haben noch keinen hinzugefügt.",
    authenticator: "Authenticator-App einrichten",
    passkey: "Passkey hinzufügen",
    deny: "Nicht erlauben und zurück",
  },

  passkey: {
    use: "Mit einem Passkey anmelden",
    noScript:
      "Passkeys brauchen JavaScript und einen Browser, der sie kennt. Sie können sich mit Ihrem Passwort anmelden.",
    noScriptSecond:
      "Passkeys brauchen JavaScript und einen Browser, der sie kennt. Schalten Sie es für diese Seite ein, oder nehmen Sie einen anderen Browser.",
    failed:
      "Dieser Passkey kann hier nicht benutzt werden. Versuchen Sie es noch einmal, oder melden Sie sich anders an.",
    cancelled:
      "Es wurde nichts gesendet: Der Passkey wurde nicht benutzt. Versuchen Sie es noch einmal, oder melden Sie sich anders an.",
  },

  passkeys: {
    title: "Passkeys",
    intro:
      "Melden Sie sich mit Fingerabdruck, Gesicht oder Bildschirmsperre an, ohne Passwort. Andere Websites können ihn nicht abgreifen.",
    unavailable: "Unter dieser Adresse können keine Passkeys benutzt werden.",
    add: "Passkey hinzufügen",
    used: "zuletzt benutzt {when}",
    unused: "nie benutzt",
    synced: "Wird vom Anbieter synchronisiert",
    bound: "Nur auf einem Gerät",
    remove: "Entfernen",
    removeNamed: "Den Passkey {name} entfernen",
    name: "Name",
    nameHint: "Damit Sie ihn wiedererkennen, zum Beispiel „Arbeitslaptop“.",
    addTitle: "Passkey hinzufügen",
    addIntro:
      "Ihr Browser fragt gleich, wo er liegen soll: auf diesem Gerät, einem Telefon oder einem Sicherheitsschlüssel.",
    addNoScript:
      "Um einen Passkey hinzuzufügen, schalten Sie JavaScript für diese Seite ein, in einem Browser, der Passkeys kennt.",
    doneAdded: "Ihr Passkey wurde hinzugefügt. Ab jetzt können Sie sich damit anmelden.",
    doneRemoved:
      "Der Passkey wurde entfernt. Mit ihm kann man sich nicht mehr anmelden; löschen Sie ihn auch auf Ihrem Gerät.",
    last: "Anders können Sie sich nicht anmelden. Wählen Sie zuerst ein Passwort, oder fügen Sie einen weiteren Passkey hinzu.",
    wrong: {
      failed: "Dieser Passkey konnte nicht hinzugefügt werden. Versuchen Sie es noch einmal.",
      cancelled: "Es wurde kein Passkey angelegt. Versuchen Sie es noch einmal.",
      taken: "Dieser Passkey wurde schon hinzugefügt.",
      full: "Mehr Passkeys sind nicht möglich. Entfernen Sie zuerst einen.",
      name: "Geben Sie ihm einen Namen mit 1 bis 60 sichtbaren Zeichen aus einem Alphabet.",
    },
  },

  identities: {
    title: "Identitäten bei anderen Diensten",
    intro:
      "Diese Dienste können diesem Server sagen, wer Sie sind. Apps, für die sie bürgen, handeln dann für Sie, ohne dass Sie sich hier anmelden.",
    since: "Verknüpft {when}",
    remove: "Entfernen",
    removeNamed: "Identität bei {issuer} entfernen",
    ask: "Diese Identität entfernen?",
    ends: "{issuer} kann hier nicht mehr sagen, wer Sie sind.",
    stays: "Apps behalten den Zugriff, den sie haben. Auf der Seite „Apps“ können Sie ihn beenden.",
    again:
      "Wer diesen Server betreibt, kann die Identität wieder verknüpfen. Kennt der Dienst Ihre E-Mail-Adresse, kann das auch von selbst geschehen.",
    doneRemoved: "Die Identität wurde entfernt.",
    last: "Ohne Passwort und ohne Passkey kämen Sie nicht mehr in Ihr Konto. Wählen Sie zuerst ein Passwort, oder fügen Sie einen Passkey hinzu.",
  },

  authenticator: {
    title: "Authenticator-App",
    intro: "Nach Ihrem Passwort geben Sie einen Code ein, den eine App auf Ihrem Telefon anzeigt.",
    off: "Nicht eingerichtet.",
    earlier:
      "Die Authenticator-App, die Sie vorher hatten, kann noch bestätigen, dass Sie es sind, wenn Sie das Konto per E-Mail wiederherstellen. „Entfernen“ entfernt beide Apps.",
    setUp: "Einrichten",
    replace: "Auf ein anderes Telefon umziehen",
    remove: "Entfernen",
    setUpTitle: "Authenticator-App einrichten",
    scan: "Scannen Sie dies mit einer Authenticator-App. Auch die Passwort-App Ihres Telefons kann eine sein.",
    qr: "QR-Code mit dem Schlüssel, der darunter steht",
    secret: "Oder tippen Sie dies ein:",
    code: "6-stelliger Code, den die App jetzt anzeigt",
    submit: "Einschalten",
    wrong:
      "Dieser Code ist falsch. Prüfen Sie, ob die Uhr Ihres Telefons stimmt, und geben Sie den Code ein, den es jetzt anzeigt.",
    expired: "Diese Seite war zu lange offen. Hier ist ein neuer Code zum Scannen.",
    doneRemoved: "Die Authenticator-App wurde entfernt. Ab jetzt genügt Ihr Passwort zum Anmelden.",
  },

  recovery: {
    title: "Wiederherstellungscodes",
    left: { one: "1 Code übrig", other: "{count} Codes übrig" },
    none: "Keine Codes übrig. Erstellen Sie neue, bevor Sie einen brauchen.",
    renew: "Neue Codes erstellen",
    newTitle: "Ihre Wiederherstellungscodes",
    newIntro:
      "Mit jedem können Sie sich einmal anmelden, anstelle eines Codes der App. Drucken Sie sie aus oder schreiben Sie sie auf, und verwahren Sie sie bei Ihren wichtigen Unterlagen: Sie werden nur dieses eine Mal gezeigt.",
    newOld: "Codes, die Sie vorher hatten, gelten nicht mehr.",
    download: "Als Datei speichern",
    go: "Ich habe sie verwahrt",
  },

  sessions: {
    title: "Wo Sie angemeldet sind",
    intro: "Abmelden beendet nichts, was Sie Apps erlaubt haben: Das finden Sie unter {apps}.",
    apps: "Ihre Apps",
    here: "Dieser Browser",
    device: "{browser} auf {system}",
    unknown: "Unbekannter Browser",
    from: "von {place}",
    since: "Angemeldet {when}",
    seen: "zuletzt gesehen {when}",
    end: "Abmelden",
    endNamed: "{device} abmelden, zuletzt gesehen {when}",
    endOthers: "Überall sonst abmelden",
    endAll: "Überall abmelden",
    doneOne: "Dieser Browser ist abgemeldet.",
    doneOthers: "Sie sind überall sonst abgemeldet. Apps behalten den Zugriff, den Sie ihnen erlaubt haben.",
  },
};
