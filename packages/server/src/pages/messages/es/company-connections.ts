/** Spanish: apps that a company's admins connect with other services. */

import type { companyConnections as english } from "../en/company-connections.ts";
import type { Translation } from "../translation.ts";

export const companyConnections: Translation<typeof english, "one" | "other"> = {
  companyConnections: {
    place: "Conexiones",
    title: "Conexiones de {company}",
    heading: "Aplicaciones conectadas con otros servicios",
    intro:
      "Una aplicación conectada puede actuar en otro servicio en nombre de los miembros de {company} sin preguntar a cada uno. Cada miembro puede seguir deteniendo la aplicación para sí mismo.",
    none: "Ninguna aplicación está conectada con otro servicio para {company}.",
    nothing: "El operador de este servicio no ofrece nada para conectar en este momento.",
    connect: "Conectar una aplicación",
    pair: "{app} con {server}",
    may: "En {server}, puede",
    could: "En {server}, podía",
    at: "La dirección de {server} es",
    states: {
      on: "Conectada",
      operator: "Conectada por el operador",
      ended: "Terminada",
      withdrawn: "Ya no se ofrece",
      altered: "Oferta modificada",
      blocked: "Aplicación bloqueada",
      paused: "Aplicación en pausa",
    },
    hints: {
      on: "Conectada hasta el {when}.",
      operator: "El operador de este servicio la conectó para {company}. Para detenerla, bloquee la aplicación.",
      ended: "Terminó {when}. La aplicación ya no obtiene nada por ella.",
      withdrawn:
        "El operador de este servicio ya no ofrece esto. La aplicación ya no obtiene nada por ello. Si se vuelve a ofrecer, la aplicación podrá usarla de nuevo. Para evitarlo, quítela.",
      altered:
        "El operador de este servicio cambió la oferta. La aplicación no obtiene nada por ella hasta que vuelva a conectarla.",
      blocked: "{company} bloquea la aplicación, así que no obtiene nada por ella.",
      paused:
        "Un administrador pausó la aplicación para {company}. Hasta que un administrador la reanude, no obtiene nada nuevo por esta conexión. Después, la conexión vuelve a funcionar.",
    },
    by: "{person} la conectó {when}.",
    since: "Conectada {when}.",
    change: "Cambiar",
    again: "Volver a conectar",
    remove: "Quitar",
    previous: "Página anterior",
    next: "Página siguiente",
    find: "Conectar una aplicación con otro servicio",
    findText: "El operador de este servicio ofrece esto. Elija la aplicación y el servicio.",
    search: "Buscar por el nombre de la aplicación o del servicio",
    searchNone: "Ninguna oferta tiene esto en su nombre.",
    choose: "Elegir",
    connected: "Ya está conectada",
    back: "Todas las conexiones",
    question: "¿Conectar {app} con {server}?",
    forWhom:
      "Solo para los miembros que usan {app} para {company}, y solo hasta donde lo permita la regla de la aplicación. Las cuentas propias de los miembros no se ven afectadas.",
    learns:
      "{server} sabrá quién es el miembro: un identificador, la dirección de correo verificada, y cuándo y cómo inició sesión aquí.",
    learnsYou:
      "{server} sabrá quién es usted: un identificador, la dirección de correo verificada, y cuándo y cómo inició sesión aquí.",
    blocked: "{company} bloquea esta aplicación. Cambie primero la regla de la aplicación.",
    rule: "Regla de {app}",
    permissions: "Qué puede hacer {app} en {server}",
    apis: "Solo con estas direcciones del servicio",
    submit: "Conectar",
    save: "Guardar",
    removeQuestion: "¿Quitar la conexión de {app} con {server}?",
    removeText:
      "{app} no obtendrá acceso nuevo en {server} para los miembros de {company}. El acceso que ya tiene allí dura hasta que {server} lo termine.",
    removeStays: "Lo que los miembros permitieron aquí a {app} se mantiene.",
    lasts: "El acceso que {app} ya tiene en {server} dura hasta que {server} lo termine.",
    memberText: "{company} la conectó con {server}. Allí puede actuar en su nombre:",
    memberUncovered:
      "{company} la conectó con {server}, pero la regla de la aplicación no le incluye a usted. La aplicación no obtiene allí nada nuevo para usted hasta que un administrador la apruebe.",
    onlyCovered: "{app} obtiene acceso nuevo en {server} solo para los miembros que pueden conectarla.",
    allOnlyCovered:
      "En los servicios conectados, las aplicaciones obtienen acceso nuevo solo para los miembros que pueden conectarlas.",
    consentText:
      "{company} conectó esta aplicación con {server}. Si la permite en nombre de {company}, también podrá actuar allí por usted:",
    until: "Hasta el {when}.",
    problems: {
      scopes: "Elija al menos un permiso.",
      duration: "Elija hasta cuándo.",
    },
    notices: {
      connected: "La aplicación está conectada.",
      saved: "La conexión se ha cambiado.",
      removed: "La conexión se ha quitado. La aplicación no obtendrá acceso nuevo allí.",
      changed: "Alguien cambió esto mientras tanto. No se guardó nada. Revíselo de nuevo.",
      blocked: "La aplicación está bloqueada. No se guardó nada.",
      full: "Ya hay 100 conexiones. Quite una primero.",
      gone: "Eso ya no existe. No se cambió nada.",
    },
    events: {
      connected: "{app} se conectó con {server} para los miembros",
      changed: "Se cambió la conexión de {app} con {server}",
      removed: "Se quitó la conexión de {app} con {server}",
    },
  },
};
