/** All migrations, in order. A new one is a new file and a line here. */

import { first } from "./0001-first.ts";
import type { Migration } from "./migration.ts";

export const migrations: readonly Migration[] = [first];
