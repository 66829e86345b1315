/** German: passwords that the operator's application keeps. */

import type { kept as english } from "../en/kept.ts";
import type { Translation } from "../translation.ts";

export const kept: Translation<typeof english, "one" | "other"> = {
  kept: {
    forgot: "Wenn Sie sich mit Ihrem Passwort von {application} anmelden, wählen Sie dort ein neues.",
    forgotLink: "Neues Passwort bei {application}",
    here: "Für jedes andere Konto geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link.",
    unchecked:
      "Passwörter können im Moment nicht geprüft werden. Versuchen Sie es in einer Minute noch einmal, oder melden Sie sich auf andere Weise an.",
    password: "Sie melden sich mit Ihrem Passwort von {application} an. Sie können es nur dort ändern.",
    change: "Bei {application} ändern",
    profile:
      "{application} setzt Ihren Namen und Ihre E-Mail-Adresse bei jeder Anmeldung mit Ihrem Passwort von {application}. Ändern Sie sie dort.",
  },
};
