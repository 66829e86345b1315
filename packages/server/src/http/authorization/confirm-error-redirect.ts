/**
 * `/authorize/error`: the person continues to a client that nobody has reviewed, with the error for it (RFC 9700
 * §4.11.2).
 */

import { errorResponse } from "../../oauth/authorization-endpoint/response.ts";
import { matchesRedirectUri } from "../../oauth/redirect-uri.ts";
import { REQUEST_TTL } from "../../owners/authorization/continuation.ts";
import { visitorOf } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { isFormToken, openHeldError } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest } from "../http-message.ts";
import { toClient } from "./authorization-response.ts";

/**
 * Sends only an error that this server sealed for this browser, and only to a redirect URI that the client still has.
 */
export async function sendErrorRedirect(http: HttpRequest, tools: FlowTools): Promise<Answer> {
  const visitor = await visitorOf(http, tools);
  const form = formOf(http);
  if (!isFormToken(form, visitor, tools)) {
    return problemAnswer("form_token_invalid", http, tools);
  }
  const held = openHeldError(tools.secrets, visitor.nonce, form.get("held"));
  if (held === undefined) return problemAnswer("interaction_unknown", http, tools);
  if (tools.now() - held.heldAt > REQUEST_TTL) return problemAnswer("interaction_expired", http, tools);
  const client = await tools.authorization.oauth.catalog.client(held.clientId);
  if (client?.status !== "active") return problemAnswer("authorization_client_unknown", http, tools);
  if (!matchesRedirectUri(client.redirectUris, held.target.redirectUri)) {
    return problemAnswer("redirect_uri_mismatch", http, tools);
  }
  return toClient(
    errorResponse(held.target, held.condition, tools.issuer, held.requestId),
    tools,
    http,
    visitor.cookies,
  );
}
