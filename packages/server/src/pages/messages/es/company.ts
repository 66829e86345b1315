/** Spanish: companies, on whose behalf people answer, and their pages. */
import type { company as english } from "../en/company.ts";
import type { Translation } from "../translation.ts";

export const company = {
  forWhom: {
    label: "Para quién",
    self: "{person} (usted)",
    asks: "{company} (debe aprobarlo un administrador)",
    blocked: "{company} (no admite esta aplicación)",
    hint: "Lo que permite en nombre de una empresa pertenece a la empresa. Sus administradores lo ven y pueden retirarlo.",
    wrong: "No puede responder por ese titular. Elija uno de la lista.",
  },

  askAdmin: {
    title: "Preguntar a un administrador de {company}",
    text: "Antes de que {app} pueda actuar en nombre de {company}, un administrador debe aprobarlo. La aplicación podría:",
    reason: "¿Para qué la necesita?",
    hint: "Los administradores leen este texto. {count} caracteres como máximo.",
    wrong: "Escriba para qué necesita la aplicación, en {count} caracteres como máximo.",
    tooMany: "Ya tiene muchas solicitudes abiertas. Espere a que un administrador responda a algunas.",
    submit: "Enviar la solicitud",
    cancel: "No preguntar",
    askedTitle: "Se ha preguntado a los administradores de {company}",
    askedText: "Cuando uno de ellos lo apruebe, abra {app} de nuevo. Hasta ahora no se ha compartido nada.",
    back: "Volver a {app}",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
