/** The grant types of a configuration: the built-in ones and its own. */

import { type Config, ConfigError, grantProblems } from "./config.ts";
import { customGrant } from "./oauth/grants/custom-grant.ts";
import { type GrantRegistry, grantRegistry } from "./oauth/grants/registry.ts";

/** Throws a `ConfigError` with all problems, because a configuration may have changed since it was read. */
export function grantsOf(config: Pick<Config, "grantTypes" | "customGrants">): GrantRegistry {
  const problems = grantProblems(config);
  if (problems.length > 0) throw new ConfigError(problems);
  return grantRegistry(config.customGrants.map(customGrant), config.grantTypes);
}
