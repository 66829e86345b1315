/** Spanish: ways to sign in beside a password, and where one is signed in. */
import type { factors as english } from "../en/factors.ts";
import type { Translation } from "../translation.ts";

export const factors: Translation<typeof english, "one" | "other"> = {
  secondStep: {
    title: "Un paso más",
    intro: "Escriba el código que su aplicación de autenticación muestra para esta cuenta.",
    introPasskey: "Confirme con una llave de acceso que es usted.",
    as: "Inicio de sesión como {person}",
    code: "Código de 6 cifras",
    submit: "Continuar",
    lost: "¿No tiene a mano su aplicación de autenticación?",
    recovery: "Código de recuperación",
    recoveryHint: "Uno de los códigos que anotó. Cada uno sirve una vez.",
    wrong: "Ese código no es correcto o ya se usó. Espere al siguiente y escríbalo.",
    wrongRecovery: "Ese no es ninguno de sus códigos de recuperación, o ya se usó.",
    missing: "Escriba el código.",
    over: "Iniciar sesión con otra cuenta",
  },

  stronger: {
    title: "Esto requiere un inicio de sesión más seguro",
    intro:
      "{app} pide algo que su cuenta solo puede permitir tras un inicio de sesión con algo más que una contraseña. Aún no lo ha configurado.",
    introPasskey:
      "{app} pide algo que su cuenta solo puede permitir tras un inicio de sesión con una llave de acceso. Aún no ha añadido ninguna.",
    authenticator: "Configurar una aplicación de autenticación",
    passkey: "Añadir una llave de acceso",
    deny: "No permitir y volver",
  },

  passkey: {
    use: "Iniciar sesión con una llave de acceso",
    noScript:
      "Las llaves de acceso necesitan JavaScript y un navegador que las conozca. Puede iniciar sesión con su contraseña.",
    noScriptSecond:
      "Las llaves de acceso necesitan JavaScript y un navegador que las conozca. Actívelo en esta página o use otro navegador.",
    failed: "Esta llave de acceso no se puede usar aquí. Inténtelo de nuevo o inicie sesión de otra forma.",
    cancelled: "No se envió nada: la llave de acceso no se usó. Inténtelo de nuevo o inicie sesión de otra forma.",
  },

  passkeys: {
    title: "Llaves de acceso",
    intro:
      "Inicie sesión con su huella, su cara o el bloqueo de pantalla, sin contraseña. Ningún otro sitio puede hacerse con ellas.",
    unavailable: "Las llaves de acceso no se pueden usar en esta dirección.",
    add: "Añadir una llave de acceso",
    used: "usada por última vez {when}",
    unused: "nunca usada",
    synced: "Sincronizada por su proveedor",
    bound: "Solo en un dispositivo",
    remove: "Quitar",
    removeNamed: "Quitar la llave de acceso {name}",
    name: "Nombre",
    nameHint: "Para que la reconozca, por ejemplo «Portátil del trabajo».",
    addTitle: "Añadir una llave de acceso",
    addIntro:
      "Su navegador preguntará dónde guardarla: en este dispositivo, en un teléfono o en una llave de seguridad.",
    addNoScript: "Para añadir una llave de acceso, active JavaScript en esta página, en un navegador que las conozca.",
    doneAdded: "Su llave de acceso se ha añadido. Desde ahora puede iniciar sesión con ella.",
    doneRemoved:
      "La llave de acceso se ha quitado. Ya no sirve para iniciar sesión; bórrela también en su dispositivo.",
    last: "Es su única forma de iniciar sesión. Elija antes una contraseña o añada otra llave de acceso.",
    wrong: {
      failed: "Esta llave de acceso no se pudo añadir. Inténtelo de nuevo.",
      cancelled: "No se creó ninguna llave de acceso. Inténtelo de nuevo.",
      taken: "Esta llave de acceso ya está añadida.",
      full: "Ya tiene el máximo de llaves de acceso. Quite antes una.",
      name: "Póngale un nombre de 1 a 60 caracteres visibles de un solo alfabeto.",
    },
  },

  identities: {
    title: "Identidades de otros servicios",
    intro:
      "Estos servicios pueden decir a este servidor quién es usted. Las aplicaciones que ellos avalan actúan entonces en su nombre sin que usted inicie sesión aquí.",
    since: "Vinculada {when}",
    remove: "Quitar",
    removeNamed: "Quitar la identidad de {issuer}",
    ask: "¿Quitar esta identidad?",
    ends: "{issuer} ya no podrá decir aquí quién es usted.",
    stays: "Las aplicaciones conservan el acceso que tienen. Puede ponerle fin en la página «Aplicaciones».",
    again:
      "Quien gestiona este servidor puede volver a vincular la identidad. Si el servicio conoce su dirección de correo, también puede ocurrir por sí solo.",
    doneRemoved: "La identidad se ha quitado.",
    last: "Sin contraseña ni llave de acceso no podría entrar más. Elija antes una contraseña o añada una llave de acceso.",
  },

  authenticator: {
    title: "Aplicación de autenticación",
    intro: "Después de su contraseña, escribe un código que muestra una aplicación de su teléfono.",
    off: "Sin configurar.",
    earlier:
      "La aplicación de autenticación que tenía antes todavía puede confirmar que es usted si recupera la cuenta por correo electrónico. «Quitar» quita las dos.",
    setUp: "Configurar",
    replace: "Pasar a otro teléfono",
    remove: "Quitar",
    setUpTitle: "Configurar una aplicación de autenticación",
    scan: "Escanee esto con una aplicación de autenticación. La de contraseñas de su teléfono puede serlo.",
    qr: "Código QR con el secreto que aparece debajo",
    secret: "O escriba esto:",
    code: "Código de 6 cifras que la aplicación muestra ahora",
    submit: "Activar",
    wrong:
      "Ese código no es correcto. Compruebe que la hora de su teléfono lo sea y escriba el código que muestra ahora.",
    expired: "Esta página estuvo abierta demasiado tiempo. Aquí tiene un código nuevo para escanear.",
    doneRemoved: "La aplicación de autenticación se ha quitado. Desde ahora basta su contraseña para iniciar sesión.",
  },

  recovery: {
    title: "Códigos de recuperación",
    left: { one: "Queda 1 código", other: "Quedan {count} códigos" },
    none: "No quedan códigos. Cree otros antes de necesitarlos.",
    renew: "Crear códigos nuevos",
    newTitle: "Sus códigos de recuperación",
    newIntro:
      "Cada uno inicia sesión una vez, en lugar de un código de la aplicación. Imprímalos o anótelos, y guárdelos con sus papeles importantes: solo se muestran esta vez.",
    newOld: "Los códigos que tenía antes ya no sirven.",
    download: "Guardar como archivo",
    go: "Los he guardado",
  },

  sessions: {
    title: "Dónde tiene la sesión iniciada",
    intro: "Cerrar sesión no pone fin a nada de lo que permitió a las aplicaciones: para eso, vea {apps}.",
    apps: "Sus aplicaciones",
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
      "Su sesión está cerrada en todos los demás sitios. Las aplicaciones conservan el acceso que les permitió.",
  },
};
