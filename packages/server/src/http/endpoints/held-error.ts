/** `/authorize/error`: the person goes on to a client that nobody has looked at, with the error that it is to learn of (RFC 9700 §4.11.2). */

import { errorResponse } from "../../oauth/authorization-endpoint/response.ts";
import { matchesRedirectUri } from "../../oauth/redirect-uri.ts";
import type { Assent } from "../../server-parts.ts";
import { INTERACTION_TTL, isFormToken, openHeldError } from "../forms.ts";
import { toClient } from "../interaction.ts";
import { type Answer, formOf, type HttpRequest } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { visitorOf } from "../visitor.ts";

/** Only what this server held for this browser goes on, and only to a redirect URI that the client still has. */
export async function sendHeldError(http: HttpRequest, assent: Assent): Promise<Answer> {
  const visitor = await visitorOf(http, assent);
  const form = formOf(http);
  if (!isFormToken(assent.secrets, `browser:${visitor.nonce}`, form.get("csrf"))) {
    return problemAnswer("form_token_invalid", http, assent);
  }
  const held = openHeldError(assent.secrets, visitor.nonce, form.get("held"));
  if (held === undefined) return problemAnswer("interaction_unknown", http, assent);
  if (assent.now() - held.heldAt > INTERACTION_TTL) return problemAnswer("interaction_expired", http, assent);
  const client = await assent.oauth.catalog.client(held.clientId);
  if (client?.status !== "active") return problemAnswer("authorization_client_unknown", http, assent);
  if (!matchesRedirectUri(client.redirectUris, held.target.redirectUri)) {
    return problemAnswer("redirect_uri_mismatch", http, assent);
  }
  return toClient(errorResponse(held.target, held.condition, assent.issuer), assent, http, visitor.cookies);
}
