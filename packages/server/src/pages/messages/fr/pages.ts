/** French: texts of all pages, sign-in and sign-out, devices, and errors. */
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
    introAlone: "Consultez les applications qui ont accès à votre compte et gérez-les.",
    introFor: "Votre mot de passe reste ici. L’application ne le voit jamais.",
    titleAgain: "Connectez-vous de nouveau",
    introAgain:
      "Vous êtes connecté en tant que {person}. Saisissez de nouveau votre mot de passe pour confirmer que c’est bien vous.",
    introOther:
      "Vous êtes connecté en tant que {person}, mais cette application demande un autre compte. Connectez-vous avec celui-là.",
    chooseFor: "Choisissez un compte pour {app}",
    stays: "Vous restez connecté en tant que {person} jusqu’à votre connexion avec un autre compte.",
    stay: "Revenir",
    chooseIntro:
      "Vous êtes connecté en tant que {person}. Pour continuer avec ce compte, saisissez votre mot de passe. Pour utiliser un autre compte, saisissez son nom d’utilisateur et son mot de passe.",
    username: "Nom d’utilisateur ou adresse e-mail",
    password: "Mot de passe",
    submit: "Se connecter",
    wrong: "Le nom d’utilisateur, l’adresse e-mail ou le mot de passe est incorrect. Vérifiez-les et réessayez.",
    missing: "Saisissez votre nom d’utilisateur ou votre adresse e-mail, et votre mot de passe.",
    missingPassword: "Saisissez votre mot de passe.",
    throttled: {
      one: "Trop de tentatives. Attendez une minute, puis réessayez.",
      other: "Trop de tentatives. Attendez {count} minutes, puis réessayez.",
    },
    stale:
      "Cette page est restée ouverte trop longtemps, ou votre navigateur bloque les cookies. Connectez-vous de nouveau.",
  },

  signOut: {
    button: "Se déconnecter",
    title: "Se déconnecter ?",
    text: "Vous êtes connecté en tant que {person} dans ce navigateur. Les applications que vous avez autorisées gardent leur accès.",
    asked:
      "Une application demande à vous déconnecter dans ce navigateur. Les applications que vous avez autorisées gardent leur accès.",
    plain: "Vous serez déconnecté dans ce navigateur. Les applications que vous avez autorisées gardent leur accès.",
    leads: "Vous serez ensuite dirigé vers {host}.",
    stay: "Rester connecté",
    doneTitle: "Vous êtes déconnecté",
    doneText: "Personne ne peut voir ni modifier votre compte dans ce navigateur.",
    doneElsewhere:
      "Vous êtes peut-être encore connecté chez {provider}. Dans ce cas, toute personne qui utilise ce navigateur peut se connecter ici sans mot de passe. Déconnectez-vous aussi là-bas.",
    doneApps: "Les applications que vous avez autorisées gardent leur accès.",
    again: "Se reconnecter",
  },

  device: {
    title: "Connecter un appareil",
    intro: "Saisissez le code affiché sur votre appareil.",
    compare:
      "Continuez seulement si l’appareil devant vous affiche ce code. Si quelqu’un vous a envoyé le lien, fermez cette page.",
    code: "Code",
    hint: "8 lettres. Les majuscules, les tirets et les espaces n’ont pas d’importance.",
    submit: "Continuer",
    unknown:
      "Aucun appareil n’attend avec ce code. Une lettre est peut-être fausse, ou l’appareil est déjà connecté, ou le code a expiré. Vérifiez le code, ou demandez-en un nouveau sur l’appareil.",
    missing: "Saisissez le code.",
    throttled: {
      one: "Trop de codes incorrects. Attendez une minute, puis réessayez.",
      other: "Trop de codes incorrects. Attendez {count} minutes, puis réessayez.",
    },
    stale:
      "Cette page est restée ouverte trop longtemps, ou votre navigateur bloque les cookies. Saisissez de nouveau le code.",
    signIn: "Connectez-vous pour connecter votre appareil",
    signInIntro: "Votre mot de passe reste ici. L’appareil ne le voit jamais.",
    itsCode: "Code sur l’appareil",
    itsAddress: "Adresse de l’appareil",
    fromHere: "{address} (votre réseau)",
    fromElsewhere: "{address} (pas votre réseau)",
    fromUnknown: "Inconnue",
    when: "Demandé",
    warning:
      "Quelqu’un vous a appelé ou écrit à ce sujet ? Choisissez « {refuse} ». N’autorisez que si vous avez vous-même commencé et que l’appareil devant vous affiche ce code. Si vous autorisez, la personne qui a l’appareil peut utiliser votre compte comme vous l’autorisez ici.",
    next: "Votre appareil continue tout seul.",
    elsewhereTitle: "Est-ce votre appareil ?",
    elsewhereText:
      "La demande de {app} vient d’un autre réseau que le vôtre. Cela peut être normal, par exemple si votre téléphone n’est pas sur le même Wi-Fi que l’appareil.",
    elsewhereYes: "Oui, le mien",
    elsewhereNo: "Non, refuser",
    allowedTitle: "{app} est connectée",
    allowedText: "Retournez à votre appareil. Il continue dans quelques secondes. Vous pouvez fermer cette page.",
    allowedBefore:
      "Retournez à votre appareil. Il continue dans quelques secondes avec ce que vous avez coché, sans rien de nouveau. Vous pouvez fermer cette page.",
    deniedTitle: "{app} n’a pas été connectée",
    deniedText: "L’appareil ne peut pas utiliser votre compte. Vous pouvez fermer cette page.",
    deniedKeepsTitle: "Rien n’a changé pour {app}",
    deniedKeeps:
      "L’application garde l’accès que vous avez autorisé auparavant. Pour y mettre fin, révoquez l’application dans vos applications. Vous pouvez fermer cette page.",
    deniedKeepsFor:
      "Si l’application a déjà accès pour {company}, elle le garde. Vous pouvez y mettre fin sur la page de l’entreprise. Vous pouvez fermer cette page.",
    nothingText:
      "Votre compte n’est pas autorisé à accorder ce que l’appareil a demandé. Rien n’a été transmis. Vous pouvez fermer cette page.",
    apps: "Voir vos applications",
  },

  heldError: {
    title: "La demande de {app} contient une erreur",
    wrong: "L’application a fait une erreur dans sa demande. Rien n’a été transmis.",
    denied: "L’application ne peut pas obtenir ce qu’elle a demandé. Rien n’a été transmis.",
    leads:
      "« Continuer » vous mène à {host} et indique l’erreur à l’application. Continuez seulement si vous faites confiance à cette adresse.",
    submit: "Continuer",
  },

  formPost: {
    title: "Retour à l’application",
    text: "Votre réponse est envoyée à {host}. Si rien ne se passe, choisissez « Continuer ».",
    submit: "Continuer",
  },

  problems: {
    apps: "Voir vos applications",
    startAgain: "Recommencer",
    other: {
      title: "Cette demande ne peut pas aboutir",
      text: "L’application a fait une erreur dans sa demande. Rien n’a été transmis. Retournez à l’application. Si cela se reproduit, signalez-le au développeur de l’application.",
    },
    clientUnknown: {
      title: "Cette application ne peut pas être utilisée ici",
      text: "Le lien qui vous a amené ici nomme une application qui n’est pas enregistrée, ou que le responsable de ce service a désactivée. Rien n’a été transmis. Retournez à l’application. Si cela se reproduit, signalez-le au développeur de l’application.",
    },
    redirectUri: {
      title: "Le lien de cette application n’est pas sûr",
      text: "L’application a demandé de vous envoyer à une adresse qu’elle n’a pas enregistrée, nous nous sommes donc arrêtés. Rien n’a été transmis. Signalez-le au développeur de l’application.",
    },
    notFound: {
      title: "Page introuvable",
      text: "L’adresse est peut-être incorrecte, ou la page a été déplacée.",
    },
    invitation: {
      title: "Cette invitation n’est plus valable",
      text: "Elle a été utilisée ou retirée, ou elle a expiré. Demandez-en une nouvelle à un administrateur de l’entreprise.",
    },
    method: {
      title: "Cette page ne peut pas faire cela",
      text: "Cette adresse n’accepte pas ce type de demande.",
    },
    form: {
      title: "Ce formulaire a expiré",
      text: "Il a déjà été envoyé, est resté ouvert trop longtemps, ou venait d’un autre navigateur. Cette fois, rien n’a été modifié. Vérifiez si c’est déjà fait. Sinon, rouvrez la page et envoyez-le de nouveau.",
      codes:
        "Il a déjà été envoyé ou est resté ouvert trop longtemps. Cette fois, rien n’a été modifié. Les codes de secours ne s’affichent qu’une fois. Si vous n’avez pas enregistré les vôtres, créez-en de nouveaux dans « Sécurité ».",
    },
    foreignForm: {
      title: "Ce formulaire venait d’un autre site",
      text: "Rien n’a été modifié. Si vous vouliez faire cela, ouvrez la page ici et envoyez de nouveau le formulaire.",
    },
    signInRefused: {
      title: "Vous ne pouvez pas vous connecter ainsi",
      text: "Votre connexion était correcte, mais une règle de ce service ne l’autorise pas pour le moment. Connectez-vous depuis un autre endroit ou d’une autre manière, ou demandez à la personne qui gère ce service.",
    },
    signInTooWeak: {
      title: "Cette connexion demande une seconde étape",
      text: "Une règle de ce service demande une connexion plus forte, et votre compte n’a pas de seconde étape assez forte. Connectez-vous avec une clé d’accès si vous en avez une, ou demandez à la personne qui gère ce service.",
    },
    signInUnchecked: {
      title: "Votre connexion n’a pas pu être vérifiée",
      text: "Le service n’a pas pu consulter l’une de ses règles ; vous n’êtes donc pas connecté. Votre compte n’a aucun problème. Réessayez dans une minute.",
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
      text: "L’application a votre réponse. Retournez-y pour continuer. Vous pouvez modifier ce qu’elle peut faire dans vos applications.",
    },
    tooMuch: {
      title: "C’était trop long",
      text: "Vous avez envoyé plus que ce que cette page accepte. Rien n’a été modifié.",
    },
    unavailable: {
      title: "Ce service n’est pas disponible pour l’instant",
      text: "Une partie du service ne répond pas. Attendez un moment, puis rechargez la page.",
    },
    fault: {
      title: "Une erreur s’est produite",
      text: "L’erreur vient de nous, pas de vous. Réessayez. Si cela se reproduit, contactez les responsables de ce service et donnez-leur le numéro ci-dessous.",
    },
  },

  /** Why an invitation is not valid. */
  invitationEnds: {
    incomplete: {
      title: "Le lien de cette invitation est incomplet",
      text: "Une partie de l’adresse manque. Ouvrez de nouveau le lien dans le message, ou copiez l’adresse entière.",
    },
    expired: {
      title: "Cette invitation a expiré",
      text: "Une invitation est valable sept jours. Demandez-en une nouvelle à un administrateur de l’entreprise.",
    },
    withdrawn: {
      title: "Cette invitation a été retirée",
      text: "Un administrateur l’a retirée ou en a envoyé une plus récente. Utilisez le message le plus récent, ou demandez à un administrateur de l’entreprise.",
    },
    used: {
      title: "Cette invitation a déjà été utilisée",
      text: "Si c’est vous qui l’avez utilisée, connectez-vous pour voir vos entreprises. Sinon, demandez à un administrateur de l’entreprise.",
    },
    usedByOther: {
      title: "Cette invitation a déjà été utilisée",
      text: "Un autre compte l’a utilisée. Si ce compte est le vôtre, connectez-vous avec lui. Sinon, demandez à un administrateur de l’entreprise.",
    },
    left: {
      title: "Cette invitation a déjà été utilisée",
      text: "C’est vous qui l’avez utilisée, mais vous ne faites plus partie de l’entreprise. Pour revenir, demandez une nouvelle invitation à un administrateur de l’entreprise.",
    },
    joined: {
      title: "Cette invitation a déjà été utilisée",
      text: "C’est vous qui l’avez utilisée. Vous trouvez l’entreprise parmi vos entreprises.",
    },
  },

  problem: {
    forDevelopers: "Pour le développeur de l’application",
    reference: "Référence",
  },

  time: {
    now: "à l’instant",
    soon: "dans un instant",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
