/** Spanish: passkeys, authenticator apps, recovery codes, other identities and sessions. */
import type { factors as english } from "../en/factors.ts";
import type { Translation } from "../translation.ts";

export const factors: Translation<typeof english, "one" | "other"> = {
  secondStep: {
    title: "Un paso más",
    intro: "Introduzca el código que su aplicación de autenticación muestra para esta cuenta.",
    introPasskey: "Use una llave de acceso para confirmar que es usted.",
    as: "Inicio de sesión como {person}",
    code: "Código de 6 cifras",
    submit: "Continuar",
    lost: "¿No tiene su aplicación de autenticación?",
    recovery: "Código de recuperación",
    recoveryHint: "Uno de los códigos que guardó. Cada uno funciona una sola vez.",
    wrong: "Ese código es incorrecto o ya se ha usado. Espere al siguiente código e introdúzcalo.",
    wrongRecovery: "Ese no es uno de sus códigos de recuperación, o ya se ha usado.",
    untrustedRecovery:
      "Este código se creó o se recuperó en un navegador que era nuevo para su cuenta, así que aquí no puede confirmar que es usted. Use un código de recuperación más antiguo o su aplicación de autenticación.",
    untrustedPasskey:
      "Esta llave de acceso se añadió en un navegador que era nuevo para su cuenta, así que aquí no puede confirmar que es usted. Use otra llave de acceso. Con esta todavía puede iniciar sesión.",
    missing: "Introduzca el código.",
    over: "Usar otra cuenta",
  },

  stronger: {
    title: "Esto requiere un inicio de sesión más seguro",
    intro: "{app} pide un acceso que requiere un segundo paso al iniciar sesión. Aún no lo ha configurado.",
    introPasskey:
      "{app} pide un acceso que requiere iniciar sesión con una llave de acceso. Aún no ha añadido ninguna.",
    elsewhere: "También puede iniciar sesión con un servicio que le pida un segundo paso:",
    authenticator: "Configurar una aplicación de autenticación",
    passkey: "Añadir una llave de acceso",
    deny: "No permitir y volver",
  },

  passkey: {
    use: "Iniciar sesión con una llave de acceso",
    noScript:
      "Las llaves de acceso necesitan JavaScript y un navegador compatible. Puede iniciar sesión con su contraseña.",
    noScriptSecond:
      "Las llaves de acceso necesitan JavaScript y un navegador compatible. Active JavaScript en esta página o use otro navegador.",
    failed: "Esta llave de acceso no se puede usar aquí. Inténtelo de nuevo o inicie sesión de otra forma.",
    cancelled: "La llave de acceso no se ha usado. Inténtelo de nuevo o inicie sesión de otra forma.",
  },

  passkeys: {
    title: "Llaves de acceso",
    intro:
      "Inicie sesión con su huella, su cara o el bloqueo de pantalla en lugar de una contraseña. Ningún otro sitio puede usar su llave de acceso.",
    unavailable: "Las llaves de acceso no se pueden usar en esta dirección.",
    add: "Añadir una llave de acceso",
    used: "último uso: {when}",
    unused: "nunca usada",
    synced: "Sincronizada por su proveedor",
    bound: "Solo en un dispositivo",
    remove: "Eliminar",
    removeNamed: "Eliminar la llave de acceso {name}",
    ask: "¿Eliminar esta llave de acceso?",
    ends: "Ya no podrá iniciar sesión con «{name}».",
    name: "Nombre",
    nameHint: "Por ejemplo, «Portátil del trabajo».",
    addTitle: "Añadir una llave de acceso",
    addIntro:
      "Su navegador preguntará dónde guardarla: en este dispositivo, en un teléfono o en una llave de seguridad.",
    addNoScript: "Para añadir una llave de acceso, active JavaScript en esta página en un navegador compatible.",
    doneAdded: "Su llave de acceso se ha añadido. Ya puede iniciar sesión con ella.",
    doneRemoved: "La llave de acceso se ha eliminado y ya no funciona. Elimínela también en su dispositivo.",
    last: "Es su única forma de iniciar sesión. Elija antes una contraseña o añada otra llave de acceso.",
    wrong: {
      failed: "Esta llave de acceso no se ha podido añadir. Inténtelo de nuevo.",
      cancelled: "No se ha creado ninguna llave de acceso. Inténtelo de nuevo.",
      taken: "Ya ha añadido esta llave de acceso.",
      full: "Tiene el número máximo de llaves de acceso. Elimine antes una.",
      name: "Introduzca un nombre de 1 a 60 caracteres visibles de un solo alfabeto.",
    },
  },

  identities: {
    title: "Identidades de otros servicios",
    intro:
      "Estos servicios pueden confirmar quién es usted. Las aplicaciones que ellos avalan pueden entonces actuar en su nombre sin que inicie sesión aquí.",
    since: "Vinculada {when}",
    remove: "Eliminar",
    removeNamed: "Eliminar la identidad de {issuer}",
    ask: "¿Eliminar esta identidad?",
    ends: "{issuer} ya no podrá confirmar aquí quién es usted.",
    stays: "Las aplicaciones conservan el acceso que tienen. Puede revocarlo en «Aplicaciones».",
    again:
      "Quien administra este servicio puede volver a vincular la identidad. Si el otro servicio conoce su correo electrónico, también se puede vincular automáticamente.",
    doneRemoved: "La identidad se ha eliminado.",
    last: "Sin contraseña ni llave de acceso ya no podría iniciar sesión. Elija antes una contraseña o añada una llave de acceso.",
  },

  authenticator: {
    title: "Aplicación de autenticación",
    intro: "Después de su contraseña, introduce un código de una aplicación de su teléfono.",
    off: "No configurada.",
    earlier:
      "Su aplicación de autenticación anterior todavía puede confirmar que es usted cuando recupere la cuenta por correo electrónico. «Eliminar» elimina las dos.",
    setUp: "Configurar",
    replace: "Pasar a otro teléfono",
    remove: "Eliminar",
    ask: "¿Eliminar la aplicación de autenticación?",
    ends: "Después ya no se pedirá ningún código al iniciar sesión. Sus códigos de recuperación también dejarán de funcionar.",
    setUpTitle: "Configurar una aplicación de autenticación",
    scan: "Escanee esto con una aplicación de autenticación. La aplicación de contraseñas de su teléfono puede ser una.",
    qr: "Código QR con la clave que aparece debajo",
    open: "Abrir en una aplicación de autenticación",
    secret: "O introduzca esta clave:",
    code: "Código de 6 cifras de la aplicación",
    submit: "Activar",
    wrong: "Ese código es incorrecto. Compruebe que la hora de su teléfono es correcta e introduzca el código actual.",
    expired: "Esta página estuvo abierta demasiado tiempo. Aquí tiene un código nuevo para escanear.",
    doneRemoved: "La aplicación de autenticación se ha eliminado. Ya no se le pide un código después de la contraseña.",
  },

  recovery: {
    title: "Códigos de recuperación",
    left: { one: "Queda 1 código", other: "Quedan {count} códigos" },
    none: "No quedan códigos. Cree códigos nuevos antes de necesitarlos.",
    renew: "Crear códigos nuevos",
    newer:
      "Esta vez no se ha cambiado nada. Sus códigos de recuperación más recientes siguen siendo válidos, pero se muestran solo una vez. Si no los guardó, cree otros nuevos.",
    newTitle: "Sus códigos de recuperación",
    newIntro:
      "Cada código sirve para iniciar sesión una vez, en lugar de un código de la aplicación. Imprímalos o anótelos, y guárdelos en un lugar seguro. Solo se muestran una vez.",
    newOld: "Sus códigos anteriores ya no funcionan.",
    newOldKept:
      "Sus códigos anteriores ya no sirven para iniciar sesión. Consérvelos: todavía confirman que es usted cuando recupere la cuenta por correo electrónico.",
    untrusted:
      "Los códigos creados o recuperados en un navegador nuevo para su cuenta no pueden confirmar que es usted cuando recupere la cuenta por correo electrónico. Cree códigos otra vez cuando haya usado un navegador durante 7 días.",
    download: "Guardar como archivo",
    go: "Los he guardado",
  },

  sessions: {
    title: "Dónde tiene la sesión iniciada",
    intro: "Cerrar sesión no cambia lo que pueden hacer las aplicaciones. Para cambiarlo, vaya a {apps}.",
    apps: "Sus aplicaciones",
    here: "Este navegador",
    device: "{browser} en {system}",
    unknown: "Navegador desconocido",
    from: "Desde {place}",
    since: "Sesión iniciada {when}",
    seen: "última actividad: {when}",
    end: "Cerrar sesión",
    endNamed: "Cerrar la sesión de {device}, última actividad: {when}",
    endOthers: "Cerrar sesión en todos los demás sitios",
    endAll: "Cerrar sesión en todas partes",
    doneOne: "Se ha cerrado la sesión de ese navegador.",
    doneOthers: "Se ha cerrado su sesión en todos los demás sitios. Las aplicaciones conservan su acceso.",
  },
};
