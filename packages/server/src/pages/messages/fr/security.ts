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
      malformed: "Ce mot de passe contient un caractère qui n’est pas accepté. Choisissez-en un autre.",
      short: "C’est trop court. Un mot de passe a 8 caractères ou plus.",
      long: "C’est trop long. Un mot de passe a 1 024 octets au plus.",
      name: "Votre propre nom est ce que les autres essaient d’abord. Choisissez un autre mot de passe.",
      common: "Beaucoup de gens ont ce mot de passe, il est donc essayé en premier. Choisissez-en un autre.",
    },
  },

  recover: {
    link: "Mot de passe oublié ?",
    title: "Choisir un nouveau mot de passe",
    intro: "Saisissez votre nom d’utilisateur ou votre adresse e-mail. Nous vous enverrons un lien.",
    login: "Nom d’utilisateur ou adresse e-mail",
    submit: "Envoyer le lien",
    missing: "Saisissez votre nom d’utilisateur ou votre adresse e-mail.",
    stale: "Cette page est restée ouverte trop longtemps, ou votre navigateur refuse les cookies. Veuillez réessayer.",
    submitNew: "Choisir ce mot de passe",
    doneTitle: "Votre mot de passe a été changé",
  },

  sent: {
    title: "Consultez votre boîte de réception",
    recover:
      "Si ce compte existe, un lien est en route vers son adresse e-mail. Il est valable une seule fois, pendant 15 minutes.",
    signUp:
      "Un message est en route vers {email}. Le lien qu’il contient est valable une seule fois, pendant une heure.",
    hint: "Rien après quelques minutes ? Regardez dans les courriers indésirables, ou refaites la demande.",
    full: "Trop de messages attendent d’être envoyés : rien ne vous a été envoyé. Réessayez dans quelques minutes.",
    back: "Retour à la connexion",
  },

  link: {
    goneTitle: "Ce lien ne fonctionne plus",
    goneText: "Il a été utilisé, il est trop ancien ou incomplet. Rien n’a été changé.",
    again: "Demander un nouveau lien",
    anotherBrowserTitle: "Ce lien ne fonctionne pas dans ce navigateur",
    anotherBrowserText:
      "Il ne fonctionne que dans le navigateur que vous utilisez depuis le plus longtemps pour ce compte. Ouvrez le lien dans ce navigateur. Si vous ne l’avez plus, demandez de l’aide aux responsables de {product}. Rien n’a été changé.",
    takenTitle: "Cette adresse ne peut pas être utilisée",
    takenText: "Un autre compte l’utilise déjà. Rien n’a été changé.",
    account: "Aller à votre compte",
  },

  signUp: {
    link: "Créer un compte",
    title: "Créer un compte",
    intro: "Nous envoyons à votre adresse e-mail un lien qui vous permet de continuer.",
    email: "Adresse e-mail",
    submit: "Envoyer le lien",
    emailWrong: "Ce n’est pas une adresse e-mail. Une adresse ressemble à nom@example.com.",
    newText: "Votre adresse e-mail est {email}.",
    username: "Nom d’utilisateur",
    usernameHint: "Lettres, chiffres et . _ - sans espaces. Il sert à vous connecter.",
    name: "Votre nom",
    nameHint: "Tel que les autres doivent le voir. Vous pouvez le laisser vide.",
    again: "Mot de passe, encore une fois",
    create: "Créer le compte",
    usernameWrong:
      "Un nom d’utilisateur n’a que des lettres, des chiffres et . _ -, 64 au plus, d’un seul alphabet, et commence par une lettre ou un chiffre.",
    usernameTaken: "Quelqu’un a déjà ce nom d’utilisateur. Choisissez-en un autre.",
    nameWrong:
      "Cela ne peut pas être affiché. Un nom a jusqu’à 120 caractères sur une ligne, dans un seul alphabet, et aucun d’invisible.",
  },

  confirm: {
    verifyTitle: "Est-ce votre adresse e-mail ?",
    verifyText: "{email} figure au compte {person}. Confirmez seulement si les deux sont à vous.",
    changeTitle: "Changer votre adresse e-mail ?",
    changeText: "Le compte {person} reçoit l’adresse {email}. Confirmez seulement si les deux sont à vous.",
    yes: "Oui, les deux sont à moi",
    doneTitle: "Merci",
    doneText: "{email} est l’adresse vérifiée du compte {person}.",
    undoTitle: "Annuler le changement",
    undoSubmit: "Annuler le changement",
    undoneTitle: "Le compte est de nouveau à vous",
    undoneText: "Il a l’adresse {email}, comme avant. Connectez-vous avec le nouveau mot de passe.",
  },

  profile: {
    title: "Profil",
    intro: "Qui vous êtes ici.",
    username: "Nom d’utilisateur",
    name: "Nom",
    nameSave: "Enregistrer",
    nameSaved: "Votre nom a été changé.",
    email: "Adresse e-mail",
    verified: "Vérifiée",
    unverified: "Non vérifiée",
    verify: "Envoyer un lien pour la vérifier",
    verifySent:
      "Un message est en route vers {email}. Le lien qu’il contient est valable une seule fois, pendant une heure.",
    change: "Changer",
    newEmail: "Nouvelle adresse e-mail",
    changeSubmit: "Y envoyer un lien",
    changeSent:
      "Un message est en route vers {email}. Votre adresse changera quand vous ouvrirez le lien. Il est valable une seule fois, pendant une heure.",
    changeSame: "C’est déjà votre adresse.",
    tooMany: "Trop de messages ont été demandés. Réessayez dans une heure.",
    data: "Vos données",
    dataText: "Tout ce qui est conservé ici à votre sujet, dans un fichier pour vous.",
    download: "Télécharger",
    delete: "Supprimer votre compte",
    deleteText: "Avec tout ce qui est conservé ici à votre sujet.",
    deleteLink: "Supprimer le compte",
    pending: "Votre compte sera supprimé le {when}.",
    keep: "Garder mon compte",
    kept: "Votre compte est conservé.",
  },

  dataExport: {
    title: "Télécharger vos données",
    text: "Un fichier (JSON) avec tout ce qui est conservé ici à votre sujet : compte, connexions, applications, entreprises et historique.",
    care: "Gardez-le là où personne d’autre ne peut le lire.",
    back: "Retour au profil",
  },

  deletion: {
    title: "Supprimer votre compte ?",
    text: "Il sera supprimé le {when}. D’ici là, vous pouvez vous connecter et le garder. Ensuite, personne ne pourra le récupérer.",
    now: "Tout de suite, les applications perdent leur accès, et vous êtes déconnecté partout ailleurs.",
    later:
      "Ensuite, tout ce qui est conservé ici à votre sujet disparaît, et d’autres peuvent prendre votre nom d’utilisateur et votre adresse.",
    submit: "Supprimer mon compte",
    keep: "Le garder",
    soleAdmin:
      "Vous êtes la seule personne à administrer {companies}. Confiez d’abord cette tâche à quelqu’un d’autre, ou adressez-vous à l’exploitant de ce service.",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
