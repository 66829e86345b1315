/** German: apps that a company's admins connect with other services. */

import type { companyConnections as english } from "../en/company-connections.ts";
import type { Translation } from "../translation.ts";

export const companyConnections: Translation<typeof english, "one" | "other"> = {
  companyConnections: {
    place: "Verbindungen",
    title: "Verbindungen von {company}",
    heading: "Mit anderen Diensten verbundene Apps",
    intro:
      "Eine verbundene App kann in einem anderen Dienst für Mitglieder von {company} handeln, ohne jedes Mitglied zu fragen. Jedes Mitglied kann die App weiterhin für sich anhalten.",
    none: "Für {company} ist keine App mit einem anderen Dienst verbunden.",
    nothing: "Der Betreiber dieses Dienstes bietet zurzeit nichts zum Verbinden an.",
    connect: "App verbinden",
    pair: "{app} mit {server}",
    may: "In {server} darf sie",
    could: "In {server} durfte sie",
    at: "Die Adresse von {server} ist",
    states: {
      on: "Verbunden",
      operator: "Vom Betreiber verbunden",
      ended: "Beendet",
      withdrawn: "Nicht mehr angeboten",
      altered: "Angebot geändert",
      blocked: "App gesperrt",
      paused: "App pausiert",
    },
    hints: {
      on: "Verbunden bis zum {when}.",
      operator:
        "Der Betreiber dieses Dienstes hat sie für {company} verbunden. Um das zu beenden, sperren Sie die App.",
      ended: "Sie endete {when}. Die App erhält dadurch nichts mehr.",
      withdrawn:
        "Der Betreiber dieses Dienstes bietet das nicht mehr an. Die App erhält dadurch nichts mehr. Wird es wieder angeboten, kann die App es wieder nutzen. Um das zu verhindern, entfernen Sie es.",
      altered:
        "Der Betreiber dieses Dienstes hat das Angebot geändert. Die App erhält dadurch nichts, bis Sie sie erneut verbinden.",
      blocked: "{company} sperrt die App, deshalb erhält sie dadurch nichts.",
      paused:
        "Die Verwaltung hat die App für {company} pausiert. Bis sie die App fortsetzt, erhält diese durch die Verbindung nichts Neues. Danach funktioniert die Verbindung wieder.",
    },
    by: "{person} hat sie {when} verbunden.",
    since: "Verbunden {when}.",
    change: "Ändern",
    again: "Erneut verbinden",
    remove: "Entfernen",
    previous: "Vorherige Seite",
    next: "Nächste Seite",
    find: "Eine App mit einem anderen Dienst verbinden",
    findText: "Der Betreiber dieses Dienstes bietet dies an. Wählen Sie die App und den Dienst.",
    search: "Nach dem Namen der App oder des Dienstes suchen",
    searchNone: "Kein Angebot hat das im Namen.",
    choose: "Auswählen",
    connected: "Schon verbunden",
    back: "Alle Verbindungen",
    question: "{app} mit {server} verbinden?",
    forWhom:
      "Nur für Mitglieder, die {app} für {company} verwenden, und nur so weit, wie die Regel für die App es ihnen erlaubt. Die eigenen Konten der Mitglieder sind nicht betroffen.",
    learns:
      "{server} erfährt, wer das Mitglied ist: eine Kennung, die bestätigte E-Mail-Adresse und wann und wie es sich hier angemeldet hat.",
    learnsYou:
      "{server} erfährt, wer Sie sind: eine Kennung, die bestätigte E-Mail-Adresse und wann und wie Sie sich hier angemeldet haben.",
    blocked: "{company} sperrt diese App. Ändern Sie zuerst die Regel für die App.",
    rule: "Regel für {app}",
    permissions: "Was {app} in {server} darf",
    apis: "Nur bei diesen Adressen des Dienstes",
    submit: "Verbinden",
    save: "Speichern",
    removeQuestion: "Die Verbindung von {app} mit {server} entfernen?",
    removeText:
      "{app} erhält in {server} keinen neuen Zugriff für Mitglieder von {company}. Zugriff, den die App dort schon hat, besteht, bis {server} ihn beendet.",
    removeStays: "Was Mitglieder {app} hier erlaubt haben, bleibt.",
    lasts: "Zugriff, den {app} in {server} schon hat, besteht, bis {server} ihn beendet.",
    memberText: "{company} hat sie mit {server} verbunden. Dort darf sie für Sie:",
    memberUncovered:
      "{company} hat sie mit {server} verbunden, aber die Regel für die App gilt nicht für Sie. Die App erhält dort für Sie nichts Neues, bis die Verwaltung sie freigibt.",
    onlyCovered: "{app} erhält in {server} neuen Zugriff nur für Mitglieder, die die App verbinden dürfen.",
    allOnlyCovered: "In verbundenen Diensten erhalten Apps neuen Zugriff nur für Mitglieder, die sie verbinden dürfen.",
    consentText:
      "{company} hat diese App mit {server} verbunden. Wenn Sie die App für {company} zulassen, darf sie dort auch für Sie:",
    until: "Bis zum {when}.",
    problems: {
      scopes: "Wählen Sie mindestens eine Berechtigung.",
      duration: "Wählen Sie, bis wann.",
    },
    notices: {
      connected: "Die App ist verbunden.",
      saved: "Die Verbindung ist geändert.",
      removed: "Die Verbindung ist entfernt. Die App erhält dort keinen neuen Zugriff.",
      changed: "Jemand hat das inzwischen geändert. Es wurde nichts gespeichert. Sehen Sie es sich noch einmal an.",
      blocked: "Die App ist gesperrt. Es wurde nichts gespeichert.",
      full: "Es gibt schon 100 Verbindungen. Entfernen Sie zuerst eine.",
      gone: "Das gibt es nicht mehr. Es wurde nichts geändert.",
    },
    events: {
      connected: "{app} wurde für die Mitglieder mit {server} verbunden",
      changed: "Die Verbindung von {app} mit {server} wurde geändert",
      removed: "Die Verbindung von {app} mit {server} wurde entfernt",
    },
  },
};
