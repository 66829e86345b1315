/** German: sign-in at other providers. */

import type { elsewhere as english } from "../en/elsewhere.ts";
import type { Translation } from "../translation.ts";

export const elsewhere: Translation<typeof english, "one" | "other"> = {
  elsewhere: {
    with: "Mit {provider} fortfahren",
    or: "oder",
    workAddress: "Um sich über Ihre Organisation anzumelden, geben Sie Ihre Arbeitsadresse ein, aber kein Passwort.",
    introAgain: "Sie sind als {person} angemeldet. Melden Sie sich noch einmal an, um zu bestätigen, dass Sie es sind.",
    chooseIntro:
      "Sie sind als {person} angemeldet. Um mit diesem Konto fortzufahren, melden Sie sich noch einmal an. Um ein anderes zu verwenden, melden Sie sich mit dem anderen an.",
    problem: {
      denied:
        "Sie haben die Anmeldung bei {provider} abgebrochen, oder {provider} hat sie abgelehnt. Versuchen Sie es noch einmal, oder melden Sie sich auf andere Weise an.",
      unreachable:
        "{provider} antwortet im Moment nicht. Versuchen Sie es in einer Minute noch einmal, oder melden Sie sich auf andere Weise an.",
      unverified:
        "Die Anmeldung bei {provider} konnte nicht überprüft werden. Versuchen Sie es noch einmal, oder melden Sie sich auf andere Weise an.",
      too_long: "Diese Anfrage ist zu lang für die Anmeldung bei {provider}. Melden Sie sich auf andere Weise an.",
      another:
        "Ihr Konto bei {provider} ist nicht mit dem Konto verbunden, das Sie hier verwenden. Wählen Sie bei {provider} das verbundene Konto, oder bestätigen Sie auf andere Weise, dass Sie es sind.",
      other_person:
        "Sie sind weiter mit demselben Konto angemeldet. Ihr Konto bei {provider} ist hier mit einem anderen Konto verbunden oder noch mit keinem. Um es zu verwenden, wählen Sie „Konto wechseln“.",
      unexpected:
        "Diese Anfrage gilt für ein anderes Konto als das, mit dem Sie sich bei {provider} angemeldet haben. Melden Sie sich mit dem Konto an, für das sie gilt.",
      not_fresh:
        "{provider} hat nicht mitgeteilt, wann Sie sich dort angemeldet haben. Das bestätigt also nicht, dass Sie es sind. Melden Sie sich auf andere Weise an, oder fragen Sie den Betreiber dieses Dienstes.",
      no_second_step:
        "{provider} hat keinen zweiten Schritt von Ihnen verlangt. Wählen Sie einen anderen Weg, oder fragen Sie den Betreiber dieses Dienstes.",
      stale:
        "Diese Anmeldung hat zu lange gedauert, ist schon beendet oder begann in einem anderen Browser. Fangen Sie noch einmal an.",
      closed:
        "Mit {provider} können Sie sich hier im Moment nicht anmelden. Melden Sie sich auf andere Weise an, oder fragen Sie den Betreiber dieses Dienstes.",
      company_closed:
        "Mit {provider} können Sie sich hier im Moment nicht anmelden. Melden Sie sich auf andere Weise an, oder fragen Sie die Verwaltung Ihres Unternehmens.",
      gone: "Mit dem gewählten Anbieter können Sie sich hier nicht mehr anmelden. Melden Sie sich auf andere Weise an, oder fragen Sie den Betreiber dieses Dienstes.",
      stranger:
        "Ihr Konto bei {provider} ist mit keinem Konto hier verbunden. Melden Sie sich auf andere Weise an, und verbinden Sie es dann unter „Sicherheit“.",
      refused:
        "Mit Ihrem Konto bei {provider} können Sie sich hier nicht anmelden. Melden Sie sich auf andere Weise an, oder fragen Sie den Betreiber dieses Dienstes.",
      domain:
        "Mit diesem Konto bei {provider} können Sie sich hier nicht anmelden: Es braucht eine bestätigte E-Mail-Adresse der Organisation. Melden Sie sich auf andere Weise an, oder wählen Sie dort ein anderes Konto.",
      address_taken:
        "Ein Konto hier verwendet Ihre E-Mail-Adresse schon. Melden Sie sich auf andere Weise mit diesem Konto an, und verbinden Sie dann {provider} unter „Sicherheit“.",
      no_group:
        "Ihre Gruppen bei {provider} erlauben keine Anmeldung hier. Fragen Sie die Personen, die {provider} verwalten.",
      other_company:
        "Mit diesem Konto können Sie {provider} nicht verwenden, weil Sie auch zu einem anderen Unternehmen gehören oder diesen Dienst mitbetreiben. Melden Sie sich auf andere Weise an.",
      too_many:
        "Heute gab es zu viele neue Konten für {provider}. Versuchen Sie es morgen noch einmal, oder fragen Sie die Verwaltung Ihres Unternehmens.",
      not_member:
        "Sie sind kein Mitglied des Unternehmens, das {provider} verwendet. Bitten Sie dessen Verwaltung um eine Einladung.",
      company_address:
        "Ein Konto hier verwendet Ihre Arbeitsadresse schon. Melden Sie sich auf andere Weise mit diesem Konto an. Als Mitglied des Unternehmens können Sie dann {provider} unter „Sicherheit“ verbinden.",
    },
    onlyHere: {
      denied:
        "Sie haben die Anmeldung bei {provider} abgebrochen, oder {provider} hat sie abgelehnt. Versuchen Sie es noch einmal.",
      another:
        "Ihr Konto bei {provider} ist nicht mit dem Konto verbunden, das Sie hier verwenden. Wählen Sie bei {provider} das verbundene Konto.",
      stranger:
        "Ihr Konto bei {provider} ist mit keinem Konto hier verbunden. Fragen Sie den Betreiber dieses Dienstes.",
      refused:
        "Mit Ihrem Konto bei {provider} können Sie sich hier nicht anmelden. Fragen Sie den Betreiber dieses Dienstes.",
      address_taken: "Ein Konto hier verwendet Ihre E-Mail-Adresse schon. Fragen Sie den Betreiber dieses Dienstes.",
    },
    noWay: {
      notNow: "Mit {providers} können Sie sich im Moment nicht anmelden.",
      noOther: "Sie haben keine andere Anmeldemethode.",
      signOut: "Wenn Sie sich abmelden, können Sie sich nicht wieder anmelden.",
      byMail: "Wählen Sie ein Passwort mit einem Link, den wir Ihnen senden.",
      now: "Wählen Sie jetzt ein Passwort.",
      ask: "Fragen Sie den Betreiber dieses Dienstes.",
    },
    codeAfter: "Nach der Anmeldung mit einem anderen Konto geben Sie einen Code aus einer App auf Ihrem Telefon ein.",
    noEmail: "Ihr Konto hat keine E-Mail-Adresse.",
    addEmail: "Hinzufügen",
    title: "Anmeldung mit anderen Konten",
    intro: "Sie können sich hier mit einem Konto anmelden, das Sie anderswo haben.",
    since: "Verbunden {when}",
    open: "Nicht verbunden",
    paused: "Im Moment können Sie sich damit nicht anmelden.",
    connect: "Verbinden",
    connectNamed: "{provider} verbinden",
    ask: "Dieses Konto verbinden?",
    asks: "Bei {provider} sind Sie mit diesem Konto angemeldet: {account}. Wer sich dort damit anmelden kann, kann sich danach hier als {person} anmelden.",
    nameless: "ein Konto ohne Namen",
    notYours: "Wenn das nicht Ihr Konto bei {provider} ist, brechen Sie ab.",
    doneConnected: "Das Konto ist verbunden. Sie können sich ab jetzt damit anmelden.",
    doneKnown: "Dieses Konto war schon verbunden.",
    doneTaken:
      "Nicht verbunden: Dieses Konto ist schon mit einem anderen Konto hier verbunden, vielleicht mit einem Ihrer eigenen. Um es mit diesem zu verbinden, melden Sie sich zuerst damit an und trennen Sie es dort.",
    doneOther: "Nicht verbunden: Ein anderes Konto dieses Dienstes ist verbunden. Trennen Sie es zuerst.",
    doneFailed:
      "Nicht verbunden: Die Anmeldung beim anderen Dienst ist fehlgeschlagen oder hat zu lange gedauert. Versuchen Sie es noch einmal.",
    doneClosed:
      "Nicht verbunden: Ein Konto bei diesem Anbieter kann hier im Moment nicht verbunden werden. Fragen Sie den Betreiber dieses Dienstes.",
    disconnect: "Trennen",
    disconnectNamed: "{provider} trennen",
    askDisconnect: "Dieses Konto trennen?",
    ends: "Danach können Sie sich hier nicht mehr mit Ihrem Konto bei {provider} anmelden. Hier bleiben Sie angemeldet. Andere Browser, in denen Sie sich damit angemeldet haben, werden abgemeldet.",
    endsNew:
      "Danach meldet Ihr Konto bei {provider} Sie nicht mehr in diesem Konto an. Eine Anmeldung damit kann hier ein neues, leeres Konto erstellen. Hier bleiben Sie angemeldet. Andere Browser, in denen Sie sich damit angemeldet haben, werden abgemeldet.",
    reconnects: "Wenn Ihr Konto dort dieselbe E-Mail-Adresse hat, verbindet eine Anmeldung bei {provider} es wieder.",
    stays: "Apps behalten den Zugriff, den sie haben. Unter „Apps“ können Sie ihn widerrufen.",
    doneDisconnected:
      "Das Konto ist getrennt. Andere Browser, in denen Sie sich damit angemeldet haben, sind abgemeldet.",
    last: "Nicht getrennt: Sie könnten sich nicht mehr anmelden. Wählen Sie zuerst ein Passwort, fügen Sie einen Passkey hinzu, oder verbinden Sie ein anderes Konto.",
  },
};
