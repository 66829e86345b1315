/** German: companies, on whose behalf people answer, and their pages. */
import type { company as english } from "../en/company.ts";
import type { Translation } from "../translation.ts";

export const company = {
  forWhom: {
    label: "Für wen",
    self: "{person} (Sie selbst)",
    asks: "{company} (eine Verwalterin oder ein Verwalter muss zustimmen)",
    blocked: "{company} (lässt diese App nicht zu)",
    hint: "Was Sie für ein Unternehmen erlauben, gehört dem Unternehmen. Wer es verwaltet, sieht es und kann es zurücknehmen.",
    wrong: "Dafür können Sie nicht antworten. Wählen Sie aus der Liste.",
  },

  askAdmin: {
    title: "Die Verwaltung von {company} fragen",
    text: "Bevor {app} im Namen von {company} handeln darf, muss die Verwaltung zustimmen. Die App könnte dann:",
    reason: "Wofür brauchen Sie die App?",
    hint: "Das liest die Verwaltung. Höchstens {count} Zeichen.",
    wrong: "Schreiben Sie in höchstens {count} Zeichen, wofür Sie die App brauchen.",
    tooMany: "Viele Ihrer Anfragen sind noch offen. Warten Sie, bis einige beantwortet sind.",
    submit: "Anfrage senden",
    cancel: "Nicht fragen",
    askedTitle: "Die Verwaltung von {company} ist gefragt",
    askedText: "Sobald sie zugestimmt hat, öffnen Sie {app} noch einmal. Bisher wurde nichts geteilt.",
    back: "Zurück zu {app}",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
