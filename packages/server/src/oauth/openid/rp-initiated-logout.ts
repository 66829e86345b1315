/** What an app asks when it sends a person to sign out (OpenID Connect RP-Initiated Logout §2). */

import type { Client } from "../model.ts";
import type { Parameters } from "../parameters.ts";
import type { HintedSignIn, OAuthContext } from "../ports.ts";
import { withQuery } from "../redirect-uri.ts";

export interface LogoutRequest {
  /** The sign-in that a genuine ID token names. Undefined: there is none, so the person is asked. */
  readonly hint: HintedSignIn | undefined;
  /** Undefined: no app is known to have asked. */
  readonly client: Client | undefined;
  /** Registered for this client, and equal as a string. Null: the person stays here. */
  readonly redirectUri: string | null;
  readonly state: string | null;
}

/**
 * A wrong value never keeps a person from signing out. It only means that the person is asked, and stays on a page of
 * this server. §4 forbids the redirect, leaves the page to the server, and warns against leaving people signed in. `logout_hint` has no use: a browser has one session.
 */
export async function readLogoutRequest(
  single: Parameters,
  { openId, catalog }: Pick<OAuthContext, "openId" | "catalog">,
): Promise<LogoutRequest> {
  const token = single.get("id_token_hint");
  const found = token === undefined ? undefined : await openId.readHint(token);
  const clientId = single.get("client_id") ?? found?.clientId;
  // §2: both must name the same client. Otherwise nobody can tell who asks.
  const agree = found === undefined || found.clientId === clientId;
  const client = clientId === undefined || !agree ? undefined : await catalog.client(clientId);
  const asked = single.get("post_logout_redirect_uri");
  const isKnown = client?.status === "active" && asked !== undefined && client.postLogoutRedirectUris?.includes(asked);
  return {
    hint: agree ? found : undefined,
    client,
    redirectUri: isKnown === true ? asked : null,
    state: single.get("state") ?? null,
  };
}

/** §2: where the browser goes after sign-out, with the `state` as it came. */
export function afterLogout(redirectUri: string, state: string | null): string {
  return state === null ? redirectUri : withQuery(redirectUri, { state });
}
