/** Where an issuer publishes its metadata (RFC 8414 §3.1). */

import { metadataPath } from "../oauth/endpoints.ts";

export function metadataUrl(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return origin + metadataPath(pathname === "/" ? "" : pathname);
}
