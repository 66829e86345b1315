/** Columns of lists that the command shows of its own database and of a server alike. */

import type { Column } from "./print-records.ts";

export const CLIENT_COLUMNS: readonly Column[] = [
  { field: "client_id" },
  { field: "client_name", cut: "text" },
  { field: "type" },
  { field: "status" },
  { field: "scope", cut: "words" },
];

const hasEnded = (end: unknown) => typeof end === "string" && Date.parse(end) <= Date.now();

/** Scopes that have ended are left out: the last end beside them is not theirs. */
export const CONSENT_COLUMNS: readonly Column[] = [
  { field: "owner_id" },
  { field: "client_id" },
  { field: "client_name" },
  { field: "status" },
  {
    field: "scopes",
    show: (scopes) => {
      const lasting = (scopes as { name: string; expires_at: unknown }[]).filter((one) => !hasEnded(one.expires_at));
      return lasting.length === 0 ? "-" : lasting.map(({ name }) => name).join(" ");
    },
  },
  { field: "updated_at" },
  { field: "expires_at" },
  { field: "paused_at" },
];

export const TOKEN_COLUMNS: readonly Column[] = [
  { field: "id" },
  { field: "scope", cut: "words" },
  { field: "created_by" },
  { field: "expires_at" },
];

/** If the owner asked to delete the account, says when it will be deleted. */
export const USER_STATUS: Column = {
  field: "status",
  show: (status, { deletes_at: at }) =>
    typeof at === "string" ? `${status}, deleted on ${at.slice(0, 10)}` : String(status),
};
