/** French: a company's own sign-in provider. */

import type { companySignIn as english } from "../en/company-sign-in.ts";
import type { Translation } from "../translation.ts";

export const companySignIn: Translation<typeof english, "one" | "other"> = {
  companySignIn: {
    title: "Connexion de {company}",
    place: "Connexion",
    heading: "Votre propre connexion",
    intro:
      "Votre personnel peut se connecter ici avec les comptes que vous gérez dans votre propre système. Celui-ci doit prendre en charge OpenID Connect.",
    rule: "À la première connexion, les personnes qui ont une adresse professionnelle reçoivent un compte et deviennent membres. Personne n’entre dans un compte qui existait déjà, sauf si cette personne l’associe.",
    domains: "Adresses professionnelles",
    noDomains:
      "Les responsables de ce service n’ont pas encore confirmé de domaine e-mail de {company}. Demandez-le-leur.",
    denied:
      "Les responsables de ce service n’autorisent aucun changement pour le moment. Vous pouvez la désactiver ou la retirer.",
    on: "Activée",
    off: "Désactivée. Personne ne peut se connecter avec elle.",
    address: "Adresse de connexion pour votre personnel",
    register: "Enregistrez ces adresses dans votre système",
    redirectUri: "URI de redirection",
    logoutUri: "URI de déconnexion (back-channel)",
    settings: "Paramètres",
    name: "Nom",
    nameHint: "Il figure sur la page de connexion.",
    issuer: "Émetteur (issuer)",
    issuerHint: "L’URL de l’émetteur, exactement comme votre système l’affiche.",
    fixed: "Pour changer l’émetteur ou l’identifiant client, désactivez d’abord la connexion.",
    clientId: "Identifiant client",
    clientSecret: "Secret client",
    secretKept: "Laissez ce champ vide pour garder celui qui est enregistré.",
    scopes: "Scopes d’OpenID Connect",
    scopesHint: "Séparés par des espaces. Certains systèmes n’envoient les groupes qu’avec un scope à eux.",
    claims: "Claims qui portent d’autres noms",
    claimsHint:
      "Un par ligne : un champ d’ici, le signe égal et le claim de votre système, par exemple {example}. Un claim vide omet le champ. Champs : {fields}.",
    follow: "Renouveler le nom et les informations à chaque connexion",
    followHint:
      "Sinon, ils sont remplis une fois, pour un nouveau compte. Dans les comptes que les personnes ont associés elles-mêmes, rien ne change.",
    roles: "Rôles",
    byHand: "Les nouvelles personnes sont membres. Les administrateurs changent les rôles dans « Membres ».",
    byGroups: "Les groupes de votre système décident, à chaque connexion",
    claim: "Claim qui contient les groupes",
    adminGroups: "Groupes d’administrateurs",
    memberGroups: "Groupes de membres",
    groupsHint: "Un par ligne, exactement comme votre système l’envoie.",
    others: "Personnes dans aucun de ces groupes",
    othersRefused: "Ne peuvent pas se connecter",
    othersMembers: "Sont membres",
    lastAdmin: "Le dernier administrateur le reste, quoi que disent les groupes.",
    connect: "Associer",
    save: "Enregistrer",
    tryIt: "Essayer",
    tryText: "Pour tester les paramètres, connectez-vous-y une fois. Rien ne change pour personne.",
    tried: "Une connexion avec ces paramètres a fonctionné {when}.",
    switchOn: "Activer",
    onText:
      "Après l’activation, toute personne qui gère votre système peut se connecter ici à la place de chaque personne dont il crée le compte ou qui associe un compte.",
    needsTry: "Pour l’activer, essayez-la d’abord.",
    needsWayIn:
      "Pour l’activer, il vous faut un autre moyen de vous connecter, au cas où votre système serait en panne : un mot de passe ou une clé d’accès. Ajoutez-le dans « Sécurité ».",
    switchOff: "Désactiver",
    offText:
      "À la désactivation, les sessions qui y ont commencé prennent fin aussitôt. Les comptes et les membres restent.",
    remove: "Retirer",
    removeTitle: "Retirer {provider} ?",
    removeText:
      "Personne ne peut plus se connecter avec elle, et les sessions qui y ont commencé prennent fin aussitôt. Les comptes restent, et les personnes restent membres.",
    people: {
      one: "{count} personne se connecte avec elle.",
      other: "{count} personnes se connectent avec elle.",
    },
    stranded: {
      one: "{count} personne n’a pas d’autre moyen de se connecter et a besoin d’un mot de passe donné par les responsables de ce service.",
      other:
        "{count} personnes n’ont pas d’autre moyen de se connecter et ont besoin d’un mot de passe donné par les responsables de ce service.",
    },
    again: "Si vous associez de nouveau un système plus tard, ces personnes associent leurs comptes dans « Sécurité ».",
    worked: "La connexion fonctionne",
    workedText: "Votre système a dit ceci de vous :",
    failed: "La connexion ne fonctionne pas",
    failedText:
      "Votre système n’a pas pu être joint, ou sa réponse n’a pas pu être vérifiée. Vérifiez les paramètres des deux côtés.",
    subject: "Identifiant",
    email: "Adresse e-mail",
    unverified: "non confirmée par votre système",
    otherDomain: "pas une adresse professionnelle",
    groups: "Groupes",
    role: "Rôle ici",
    noRole: "aucun : ne peut pas se connecter",
    none: "aucun",
    back: "Retour",
    signInTitle: "Se connecter à {company}",
    notOfCompany:
      "Le compte que vous utilisez en ce moment n’appartient pas à {company}. Connectez-vous avec le système de l’entreprise ou avec un autre compte.",
    warning:
      "{company} gère {provider}. Ses responsables pourront se connecter ici à votre place, voir et changer tout ce qui est dans ce compte, y compris ce qui ne concerne pas {company}.",
    held: "Avec ce compte, vous ne pouvez ni rejoindre ni créer une entreprise : par un compte que vous avez associé, une autre entreprise peut se connecter à votre place. Dissociez d’abord cet autre compte ou utilisez ici un autre compte.",
    notices: {
      saved: "Enregistré.",
      on: "La connexion est activée.",
      off: "La connexion est désactivée.",
      removed: "La connexion est retirée.",
      changed: "Quelqu’un d’autre l’a changée entre-temps. Rien n’a été enregistré. Regardez de nouveau.",
      tooOften: "Trop d’essais. Réessayez dans une heure.",
      notNow: "Ce n’est pas possible pour le moment. Rien n’a été changé.",
    },
    faults: {
      name: "Saisissez un nom de 60 caractères au plus.",
      issuer: "Saisissez une URL qui commence par https://, exactement comme votre système l’affiche.",
      own: "C’est l’adresse de ce service lui-même.",
      clientId: "Saisissez l’identifiant client exactement comme votre système l’affiche.",
      clientSecret: "Saisissez le secret client exactement comme votre système l’affiche.",
      scope: "Saisissez 20 scopes au plus, séparés par des espaces.",
      claim: "Saisissez le nom d’un claim, sans espaces.",
      claims: "Saisissez un champ et un claim par ligne, avec l’un des champs ci-dessus.",
      groups: "Saisissez au moins un groupe, et 50 au plus pour chaque rôle.",
    },
    events: {
      connected: "{app} a été associée comme connexion propre de l’entreprise",
      changed: "La connexion propre de l’entreprise, {app}, a été changée",
      on: "La connexion propre de l’entreprise, {app}, a été activée",
      off: "La connexion propre de l’entreprise, {app}, a été désactivée",
      removed: "La connexion propre de l’entreprise, {app}, a été retirée",
    },
  },
};
