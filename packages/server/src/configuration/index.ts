/** `@assent/server/configuration`: configuration as code, for the command. A server loads it with the first request for it. */

export { type ApplyOptions, type Change, type Plan, type Prepared, prepare } from "./apply.ts";
export { exportConfiguration } from "./export.ts";
export { configurationSchema, NAME } from "./file-schema.ts";
export type { Ended } from "./kind.ts";
export { ConfigurationError, type Problem } from "./problems.ts";
export { type Configuration, type Reference, type Resolve, type Resolved, readConfiguration } from "./read-file.ts";
export { MAX_FILE } from "./yaml-source.ts";
