/** Spanish: passwords, sign-up, e-mail addresses, the profile and deletion. */
import type { security as english } from "../en/security.ts";
import type { Translation } from "../translation.ts";

export const security = {
  cancel: "Cancelar",

  security: {
    title: "Seguridad",
    back: "Volver a «Seguridad»",
    intro: "Cómo inicia sesión y dónde la tiene iniciada.",
    password: "Contraseña",
    passwordSince: "Establecida {when}",
    passwordNone: "No tiene contraseña.",
    passwordUnknown: "Su contraseña ya no funciona, porque se recuperaron sus formas de iniciar sesión.",
    passwordByMail: "Elija una nueva con un enlace que le enviamos.",
    emailMoved:
      "La dirección de correo de la cuenta se cambió el {when}. Si no fue usted, pida el enlace con su dirección anterior, no con su nombre de usuario. Recupera la dirección y le permite elegir una contraseña nueva.",
    passwordAsk: "Pida una nueva a quien administra {product}.",
    passwordChange: "Cambiar la contraseña",
    passwordSet: "Elegir una contraseña",
    passwordDone: "Se ha guardado su nueva contraseña.",
    companyAppsEnded: "Si conectó aplicaciones para una empresa, debe conectarlas de nuevo.",
  },

  password: {
    title: "Cambiar su contraseña",
    titleSet: "Elegir una contraseña",
    titleMust: "Elija una contraseña nueva",
    introMust:
      "Puede que alguien más conozca la contraseña con la que ha iniciado sesión. Elija una nueva para continuar.",
    current: "Contraseña actual",
    new: "Contraseña nueva",
    again: "Confirmar la contraseña nueva",
    hint: "Al menos 8 caracteres. Unas cuantas palabras al azar son difíciles de adivinar y fáciles de recordar.",
    endSessions: "Cerrar sesión en todos los demás sitios",
    endApps: "Revocar el acceso de todas las aplicaciones",
    endAppsHint:
      "Déjelo seleccionado si alguien más puede conocer su contraseña. Podrá volver a permitir sus aplicaciones más tarde.",
    endAppsIf:
      "Selecciónelo si alguien más puede haber usado su cuenta. Podrá volver a permitir sus aplicaciones más tarde.",
    show: "Mostrar",
    hide: "Ocultar",
    showLabel: "Mostrar la contraseña",
    hideLabel: "Ocultar la contraseña",
    strength: { short: "Demasiado corta", weak: "Débil: fácil de adivinar", good: "Buena", strong: "Fuerte" },
    submit: "Cambiar la contraseña",
    wrong: {
      noCurrent: "Introduzca su contraseña actual.",
      unknown: "Su contraseña ya no funciona. Elija primero una nueva en «Seguridad».",
      current: "Esa no es su contraseña actual.",
      missing: "Introduzca una contraseña nueva.",
      stale: "Hace un rato que inició sesión. Cierre sesión, vuelva a iniciarla y elija una contraseña.",
      differ: "No coincide con la contraseña de arriba. Introduzca dos veces la misma contraseña.",
      same: "Esa ya es su contraseña. Elija otra.",
      malformed: "Esta contraseña tiene un carácter que no se puede usar. Elija otra.",
      short: "Demasiado corta. Use al menos 8 caracteres.",
      long: "Demasiado larga. Use como máximo 1024 bytes.",
      name: "Demasiado fácil de adivinar, porque es su nombre. Elija otra.",
      common: "Demasiado común. Elija otra.",
    },
  },

  recover: {
    link: "¿Ha olvidado su contraseña?",
    title: "Elegir una contraseña nueva",
    intro: "Introduzca su nombre de usuario o su correo electrónico. Le enviaremos un enlace.",
    login: "Nombre de usuario o correo electrónico",
    submit: "Enviar el enlace",
    missing: "Introduzca su nombre de usuario o su correo electrónico.",
    stale: "Esta página estuvo abierta demasiado tiempo o su navegador bloquea las cookies. Inténtelo de nuevo.",
    submitNew: "Guardar la contraseña",
    doneTitle: "Su contraseña se ha cambiado",
  },

  sent: {
    title: "Revise su bandeja de entrada",
    recover:
      "Si existe una cuenta con contraseña y correo electrónico verificado, hemos enviado un enlace por correo. El enlace funciona una sola vez, durante 15 minutos.",
    signUp: "Hemos enviado un mensaje a {email}. Su enlace funciona una sola vez, durante una hora.",
    hint: "¿No hay ningún mensaje después de unos minutos? Compruebe la carpeta de correo no deseado o pídalo de nuevo.",
    recoverHint:
      "¿No hay ningún mensaje después de unos minutos? Compruebe la carpeta de correo no deseado o pídalo de nuevo. Si no llega ninguno, pida ayuda a quien administra {product}.",
    full: "Hay demasiados mensajes en espera, así que no hemos podido enviar el suyo. Inténtelo de nuevo en unos minutos.",
    back: "Volver al inicio de sesión",
  },

  link: {
    incomplete: {
      title: "Este enlace está incompleto",
      text: "Falta una parte de la dirección. Abra de nuevo el enlace del mensaje o copie la dirección completa. No se ha cambiado nada.",
    },
    expired: { title: "Este enlace ha caducado", text: "Caducó {when}. No se ha cambiado nada." },
    used: { title: "Este enlace ya se ha usado", text: "Solo funciona una vez. Esta vez no se ha cambiado nada." },
    ended: { title: "Este enlace ya no funciona", text: "Ya se ha usado o ha caducado. No se ha cambiado nada." },
    overtaken: {
      title: "Este enlace ya no funciona",
      text: "Ya se ha usado, ha caducado o un cambio de su cuenta lo ha anulado, por ejemplo una contraseña nueva. Esta vez no se ha cambiado nada.",
    },
    usedSignUp: "Ya existe una cuenta con esta dirección.",
    usedEnter: "Inicie sesión con ella.",
    usedByYou: "Con él se creó su cuenta.",
    usedByAnother: "Ya existe una cuenta con esta dirección. Para usarla, cierre antes la sesión.",
    again: "Pedir un enlace nuevo",
    anotherBrowserTitle: "Este enlace no funciona en este navegador",
    anotherBrowserText:
      "Solo funciona en el navegador que usa con esta cuenta desde hace más tiempo. Ábralo en ese navegador. Si ya no lo tiene, pida ayuda a quien administra {product}. No se ha cambiado nada.",
    takenTitle: "Esta dirección no se puede usar",
    takenText: "Otra cuenta ya la usa. No se ha cambiado nada.",
    account: "Ir a su cuenta",
  },

  signUp: {
    link: "Crear una cuenta",
    title: "Crear una cuenta",
    intro: "Le enviaremos un enlace para continuar.",
    email: "Correo electrónico",
    submit: "Enviar el enlace",
    emailWrong: "Introduzca un correo electrónico, por ejemplo nombre@example.com.",
    newText: "Su correo electrónico es {email}.",
    username: "Nombre de usuario",
    usernameHint: "Letras, cifras y . _ - sin espacios. Lo usará para iniciar sesión.",
    name: "Su nombre",
    nameHint: "Así le ven los demás. Opcional.",
    again: "Confirmar la contraseña",
    create: "Crear la cuenta",
    usernameWrong:
      "Use solo letras de un mismo alfabeto, cifras y . _ -, 64 caracteres como máximo. Empiece por una letra o una cifra.",
    usernameTaken: "Ese nombre de usuario ya está en uso. Elija otro.",
    nameWrong: "Este nombre no se puede usar. Use hasta 120 caracteres visibles, en una línea y en un solo alfabeto.",
  },

  waiting: {
    signInTitle: "Inicie sesión para unirse a {company}",
    invitedBy: {
      member: "{person} le ha invitado a unirse a {company} como miembro.",
      admin: "{person} le ha invitado a unirse a {company} como administrador.",
    },
    invited: {
      member: "Tiene una invitación para unirse a {company} como miembro.",
      admin: "Tiene una invitación para unirse a {company} como administrador.",
    },
    promotedBy: "{person} le invita a ser administrador de {company}, de la que ya es miembro.",
    promoted: "Tiene una invitación para ser administrador de {company}, de la que ya es miembro.",
    invitedNeedlessly:
      "{person} le ha invitado a {company}, pero usted ya pertenece a ella. Esta invitación no cambia nada.",
    invitedOnly: "Use el nombre de usuario o el correo electrónico para el que es la invitación.",
    invitedAddress: "Use el correo electrónico para el que es la invitación.",
    onward: {
      app: "Ya puede continuar a {app}.",
      device: "Ya puede conectar su dispositivo si todavía muestra su código.",
    },
    next: {
      app: "Después continuará a {app}.",
      device: "Después podrá conectar su dispositivo si todavía muestra su código.",
    },
    sent: {
      app: "Abra el enlace en este navegador para continuar a {app}. Si lo abre en otro dispositivo, vuelva después a esta página.",
      device:
        "Abra el enlace en este navegador para conectar su dispositivo. Si lo abre en otro sitio, vuelva después a esta página. El código del dispositivo solo vale unos minutos. Puede obtener uno nuevo en el dispositivo.",
      invitation:
        "Abra el enlace en este navegador para unirse a {company}. Si lo abre en otro dispositivo, vuelva después a esta página.",
    },
    elsewhere: {
      app: "Para continuar a {app}, vuelva al navegador en el que empezó e inicie sesión allí.",
      device:
        "Si su dispositivo todavía muestra su código, vuelva al navegador en el que empezó e inicie sesión allí para conectarlo.",
      invitation:
        "Para unirse a {company}, vuelva al navegador en el que empezó o abra de nuevo el enlace de la invitación.",
    },
    elsewhereFirst: {
      app: "Empezó en otro navegador. Cree su cuenta aquí. Después vuelva al navegador en el que empezó para continuar a {app}.",
      device:
        "Empezó en otro navegador. Cree su cuenta aquí. Si entonces su dispositivo todavía muestra su código, vuelva al navegador en el que empezó para conectarlo.",
      invitation:
        "Empezó en otro navegador. Cree su cuenta aquí. Después vuelva al navegador en el que empezó para unirse a {company}.",
    },
    expired: "La solicitud de {app} ha caducado, porque empezó hace más de una hora. Empiece de nuevo.",
    expiredFirst: "La solicitud de {app} ha caducado. Cree su cuenta y después empiece de nuevo desde {app}.",
    withdrawn:
      "La invitación a {company} ya no es válida. Use la invitación más reciente o pregunte a un administrador de {company}.",
    withdrawnFirst:
      "La invitación a {company} ya no es válida. Aun así, puede crear su cuenta. Para unirse a {company}, necesita una invitación nueva.",
    readyTitle: "Su cuenta está lista",
    readyText: "Ha iniciado sesión como {person} en este navegador.",
    gone: "Si una aplicación o una empresa le envió aquí, vuelva a ella y empiece de nuevo.",
  },

  confirm: {
    verifyTitle: "¿Es este su correo electrónico?",
    verifyText: "{email} es el correo electrónico de la cuenta {person}. Confirme solo si ambos son suyos.",
    changeTitle: "¿Cambiar su correo electrónico?",
    changeText: "El correo electrónico de la cuenta {person} pasará a ser {email}. Confirme solo si ambos son suyos.",
    yes: "Sí, ambos son míos",
    doneTitle: "Correo electrónico confirmado",
    doneText: "{email} es ahora el correo electrónico verificado de la cuenta {person}.",
    undoTitle: "Deshacer el cambio de correo electrónico",
    undoSubmit: "Deshacer el cambio",
    undoneTitle: "La cuenta vuelve a ser suya",
    undoneText: "Su correo electrónico vuelve a ser {email}. Inicie sesión con la contraseña nueva.",
  },

  profile: {
    title: "Perfil",
    intro: "Su nombre, su correo electrónico y sus datos.",
    username: "Nombre de usuario",
    name: "Nombre",
    nameSave: "Guardar",
    nameSaved: "Su nombre se ha cambiado.",
    picture: "Foto",
    pictureText:
      "Opcional. Las aplicaciones a las que permita ver su perfil pueden mostrar su foto. Cualquiera que conozca su dirección puede abrirla.",
    pictureFile: "Archivo de la foto",
    pictureHint:
      "PNG, JPEG, WebP o GIF, como máximo 8 MB. Guardamos el centro como un cuadrado pequeño, sin el lugar ni la hora de la foto.",
    pictureSave: "Subir",
    pictureRemove: "Quitar",
    pictureSaved: "Su foto se ha cambiado.",
    pictureRemoved: "Su foto se ha quitado.",
    pictureWrong: {
      none: "Elija primero un archivo.",
      too_large: "El archivo supera los 8 MB. Elija uno más pequeño.",
      no_picture: "El archivo no es una imagen PNG, JPEG, WebP o GIF. Elija otro.",
      unreadable: "No podemos leer esta imagen. Está dañada o es demasiado grande. Elija otra.",
      too_many: "Ha subido demasiadas fotos. Inténtelo de nuevo dentro de una hora.",
      busy: "Están llegando demasiados archivos. Inténtelo de nuevo dentro de un minuto.",
    },
    about: "Sobre usted",
    aboutText:
      "Todos estos datos son opcionales. Las aplicaciones a las que permita ver su perfil, su número de teléfono o su dirección postal pueden leerlos.",
    detailsSaved: "Sus datos se han cambiado.",
    details: {
      givenName: "Nombre de pila",
      middleName: "Segundo nombre",
      familyName: "Apellidos",
      nickname: "Apodo",
      birthdate: "Fecha de nacimiento",
      gender: "Género",
      locale: "Idioma y región",
      zoneinfo: "Zona horaria",
      website: "Sitio web",
      profileUrl: "Página de perfil en otro sitio web",
      phoneNumber: "Número de teléfono",
      street: "Calle y número",
      postalCode: "Código postal",
      locality: "Ciudad o localidad",
      region: "Provincia o estado",
      country: "País",
    },
    detailHints: {
      locale: "Por ejemplo: es-MX",
      zoneinfo: "Por ejemplo: Europe/Madrid",
      website: "Por ejemplo: https://ada.example",
      profileUrl: "Por ejemplo, en una red social",
      phoneNumber: "Con el prefijo del país, por ejemplo: +34 912 34 56 78",
    },
    detailWrong: {
      text: "Use caracteres visibles, en una sola línea y en un solo alfabeto, o un texto más corto.",
      birthdate: "Indique una fecha entre 1800 y hoy.",
      locale: "Indique un código de idioma, por ejemplo: es-MX",
      zoneinfo: "Indique el nombre de una zona horaria, por ejemplo: Europe/Madrid",
      website: "Indique la dirección completa, de 500 caracteres como máximo, por ejemplo: https://ada.example",
      profileUrl: "Indique la dirección completa, de 500 caracteres como máximo, por ejemplo: https://ada.example",
      phoneNumber: "Indique el número con el prefijo del país, por ejemplo: +34 912 34 56 78",
    },
    email: "Correo electrónico",
    verified: "Verificado",
    unverified: "No verificado",
    unverifiedText:
      "Mientras no esté verificado, no podemos enviarle un enlace si olvida su contraseña, y no enviamos mensajes sobre los cambios de su cuenta.",
    verify: "Enviar un enlace de verificación",
    verifySent: "Hemos enviado un mensaje a {email}. Su enlace funciona una sola vez, durante una hora.",
    change: "Cambiar",
    newEmail: "Correo electrónico nuevo",
    changeSubmit: "Enviar un enlace",
    changeSent:
      "Hemos enviado un mensaje a {email}. Abra su enlace para cambiar el correo electrónico. El enlace funciona una sola vez, durante una hora.",
    changeSame: "Ese ya es su correo electrónico.",
    tooMany: "Se han pedido demasiados mensajes. Inténtelo de nuevo en una hora.",
    data: "Sus datos",
    dataText: "Descargue todo lo que guardamos sobre usted.",
    download: "Descargar",
    delete: "Eliminar su cuenta",
    deleteText: "Esto elimina su cuenta y todos sus datos propios.",
    deleteLink: "Eliminar la cuenta",
    pending: "Su cuenta se eliminará el {when}.",
    keep: "Conservar mi cuenta",
    kept: "Su cuenta se conservará.",
  },

  dataExport: {
    title: "Descargar sus datos",
    text: "Un archivo (JSON) con todo lo que guardamos sobre usted: cuenta, inicios de sesión, aplicaciones, empresas e historial.",
    care: "Guárdelo donde nadie más pueda leerlo.",
    back: "Volver al perfil",
  },

  deletion: {
    title: "¿Eliminar su cuenta?",
    text: "Se eliminará el {when}. Hasta entonces, puede iniciar sesión y elegir «Conservar mi cuenta». Después, nadie puede recuperarla.",
    now: "De inmediato se cierra su sesión en todos los demás sitios y se desconectan todas las aplicaciones.",
    notBack: "No vuelve si conserva su cuenta.",
    later:
      "Ese día se eliminan su cuenta y todos sus datos propios, y otros pueden usar su nombre de usuario y su correo electrónico.",
    stays:
      "Las empresas conservan el historial de lo que usted hizo por ellas, sin su nombre. Las aplicaciones conservan los datos que ya tienen.",
    submit: "Eliminar mi cuenta",
    keep: "Conservar mi cuenta",
    soleAdmin:
      "Todavía no puede eliminar su cuenta, porque es el único administrador de {companies}. Nombre antes a otro administrador o consulte a quien administra este servicio.",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
