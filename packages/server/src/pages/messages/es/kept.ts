/** Spanish: passwords that the operator's application keeps. */

import type { kept as english } from "../en/kept.ts";
import type { Translation } from "../translation.ts";

export const kept: Translation<typeof english, "one" | "other"> = {
  kept: {
    forgot: "Si inicia sesión con su contraseña de {application}, elija allí una nueva.",
    forgotLink: "Nueva contraseña en {application}",
    here: "Para cualquier otra cuenta, introduzca su nombre de usuario o su dirección de correo electrónico. Le enviaremos un enlace.",
    unchecked:
      "Las contraseñas no se pueden comprobar en este momento. Inténtelo de nuevo dentro de un minuto o inicie sesión de otra forma.",
    password: "Usted inicia sesión con su contraseña de {application}. Solo puede cambiarla allí.",
    change: "Cambiarla en {application}",
    profile:
      "{application} establece su nombre y su dirección de correo electrónico cada vez que inicia sesión con su contraseña de {application}. Cámbielos allí.",
  },
};
