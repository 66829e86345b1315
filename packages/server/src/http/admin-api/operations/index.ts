/** All operations of the admin API: the one list from which everything about them is made. */

import type { Operation } from "../operation.ts";
import { clients } from "./clients.ts";
import { companies } from "./companies.ts";
import { configurations } from "./configurations.ts";
import { events } from "./events.ts";
import { grantsAndKeys } from "./grants-and-keys.ts";
import { issuers } from "./issuers.ts";
import { providers } from "./providers.ts";
import { registrations } from "./registrations.ts";
import { scopesAndResources } from "./scopes.ts";
import { settingsAndRefusals } from "./settings-and-refusals.ts";
import { tokens } from "./tokens.ts";
import { users } from "./users.ts";
import { webhooks } from "./webhooks.ts";

/** A new resource is one file, and one line here. */
export const operations: readonly Operation[] = [
  ...clients,
  ...users,
  ...companies,
  ...scopesAndResources,
  ...issuers,
  ...providers,
  ...grantsAndKeys,
  ...settingsAndRefusals,
  ...tokens,
  ...registrations,
  ...events,
  ...webhooks,
  ...configurations,
];
