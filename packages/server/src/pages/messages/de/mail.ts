/** German: what is written to people. */
import type { mail as english } from "../en/mail.ts";
import type { Translation } from "../translation.ts";

export const mail = {
  mail: {
    open: "Wenn die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:",
    footer: "{product} auf {host} hat diese Nachricht geschickt. Antworten darauf werden nicht gelesen.",
    facts: {
      when: "Zeit",
      browser: "Browser",
      address: "Netzwerkadresse",
      reason: "Genannter Grund",
      removed: "Entfernt",
      kept: "Damit können Sie sich weiter anmelden",
      ended: "Kein Zugriff mehr",
      keptApps: "Weiterhin Zugriff",
    },
    kinds: {
      recover: {
        subject: "Wählen Sie ein neues Passwort",
        text: "Jemand, vermutlich Sie, hat für das Konto {person} ein neues Passwort angefordert. Der Link gilt einmal, 15 Minuten lang.",
        button: "Neues Passwort wählen",
        hint: "Wenn Sie das nicht waren, tun Sie nichts: Ihr Passwort bleibt, wie es ist.",
      },
      signUp: {
        subject: "Legen Sie Ihr Konto fertig an",
        text: "Jemand, vermutlich Sie, möchte mit der Adresse {email} ein Konto anlegen. Der Link gilt einmal, eine Stunde lang.",
        button: "Konto anlegen",
        hint: "Wenn Sie das nicht waren, tun Sie nichts: Es entsteht kein Konto.",
      },
      known: {
        subject: "Sie haben schon ein Konto",
        text: "Jemand, vermutlich Sie, wollte die Adresse {email} für ein Konto verwenden. Es gibt damit schon eines: {person}.",
        button: "Anmelden",
        hint: "Passwort vergessen? Auf der Anmeldeseite können Sie ein neues wählen. Wenn Sie das nicht waren, tun Sie nichts: Es wurde nichts geändert.",
      },
      verify: {
        subject: "Ist das Ihre E-Mail-Adresse?",
        text: "Beim Konto {person} steht die Adresse {email}. Bitte bestätigen Sie, dass sie Ihnen gehört. Der Link gilt einmal, eine Stunde lang.",
        button: "Ja, sie gehört mir",
        hint: "Wenn Sie dieses Konto nicht kennen, tun Sie nichts.",
      },
      change: {
        subject: "Ihre neue E-Mail-Adresse",
        text: "Das Konto {person} soll die Adresse {email} bekommen. Der Link gilt einmal, eine Stunde lang.",
        button: "Diese Adresse verwenden",
        hint: "Wenn Sie dieses Konto nicht kennen, tun Sie nichts: Es wird nichts geändert.",
      },
      changed: {
        subject: "Ihre E-Mail-Adresse wurde geändert",
        text: "Das Konto {person} hat jetzt die Adresse {email}. Nachrichten gehen nicht mehr an diese hier.",
        button: "Das war ich nicht: zurücknehmen",
        hint: "Wenn Sie das waren, tun Sie nichts. Der Link gilt einmal, 7 Tage lang: Er gibt dem Konto diese Adresse zurück und lässt Sie ein neues Passwort wählen.",
      },
      passwordChanged: {
        subject: "Ihr Passwort wurde geändert",
        text: "Das Passwort des Kontos {person} wurde am {when} geändert.",
        button: "Das war ich nicht: neues Passwort wählen",
        hint: "Wenn Sie das waren, tun Sie nichts.",
      },
      signIn: {
        subject: "Neue Anmeldung bei Ihrem Konto",
        text: "Jemand hat sich als {person} angemeldet, mit einem Browser, den wir bei Ihnen noch nicht gesehen haben.",
        button: "Konto ansehen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort.",
      },
      deletion: {
        subject: "Ihr Konto wird gelöscht",
        text: "Wie gewünscht wird das Konto {person} am {when} gelöscht, mit allem, was über Sie gespeichert ist. Apps haben ihren Zugriff schon verloren.",
        button: "Konto behalten",
        hint: "Bis dahin können Sie sich anmelden und es behalten. Danach kann es niemand zurückholen.",
      },
      passkeyAdded: {
        subject: "Ihr Konto hat einen neuen Passkey",
        text: "Am {when} kam zum Konto {person} der Passkey „{key}“ hinzu. Wer ihn hat, kann sich damit anmelden.",
        button: "Konto ansehen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie, was Sie nicht kennen. Wenn Sie sich nicht mehr anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      passkeyRemoved: {
        subject: "Ein Passkey wurde von Ihrem Konto entfernt",
        text: "Am {when} wurde vom Konto {person} der Passkey „{key}“ entfernt. Damit kann sich niemand mehr anmelden.",
        button: "Konto ansehen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie, was Sie nicht kennen. Wenn Sie sich nicht mehr anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      authenticatorOn: {
        subject: "Für Ihr Konto wurde eine Authenticator-App eingerichtet",
        text: "Am {when} wurde für das Konto {person} eine Authenticator-App eingerichtet. Von jetzt an verlangt die Anmeldung mit Passwort auch einen ihrer Codes.",
        button: "Konto ansehen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie, was Sie nicht kennen. Wenn Sie sich nicht mehr anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      authenticatorOff: {
        subject: "Die Authenticator-App wurde von Ihrem Konto entfernt",
        text: "Am {when} wurde die Authenticator-App des Kontos {person} entfernt, und mit ihr die Wiederherstellungscodes. Die Anmeldung verlangt keinen Code mehr.",
        button: "Konto ansehen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie, was Sie nicht kennen. Wenn Sie sich nicht mehr anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      recoveryRenewed: {
        subject: "Ihr Konto hat neue Wiederherstellungscodes",
        text: "Am {when} wurden für das Konto {person} neue Wiederherstellungscodes erstellt. Die bisherigen gelten nicht mehr.",
        button: "Konto ansehen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie, was Sie nicht kennen. Wenn Sie sich nicht mehr anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      recoveryUsed: {
        subject: "Ein Wiederherstellungscode Ihres Kontos wurde verwendet",
        text: "Am {when} hat sich jemand mit einem Wiederherstellungscode als {person} angemeldet. Dieser Code gilt nicht noch einmal; unbenutzt sind noch: {left}.",
        button: "Konto ansehen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie, was Sie nicht kennen. Wenn Sie sich nicht mehr anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      passwordGuessed: {
        subject: "Jemand versucht, Ihr Passwort zu erraten",
        text: "Am {when} waren für das Konto {person} so viele falsche Passwörter eingegeben worden, dass wir nun weniger Versuche annehmen. Browser, in denen Sie sich schon angemeldet haben, funktionieren weiter.",
        button: "Konto ansehen",
        hint: "Wenn Sie das waren, warten Sie 15 Minuten und versuchen Sie es noch einmal. Wenn nicht, prüfen Sie, ob Ihr Passwort lang ist und Sie es nirgends sonst verwenden. Ein Passkey lässt sich nicht erraten.",
      },
      codeGuessed: {
        subject: "Jemand kennt Ihr Passwort",
        text: "Am {when} waren für das Konto {person} zu viele falsche Codes eingegeben worden, der letzte nach dem richtigen Passwort. Wir nehmen nun weniger Versuche an.",
        button: "Passwort ändern",
        hint: "Wenn Sie das waren, warten Sie 15 Minuten und versuchen Sie es noch einmal. Wenn nicht, ändern Sie jetzt Ihr Passwort.",
      },
      proofGuessed: {
        subject: "Jemand versucht, Ihr Konto wiederherzustellen",
        text: "Am {when} waren für das Konto {person} zu viele falsche Codes eingegeben worden, der letzte hinter einem Link aus einer E-Mail zu diesem Konto. Wir nehmen nun weniger Versuche an.",
        button: "Konto ansehen",
        hint: "Wenn Sie das waren, warten Sie 15 Minuten und versuchen Sie es noch einmal. Wenn nicht, liest jemand Ihre E-Mails: Ändern Sie das Passwort Ihres Postfachs.",
      },
      recovered: {
        subject: "Ihr Passwort wurde geändert",
        text: "Am {when} wurde das Passwort des Kontos {person} mit einem Link aus einer E-Mail geändert. Alle wurden abgemeldet.",
        button: "Das war ich nicht: neues Passwort wählen",
        hint: "Wenn Sie das waren, tun Sie nichts.",
      },
      factorsRemoved: {
        subject: "Anmeldewege Ihres Kontos wurden entfernt",
        text: "Am {when} wurde das Passwort des Kontos {person} mit einem Link aus einer E-Mail geändert, und Anmeldewege wurden entfernt.",
        button: "Das war ich nicht: wiederherstellen",
        hint: "Wenn Sie das waren, tun Sie nichts. Der Link gilt einmal, 72 Stunden lang. Er stellt die entfernten Anmeldewege wieder her, und das neue Passwort gilt nicht mehr.",
      },
      factorsRemovedTold: {
        subject: "Anmeldewege Ihres Kontos wurden entfernt",
        text: "Am {when} wurde das Passwort des Kontos {person} mit einem Link aus einer E-Mail geändert, und Anmeldewege wurden entfernt. Sie erhalten diese Nachricht, weil das Konto diese Adresse hat oder hatte.",
        button: "Anmelden",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      factorsRestored: {
        subject: "Entfernte Anmeldewege sind wiederhergestellt",
        text: "Am {when} wurden die entfernten Anmeldewege des Kontos {person} wiederhergestellt. Alle wurden abgemeldet, und das Passwort gilt nicht mehr.",
        button: "Neues Passwort wählen",
        hint: "Sie brauchen einen der wiederhergestellten Anmeldewege. Wenn Sie das nicht waren, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      companyRequest: {
        subject: "{by} bittet um eine App bei {company}",
        text: "{by} bittet darum, dass {app} bei {company} verwendet werden darf.",
        button: "Entscheiden",
        hint: "Sie bekommen diese Nachricht, weil Sie {company} verwalten.",
      },
      companyApproved: {
        subject: "{app} darf bei {company} verwendet werden",
        text: "Die Verwaltung von {company} hat {app} zugelassen, wie Sie es gewünscht haben.",
        button: "Zu {company}",
        hint: "Beginnen Sie in der App noch einmal.",
      },
      companyRefused: {
        subject: "{app} wurde bei {company} nicht zugelassen",
        text: "Die Verwaltung von {company} hat Ihre Anfrage zu {app} abgelehnt.",
        button: "Zu {company}",
        hint: "Wenn Sie die App trotzdem brauchen, sprechen Sie mit der Verwaltung von {company}.",
      },
      companyRemoved: {
        subject: "Sie gehören nicht mehr zu {company}",
        text: "Am {when} hat die Verwaltung von {company} Sie entfernt. Was Sie Apps in deren Namen erlaubt hatten, ist beendet.",
        button: "Ihre Unternehmen ansehen",
        hint: "Wenn Sie das für einen Irrtum halten, sprechen Sie mit der Verwaltung von {company}.",
      },
      companyInvitation: {
        subject: "Einladung zu {company}",
        text: "{by} lädt Sie zu {company} ein. Die Einladung gilt einmal, bis {when}.",
        button: "Einladung ansehen",
        hint: "Wenn Sie {company} nicht kennen, tun Sie nichts.",
      },
    },
  },
} as const satisfies Translation<typeof english, "one" | "other">;
