/** The page before an error goes to a client that nobody has reviewed (RFC 9700 §4.11.2). */

import type { RedirectTarget } from "../../oauth/authorization-endpoint/request.ts";
import { type ConditionName, conditions, publicCondition } from "../../oauth/errors.ts";
import type { Client } from "../../oauth/model.ts";
import { errorRedirectPage } from "../../pages/index.ts";
import type { Visitor } from "../browser-of-request.ts";
import type { FormTools } from "../endpoint-contexts.ts";
import { clientCard } from "../endpoints/client-and-person-views.ts";
import { formToken, sealHeldError } from "../form-token.ts";
import { type Answer, type HttpRequest, page } from "../http-message.ts";

export interface Held {
  readonly client: Client;
  readonly target: RedirectTarget;
  readonly condition: ConditionName;
}

/** Says what was wrong, and where "Continue" leads. The client gets nothing before the person continues. */
export function errorRedirectAnswer(
  { client, target, condition }: Held,
  visitor: Visitor,
  http: HttpRequest,
  tools: FormTools,
): Answer {
  const { redirectUri, responseMode, state } = target;
  const shown = publicCondition(condition);
  const chrome = { ...tools.chrome(http, { accent: client.accent ?? null }), here: null };
  const held = { clientId: client.clientId, target: { redirectUri, responseMode, state }, condition };
  const view = {
    csrf: formToken(visitor, tools),
    held: sealHeldError(tools.secrets, visitor.nonce, { ...held, heldAt: tools.now(), requestId: http.id }),
    client: clientCard({ client, redirectUri }, chrome.words.language),
    denied: conditions[shown].error === "access_denied",
    condition: shown,
    description: conditions[shown].description,
    requestId: http.id,
  };
  return page(200, errorRedirectPage(view, chrome), "to a client", visitor.cookies);
}
