/** French: what is written to people. */
import type { mail as english } from "../en/mail.ts";
import type { Translation } from "../translation.ts";

export const mail = {
  mail: {
    open: "Si le bouton ne fonctionne pas, ouvrez cette adresse :",
    footer: "{product} sur {host} a envoyé ce message. Personne ne lit les réponses.",
    facts: {
      when: "Heure",
      browser: "Navigateur",
      address: "Adresse réseau",
      reason: "Raison donnée",
      removed: "Supprimés",
      kept: "Permettent toujours de vous connecter",
      ended: "N’ont plus accès",
      keptApps: "Ont toujours accès",
    },
    kinds: {
      recover: {
        subject: "Choisissez un nouveau mot de passe",
        text: "Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour le compte {person}. Le lien est valable une seule fois, pendant 15 minutes.",
        button: "Choisir un nouveau mot de passe",
        hint: "Si ce n’était pas vous, ne faites rien : votre mot de passe reste tel qu’il est.",
      },
      signUp: {
        subject: "Terminez la création de votre compte",
        text: "Quelqu’un, sans doute vous, veut créer un compte avec l’adresse {email}. Le lien est valable une seule fois, pendant une heure.",
        button: "Créer le compte",
        hint: "Si ce n’était pas vous, ne faites rien : il n’y aura pas de compte.",
      },
      known: {
        subject: "Vous avez déjà un compte",
        text: "Quelqu’un, sans doute vous, a voulu utiliser l’adresse {email} pour un compte. Un compte l’utilise déjà : {person}.",
        button: "Se connecter",
        hint: "Mot de passe oublié ? La page de connexion vous permet d’en choisir un nouveau. Si ce n’était pas vous, ne faites rien : rien n’a été changé.",
      },
      verify: {
        subject: "Est-ce votre adresse e-mail ?",
        text: "Le compte {person} a l’adresse {email}. Veuillez confirmer qu’elle est à vous. Le lien est valable une seule fois, pendant une heure.",
        button: "Oui, elle est à moi",
        hint: "Si vous ne connaissez pas ce compte, ne faites rien.",
      },
      change: {
        subject: "Votre nouvelle adresse e-mail",
        text: "Le compte {person} doit recevoir l’adresse {email}. Le lien est valable une seule fois, pendant une heure.",
        button: "Utiliser cette adresse",
        hint: "Si vous ne connaissez pas ce compte, ne faites rien : rien ne sera changé.",
      },
      changed: {
        subject: "Votre adresse e-mail a été changée",
        text: "Le compte {person} a maintenant l’adresse {email}. Les messages n’arrivent plus à celle-ci.",
        button: "Ce n’était pas moi : annuler",
        hint: "Si c’était vous, ne faites rien. Le lien est valable une seule fois, pendant 7 jours : il rend cette adresse au compte et vous laisse choisir un nouveau mot de passe.",
      },
      passwordChanged: {
        subject: "Votre mot de passe a été changé",
        text: "Le mot de passe du compte {person} a été changé le {when}.",
        button: "Ce n’était pas moi : en choisir un nouveau",
        hint: "Si c’était vous, ne faites rien.",
      },
      signIn: {
        subject: "Nouvelle connexion à votre compte",
        text: "Quelqu’un s’est connecté en tant que {person} avec un navigateur que nous ne vous connaissions pas.",
        button: "Voir votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, changez votre mot de passe maintenant.",
      },
      deletion: {
        subject: "Votre compte sera supprimé",
        text: "Comme vous l’avez demandé, le compte {person} sera supprimé le {when}, avec tout ce qui est conservé à votre sujet. Les applications ont déjà perdu leur accès.",
        button: "Garder mon compte",
        hint: "D’ici là, vous pouvez vous connecter et le garder. Ensuite, personne ne pourra le récupérer.",
      },
      passkeyAdded: {
        subject: "Une clé d’accès a été ajoutée à votre compte",
        text: "Le {when}, la clé d’accès « {key} » a été ajoutée au compte {person}. Quiconque la détient peut se connecter avec elle.",
        button: "Voir votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, changez votre mot de passe maintenant et supprimez ce que vous ne connaissez pas. Si vous ne pouvez plus vous connecter, demandez de l’aide à ceux qui gèrent {product}.",
      },
      passkeyRemoved: {
        subject: "Une clé d’accès a été retirée de votre compte",
        text: "Le {when}, la clé d’accès « {key} » a été retirée du compte {person}. Personne ne peut plus se connecter avec elle.",
        button: "Voir votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, changez votre mot de passe maintenant et supprimez ce que vous ne connaissez pas. Si vous ne pouvez plus vous connecter, demandez de l’aide à ceux qui gèrent {product}.",
      },
      authenticatorOn: {
        subject: "Une application d’authentification a été configurée pour votre compte",
        text: "Le {when}, une application d’authentification a été configurée pour le compte {person}. Désormais, la connexion par mot de passe demande aussi l’un de ses codes.",
        button: "Voir votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, changez votre mot de passe maintenant et supprimez ce que vous ne connaissez pas. Si vous ne pouvez plus vous connecter, demandez de l’aide à ceux qui gèrent {product}.",
      },
      authenticatorOff: {
        subject: "L’application d’authentification a été retirée de votre compte",
        text: "Le {when}, l’application d’authentification du compte {person} a été retirée, avec ses codes de secours. La connexion ne demande plus de code.",
        button: "Voir votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, changez votre mot de passe maintenant et supprimez ce que vous ne connaissez pas. Si vous ne pouvez plus vous connecter, demandez de l’aide à ceux qui gèrent {product}.",
      },
      recoveryRenewed: {
        subject: "Votre compte a de nouveaux codes de secours",
        text: "Le {when}, de nouveaux codes de secours ont été créés pour le compte {person}. Les précédents ne valent plus.",
        button: "Voir votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, changez votre mot de passe maintenant et supprimez ce que vous ne connaissez pas. Si vous ne pouvez plus vous connecter, demandez de l’aide à ceux qui gèrent {product}.",
      },
      recoveryUsed: {
        subject: "Un code de secours de votre compte a été utilisé",
        text: "Le {when}, quelqu’un s’est connecté en tant que {person} avec un code de secours. Ce code ne vaut plus ; codes encore inutilisés : {left}.",
        button: "Voir votre compte",
        hint: "Si c’était vous, ne faites rien. Sinon, changez votre mot de passe maintenant et supprimez ce que vous ne connaissez pas. Si vous ne pouvez plus vous connecter, demandez de l’aide à ceux qui gèrent {product}.",
      },
      passwordGuessed: {
        subject: "Quelqu’un essaie de deviner votre mot de passe",
        text: "Le {when}, tant de mots de passe erronés avaient été saisis pour le compte {person} que nous acceptons désormais moins de tentatives. Les navigateurs avec lesquels vous vous êtes déjà connecté fonctionnent toujours.",
        button: "Voir votre compte",
        hint: "Si c’était vous, attendez 15 minutes et réessayez. Sinon, vérifiez que votre mot de passe est long et que vous ne l’utilisez nulle part ailleurs. Une clé d’accès ne se devine pas.",
      },
      codeGuessed: {
        subject: "Quelqu’un connaît votre mot de passe",
        text: "Le {when}, trop de codes erronés avaient été saisis pour le compte {person}, le dernier après le bon mot de passe. Nous acceptons désormais moins de tentatives.",
        button: "Changer votre mot de passe",
        hint: "Si c’était vous, attendez 15 minutes et réessayez. Sinon, changez votre mot de passe maintenant.",
      },
      proofGuessed: {
        subject: "Quelqu’un essaie de récupérer votre compte",
        text: "Le {when}, trop de codes erronés avaient été saisis pour le compte {person}, le dernier derrière un lien d’un e-mail au sujet de ce compte. Nous acceptons désormais moins de tentatives.",
        button: "Voir votre compte",
        hint: "Si c’était vous, attendez 15 minutes et réessayez. Sinon, quelqu’un lit vos e-mails : changez le mot de passe de votre messagerie.",
      },
      recovered: {
        subject: "Votre mot de passe a été changé",
        text: "Le {when}, le mot de passe du compte {person} a été changé avec un lien reçu par e-mail. Tout le monde a été déconnecté.",
        button: "Ce n’était pas moi : en choisir un nouveau",
        hint: "Si c’était vous, ne faites rien.",
      },
      factorsRemoved: {
        subject: "Des moyens de connexion à votre compte ont été supprimés",
        text: "Le {when}, le mot de passe du compte {person} a été changé avec un lien reçu par e-mail, et des moyens de connexion ont été supprimés.",
        button: "Ce n’était pas moi : les rétablir",
        hint: "Si c’était vous, ne faites rien. Le lien est valable une seule fois, pendant 72 heures. Il rétablit les moyens supprimés, et le nouveau mot de passe ne fonctionne plus.",
      },
      factorsRemovedTold: {
        subject: "Des moyens de connexion à votre compte ont été supprimés",
        text: "Le {when}, le mot de passe du compte {person} a été changé avec un lien reçu par e-mail, et des moyens de connexion ont été supprimés. Vous recevez ce message parce que le compte a ou avait cette adresse.",
        button: "Se connecter",
        hint: "Si c’était vous, ne faites rien. Sinon, demandez de l’aide aux responsables de {product}.",
      },
      factorsRestored: {
        subject: "Les moyens de connexion supprimés sont rétablis",
        text: "Le {when}, les moyens de connexion supprimés du compte {person} ont été rétablis. Tout le monde a été déconnecté, et le mot de passe ne fonctionne plus.",
        button: "Choisir un nouveau mot de passe",
        hint: "Il vous faudra l’un des moyens rétablis. Si ce n’était pas vous, demandez de l’aide aux responsables de {product}.",
      },
      companyRequest: {
        subject: "{by} demande une application chez {company}",
        text: "{by} demande que {app} puisse être utilisée chez {company}.",
        button: "Décider",
        hint: "Vous recevez ce message parce que vous administrez {company}.",
      },
      companyApproved: {
        subject: "{app} peut être utilisée chez {company}",
        text: "L’administration de {company} a approuvé {app}, comme vous l’aviez demandé.",
        button: "Aller à {company}",
        hint: "Recommencez depuis l’application.",
      },
      companyRefused: {
        subject: "{app} n’a pas été approuvée chez {company}",
        text: "L’administration de {company} a refusé {app}, que vous aviez demandée.",
        button: "Aller à {company}",
        hint: "Si vous en avez besoin malgré tout, parlez à l’administration de {company}.",
      },
      companyRemoved: {
        subject: "Vous ne faites plus partie de {company}",
        text: "Le {when}, un administrateur vous a retiré de {company}. Ce que vous aviez permis à des applications en son nom a pris fin.",
        button: "Voir vos entreprises",
        hint: "Si vous pensez que c’est une erreur, parlez-en à un administrateur de {company}.",
      },
      companyInvitation: {
        subject: "Invitation à {company}",
        text: "{by} vous invite à rejoindre {company}. L’invitation est valable une seule fois, jusqu’au {when}.",
        button: "Voir l’invitation",
        hint: "Si vous ne connaissez pas {company}, ne faites rien.",
      },
    },
  },
} as const satisfies Translation<typeof english, "one" | "other">;
