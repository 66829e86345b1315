/** German: the page that verifies and explains a receipt. */
import type { receipts as english } from "../en/receipts.ts";
import type { Translation } from "../translation.ts";

export const receipts: Translation<typeof english, "one" | "other"> = {
  verifyReceipt: {
    title: "Beleg prüfen",
    intro:
      "Prüfen Sie, ob {product} einen Beleg signiert hat und ob ihn jemand geändert hat. Sie brauchen dafür kein Konto.",
    field: "Beleg",
    hint: "Öffnen Sie die Datei mit einem Texteditor, kopieren Sie alles und fügen Sie es hier ein. Ist sie sehr lang, fügen Sie nur den Text ein, der auf „receipt“ folgt.",
    submit: "Prüfen",
    wrong: {
      missing: "Fügen Sie einen Beleg ein.",
      too_long: "Dieser Text ist zu lang. Fügen Sie nur den Text ein, der auf „receipt“ folgt.",
      malformed: "Das ist kein Beleg, oder ein Teil fehlt. Fügen Sie die ganze Datei ein.",
      other_type: "Das ist kein Beleg. Es könnte ein Schlüssel zu einem Konto sein: Geben Sie ihn niemandem.",
      other_issuer:
        "Dieser Beleg ist nicht von {product}. Er nennt {issuer} als Aussteller, aber {product} kann das nicht prüfen.",
      unknown_key:
        "{product} kann diesen Beleg nicht prüfen: Der Schlüssel, der ihn signiert hat, ist nicht oder nicht mehr veröffentlicht.",
      altered:
        "Verlassen Sie sich nicht auf diesen Beleg. Er wurde geändert, nachdem {product} ihn signiert hat, oder {product} hat ihn nie signiert.",
      stale: "Diese Seite war zu lange geöffnet, oder Ihr Browser blockiert Cookies. Prüfen Sie den Beleg noch einmal.",
    },
    validTitle: "Dieser Beleg ist echt",
    validText: "{product} hat ihn signiert, und niemand hat ihn seitdem geändert.",
    revoked: "Der Zugriff von {app} wurde widerrufen",
    paused: "{app} wurde pausiert",
    resumed: "{app} wurde fortgesetzt",
    ended: {
      password: "{app} wurde getrennt, weil das Passwort des Kontos geändert wurde",
      account: "{app} wurde getrennt, weil das Konto gesperrt wurde",
      leaving: "{app} wurde getrennt, weil das Konto zur Löschung vorgemerkt wurde",
    },
    someone: "Konto {id}",
    app: "Name der App",
    appId: "ID der App",
    when: "Wann",
    account: "Konto",
    by: "Entschieden von",
    byOwner: "Inhaber des Kontos",
    byOperator: "Betreiber von {product}",
    byApp: "Die App",
    byServer: "{product}, automatisch",
    how: "Wie",
    via: {
      browser: "Auf der Seite, die um Erlaubnis fragt",
      device: "Auf der Seite, die um Erlaubnis fragt, für ein Gerät",
      "first party": "Ohne Frage, weil die App zu {product} gehört",
      "company policy": "Durch eine Regel des Unternehmens",
      password: "Mit Benutzername und Passwort",
      "operator policy": "Nach den Richtlinien von {product}",
      admin: "Durch die Verwaltung des Unternehmens, für seine Mitglieder",
    },
    hosts: "Führt zurück zu",
    made: "Beleg erstellt",
    notProven: "Was der Beleg nicht beweist",
    notNow: "Dass die App noch Zugriff hat. Der Zugriff kann seitdem beendet oder geändert worden sein.",
    notStill: "Dass das noch gilt. Es kann sich seitdem geändert haben.",
    notWho: "Wem das Konto gehört. Der Beleg nennt nur die ID des Kontos.",
    again: "Weiteren Beleg prüfen",
  },
};
