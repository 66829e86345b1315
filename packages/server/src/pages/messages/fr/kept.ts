/** French: passwords that the operator's application keeps. */

import type { kept as english } from "../en/kept.ts";
import type { Translation } from "../translation.ts";

export const kept: Translation<typeof english, "one" | "other"> = {
  kept: {
    forgot: "Si vous vous connectez avec votre mot de passe de {application}, choisissez-en un nouveau là-bas.",
    forgotLink: "Nouveau mot de passe chez {application}",
    here: "Pour tout autre compte, saisissez votre nom d’utilisateur ou votre adresse e-mail. Nous vous enverrons un lien.",
    unchecked:
      "Les mots de passe ne peuvent pas être vérifiés pour le moment. Réessayez dans une minute ou connectez-vous d’une autre manière.",
    password: "Vous vous connectez avec votre mot de passe de {application}. Vous ne pouvez le modifier que là-bas.",
    change: "Le modifier chez {application}",
    profile:
      "{application} définit votre nom et votre adresse e-mail à chaque connexion avec votre mot de passe de {application}. Modifiez-les là-bas.",
  },
};
