/** The grant types that a configuration makes of ours and its own. */

import { type Config, ConfigError, grantProblems } from "./config.ts";
import { customGrant } from "./oauth/grants/custom.ts";
import { type GrantRegistry, grantRegistry } from "./oauth/grants/registry.ts";

/** Throws a `ConfigError` that names all that is wrong with them: a configuration may have been changed since it was read. */
export function grantsOf(config: Pick<Config, "grantTypes" | "customGrants">): GrantRegistry {
  const problems = grantProblems(config);
  if (problems.length > 0) throw new ConfigError(problems);
  return grantRegistry(config.customGrants.map(customGrant), config.grantTypes);
}
