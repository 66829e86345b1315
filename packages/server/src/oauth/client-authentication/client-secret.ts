/** Client secrets: compared by hash (RFC 6749 §2.3.1). They have 256 random bits, so a fast hash hides them. */

import type { ClientSecret } from "../model.ts";
import type { OAuthContext } from "../ports.ts";

/** If there is no secret to compare with, the comparison takes the same time with this one. */
const NO_SECRET = "A".repeat(43);

/** `valid`: it is one of the client's secrets and has not expired. The function always compares with all of them. */
export function compareSecret(
  sent: string,
  secrets: readonly ClientSecret[],
  { hashes, now }: Pick<OAuthContext, "hashes" | "now">,
): "valid" | "expired" | "wrong" {
  const hash = hashes.sha256(sent);
  let found: "valid" | "expired" | "wrong" = "wrong";
  if (secrets.length === 0) hashes.equal(hash, NO_SECRET);
  for (const secret of secrets) {
    if (!hashes.equal(hash, secret.hash)) continue;
    const expired = secret.expiresAt !== null && secret.expiresAt <= now();
    if (!expired) found = "valid";
    else if (found === "wrong") found = "expired";
  }
  return found;
}
