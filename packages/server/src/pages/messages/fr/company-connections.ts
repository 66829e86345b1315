/** French: apps that a company's admins connect with other services. */

import type { companyConnections as english } from "../en/company-connections.ts";
import type { Translation } from "../translation.ts";

export const companyConnections: Translation<typeof english, "one" | "other"> = {
  companyConnections: {
    place: "Connexions",
    title: "Connexions de {company}",
    heading: "Applications connectées à d’autres services",
    intro:
      "Une application connectée peut agir pour les membres de {company} dans un autre service sans demander à chacun. Chaque membre peut toujours arrêter l’application pour lui-même.",
    none: "Aucune application n’est connectée à un autre service pour {company}.",
    nothing: "L’exploitant de ce service ne propose rien à connecter pour le moment.",
    connect: "Connecter une application",
    pair: "{app} avec {server}",
    may: "Dans {server}, elle peut",
    could: "Dans {server}, elle pouvait",
    at: "L’adresse de {server} est",
    states: {
      on: "Connectée",
      operator: "Connectée par l’exploitant",
      ended: "Terminée",
      withdrawn: "Plus proposée",
      altered: "Offre modifiée",
      blocked: "Application bloquée",
      paused: "Application en pause",
    },
    hints: {
      on: "Connectée jusqu’au {when}.",
      operator: "L’exploitant de ce service l’a connectée pour {company}. Pour l’arrêter, bloquez l’application.",
      ended: "Elle a pris fin {when}. L’application n’en obtient plus rien.",
      withdrawn:
        "L’exploitant de ce service ne propose plus cela. L’application n’en obtient plus rien. Si elle est proposée de nouveau, l’application pourra de nouveau l’utiliser. Pour l’éviter, supprimez-la.",
      altered:
        "L’exploitant de ce service a modifié l’offre. L’application n’en obtient rien tant que vous ne la connectez pas de nouveau.",
      blocked: "{company} bloque l’application, qui n’en obtient donc rien.",
      paused:
        "Un administrateur a mis l’application en pause pour {company}. Tant qu’un administrateur ne la reprend pas, elle n’obtient rien de nouveau par cette connexion. Ensuite, la connexion fonctionne de nouveau.",
    },
    by: "{person} l’a connectée {when}.",
    since: "Connectée {when}.",
    change: "Modifier",
    again: "Connecter de nouveau",
    remove: "Retirer",
    previous: "Page précédente",
    next: "Page suivante",
    find: "Connecter une application à un autre service",
    findText: "L’exploitant de ce service propose ceci. Choisissez l’application et le service.",
    search: "Rechercher par le nom de l’application ou du service",
    searchNone: "Aucune offre ne contient cela dans son nom.",
    choose: "Choisir",
    connected: "Déjà connectée",
    back: "Toutes les connexions",
    question: "Connecter {app} à {server} ?",
    forWhom:
      "Seulement pour les membres qui utilisent {app} pour {company}, et dans la limite de la règle de cette application. Leurs propres comptes ne sont pas concernés.",
    learns:
      "{server} apprend qui est le membre : un identifiant, l’adresse e-mail vérifiée, et quand et comment il s’est connecté ici.",
    learnsYou:
      "{server} apprend qui vous êtes : un identifiant, l’adresse e-mail vérifiée, et quand et comment vous vous êtes connecté ici.",
    blocked: "{company} bloque cette application. Modifiez d’abord la règle de l’application.",
    rule: "Règle de {app}",
    permissions: "Ce que {app} peut faire dans {server}",
    apis: "Seulement avec ces adresses du service",
    submit: "Connecter",
    save: "Enregistrer",
    removeQuestion: "Retirer la connexion de {app} avec {server} ?",
    removeText:
      "{app} n’obtient plus de nouvel accès dans {server} pour les membres de {company}. L’accès qu’elle y a déjà dure jusqu’à ce que {server} y mette fin.",
    removeStays: "Ce que les membres ont autorisé ici à {app} reste en place.",
    lasts: "L’accès que {app} a déjà dans {server} dure jusqu’à ce que {server} y mette fin.",
    memberText: "{company} l’a connectée à {server}. Elle peut y agir pour vous :",
    memberUncovered:
      "{company} l’a connectée à {server}, mais la règle de cette application ne s’applique pas à vous. L’application n’y obtient rien de nouveau pour vous tant qu’un administrateur ne l’a pas approuvée.",
    onlyCovered: "{app} n’obtient de nouvel accès dans {server} que pour les membres qui peuvent la connecter.",
    allOnlyCovered:
      "Dans les services connectés, les applications n’obtiennent de nouvel accès que pour les membres qui peuvent les connecter.",
    consentText:
      "{company} a connecté cette application à {server}. Si vous l’autorisez pour {company}, elle pourra aussi y agir pour vous :",
    until: "Jusqu’au {when}.",
    problems: {
      scopes: "Choisissez au moins une autorisation.",
      duration: "Choisissez jusqu’à quand.",
    },
    notices: {
      connected: "L’application est connectée.",
      saved: "La connexion est modifiée.",
      removed: "La connexion est retirée. L’application n’y obtient plus de nouvel accès.",
      changed: "Quelqu’un a modifié cela entre-temps. Rien n’a été enregistré. Vérifiez de nouveau.",
      blocked: "L’application est bloquée. Rien n’a été enregistré.",
      full: "Il y a déjà 100 connexions. Retirez-en une d’abord.",
      gone: "Cela n’existe plus. Rien n’a été modifié.",
    },
    events: {
      connected: "{app} a été connectée à {server} pour les membres",
      changed: "La connexion de {app} avec {server} a été modifiée",
      removed: "La connexion de {app} avec {server} a été retirée",
    },
  },
};
