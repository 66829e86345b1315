/** The findings of `doctor`. */

/** `note`: good to know. `warning`: works, and may be a mistake. `broken`: doesn't work, or isn't safe. */
export interface Finding {
  readonly check: "node" | "configuration" | "files" | "secret" | "database" | "keys" | "clients" | "names" | "issuer";
  readonly status: "ok" | "note" | "warning" | "broken";
  readonly detail: string;
}
