/** German: the e-mails. */
import type { mail as english } from "../en/mail.ts";
import type { Translation } from "../translation.ts";

export const mail = {
  mail: {
    open: "Wenn die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:",
    footer: "{product} auf {host} hat diese Nachricht gesendet. Antworten werden nicht gelesen.",
    facts: {
      when: "Zeit",
      browser: "Browser",
      address: "Netzwerkadresse",
      reason: "Angegebener Grund",
      fault: "Fehler des Empfängers",
      removed: "Entfernt",
      back: "Funktioniert wieder",
      kept: "Anmelden weiterhin möglich mit",
      keptApps: "Weiterhin Zugriff",
      pausedApps: "Weiterhin pausiert",
      allowed: "Erlaubt",
      appAddress: "Adresse der App",
    },
    signInSeenBefore:
      "Jemand hat sich als {person} mit einem Browser angemeldet, der für dieses Konto schon benutzt wurde. Es ist die erste Anmeldung damit, seit Ihr Passwort geändert, ein Passkey oder eine Authenticator-App hinzugefügt oder der Browser abgemeldet wurde.",
    authenticatorReplaced:
      "Am {when} wurde für das Konto {person} eine Authenticator-App eingerichtet. Sie ersetzt die bisherige. Für die Anmeldung mit dem Passwort ist jetzt ein Code aus der neuen App nötig. Codes aus der bisherigen App funktionieren bei der Anmeldung nicht mehr.",
    recoveryUsedInRecovery:
      "Am {when} hat jemand einen Link aus einer E-Mail zum Konto {person} geöffnet und dann einen Wiederherstellungscode eingegeben. Dieser Code funktioniert nicht mehr.",
    removedReturns: "Wenn {app} Sie weiterhin anmeldet, werden Sie bei der nächsten Anmeldung dort wieder Mitglied.",
    approvedPaused: {
      subject: "{app} wurde bei {company} zugelassen, ist aber pausiert",
      hint: "Sie können die App für {company} verwenden, sobald die Verwaltung sie fortsetzt. Gehen Sie dann zur App zurück und beginnen Sie dort von vorn.",
    },
    decidedForAdmin: {
      companyRefused:
        "Sie gehören jetzt zur Verwaltung von {company} und können {app} selbst erlauben. Gehen Sie zur App zurück und beginnen Sie dort von vorn.",
      companyBlocked: "Sie gehören jetzt zur Verwaltung von {company} und können die Regel für die App selbst ändern.",
      companyPartlyApproved:
        "Sie gehören jetzt zur Verwaltung von {company} und können den Rest selbst erlauben. Gehen Sie zur App zurück und beginnen Sie dort von vorn.",
      paused:
        "Sie gehören jetzt zur Verwaltung von {company} und können die App selbst fortsetzen. Gehen Sie dann zur App zurück und beginnen Sie dort von vorn.",
    },
    kinds: {
      recover: {
        subject: "Wählen Sie ein neues Passwort",
        text: "Sie haben für das Konto {person} ein neues Passwort angefordert. Der Link funktioniert einmal, 15 Minuten lang.",
        button: "Neues Passwort wählen",
        hint: "Wenn Sie das nicht angefordert haben, ignorieren Sie diese Nachricht. Ihr Passwort bleibt gleich.",
      },
      signUp: {
        subject: "Schließen Sie die Kontoerstellung ab",
        text: "Sie möchten mit der Adresse {email} ein Konto erstellen. Der Link funktioniert einmal, eine Stunde lang.",
        button: "Konto erstellen",
        hint: "Wenn Sie das nicht angefordert haben, ignorieren Sie diese Nachricht. Es wird kein Konto erstellt.",
      },
      known: {
        subject: "Sie haben schon ein Konto",
        text: "Sie möchten die Adresse {email} für ein Konto verwenden. Es gibt schon ein Konto mit dieser Adresse: {person}.",
        button: "Anmelden",
        hint: "Passwort vergessen? Auf der Anmeldeseite können Sie ein neues wählen. Wenn Sie das nicht angefordert haben, ignorieren Sie diese Nachricht. An diesem Konto wurde nichts geändert.",
      },
      verify: {
        subject: "Ist das Ihre E-Mail-Adresse?",
        text: "Bestätigen Sie, dass {email} die Adresse Ihres Kontos {person} ist. Der Link funktioniert einmal, eine Stunde lang.",
        button: "Adresse bestätigen",
        hint: "Wenn Sie dieses Konto nicht kennen, ignorieren Sie diese Nachricht.",
      },
      change: {
        subject: "Ihre neue E-Mail-Adresse",
        text: "Sie möchten die Adresse des Kontos {person} in {email} ändern. Der Link funktioniert einmal, eine Stunde lang.",
        button: "Diese Adresse verwenden",
        hint: "Wenn Sie dieses Konto nicht kennen, ignorieren Sie diese Nachricht. Es wird nichts geändert.",
      },
      changed: {
        subject: "Ihre E-Mail-Adresse wurde geändert",
        text: "Die Adresse des Kontos {person} ist jetzt {email}. Nachrichten gehen nicht mehr an diese Adresse hier.",
        button: "Das war ich nicht: rückgängig machen",
        hint: "Wenn Sie das waren, tun Sie nichts. Der Link funktioniert einmal, 7 Tage lang. Er stellt diese Adresse wieder her und lässt Sie ein neues Passwort wählen.",
      },
      emailReturned: {
        subject: "Das Konto hat wieder eine frühere E-Mail-Adresse",
        text: "Am {when} wurde eine frühere E-Mail-Adresse des Kontos {person} wiederhergestellt. Nachrichten gehen nicht mehr an diese Adresse hier.",
        button: "Anmelden",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      emailReturnedUndo: {
        subject: "Das Konto hat wieder eine frühere E-Mail-Adresse",
        text: "Am {when} wurde eine frühere E-Mail-Adresse des Kontos {person} wiederhergestellt. Nachrichten gehen nicht mehr an diese Adresse hier.",
        button: "Das war ich nicht: rückgängig machen",
        hint: "Wenn Sie das waren, tun Sie nichts. Der Link funktioniert einmal, 7 Tage lang, und nur in dem Browser, den Sie für dieses Konto am längsten verwenden. Er stellt diese Adresse wieder her und lässt Sie ein neues Passwort wählen.",
      },
      takeBack: {
        subject: "Stellen Sie Ihr Konto wieder her",
        text: "Sie haben für das Konto {person} ein neues Passwort angefordert. Das Konto hatte bis vor wenigen Tagen diese Adresse und hat jetzt eine andere. Der Link funktioniert einmal, bis zum {when}. Er stellt diese Adresse wieder her und lässt Sie ein neues Passwort wählen.",
        button: "Konto wiederherstellen",
        hint: "Wenn Sie das nicht angefordert haben, ignorieren Sie diese Nachricht. Es wird nichts geändert.",
      },
      passwordChanged: {
        subject: "Ihr Passwort wurde geändert",
        text: "Das Passwort des Kontos {person} wurde am {when} geändert.",
        button: "Das war ich nicht: neues Passwort wählen",
        hint: "Wenn Sie das waren, tun Sie nichts.",
      },
      signIn: {
        subject: "Neue Anmeldung bei Ihrem Konto",
        text: "Jemand hat sich als {person} mit einem Browser angemeldet, der für dieses Konto neu ist.",
        button: "Konto überprüfen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort.",
      },
      deletion: {
        subject: "Ihr Konto wird gelöscht",
        text: "Wie gewünscht wird das Konto {person} am {when} gelöscht, mit allen Ihren eigenen Daten. Unternehmen behalten den Verlauf dessen, was Sie für sie getan haben, ohne Ihren Namen. Der Zugriff aller Apps wurde widerrufen.",
        button: "Konto behalten",
        hint: "Bis dahin können Sie sich anmelden und es behalten. Danach kann es niemand wiederherstellen.",
      },
      passkeyAdded: {
        subject: "Ihrem Konto wurde ein Passkey hinzugefügt",
        text: "Am {when} wurde dem Konto {person} der Passkey „{key}“ hinzugefügt. Wer ihn hat, kann sich damit anmelden.",
        button: "Konto überprüfen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie alles, was Sie nicht kennen. Wenn Sie sich nicht anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      passkeyRemoved: {
        subject: "Ein Passkey wurde von Ihrem Konto entfernt",
        text: "Am {when} wurde der Passkey „{key}“ vom Konto {person} entfernt. Niemand kann sich mehr damit anmelden.",
        button: "Konto überprüfen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie alles, was Sie nicht kennen. Wenn Sie sich nicht anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      identityAdded: {
        subject: "Eine Anmeldung wurde mit Ihrem Konto verbunden",
        text: "Am {when} wurde ein Konto bei {key} mit dem Konto {person} verbunden. Wer sich dort bei {key} anmelden kann, kann sich jetzt auch hier anmelden.",
        button: "Konto überprüfen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie alles, was Sie nicht kennen. Wenn Sie sich nicht anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      identityDisconnected: {
        subject: "Eine Anmeldung wurde von Ihrem Konto getrennt",
        text: "Am {when} wurde ein Konto bei {key} vom Konto {person} getrennt. Andere Browser, die damit angemeldet waren, sind abgemeldet.",
        button: "Konto überprüfen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie alles, was Sie nicht kennen. Wenn Sie sich nicht anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      identityRemoved: {
        subject: "Eine Identität wurde von Ihrem Konto entfernt",
        text: "Am {when} wurde die Identität von {key} vom Konto {person} entfernt. {key} kann hier nicht mehr bestätigen, wer Sie sind.",
        button: "Konto überprüfen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie alles, was Sie nicht kennen. Wenn Sie sich nicht anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      authenticatorOn: {
        subject: "Für Ihr Konto wurde eine Authenticator-App eingerichtet",
        text: "Am {when} wurde für das Konto {person} eine Authenticator-App eingerichtet. Für die Anmeldung mit dem Passwort ist jetzt auch ein Code aus der App nötig.",
        button: "Konto überprüfen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie alles, was Sie nicht kennen. Wenn Sie sich nicht anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      authenticatorOff: {
        subject: "Die Authenticator-App wurde von Ihrem Konto entfernt",
        text: "Am {when} wurden die Authenticator-App des Kontos {person} und ihre Wiederherstellungscodes entfernt. Für die Anmeldung ist kein Code mehr nötig.",
        button: "Konto überprüfen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie alles, was Sie nicht kennen. Wenn Sie sich nicht anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      recoveryRenewed: {
        subject: "Ihr Konto hat neue Wiederherstellungscodes",
        text: "Am {when} wurden für das Konto {person} neue Wiederherstellungscodes erstellt.",
        button: "Konto überprüfen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie alles, was Sie nicht kennen. Wenn Sie sich nicht anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      recoveryUsed: {
        subject: "Ein Wiederherstellungscode Ihres Kontos wurde verwendet",
        text: "Am {when} hat sich jemand als {person} mit einem Wiederherstellungscode angemeldet. Dieser Code funktioniert nicht mehr. Verbleibende Codes: {left}.",
        button: "Konto überprüfen",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, ändern Sie jetzt Ihr Passwort und entfernen Sie alles, was Sie nicht kennen. Wenn Sie sich nicht anmelden können, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      passwordGuessed: {
        subject: "Jemand versucht, Ihr Passwort zu erraten",
        text: "Bis zum {when} wurden für das Konto {person} so viele falsche Passwörter eingegeben, dass wir jetzt weniger Versuche annehmen. In Browsern, die Sie schon verwendet haben, können Sie sich weiterhin anmelden.",
        button: "Konto überprüfen",
        hint: "Wenn Sie das waren, warten Sie 15 Minuten und versuchen Sie es noch einmal. Wenn nicht, prüfen Sie, ob Ihr Passwort lang ist und Sie es nirgends sonst verwenden. Ein Passkey lässt sich nicht erraten.",
      },
      codeGuessed: {
        subject: "Jemand kennt Ihr Passwort",
        text: "Bis zum {when} wurden für das Konto {person} zu viele falsche Codes eingegeben, der letzte nach dem richtigen Passwort. Wir nehmen jetzt weniger Versuche an.",
        button: "Passwort ändern",
        hint: "Wenn Sie das waren, warten Sie 15 Minuten und versuchen Sie es noch einmal. Wenn nicht, ändern Sie jetzt Ihr Passwort.",
      },
      proofGuessed: {
        subject: "Jemand versucht, Ihr Konto wiederherzustellen",
        text: "Bis zum {when} wurden für das Konto {person} zu viele falsche Codes eingegeben, der letzte nach dem Öffnen eines Links aus einer E-Mail zu diesem Konto. Wir nehmen jetzt weniger Versuche an.",
        button: "Konto überprüfen",
        hint: "Wenn Sie das waren, warten Sie 15 Minuten und versuchen Sie es noch einmal. Wenn nicht, kann jemand anderes Ihre E-Mails lesen. Ändern Sie das Passwort Ihres E-Mail-Kontos.",
      },
      recovered: {
        subject: "Ihr Passwort wurde geändert",
        text: "Am {when} wurde das Passwort des Kontos {person} mit einem Link aus einer E-Mail geändert. Alle wurden abgemeldet.",
        button: "Das war ich nicht: neues Passwort wählen",
        hint: "Wenn Sie das waren, tun Sie nichts.",
      },
      factorsRemoved: {
        subject: "Anmeldemethoden Ihres Kontos wurden entfernt",
        text: "Am {when} wurde das Passwort des Kontos {person} mit einem Link aus einer E-Mail geändert, und Anmeldemethoden wurden entfernt.",
        button: "Das war ich nicht: wiederherstellen",
        hint: "Wenn Sie das waren, tun Sie nichts. Der Link funktioniert einmal, 72 Stunden lang. Er stellt die entfernten Anmeldemethoden wieder her, und das neue Passwort gilt nicht mehr.",
      },
      factorsRemovedTold: {
        subject: "Anmeldemethoden Ihres Kontos wurden entfernt",
        text: "Am {when} wurde das Passwort des Kontos {person} mit einem Link aus einer E-Mail geändert, und Anmeldemethoden wurden entfernt. Sie erhalten diese Nachricht, weil das Konto diese Adresse hat oder hatte.",
        button: "Anmelden",
        hint: "Wenn Sie das waren, tun Sie nichts. Wenn nicht, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      factorsRestored: {
        subject: "Entfernte Anmeldemethoden sind wiederhergestellt",
        text: "Am {when} wurden die entfernten Anmeldemethoden des Kontos {person} wiederhergestellt. Alle wurden abgemeldet, und das Passwort gilt nicht mehr.",
        button: "Neues Passwort wählen",
        hint: "Sie brauchen vielleicht eine der wiederhergestellten Anmeldemethoden. Wenn Sie das nicht waren, bitten Sie den Betreiber von {product} um Hilfe.",
      },
      companyRequest: {
        subject: "{by} bittet um eine App bei {company}",
        text: "{by} bittet darum, dass {app} bei {company} verwendet werden darf.",
        button: "Entscheiden",
        hint: "Sie erhalten diese Nachricht, weil Sie {company} verwalten.",
      },
      companyApproved: {
        subject: "{app} darf bei {company} verwendet werden",
        text: "Die Verwaltung von {company} hat {app} zugelassen, wie Sie es gewünscht haben.",
        button: "Zu {company}",
        hint: "Gehen Sie zur App zurück und beginnen Sie dort von vorn.",
      },
      companyPartlyApproved: {
        subject: "{app} darf bei {company} zum Teil verwendet werden",
        text: "Die Verwaltung von {company} hat einen Teil Ihrer Anfrage zu {app} zugelassen.",
        button: "Zu {company}",
        hint: "Über den Rest ist noch nicht entschieden. Um das Erlaubte zu nutzen, gehen Sie zur App zurück.",
      },
      companyRefused: {
        subject: "Ihre Anfrage zu {app} bei {company} wurde abgelehnt",
        text: "Die Verwaltung von {company} hat Ihre Anfrage zu {app} abgelehnt. Falls Ihnen mit {app} schon etwas erlaubt ist, bleibt es erlaubt.",
        button: "Zu {company}",
        hint: "Wenn Sie die App weiterhin brauchen, sprechen Sie mit der Verwaltung von {company}.",
      },
      companyBlocked: {
        subject: "{app} ist bei {company} gesperrt",
        text: "Die Verwaltung von {company} hat {app} gesperrt und Ihre Anfrage damit abgelehnt. Niemand kann die App für {company} nutzen.",
        button: "Zu {company}",
        hint: "Wenn Sie die App weiterhin brauchen, sprechen Sie mit der Verwaltung von {company}.",
      },
      companyRemoved: {
        subject: "Sie gehören nicht mehr zu {company}",
        text: "Die Verwaltung hat Sie am {when} aus {company} entfernt. Apps, die Sie im Namen von {company} erlaubt haben, können ihren Zugriff nicht mehr erneuern. Der jetzige läuft bald ab.",
        button: "Ihre Unternehmen ansehen",
        hint: "Wenn Sie das für einen Fehler halten, sprechen Sie mit der Verwaltung von {company}.",
      },
      companySignIn: {
        subject: "Anmeldung von {company} geändert",
        text: "{by} hat am {when} die Anmeldung {app} von {company} geändert. Der Verlauf des Unternehmens sagt, was sich geändert hat.",
        button: "Verlauf ansehen",
        hint: "Wenn Sie das nicht erwartet haben, sehen Sie gleich nach, und sprechen Sie mit den anderen aus der Verwaltung. Wer diese Anmeldung kontrolliert, kann sich als die Personen anmelden, die sie verwenden.",
      },
      companyInvitation: {
        subject: "Einladung zu {company}",
        text: "Die Einladung funktioniert einmal, bis zum {when}.",
        button: "Einladung ansehen",
        hint: "Wenn Sie {company} nicht kennen, ignorieren Sie diese Nachricht.",
      },
      webhookDisabled: {
        subject: "Der Webhook {app} ist abgeschaltet",
        text: "Am {when} hat der Server den Webhook {app} ({key}) abgeschaltet, weil der Empfänger tagelang nicht funktionierte oder keine Ereignisse mehr wollte. Er bekommt jetzt keine Ereignisse.",
        hint: "Wenn der Empfänger wieder funktioniert, führen Sie aus: assent webhook update {key} --status active. Um zu senden, was er verpasst hat, führen Sie aus: assent webhook replay {key} --since 3d",
      },
    },
  },
} as const satisfies Translation<typeof english, "one" | "other">;
