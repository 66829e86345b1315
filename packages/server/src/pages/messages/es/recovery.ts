/** Spanish: taking an account back by mail, and undoing that. */
import type { recovery as english } from "../en/recovery.ts";
import type { Translation } from "../translation.ts";

export const recovery: Translation<typeof english, "one" | "other"> = {
  takeBack: {
    proveTitle: "Confirme que es usted",
    proveCode:
      "Antes de elegir una contraseña nueva para la cuenta {person}, escriba un código de su aplicación de autenticación.",
    provePasskey: "Antes de elegir una contraseña nueva para la cuenta {person}, use una de sus llaves de acceso.",
    proveWith: "Usar una llave de acceso",
    proveNone: "¿Ya no tiene nada de esto? Pida ayuda a quien administra {product}.",
    text: "Para la cuenta {person}. Se cerrará su sesión en todas partes.",
    undoText: "La cuenta {person} recupera {email}. Se cerrará su sesión en todas partes.",
    changed:
      "La cuenta se ha modificado mientras esta página estaba abierta. Compruébelo todo otra vez y elija después la contraseña.",
    ways: "Formas de iniciar sesión",
    waysDoubtful:
      "Estas se añadieron con un navegador que entonces era nuevo para su cuenta. Las marcadas se eliminan. Desmarque las que sean suyas.",
    waysKept: "Estas se quedan:",
    remove: "Eliminar: {way}",
    passkey: "Llave de acceso «{name}»",
    authenticator: "Aplicación de autenticación",
    codes: "Códigos de recuperación",
    added: "Añadida {when}",
    addedFrom: "Añadida {when} con {device}",
    place: "red {place}",
    used: "último uso: {when}",
    back: "Vuelve la que tenía antes.",
    apps: "Aplicaciones con acceso",
    appsHint: "Las aplicaciones marcadas pierden el acceso. Las demás lo conservan.",
    appsSince: "Están marcadas las aplicaciones conectadas desde este momento: {when}.",
    appsNone: "Ninguna aplicación tiene acceso a su cuenta.",
    appsHidden: "No se muestran: {count}. Las conectadas desde entonces pierden el acceso, las demás lo conservan.",
    connected: "Conectada {when}",
    connectedDevice: "Conectada {when} con el código de un dispositivo",
    latest: "de nuevo {when}",
    company: "Lo que conectó para {company}",
    companyApps: "Número de aplicaciones: {count}",
    browsers: "Navegadores",
    browsersText: "Se cerrará la sesión en todos los navegadores. Estos eran nuevos desde este momento ({when}):",
    doneText: "Se ha cerrado su sesión en todas partes. Inicie sesión con la contraseña nueva.",
    doneRemoved: "Eliminado: {list}.",
    doneKept: "Aún puede iniciar sesión con: {list}.",
    doneEnded: "Ya no tienen acceso: {list}.",
    doneApps: "Siguen teniendo acceso: {list}.",
    restoreTitle: "¿Recuperar las formas de iniciar sesión eliminadas?",
    restoreText:
      "El {when} alguien eligió una contraseña nueva para la cuenta {person} con un enlace de un correo electrónico y eliminó:",
    restoreThen:
      "Si fue usted, no haga nada. Si no, recupérelas: se cierra la sesión a todo el mundo, la contraseña deja de servir y se elimina lo que se añadió desde entonces. Después elija una contraseña nueva. Necesitará una de estas formas.",
    restoreYes: "Recuperarlas",
    restoredTitle: "Las formas de iniciar sesión han vuelto",
    restoredText: "Se ha cerrado la sesión a todo el mundo y la contraseña ya no sirve. Elija ahora una nueva.",
  },
};
