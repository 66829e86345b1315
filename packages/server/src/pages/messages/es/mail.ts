/** Spanish: the e-mails. */
import type { mail as english } from "../en/mail.ts";
import type { Translation } from "../translation.ts";

export const mail = {
  mail: {
    open: "Si el botón no funciona, abra esta dirección:",
    footer: "{product} en {host} ha enviado este mensaje. Las respuestas no se leen.",
    facts: {
      when: "Hora",
      browser: "Navegador",
      address: "Dirección de red",
      reason: "Motivo indicado",
      fault: "Error del receptor",
      removed: "Eliminado",
      back: "Vuelve a funcionar",
      kept: "Aún funciona para iniciar sesión",
      keptApps: "Siguen teniendo acceso",
      pausedApps: "Siguen en pausa",
      allowed: "Permitido",
      appAddress: "Dirección de la aplicación",
    },
    signInSeenBefore:
      "Alguien ha iniciado sesión como {person} con un navegador que ya se usó con esta cuenta. Es el primer inicio de sesión con él desde que cambió su contraseña, se añadió una llave de acceso o una aplicación de autenticación, o se cerró la sesión de ese navegador.",
    authenticatorReplaced:
      "El {when} se configuró una aplicación de autenticación para la cuenta {person}. Sustituye a la anterior. Ahora, para iniciar sesión con la contraseña se necesita un código de la nueva aplicación. Los códigos de la anterior ya no sirven para iniciar sesión.",
    recoveryUsedInRecovery:
      "El {when} alguien abrió un enlace de un correo electrónico sobre la cuenta {person} y después introdujo un código de recuperación. Ese código ya no funciona.",
    removedReturns:
      "Si {app} todavía le permite iniciar sesión, volverá a ser miembro en su próximo inicio de sesión allí.",
    approvedPaused: {
      subject: "{app} se aprobó en {company}, pero está en pausa",
      hint: "Podrá usar la aplicación para {company} cuando un administrador la reanude. Entonces vuelva a la aplicación y empiece de nuevo.",
    },
    decidedForAdmin: {
      companyRefused:
        "Ahora es administrador de {company}, así que puede permitir {app} por su cuenta. Vuelva a la aplicación y empiece de nuevo.",
      companyBlocked:
        "Ahora es administrador de {company}, así que puede cambiar la regla de la aplicación por su cuenta.",
      companyPartlyApproved:
        "Ahora es administrador de {company}, así que puede permitir el resto por su cuenta. Vuelva a la aplicación y empiece de nuevo.",
      paused:
        "Ahora es administrador de {company}, así que puede reanudar la aplicación por su cuenta. Después vuelva a la aplicación y empiece de nuevo.",
    },
    kinds: {
      recover: {
        subject: "Elija una contraseña nueva",
        text: "Ha pedido una contraseña nueva para la cuenta {person}. El enlace funciona una sola vez, durante 15 minutos.",
        button: "Elegir una contraseña nueva",
        hint: "Si no lo ha pedido, ignore este mensaje. Su contraseña sigue siendo la misma.",
      },
      signUp: {
        subject: "Termine de crear su cuenta",
        text: "Ha pedido crear una cuenta con el correo electrónico {email}. El enlace funciona una sola vez, durante una hora.",
        button: "Crear la cuenta",
        hint: "Si no lo ha pedido, ignore este mensaje. No se creará ninguna cuenta.",
      },
      known: {
        subject: "Ya tiene una cuenta",
        text: "Ha pedido usar el correo electrónico {email} para una cuenta. Ya existe una cuenta con ese correo electrónico: {person}.",
        button: "Iniciar sesión",
        hint: "¿Ha olvidado la contraseña? Puede elegir una nueva desde la página de inicio de sesión. Si no lo ha pedido, ignore este mensaje. No se ha cambiado nada en esa cuenta.",
      },
      verify: {
        subject: "¿Es este su correo electrónico?",
        text: "Confirme que {email} es el correo electrónico de su cuenta {person}. El enlace funciona una sola vez, durante una hora.",
        button: "Confirmar el correo electrónico",
        hint: "Si no conoce esta cuenta, ignore este mensaje.",
      },
      change: {
        subject: "Su correo electrónico nuevo",
        text: "Ha pedido cambiar el correo electrónico de la cuenta {person} a {email}. El enlace funciona una sola vez, durante una hora.",
        button: "Usar este correo electrónico",
        hint: "Si no conoce esta cuenta, ignore este mensaje. No se cambiará nada.",
      },
      changed: {
        subject: "Su correo electrónico se ha cambiado",
        text: "El correo electrónico de la cuenta {person} es ahora {email}. Los mensajes ya no llegan a esta dirección.",
        button: "No fui yo: deshacer el cambio",
        hint: "Si fue usted, no haga nada. El enlace funciona una sola vez, durante 7 días. Recupera esta dirección y le permite elegir una contraseña nueva.",
      },
      emailReturned: {
        subject: "La cuenta vuelve a tener un correo electrónico anterior",
        text: "El {when} se recuperó un correo electrónico anterior de la cuenta {person}. Los mensajes ya no llegan a esta dirección.",
        button: "Iniciar sesión",
        hint: "Si fue usted, no haga nada. Si no, pida ayuda a quien administra {product}.",
      },
      emailReturnedUndo: {
        subject: "La cuenta vuelve a tener un correo electrónico anterior",
        text: "El {when} se recuperó un correo electrónico anterior de la cuenta {person}. Los mensajes ya no llegan a esta dirección.",
        button: "No fui yo: deshacer el cambio",
        hint: "Si fue usted, no haga nada. El enlace funciona una sola vez, durante 7 días, y solo en el navegador que usa con esta cuenta desde hace más tiempo. Recupera esta dirección y le permite elegir una contraseña nueva.",
      },
      takeBack: {
        subject: "Recupere su cuenta",
        text: "Ha pedido una contraseña nueva para la cuenta {person}. Hasta hace pocos días la cuenta tenía esta dirección y ahora tiene otra. El enlace funciona una sola vez, hasta el {when}. Recupera esta dirección y le permite elegir una contraseña nueva.",
        button: "Recuperar la cuenta",
        hint: "Si no lo ha pedido, ignore este mensaje. No se cambiará nada.",
      },
      passwordChanged: {
        subject: "Su contraseña se ha cambiado",
        text: "La contraseña de la cuenta {person} se cambió el {when}.",
        button: "No fui yo: elegir una nueva",
        hint: "Si fue usted, no haga nada.",
      },
      signIn: {
        subject: "Nuevo inicio de sesión en su cuenta",
        text: "Alguien ha iniciado sesión como {person} con un navegador nuevo para esta cuenta.",
        button: "Revisar su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña.",
      },
      deletion: {
        subject: "Su cuenta se eliminará",
        text: "Como usted pidió, la cuenta {person} se eliminará el {when}, con todos sus datos propios. Las empresas conservan el historial de lo que usted hizo por ellas, sin su nombre. Se revocó el acceso de todas las aplicaciones.",
        button: "Conservar mi cuenta",
        hint: "Hasta entonces, puede iniciar sesión y conservarla. Después, nadie puede recuperarla.",
      },
      passkeyAdded: {
        subject: "Se ha añadido una llave de acceso a su cuenta",
        text: "El {when} se añadió la llave de acceso «{key}» a la cuenta {person}. Quien la tenga puede iniciar sesión con ella.",
        button: "Revisar su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no reconozca. Si no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      passkeyRemoved: {
        subject: "Se ha eliminado una llave de acceso de su cuenta",
        text: "El {when} se eliminó la llave de acceso «{key}» de la cuenta {person}. Ya nadie puede iniciar sesión con ella.",
        button: "Revisar su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no reconozca. Si no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      identityAdded: {
        subject: "Se ha conectado un inicio de sesión a su cuenta",
        text: "El {when} se conectó una cuenta de {key} a la cuenta {person}. Quien pueda iniciar sesión en ella en {key} ahora también puede iniciar sesión aquí.",
        button: "Revisar su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no reconozca. Si no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      identityDisconnected: {
        subject: "Se ha desconectado un inicio de sesión de su cuenta",
        text: "El {when} se desconectó una cuenta de {key} de la cuenta {person}. En los demás navegadores que iniciaron sesión con ella, la sesión se ha cerrado.",
        button: "Revisar su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no reconozca. Si no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      identityRemoved: {
        subject: "Se ha eliminado una identidad de su cuenta",
        text: "El {when} se eliminó la identidad de {key} de la cuenta {person}. {key} ya no puede confirmar aquí quién es usted.",
        button: "Revisar su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no reconozca. Si no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      authenticatorOn: {
        subject: "Se ha configurado una aplicación de autenticación en su cuenta",
        text: "El {when} se configuró una aplicación de autenticación para la cuenta {person}. Ahora, para iniciar sesión con la contraseña también se necesita uno de sus códigos.",
        button: "Revisar su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no reconozca. Si no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      authenticatorOff: {
        subject: "Se ha eliminado la aplicación de autenticación de su cuenta",
        text: "El {when} se eliminaron la aplicación de autenticación de la cuenta {person} y sus códigos de recuperación. Para iniciar sesión ya no se necesita ningún código.",
        button: "Revisar su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no reconozca. Si no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      recoveryRenewed: {
        subject: "Su cuenta tiene códigos de recuperación nuevos",
        text: "El {when} se crearon códigos de recuperación nuevos para la cuenta {person}.",
        button: "Revisar su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no reconozca. Si no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      recoveryUsed: {
        subject: "Se ha usado un código de recuperación de su cuenta",
        text: "El {when} alguien inició sesión como {person} con un código de recuperación. Ese código ya no funciona. Códigos que quedan: {left}.",
        button: "Revisar su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no reconozca. Si no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      passwordGuessed: {
        subject: "Alguien intenta adivinar su contraseña",
        text: "El {when} ya se habían introducido tantas contraseñas incorrectas para la cuenta {person} que ahora aceptamos menos intentos. Todavía puede iniciar sesión con los navegadores que ya ha usado.",
        button: "Revisar su cuenta",
        hint: "Si fue usted, espere 15 minutos e inténtelo de nuevo. Si no, compruebe que su contraseña sea larga y que no la use en ningún otro sitio. Una llave de acceso no se puede adivinar.",
      },
      codeGuessed: {
        subject: "Alguien conoce su contraseña",
        text: "El {when} ya se habían introducido demasiados códigos incorrectos para la cuenta {person}, el último después de la contraseña correcta. Ahora aceptamos menos intentos.",
        button: "Cambiar su contraseña",
        hint: "Si fue usted, espere 15 minutos e inténtelo de nuevo. Si no, cambie ahora su contraseña.",
      },
      proofGuessed: {
        subject: "Alguien intenta recuperar su cuenta",
        text: "El {when} ya se habían introducido demasiados códigos incorrectos para la cuenta {person}, el último después de abrir un enlace de un correo electrónico sobre esta cuenta. Ahora aceptamos menos intentos.",
        button: "Revisar su cuenta",
        hint: "Si fue usted, espere 15 minutos e inténtelo de nuevo. Si no, otra persona puede leer su correo electrónico. Cambie la contraseña de su correo electrónico.",
      },
      recovered: {
        subject: "Su contraseña se ha cambiado",
        text: "El {when} se cambió la contraseña de la cuenta {person} con un enlace de un correo electrónico. Se cerró la sesión de todos.",
        button: "No fui yo: elegir una nueva",
        hint: "Si fue usted, no haga nada.",
      },
      factorsRemoved: {
        subject: "Se han eliminado formas de iniciar sesión en su cuenta",
        text: "El {when} se cambió la contraseña de la cuenta {person} con un enlace de un correo electrónico y se eliminaron formas de iniciar sesión.",
        button: "No fui yo: recuperarlas",
        hint: "Si fue usted, no haga nada. El enlace funciona una sola vez, durante 72 horas. Recupera las formas eliminadas, y la contraseña nueva deja de funcionar.",
      },
      factorsRemovedTold: {
        subject: "Se han eliminado formas de iniciar sesión en su cuenta",
        text: "El {when} se cambió la contraseña de la cuenta {person} con un enlace de un correo electrónico y se eliminaron formas de iniciar sesión. Recibe este mensaje porque la cuenta tiene o tuvo esta dirección.",
        button: "Iniciar sesión",
        hint: "Si fue usted, no haga nada. Si no, pida ayuda a quien administra {product}.",
      },
      factorsRestored: {
        subject: "Se han recuperado las formas de iniciar sesión eliminadas",
        text: "El {when} se recuperaron las formas de iniciar sesión eliminadas de la cuenta {person}. Se cerró la sesión de todos y la contraseña ya no funciona.",
        button: "Elegir una contraseña nueva",
        hint: "Quizá necesite una de las formas recuperadas. Si no fue usted, pida ayuda a quien administra {product}.",
      },
      companyRequest: {
        subject: "{by} pide una aplicación en {company}",
        text: "{by} pide que se pueda usar {app} en {company}.",
        button: "Decidir",
        hint: "Recibe este mensaje porque es administrador de {company}.",
      },
      companyApproved: {
        subject: "{app} se puede usar en {company}",
        text: "Un administrador de {company} ha aprobado {app}, como usted pidió.",
        button: "Ir a {company}",
        hint: "Vuelva a la aplicación y empiece de nuevo.",
      },
      companyPartlyApproved: {
        subject: "{app} se puede usar en parte en {company}",
        text: "Un administrador de {company} ha aprobado una parte de su petición sobre {app}.",
        button: "Ir a {company}",
        hint: "El resto sigue esperando una respuesta. Para usar lo permitido, vuelva a la aplicación.",
      },
      companyRefused: {
        subject: "Su petición sobre {app} en {company} se ha rechazado",
        text: "Un administrador de {company} ha rechazado su petición sobre {app}. Si ya tiene algo permitido con {app}, sigue permitido.",
        button: "Ir a {company}",
        hint: "Si todavía la necesita, hable con un administrador de {company}.",
      },
      companyBlocked: {
        subject: "{app} está bloqueada en {company}",
        text: "Un administrador de {company} ha bloqueado {app}, así que su petición se ha rechazado. Nadie puede usar la aplicación para {company}.",
        button: "Ir a {company}",
        hint: "Si todavía la necesita, hable con un administrador de {company}.",
      },
      companyRemoved: {
        subject: "Ya no pertenece a {company}",
        text: "Un administrador le quitó de {company} el {when}. Las aplicaciones que usted permitió en su nombre ya no pueden renovar su acceso. El actual caduca pronto.",
        button: "Ver sus empresas",
        hint: "Si cree que es un error, hable con un administrador de {company}.",
      },
      companySignIn: {
        subject: "Cambió el inicio de sesión de {company}",
        text: "{by} cambió el {when} el inicio de sesión {app} de {company}. El historial de la empresa dice qué cambió.",
        button: "Ver el historial",
        hint: "Si no lo esperaba, revíselo ahora y hable con los demás administradores. Quien controla este inicio de sesión puede entrar como las personas que lo usan.",
      },
      companyInvitation: {
        subject: "Invitación a {company}",
        text: "La invitación funciona una sola vez, hasta el {when}.",
        button: "Ver la invitación",
        hint: "Si no conoce {company}, ignore este mensaje.",
      },
      webhookDisabled: {
        subject: "El webhook {app} está desactivado",
        text: "El {when}, el servidor desactivó el webhook {app} ({key}), porque su receptor llevaba días fallando o no quería más eventos. Ya no recibe eventos.",
        hint: "Cuando el receptor funcione, ejecute: assent webhook update {key} --status active. Para enviar lo que no recibió, ejecute: assent webhook replay {key} --since 3d",
      },
    },
  },
} as const satisfies Translation<typeof english, "one" | "other">;
