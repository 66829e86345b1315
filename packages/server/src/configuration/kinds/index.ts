/** The sections of a configuration, in the order in which records are created and changed. They are deleted in the reverse order. */

import type { Kind } from "../kind.ts";
import { clients } from "./clients.ts";
import { companies } from "./companies.ts";
import { issuers } from "./issuers.ts";
import { policies } from "./policies.ts";
import { providers } from "./providers.ts";
import { resources } from "./resources.ts";
import { scopes } from "./scopes.ts";
import { webhooks } from "./webhooks.ts";

/** A new section is one file, and one line here. */
export const kinds: readonly Kind[] = [resources, scopes, clients, issuers, companies, policies, providers, webhooks];
