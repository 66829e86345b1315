/** German: passkeys, authenticator apps, recovery codes, other identities and sessions. */
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
    lost: "Sie haben Ihre Authenticator-App nicht?",
    recovery: "Wiederherstellungscode",
    recoveryHint: "Einer der Codes, die Sie gespeichert haben. Jeder funktioniert einmal.",
    wrong: "Dieser Code ist falsch oder wurde schon verwendet. Warten Sie auf den nächsten Code und geben Sie ihn ein.",
    wrongRecovery: "Das ist keiner Ihrer Wiederherstellungscodes, oder er wurde schon verwendet.",
    untrustedRecovery:
      "Dieser Code wurde in einem Browser erstellt oder wiederhergestellt, der für Ihr Konto neu war. Er kann hier nicht bestätigen, dass Sie es sind. Verwenden Sie einen älteren Wiederherstellungscode oder Ihre Authenticator-App.",
    untrustedPasskey:
      "Dieser Passkey wurde in einem Browser hinzugefügt, der für Ihr Konto neu war. Er kann hier nicht bestätigen, dass Sie es sind. Verwenden Sie einen anderen Passkey. Anmelden können Sie sich mit diesem weiterhin.",
    missing: "Geben Sie den Code ein.",
    over: "Anderes Konto verwenden",
  },

  stronger: {
    title: "Dafür müssen Sie sich sicherer anmelden",
    intro:
      "{app} möchte Zugriff, für den eine Anmeldung mit einem zweiten Schritt nötig ist. Sie haben noch keinen eingerichtet.",
    introPasskey:
      "{app} möchte Zugriff, für den Sie sich mit einem Passkey anmelden müssen. Sie haben noch keinen hinzugefügt.",
    elsewhere: "Sie können sich auch bei einem Dienst anmelden, der einen zweiten Schritt verlangt:",
    authenticator: "Authenticator-App einrichten",
    passkey: "Passkey hinzufügen",
    deny: "Nicht erlauben und zurück",
  },

  passkey: {
    use: "Mit einem Passkey anmelden",
    noScript:
      "Passkeys brauchen JavaScript und einen Browser, der sie unterstützt. Sie können sich mit Ihrem Passwort anmelden.",
    noScriptSecond:
      "Passkeys brauchen JavaScript und einen Browser, der sie unterstützt. Aktivieren Sie JavaScript für diese Seite, oder verwenden Sie einen anderen Browser.",
    failed:
      "Dieser Passkey kann hier nicht verwendet werden. Versuchen Sie es noch einmal, oder melden Sie sich anders an.",
    cancelled: "Der Passkey wurde nicht verwendet. Versuchen Sie es noch einmal, oder melden Sie sich anders an.",
  },

  passkeys: {
    title: "Passkeys",
    intro:
      "Melden Sie sich mit Fingerabdruck, Gesicht oder Bildschirmsperre an statt mit einem Passwort. Keine andere Website kann Ihren Passkey verwenden.",
    unavailable: "Unter dieser Adresse können Passkeys nicht verwendet werden.",
    add: "Passkey hinzufügen",
    used: "zuletzt verwendet {when}",
    unused: "nie verwendet",
    synced: "Vom Anbieter synchronisiert",
    bound: "Nur auf einem Gerät",
    remove: "Entfernen",
    removeNamed: "Passkey {name} entfernen",
    ask: "Diesen Passkey entfernen?",
    ends: "Mit „{name}“ können Sie sich dann nicht mehr anmelden.",
    name: "Name",
    nameHint: "Zum Beispiel „Arbeitslaptop“.",
    addTitle: "Passkey hinzufügen",
    addIntro:
      "Ihr Browser fragt, wo er gespeichert werden soll: auf diesem Gerät, auf einem Telefon oder auf einem Sicherheitsschlüssel.",
    addNoScript:
      "Um einen Passkey hinzuzufügen, aktivieren Sie JavaScript für diese Seite in einem Browser, der Passkeys unterstützt.",
    doneAdded: "Ihr Passkey wurde hinzugefügt. Sie können sich jetzt damit anmelden.",
    doneRemoved: "Der Passkey wurde entfernt und funktioniert nicht mehr. Löschen Sie ihn auch auf Ihrem Gerät.",
    last: "Das ist Ihre einzige Anmeldemethode. Wählen Sie zuerst ein Passwort, oder fügen Sie einen weiteren Passkey hinzu.",
    wrong: {
      failed: "Dieser Passkey konnte nicht hinzugefügt werden. Versuchen Sie es noch einmal.",
      cancelled: "Es wurde kein Passkey erstellt. Versuchen Sie es noch einmal.",
      taken: "Sie haben diesen Passkey schon hinzugefügt.",
      full: "Sie haben die maximale Anzahl von Passkeys. Entfernen Sie zuerst einen.",
      name: "Geben Sie einen Namen aus 1 bis 60 sichtbaren Zeichen eines Alphabets ein.",
    },
  },

  identities: {
    title: "Identitäten von anderen Diensten",
    intro:
      "Diese Dienste können bestätigen, wer Sie sind. Apps, für die sie bürgen, können dann für Sie handeln, ohne dass Sie sich hier anmelden.",
    since: "Verknüpft {when}",
    remove: "Entfernen",
    removeNamed: "Identität von {issuer} entfernen",
    ask: "Diese Identität entfernen?",
    ends: "{issuer} kann hier nicht mehr bestätigen, wer Sie sind.",
    stays: "Apps behalten den Zugriff, den sie haben. Unter „Apps“ können Sie ihn widerrufen.",
    again:
      "Der Betreiber dieses Dienstes kann die Identität wieder verknüpfen. Wenn der andere Dienst Ihre E-Mail-Adresse kennt, kann sie auch automatisch verknüpft werden.",
    doneRemoved: "Die Identität wurde entfernt.",
    last: "Ohne Passwort oder Passkey könnten Sie sich nicht mehr anmelden. Wählen Sie zuerst ein Passwort, oder fügen Sie einen Passkey hinzu.",
  },

  authenticator: {
    title: "Authenticator-App",
    intro: "Nach Ihrem Passwort geben Sie einen Code aus einer App auf Ihrem Telefon ein.",
    off: "Nicht eingerichtet.",
    earlier:
      "Ihre vorherige Authenticator-App kann noch bestätigen, dass Sie es sind, wenn Sie das Konto per E-Mail wiederherstellen. „Entfernen“ entfernt beide Apps.",
    setUp: "Einrichten",
    replace: "Auf ein anderes Telefon umziehen",
    remove: "Entfernen",
    ask: "Authenticator-App entfernen?",
    ends: "Danach wird beim Anmelden kein Code mehr verlangt. Auch Ihre Wiederherstellungscodes gelten nicht mehr.",
    setUpTitle: "Authenticator-App einrichten",
    scan: "Scannen Sie dies mit einer Authenticator-App. Vielleicht kann das auch die Passwort-App Ihres Telefons.",
    qr: "QR-Code mit dem Schlüssel, der darunter steht",
    open: "In einer Authenticator-App öffnen",
    secret: "Oder geben Sie diesen Schlüssel ein:",
    code: "6-stelliger Code aus der App",
    submit: "Aktivieren",
    wrong:
      "Dieser Code ist falsch. Prüfen Sie, ob die Uhrzeit Ihres Telefons stimmt, und geben Sie den aktuellen Code ein.",
    expired: "Diese Seite war zu lange geöffnet. Hier ist ein neuer Code zum Scannen.",
    doneRemoved: "Die Authenticator-App wurde entfernt. Nach Ihrem Passwort wird kein Code mehr verlangt.",
  },

  recovery: {
    title: "Wiederherstellungscodes",
    left: { one: "1 Code übrig", other: "{count} Codes übrig" },
    none: "Keine Codes übrig. Erstellen Sie neue, bevor Sie einen brauchen.",
    renew: "Neue Codes erstellen",
    newer:
      "Dieses Mal wurde nichts geändert. Ihre neuesten Wiederherstellungscodes gelten weiterhin, werden aber nur einmal angezeigt. Wenn Sie sie nicht gespeichert haben, erstellen Sie neue.",
    newTitle: "Ihre Wiederherstellungscodes",
    newIntro:
      "Mit jedem Code können Sie sich einmal anmelden, anstelle eines Codes aus der App. Drucken Sie die Codes aus oder schreiben Sie sie auf, und bewahren Sie sie an einem sicheren Ort auf. Sie werden nur einmal angezeigt.",
    newOld: "Ihre alten Codes funktionieren nicht mehr.",
    newOldKept:
      "Mit Ihren alten Codes können Sie sich nicht mehr anmelden. Bewahren Sie sie trotzdem auf: Sie bestätigen weiterhin, dass Sie es sind, wenn Sie das Konto per E-Mail wiederherstellen.",
    untrusted:
      "Codes, die in einem für Ihr Konto neuen Browser erstellt oder wiederhergestellt wurden, können nicht bestätigen, dass Sie es sind, wenn Sie das Konto per E-Mail wiederherstellen. Erstellen Sie noch einmal Codes, sobald Sie einen Browser 7 Tage lang verwendet haben.",
    download: "Als Datei speichern",
    go: "Ich habe sie gespeichert",
  },

  sessions: {
    title: "Wo Sie angemeldet sind",
    intro: "Wenn Sie sich abmelden, ändert das nichts daran, was Apps dürfen. Das ändern Sie unter „{apps}“.",
    apps: "Ihre Apps",
    here: "Dieser Browser",
    device: "{browser} auf {system}",
    unknown: "Unbekannter Browser",
    from: "Von {place}",
    since: "Angemeldet {when}",
    seen: "zuletzt aktiv {when}",
    end: "Abmelden",
    endNamed: "{device} abmelden, zuletzt aktiv {when}",
    endOthers: "Überall sonst abmelden",
    endAll: "Überall abmelden",
    doneOne: "Der andere Browser wurde abgemeldet.",
    doneOthers: "Sie sind überall sonst abgemeldet. Apps behalten ihren Zugriff.",
  },
};
