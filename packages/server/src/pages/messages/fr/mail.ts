/** French: the e-mails. */
import type { mail as english } from "../en/mail.ts";
import type { Translation } from "../translation.ts";

export const mail = {
  mail: {
    open: "Si le bouton ne fonctionne pas, ouvrez cette adresse :",
    footer: "{product} sur {host} a envoyé ce message. Les réponses ne sont pas lues.",
    facts: {
      when: "Heure",
      browser: "Navigateur",
      address: "Adresse réseau",
      reason: "Raison donnée",
      fault: "Erreur du destinataire",
      removed: "Supprimés",
      back: "Fonctionnent de nouveau",
      kept: "Permettent toujours de se connecter",
      keptApps: "Ont toujours accès",
      pausedApps: "Toujours en pause",
      allowed: "Autorisé",
      appAddress: "Adresse de l’application",
    },
    signInSeenBefore:
      "Quelqu’un s’est connecté en tant que {person} avec un navigateur déjà utilisé pour ce compte. C’est la première connexion avec lui depuis que votre mot de passe a changé, qu’une clé d’accès ou une application d’authentification a été ajoutée, ou que ce navigateur a été déconnecté.",
    authenticatorReplaced:
      "Le {when}, une application d’authentification a été configurée pour le compte {person}. Elle remplace la précédente. La connexion avec le mot de passe demande maintenant un code de la nouvelle application. Les codes de l’application précédente ne permettent plus de se connecter.",
    recoveryUsedInRecovery:
      "Le {when}, quelqu’un a ouvert un lien d’un e-mail au sujet du compte {person}, puis a saisi un code de secours. Ce code ne fonctionne plus.",
    removedReturns:
      "Si vous pouvez encore vous connecter avec {app}, votre prochaine connexion vous rend de nouveau membre.",
    approvedPaused: {
      subject: "{app} a été approuvée chez {company}, mais elle est en pause",
      hint: "Vous pourrez utiliser l’application pour {company} dès qu’un administrateur la réactivera. Retournez alors à l’application et recommencez.",
    },
    decidedForAdmin: {
      companyRefused:
        "Vous êtes maintenant administrateur de {company} et pouvez autoriser {app} vous-même. Retournez à l’application et recommencez.",
      companyBlocked:
        "Vous êtes maintenant administrateur de {company} et pouvez modifier vous-même la règle de l’application.",
      companyPartlyApproved:
        "Vous êtes maintenant administrateur de {company} et pouvez autoriser le reste vous-même. Retournez à l’application et recommencez.",
      paused:
        "Vous êtes maintenant administrateur de {company} et pouvez réactiver l’application vous-même. Retournez ensuite à l’application et recommencez.",
    },
    kinds: {
      recover: {
        subject: "Choisissez un nouveau mot de passe",
        text: "Vous avez demandé un nouveau mot de passe pour le compte {person}. Le lien n’est valable qu’une fois, pendant 15 minutes.",
        button: "Choisir un nouveau mot de passe",
        hint: "Si vous n’avez pas fait cette demande, ignorez ce message. Votre mot de passe reste le même.",
      },
      signUp: {
        subject: "Terminez la création de votre compte",
        text: "Vous avez demandé à créer un compte avec l’adresse {email}. Le lien n’est valable qu’une fois, pendant une heure.",
        button: "Créer le compte",
        hint: "Si vous n’avez pas fait cette demande, ignorez ce message. Aucun compte ne sera créé.",
      },
      known: {
        subject: "Vous avez déjà un compte",
        text: "Vous avez demandé à utiliser l’adresse {email} pour un compte. Un compte avec cette adresse existe déjà : {person}.",
        button: "Se connecter",
        hint: "Mot de passe oublié ? Vous pouvez en choisir un nouveau depuis la page de connexion. Si vous n’avez pas fait cette demande, ignorez ce message. Rien n’a été modifié dans ce compte.",
      },
      verify: {
        subject: "Est-ce votre adresse e-mail ?",
        text: "Confirmez que {email} est l’adresse de votre compte {person}. Le lien n’est valable qu’une fois, pendant une heure.",
        button: "Confirmer l’adresse",
        hint: "Si vous ne connaissez pas ce compte, ignorez ce message.",
      },
      change: {
        subject: "Votre nouvelle adresse e-mail",
        text: "Vous avez demandé à remplacer l’adresse du compte {person} par {email}. Le lien n’est valable qu’une fois, pendant une heure.",
        button: "Utiliser cette adresse",
        hint: "Si vous ne connaissez pas ce compte, ignorez ce message. Rien ne sera modifié.",
      },
      changed: {
        subject: "Votre adresse e-mail a été modifiée",
        text: "L’adresse du compte {person} est maintenant {email}. Les messages n’arrivent plus à cette adresse-ci.",
        button: "Ce n’était pas moi : annuler le changement",
        hint: "Si c’était vous, ne faites rien. Le lien n’est valable qu’une fois, pendant 7 jours. Il rétablit cette adresse et vous permet de choisir un nouveau mot de passe.",
      },
      emailReturned: {
        subject: "Le compte a de nouveau une ancienne adresse e-mail",
        text: "Le {when}, une ancienne adresse e-mail du compte {person} a été rétablie. Les messages n’arrivent plus à cette adresse-ci.",
        button: "Se connecter",
        hint: "Si c’était vous, ne faites rien. Sinon, demandez de l’aide aux responsables de {product}.",
      },
      emailReturnedUndo: {
        subject: "Le compte a de nouveau une ancienne adresse e-mail",
        text: "Le {when}, une ancienne adresse e-mail du compte {person} a été rétablie. Les messages n’arrivent plus à cette adresse-ci.",
        button: "Ce n’était pas moi : annuler le changement",
        hint: "Si c’était vous, ne faites rien. Le lien n’est valable qu’une fois, pendant 7 jours, et seulement dans le navigateur que vous utilisez depuis le plus longtemps pour ce compte. Il rétablit cette adresse et vous permet de choisir un nouveau mot de passe.",
      },
      takeBack: {
        subject: "Récupérez votre compte",
        text: "Vous avez demandé un nouveau mot de passe pour le compte {person}. Le compte avait cette adresse il y a quelques jours encore et en a maintenant une autre. Le lien n’est valable qu’une fois, jusqu’au {when}. Il rétablit cette adresse et vous permet de choisir un nouveau mot de passe.",
        button: "Récupérer le compte",
        hint: "Si vous n’avez pas fait cette demande, ignorez ce message. Rien ne sera modifié.",
      },
      passwordChanged: {
        subject: "Votre mot de passe a été modifié",
        text: "Le mot de passe du compte {person} a été modifié le {when}.",
        button: "Ce n’était pas moi : en choisir un nouveau",
        hint: "Si c’était vous, ne faites rien.",
      },
      signIn: {
        subject: "Nouvelle connexion à votre compte",
        text: "Quelqu’un s’est connecté en tant que {person} avec un navigateur nouveau pour ce compte.",
        button: "Vérifier votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, modifiez votre mot de passe maintenant.",
      },
      deletion: {
        subject: "Votre compte sera supprimé",
        text: "Comme vous l’avez demandé, le compte {person} sera supprimé le {when}, avec toutes vos données personnelles. Les entreprises gardent l’historique de ce que vous avez fait pour elles, sans votre nom. L’accès de toutes les applications a été révoqué.",
        button: "Garder mon compte",
        hint: "D’ici là, vous pouvez vous connecter et le garder. Ensuite, personne ne pourra le rétablir.",
      },
      passkeyAdded: {
        subject: "Une clé d’accès a été ajoutée à votre compte",
        text: "Le {when}, la clé d’accès « {key} » a été ajoutée au compte {person}. Toute personne qui la possède peut se connecter avec elle.",
        button: "Vérifier votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, modifiez votre mot de passe maintenant et supprimez ce que vous ne reconnaissez pas. Si vous ne pouvez pas vous connecter, demandez de l’aide aux responsables de {product}.",
      },
      passkeyRemoved: {
        subject: "Une clé d’accès a été supprimée de votre compte",
        text: "Le {when}, la clé d’accès « {key} » a été supprimée du compte {person}. Personne ne peut plus se connecter avec elle.",
        button: "Vérifier votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, modifiez votre mot de passe maintenant et supprimez ce que vous ne reconnaissez pas. Si vous ne pouvez pas vous connecter, demandez de l’aide aux responsables de {product}.",
      },
      identityAdded: {
        subject: "Une connexion a été associée à votre compte",
        text: "Le {when}, un compte {key} a été associé au compte {person}. Toute personne qui peut s’y connecter chez {key} peut maintenant aussi se connecter ici.",
        button: "Vérifier votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, modifiez votre mot de passe maintenant et supprimez ce que vous ne reconnaissez pas. Si vous ne pouvez pas vous connecter, demandez de l’aide aux responsables de {product}.",
      },
      identityDisconnected: {
        subject: "Une connexion a été dissociée de votre compte",
        text: "Le {when}, un compte {key} a été dissocié du compte {person}. Les autres navigateurs connectés avec lui sont déconnectés.",
        button: "Vérifier votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, modifiez votre mot de passe maintenant et supprimez ce que vous ne reconnaissez pas. Si vous ne pouvez pas vous connecter, demandez de l’aide aux responsables de {product}.",
      },
      identityRemoved: {
        subject: "Une identité a été supprimée de votre compte",
        text: "Le {when}, l’identité de {key} a été supprimée du compte {person}. {key} ne peut plus confirmer ici qui vous êtes.",
        button: "Vérifier votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, modifiez votre mot de passe maintenant et supprimez ce que vous ne reconnaissez pas. Si vous ne pouvez pas vous connecter, demandez de l’aide aux responsables de {product}.",
      },
      authenticatorOn: {
        subject: "Une application d’authentification a été configurée pour votre compte",
        text: "Le {when}, une application d’authentification a été configurée pour le compte {person}. La connexion avec le mot de passe demande maintenant aussi l’un de ses codes.",
        button: "Vérifier votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, modifiez votre mot de passe maintenant et supprimez ce que vous ne reconnaissez pas. Si vous ne pouvez pas vous connecter, demandez de l’aide aux responsables de {product}.",
      },
      authenticatorOff: {
        subject: "L’application d’authentification a été supprimée de votre compte",
        text: "Le {when}, l’application d’authentification du compte {person} et ses codes de secours ont été supprimés. La connexion ne demande plus de code.",
        button: "Vérifier votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, modifiez votre mot de passe maintenant et supprimez ce que vous ne reconnaissez pas. Si vous ne pouvez pas vous connecter, demandez de l’aide aux responsables de {product}.",
      },
      recoveryRenewed: {
        subject: "Votre compte a de nouveaux codes de secours",
        text: "Le {when}, de nouveaux codes de secours ont été créés pour le compte {person}.",
        button: "Vérifier votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, modifiez votre mot de passe maintenant et supprimez ce que vous ne reconnaissez pas. Si vous ne pouvez pas vous connecter, demandez de l’aide aux responsables de {product}.",
      },
      recoveryUsed: {
        subject: "Un code de secours de votre compte a été utilisé",
        text: "Le {when}, quelqu’un s’est connecté en tant que {person} avec un code de secours. Ce code ne fonctionne plus. Codes restants : {left}.",
        button: "Vérifier votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, modifiez votre mot de passe maintenant et supprimez ce que vous ne reconnaissez pas. Si vous ne pouvez pas vous connecter, demandez de l’aide aux responsables de {product}.",
      },
      passwordGuessed: {
        subject: "Quelqu’un essaie de deviner votre mot de passe",
        text: "Au {when}, tant de mots de passe incorrects avaient été saisis pour le compte {person} que nous acceptons maintenant moins de tentatives. Vous pouvez toujours vous connecter avec les navigateurs que vous avez déjà utilisés.",
        button: "Vérifier votre compte",
        hint: "Si c’était vous, attendez 15 minutes et réessayez. Sinon, vérifiez que votre mot de passe est long et que vous ne l’utilisez nulle part ailleurs. Une clé d’accès ne se devine pas.",
      },
      codeGuessed: {
        subject: "Quelqu’un connaît votre mot de passe",
        text: "Au {when}, trop de codes incorrects avaient été saisis pour le compte {person}, le dernier après le bon mot de passe. Nous acceptons maintenant moins de tentatives.",
        button: "Modifier votre mot de passe",
        hint: "Si c’était vous, attendez 15 minutes et réessayez. Sinon, modifiez votre mot de passe maintenant.",
      },
      proofGuessed: {
        subject: "Quelqu’un essaie de récupérer votre compte",
        text: "Au {when}, trop de codes incorrects avaient été saisis pour le compte {person}, le dernier après l’ouverture d’un lien d’un e-mail au sujet de ce compte. Nous acceptons maintenant moins de tentatives.",
        button: "Vérifier votre compte",
        hint: "Si c’était vous, attendez 15 minutes et réessayez. Sinon, quelqu’un d’autre peut lire vos e-mails. Modifiez le mot de passe de votre messagerie.",
      },
      recovered: {
        subject: "Votre mot de passe a été modifié",
        text: "Le {when}, le mot de passe du compte {person} a été modifié avec un lien reçu par e-mail. Tout le monde a été déconnecté.",
        button: "Ce n’était pas moi : en choisir un nouveau",
        hint: "Si c’était vous, ne faites rien.",
      },
      factorsRemoved: {
        subject: "Des moyens de connexion à votre compte ont été supprimés",
        text: "Le {when}, le mot de passe du compte {person} a été modifié avec un lien reçu par e-mail, et des moyens de connexion ont été supprimés.",
        button: "Ce n’était pas moi : les rétablir",
        hint: "Si c’était vous, ne faites rien. Le lien n’est valable qu’une fois, pendant 72 heures. Il rétablit les moyens supprimés, et le nouveau mot de passe ne fonctionne plus.",
      },
      factorsRemovedTold: {
        subject: "Des moyens de connexion à votre compte ont été supprimés",
        text: "Le {when}, le mot de passe du compte {person} a été modifié avec un lien reçu par e-mail, et des moyens de connexion ont été supprimés. Vous recevez ce message parce que le compte a ou avait cette adresse.",
        button: "Se connecter",
        hint: "Si c’était vous, ne faites rien. Sinon, demandez de l’aide aux responsables de {product}.",
      },
      factorsRestored: {
        subject: "Les moyens de connexion supprimés sont rétablis",
        text: "Le {when}, les moyens de connexion supprimés du compte {person} ont été rétablis. Tout le monde a été déconnecté, et le mot de passe ne fonctionne plus.",
        button: "Choisir un nouveau mot de passe",
        hint: "Il vous faudra peut-être l’un des moyens rétablis. Si ce n’était pas vous, demandez de l’aide aux responsables de {product}.",
      },
      companyRequest: {
        subject: "{by} demande une application chez {company}",
        text: "{by} demande que {app} puisse être utilisée chez {company}.",
        button: "Décider",
        hint: "Vous recevez ce message parce que vous êtes administrateur de {company}.",
      },
      companyApproved: {
        subject: "{app} peut être utilisée chez {company}",
        text: "Un administrateur de {company} a approuvé {app}, comme vous l’aviez demandé.",
        button: "Aller à {company}",
        hint: "Retournez à l’application et recommencez.",
      },
      companyPartlyApproved: {
        subject: "{app} peut être utilisée en partie chez {company}",
        text: "Un administrateur de {company} a approuvé une partie de votre demande pour {app}.",
        button: "Aller à {company}",
        hint: "Le reste attend encore une réponse. Pour utiliser ce qui est autorisé, retournez à l’application.",
      },
      companyRefused: {
        subject: "Votre demande pour {app} chez {company} a été refusée",
        text: "Un administrateur de {company} a refusé votre demande pour {app}. Si quelque chose vous est déjà permis avec {app}, cela le reste.",
        button: "Aller à {company}",
        hint: "Si vous en avez encore besoin, parlez-en à un administrateur de {company}.",
      },
      companyBlocked: {
        subject: "{app} est bloquée chez {company}",
        text: "Un administrateur de {company} a bloqué {app} et a donc refusé votre demande. Personne ne peut utiliser l’application pour {company}.",
        button: "Aller à {company}",
        hint: "Si vous en avez encore besoin, parlez-en à un administrateur de {company}.",
      },
      companyRemoved: {
        subject: "Vous ne faites plus partie de {company}",
        text: "Le {when}, un administrateur vous a retiré de {company}. Les applications que vous aviez autorisées en son nom ne peuvent plus renouveler leur accès. L’accès actuel expire bientôt.",
        button: "Voir vos entreprises",
        hint: "Si vous pensez que c’est une erreur, parlez-en à un administrateur de {company}.",
      },
      companySignIn: {
        subject: "Connexion de {company} changée",
        text: "{by} a changé la connexion {app} de {company} le {when}. L’historique de l’entreprise dit ce qui a changé.",
        button: "Voir l’historique",
        hint: "Si vous ne vous y attendiez pas, regardez-le maintenant et parlez-en aux autres administrateurs. Toute personne qui contrôle cette connexion peut se connecter à la place des personnes qui l’utilisent.",
      },
      companyInvitation: {
        subject: "Invitation à {company}",
        text: "L’invitation n’est valable qu’une fois, jusqu’au {when}.",
        button: "Voir l’invitation",
        hint: "Si vous ne connaissez pas {company}, ignorez ce message.",
      },
      webhookDisabled: {
        subject: "Le webhook {app} est désactivé",
        text: "Le {when}, le serveur a désactivé le webhook {app} ({key}), parce que son destinataire échouait depuis des jours ou ne voulait plus d’événements. Il ne reçoit plus d’événements.",
        hint: "Quand le destinataire fonctionne à nouveau, exécutez : assent webhook update {key} --status active. Pour envoyer ce qu’il a manqué, exécutez : assent webhook replay {key} --since 3d",
      },
    },
  },
} as const satisfies Translation<typeof english, "one" | "other">;
