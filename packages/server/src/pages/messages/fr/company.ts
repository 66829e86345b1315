/** French: companies, on whose behalf people answer, and their pages. */
import type { company as english } from "../en/company.ts";
import type { Translation } from "../translation.ts";

export const company = {
  forWhom: {
    label: "Pour qui",
    self: "Vous : {person}",
    asks: "{company} (un administrateur doit approuver)",
    blocked: "{company} (n’accepte pas cette application)",
    blockedNote: "{company} n’accepte pas cette application.",
    adminsOnly: "{company} (réservé aux administrateurs)",
    adminsNote: "Seuls les administrateurs peuvent choisir {company} pour cette application.",
    adminsKeeps: "L’application garde l’accès que vous lui avez donné pour {company}.",
    pausedNote: "Un admin de {company} a mis cette application en pause. Seul un administrateur peut la réactiver.",
    last: "La dernière fois, vous avez choisi {owner}.",
    lastSelf: "La dernière fois, vous avez répondu pour vous-même.",
    hint: "Ce que vous autorisez pour une entreprise appartient à l’entreprise. Ses administrateurs le voient et peuvent le retirer.",
    endsBy:
      "{company} autorise cette application jusqu’au {when}. Même si vous choisissez plus longtemps, l’accès pour {company} prend fin à ce moment-là.",
    standsUntil:
      "Vous en avez déjà autorisé une partie pour {company}, au plus tard jusqu’au {when}. Si vous continuez, cette page montre d’abord cette partie, et vous pouvez y modifier sa fin.",
    stopped:
      "Vous avez arrêté cette application pour {company}. Si vous l’autorisez maintenant pour {company}, elle pourra de nouveau y agir pour vous.",
    ownOnly:
      "Les autorisations et la durée que vous choisissez pour {company} ne valent que pour vous. Pour décider pour les autres membres, utilisez les pages de l’entreprise.",
    later: {
      one: "{company} a aussi approuvé 1 autre autorisation. {app} peut l’obtenir plus tard sans vous demander.",
      other:
        "{company} a aussi approuvé {count} autres autorisations. {app} peut les obtenir plus tard sans vous demander.",
    },
    howLong:
      "Un administrateur de {company} décide s’il l’autorise, et pour combien de temps. Avant cela, l’application n’y obtient rien de nouveau.",
    leaveOut:
      "{company} n’a pas approuvé ces autorisations. Ne les cochez pas, sinon « {allow} » mène à une demande à un administrateur :",
    needed:
      "{company} a approuvé cette application, mais pas ces autorisations. Un administrateur doit les approuver :",
    wrong: "Vous ne pouvez pas répondre pour ce propriétaire. Choisissez dans la liste.",
    gone: "Vous ne pouvez plus répondre pour l’entreprise que vous avez choisie. Rien n’a été envoyé. Cette page porte maintenant sur votre propre compte.",
    wrongPaused:
      "Un admin de {company} a mis cette application en pause. Demandez à un administrateur de la réactiver, ou choisissez quelqu’un d’autre dans la liste.",
    askButton: "Demander à un admin",
    eitherButton: "Autoriser, ou demander à un admin",
  },

  askAdmin: {
    title: "Demander à un administrateur de {company}",
    text: "Avant que {app} puisse agir au nom de {company}, un administrateur doit l’approuver. L’application pourrait :",
    textKeeps:
      "{app} garde l’accès que vous avez autorisé pour {company}. Avant que l’application obtienne un nouvel accès, un administrateur doit l’approuver. L’application pourrait :",
    textMore:
      "{company} a approuvé {app} pour d’autres autorisations. Avant que l’application puisse aussi faire ceci, un administrateur doit l’approuver :",
    approved: "Déjà approuvé :",
    replaces: "Cette demande remplace votre demande ouverte pour {app}.",
    dropped: "Vous ne demandez alors plus ces autorisations :",
    droppedAt: "Vous ne demandez alors plus ces autorisations pour cette adresse :",
    goOn: "Continuer avec ce qui est approuvé",
    reason: "Pourquoi en avez-vous besoin ?",
    hint: "Les administrateurs voient ce texte, votre nom et la liste ci-dessus. {count} caractères au plus.",
    wrong: "Écrivez pourquoi vous avez besoin de l’application, en {count} caractères au plus.",
    tooMany: "Beaucoup de vos demandes sont encore ouvertes. Attendez qu’un administrateur ait répondu à certaines.",
    submit: "Envoyer la demande",
    cancel: "Ne pas demander",
    askedTitle: "La demande est envoyée aux administrateurs de {company}",
    askedText: "Dès que l’un d’eux l’a approuvée, ouvrez de nouveau {app}. D’ici là, {app} n’obtient rien de nouveau.",
    back: "Revenir à {app}",
  },

  company: {
    pages: "Pages de l’entreprise",
    places: { apps: "Applications", members: "Membres", history: "Historique" },
    yours: "Vos entreprises",
    none: "Vous n’appartenez à aucune entreprise. Quand vous en rejoindrez une, vous la trouverez ici.",
    companyOff: "Désactivée ici",
    companyOffText:
      "Cette entreprise est désactivée ici : personne ne peut l’utiliser, et les applications n’obtiennent aucun nouvel accès en son nom. Si elle est réactivée, vous en faites partie comme avant.",
    appsTitle: "Applications de {company}",
    membersTitle: "Membres de {company}",
    historyTitle: "Historique de {company}",
    requestBy: "{person} a fait une demande {when}",
    requestOf: "demande de {person}",
    refuse: "Refuser",
    requests: "Demandes en attente",
    yourRequests: "Vos demandes en attente",
    youAsked: "Vous avez demandé aux administrateurs {when}. Aucun n’a encore répondu.",
    youAskedMore:
      "Vous avez demandé aux administrateurs {when}. Certaines autorisations sont approuvées ; les autres attendent une réponse.",
    youMayDecide:
      "Vous avez demandé aux administrateurs {when}. Vous n’avez plus besoin de leur réponse : les membres décident désormais de cette application.",
    mayDecide:
      "Les membres décident désormais de cette application : {person} n’a donc pas besoin de réponse. Un refus n’écarte pas l’application. Pour cela, modifiez la règle de l’application.",
    youWereRefused: "Vous avez demandé aux administrateurs {when}. Ils ont refusé la demande {refused}.",
    refusedRequests: "Demandes refusées",
    refusedScopes: "Non approuvé",
    waiting: "En attente de réponse",
    blockedApps: "Applications bloquées",
    blockedHint: "Les administrateurs ont bloqué ces applications. Personne ne peut les utiliser pour {company}.",
    review: "Examiner",
    asksFor: "L’application pourrait",
    verified: "Vérifiée",
    newAddress: "Nouvelle adresse",
    search: "Rechercher une application par son nom",
    searchMore: "Il y en a d’autres. Saisissez davantage de lettres du nom.",
    searchHint:
      "Vous trouvez ici les applications que des membres de {company} utilisent ou ont demandées, et celles que l’opérateur de ce service a vérifiées.",
    allApps: "Toutes les applications",
    rule: "Règle",
    access: "Accès actuel",
    may: "L’application peut",
    noAccess: "L’application n’a aucun accès au nom de l’entreprise.",
    noOwnAccess: "L’application n’a aucun accès propre au nom de l’entreprise.",
    actsThrough: "Elle utilise l’accès d’autres applications",
    appGone: "Cette application n’est plus enregistrée. Vous ne pouvez donc pas modifier sa règle.",
    off: "Désactivée ici",
    appOff:
      "Cette application est désactivée ici. Personne ne peut la connecter, et elle n’obtient aucun nouvel accès.",
    accessSince: "Depuis",
    paused: "En pause",
    pausedText:
      "En pause : un autre système a désactivé le compte de ce membre. L’application n’obtient plus de nouvel accès pour ce membre jusqu’à ce que le compte soit réactivé.",
    usesSince: "depuis {when}",
    decidedBy: "{person} a défini cette règle {when}.",
    decidedAt: "Cette règle a été définie {when}.",
    endedBy: "L’approbation donnée par {person} a pris fin {when}.",
    endedAt: "L’approbation a pris fin {when}.",
    ruleUntil: "Elle s’applique jusqu’au {when}.",
    ruleStays: "Elle s’applique jusqu’à ce qu’un administrateur la modifie.",
    nowSelected: "Maintenant, tous les membres demandent à un administrateur.",
    afterSelected: "Après la fin, tous les membres demandent à un administrateur.",
    afterEnd: {
      members: "Après la fin, la règle des autres applications s’applique : les membres décident.",
      ask: "Après la fin, la règle des autres applications s’applique : les membres demandent à un administrateur.",
      block:
        "Après la fin, la règle des autres applications s’applique : seuls les administrateurs peuvent la connecter.",
      selected:
        "Si elle est autorisée pour certains membres, après la fin, tous les membres demandent à un administrateur.",
    },
    ruleLegend: "Règle pour les membres",
    who: "Qui peut l’utiliser",
    everybody: "Tous les membres",
    everybodyHint: "Toutes les personnes qui font partie de {company}, et celles qui la rejoindront plus tard.",
    selected: "Certains membres",
    selectedHint: "Les autres membres demandent à un administrateur.",
    otherMembers: "Autres membres, par nom d’utilisateur",
    otherMembersHint: "Séparez les noms d’utilisateur par des espaces.",
    ceiling: "Ce que les membres peuvent lui autoriser",
    asked: "Demandé",
    ceilingHint:
      "Si une application demande une autorisation obligatoire que vous omettez, les membres ne peuvent pas la connecter.",
    hosts: "Adresses de l’application",
    untilWhen: "Jusqu’à quand",
    untilEnded: "Jusqu’à ce qu’un administrateur y mette fin",
    laterEnd: "Une fin plus tardive vaut pour les nouvelles connexions. L’accès que les membres ont déjà garde sa fin.",
    sameEnd: "Jusqu’au {when}, comme actuellement",
    sameForever: "Sans fin, comme actuellement",
    saveRule: "Enregistrer la règle",
    otherApps: "Autres applications",
    undecided: "Applications sans règle propre",
    defaultKeeps: "Les membres gardent les applications qu’ils utilisent déjà.",
    openRequests: {
      one: "1 demande",
      other: "{count} demandes",
    },
    moreUsers: {
      one: "et 1 autre",
      other: "et {count} autres",
    },
    rules: {
      allow: "Autorisée",
      selected: "Autorisée pour certains membres",
      ask: "Sur demande",
      block: "Bloquée",
      none: "Sans règle",
    },
    decisions: {
      allow: "Autorisée",
      ask: "Sur demande",
      block: "Bloquée",
      default: "Même règle que les autres applications",
    },
    decisionHints: {
      allow:
        "Tous les membres, ou ceux que vous sélectionnez, connectent {app} sans demander à un administrateur. Chacun d’eux choisit toujours de l’utiliser ou non pour {company}.",
      ask: "Les membres demandent à un administrateur avant de pouvoir connecter {app}.",
      block:
        "Personne ne peut connecter {app} pour {company}, pas même les administrateurs. Tous ses accès prennent fin.",
    },
    defaultRuleHints: {
      members: "{app} suit la règle des autres applications : les membres décident.",
      ask: "{app} suit la règle des autres applications : les membres demandent à un administrateur.",
      block: "{app} suit la règle des autres applications : seuls les administrateurs peuvent la connecter.",
    },
    defaults: {
      members: "Les membres décident",
      ask: "Sur demande",
      block: "Administrateurs seulement",
    },
    defaultHints: {
      members: "Tout membre peut connecter n’importe quelle application au nom de l’entreprise.",
      ask: "Les membres demandent à un administrateur avant de connecter une application.",
      block: "Les membres ne peuvent pas connecter d’applications. Les administrateurs le peuvent.",
    },
    ruleProblems: {
      rule: "Choisissez une règle.",
      audience: "Choisissez qui peut utiliser l’application.",
      members: "Choisissez au moins un membre.",
      unknownMember: "{person} n’est pas membre de cette entreprise.",
      tooMany: "Choisissez 200 membres au plus, ou autorisez l’application pour tous.",
      scopes: "Choisissez au moins une autorisation.",
      duration: "Choisissez jusqu’à quand.",
    },
    reviewRule: {
      title: "Enregistrer cette règle pour {app} ?",
      opens: "Tous les membres de {company} peuvent connecter {app}, ainsi que ceux qui la rejoindront plus tard.",
      pausedStays: "Enregistrer cette règle ne réactive pas l’application.",
      allowed: "Ils peuvent autoriser",
      blocks:
        "Tous les accès de {app} pour {company} prennent fin. Personne ne peut la connecter pour {company} tant qu’un administrateur n’a pas changé la règle.",
      blocksThrough: "Elle ne pourra plus utiliser l’accès d’autres applications :",
      withdraws: "Cette règle ne couvre pas certains membres qui utilisent {app}.",
      loses: "{app} perd ces autorisations pour les membres. Les administrateurs actuels gardent leur accès.",
      shortens:
        "Avec cette règle, ces autorisations prennent fin le {to} au plus tard. Sans elle, elles durent plus longtemps :",
      stays:
        "Cette règle ne change pas ces autorisations. Les accès que des membres ou des administrateurs ont donnés auparavant gardent leur propre fin :",
      staysAllowed:
        "Ces autorisations ne font pas partie de cette règle. Les administrateurs, et les membres que la règle autorise, gardent jusqu’à sa propre fin ce qu’ils ont donné auparavant :",
      staysAdmins: "Pour les administrateurs actuels, ces autorisations ne changent pas :",
      people: "Membres concernés",
      permissions: "Autorisations concernées",
      who: "Que devient l’accès des membres que la règle ne couvre pas ?",
    },
    create: {
      title: "Créer une entreprise",
      text: "Vous en serez l’administrateur. Ses membres peuvent laisser des applications agir en son nom.",
      losesVouchers:
        "{issuer} peut donner à des applications l’accès à votre compte, car {company} est votre seule entreprise. Dès que vous en créez une autre, {issuer} ne peut plus leur donner de nouvel accès.",
      name: "Nom",
      slug: "Adresse",
      slugHint: "Lettres a–z, chiffres et tirets, par exemple acme-berlin. Elle fait partie des liens de l’entreprise.",
      submit: "Créer l’entreprise",
      link: "Créer une entreprise",
      problems: {
        name: "Saisissez un nom de 120 caractères visibles au plus, sur une ligne et dans un seul alphabet.",
        similar:
          "Une autre entreprise porte ce nom ou un nom qui lui ressemble. Ajoutez quelque chose, par exemple un lieu.",
        slug: "Saisissez de 1 à 40 des caractères a–z et 0–9, avec des tirets simples entre eux.",
        taken: "Une autre entreprise a cette adresse. Choisissez-en une autre.",
        tooMany:
          "Vous avez déjà créé 5 entreprises, le maximum. Pour en créer une autre, adressez-vous à l’opérateur de ce service.",
      },
    },
    apps: "Applications avec un accès ou une règle",
    noApps: "Aucune application n’agit au nom de l’entreprise. Les demandes des membres apparaissent ici.",
    yourApps: "Applications que vous utilisez pour l’entreprise",
    noAppsYours: "Vous n’utilisez aucune application au nom de l’entreprise.",
    usableApps: "Applications que vous pouvez utiliser pour l’entreprise",
    usableHint: "Aucune n’agit pour vous en ce moment.",
    usedBy: "Utilisée par",
    people: { one: "1 membre", other: "{count} membres" },
    nobody: "Personne en ce moment",
    vouched: {
      nobody: "Personne au nom de l’entreprise",
      access:
        "{issuer} peut donner à {app} l’accès aux comptes des membres qui ont le droit d’utiliser l’application, sans leur demander. Cette page ne les énumère pas.",
      stop: {
        one: "Si vous bloquez l’application, elle ne reçoit plus de nouvel accès de {issuer}. L’accès qu’elle a encore à ce moment prend fin dans un délai de {count} minute.",
        other:
          "Si vous bloquez l’application, elle ne reçoit plus de nouvel accès de {issuer}. L’accès qu’elle a encore à ce moment prend fin dans un délai de {count} minutes.",
      },
      stopOrPause: {
        one: "Si vous bloquez l’application ou la mettez en pause, elle ne reçoit plus de nouvel accès de {issuer}. L’accès qu’elle a encore à ce moment prend fin dans un délai de {count} minute.",
        other:
          "Si vous bloquez l’application ou la mettez en pause, elle ne reçoit plus de nouvel accès de {issuer}. L’accès qu’elle a encore à ce moment prend fin dans un délai de {count} minutes.",
      },
      stopped: {
        one: "Tant que l’application est bloquée ou en pause, {issuer} ne peut pas lui donner de nouvel accès aux comptes des membres. L’accès antérieur dure au plus {count} minute.",
        other:
          "Tant que l’application est bloquée ou en pause, {issuer} ne peut pas lui donner de nouvel accès aux comptes des membres. L’accès antérieur dure au plus {count} minutes.",
      },
    },
    endless: "sans fin",
    standing: "Autorisé par {company}",
    standingText:
      "Les membres qui ont déjà choisi {company} pour cette application peuvent la reconnecter sans qu’on leur demande, si la règle le permet. On les interroge sur les autorisations nouvelles pour eux, sauf si la règle les autorise.",
    noEnd: "Quand quelqu’un la révoque",
    newHosts:
      "Nouveau depuis l’approbation : {hosts}. Les membres y demandent à un administrateur tant que vous n’avez pas enregistré de nouveau la règle.",
    save: "Enregistrer",
    revokeAll: "Révoquer pour tout le monde",
    stopMineHint:
      "Cela l’arrête pour vous chez {company} seulement. Les autres membres gardent leur accès, et ce que vous avez autorisé pour votre propre compte est conservé.",
    stopMine: "L’arrêter pour moi chez {company}",
    stoppedByYou: "Arrêtée par vous",
    endsSoon: {
      one: "Son accès prend fin au plus tard à {time}, dans {count} minute au plus.",
      other: "Son accès prend fin au plus tard à {time}, dans {count} minutes au plus.",
    },
    stoppedSoon: {
      one: "{app} peut encore agir pour vous jusqu’à {time}, pendant {count} minute au plus.",
      other: "{app} peut encore agir pour vous jusqu’à {time}, pendant {count} minutes au plus.",
    },
    resumeMine: "Me laisser la reconnecter",
    resumeMineHint:
      "Vous l’avez arrêtée pour {company}. Elle n’obtient plus de nouvel accès pour vous. Elle reste arrêtée jusqu’à ce que vous l’autorisiez de nouveau ici, ou que vous ouvriez l’application, choisissiez {company} et l’autorisiez.",
    chosen:
      "Vous avez choisi {company} pour cette application. La prochaine fois, elle pourra se connecter sans vous poser la question.",
    chosenElsewhere:
      "Vous avez choisi {company} pour cette application, et vous l’avez aussi autorisée pour vous-même ou pour une autre entreprise. La prochaine fois, elle vous demandera pour qui, sauf si une seule de ces autorisations couvre ce qu’elle demande.",
    chosenAsks: "Vous avez choisi {company} pour cette application. La prochaine fois, elle vous demandera pour qui.",
    askNext: "Me demander la prochaine fois",
    block: "Bloquer",
    leave: "Quitter {company}",
    members: "Membres",
    roles: { member: "Membre", admin: "Administrateur" },
    you: "Vous",
    disabled: "Compte désactivé",
    since: "Membre depuis : {when}",
    makeAdmin: "Nommer administrateur",
    makeMember: "Rendre simple membre",
    roleThere: "À chaque connexion avec {provider}, les groupes de ce système décident de ce rôle.",
    remove: "Retirer",
    firstPage: "Première page",
    nextPage: "Plus de membres",
    invite: "Inviter quelqu’un",
    addressee: "Adresse e-mail ou nom d’utilisateur",
    wrongAddressee: "Ce n’est ni une adresse e-mail ni un nom d’utilisateur.",
    memberAlready: "{person} est déjà membre. Vous pouvez changer son rôle dans la liste des membres.",
    tooManyInvitations: "200 invitations sont ouvertes. Retirez-en avant d’inviter d’autres personnes.",
    tooOftenInvited: "Trop de personnes ont été invitées en peu de temps. Réessayez plus tard.",
    role: "Rôle",
    inviteSubmit: "Créer l’invitation",
    invitedTitle: "Donnez ce lien à {person}",
    invitedText:
      "Il fonctionne une seule fois, pour {person} uniquement, et prend fin {when}. Il ne sera plus affiché.",
    invitedUsername: {
      mail: "Si un compte a le nom d’utilisateur {person} et une adresse e-mail vérifiée, nous y envoyons aussi le lien. Si aucun compte ne l’a, personne ne peut utiliser le lien : vérifiez l’orthographe.",
      noMail:
        "Si aucun compte n’a le nom d’utilisateur {person}, personne ne peut utiliser le lien : vérifiez l’orthographe.",
    },
    invitedAgain: "S’il y avait une invitation précédente à {person}, elle ne fonctionne plus.",
    invitedMailed: "Une invitation est en route vers {person}",
    invitedMailedText:
      "Elle fonctionne une seule fois, pour {person} uniquement, et prend fin {when}. Si le message n’arrive pas, donnez ce lien à {person}. Il ne sera plus affiché.",
    invitations: "Invitations ouvertes",
    invitationEnds: "Se termine {when}",
    withdraw: "Retirer l’invitation",
    invitationTitle: "{company} vous invite",
    invitationText: {
      member:
        "En tant que membre, vous pouvez laisser des applications agir au nom de {company}, autant que ses administrateurs le permettent. Ils voient ce que vous admettez et peuvent y mettre fin.",
      admin:
        "En tant qu’administrateur de {company}, vous décidez quelles applications agissent en son nom et qui en fait partie.",
    },
    belongsTitle: {
      member: "Vous êtes déjà membre de {company}",
      admin: "Vous êtes déjà administrateur de {company}",
    },
    promotionText: "Si vous acceptez, votre rôle passe de membre à administrateur.",
    invitationChangesNothing: "Cette invitation ne change rien.",
    becomeAdmin: "Devenir administrateur",
    goTo: "Aller à {company}",
    join: "Rejoindre en tant que {person}",
    notNow: "Pas maintenant",
    wrongPerson: "Cette invitation s’adresse à quelqu’un d’autre. Vous êtes connecté en tant que {person}.",
    byOperator: "l’exploitant",
    byServer: "le serveur",
    byApp: "l’application",
    formerMember: "un ancien membre",
    memberEvents: {
      removed: "{person} a été retiré",
      left: "{person} est parti",
      deleted: "{person} est parti, car son compte a été supprimé",
      joined: "{person} a rejoint l’entreprise",
      joinedAsAdmin: "{person} a rejoint l’entreprise comme administrateur",
      added: "{person} a été ajouté",
      addedAsAdmin: "{person} a été ajouté comme administrateur",
      madeAdmin: "{person} est devenu administrateur",
      acceptedAdmin: "{person} a accepté une invitation et est devenu administrateur",
      madeMember: "{person} est maintenant membre et n’est plus administrateur",
      invited: "Une invitation est partie",
      invitedAsAdmin: "Une invitation d’administrateur est partie",
      withdrawn: "Une invitation a été retirée",
    },
    ruleEvents: {
      blocked: "{app} a été bloquée",
      selected: "{app} a été autorisée pour certains membres",
      unblocked: "{app} n’est plus bloquée",
      ask: "Désormais, les membres demandent à un administrateur pour {app}",
      none: "Désormais, {app} suit la règle de toutes les applications",
      default_members: "Désormais, les membres décident pour les applications sans règle propre",
      default_ask: "Désormais, les membres demandent à un administrateur pour les applications sans règle propre",
      default_block: "Désormais, seuls les administrateurs peuvent connecter les applications sans règle propre",
    },
    confirm: {
      revokeTitle: "Révoquer {app} pour tout le monde ?",
      revokeText:
        "{app} perd son accès au nom de l’entreprise, pour tous les membres. Une approbation pour des membres prend fin aussi.",
      revokeAfter: {
        members:
          "Chez {company}, les membres décident : ils peuvent donc reconnecter {app} aussitôt. Pour l’empêcher, bloquez l’application.",
        ask: "Les membres demandent à un administrateur avant de reconnecter {app}.",
        block: "Seuls les administrateurs peuvent reconnecter {app}.",
      },
      revokeAfterUnasked: {
        members:
          "Chez {company}, les membres décident : {app} peut donc obtenir aussitôt un nouvel accès aux comptes des membres, sans rien demander à personne. Pour l’empêcher, bloquez l’application.",
        admins:
          "{app} n’obtient aucun nouvel accès aux comptes des membres tant qu’un administrateur ne l’autorise pas de nouveau.",
      },
      keep: "Ils gardent leur accès jusqu’à la fin que chacun a choisie, au plus tard le {when}",
      keepForever: "Ils gardent leur accès jusqu’à une révocation",
      end: "Leur accès prend fin. Les administrateurs actuels gardent leur accès.",
      removeTitle: "Retirer {person} de {company} ?",
      removeText:
        "Les applications que d’autres membres ont connectées pour l’entreprise restent. Cette personne garde son propre compte et les applications qui y sont connectées.",
      removeInvitations:
        "Les invitations en cours adressées à {person} ou envoyées par {person} sont retirées. Ses demandes d’applications en attente sont aussi retirées.",
      removeReturns:
        "{person} se connecte avec {provider}. À sa prochaine connexion avec ce système, cette personne redevient membre. Pour l’éviter, retirez-la d’abord de {provider}.",
      leaveInvitations: "Vos invitations en cours sont retirées.",
      leaveTitle: "Quitter {company} ?",
      leaveText:
        "Pour revenir, il vous faudra une nouvelle invitation. Vos demandes d’applications en attente sont retirées. Votre propre compte et ses applications ne changent pas.",
      leaveReturns:
        "À votre prochaine connexion avec {provider}, vous redevenez membre. Vos demandes d’applications en attente sont retirées. Votre propre compte et ses applications ne changent pas.",
      hasLeft: "Vous avez quitté l’entreprise.",
      apps: "Ces applications perdent l’accès que ce membre leur a donné pour l’entreprise",
      leaveApps: "Ces applications perdent l’accès que vous leur avez donné pour l’entreprise",
      none: "Aucune application ne perd son accès.",
      cancel: "Annuler",
    },
    noHistory: "Aucune application n’a encore été autorisée au nom de l’entreprise.",
    events: {
      allowed: "{app} a été autorisée",
      allowedByDevice: "{app} a été autorisée sur un appareil",
      allowedByPassword: "{app} s’est connectée avec un mot de passe",
      allowedByPolicy: "{app} a été approuvée pour tous les membres",
      reconnected: "{app} s’est reconnectée",
      vouched: "{app} peut agir pour {person} auprès de {through}",
      vouchedByCompany: "{company} permet à {app} d’agir pour vous auprès de {through}",
      delegated: "{app}, via {through}, a obtenu l’accès aux données de l’entreprise",
      connected: "{person} a connecté {app}",
      refused: "Une demande de {app} a été refusée",
      narrowed: "Une partie de l’accès de {app} a été retirée",
      endChanged: "La fin de l’accès de {app} a été modifiée",
      paused: "{app} a été mise en pause pour tout le monde",
      resumed: "{app} a été réactivée pour tout le monde",
      revoked: "{app} a été révoquée pour tout le monde",
      revokedByOther: "{app} a été révoquée pour tout le monde",
      givenUp: "{app} a renoncé à son accès pour un membre",
      givenUpFor: "{app} a renoncé à son accès pour {person}",
      alarm: "{app} a été déconnectée, car une ancienne clé a été utilisée",
    },
    notices: {
      founded: "L’entreprise est créée et vous en êtes l’administrateur. Invitez ici ses membres.",
      decided: "La règle est enregistrée.",
      changed: "Quelqu’un a modifié cette règle entre-temps. Rien n’a été enregistré. Vérifiez la règle et réessayez.",
      blocked: "L’application est bloquée. Elle n’obtient plus de nouvel accès.",
      revoked: "L’application a été révoquée pour tout le monde.",
      refused: "La demande a été refusée.",
      requestChanged:
        "Le membre a modifié cette demande entre-temps. Rien n’a été refusé. Lisez-la telle qu’elle est maintenant, puis décidez.",
      defaults: "Cela s’applique dès maintenant aux applications dont personne n’a décidé.",
      role: "Le rôle a été modifié.",
      roleMember:
        "Le rôle a été modifié. Les invitations en cours envoyées par ce membre ou adressées à ce membre ont été retirées. Les applications que ce membre a connectées comme administrateur gardent leur accès.",
      roleSelf:
        "Vous êtes maintenant membre de l’entreprise. Seul un administrateur peut vous redonner le rôle d’administrateur. Les invitations en cours envoyées par vous ou adressées à vous ont été retirées. Les applications que vous avez connectées comme administrateur gardent leur accès.",
      removed:
        "Le membre a été retiré. Les applications ne peuvent pas renouveler l’accès que ce membre leur avait donné pour l’entreprise.",
      removedReturns:
        "Le membre a été retiré, mais redevient membre à sa prochaine connexion dans le système de l’entreprise. Pour l’éviter, retirez-le aussi de ce système. Les applications ne peuvent pas renouveler l’accès que ce membre leur avait donné pour l’entreprise.",
      withdrawn: "L’invitation a été retirée.",
      stopped:
        "Vous avez arrêté l’application pour vous dans cette entreprise. Elle n’y obtient plus de nouvel accès. Ce que vous avez autorisé pour votre propre compte est conservé.",
      resumed:
        "Vous n’arrêtez plus l’application dans cette entreprise. Elle n’obtient aucun nouvel accès avant que vous la reconnectiez : ouvrez l’application.",
      asksNext:
        "À la prochaine connexion de l’application, vous choisirez pour qui. Son accès actuel reste, quel que soit votre choix.",
      joined: "Bienvenue. Vous faites maintenant partie de l’entreprise.",
      promoted: "Vous êtes maintenant administrateur de l’entreprise.",
      lastAdmin: "Vous êtes le seul administrateur. Avant de partir, nommez un autre membre administrateur.",
      nothing: "Rien n’a été modifié : choisissez ce que les membres peuvent autoriser, et pour combien de temps.",
      gone: "Cela n’existait déjà plus. Rien n’a été modifié.",
    },
  },
} as const satisfies Translation<typeof english, "one" | "other">;
