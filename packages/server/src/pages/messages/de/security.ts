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
    current: "Jetziges Passwort",
    new: "Neues Passwort",
    again: "Neues Passwort noch einmal",
    hint: "8 Zeichen oder mehr. Ein paar Wörter hintereinander sind schwer zu erraten und leicht zu merken.",
    endSessions: "Überall sonst abmelden",
    endApps: "Allen Apps den Zugriff entziehen",
    endAppsHint:
      "Lassen Sie das angekreuzt, wenn noch jemand Ihr Passwort gekannt haben kann. Sie können Ihre Apps wieder zulassen.",
    submit: "Passwort ändern",
    wrong: {
      current: "Das ist nicht Ihr jetziges Passwort.",
      missing: "Geben Sie ein neues Passwort ein.",
      stale:
        "Ihre Anmeldung liegt eine Weile zurück. Melden Sie sich ab und wieder an, und wählen Sie dann ein Passwort.",
      differ: "Das ist nicht dasselbe wie oben. Geben Sie das neue Passwort zweimal ein.",
      same: "Dieses Passwort haben Sie schon. Wählen Sie ein anderes.",
      malformed: "In diesem Passwort ist ein Zeichen, das nicht geht. Wählen Sie ein anderes.",
      short: "Das ist zu kurz. Ein Passwort hat 8 Zeichen oder mehr.",
      long: "Das ist zu lang. Ein Passwort hat höchstens 1024 Bytes.",
      name: "Den eigenen Namen probieren andere zuerst. Wählen Sie ein anderes Passwort.",
      common: "Dieses Passwort haben viele, deshalb wird es zuerst probiert. Wählen Sie ein anderes.",
    },
  },
} as const satisfies Translation<typeof english, "one" | "other">;
