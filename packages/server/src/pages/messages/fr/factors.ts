/** French: ways to sign in beside a password, and where one is signed in. */
import type { factors as english } from "../en/factors.ts";
import type { Translation } from "../translation.ts";

export const factors: Translation<typeof english, "one" | "other"> = {
  secondStep: {
    title: "Encore une étape",
    intro: "Saisissez le code que votre application d’authentification affiche pour ce compte.",
    introPasskey: "Confirmez avec une clé d’accès que c’est bien vous.",
    as: "Connexion en tant que {person}",
    code: "Code à 6 chiffres",
    submit: "Continuer",
    lost: "Vous n’avez pas votre application d’authentification ?",
    recovery: "Code de secours",
    recoveryHint: "L’un des codes que vous avez notés. Chacun ne sert qu’une fois.",
    wrong: "Ce code est incorrect ou a déjà servi. Attendez le suivant et saisissez-le.",
    wrongRecovery: "Ce n’est pas l’un de vos codes de secours, ou il a déjà servi.",
    missing: "Saisissez le code.",
    over: "Se connecter avec un autre compte",
  },

  stronger: {
    title: "Une connexion plus sûre est nécessaire",
    intro:
      "{app} demande quelque chose que votre compte ne peut autoriser qu’après une connexion avec plus qu’un mot de passe. Vous n’avez encore rien configuré pour cela.",
    introPasskey:
      "{app} demande quelque chose que votre compte ne peut autoriser qu’après une connexion avec une clé d’accès. Vous n’en avez pas encore ajouté.",
    authenticator: "Configurer une application d’authentification",
    passkey: "Ajouter une clé d’accès",
    deny: "Ne pas autoriser et revenir",
  },

  passkey: {
    use: "Se connecter avec une clé d’accès",
    noScript:
      "Les clés d’accès ont besoin de JavaScript et d’un navigateur qui les connaît. Vous pouvez vous connecter avec votre mot de passe.",
    noScriptSecond:
      "Les clés d’accès ont besoin de JavaScript et d’un navigateur qui les connaît. Activez-le pour cette page, ou utilisez un autre navigateur.",
    failed: "Cette clé d’accès ne peut pas être utilisée ici. Réessayez ou connectez-vous autrement.",
    cancelled: "Rien n’a été envoyé : la clé d’accès n’a pas été utilisée. Réessayez ou connectez-vous autrement.",
  },

  passkeys: {
    title: "Clés d’accès",
    intro:
      "Connectez-vous avec votre empreinte, votre visage ou le verrouillage de l’écran, sans mot de passe. Aucun autre site ne peut s’en emparer.",
    unavailable: "Les clés d’accès ne peuvent pas être utilisées à cette adresse.",
    add: "Ajouter une clé d’accès",
    used: "dernière utilisation {when}",
    unused: "jamais utilisée",
    synced: "Synchronisée par son fournisseur",
    bound: "Sur un seul appareil",
    remove: "Supprimer",
    removeNamed: "Supprimer la clé d’accès {name}",
    name: "Nom",
    nameHint: "Pour la reconnaître, par exemple « Portable du bureau ».",
    addTitle: "Ajouter une clé d’accès",
    addIntro:
      "Votre navigateur va demander où la garder : sur cet appareil, sur un téléphone ou sur une clé de sécurité.",
    addNoScript:
      "Pour ajouter une clé d’accès, activez JavaScript pour cette page, dans un navigateur qui connaît les clés d’accès.",
    doneAdded: "Votre clé d’accès est ajoutée. Vous pouvez désormais vous connecter avec elle.",
    doneRemoved:
      "La clé d’accès est supprimée. Elle ne permet plus de se connecter ; effacez-la aussi sur votre appareil.",
    last: "C’est votre seul moyen de vous connecter. Choisissez d’abord un mot de passe ou ajoutez une autre clé d’accès.",
    wrong: {
      failed: "Cette clé d’accès n’a pas pu être ajoutée. Réessayez.",
      cancelled: "Aucune clé d’accès n’a été créée. Réessayez.",
      taken: "Cette clé d’accès est déjà ajoutée.",
      full: "Vous avez atteint le nombre maximal de clés d’accès. Supprimez-en d’abord une.",
      name: "Donnez-lui un nom de 1 à 60 caractères visibles d’un seul alphabet.",
    },
  },

  identities: {
    title: "Identités d’autres services",
    intro:
      "Ces services peuvent dire à ce serveur qui vous êtes. Les applications dont ils se portent garants agissent alors pour vous sans que vous vous connectiez ici.",
    since: "Liée : {when}",
    remove: "Supprimer",
    removeNamed: "Supprimer l’identité de {issuer}",
    ask: "Supprimer cette identité ?",
    ends: "{issuer} ne pourra plus dire ici qui vous êtes.",
    stays: "Les applications gardent leur accès. Vous pouvez y mettre fin sur la page « Applications ».",
    again:
      "La personne qui gère ce serveur peut lier de nouveau l’identité. Si le service connaît votre adresse e-mail, cela peut aussi se faire automatiquement.",
    doneRemoved: "L’identité a été supprimée.",
    last: "Sans mot de passe ni clé d’accès, vous ne pourriez plus accéder à votre compte. Choisissez d’abord un mot de passe ou ajoutez une clé d’accès.",
  },

  authenticator: {
    title: "Application d’authentification",
    intro: "Après votre mot de passe, vous saisissez un code qu’une application de votre téléphone affiche.",
    off: "Non configurée.",
    earlier:
      "L’application d’authentification que vous aviez avant peut encore confirmer que c’est bien vous si vous récupérez le compte par e-mail. « Supprimer » supprime les deux.",
    setUp: "Configurer",
    replace: "Passer à un autre téléphone",
    remove: "Supprimer",
    setUpTitle: "Configurer une application d’authentification",
    scan: "Scannez ceci avec une application d’authentification. L’application de mots de passe de votre téléphone peut en être une.",
    qr: "Code QR contenant le secret ci-dessous",
    secret: "Ou saisissez ceci :",
    code: "Code à 6 chiffres que l’application affiche maintenant",
    submit: "Activer",
    wrong:
      "Ce code est incorrect. Vérifiez que l’horloge de votre téléphone est juste, puis saisissez le code affiché maintenant.",
    expired: "Cette page est restée ouverte trop longtemps. Voici un nouveau code à scanner.",
    doneRemoved:
      "L’application d’authentification est supprimée. Désormais, votre mot de passe suffit pour vous connecter.",
  },

  recovery: {
    title: "Codes de secours",
    left: { one: "{count} code restant", other: "{count} codes restants" },
    none: "Plus aucun code. Créez-en de nouveaux avant d’en avoir besoin.",
    renew: "Créer de nouveaux codes",
    newTitle: "Vos codes de secours",
    newIntro:
      "Chacun vous connecte une fois, à la place d’un code de l’application. Imprimez-les ou notez-les, et gardez-les avec vos papiers importants : ils ne sont affichés que cette fois.",
    newOld: "Les codes que vous aviez avant ne fonctionnent plus.",
    download: "Enregistrer dans un fichier",
    go: "Je les ai conservés",
  },

  sessions: {
    title: "Où vous êtes connecté",
    intro: "Se déconnecter ne met fin à rien de ce que vous avez autorisé aux applications : voyez {apps}.",
    apps: "Vos applications",
    here: "Ce navigateur",
    device: "{browser} sur {system}",
    unknown: "Navigateur inconnu",
    from: "depuis {place}",
    since: "Connecté {when}",
    seen: "dernière activité {when}",
    end: "Déconnecter",
    endNamed: "Déconnecter {device}, dernière activité {when}",
    endOthers: "Déconnecter partout ailleurs",
    endAll: "Déconnecter partout",
    doneOne: "Ce navigateur est déconnecté.",
    doneOthers: "Vous êtes déconnecté partout ailleurs. Les applications gardent l’accès que vous leur avez autorisé.",
  },
};
