/** French: companies, on whose behalf people answer, and their pages. */
import type { company as english } from "../en/company.ts";
import type { Translation } from "../translation.ts";

export const company = {
  forWhom: {
    label: "Pour qui",
    self: "{person} (vous)",
    asks: "{company} (un administrateur doit approuver)",
    blocked: "{company} (n’admet pas cette application)",
    hint: "Ce que vous autorisez pour une entreprise appartient à l’entreprise. Ses administrateurs le voient et peuvent le retirer.",
    wrong: "Vous ne pouvez pas répondre pour ce propriétaire. Choisissez dans la liste.",
  },

  askAdmin: {
    title: "Demander à un administrateur de {company}",
    text: "Avant que {app} puisse agir au nom de {company}, un administrateur doit l’approuver. L’application pourrait :",
    reason: "Pourquoi en avez-vous besoin ?",
    hint: "Les administrateurs lisent ce texte. {count} caractères au plus.",
    wrong: "Écrivez pourquoi vous avez besoin de l’application, en {count} caractères au plus.",
    tooMany: "Beaucoup de vos demandes sont encore ouvertes. Attendez qu’un administrateur ait répondu à certaines.",
    submit: "Envoyer la demande",
    cancel: "Ne pas demander",
    askedTitle: "La demande est envoyée aux administrateurs de {company}",
    askedText: "Dès que l’un d’eux l’a approuvée, ouvrez de nouveau {app}. Rien n’a été partagé jusqu’ici.",
    back: "Revenir à {app}",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
