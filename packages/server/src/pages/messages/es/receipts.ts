/** Spanish: the page that verifies and explains a receipt. */
import type { receipts as english } from "../en/receipts.ts";
import type { Translation } from "../translation.ts";

export const receipts: Translation<typeof english, "one" | "other"> = {
  verifyReceipt: {
    title: "Verificar un recibo",
    intro: "Compruebe si {product} firmó un recibo y si alguien lo cambió. No necesita una cuenta.",
    field: "Recibo",
    hint: "Abra el archivo con un editor de texto, cópielo todo y péguelo aquí. Si es muy largo, pegue solo el texto que sigue a «receipt».",
    submit: "Verificar",
    wrong: {
      missing: "Pegue un recibo.",
      too_long: "Este texto es demasiado largo. Pegue solo el texto que sigue a «receipt».",
      malformed: "Esto no es un recibo, o falta una parte. Pegue el archivo completo.",
      other_type: "Esto no es un recibo. Puede ser una clave de una cuenta: no se la dé a nadie.",
      other_issuer: "Este recibo no es de {product}. Dice que es de {issuer}, pero {product} no puede verificarlo.",
      unknown_key: "{product} no puede verificar este recibo: la clave que lo firmó no está publicada o ya no lo está.",
      altered: "No confíe en este recibo. Se cambió después de que {product} lo firmara, o {product} nunca lo firmó.",
      stale:
        "Esta página estuvo abierta demasiado tiempo, o su navegador bloquea las cookies. Verifique el recibo de nuevo.",
    },
    validTitle: "Este recibo es auténtico",
    validText: "{product} lo firmó, y nadie lo ha cambiado desde entonces.",
    revoked: "Se revocó el acceso de {app}",
    ended: {
      password: "{app} se desconectó porque se cambió la contraseña de la cuenta",
      account: "{app} se desconectó porque se desactivó la cuenta",
      leaving: "{app} se desconectó porque se programó la eliminación de la cuenta",
    },
    someone: "Cuenta {id}",
    app: "Nombre de la aplicación",
    appId: "ID de la aplicación",
    when: "Cuándo",
    account: "Cuenta",
    by: "Decidido por",
    byOwner: "El titular de la cuenta",
    byOperator: "El operador de {product}",
    byApp: "La aplicación",
    byServer: "{product}, automáticamente",
    how: "Cómo",
    via: {
      browser: "En la página que pide permiso",
      device: "En la página que pide permiso, para un dispositivo",
      "first party": "Sin preguntar, porque la aplicación es de {product}",
      "company policy": "Por una regla de la empresa",
      password: "Con el nombre de usuario y la contraseña",
      "operator policy": "Según la política de {product}",
      admin: "Por un administrador de la empresa, para sus miembros",
    },
    hosts: "Vuelve a",
    made: "Recibo emitido",
    notProven: "Lo que el recibo no demuestra",
    notNow: "Que la aplicación todavía tiene acceso. El acceso puede haber terminado o cambiado desde entonces.",
    notStill: "Que siga siendo así. Puede haber cambiado desde entonces.",
    notWho: "Quién es el titular. El recibo solo nombra la cuenta por su ID.",
    again: "Verificar otro recibo",
  },
};
