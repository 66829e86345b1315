/** French: sign-in at other providers. */

import type { elsewhere as english } from "../en/elsewhere.ts";
import type { Translation } from "../translation.ts";

export const elsewhere: Translation<typeof english, "one" | "other"> = {
  elsewhere: {
    with: "Continuer avec {provider}",
    or: "ou",
    workAddress:
      "Pour vous connecter avec votre organisation, saisissez votre adresse professionnelle, sans mot de passe.",
    introAgain:
      "Vous êtes connecté en tant que {person}. Connectez-vous de nouveau pour confirmer que c’est bien vous.",
    chooseIntro:
      "Vous êtes connecté en tant que {person}. Pour continuer avec ce compte, connectez-vous de nouveau. Pour en utiliser un autre, connectez-vous avec cet autre compte.",
    problem: {
      denied:
        "Vous avez interrompu la connexion chez {provider}, ou {provider} l’a refusée. Réessayez ou connectez-vous autrement.",
      unreachable: "{provider} ne répond pas pour le moment. Réessayez dans une minute ou connectez-vous autrement.",
      unverified: "La connexion chez {provider} n’a pas pu être vérifiée. Réessayez ou connectez-vous autrement.",
      too_long: "Cette demande est trop longue pour la connexion chez {provider}. Connectez-vous autrement.",
      another:
        "Votre compte {provider} n’est pas associé au compte que vous utilisez ici. Choisissez le compte associé chez {provider} ou confirmez autrement.",
      other_person:
        "Vous êtes toujours connecté au même compte. Votre compte {provider} est associé ici à un autre compte, ou n’est encore associé à aucun. Pour l’utiliser, choisissez « Changer de compte ».",
      unexpected:
        "Cette demande concerne un autre compte que celui que vous avez utilisé chez {provider}. Connectez-vous avec le compte concerné.",
      not_fresh:
        "{provider} n’a pas indiqué quand vous vous y êtes connecté : cela ne confirme donc pas que c’est bien vous. Connectez-vous autrement ou demandez aux responsables de ce service.",
      no_second_step:
        "{provider} ne vous a pas demandé de deuxième étape. Choisissez un autre moyen ou demandez aux responsables de ce service.",
      stale:
        "Cette connexion a pris trop de temps, était déjà terminée ou a commencé dans un autre navigateur. Recommencez.",
      closed:
        "Vous ne pouvez pas vous connecter ici avec {provider} pour le moment. Connectez-vous autrement ou demandez aux responsables de ce service.",
      company_closed:
        "Vous ne pouvez pas vous connecter ici avec {provider} pour le moment. Connectez-vous autrement ou demandez à un administrateur de votre entreprise.",
      gone: "Vous ne pouvez plus vous connecter ici avec le service que vous avez choisi. Connectez-vous autrement ou demandez aux responsables de ce service-ci.",
      stranger:
        "Votre compte {provider} n’est associé à aucun compte ici. Connectez-vous autrement, puis associez-le dans « Sécurité ».",
      refused:
        "Vous ne pouvez pas vous connecter ici avec votre compte {provider}. Connectez-vous autrement ou demandez aux responsables de ce service.",
      domain:
        "Vous ne pouvez pas vous connecter ici avec ce compte {provider} : il faut une adresse e-mail confirmée de l’organisation. Connectez-vous autrement ou choisissez-y un autre compte.",
      address_taken:
        "Un compte ici utilise déjà votre adresse e-mail. Connectez-vous-y autrement, puis associez {provider} dans « Sécurité ».",
      no_group:
        "Vos groupes chez {provider} ne vous permettent pas de vous connecter ici. Demandez aux responsables de {provider}.",
      other_company:
        "Vous ne pouvez pas utiliser {provider} pour ce compte, car vous appartenez aussi à une autre entreprise ou participez à la gestion de ce service. Connectez-vous autrement.",
      too_many:
        "Trop de nouveaux comptes pour {provider} aujourd’hui. Réessayez demain ou demandez à un administrateur de votre entreprise.",
      not_member:
        "Vous n’êtes pas membre de l’entreprise qui utilise {provider}. Demandez une invitation à l’un de ses administrateurs.",
      company_address:
        "Un compte ici utilise déjà votre adresse professionnelle. Connectez-vous-y autrement. En tant que membre de l’entreprise, vous pouvez ensuite associer {provider} dans « Sécurité ».",
    },
    onlyHere: {
      denied: "Vous avez interrompu la connexion chez {provider}, ou {provider} l’a refusée. Réessayez.",
      another:
        "Votre compte {provider} n’est pas associé au compte que vous utilisez ici. Choisissez le compte associé chez {provider}.",
      stranger: "Votre compte {provider} n’est associé à aucun compte ici. Demandez aux responsables de ce service.",
      refused:
        "Vous ne pouvez pas vous connecter ici avec votre compte {provider}. Demandez aux responsables de ce service.",
      address_taken: "Un compte ici utilise déjà votre adresse e-mail. Demandez aux responsables de ce service.",
    },
    noWay: {
      notNow: "Vous ne pouvez pas vous connecter avec {providers} pour le moment.",
      noOther: "Vous n’avez aucun autre moyen de connexion.",
      signOut: "Si vous vous déconnectez, vous ne pourrez plus vous reconnecter.",
      byMail: "Choisissez un mot de passe avec un lien que nous vous envoyons.",
      now: "Choisissez un mot de passe maintenant.",
      ask: "Demandez aux responsables de ce service.",
    },
    codeAfter:
      "Après vous être connecté avec un autre compte, vous saisissez un code d’une application de votre téléphone.",
    noEmail: "Votre compte n’a pas d’adresse e-mail.",
    addEmail: "Ajouter",
    title: "Connexion avec d’autres comptes",
    intro: "Vous pouvez vous connecter ici avec un compte que vous avez ailleurs.",
    since: "Associé : {when}",
    open: "Non associé",
    paused: "Vous ne pouvez pas vous connecter avec lui pour le moment.",
    connect: "Associer",
    connectNamed: "Associer {provider}",
    ask: "Associer ce compte ?",
    asks: "Chez {provider}, vous êtes connecté en tant que {account}. Toute personne qui peut se connecter à ce compte pourra ensuite se connecter ici en tant que {person}.",
    nameless: "un compte sans nom",
    notYours: "Si ce n’est pas votre compte {provider}, annulez.",
    doneConnected: "Le compte est associé. Vous pouvez désormais vous connecter avec lui.",
    doneKnown: "Ce compte était déjà associé.",
    doneTaken:
      "Non associé : ce compte est déjà associé à un autre compte ici, peut-être l’un des vôtres. Pour l’associer à celui-ci, connectez-vous d’abord avec lui et dissociez-le dans cet autre compte.",
    doneOther: "Non associé : un autre compte de ce service est associé. Dissociez-le d’abord.",
    doneFailed: "Non associé : la connexion à l’autre service a échoué ou a pris trop de temps. Réessayez.",
    doneClosed:
      "Non associé : un compte de cet autre service ne peut pas être associé ici pour le moment. Demandez aux responsables de ce service-ci.",
    disconnect: "Dissocier",
    disconnectNamed: "Dissocier {provider}",
    askDisconnect: "Dissocier ce compte ?",
    ends: "Vous ne pourrez plus vous connecter ici avec votre compte {provider}. Vous restez connecté ici. Les autres navigateurs où vous vous êtes connecté avec lui seront déconnectés.",
    endsNew:
      "Votre compte {provider} ne vous connectera plus à ce compte. Une connexion avec lui peut créer ici un nouveau compte vide. Vous restez connecté ici. Les autres navigateurs où vous vous êtes connecté avec lui seront déconnectés.",
    reconnects: "Si votre compte y a la même adresse e-mail, une connexion chez {provider} l’associe de nouveau.",
    stays: "Les applications gardent leur accès. Vous pouvez le révoquer dans « Applications ».",
    doneDisconnected:
      "Le compte est dissocié. Les autres navigateurs où vous vous êtes connecté avec lui sont déconnectés.",
    last: "Non dissocié : vous ne pourriez plus vous connecter. Choisissez d’abord un mot de passe, ajoutez une clé d’accès ou associez un autre compte.",
  },
};
