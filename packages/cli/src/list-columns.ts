/** Columns of lists that the command shows of its own database and of a server alike. */

import type { Column } from "./print-records.ts";

export const CLIENT_COLUMNS: readonly Column[] = [
  { field: "client_id" },
  { field: "client_name", cut: "text" },
  { field: "type" },
  { field: "status" },
  { field: "scope", cut: "words" },
];

export const TOKEN_COLUMNS: readonly Column[] = [
  { field: "id" },
  { field: "scope", cut: "words" },
  { field: "created_by" },
  { field: "expires_at" },
];
