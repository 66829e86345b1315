/** `@assent/server`: the authorization server as a library. */

export { type AssentOptions, type AssentServer, createAssent } from "./assent.ts";
export { type Config, ConfigError, configOf, loadConfig } from "./config.ts";
export { isLoopbackHost } from "./config-kinds.ts";
export { type Listening, listen } from "./listen.ts";
export type {
  CustomGrant,
  CustomGrantDecision,
  CustomGrantError,
  CustomGrantRequest,
  TokenForClient,
  TokenForOwner,
} from "./oauth/grants/custom-shape.ts";
export type { Notice } from "./owners/mail/notices.ts";
