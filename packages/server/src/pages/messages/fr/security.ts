/** French: the pages about how one signs in. */
import type { security as english } from "../en/security.ts";
import type { Translation } from "../translation.ts";

export const security = {
  cancel: "Annuler",

  security: {
    title: "Sécurité",
    intro: "Comment vous vous connectez, et où vous êtes connecté.",
    password: "Mot de passe",
    passwordChanged: "Changé {when}",
    passwordNone: "Vous vous connectez ici sans mot de passe.",
    passwordChange: "Changer le mot de passe",
    passwordSet: "Choisir un mot de passe",
    passwordDone: "Votre mot de passe a été changé.",
  },

  password: {
    title: "Changer votre mot de passe",
    titleSet: "Choisir un mot de passe",
    titleMust: "Choisissez un nouveau mot de passe",
    introMust:
      "Quelqu’un d’autre connaît peut-être le mot de passe avec lequel vous vous êtes connecté. Choisissez le vôtre, puis vous pourrez continuer.",
    current: "Mot de passe actuel",
    new: "Nouveau mot de passe",
    again: "Nouveau mot de passe, encore une fois",
    hint: "8 caractères ou plus. Quelques mots à la suite sont difficiles à deviner et faciles à retenir.",
    endSessions: "Me déconnecter partout ailleurs",
    endApps: "Révoquer l’accès de toutes les applications",
    endAppsHint:
      "Laissez cette case cochée si quelqu’un d’autre a pu connaître votre mot de passe. Vous pourrez autoriser à nouveau vos applications.",
    submit: "Changer le mot de passe",
    wrong: {
      current: "Ce n’est pas votre mot de passe actuel.",
      missing: "Saisissez un nouveau mot de passe.",
      stale: "Votre connexion date un peu. Déconnectez-vous, reconnectez-vous, puis choisissez un mot de passe.",
      differ: "Ce n’est pas le même que ci-dessus. Saisissez deux fois le nouveau mot de passe.",
      same: "C’est déjà votre mot de passe. Choisissez-en un autre.",
      malformed: "Ce mot de passe contient un caractère qui ne convient pas. Choisissez-en un autre.",
      short: "C’est trop court. Un mot de passe a 8 caractères ou plus.",
      long: "C’est trop long. Un mot de passe a 1 024 octets au plus.",
      name: "Votre propre nom est ce que les autres essaient d’abord. Choisissez un autre mot de passe.",
      common: "Beaucoup de gens ont ce mot de passe, il est donc essayé en premier. Choisissez-en un autre.",
    },
  },
} as const satisfies Translation<typeof english, "one" | "other">;
