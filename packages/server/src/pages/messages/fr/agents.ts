/** French: apps that act while their owner is away, and their pause. */

import type { agents as english } from "../en/agents.ts";
import type { Translation } from "../translation.ts";

export const agents: Translation<typeof english, "one" | "other"> = {
  agents: {
    title: "Agents",
    intro:
      "Ces applications peuvent utiliser ce que vous autorisez en votre absence. Vous pouvez en mettre une en pause et la réactiver plus tard, sans l’autoriser à nouveau.",
    introCompany:
      "Ces applications peuvent utiliser ce que {company} autorise quand personne n’est connecté. Vous pouvez en mettre une en pause pour tout le monde et la réactiver plus tard : ce qui a été autorisé est conservé.",
    emptyTitle: "Aucune application ne peut agir en votre absence",
    emptyText: "Les applications qui peuvent conserver l’accès en votre absence apparaissent ici.",
    emptyTitleOwn: "Aucune application ne peut agir pour votre propre compte en votre absence",
    ownOnly:
      "Cette page concerne votre propre compte. Les applications qui agissent pour vous dans une entreprise se trouvent sur la page de l’entreprise : {companies}",
    emptyTitleCompany: "Aucune application ne peut agir quand personne n’est connecté",
    emptyTextCompany:
      "Les applications qui conservent l’accès pour {company} quand personne n’est connecté apparaissent ici.",
    unusedTitle: "Personne ne les utilise en ce moment",
    unusedText:
      "Personne n’utilise ces applications pour {company} en ce moment. Elles n’obtiennent aucun nouvel accès propre tant que personne ne les reconnecte. Elles peuvent encore utiliser brièvement l’accès qu’elles ont déjà, au plus tard jusqu’à la fin indiquée.",
    can: "Elle peut",
    keeps: "Conserve l’accès jusqu’à",
    keepsForever: "votre révocation",
    notAway: "Elle n’obtient aucun nouvel accès en votre absence.",
    notAwayCompany: "Elle n’obtient aucun nouvel accès quand personne n’est connecté.",
    endsResumed: "Si elle est réactivée, l’accès se termine",
    endsOn: "Si elle est de nouveau activée, l’accès se termine",
    lastResumed: "Si elle est réactivée, la dernière autorisation se termine",
    lastOn: "Si elle est de nouveau activée, la dernière autorisation se termine",
    keepsResumed: "Si elle est réactivée, conserve l’accès jusqu’à",
    keepsOn: "Si elle est de nouveau activée, conserve l’accès jusqu’à",
    canResumed: "Si elle est réactivée, elle peut",
    canOn: "Si elle est de nouveau activée, elle peut",
    uses: "Ce qu’elle a utilisé",
    useOne: "{api}, {when}",
    details: "Détails",
    pausedSince:
      "En pause ({when}). Elle n’obtient aucun nouvel accès avant que vous la réactiviez. Ce que vous avez autorisé est conservé.",
    pausedSinceCompany:
      "En pause ({when}). Elle n’obtient aucun nouvel accès avant qu’un administrateur la réactive. Ce qui a été autorisé est conservé.",
    pausedOver:
      "En pause ({when}). Ce qui a été autorisé a pris fin depuis. Elle n’obtient aucun nouvel accès avant d’être réactivée ici.",
    pausedHere:
      "Vous avez mis cette application en pause {when}. Elle n’obtient aucun nouvel accès. Vous pouvez la réactiver dans {agents}.",
    pausedStill: {
      one: "L’accès déjà accordé prend fin dans un délai de {count} minute.",
      other: "L’accès déjà accordé prend fin dans un délai de {count} minutes.",
    },
    pause: "Mettre en pause",
    resume: "Réactiver",
    pauseAlso: "Il en va de même pour les applications qui agissent à travers elle.",
    pauseAtOnce: "Si vous la mettez en pause, l’accès s’arrête immédiatement.",
    pauseSoon: {
      one: "Si vous la mettez en pause, l’accès s’arrête dans un délai de {count} minute.",
      other: "Si vous la mettez en pause, l’accès s’arrête dans un délai de {count} minutes.",
    },
    paused: "L’accès de {app} est en pause. Aucun nouvel accès n’est accordé avant que vous le réactiviez.",
    pausedNow: "L’accès de {app} est en pause.",
    pausedSoon: {
      one: "L’accès déjà accordé prend fin à {time}, dans un délai de {count} minute.",
      other: "L’accès déjà accordé prend fin à {time}, dans un délai de {count} minutes.",
    },
    resumed: "L’accès de {app} est réactivé avec ce que vous aviez autorisé.",
    resumedOver:
      "L’accès de {app} est réactivé. Mais ce que vous aviez autorisé a pris fin : elle ne peut rien en utiliser.",
    appPaused:
      "L’application est en pause pour tout le monde. Elle n’obtient aucun nouvel accès avant qu’un administrateur la réactive.",
    appResumed: "L’application est réactivée. Elle peut de nouveau utiliser ce qui a été autorisé et n’a pas pris fin.",
    asksPaused:
      "Vous avez mis cette application en pause {when}. Si vous l’autorisez maintenant, elle est réactivée avec ce que vous aviez autorisé, sauf ce que vous décochez ici. Sinon, elle reste en pause.",
    asksPausedFor:
      "Cette application a été mise en pause pour {company} {when}. Si vous l’autorisez maintenant, elle y est réactivée pour tout le monde avec ce qui avait été autorisé. Sinon, elle reste en pause.",
    asksPausedOver:
      "Vous avez mis cette application en pause {when}. Ce que vous aviez autorisé a pris fin depuis. Si vous l’autorisez maintenant, elle est réactivée et n’obtient que ce qui est coché. Sinon, elle reste en pause.",
    asksPausedOverFor:
      "Cette application a été mise en pause pour {company} {when}. Ce qui y avait été autorisé a pris fin depuis. Si vous l’autorisez maintenant, elle y est réactivée pour tout le monde et n’obtient que ce qui est coché. Sinon, elle reste en pause.",
    asksPausedNotAsked:
      "« {allow} » rend aussi à l’application des autorisations qu’elle ne demande pas maintenant : {permissions}",
    asksPausedForAll: "« {allow} » y rend à l’application, pour tout le monde : {permissions}",
    nothingNew:
      "Si vous ne cochez aucune de ces autorisations, « {allow} » rend seulement à l’application ce qui avait été autorisé.",
    backEnds:
      "Si l’application est réactivée, elle retrouve cette autorisation, quoi que vous cochiez ici ; cela prend fin {when}",
    backNever:
      "Si l’application est réactivée, elle retrouve cette autorisation, quoi que vous cochiez ici, sans fin prévue",
    allowAndResume: "Autoriser et réactiver",
    ownerPaused: "{company} (mise en pause par un administrateur)",
    away: "Elle peut utiliser sans vous ce que vous autorisez, même quand vous êtes déconnecté : jusqu’à la fin que vous choisissez, ou jusqu’à ce que vous la mettiez en pause ou révoquiez son accès.",
    awayEnd:
      "Elle peut utiliser sans vous ce que vous autorisez, même quand vous êtes déconnecté : jusqu’à la fin que vous choisissez, ou jusqu’à ce que vous mettiez fin à son accès.",
    today: "Aujourd’hui, jusqu’à {time}",
    awayAlways:
      "Cette application conserve l’accès en votre absence, même quand vous êtes déconnecté : jusqu’à la fin choisie, ou jusqu’à ce que vous la mettiez en pause ou révoquiez son accès.",
    awayAlwaysEnd:
      "Cette application conserve l’accès en votre absence, même quand vous êtes déconnecté : jusqu’à la fin choisie, ou jusqu’à ce que vous mettiez fin à son accès.",
  },
};
