/** Spanish: recovering an account by e-mail, and undoing a recovery. */
import type { recovery as english } from "../en/recovery.ts";
import type { Translation } from "../translation.ts";

export const recovery: Translation<typeof english, "one" | "other"> = {
  takeBack: {
    proveTitle: "Confirme que es usted",
    proveCode:
      "Antes de elegir una contraseña nueva para la cuenta {person}, introduzca un código de su aplicación de autenticación.",
    provePasskey: "Antes de elegir una contraseña nueva para la cuenta {person}, use una de sus llaves de acceso.",
    proveWith: "Usar una llave de acceso",
    proveNone: "¿Ya no tiene nada de esto? Pida ayuda a quien administra {product}.",
    throttled: {
      one: "Demasiados intentos. Espere un minuto y pida un enlace nuevo.",
      other: "Demasiados intentos. Espere {count} minutos y pida un enlace nuevo.",
    },
    text: "Para la cuenta {person}. Se cerrará su sesión en todas partes.",
    undoText: "La cuenta {person} recupera {email}. Se cerrará su sesión en todas partes.",
    changed:
      "La cuenta se ha modificado mientras esta página estaba abierta. Compruébelo todo otra vez y elija después la contraseña.",
    leaving: "Su cuenta se iba a eliminar el {when}. Si continúa, no se eliminará.",
    stays:
      "Su cuenta ya no se eliminará. Para eliminarla de todos modos, inicie sesión y elija «Eliminar la cuenta» en su perfil.",
    ways: "Formas de iniciar sesión",
    waysDoubtful:
      "Estas se añadieron con un navegador que era nuevo para su cuenta. Las marcadas se eliminarán. Desmarque las que añadió usted.",
    waysStates: { ticked: "Se eliminará", open: "Se conserva" },
    waysKept: "Estas se conservan:",
    remove: "Eliminar: {way}",
    passkey: "Llave de acceso «{name}»",
    authenticator: "Aplicación de autenticación",
    codes: "Códigos de recuperación",
    added: "Añadida {when}",
    addedFrom: "Añadida {when} con {device}",
    place: "red {place}",
    used: "último uso: {when}",
    back: "Su aplicación de autenticación anterior volverá a funcionar.",
    backCodes: "Los anteriores volverán a funcionar.",
    apps: "Aplicaciones con acceso",
    appsHint: "Las aplicaciones marcadas pierden su acceso. Las demás lo conservan.",
    appsStates: { ticked: "Perderá su acceso", open: "Conserva su acceso" },
    staysPaused: "Sigue en pausa",
    appsSince: "Están marcadas las aplicaciones conectadas, modificadas o reanudadas desde el {when}.",
    appsNone: "Ninguna aplicación tiene acceso a su cuenta.",
    appsEnding:
      "Ninguna aplicación obtiene acceso nuevo a su cuenta. Las que tenían acceso antes todavía pueden usarlo por poco tiempo.",
    appsRevoked: "Se revocó el acceso de todas las aplicaciones.",
    appsHidden:
      "No se muestran: {count}. Las conectadas, modificadas o reanudadas desde entonces pierden su acceso. Las demás lo conservan.",
    connected: "Conectada {when}",
    connectedDevice: "Conectada {when} con el código de un dispositivo",
    latest: "de nuevo {when}",
    endChanged: "modificada {when}",
    resumed: "reanudada {when}",
    company: "Aplicaciones que conectó para {company}",
    browsers: "Navegadores",
    browsersText: "Se cerrará la sesión en todos los navegadores. Estos eran nuevos desde el {when}:",
    doneText: "Se ha cerrado su sesión en todas partes. Inicie sesión con la contraseña nueva.",
    doneRemoved: "Eliminado: {list}.",
    doneBack: "Vuelven a funcionar: {list}.",
    previous: { authenticator: "Aplicación de autenticación anterior", codes: "Códigos de recuperación anteriores" },
    doneKept: "Aún puede iniciar sesión con: {list}.",
    doneEnded: "Acceso revocado: {list}.",
    doneApps: "Siguen teniendo acceso: {list}.",
    donePaused: "Siguen en pausa: {list}.",
    restoreTitle: "¿Recuperar las formas de iniciar sesión eliminadas?",
    restoreText:
      "El {when} alguien eligió una contraseña nueva para la cuenta {person} con un enlace de un correo electrónico y eliminó:",
    restoreThen:
      "Si fue usted, no haga nada. Si no, recupérelas: se cierra la sesión de todos, la contraseña deja de funcionar y se eliminan las formas de iniciar sesión que se añadieron desde entonces con un navegador nuevo. Después elija una contraseña nueva. Quizá necesite una de estas formas para iniciar sesión.",
    restoreApps:
      "Las aplicaciones pierden el acceso que obtuvieron desde entonces, para usted o para una empresa, y los permisos cuyo fin se cambió desde entonces. Se olvidan sus propias respuestas para empresas desde entonces. Las aplicaciones que se reanudaron desde entonces se pausan de nuevo. Las que se revocaron desde entonces siguen sin acceso: conéctelas de nuevo después.",
    restoreExpired:
      "Caducó {when}. No se ha cambiado nada. Las formas de iniciar sesión eliminadas ya no se pueden recuperar y la contraseña actual sigue siendo válida. Si no la conoce, elija una nueva.",
    restoreYes: "Recuperarlas",
    restoredTitle: "Se han recuperado las formas de iniciar sesión",
    restoredText: "Se ha cerrado la sesión de todos y la contraseña ya no funciona. Elija ahora una nueva.",
    restoredFirst: "Se ha cerrado la sesión de todos y la contraseña ya no funciona.",
    moved: "La dirección de correo de la cuenta ya no es {email}: se cambió el {when} y sigue cambiada.",
    movedThen:
      "Si no fue usted, recupere primero las formas de iniciar sesión. Después podrá pedir un enlace a {email} que recupera la dirección.",
    movedNow:
      "Si no fue usted, haga que enviemos un enlace a {email}. Recupera la dirección y le permite elegir una contraseña nueva. Un enlace que pida con su nombre de usuario llega a la otra dirección.",
    movedMail:
      "Si no fue usted, escriba {email} en la página, no su nombre de usuario. Entonces enviaremos a {email} un enlace que recupera la dirección y le permite elegir una contraseña nueva.",
    movedLate: "Ningún enlace puede deshacer ya ese cambio. Si no fue usted, pida ayuda a quien administra {product}.",
    movedSend: "Enviar un enlace a {email}",
    pausedAgain: "En pausa de nuevo: {list}.",
    companiesKeep:
      "Lo que se cambió en sus empresas desde la eliminación se mantiene: reglas sobre aplicaciones, conexiones, miembros y empresas nuevas. Solo se retiran las invitaciones pendientes hechas en su nombre. Compruebe sus empresas.",
    doneLost: "Permisos revocados: {list}.",
    lostSoon: {
      one: "Estos permisos terminan en 1 minuto como máximo.",
      other: "Estos permisos terminan en {count} minutos como máximo.",
    },
    restoredApps:
      "Las aplicaciones cuyo acceso se revocó desde la eliminación siguen sin acceso. Para volver a usar una, conéctela de nuevo.",
  },
};
