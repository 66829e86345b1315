/** Client secrets that this server signs for each request, as Apple demands them: a JWT with ES256 (RFC 7518 §3.4). */

import { createPrivateKey, sign } from "node:crypto";
import type { SignInProvider } from "../owners/identities/sign-in-provider.ts";

/** Apple accepts up to six months. A secret that lives for minutes is of no use to whoever reads it later. */
const LIFETIME = 300;

/** `key`: the private key in PEM. `now`: seconds. */
export function signedClientSecret(
  { clientId, issuer, signedSecret }: SignInProvider,
  key: string,
  now: number,
): string {
  const { teamId, keyId } = signedSecret ?? { teamId: "", keyId: "" };
  const signed = [
    { alg: "ES256", kid: keyId },
    { iss: teamId, iat: now, exp: now + LIFETIME, aud: issuer, sub: clientId },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signature = sign("sha256", Buffer.from(signed), { key: createPrivateKey(key), dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}
