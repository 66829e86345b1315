/** Protects an API with access tokens of an Assent (or any RFC 9068) authorization server. */

export type { AccessTokenClaims } from "./access-token.ts";
export { type RefusalCondition, ResourceServerError } from "./bearer-errors.ts";
export type { FetchRequest, NodeRequest, ProtectableRequest } from "./bearer-token.ts";
export type { Algorithm, ResourceServerOptions } from "./options.ts";
export {
  type ProtectedResourceMetadata,
  type ProtectedResourceOptions,
  type PublishedDetails,
  type PublishedMetadata,
  protectedResourceMetadata,
  protectedResourceMetadataUrl,
} from "./protected-resource-metadata.ts";
export { createResourceServer, hasScope, type Requirement, type ResourceServer } from "./resource-server.ts";
