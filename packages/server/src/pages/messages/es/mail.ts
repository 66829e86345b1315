/** Spanish: what is written to people. */
import type { mail as english } from "../en/mail.ts";
import type { Translation } from "../translation.ts";

export const mail = {
  mail: {
    open: "Si el botón no funciona, abra esta dirección:",
    footer: "{product} en {host} ha enviado este mensaje. Nadie lee las respuestas.",
    facts: {
      when: "Hora",
      browser: "Navegador",
      address: "Dirección de red",
      reason: "Motivo indicado",
      removed: "Eliminado",
      kept: "Aún sirve para iniciar sesión",
      ended: "Ya no tienen acceso",
      keptApps: "Siguen teniendo acceso",
    },
    kinds: {
      recover: {
        subject: "Elija una contraseña nueva",
        text: "Alguien, seguramente usted, ha pedido una contraseña nueva para la cuenta {person}. El enlace sirve una vez, durante 15 minutos.",
        button: "Elegir una contraseña nueva",
        hint: "Si no fue usted, no haga nada: su contraseña sigue igual.",
      },
      signUp: {
        subject: "Termine de crear su cuenta",
        text: "Alguien, seguramente usted, quiere crear una cuenta con la dirección {email}. El enlace sirve una vez, durante una hora.",
        button: "Crear la cuenta",
        hint: "Si no fue usted, no haga nada: no habrá ninguna cuenta.",
      },
      known: {
        subject: "Ya tiene una cuenta",
        text: "Alguien, seguramente usted, quiso usar la dirección {email} para una cuenta. Ya hay una con ella: {person}.",
        button: "Iniciar sesión",
        hint: "¿Ya no recuerda la contraseña? La página de inicio de sesión le ayuda a elegir otra. Si no fue usted, no haga nada: no se ha cambiado nada.",
      },
      verify: {
        subject: "¿Es este su correo electrónico?",
        text: "La cuenta {person} tiene la dirección {email}. Confirme que es suya. El enlace sirve una vez, durante una hora.",
        button: "Sí, es mía",
        hint: "Si no conoce esta cuenta, no haga nada.",
      },
      change: {
        subject: "Su correo electrónico nuevo",
        text: "La cuenta {person} va a tener la dirección {email}. El enlace sirve una vez, durante una hora.",
        button: "Usar esta dirección",
        hint: "Si no conoce esta cuenta, no haga nada: no se cambiará nada.",
      },
      changed: {
        subject: "Su correo electrónico se ha cambiado",
        text: "La cuenta {person} tiene ahora la dirección {email}. Los mensajes ya no llegan a esta.",
        button: "No fui yo: deshacerlo",
        hint: "Si fue usted, no haga nada. El enlace sirve una vez, durante 7 días: devuelve esta dirección a la cuenta y le deja elegir una contraseña nueva.",
      },
      passwordChanged: {
        subject: "Su contraseña se ha cambiado",
        text: "La contraseña de la cuenta {person} se cambió el {when}.",
        button: "No fui yo: elegir una nueva",
        hint: "Si fue usted, no haga nada.",
      },
      signIn: {
        subject: "Nuevo inicio de sesión en su cuenta",
        text: "Alguien ha iniciado sesión como {person} con un navegador que no habíamos visto antes con usted.",
        button: "Ver su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña.",
      },
      deletion: {
        subject: "Su cuenta se eliminará",
        text: "Como usted pidió, la cuenta {person} se eliminará el {when}, con todo lo que se guarda sobre usted. Las aplicaciones ya han perdido su acceso.",
        button: "Conservar mi cuenta",
        hint: "Hasta entonces puede iniciar sesión y conservarla. Después nadie puede recuperarla.",
      },
      passkeyAdded: {
        subject: "Se ha añadido una llave de acceso a su cuenta",
        text: "El {when} se añadió la llave de acceso «{key}» a la cuenta {person}. Quien la tenga puede iniciar sesión con ella.",
        button: "Ver su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no conozca. Si ya no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      passkeyRemoved: {
        subject: "Se ha eliminado una llave de acceso de su cuenta",
        text: "El {when} se eliminó la llave de acceso «{key}» de la cuenta {person}. Nadie puede ya iniciar sesión con ella.",
        button: "Ver su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no conozca. Si ya no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      authenticatorOn: {
        subject: "Se ha configurado una aplicación de autenticación en su cuenta",
        text: "El {when} se configuró una aplicación de autenticación para la cuenta {person}. Desde ahora, iniciar sesión con la contraseña exige también uno de sus códigos.",
        button: "Ver su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no conozca. Si ya no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      authenticatorOff: {
        subject: "Se ha eliminado la aplicación de autenticación de su cuenta",
        text: "El {when} se eliminó la aplicación de autenticación de la cuenta {person}, junto con sus códigos de recuperación. Iniciar sesión ya no exige ningún código.",
        button: "Ver su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no conozca. Si ya no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      recoveryRenewed: {
        subject: "Su cuenta tiene códigos de recuperación nuevos",
        text: "El {when} se crearon códigos de recuperación nuevos para la cuenta {person}. Los anteriores ya no sirven.",
        button: "Ver su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no conozca. Si ya no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      recoveryUsed: {
        subject: "Se ha usado un código de recuperación de su cuenta",
        text: "El {when} alguien inició sesión como {person} con un código de recuperación. Ese código no vuelve a servir; códigos sin usar que quedan: {left}.",
        button: "Ver su cuenta",
        hint: "Si fue usted, no haga nada. Si no, cambie ahora su contraseña y elimine lo que no conozca. Si ya no puede iniciar sesión, pida ayuda a quien administra {product}.",
      },
      passwordGuessed: {
        subject: "Alguien intenta adivinar su contraseña",
        text: "El {when} se habían introducido tantas contraseñas incorrectas para la cuenta {person} que ahora aceptamos menos intentos. Los navegadores con los que usted ya ha iniciado sesión siguen funcionando.",
        button: "Ver su cuenta",
        hint: "Si fue usted, espere 15 minutos y vuelva a intentarlo. Si no, compruebe que su contraseña sea larga y que no la use en ningún otro sitio. Una clave de acceso no se puede adivinar.",
      },
      codeGuessed: {
        subject: "Alguien conoce su contraseña",
        text: "El {when} se habían introducido demasiados códigos incorrectos para la cuenta {person}, el último después de la contraseña correcta. Ahora aceptamos menos intentos.",
        button: "Cambiar su contraseña",
        hint: "Si fue usted, espere 15 minutos y vuelva a intentarlo. Si no, cambie ahora su contraseña.",
      },
      proofGuessed: {
        subject: "Alguien intenta recuperar su cuenta",
        text: "El {when} se habían introducido demasiados códigos incorrectos para la cuenta {person}, el último tras un enlace de un correo electrónico sobre esta cuenta. Ahora aceptamos menos intentos.",
        button: "Ver su cuenta",
        hint: "Si fue usted, espere 15 minutos y vuelva a intentarlo. Si no, alguien lee su correo: cambie la contraseña de su buzón.",
      },
      recovered: {
        subject: "Su contraseña se ha cambiado",
        text: "El {when} se cambió la contraseña de la cuenta {person} con un enlace de un correo electrónico. Se cerró la sesión a todo el mundo.",
        button: "No fui yo: elegir una nueva",
        hint: "Si fue usted, no haga nada.",
      },
      factorsRemoved: {
        subject: "Se han eliminado formas de iniciar sesión en su cuenta",
        text: "El {when} se cambió la contraseña de la cuenta {person} con un enlace de un correo electrónico y se eliminaron formas de iniciar sesión.",
        button: "No fui yo: recuperarlas",
        hint: "Si fue usted, no haga nada. El enlace sirve una vez, durante 72 horas. Recupera las formas eliminadas, y la contraseña nueva deja de servir.",
      },
      factorsRemovedTold: {
        subject: "Se han eliminado formas de iniciar sesión en su cuenta",
        text: "El {when} se cambió la contraseña de la cuenta {person} con un enlace de un correo electrónico y se eliminaron formas de iniciar sesión. Recibe este mensaje porque la cuenta tiene o tuvo esta dirección.",
        button: "Iniciar sesión",
        hint: "Si fue usted, no haga nada. Si no, pida ayuda a quien administra {product}.",
      },
      factorsRestored: {
        subject: "Las formas de iniciar sesión eliminadas han vuelto",
        text: "El {when} se recuperaron las formas de iniciar sesión eliminadas de la cuenta {person}. Se cerró la sesión a todo el mundo y la contraseña ya no sirve.",
        button: "Elegir una contraseña nueva",
        hint: "Necesitará una de las formas recuperadas. Si no fue usted, pida ayuda a quien administra {product}.",
      },
      companyRequest: {
        subject: "{by} pide una aplicación en {company}",
        text: "{by} pide que se pueda usar {app} en {company}.",
        button: "Decidir",
        hint: "Recibe este mensaje porque administra {company}.",
      },
      companyApproved: {
        subject: "{app} se puede usar en {company}",
        text: "La administración de {company} ha aprobado {app}, como usted pidió.",
        button: "Ir a {company}",
        hint: "Empiece de nuevo desde la aplicación.",
      },
      companyRefused: {
        subject: "{app} no se ha aprobado en {company}",
        text: "La administración de {company} ha rechazado {app}, que usted había pedido.",
        button: "Ir a {company}",
        hint: "Si la necesita de todos modos, hable con la administración de {company}.",
      },
      companyRemoved: {
        subject: "Ya no pertenece a {company}",
        text: "El {when} un administrador lo quitó de {company}. Lo que usted había permitido a aplicaciones en su nombre ha terminado.",
        button: "Ver sus empresas",
        hint: "Si cree que es un error, hable con un administrador de {company}.",
      },
      companyInvitation: {
        subject: "Invitación a {company}",
        text: "{by} le invita a {company}. La invitación sirve una vez, hasta el {when}.",
        button: "Ver la invitación",
        hint: "Si no conoce {company}, no haga nada.",
      },
    },
  },
} as const satisfies Translation<typeof english, "one" | "other">;
