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
} as const satisfies Translation<typeof english, "one" | "other">;
