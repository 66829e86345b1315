/** The findings of `doctor`. */

/** `note`: information. `warning`: it works, and may be a mistake. `broken`: it does not work, or is not safe. */
export interface Finding {
  readonly check:
    | "node"
    | "configuration"
    | "files"
    | "secret"
    | "database"
    | "keys"
    | "providers"
    | "webhooks"
    | "clients"
    | "names"
    | "issuer";
  readonly status: "ok" | "note" | "warning" | "broken";
  readonly detail: string;
}
