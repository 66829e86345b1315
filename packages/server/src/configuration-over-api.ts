/** Configuration as code for the operations of the admin API. Loaded with the first such request. */

import type { OpenedAdmin } from "./admin/context.ts";
import type { Config } from "./config.ts";
import {
  ConfigurationError,
  exportConfiguration,
  type Plan,
  type Problem,
  prepare,
  type Resolve,
  readConfiguration,
} from "./configuration/index.ts";
import type { ConfigurationPlan, ConfigurationProblem, ConfigurationTools } from "./http/admin-api/tools.ts";
import type { Storage } from "./storage/open.ts";

/** `storage`: the server's, for transactions of more than one use-case. */
export function configurationOverApi(storage: Storage, config: Config): ConfigurationTools {
  return {
    async plan({ text, values, prune }, { admin, authority, cause }) {
      const opened: OpenedAdmin = { ...admin, storage, config, close: async () => undefined };
      const found = await orProblems(async () => {
        const read = await readConfiguration(text, sentValues(values));
        return prepare(read, opened, { prune, authority, ...(cause === null ? {} : { cause }) });
      });
      if (Array.isArray(found)) return { plan: { ...EMPTY, problems: found }, perform: async () => found };
      return {
        plan: recordOf(found.plan),
        perform: async () => {
          const done = await orProblems(() => found.perform());
          return Array.isArray(done) ? done : [];
        },
      };
    },
    write: (name, admin) => exportConfiguration(admin, name),
  };
}

const EMPTY: ConfigurationPlan = {
  ...{ name: "", changes: [], unchanged: 0, adopted: [], left: [], warnings: [], notes: [], problems: [] },
};

/** The result, or what is wrong with the file. */
async function orProblems<T>(work: () => Promise<T>): Promise<T | ConfigurationProblem[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ field, problem, place }: Problem) => ({
      ...{ field, problem, line: place?.line ?? null, column: place?.column ?? null },
    }));
  }
}

/** The caller has read the references on its own machine: the server looks at no variable and no file of its own. */
function sentValues(values: Readonly<Record<string, string>>): Resolve {
  return async (reference) => {
    const name = JSON.stringify(reference);
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? { problem: `the request has no value for ${name.slice(0, 200)}` } : { value };
  };
}

function recordOf({ changes, ...plan }: Plan): ConfigurationPlan {
  return { ...plan, changes: changes.map((one) => ({ ...one })), problems: [] };
}
