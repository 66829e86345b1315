/** Spanish: apps that act while their owner is away, and their pause. */

import type { agents as english } from "../en/agents.ts";
import type { Translation } from "../translation.ts";

export const agents: Translation<typeof english, "one" | "other"> = {
  agents: {
    title: "Agentes",
    intro:
      "Estas aplicaciones pueden usar lo que usted permite en su ausencia. Puede poner una en pausa y reanudarla después, sin permitirla de nuevo.",
    introCompany:
      "Estas aplicaciones pueden usar lo que {company} permite cuando nadie ha iniciado sesión. Puede poner una en pausa para todos y reanudarla después: lo que se permitió se conserva.",
    emptyTitle: "Ninguna aplicación puede actuar en su ausencia",
    emptyText: "Aquí aparecen las aplicaciones que pueden mantener el acceso en su ausencia.",
    emptyTitleOwn: "Ninguna aplicación puede actuar por su propia cuenta mientras usted no está",
    ownOnly:
      "Esta página trata de su propia cuenta. Las aplicaciones que actúan por usted en una empresa están en la página de la empresa: {companies}",
    emptyTitleCompany: "Ninguna aplicación puede actuar cuando nadie ha iniciado sesión",
    emptyTextCompany:
      "Aquí aparecen las aplicaciones que mantienen el acceso para {company} cuando nadie ha iniciado sesión.",
    unusedTitle: "Nadie las usa ahora",
    unusedText:
      "Nadie usa ahora estas aplicaciones para {company}. No obtienen acceso nuevo propio hasta que alguien las conecte de nuevo. Todavía pueden usar por poco tiempo el acceso que ya tienen, como muy tarde hasta el fin indicado.",
    can: "Puede",
    keeps: "Mantiene el acceso hasta",
    keepsForever: "que lo revoque",
    notAway: "No obtiene acceso nuevo en su ausencia.",
    notAwayCompany: "No obtiene acceso nuevo cuando nadie ha iniciado sesión.",
    endsResumed: "Si se reanuda, el acceso termina",
    endsOn: "Si se vuelve a activar, el acceso termina",
    lastResumed: "Si se reanuda, el último permiso termina",
    lastOn: "Si se vuelve a activar, el último permiso termina",
    keepsResumed: "Si se reanuda, mantiene el acceso hasta",
    keepsOn: "Si se vuelve a activar, mantiene el acceso hasta",
    canResumed: "Si se reanuda, puede",
    canOn: "Si se vuelve a activar, puede",
    uses: "Qué ha usado",
    useOne: "{api}, {when}",
    details: "Detalles",
    pausedSince: "En pausa ({when}). No obtiene acceso nuevo hasta que la reanude. Lo que permitió se conserva.",
    pausedSinceCompany:
      "En pausa ({when}). No obtiene acceso nuevo hasta que un administrador la reanude. Lo que se permitió se conserva.",
    pausedOver: "En pausa ({when}). Lo que se permitió ya terminó. No obtiene acceso nuevo hasta que se reanude aquí.",
    pausedHere: "Puso esta aplicación en pausa {when}. No obtiene acceso nuevo. Puede reanudarla en {agents}.",
    pausedStill: {
      one: "El acceso que ya tiene termina en 1 minuto como máximo.",
      other: "El acceso que ya tiene termina en {count} minutos como máximo.",
    },
    pause: "Pausar",
    resume: "Reanudar",
    pauseAlso: "Lo mismo vale para las aplicaciones que actúan a través de ella.",
    pauseAtOnce: "Si la pone en pausa, el acceso se detiene de inmediato.",
    pauseSoon: {
      one: "Si la pone en pausa, el acceso se detiene en 1 minuto como máximo.",
      other: "Si la pone en pausa, el acceso se detiene en {count} minutos como máximo.",
    },
    paused: "{app} está en pausa. No obtiene acceso nuevo hasta que reanude la aplicación.",
    pausedNow: "{app} está en pausa.",
    pausedSoon: {
      one: "El acceso que ya tiene termina a las {time}, en 1 minuto como máximo.",
      other: "El acceso que ya tiene termina a las {time}, en {count} minutos como máximo.",
    },
    resumed: "Se reanudó {app}. Puede usar de nuevo lo que usted permitió.",
    resumedOver: "Se reanudó {app}. Pero lo que usted permitió ya terminó: ahora no puede usar nada de ello.",
    appPaused: "La aplicación está en pausa para todos. No obtiene acceso nuevo hasta que un administrador la reanude.",
    appResumed: "La aplicación se reanudó. Puede usar de nuevo lo que se permitió y no ha terminado.",
    asksPaused:
      "Puso esta aplicación en pausa {when}. Si la permite ahora, se reanuda con lo que permitió antes, salvo lo que desmarque aquí. Si no, sigue en pausa.",
    asksPausedFor:
      "Esta aplicación se puso en pausa para {company} {when}. Si la permite ahora, se reanuda allí para todos con lo que se permitió antes. Si no, sigue en pausa.",
    asksPausedOver:
      "Puso esta aplicación en pausa {when}. Lo que permitió ya terminó. Si la permite ahora, se reanuda y solo obtiene lo que está marcado. Si no, sigue en pausa.",
    asksPausedOverFor:
      "Esta aplicación se puso en pausa para {company} {when}. Lo que se permitió allí ya terminó. Si la permite ahora, se reanuda allí para todos y solo obtiene lo que está marcado. Si no, sigue en pausa.",
    asksPausedNotAsked: "«{allow}» también devuelve a la aplicación permisos que ahora no pide: {permissions}",
    asksPausedForAll: "Allí, «{allow}» devuelve a la aplicación para todos: {permissions}",
    nothingNew:
      "Si no marca ninguno de estos permisos, «{allow}» solo devuelve a la aplicación lo que se permitió antes.",
    backEnds: "Si se reanuda, la aplicación recupera este permiso, marque lo que marque aquí; eso termina {when}",
    backNever: "Si se reanuda, la aplicación recupera este permiso, marque lo que marque aquí, sin fecha de fin",
    allowAndResume: "Permitir y reanudar",
    ownerPaused: "{company} (un administrador la puso en pausa)",
    away: "Puede usar sin usted lo que permite, incluso con la sesión cerrada: hasta el final que elija, o hasta que la ponga en pausa o revoque el acceso.",
    awayEnd:
      "Puede usar sin usted lo que permite, incluso con la sesión cerrada: hasta el final que elija, o hasta que usted termine su acceso.",
    today: "Hoy, hasta las {time}",
    awayAlways:
      "Esta aplicación mantiene el acceso en su ausencia, incluso con la sesión cerrada: hasta el final elegido, o hasta que la ponga en pausa o revoque el acceso.",
    awayAlwaysEnd:
      "Esta aplicación mantiene el acceso en su ausencia, incluso con la sesión cerrada: hasta el final elegido, o hasta que usted termine su acceso.",
  },
};
