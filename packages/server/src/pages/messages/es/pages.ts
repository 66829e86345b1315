/** Spanish: texts of all pages, sign-in and sign-out, devices, and errors. */
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
    introAlone: "Vea qué aplicaciones tienen acceso a su cuenta y adminístrelas.",
    introFor: "Su contraseña se queda aquí. La aplicación nunca la ve.",
    titleAgain: "Inicie sesión de nuevo",
    introAgain: "Ha iniciado sesión como {person}. Introduzca de nuevo su contraseña para confirmar que es usted.",
    introOther: "Ha iniciado sesión como {person}, pero esta aplicación pide otra cuenta. Inicie sesión con esa.",
    chooseFor: "Elija una cuenta para {app}",
    stays: "Su sesión como {person} sigue abierta hasta que inicie sesión con otra cuenta.",
    stay: "Volver",
    chooseIntro:
      "Ha iniciado sesión como {person}. Para continuar con esta cuenta, introduzca su contraseña. Para usar otra cuenta, introduzca su nombre de usuario y su contraseña.",
    username: "Nombre de usuario o correo electrónico",
    password: "Contraseña",
    submit: "Iniciar sesión",
    wrong:
      "El nombre de usuario, el correo electrónico o la contraseña no son correctos. Compruébelos e inténtelo de nuevo.",
    missing: "Introduzca su nombre de usuario o correo electrónico y su contraseña.",
    missingPassword: "Introduzca su contraseña.",
    throttled: {
      one: "Demasiados intentos. Espere un minuto e inténtelo de nuevo.",
      other: "Demasiados intentos. Espere {count} minutos e inténtelo de nuevo.",
    },
    stale: "Esta página estuvo abierta demasiado tiempo o su navegador bloquea las cookies. Inicie sesión de nuevo.",
  },

  signOut: {
    button: "Cerrar sesión",
    title: "¿Cerrar sesión?",
    text: "Ha iniciado sesión como {person} en este navegador. Las aplicaciones que permitió conservan su acceso.",
    asked:
      "Una aplicación quiere cerrar su sesión en este navegador. Las aplicaciones que permitió conservan su acceso.",
    plain: "Se cerrará su sesión en este navegador. Las aplicaciones que permitió conservan su acceso.",
    leads: "Después irá a {host}.",
    stay: "Mantener la sesión iniciada",
    doneTitle: "Ha cerrado la sesión",
    doneText: "Nadie puede ver ni cambiar su cuenta en este navegador.",
    doneElsewhere:
      "Quizá su sesión siga abierta en {provider}. En ese caso, cualquiera que use este navegador puede iniciar sesión aquí sin contraseña. Cierre la sesión también allí.",
    doneApps: "Las aplicaciones que permitió conservan su acceso.",
    again: "Iniciar sesión de nuevo",
  },

  device: {
    title: "Conectar un dispositivo",
    intro: "Introduzca el código que aparece en su dispositivo.",
    compare:
      "Continúe solo si el dispositivo que tiene delante muestra este código. Si alguien le envió el enlace, cierre esta página.",
    code: "Código",
    hint: "8 letras. No importan las mayúsculas, los guiones ni los espacios.",
    submit: "Continuar",
    unknown:
      "Ningún dispositivo espera con ese código. Puede que una letra esté mal, que el dispositivo ya esté conectado o que el código haya caducado. Compruebe el código u obtenga uno nuevo en el dispositivo.",
    missing: "Introduzca el código.",
    throttled: {
      one: "Demasiados códigos incorrectos. Espere un minuto e inténtelo de nuevo.",
      other: "Demasiados códigos incorrectos. Espere {count} minutos e inténtelo de nuevo.",
    },
    stale:
      "Esta página estuvo abierta demasiado tiempo o su navegador bloquea las cookies. Introduzca el código de nuevo.",
    signIn: "Inicie sesión para conectar su dispositivo",
    signInIntro: "Su contraseña se queda aquí. El dispositivo nunca la ve.",
    itsCode: "Código del dispositivo",
    itsAddress: "Dirección del dispositivo",
    fromHere: "{address} (su red)",
    fromElsewhere: "{address} (no es su red)",
    fromUnknown: "Desconocida",
    when: "Solicitado",
    warning:
      "¿Alguien le ha llamado o escrito sobre esto? Elija «{refuse}». Permítalo solo si lo ha iniciado usted y el dispositivo que tiene delante muestra este código. Si lo permite, quien tenga el dispositivo puede usar su cuenta como usted lo permite aquí.",
    next: "Su dispositivo continúa solo.",
    elsewhereTitle: "¿Es este su dispositivo?",
    elsewhereText:
      "{app} lo pidió desde una red distinta de la suya. Puede ser normal, por ejemplo si su teléfono no está en la misma wifi que el dispositivo.",
    elsewhereYes: "Sí, es mío",
    elsewhereNo: "No, rechazar",
    allowedTitle: "{app} está conectada",
    allowedText: "Vuelva a su dispositivo. Continuará en unos segundos. Puede cerrar esta página.",
    allowedBefore:
      "Vuelva a su dispositivo. Continuará en unos segundos con lo que marcó, sin nada nuevo. Puede cerrar esta página.",
    deniedTitle: "{app} no se ha conectado",
    deniedText: "El dispositivo no puede usar su cuenta. Puede cerrar esta página.",
    deniedKeepsTitle: "Nada ha cambiado para {app}",
    deniedKeeps:
      "La aplicación conserva el acceso que usted permitió antes. Para terminarlo, revóquelo en sus aplicaciones. Puede cerrar esta página.",
    deniedKeepsFor:
      "Si la aplicación ya tiene acceso para {company}, lo conserva. Puede terminarlo en la página de la empresa. Puede cerrar esta página.",
    nothingText:
      "Su cuenta no está autorizada a permitir lo que pidió el dispositivo. No se ha compartido nada. Puede cerrar esta página.",
    apps: "Ir a sus aplicaciones",
  },

  heldError: {
    title: "Hay un error en la solicitud de {app}",
    wrong: "La aplicación cometió un error en su solicitud. No se ha compartido nada.",
    denied: "La aplicación no puede obtener lo que pidió. No se ha compartido nada.",
    leads:
      "«Continuar» le lleva a {host} e informa a la aplicación del error. Continúe solo si confía en esa dirección.",
    submit: "Continuar",
  },

  formPost: {
    title: "Volviendo a la aplicación",
    text: "Su respuesta se está enviando a {host}. Si no pasa nada, seleccione «Continuar».",
    submit: "Continuar",
  },

  problems: {
    apps: "Ir a sus aplicaciones",
    startAgain: "Empezar de nuevo",
    other: {
      title: "Esta solicitud no funciona",
      text: "La aplicación cometió un error en su solicitud. No se ha compartido nada. Vuelva a la aplicación. Si ocurre de nuevo, avise al desarrollador de la aplicación.",
    },
    clientUnknown: {
      title: "Esta aplicación no se puede usar aquí",
      text: "El enlace que le trajo aquí nombra una aplicación que no está registrada o que ha desactivado quien gestiona este servicio. No se ha compartido nada. Vuelva a la aplicación. Si ocurre de nuevo, avise al desarrollador de la aplicación.",
    },
    redirectUri: {
      title: "El enlace de esta aplicación no es seguro",
      text: "La aplicación pidió enviarle a una dirección que no ha registrado, así que nos hemos detenido. No se ha compartido nada. Avise al desarrollador de la aplicación.",
    },
    notFound: {
      title: "Página no encontrada",
      text: "Puede que la dirección sea incorrecta o que la página se haya movido.",
    },
    invitation: {
      title: "Esta invitación ya no es válida",
      text: "Se ha usado o retirado, o ha caducado. Pida otra a un administrador de la empresa.",
    },
    method: {
      title: "Esta página no puede hacer eso",
      text: "Esta dirección no admite ese tipo de solicitud.",
    },
    form: {
      title: "Este formulario ha caducado",
      text: "Ya se envió, estuvo abierto demasiado tiempo o venía de otro navegador. Esta vez no se ha cambiado nada. Compruebe si ya está hecho. Si no, abra la página de nuevo y envíelo otra vez.",
      codes:
        "Ya se envió o estuvo abierto demasiado tiempo. Esta vez no se ha cambiado nada. Los códigos de recuperación se muestran solo una vez. Si no guardó los suyos, cree otros nuevos en «Seguridad».",
    },
    foreignForm: {
      title: "Este formulario venía de otro sitio",
      text: "No se ha cambiado nada. Si quería hacerlo, abra la página aquí y envíe de nuevo el formulario.",
    },
    signInRefused: {
      title: "No puede iniciar sesión de esta manera",
      text: "Sus datos eran correctos, pero una regla de este servicio no permite ahora este inicio de sesión. Inicie sesión desde otro lugar o de otra manera, o pregunte a quien administra este servicio.",
    },
    signInTooWeak: {
      title: "Este inicio de sesión necesita un segundo paso",
      text: "Una regla de este servicio pide un inicio de sesión más seguro, y su cuenta no tiene un segundo paso suficiente. Inicie sesión con una llave de acceso si tiene una, o pregunte a quien administra este servicio.",
    },
    signInUnchecked: {
      title: "No se pudo comprobar su inicio de sesión",
      text: "El servicio no pudo consultar una de sus reglas, así que no ha iniciado sesión. Su cuenta no tiene ningún problema. Inténtelo de nuevo en un minuto.",
    },
    cutOff: {
      title: "Empiece de nuevo desde la aplicación",
      text: "Esta página pertenece a un inicio de sesión que se empezó en otro navegador, o el enlace está incompleto. No se ha compartido nada.",
    },
    expired: {
      title: "Esta página estuvo abierta demasiado tiempo",
      text: "El inicio de sesión empezó hace más de una hora y ya no es válido. No se ha compartido nada. Empiece de nuevo.",
    },
    finished: {
      title: "Ya ha respondido",
      text: "La aplicación tiene su respuesta. Vuelva a ella para continuar. Puede cambiar lo que puede hacer en sus aplicaciones.",
    },
    tooMuch: {
      title: "Era demasiado largo",
      text: "Ha enviado más de lo que admite esta página. No se ha cambiado nada.",
    },
    unavailable: {
      title: "Este servicio no está disponible ahora",
      text: "Una parte del servicio no responde. Espere un momento y recargue la página.",
    },
    fault: {
      title: "Se ha producido un error",
      text: "El error es nuestro, no suyo. Inténtelo de nuevo. Si se repite, contacte con quien administra este servicio e indíquele el número de abajo.",
    },
  },

  /** Why an invitation is not valid. */
  invitationEnds: {
    incomplete: {
      title: "El enlace de esta invitación está incompleto",
      text: "Falta una parte de la dirección. Abra de nuevo el enlace del mensaje o copie la dirección completa.",
    },
    expired: {
      title: "Esta invitación ha caducado",
      text: "Las invitaciones valen siete días. Pida otra a un administrador de la empresa.",
    },
    withdrawn: {
      title: "Esta invitación se ha retirado",
      text: "Un administrador la retiró o envió otra más reciente. Use el mensaje más reciente o pregunte a un administrador de la empresa.",
    },
    used: {
      title: "Esta invitación ya se ha usado",
      text: "Si la usó usted, inicie sesión para ver sus empresas. Si no, pregunte a un administrador de la empresa.",
    },
    usedByOther: {
      title: "Esta invitación ya se ha usado",
      text: "La usó otra cuenta. Si esa cuenta es suya, inicie sesión con ella. Si no, pregunte a un administrador de la empresa.",
    },
    left: {
      title: "Esta invitación ya se ha usado",
      text: "La usó usted, pero ya no pertenece a la empresa. Para volver, pida una nueva invitación a un administrador de la empresa.",
    },
    joined: {
      title: "Esta invitación ya se ha usado",
      text: "La usó usted. Encontrará la empresa entre sus empresas.",
    },
  },

  problem: {
    forDevelopers: "Para el desarrollador de la aplicación",
    reference: "Referencia",
  },

  time: {
    now: "ahora mismo",
    soon: "en un momento",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
