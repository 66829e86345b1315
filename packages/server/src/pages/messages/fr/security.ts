/** French: passwords, sign-up, e-mail addresses, the profile and deletion. */
import type { security as english } from "../en/security.ts";
import type { Translation } from "../translation.ts";

export const security = {
  cancel: "Annuler",

  security: {
    title: "Sécurité",
    back: "Revenir à « Sécurité »",
    intro: "Comment vous vous connectez, et où vous êtes connecté.",
    password: "Mot de passe",
    passwordSince: "Choisi {when}",
    passwordNone: "Vous n’avez pas de mot de passe.",
    passwordUnknown: "Votre mot de passe ne fonctionne plus, car vos moyens de connexion ont été rétablis.",
    passwordByMail: "Choisissez-en un nouveau avec un lien que nous vous envoyons.",
    emailMoved:
      "L’adresse e-mail du compte a été modifiée le {when}. Si ce n’était pas vous, demandez le lien avec votre ancienne adresse e-mail, et non avec votre nom d’utilisateur. Il rétablit l’adresse et vous permet de choisir un nouveau mot de passe.",
    passwordAsk: "Demandez-en un nouveau aux responsables de {product}.",
    passwordChange: "Modifier le mot de passe",
    passwordSet: "Choisir un mot de passe",
    passwordDone: "Votre nouveau mot de passe a été enregistré.",
    companyAppsEnded:
      "Si vous avez connecté des applications pour une entreprise, vous devez les connecter de nouveau.",
  },

  password: {
    title: "Modifier votre mot de passe",
    titleSet: "Choisir un mot de passe",
    titleMust: "Choisissez un nouveau mot de passe",
    introMust:
      "Quelqu’un d’autre connaît peut-être le mot de passe avec lequel vous vous êtes connecté. Choisissez-en un nouveau pour continuer.",
    current: "Mot de passe actuel",
    new: "Nouveau mot de passe",
    again: "Confirmer le nouveau mot de passe",
    hint: "Au moins 8 caractères. Quelques mots au hasard sont difficiles à deviner et faciles à retenir.",
    endSessions: "Me déconnecter partout ailleurs",
    endApps: "Révoquer l’accès de toutes les applications",
    endAppsHint:
      "Laissez cette case cochée si quelqu’un d’autre connaît peut-être votre mot de passe. Vous pourrez autoriser de nouveau vos applications plus tard.",
    endAppsIf:
      "Cochez cette case si quelqu’un d’autre a peut-être utilisé votre compte. Vous pourrez autoriser de nouveau vos applications plus tard.",
    show: "Afficher",
    hide: "Masquer",
    showLabel: "Afficher le mot de passe",
    hideLabel: "Masquer le mot de passe",
    strength: { short: "Trop court", weak: "Faible : facile à deviner", good: "Bon", strong: "Fort" },
    submit: "Modifier le mot de passe",
    wrong: {
      noCurrent: "Saisissez votre mot de passe actuel.",
      unknown: "Votre mot de passe ne fonctionne plus. Choisissez-en d’abord un nouveau dans « Sécurité ».",
      current: "Ce n’est pas votre mot de passe actuel.",
      missing: "Saisissez un nouveau mot de passe.",
      stale: "Votre connexion date un peu. Déconnectez-vous, reconnectez-vous, puis choisissez un mot de passe.",
      differ: "Ce n’est pas le mot de passe saisi ci-dessus. Saisissez deux fois le même mot de passe.",
      same: "C’est déjà votre mot de passe. Choisissez-en un autre.",
      malformed: "Ce mot de passe contient un caractère qui ne peut pas être utilisé. Choisissez-en un autre.",
      short: "Trop court. Utilisez au moins 8 caractères.",
      long: "Trop long. Utilisez au plus 1 024 octets.",
      name: "Trop facile à deviner, car c’est votre nom. Choisissez-en un autre.",
      common: "Trop courant. Choisissez-en un autre.",
    },
  },

  recover: {
    link: "Mot de passe oublié ?",
    title: "Choisir un nouveau mot de passe",
    intro: "Saisissez votre nom d’utilisateur ou votre adresse e-mail. Nous vous enverrons un lien.",
    login: "Nom d’utilisateur ou adresse e-mail",
    submit: "Envoyer le lien",
    missing: "Saisissez votre nom d’utilisateur ou votre adresse e-mail.",
    stale: "Cette page est restée ouverte trop longtemps, ou votre navigateur bloque les cookies. Réessayez.",
    submitNew: "Enregistrer le mot de passe",
    doneTitle: "Votre mot de passe a été modifié",
  },

  sent: {
    title: "Consultez votre boîte de réception",
    recover:
      "S’il existe un compte avec un mot de passe et une adresse e-mail vérifiée, nous avons envoyé un lien par e-mail. Le lien n’est valable qu’une fois, pendant 15 minutes.",
    signUp: "Nous avons envoyé un message à {email}. Son lien n’est valable qu’une fois, pendant une heure.",
    hint: "Aucun message après quelques minutes ? Vérifiez vos courriers indésirables, ou refaites la demande.",
    recoverHint:
      "Aucun message après quelques minutes ? Vérifiez vos courriers indésirables, ou refaites la demande. Si rien n’arrive, demandez de l’aide aux responsables de {product}.",
    full: "Trop de messages sont en attente, nous n’avons donc pas pu envoyer le vôtre. Réessayez dans quelques minutes.",
    back: "Retour à la connexion",
  },

  link: {
    incomplete: {
      title: "Ce lien est incomplet",
      text: "Une partie de l’adresse manque. Ouvrez de nouveau le lien dans le message, ou copiez l’adresse entière. Rien n’a été modifié.",
    },
    expired: { title: "Ce lien a expiré", text: "Il a expiré {when}. Rien n’a été modifié." },
    used: {
      title: "Ce lien a déjà été utilisé",
      text: "Il ne fonctionne qu’une fois. Rien n’a été modifié cette fois-ci.",
    },
    ended: { title: "Ce lien ne fonctionne plus", text: "Il a déjà été utilisé ou il a expiré. Rien n’a été modifié." },
    overtaken: {
      title: "Ce lien ne fonctionne plus",
      text: "Il a déjà été utilisé, il a expiré, ou une modification de votre compte y a mis fin, par exemple un nouveau mot de passe. Rien n’a été modifié cette fois-ci.",
    },
    usedSignUp: "Il existe déjà un compte avec cette adresse.",
    usedEnter: "Connectez-vous avec ce compte.",
    usedByYou: "Votre compte a été créé avec ce lien.",
    usedByAnother: "Il existe déjà un compte avec cette adresse. Pour l’utiliser, déconnectez-vous d’abord.",
    again: "Demander un nouveau lien",
    anotherBrowserTitle: "Ce lien ne fonctionne pas dans ce navigateur",
    anotherBrowserText:
      "Il ne fonctionne que dans le navigateur que vous utilisez depuis le plus longtemps pour ce compte. Ouvrez le lien dans ce navigateur. Si vous ne l’avez plus, demandez de l’aide aux responsables de {product}. Rien n’a été modifié.",
    takenTitle: "Cette adresse ne peut pas être utilisée",
    takenText: "Un autre compte l’utilise déjà. Rien n’a été modifié.",
    account: "Accéder à votre compte",
  },

  signUp: {
    link: "Créer un compte",
    title: "Créer un compte",
    intro: "Nous vous enverrons un lien pour continuer.",
    email: "Adresse e-mail",
    submit: "Envoyer le lien",
    emailWrong: "Saisissez une adresse e-mail, par exemple nom@example.com.",
    newText: "Votre adresse e-mail est {email}.",
    username: "Nom d’utilisateur",
    usernameHint: "Lettres, chiffres et . _ - sans espaces. Il vous servira à vous connecter.",
    name: "Votre nom",
    nameHint: "C’est ainsi que les autres vous voient. Facultatif.",
    again: "Confirmer le mot de passe",
    create: "Créer le compte",
    usernameWrong:
      "Utilisez seulement des lettres d’un seul alphabet, des chiffres et . _ -, 64 caractères au plus. Commencez par une lettre ou un chiffre.",
    usernameTaken: "Ce nom d’utilisateur est déjà pris. Choisissez-en un autre.",
    nameWrong:
      "Ce nom ne peut pas être utilisé. Utilisez au plus 120 caractères visibles, sur une ligne et dans un seul alphabet.",
  },

  waiting: {
    signInTitle: "Connectez-vous pour rejoindre {company}",
    invitedBy: {
      member: "{person} vous a invité à rejoindre {company} en tant que membre.",
      admin: "{person} vous a invité à rejoindre {company} en tant qu’administrateur.",
    },
    invited: {
      member: "Vous êtes invité à rejoindre {company} en tant que membre.",
      admin: "Vous êtes invité à rejoindre {company} en tant qu’administrateur.",
    },
    promotedBy: "{person} vous invite à devenir administrateur de {company}, dont vous êtes déjà membre.",
    promoted: "Vous êtes invité à devenir administrateur de {company}, dont vous êtes déjà membre.",
    invitedNeedlessly:
      "{person} vous a invité à rejoindre {company}, mais vous en faites déjà partie. Cette invitation ne change rien.",
    invitedOnly: "Utilisez le nom d’utilisateur ou l’adresse e-mail auxquels l’invitation s’adresse.",
    invitedAddress: "Utilisez l’adresse e-mail à laquelle l’invitation s’adresse.",
    onward: {
      app: "Vous pouvez maintenant continuer vers {app}.",
      device: "Vous pouvez maintenant connecter votre appareil s’il affiche encore son code.",
    },
    next: {
      app: "Ensuite, vous continuerez vers {app}.",
      device: "Ensuite, vous pourrez connecter votre appareil s’il affiche encore son code.",
    },
    sent: {
      app: "Ouvrez le lien dans ce navigateur pour continuer vers {app}. Si vous l’ouvrez sur un autre appareil, revenez ensuite à cette page.",
      device:
        "Ouvrez le lien dans ce navigateur pour connecter votre appareil. Si vous l’ouvrez ailleurs, revenez ensuite à cette page. Le code de l’appareil n’est valable que quelques minutes. Vous pouvez en obtenir un nouveau sur l’appareil.",
      invitation:
        "Ouvrez le lien dans ce navigateur pour rejoindre {company}. Si vous l’ouvrez sur un autre appareil, revenez ensuite à cette page.",
    },
    elsewhere: {
      app: "Pour continuer vers {app}, retournez au navigateur où vous avez commencé et connectez-vous-y.",
      device:
        "Si votre appareil affiche encore son code, retournez au navigateur où vous avez commencé et connectez-vous-y pour connecter l’appareil.",
      invitation:
        "Pour rejoindre {company}, retournez au navigateur où vous avez commencé, ou ouvrez de nouveau le lien de l’invitation.",
    },
    elsewhereFirst: {
      app: "Vous avez commencé dans un autre navigateur. Créez votre compte ici. Retournez ensuite au navigateur où vous avez commencé pour continuer vers {app}.",
      device:
        "Vous avez commencé dans un autre navigateur. Créez votre compte ici. Si votre appareil affiche alors encore son code, retournez au navigateur où vous avez commencé pour le connecter.",
      invitation:
        "Vous avez commencé dans un autre navigateur. Créez votre compte ici. Retournez ensuite au navigateur où vous avez commencé pour rejoindre {company}.",
    },
    expired: "La demande de {app} a expiré, car elle a commencé il y a plus d’une heure. Recommencez.",
    expiredFirst: "La demande de {app} a expiré. Créez votre compte, puis recommencez depuis {app}.",
    withdrawn:
      "L’invitation à rejoindre {company} n’est plus valable. Utilisez l’invitation la plus récente ou demandez à un administrateur de {company}.",
    withdrawnFirst:
      "L’invitation à rejoindre {company} n’est plus valable. Vous pouvez quand même créer votre compte. Pour rejoindre {company}, il vous faut une nouvelle invitation.",
    readyTitle: "Votre compte est prêt",
    readyText: "Vous êtes connecté en tant que {person} dans ce navigateur.",
    gone: "Si une application ou une entreprise vous a envoyé ici, retournez-y et recommencez.",
  },

  confirm: {
    verifyTitle: "Est-ce votre adresse e-mail ?",
    verifyText: "{email} est l’adresse du compte {person}. Confirmez seulement si les deux sont à vous.",
    changeTitle: "Modifier votre adresse e-mail ?",
    changeText: "L’adresse du compte {person} deviendra {email}. Confirmez seulement si les deux sont à vous.",
    yes: "Oui, les deux sont à moi",
    doneTitle: "Adresse confirmée",
    doneText: "{email} est maintenant l’adresse vérifiée du compte {person}.",
    undoTitle: "Annuler le changement d’adresse",
    undoSubmit: "Annuler le changement",
    undoneTitle: "Le compte est de nouveau à vous",
    undoneText: "Son adresse est de nouveau {email}. Connectez-vous avec le nouveau mot de passe.",
  },

  profile: {
    title: "Profil",
    intro: "Votre nom, votre adresse et vos données.",
    username: "Nom d’utilisateur",
    name: "Nom",
    nameSave: "Enregistrer",
    nameSaved: "Votre nom a été modifié.",
    picture: "Photo",
    pictureText:
      "Facultatif. Les applications que vous autorisez à voir votre profil peuvent afficher votre photo. Toute personne qui connaît son adresse peut l’ouvrir.",
    pictureFile: "Fichier de la photo",
    pictureHint:
      "PNG, JPEG, WebP ou GIF, 8 Mo au plus. Nous gardons le centre sous la forme d’un petit carré, sans le lieu ni l’heure de la prise de vue.",
    pictureSave: "Envoyer",
    pictureRemove: "Supprimer",
    pictureSaved: "Votre photo a été modifiée.",
    pictureRemoved: "Votre photo a été supprimée.",
    pictureWrong: {
      none: "Choisissez d’abord un fichier.",
      too_large: "Le fichier dépasse 8 Mo. Choisissez-en un plus petit.",
      no_picture: "Le fichier n’est pas une image PNG, JPEG, WebP ou GIF. Choisissez-en un autre.",
      unreadable: "Nous ne pouvons pas lire cette image. Elle est endommagée ou trop grande. Choisissez-en une autre.",
      too_many: "Vous avez envoyé trop de photos. Réessayez dans une heure.",
      busy: "Trop de fichiers arrivent en ce moment. Réessayez dans une minute.",
    },
    about: "À propos de vous",
    aboutText:
      "Toutes ces informations sont facultatives. Les applications que vous autorisez à voir votre profil, votre numéro de téléphone ou votre adresse postale peuvent les lire.",
    detailsSaved: "Vos informations ont été modifiées.",
    details: {
      givenName: "Prénom",
      middleName: "Deuxième prénom",
      familyName: "Nom de famille",
      nickname: "Surnom",
      birthdate: "Date de naissance",
      gender: "Genre",
      locale: "Langue et région",
      zoneinfo: "Fuseau horaire",
      website: "Site web",
      profileUrl: "Page de profil sur un autre site web",
      phoneNumber: "Numéro de téléphone",
      street: "Numéro et rue",
      postalCode: "Code postal",
      locality: "Ville",
      region: "État ou région",
      country: "Pays",
    },
    detailHints: {
      locale: "Par exemple : fr-CA",
      zoneinfo: "Par exemple : Europe/Paris",
      website: "Par exemple : https://ada.example",
      profileUrl: "Par exemple, sur un réseau social",
      phoneNumber: "Avec l’indicatif du pays, par exemple : +33 1 23 45 67 89",
    },
    detailWrong: {
      text: "Utilisez des caractères visibles, sur une seule ligne et dans un seul alphabet, ou un texte plus court.",
      birthdate: "Indiquez une date entre 1800 et aujourd’hui.",
      locale: "Indiquez un code de langue, par exemple : fr-CA",
      zoneinfo: "Indiquez le nom d’un fuseau horaire, par exemple : Europe/Paris",
      website: "Indiquez l’adresse complète, de 500 caractères au plus, par exemple : https://ada.example",
      profileUrl: "Indiquez l’adresse complète, de 500 caractères au plus, par exemple : https://ada.example",
      phoneNumber: "Indiquez le numéro avec l’indicatif du pays, par exemple : +33 1 23 45 67 89",
    },
    email: "Adresse e-mail",
    verified: "Vérifiée",
    unverified: "Non vérifiée",
    unverifiedText:
      "Tant qu’elle n’est pas vérifiée, nous ne pouvons pas vous envoyer de lien si vous oubliez votre mot de passe, et nous n’envoyons aucun message sur les modifications de votre compte.",
    verify: "Envoyer un lien de vérification",
    verifySent: "Nous avons envoyé un message à {email}. Son lien n’est valable qu’une fois, pendant une heure.",
    change: "Modifier",
    newEmail: "Nouvelle adresse e-mail",
    changeSubmit: "Envoyer un lien",
    changeSent:
      "Nous avons envoyé un message à {email}. Ouvrez son lien pour modifier votre adresse. Le lien n’est valable qu’une fois, pendant une heure.",
    changeSame: "C’est déjà votre adresse.",
    tooMany: "Trop de messages ont été demandés. Réessayez dans une heure.",
    data: "Vos données",
    dataText: "Téléchargez tout ce que nous conservons à votre sujet.",
    download: "Télécharger",
    delete: "Supprimer votre compte",
    deleteText: "Votre compte et toutes vos données personnelles seront supprimés.",
    deleteLink: "Supprimer le compte",
    pending: "Votre compte sera supprimé le {when}.",
    keep: "Garder mon compte",
    kept: "Votre compte sera conservé.",
  },

  dataExport: {
    title: "Télécharger vos données",
    text: "Un fichier (JSON) avec tout ce que nous conservons à votre sujet : compte, connexions, applications, entreprises et historique.",
    care: "Gardez-le là où personne d’autre ne peut le lire.",
    back: "Retour au profil",
  },

  deletion: {
    title: "Supprimer votre compte ?",
    text: "Il sera supprimé le {when}. D’ici là, vous pouvez vous connecter et choisir « Garder mon compte ». Ensuite, personne ne pourra le rétablir.",
    now: "Vous êtes immédiatement déconnecté partout ailleurs, et toutes les applications sont déconnectées.",
    notBack: "Il ne revient pas si vous gardez votre compte.",
    later:
      "Ce jour-là, votre compte et toutes vos données personnelles sont supprimés, et d’autres peuvent prendre votre nom d’utilisateur et votre adresse e-mail.",
    stays:
      "Les entreprises gardent l’historique de ce que vous avez fait pour elles, sans votre nom. Les applications gardent les données qu’elles ont déjà.",
    submit: "Supprimer mon compte",
    keep: "Garder mon compte",
    soleAdmin:
      "Vous ne pouvez pas encore supprimer votre compte, car vous êtes le seul administrateur de {companies}. Nommez d’abord un autre administrateur, ou adressez-vous aux responsables de ce service.",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
