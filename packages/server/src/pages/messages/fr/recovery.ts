/** French: recovering an account by e-mail, and undoing a recovery. */
import type { recovery as english } from "../en/recovery.ts";
import type { Translation } from "../translation.ts";

export const recovery: Translation<typeof english, "one" | "other"> = {
  takeBack: {
    proveTitle: "Confirmez que c’est bien vous",
    proveCode:
      "Avant de choisir un nouveau mot de passe pour le compte {person}, saisissez un code de votre application d’authentification.",
    provePasskey:
      "Avant de choisir un nouveau mot de passe pour le compte {person}, utilisez l’une de ses clés d’accès.",
    proveWith: "Utiliser une clé d’accès",
    proveNone: "Vous n’avez plus rien de tout cela ? Demandez de l’aide aux responsables de {product}.",
    throttled: {
      one: "Trop de tentatives. Attendez une minute, puis demandez un nouveau lien.",
      other: "Trop de tentatives. Attendez {count} minutes, puis demandez un nouveau lien.",
    },
    text: "Pour le compte {person}. Vous serez déconnecté partout.",
    undoText: "Le compte {person} retrouve l’adresse {email}. Vous serez déconnecté partout.",
    changed:
      "Le compte a été modifié pendant que cette page était ouverte. Vérifiez tout une nouvelle fois, puis choisissez le mot de passe.",
    leaving: "Votre compte devait être supprimé le {when}. Si vous continuez, il ne sera pas supprimé.",
    stays:
      "Votre compte ne sera plus supprimé. Pour le supprimer malgré tout, connectez-vous et choisissez « Supprimer le compte » dans votre profil.",
    ways: "Moyens de connexion",
    waysDoubtful:
      "Ceux-ci ont été ajoutés avec un navigateur qui était nouveau pour votre compte. Ceux qui sont cochés seront supprimés. Décochez ceux que vous avez ajoutés vous-même.",
    waysStates: { ticked: "Sera supprimé", open: "Reste" },
    waysKept: "Ceux-ci restent :",
    remove: "Supprimer : {way}",
    passkey: "Clé d’accès « {name} »",
    authenticator: "Application d’authentification",
    codes: "Codes de secours",
    added: "Ajout : {when}",
    addedFrom: "Ajout : {when}, avec {device}",
    place: "réseau {place}",
    used: "dernière utilisation : {when}",
    back: "Votre application d’authentification précédente fonctionnera de nouveau.",
    backCodes: "Les précédents fonctionneront de nouveau.",
    apps: "Applications ayant accès",
    appsHint: "Les applications cochées perdent leur accès. Les autres le gardent.",
    appsStates: { ticked: "Perdra son accès", open: "Garde son accès" },
    staysPaused: "Reste en pause",
    appsSince: "Les applications connectées, modifiées ou réactivées depuis le {when} sont cochées.",
    appsNone: "Aucune application n’a accès à votre compte.",
    appsEnding:
      "Aucune application n’obtient de nouvel accès à votre compte. Celles qui avaient un accès auparavant peuvent encore l’utiliser brièvement.",
    appsRevoked: "L’accès de toutes les applications a été révoqué.",
    appsHidden:
      "Non affichées : {count}. Celles connectées, modifiées ou réactivées depuis perdent leur accès. Les autres le gardent.",
    connected: "Connectée : {when}",
    connectedDevice: "Connectée avec le code d’un appareil : {when}",
    latest: "de nouveau : {when}",
    endChanged: "modifiée : {when}",
    resumed: "réactivée : {when}",
    company: "Les applications que vous avez connectées pour {company}",
    browsers: "Navigateurs",
    browsersText: "Tous les navigateurs seront déconnectés. Ceux-ci étaient nouveaux depuis le {when} :",
    doneText: "Vous avez été déconnecté partout. Connectez-vous avec le nouveau mot de passe.",
    doneRemoved: "Supprimés : {list}.",
    doneBack: "Fonctionnent de nouveau : {list}.",
    previous: { authenticator: "Application d’authentification précédente", codes: "Codes de secours précédents" },
    doneKept: "Vous pouvez toujours vous connecter avec : {list}.",
    doneEnded: "Accès révoqué : {list}.",
    doneApps: "Ont toujours accès : {list}.",
    donePaused: "Toujours en pause : {list}.",
    restoreTitle: "Rétablir les moyens de connexion supprimés ?",
    restoreText:
      "Le {when}, quelqu’un a choisi un nouveau mot de passe pour le compte {person} avec un lien reçu par e-mail, et a supprimé :",
    restoreThen:
      "Si c’était vous, ne faites rien. Sinon, rétablissez-les : tout le monde est déconnecté, le mot de passe ne fonctionne plus, et les moyens de connexion ajoutés depuis avec un nouveau navigateur sont supprimés. Choisissez ensuite un nouveau mot de passe. Il vous faudra peut-être l’un de ces moyens pour vous connecter.",
    restoreApps:
      "Les applications perdent l’accès qu’elles ont obtenu depuis, pour vous ou pour une entreprise, et les autorisations dont la fin a été modifiée depuis. Vos propres réponses données depuis pour des entreprises sont oubliées. Les applications réactivées depuis sont remises en pause. Celles dont l’accès a été révoqué depuis restent sans accès : connectez-les de nouveau ensuite.",
    restoreExpired:
      "Il a expiré {when}. Rien n’a été modifié. Les moyens de connexion supprimés ne peuvent plus être rétablis, et le mot de passe actuel reste valable. Si vous ne le connaissez pas, choisissez-en un nouveau.",
    restoreYes: "Les rétablir",
    restoredTitle: "Les moyens de connexion sont rétablis",
    restoredText:
      "Tout le monde est déconnecté, et le mot de passe ne fonctionne plus. Choisissez-en un nouveau maintenant.",
    restoredFirst: "Tout le monde est déconnecté, et le mot de passe ne fonctionne plus.",
    moved: "L’adresse e-mail du compte n’est plus {email} : elle a été modifiée le {when} et reste modifiée.",
    movedThen:
      "Si ce n’était pas vous, rétablissez d’abord les moyens de connexion. Vous pourrez ensuite faire envoyer à {email} un lien qui rétablit l’adresse.",
    movedNow:
      "Si ce n’était pas vous, faites envoyer un lien à {email}. Il rétablit l’adresse et vous permet de choisir un nouveau mot de passe. Un lien demandé avec votre nom d’utilisateur est envoyé à l’autre adresse.",
    movedMail:
      "Si ce n’était pas vous, saisissez {email} sur la page, et non votre nom d’utilisateur. Nous enverrons alors à {email} un lien qui rétablit l’adresse et vous permet de choisir un nouveau mot de passe.",
    movedLate:
      "Aucun lien ne peut plus annuler cette modification. Si ce n’était pas vous, demandez de l’aide aux responsables de {product}.",
    movedSend: "Envoyer un lien à {email}",
    pausedAgain: "Remises en pause : {list}.",
    companiesKeep:
      "Ce qui a été modifié dans vos entreprises depuis la suppression reste : règles sur les applications, connexions, membres et nouvelles entreprises. Seules les invitations en attente faites en votre nom sont retirées. Vérifiez vos entreprises.",
    doneLost: "Autorisations révoquées : {list}.",
    lostSoon: {
      one: "Ces autorisations prennent fin dans {count} minute au plus.",
      other: "Ces autorisations prennent fin dans {count} minutes au plus.",
    },
    restoredApps:
      "Les applications dont l’accès a été révoqué depuis la suppression restent sans accès. Pour en utiliser une, connectez-la de nouveau.",
  },
};
