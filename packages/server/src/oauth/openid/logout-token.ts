/** The logout token: tells a client that a session has ended (OpenID Connect Back-Channel Logout §2.4). */

import type { Client, Millis } from "../model.ts";
import type { EndedSignIn, IdTokens, OAuthContext } from "../ports.ts";
import { idTokenAlgOf } from "./metadata.ts";

/** §2.4 recommends at most two minutes. Each try makes a new token with the same `jti`. */
const LOGOUT_TOKEN_TTL: Millis = 120_000;

/** A nonce is forbidden, so that nobody takes it for an ID token. */
export function logoutToken(
  { personId, sid, jti }: EndedSignIn,
  client: Pick<Client, "clientId" | "idTokenAlg">,
  { idTokens, now }: { readonly idTokens: Pick<IdTokens, "signLogout"> } & Pick<OAuthContext, "now">,
): Promise<string> {
  const iat = Math.floor(now() / 1000);
  return idTokens.signLogout(idTokenAlgOf(client), {
    aud: client.clientId,
    iat,
    exp: iat + LOGOUT_TOKEN_TTL / 1000,
    jti,
    events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    sub: personId,
    sid,
  });
}
