/** French: the page that verifies and explains a receipt. */
import type { receipts as english } from "../en/receipts.ts";
import type { Translation } from "../translation.ts";

export const receipts: Translation<typeof english, "one" | "other"> = {
  verifyReceipt: {
    title: "Vérifier un reçu",
    intro: "Vérifiez si {product} a signé un reçu et si quelqu’un l’a modifié. Vous n’avez pas besoin d’un compte.",
    field: "Reçu",
    hint: "Ouvrez le fichier avec un éditeur de texte, copiez tout et collez-le ici. S’il est très long, collez seulement le texte qui suit « receipt ».",
    submit: "Vérifier",
    wrong: {
      missing: "Collez un reçu.",
      too_long: "Ce texte est trop long. Collez seulement le texte qui suit « receipt ».",
      malformed: "Ce n’est pas un reçu, ou il en manque une partie. Collez le fichier entier.",
      other_type:
        "Ce n’est pas un reçu. C’est peut-être une clé qui donne accès à un compte : ne la donnez à personne.",
      other_issuer:
        "Ce reçu ne vient pas de {product}. Il indique qu’il vient de {issuer}, mais {product} ne peut pas le vérifier.",
      unknown_key: "{product} ne peut pas vérifier ce reçu : la clé qui l’a signé n’est pas publiée, ou ne l’est plus.",
      altered:
        "Ne vous fiez pas à ce reçu. Il a été modifié après sa signature par {product}, ou {product} ne l’a jamais signé.",
      stale:
        "Cette page est restée ouverte trop longtemps, ou votre navigateur bloque les cookies. Vérifiez le reçu de nouveau.",
    },
    validTitle: "Ce reçu est authentique",
    validText: "{product} l’a signé, et personne ne l’a modifié depuis.",
    revoked: "L’accès de {app} a été révoqué",
    paused: "{app} a été mise en pause",
    resumed: "{app} a été réactivée",
    ended: {
      password: "{app} a été déconnectée, car le mot de passe du compte a été modifié",
      account: "{app} a été déconnectée, car le compte a été désactivé",
      leaving: "{app} a été déconnectée, car la suppression du compte était prévue",
    },
    someone: "Compte {id}",
    app: "Nom de l’application",
    appId: "ID de l’application",
    when: "Quand",
    account: "Compte",
    by: "Décidé par",
    byOwner: "Le titulaire du compte",
    byOperator: "L’opérateur de {product}",
    byApp: "L’application",
    byServer: "{product}, automatiquement",
    how: "Comment",
    via: {
      browser: "Sur la page d’autorisation",
      device: "Sur la page d’autorisation, pour un appareil",
      "first party": "Sans question, car l’application appartient à {product}",
      "company policy": "Par une règle de l’entreprise",
      password: "Avec le nom d’utilisateur et le mot de passe",
      "operator policy": "Selon la politique de {product}",
      admin: "Par un administrateur de l’entreprise, pour ses membres",
    },
    hosts: "Renvoie vers",
    made: "Reçu établi",
    notProven: "Ce que le reçu ne prouve pas",
    notNow: "Que l’application a encore accès. L’accès a pu prendre fin ou changer depuis.",
    notStill: "Que c’est toujours le cas. La situation a pu changer depuis.",
    notWho: "Qui est le titulaire. Le reçu ne désigne le compte que par son ID.",
    again: "Vérifier un autre reçu",
  },
};
