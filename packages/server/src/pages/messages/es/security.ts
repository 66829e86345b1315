/** Spanish: the pages about how one signs in. */
import type { security as english } from "../en/security.ts";
import type { Translation } from "../translation.ts";

export const security = {
  cancel: "Cancelar",

  security: {
    title: "Seguridad",
    intro: "Cómo inicia sesión y dónde la tiene abierta.",
    password: "Contraseña",
    passwordChanged: "Cambiada {when}",
    passwordNone: "Aquí inicia sesión sin contraseña.",
    passwordChange: "Cambiar la contraseña",
    passwordSet: "Elegir una contraseña",
    passwordDone: "Su contraseña se ha cambiado.",
  },

  password: {
    title: "Cambiar su contraseña",
    titleSet: "Elegir una contraseña",
    titleMust: "Elija una contraseña nueva",
    introMust:
      "Puede que alguien más conozca la contraseña con la que ha iniciado sesión. Elija una propia y podrá continuar.",
    current: "Contraseña actual",
    new: "Contraseña nueva",
    again: "Contraseña nueva otra vez",
    hint: "8 caracteres o más. Unas cuantas palabras seguidas son difíciles de adivinar y fáciles de recordar.",
    endSessions: "Cerrar la sesión en los demás sitios",
    endApps: "Revocar el acceso de todas las aplicaciones",
    endAppsHint: "Déjelo marcado si alguien más pudo conocer su contraseña. Podrá volver a permitir sus aplicaciones.",
    submit: "Cambiar la contraseña",
    wrong: {
      current: "Esa no es su contraseña actual.",
      missing: "Introduzca una contraseña nueva.",
      stale: "Hace un rato que inició sesión. Ciérrela, vuelva a iniciarla y elija entonces una contraseña.",
      differ: "No es igual que la de arriba. Introduzca dos veces la contraseña nueva.",
      same: "Esa es la contraseña que ya tiene. Elija otra.",
      malformed: "Esta contraseña tiene un carácter que no se puede usar. Elija otra.",
      short: "Es demasiado corta. Una contraseña tiene 8 caracteres o más.",
      long: "Es demasiado larga. Una contraseña tiene 1024 bytes como máximo.",
      name: "Su propio nombre es lo primero que otros prueban. Elija otra contraseña.",
      common: "Muchas personas tienen esta contraseña, por eso es de las primeras que se prueban. Elija otra.",
    },
  },

  recover: {
    link: "¿Ha olvidado su contraseña?",
    title: "Elegir una contraseña nueva",
    intro: "Introduzca su nombre de usuario o su correo electrónico. Le enviaremos un enlace.",
    login: "Nombre de usuario o correo electrónico",
    submit: "Enviar el enlace",
    missing: "Introduzca su nombre de usuario o su correo electrónico.",
    stale: "Esta página ha estado abierta demasiado tiempo, o su navegador rechaza las cookies. Inténtelo otra vez.",
    submitNew: "Usar esta contraseña",
    doneTitle: "Su contraseña se ha cambiado",
  },

  sent: {
    title: "Revise su bandeja de entrada",
    recover: "Si existe esa cuenta, un enlace va de camino a su correo electrónico. Sirve una vez, durante 15 minutos.",
    signUp: "Un mensaje va de camino a {email}. Su enlace sirve una vez, durante una hora.",
    hint: "¿Nada después de unos minutos? Mire entre el correo no deseado o pídalo otra vez.",
    full: "Hay demasiados mensajes pendientes de envío, así que no se le ha enviado nada. Inténtelo dentro de unos minutos.",
    back: "Volver al inicio de sesión",
  },

  link: {
    goneTitle: "Este enlace ya no funciona",
    goneText: "Ya se usó, es demasiado antiguo o está incompleto. No se ha cambiado nada.",
    again: "Pedir un enlace nuevo",
    anotherBrowserTitle: "Este enlace no funciona en este navegador",
    anotherBrowserText:
      "Solo funciona en el navegador que usa con esta cuenta desde hace más tiempo. Abra el enlace allí. Si ya no tiene ese navegador, pida ayuda a quien administra {product}. No se ha cambiado nada.",
    takenTitle: "Esta dirección no se puede usar",
    takenText: "Otra cuenta ya la tiene. No se ha cambiado nada.",
    account: "Ir a su cuenta",
  },

  signUp: {
    link: "Crear una cuenta",
    title: "Crear una cuenta",
    intro: "Enviamos a su correo electrónico un enlace con el que continuar.",
    email: "Correo electrónico",
    submit: "Enviar el enlace",
    emailWrong: "Eso no es un correo electrónico. Tiene la forma nombre@example.com.",
    newText: "Su correo electrónico es {email}.",
    username: "Nombre de usuario",
    usernameHint: "Letras, cifras y . _ - sin espacios. Con él inicia sesión.",
    name: "Su nombre",
    nameHint: "Como deben verlo los demás. Puede dejarlo vacío.",
    again: "Contraseña otra vez",
    create: "Crear la cuenta",
    usernameWrong:
      "Un nombre de usuario solo tiene letras, cifras y . _ -, 64 como máximo, de un solo alfabeto, y empieza por una letra o una cifra.",
    usernameTaken: "Alguien ya tiene ese nombre de usuario. Elija otro.",
    nameWrong:
      "Eso no se puede mostrar. Un nombre tiene hasta 120 caracteres en una línea, en un solo alfabeto, y ninguno invisible.",
  },

  confirm: {
    verifyTitle: "¿Es este su correo electrónico?",
    verifyText: "{email} figura en la cuenta {person}. Confirme solo si ambos son suyos.",
    changeTitle: "¿Cambiar su correo electrónico?",
    changeText: "La cuenta {person} recibe la dirección {email}. Confirme solo si ambas son suyas.",
    yes: "Sí, todo es mío",
    doneTitle: "Gracias",
    doneText: "{email} es la dirección verificada de la cuenta {person}.",
    undoTitle: "Deshacer el cambio",
    undoSubmit: "Deshacerlo",
    undoneTitle: "La cuenta vuelve a ser suya",
    undoneText: "Tiene la dirección {email}, como antes. Inicie sesión con la contraseña nueva.",
  },

  profile: {
    title: "Perfil",
    intro: "Quién es usted aquí.",
    username: "Nombre de usuario",
    name: "Nombre",
    nameSave: "Guardar",
    nameSaved: "Su nombre se ha cambiado.",
    email: "Correo electrónico",
    verified: "Verificado",
    unverified: "Sin verificar",
    verify: "Enviar un enlace para verificarlo",
    verifySent: "Un mensaje va de camino a {email}. Su enlace sirve una vez, durante una hora.",
    change: "Cambiar",
    newEmail: "Correo electrónico nuevo",
    changeSubmit: "Enviarle un enlace",
    changeSent:
      "Un mensaje va de camino a {email}. Su dirección cambia cuando abra el enlace. Sirve una vez, durante una hora.",
    changeSame: "Esa ya es su dirección.",
    tooMany: "Se han pedido demasiados mensajes. Inténtelo dentro de una hora.",
    data: "Sus datos",
    dataText: "Todo lo que se guarda aquí sobre usted, en un archivo para usted.",
    download: "Descargar",
    delete: "Eliminar su cuenta",
    deleteText: "Con todo lo que se guarda aquí sobre usted.",
    deleteLink: "Eliminar la cuenta",
    pending: "Su cuenta se eliminará el {when}.",
    keep: "Conservar mi cuenta",
    kept: "Su cuenta se conserva.",
  },

  dataExport: {
    title: "Descargar sus datos",
    text: "Un archivo (JSON) con todo lo que se guarda aquí sobre usted: cuenta, inicios de sesión, aplicaciones, empresas e historial.",
    care: "Guárdelo donde nadie más pueda leerlo.",
    back: "Volver al perfil",
  },

  deletion: {
    title: "¿Eliminar su cuenta?",
    text: "Se elimina el {when}. Hasta entonces puede iniciar sesión y conservarla. Después nadie puede recuperarla.",
    now: "Al momento, las aplicaciones pierden su acceso y se cierra su sesión en los demás sitios.",
    later:
      "Después desaparece todo lo que se guarda aquí sobre usted, y otros pueden tomar su nombre de usuario y su dirección.",
    submit: "Eliminar mi cuenta",
    keep: "Conservarla",
    soleAdmin:
      "Usted es la única persona que administra {companies}. Encargue eso antes a otra persona, o hable con quien lleva este servicio.",
  },
} as const satisfies Translation<typeof english, "one" | "other">;
