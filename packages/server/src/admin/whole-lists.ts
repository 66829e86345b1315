/** Lists that are short enough to be read as a whole. */

import type { Resource } from "../oauth/model.ts";
import type { TrustedIssuer } from "../oauth/trusted-issuer.ts";
import type { AdminContext } from "./context.ts";

/** Sorted by identifier. */
export function allResources({ storage }: AdminContext): Promise<readonly Resource[]> {
  return storage.resources.list();
}

/** Sorted by identifier. */
export function allIssuers({ storage }: AdminContext): Promise<readonly TrustedIssuer[]> {
  return storage.issuers.list();
}
