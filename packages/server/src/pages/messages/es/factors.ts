/** Spanish: ways to sign in beside a password, and where one is signed in. */
import type { factors as english } from "../en/factors.ts";
import type { Translation } from "../translation.ts";

export const factors: Translation<typeof english, "one" | "other"> = {
  secondStep: {
    title: "Un paso más",
    intro: "Escribe el código que tu aplicación de autenticación muestra para esta cuenta.",
    introPasskey: "Confirma con una llave de acceso que eres tú.",
    as: "Inicio de sesión como {person}",
    code: "Código de 6 cifras",
    submit: "Continuar",
    lost: "¿No tienes a mano tu aplicación de autenticación?",
    recovery: "Código de recuperación",
    recoveryHint: "Uno de los códigos que anotaste. Cada uno sirve una vez.",
    wrong: "Ese código no es correcto o ya se usó. Espera al siguiente y escríbelo.",
    wrongRecovery: "Ese no es ninguno de tus códigos de recuperación, o ya se usó.",
    missing: "Escribe el código.",
    over: "Iniciar sesión con otra cuenta",
  },

  stronger: {
    title: "Esto requiere un inicio de sesión más seguro",
    intro:
      "{app} pide algo que tu cuenta solo puede permitir tras un inicio de sesión con algo más que una contraseña. Aún no lo has configurado.",
    introPasskey:
      "{app} pide algo que tu cuenta solo puede permitir tras un inicio de sesión con una llave de acceso. Aún no has añadido ninguna.",
    authenticator: "Configurar una aplicación de autenticación",
    passkey: "Añadir una llave de acceso",
    deny: "No permitir y volver",
  },

  passkey: {
    use: "Iniciar sesión con una llave de acceso",
    noScript:
      "Las llaves de acceso necesitan JavaScript y un navegador que las conozca. Puedes iniciar sesión con tu contraseña.",
    failed: "Esta llave de acceso no se puede usar aquí. Inténtalo de nuevo o inicia sesión de otra forma.",
    cancelled: "No se envió nada: la llave de acceso no se usó. Inténtalo de nuevo o inicia sesión de otra forma.",
  },

  passkeys: {
    title: "Llaves de acceso",
    intro:
      "Inicia sesión con tu huella, tu cara o el bloqueo de pantalla, sin contraseña. Ningún otro sitio puede reenviarlas.",
    unavailable: "Las llaves de acceso no se pueden usar en esta dirección.",
    add: "Añadir una llave de acceso",
    added: "Añadida {when}",
    used: "usada por última vez {when}",
    unused: "nunca usada",
    synced: "Sincronizada por su proveedor",
    bound: "Solo en un dispositivo",
    remove: "Quitar",
    removeNamed: "Quitar la llave de acceso {name}",
    name: "Nombre",
    nameHint: "Para que la reconozcas, por ejemplo «Portátil del trabajo».",
    addTitle: "Añadir una llave de acceso",
    addIntro:
      "Tu navegador preguntará dónde guardarla: en este dispositivo, en un teléfono o en una llave de seguridad.",
    addNoScript: "Para añadir una llave de acceso, activa JavaScript en esta página, en un navegador que las conozca.",
    doneAdded: "Tu llave de acceso se ha añadido. Desde ahora puedes iniciar sesión con ella.",
    doneRemoved:
      "La llave de acceso se ha quitado. Ya no sirve para iniciar sesión; bórrala también en tu dispositivo.",
    last: "Es tu única forma de iniciar sesión. Elige antes una contraseña o añade otra llave de acceso.",
    wrong: {
      failed: "Esta llave de acceso no se pudo añadir. Inténtalo de nuevo.",
      cancelled: "No se creó ninguna llave de acceso. Inténtalo de nuevo.",
      taken: "Esta llave de acceso ya está añadida.",
      full: "Tienes todas las llaves de acceso que puede haber. Quita antes una.",
      name: "Ponle un nombre de 1 a 60 caracteres.",
    },
  },

  authenticator: {
    title: "Aplicación de autenticación",
    intro: "Después de tu contraseña, escribes un código que muestra una aplicación de tu teléfono.",
    off: "Sin configurar",
    on: "Configurada {when}",
    setUp: "Configurar",
    replace: "Pasar a otro teléfono",
    remove: "Quitar",
    setUpTitle: "Configurar una aplicación de autenticación",
    scan: "Escanea esto con una aplicación de autenticación, por ejemplo la de contraseñas de tu teléfono.",
    qr: "Código QR con el secreto que aparece debajo",
    secret: "O escribe esto:",
    code: "Código de 6 cifras que la aplicación muestra ahora",
    submit: "Activar",
    wrong:
      "Ese código no es correcto. Comprueba que el reloj de tu teléfono lo sea y escribe el código que muestra ahora.",
    expired: "Esta página estuvo abierta demasiado tiempo. Aquí tienes un código nuevo para escanear.",
    doneRemoved: "La aplicación de autenticación se ha quitado. Desde ahora basta tu contraseña para iniciar sesión.",
  },

  recovery: {
    title: "Códigos de recuperación",
    left: { one: "Queda 1 código", other: "Quedan {count} códigos" },
    none: "No quedan códigos. Crea otros antes de necesitarlos.",
    renew: "Crear códigos nuevos",
    newTitle: "Tus códigos de recuperación",
    newIntro:
      "Cada uno inicia sesión una vez, en lugar de un código de la aplicación. Guárdalos con tus papeles importantes: solo se muestran esta vez.",
    newOld: "Los códigos que tenías antes ya no sirven.",
    go: "Los he guardado",
  },

  sessions: {
    title: "Dónde tienes la sesión iniciada",
    intro: "Cerrar sesión no pone fin a nada de lo que permitiste a las aplicaciones: para eso, mira {apps}.",
    apps: "Tus aplicaciones",
    here: "Este navegador",
    device: "{browser} en {system}",
    unknown: "Navegador desconocido",
    from: "desde {place}",
    since: "Sesión iniciada {when}",
    seen: "vista por última vez {when}",
    end: "Cerrar sesión",
    endNamed: "Cerrar la sesión de {device}, vista por última vez {when}",
    endOthers: "Cerrar sesión en todos los demás sitios",
    endAll: "Cerrar sesión en todas partes",
    doneOne: "La sesión de ese navegador está cerrada.",
    doneOthers:
      "Tu sesión está cerrada en todos los demás sitios. Las aplicaciones conservan el acceso que les permitiste.",
  },
};
