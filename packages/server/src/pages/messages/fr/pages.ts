/** French: what all pages share, signing in and out, devices, and what went wrong. */
import type { pages as english } from "../en/pages.ts";
import type { Translation } from "../translation.ts";

export const pages = {
  documentTitle: "{title} · {product}",
  errorTitle: "Erreur : {title}",
  skip: "Aller au contenu",
  home: "{product}, vos applications",
  newTab: "(s’ouvre dans un nouvel onglet)",
  languages: { label: "Langue", choose: "Langue de ces pages" },

  signIn: {
    title: "Connexion",
    titleFor: "Connectez-vous pour continuer vers {app}",
    introAlone: "Consultez les applications qui utilisent votre compte et décidez de ce qu’elles peuvent faire.",
    introFor: "Votre mot de passe reste ici. L’application ne le voit pas.",
    titleAgain: "Connectez-vous à nouveau",
    introAgain:
      "Vous êtes connecté en tant que {person}. Saisissez encore une fois votre mot de passe, pour que nous sachions que c’est bien vous.",
    chooseFor: "Choisissez un compte pour {app}",
    chooseIntro:
      "Vous êtes connecté en tant que {person}. Pour continuer en tant que {person}, saisissez votre mot de passe ; pour un autre compte, saisissez son nom et son mot de passe.",
    username: "Nom d’utilisateur ou adresse e-mail",
    password: "Mot de passe",
    submit: "Se connecter",
    wrong:
      "Le nom d’utilisateur ou l’adresse e-mail ne correspond pas au mot de passe. Vérifiez les deux et réessayez.",
    missing: "Saisissez votre nom d’utilisateur ou votre adresse e-mail, et votre mot de passe.",
    missingPassword: "Saisissez votre mot de passe.",
    throttled: {
      one: "Trop de tentatives à la suite. Attendez une minute, puis réessayez.",
      other: "Trop de tentatives à la suite. Attendez {count} minutes, puis réessayez.",
    },
    stale:
      "Cette page est restée ouverte trop longtemps, ou votre navigateur refuse les cookies. Connectez-vous à nouveau.",
  },

  signOut: {
    button: "Se déconnecter",
    title: "Voulez-vous vous déconnecter ?",
    text: "Vous êtes connecté en tant que {person}. Les applications que vous avez autorisées gardent leur accès.",
    stay: "Rester connecté",
    doneTitle: "Vous êtes déconnecté",
    doneText: "Dans ce navigateur, personne ne peut plus voir ni modifier votre compte.",
    again: "Se reconnecter",
  },

  device: {
    title: "Connecter un appareil",
    intro: "Saisissez le code que votre appareil affiche.",
    compare:
      "L’appareil devant vous affiche-t-il ce code ? Alors continuez. Si quelqu’un vous a envoyé le lien, fermez cette page.",
    code: "Code",
    hint: "8 lettres. Majuscules, tirets et espaces n’ont pas d’importance.",
    submit: "Continuer",
    unknown:
      "Aucun appareil n’attend avec ce code. Vérifiez les lettres, ou demandez à l’appareil d’afficher un nouveau code.",
    missing: "Saisissez le code.",
    throttled: {
      one: "Trop de codes erronés. Attendez une minute, puis réessayez.",
      other: "Trop de codes erronés. Attendez {count} minutes, puis réessayez.",
    },
    stale:
      "Cette page est restée ouverte trop longtemps, ou votre navigateur refuse les cookies. Saisissez le code encore une fois.",
    signIn: "Connectez-vous pour relier votre appareil",
    signInIntro: "Votre mot de passe reste ici. L’appareil ne le voit pas.",
    itsCode: "Code sur l’appareil",
    itsAddress: "Adresse de l’appareil",
    fromHere: "{address} (votre réseau)",
    fromElsewhere: "{address} (pas votre réseau)",
    fromUnknown: "Inconnue",
    when: "Demande faite",
    warning: "N’autorisez que si vous êtes à l’origine de cette demande et que l’appareil devant vous affiche ce code.",
    next: "L’appareil continue de lui-même.",
    elsewhereTitle: "Est-ce votre appareil ?",
    elsewhereText:
      "{app} a fait sa demande depuis un autre réseau que le vôtre. Cela peut être normal, si votre téléphone n’est pas sur le même Wi-Fi que l’appareil. Mais si quelqu’un vous a envoyé ce lien, il veut peut-être que son appareil utilise votre compte.",
    elsewhereYes: "Oui, c’est bien moi",
    elsewhereNo: "Non, refuser",
    allowedTitle: "{app} est connectée",
    allowedText: "Retournez à votre appareil : il continue dans quelques secondes. Vous pouvez fermer cette page.",
    deniedTitle: "{app} a été refusée",
    deniedText: "L’appareil ne peut pas utiliser votre compte. Vous pouvez fermer cette page.",
    nothingText:
      "Votre compte n’a pas le droit d’autoriser ce que l’appareil demandait. Rien n’a été transmis. Vous pouvez fermer cette page.",
    apps: "Voir vos applications",
  },

  heldError: {
    title: "{app} vous a envoyé ici par erreur",
    wrong: "L’application s’est trompée dans sa demande. Rien n’a été transmis.",
    denied: "L’application ne peut pas obtenir ce qu’elle a demandé. Rien n’a été transmis.",
    leads:
      "« Continuer » mène à {host} et indique à l’application ce qui n’a pas fonctionné. N’y allez que si vous faites confiance à cette adresse.",
    submit: "Continuer",
  },

  formPost: {
    title: "Retour à l’application",
    text: "Votre réponse va à {host}. Si rien ne se passe, appuyez sur le bouton.",
    submit: "Continuer",
  },

  problems: {
    apps: "Voir vos applications",
    startAgain: "Recommencer",
    other: {
      title: "Cette demande ne peut pas aboutir",
      text: "L’application a fait une erreur dans sa demande. Rien n’a été transmis. Retournez à l’application, et signalez-le à son éditeur si cela se reproduit.",
    },
    clientUnknown: {
      title: "Cette application n’est pas connue ici",
      text: "Le lien qui vous a amené ici nomme une application qui n’est pas enregistrée. Rien n’a été transmis. Retournez à l’application, et signalez-le à son éditeur si cela se reproduit.",
    },
    redirectUri: {
      title: "Le lien de cette application n’est pas sûr",
      text: "L’application a demandé de vous envoyer à une adresse qu’elle n’a pas enregistrée ; nous nous sommes donc arrêtés ici. Rien n’a été transmis. Signalez-le à l’éditeur de l’application.",
    },
    notFound: {
      title: "Il n’y a rien ici",
      text: "L’adresse est peut-être mal écrite, ou la page a été déplacée.",
    },
    invitation: {
      title: "Cette invitation n’est plus valable",
      text: "Elle a peut-être été utilisée, retirée, ou date de plus de sept jours. Demandez-en une nouvelle à un administrateur de l’entreprise.",
    },
    method: {
      title: "Cela ne fonctionne pas ainsi",
      text: "Cette adresse n’accepte pas ce type de demande.",
    },
    form: {
      title: "Ce formulaire n’est plus valable",
      text: "Il est resté ouvert trop longtemps, ou venait d’un autre navigateur. Rien n’a été modifié. Rechargez la page et recommencez.",
    },
    foreignForm: {
      title: "Ce formulaire venait d’un autre site",
      text: "Rien n’a été modifié. Si vous vouliez faire cela, ouvrez la page ici et envoyez de nouveau le formulaire.",
    },
    cutOff: {
      title: "Recommencez depuis l’application",
      text: "Cette page appartient à une connexion commencée dans un autre navigateur, ou le lien est incomplet. Rien n’a été transmis.",
    },
    expired: {
      title: "Cette page est restée ouverte trop longtemps",
      text: "La connexion a été commencée il y a plus d’une heure et n’est plus valable. Rien n’a été transmis. Recommencez.",
    },
    finished: {
      title: "Vous avez déjà répondu",
      text: "Retournez à l’application : elle a votre réponse. Vous pouvez changer ce qu’elle peut faire sur la page de vos applications.",
    },
    tooMuch: {
      title: "C’était trop à la fois",
      text: "Ce qui a été envoyé est plus long que ce que cette page accepte. Rien n’a été modifié.",
    },
    unavailable: {
      title: "Nous ne pouvons pas répondre pour l’instant",
      text: "Quelque chose derrière cette page ne répond pas. Cela devrait passer : attendez un moment et rechargez la page.",
    },
    fault: {
      title: "Une erreur s’est produite de notre côté",
      text: "C’est notre faute, pas la vôtre. Réessayez ; si cela se reproduit, indiquez le numéro ci-dessous à la personne qui gère ce service.",
    },
  },

  problem: {
    forDevelopers: "Pour les développeurs de l’application",
    reference: "Référence",
  },

  time: {
    now: "à l’instant",
    soon: "dans un instant",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
