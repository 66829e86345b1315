/** Spanish: sign-in at other providers. */

import type { elsewhere as english } from "../en/elsewhere.ts";
import type { Translation } from "../translation.ts";

export const elsewhere: Translation<typeof english, "one" | "other"> = {
  elsewhere: {
    with: "Continuar con {provider}",
    or: "o",
    workAddress: "Para iniciar sesión con su organización, escriba su dirección de trabajo y deje la contraseña vacía.",
    introAgain: "Ha iniciado sesión como {person}. Inicie sesión de nuevo para confirmar que es usted.",
    chooseIntro:
      "Ha iniciado sesión como {person}. Para continuar con esta cuenta, inicie sesión de nuevo. Para usar otra, inicie sesión con ella.",
    problem: {
      denied:
        "Usted interrumpió el inicio de sesión en {provider}, o {provider} lo rechazó. Inténtelo de nuevo o inicie sesión de otra forma.",
      unreachable:
        "{provider} no responde en este momento. Inténtelo de nuevo dentro de un minuto o inicie sesión de otra forma.",
      unverified:
        "No se pudo verificar el inicio de sesión en {provider}. Inténtelo de nuevo o inicie sesión de otra forma.",
      too_long:
        "Esta solicitud es demasiado larga para el inicio de sesión en {provider}. Inicie sesión de otra forma.",
      another:
        "Su cuenta de {provider} no está conectada a la cuenta que usa aquí. Elija en {provider} la cuenta conectada o confirme de otra forma.",
      other_person:
        "Su sesión sigue abierta con la misma cuenta. Su cuenta de {provider} está conectada aquí a otra cuenta o todavía a ninguna. Para usarla, elija «Cambiar de cuenta».",
      unexpected:
        "Esta solicitud es para una cuenta distinta de la que ha usado en {provider}. Inicie sesión con la cuenta para la que es.",
      not_fresh:
        "{provider} no indicó cuándo inició sesión allí, así que esto no confirma que sea usted. Inicie sesión de otra forma o pregunte a quien administra este servicio.",
      no_second_step:
        "{provider} no le pidió un segundo paso. Elija otra forma o pregunte a quien administra este servicio.",
      stale:
        "Este inicio de sesión tardó demasiado, ya se había terminado o empezó en otro navegador. Empiece de nuevo.",
      closed:
        "En este momento no puede iniciar sesión aquí con {provider}. Inicie sesión de otra forma o pregunte a quien administra este servicio.",
      company_closed:
        "En este momento no puede iniciar sesión aquí con {provider}. Inicie sesión de otra forma o pregunte a un administrador de su empresa.",
      gone: "Ya no puede iniciar sesión aquí con el servicio que eligió. Inicie sesión de otra forma o pregunte a quien administra este servicio.",
      stranger:
        "Su cuenta de {provider} no está conectada a ninguna cuenta de aquí. Inicie sesión de otra forma y conéctela después en «Seguridad».",
      refused:
        "No puede iniciar sesión aquí con su cuenta de {provider}. Inicie sesión de otra forma o pregunte a quien administra este servicio.",
      domain:
        "No puede iniciar sesión aquí con esta cuenta de {provider}: necesita un correo electrónico confirmado de la organización. Inicie sesión de otra forma o elija allí otra cuenta.",
      address_taken:
        "Una cuenta de aquí ya usa su correo electrónico. Inicie sesión en ella de otra forma y conecte después {provider} en «Seguridad».",
      no_group: "Sus grupos en {provider} no le permiten iniciar sesión aquí. Pregunte a quien administra {provider}.",
      other_company:
        "No puede usar {provider} con esta cuenta, porque también pertenece a otra empresa o ayuda a administrar este servicio. Inicie sesión de otra forma.",
      too_many:
        "Hoy hubo demasiadas cuentas nuevas para {provider}. Inténtelo mañana o pregunte a un administrador de su empresa.",
      not_member: "No es miembro de la empresa que usa {provider}. Pida una invitación a uno de sus administradores.",
      company_address:
        "Una cuenta de aquí ya usa su correo de trabajo. Inicie sesión en ella de otra forma. Como miembro de la empresa, puede conectar después {provider} en «Seguridad».",
    },
    onlyHere: {
      denied: "Usted interrumpió el inicio de sesión en {provider}, o {provider} lo rechazó. Inténtelo de nuevo.",
      another:
        "Su cuenta de {provider} no está conectada a la cuenta que usa aquí. Elija en {provider} la cuenta conectada.",
      stranger:
        "Su cuenta de {provider} no está conectada a ninguna cuenta de aquí. Pregunte a quien administra este servicio.",
      refused: "No puede iniciar sesión aquí con su cuenta de {provider}. Pregunte a quien administra este servicio.",
      address_taken: "Una cuenta de aquí ya usa su correo electrónico. Pregunte a quien administra este servicio.",
    },
    noWay: {
      notNow: "En este momento no puede iniciar sesión con {providers}.",
      noOther: "No tiene otra forma de iniciar sesión.",
      signOut: "Si cierra la sesión, no podrá volver a iniciarla.",
      byMail: "Elija una contraseña con un enlace que le enviamos.",
      now: "Elija una contraseña ahora.",
      ask: "Pregunte a quien administra este servicio.",
    },
    codeAfter: "Después de iniciar sesión con otra cuenta, introduce un código de una aplicación de su teléfono.",
    noEmail: "Su cuenta no tiene correo electrónico.",
    addEmail: "Añadir",
    title: "Inicio de sesión con otras cuentas",
    intro: "Puede iniciar sesión aquí con una cuenta que tenga en otro servicio.",
    since: "Conectada {when}",
    open: "Sin conectar",
    paused: "En este momento no puede iniciar sesión con ella.",
    connect: "Conectar",
    connectNamed: "Conectar {provider}",
    ask: "¿Conectar esta cuenta?",
    asks: "En {provider} ha iniciado sesión como {account}. Quien pueda iniciar sesión en esa cuenta podrá iniciar sesión aquí como {person}.",
    nameless: "una cuenta sin nombre",
    notYours: "Si esta no es su cuenta de {provider}, cancele.",
    doneConnected: "La cuenta está conectada. A partir de ahora puede iniciar sesión con ella.",
    doneKnown: "Esta cuenta ya estaba conectada.",
    doneTaken:
      "No se conectó: esa cuenta ya está conectada a otra cuenta de aquí, quizá una de las suyas. Para conectarla a esta, primero inicie sesión con ella y desconéctela allí.",
    doneOther: "No se conectó: hay otra cuenta de ese servicio conectada. Desconéctela primero.",
    doneFailed: "No se conectó: el inicio de sesión en el otro servicio falló o tardó demasiado. Inténtelo de nuevo.",
    doneClosed:
      "No se conectó: en este momento no se puede conectar aquí una cuenta de ese servicio. Pregunte a quien administra este servicio.",
    disconnect: "Desconectar",
    disconnectNamed: "Desconectar {provider}",
    askDisconnect: "¿Desconectar esta cuenta?",
    ends: "Ya no podrá iniciar sesión aquí con su cuenta de {provider}. Su sesión sigue abierta aquí. En los demás navegadores donde inició sesión con ella, la sesión se cierra.",
    endsNew:
      "Su cuenta de {provider} ya no iniciará sesión en esta cuenta. Un inicio de sesión con ella puede crear aquí una cuenta nueva y vacía. Su sesión sigue abierta aquí. En los demás navegadores donde inició sesión con ella, la sesión se cierra.",
    reconnects:
      "Si su cuenta de allí tiene el mismo correo electrónico, un inicio de sesión en {provider} la conecta de nuevo.",
    stays: "Las aplicaciones conservan el acceso que tienen. Puede revocarlo en «Aplicaciones».",
    doneDisconnected:
      "La cuenta se ha desconectado. En los demás navegadores donde inició sesión con ella, la sesión se ha cerrado.",
    last: "No se desconectó: ya no podría iniciar sesión. Elija antes una contraseña, añada una llave de acceso o conecte otra cuenta.",
  },
};
