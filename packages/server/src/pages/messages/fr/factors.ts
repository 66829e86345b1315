/** French: passkeys, authenticator apps, recovery codes, other identities and sessions. */
import type { factors as english } from "../en/factors.ts";
import type { Translation } from "../translation.ts";

export const factors: Translation<typeof english, "one" | "other"> = {
  secondStep: {
    title: "Encore une étape",
    intro: "Saisissez le code affiché par votre application d’authentification pour ce compte.",
    introPasskey: "Utilisez une clé d’accès pour confirmer que c’est bien vous.",
    as: "Connexion en tant que {person}",
    code: "Code à 6 chiffres",
    submit: "Continuer",
    lost: "Vous n’avez pas votre application d’authentification ?",
    recovery: "Code de secours",
    recoveryHint: "L’un des codes que vous avez enregistrés. Chacun ne fonctionne qu’une fois.",
    wrong: "Ce code est incorrect ou a déjà été utilisé. Attendez le code suivant et saisissez-le.",
    wrongRecovery: "Ce n’est pas l’un de vos codes de secours, ou il a déjà été utilisé.",
    untrustedRecovery:
      "Ce code a été créé ou rétabli dans un navigateur qui était nouveau pour votre compte. Il ne peut donc pas confirmer ici que c’est bien vous. Utilisez un code de secours plus ancien ou votre application d’authentification.",
    untrustedPasskey:
      "Cette clé d’accès a été ajoutée dans un navigateur qui était nouveau pour votre compte. Elle ne peut donc pas confirmer ici que c’est bien vous. Utilisez une autre clé d’accès. Vous pouvez toujours vous connecter avec celle-ci.",
    missing: "Saisissez le code.",
    over: "Utiliser un autre compte",
  },

  stronger: {
    title: "Une connexion plus sécurisée est nécessaire",
    intro: "{app} demande un accès qui exige une deuxième étape à la connexion. Vous ne l’avez pas encore configurée.",
    introPasskey:
      "{app} demande un accès qui exige une connexion avec une clé d’accès. Vous n’en avez pas encore ajouté.",
    elsewhere: "Vous pouvez aussi vous connecter avec un service qui vous demande une deuxième étape :",
    authenticator: "Configurer une application d’authentification",
    passkey: "Ajouter une clé d’accès",
    deny: "Ne pas autoriser et revenir",
  },

  passkey: {
    use: "Se connecter avec une clé d’accès",
    noScript:
      "Les clés d’accès nécessitent JavaScript et un navigateur compatible. Vous pouvez vous connecter avec votre mot de passe.",
    noScriptSecond:
      "Les clés d’accès nécessitent JavaScript et un navigateur compatible. Activez JavaScript pour cette page, ou utilisez un autre navigateur.",
    failed: "Cette clé d’accès ne peut pas être utilisée ici. Réessayez ou connectez-vous autrement.",
    cancelled: "La clé d’accès n’a pas été utilisée. Réessayez ou connectez-vous autrement.",
  },

  passkeys: {
    title: "Clés d’accès",
    intro:
      "Connectez-vous avec votre empreinte, votre visage ou le verrouillage de l’écran au lieu d’un mot de passe. Aucun autre site ne peut utiliser votre clé d’accès.",
    unavailable: "Les clés d’accès ne peuvent pas être utilisées à cette adresse.",
    add: "Ajouter une clé d’accès",
    used: "dernière utilisation : {when}",
    unused: "jamais utilisée",
    synced: "Synchronisée par son fournisseur",
    bound: "Sur un seul appareil",
    remove: "Supprimer",
    removeNamed: "Supprimer la clé d’accès {name}",
    ask: "Supprimer cette clé d’accès ?",
    ends: "Vous ne pourrez plus vous connecter avec « {name} ».",
    name: "Nom",
    nameHint: "Par exemple « Portable du bureau ».",
    addTitle: "Ajouter une clé d’accès",
    addIntro:
      "Votre navigateur vous demandera où l’enregistrer : sur cet appareil, sur un téléphone ou sur une clé de sécurité.",
    addNoScript: "Pour ajouter une clé d’accès, activez JavaScript pour cette page dans un navigateur compatible.",
    doneAdded: "Votre clé d’accès a été ajoutée. Vous pouvez maintenant vous connecter avec elle.",
    doneRemoved: "La clé d’accès a été supprimée et ne fonctionne plus. Supprimez-la aussi sur votre appareil.",
    last: "C’est votre seul moyen de vous connecter. Choisissez d’abord un mot de passe ou ajoutez une autre clé d’accès.",
    wrong: {
      failed: "Cette clé d’accès n’a pas pu être ajoutée. Réessayez.",
      cancelled: "Aucune clé d’accès n’a été créée. Réessayez.",
      taken: "Vous avez déjà ajouté cette clé d’accès.",
      full: "Vous avez le nombre maximal de clés d’accès. Supprimez-en d’abord une.",
      name: "Saisissez un nom de 1 à 60 caractères visibles d’un seul alphabet.",
    },
  },

  identities: {
    title: "Identités d’autres services",
    intro:
      "Ces services peuvent confirmer qui vous êtes. Les applications dont ils se portent garants peuvent alors agir pour vous sans que vous vous connectiez ici.",
    since: "Liée : {when}",
    remove: "Supprimer",
    removeNamed: "Supprimer l’identité de {issuer}",
    ask: "Supprimer cette identité ?",
    ends: "{issuer} ne pourra plus confirmer ici qui vous êtes.",
    stays: "Les applications gardent leur accès. Vous pouvez le révoquer dans « Applications ».",
    again:
      "Les responsables de ce service peuvent lier de nouveau l’identité. Si l’autre service connaît votre adresse e-mail, elle peut aussi être liée automatiquement.",
    doneRemoved: "L’identité a été supprimée.",
    last: "Sans mot de passe ni clé d’accès, vous ne pourriez plus vous connecter. Choisissez d’abord un mot de passe ou ajoutez une clé d’accès.",
  },

  authenticator: {
    title: "Application d’authentification",
    intro: "Après votre mot de passe, vous saisissez un code d’une application de votre téléphone.",
    off: "Non configurée.",
    earlier:
      "Votre application d’authentification précédente peut encore confirmer que c’est bien vous quand vous récupérez le compte par e-mail. « Supprimer » supprime les deux.",
    setUp: "Configurer",
    replace: "Passer à un autre téléphone",
    remove: "Supprimer",
    ask: "Supprimer l’application d’authentification ?",
    ends: "Ensuite, aucun code ne sera plus demandé à la connexion. Vos codes de secours ne fonctionneront plus non plus.",
    setUpTitle: "Configurer une application d’authentification",
    scan: "Scannez ceci avec une application d’authentification. L’application de mots de passe de votre téléphone en est peut-être une.",
    qr: "Code QR avec la clé ci-dessous",
    open: "Ouvrir dans une application d’authentification",
    secret: "Ou saisissez cette clé :",
    code: "Code à 6 chiffres de l’application",
    submit: "Activer",
    wrong: "Ce code est incorrect. Vérifiez que l’heure de votre téléphone est juste, puis saisissez le code actuel.",
    expired: "Cette page est restée ouverte trop longtemps. Voici un nouveau code à scanner.",
    doneRemoved:
      "L’application d’authentification a été supprimée. Aucun code ne vous est plus demandé après votre mot de passe.",
  },

  recovery: {
    title: "Codes de secours",
    left: { one: "{count} code restant", other: "{count} codes restants" },
    none: "Plus aucun code. Créez-en de nouveaux avant d’en avoir besoin.",
    renew: "Créer de nouveaux codes",
    newer:
      "Cette fois, rien n’a été modifié. Vos codes de secours les plus récents restent valables, mais ils ne s’affichent qu’une fois. Si vous ne les avez pas enregistrés, créez-en de nouveaux.",
    newTitle: "Vos codes de secours",
    newIntro:
      "Chaque code vous connecte une fois, à la place d’un code de l’application. Imprimez-les ou notez-les, et gardez-les en lieu sûr. Ils ne sont affichés qu’une fois.",
    newOld: "Vos anciens codes ne fonctionnent plus.",
    newOldKept:
      "Vos anciens codes ne permettent plus de vous connecter. Gardez-les : ils confirment toujours que c’est bien vous quand vous récupérez le compte par e-mail.",
    untrusted:
      "Les codes créés ou rétablis dans un navigateur nouveau pour votre compte ne peuvent pas confirmer que c’est bien vous quand vous récupérez le compte par e-mail. Créez de nouveaux codes quand vous aurez utilisé un navigateur pendant 7 jours.",
    download: "Enregistrer dans un fichier",
    go: "Je les ai enregistrés",
  },

  sessions: {
    title: "Où vous êtes connecté",
    intro:
      "Se déconnecter ne change rien à ce que les applications peuvent faire. Pour modifier cela, accédez à {apps}.",
    apps: "Vos applications",
    here: "Ce navigateur",
    device: "{browser} sur {system}",
    unknown: "Navigateur inconnu",
    from: "Depuis {place}",
    since: "Connecté {when}",
    seen: "dernière activité : {when}",
    end: "Déconnecter",
    endNamed: "Déconnecter {device}, dernière activité : {when}",
    endOthers: "Déconnecter partout ailleurs",
    endAll: "Déconnecter partout",
    doneOne: "L’autre navigateur a été déconnecté.",
    doneOthers: "Vous êtes déconnecté partout ailleurs. Les applications gardent leur accès.",
  },
};
