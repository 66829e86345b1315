/** Spanish: what all pages share, signing in and out, devices, and what went wrong. */
import type { pages as english } from "../en/pages.ts";
import type { Translation } from "../translation.ts";

export const pages = {
  documentTitle: "{title} · {product}",
  errorTitle: "Error: {title}",
  skip: "Ir al contenido",
  home: "{product}, sus aplicaciones",
  newTab: "(se abre en una pestaña nueva)",
  languages: { label: "Idioma", choose: "Idioma de estas páginas" },

  signIn: {
    title: "Iniciar sesión",
    titleFor: "Inicie sesión para continuar a {app}",
    introAlone: "Vea qué aplicaciones usan su cuenta y decida sobre ellas.",
    introFor: "Su contraseña se queda aquí. La aplicación no llega a verla.",
    titleAgain: "Inicie sesión de nuevo",
    introAgain: "Ha iniciado sesión como {person}. Escriba su contraseña una vez más, para que sepamos que es usted.",
    chooseFor: "Elija una cuenta para {app}",
    chooseIntro:
      "Ha iniciado sesión como {person}. Para continuar como {person}, escriba su contraseña; para otra cuenta, escriba su nombre y su contraseña.",
    username: "Nombre de usuario o correo electrónico",
    password: "Contraseña",
    submit: "Iniciar sesión",
    wrong:
      "Ese nombre de usuario o correo electrónico no coincide con la contraseña. Revise ambos e inténtelo de nuevo.",
    missing: "Escriba su nombre de usuario o correo electrónico, y su contraseña.",
    missingPassword: "Escriba su contraseña.",
    throttled: {
      one: "Demasiados intentos seguidos. Espere un minuto e inténtelo de nuevo.",
      other: "Demasiados intentos seguidos. Espere {count} minutos e inténtelo de nuevo.",
    },
    stale:
      "Esta página estuvo abierta demasiado tiempo, o su navegador rechaza las cookies. Inicie sesión una vez más.",
  },

  signOut: {
    button: "Cerrar sesión",
    title: "¿Quiere cerrar la sesión?",
    text: "Ha iniciado sesión como {person}. Las aplicaciones que permitió conservan su acceso.",
    stay: "Seguir con la sesión abierta",
    doneTitle: "Ha cerrado la sesión",
    doneText: "Ahora nadie puede ver ni cambiar su cuenta en este navegador.",
    again: "Iniciar sesión otra vez",
  },

  device: {
    title: "Conectar un dispositivo",
    intro: "Escriba el código que muestra su dispositivo.",
    compare:
      "¿Muestra este código el dispositivo que tiene delante? Entonces continúe. Si alguien le envió el enlace, cierre esta página.",
    code: "Código",
    hint: "8 letras. No importan las mayúsculas, los guiones ni los espacios.",
    submit: "Continuar",
    unknown:
      "Ningún dispositivo espera con ese código. Revise las letras, o haga que el dispositivo muestre un código nuevo.",
    missing: "Escriba el código.",
    throttled: {
      one: "Demasiados códigos equivocados. Espere un minuto e inténtelo de nuevo.",
      other: "Demasiados códigos equivocados. Espere {count} minutos e inténtelo de nuevo.",
    },
    stale:
      "Esta página estuvo abierta demasiado tiempo, o su navegador rechaza las cookies. Escriba el código una vez más.",
    signIn: "Inicie sesión para conectar su dispositivo",
    signInIntro: "Su contraseña se queda aquí. El dispositivo no llega a verla.",
    itsCode: "Código en el dispositivo",
    itsAddress: "Dirección del dispositivo",
    fromHere: "{address} (su red)",
    fromElsewhere: "{address} (no es su red)",
    fromUnknown: "Desconocida",
    when: "Solicitado",
    warning: "Permítalo solo si lo ha empezado usted y el dispositivo que tiene delante muestra este código.",
    next: "El dispositivo sigue por sí solo.",
    elsewhereTitle: "¿Es este su dispositivo?",
    elsewhereText:
      "{app} lo pidió desde una red distinta de la suya. Puede ser correcto, si su teléfono no está en la misma wifi que el dispositivo. Pero si alguien le envió aquí, quizá quiera que el dispositivo de esa persona use la cuenta de usted.",
    elsewhereYes: "Sí, lo he empezado yo",
    elsewhereNo: "No, rechazarlo",
    allowedTitle: "{app} ya tiene acceso",
    allowedText: "Vuelva a su dispositivo: seguirá en unos segundos. Puede cerrar esta página.",
    deniedTitle: "Se ha rechazado {app}",
    deniedText: "El dispositivo no puede usar su cuenta. Puede cerrar esta página.",
    nothingText:
      "Su cuenta no puede permitir lo que pidió el dispositivo. No se ha compartido nada. Puede cerrar esta página.",
    apps: "Ir a sus aplicaciones",
  },

  heldError: {
    title: "{app} le ha enviado aquí con un error",
    wrong: "La aplicación cometió un error en su petición. No se compartió nada.",
    denied: "La aplicación no puede obtener lo que pidió. No se compartió nada.",
    leads:
      "«Continuar» lleva a {host} e informa a la aplicación de lo que falló. Vaya solo si confía en esa dirección.",
    submit: "Continuar",
  },

  formPost: {
    title: "Volviendo a la aplicación",
    text: "Su respuesta va a {host}. Si no pasa nada, pulse el botón.",
    submit: "Continuar",
  },

  problems: {
    apps: "Ir a sus aplicaciones",
    startAgain: "Empezar de nuevo",
    other: {
      title: "Esta solicitud no se puede atender",
      text: "La aplicación cometió un error en lo que pidió. No se ha compartido nada. Vuelva a la aplicación y, si ocurre de nuevo, avise a quien la publica.",
    },
    clientUnknown: {
      title: "Esta aplicación no se conoce aquí",
      text: "El enlace que le trajo aquí nombra una aplicación que no está registrada. No se ha compartido nada. Vuelva a la aplicación y, si ocurre de nuevo, avise a quien la publica.",
    },
    redirectUri: {
      title: "El enlace de esta aplicación no es seguro",
      text: "La aplicación pidió enviarle a una dirección que no ha registrado, así que nos hemos detenido aquí. No se ha compartido nada. Avise a quien publica la aplicación.",
    },
    notFound: {
      title: "Aquí no hay nada",
      text: "Puede que la dirección esté mal escrita, o que la página se haya movido.",
    },
    invitation: {
      title: "Esta invitación ya no es válida",
      text: "Puede que se haya usado, se haya retirado o tenga más de siete días. Pida otra a un administrador de la empresa.",
    },
    method: {
      title: "Así no funciona",
      text: "Esta dirección no admite ese tipo de solicitud.",
    },
    form: {
      title: "Ese formulario ya no sirve",
      text: "Estuvo abierto demasiado tiempo, o venía de otro navegador. No se ha cambiado nada. Cargue la página de nuevo y repita.",
    },
    foreignForm: {
      title: "Ese formulario venía de otro sitio",
      text: "No se ha cambiado nada. Si quería hacerlo, abra la página aquí y envíe de nuevo el formulario.",
    },
    cutOff: {
      title: "Empiece de nuevo desde la aplicación",
      text: "Esta página pertenece a un inicio de sesión que se empezó en otro navegador, o el enlace está cortado. No se ha compartido nada.",
    },
    expired: {
      title: "Esta página estuvo abierta demasiado tiempo",
      text: "El inicio de sesión empezó hace más de una hora y ya no vale. No se ha compartido nada. Empiece de nuevo.",
    },
    finished: {
      title: "Ya ha respondido a esto",
      text: "Vuelva a la aplicación: tiene su respuesta. Puede cambiar lo que se le permite en la página de sus aplicaciones.",
    },
    tooMuch: {
      title: "Eso fue demasiado de una vez",
      text: "Lo que se envió es más largo de lo que admite esta página. No se ha cambiado nada.",
    },
    unavailable: {
      title: "Ahora mismo no podemos responder",
      text: "Algo detrás de esta página no responde. Debería pasar: espere un momento y cargue la página de nuevo.",
    },
    fault: {
      title: "Algo ha fallado aquí",
      text: "Es culpa nuestra, no suya. Inténtelo de nuevo; si se repite, dé el número de abajo a quien gestiona este servicio.",
    },
  },

  problem: {
    forDevelopers: "Para quienes desarrollan la aplicación",
    reference: "Referencia",
  },

  time: {
    now: "ahora mismo",
    soon: "en un momento",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
