/** `/login/provider/{id}/backchannel-logout`: where a provider sends logout tokens (OpenID Connect Back-Channel Logout §2.5). */

import { refuse } from "../../oauth/errors.ts";
import { parseOrRefuse } from "../../oauth/parameters.ts";
import { type ReceiveLogoutContext, receiveLogout } from "../../owners/identities/receive-logout.ts";
import { backChannelForm } from "../form-body.ts";
import { type Answer, type HttpRequest, json } from "../http-message.ts";

/** The body of a 200 has no meaning. Neither answer may be cached (§2.8). */
export async function submitLogoutToken(http: HttpRequest, tools: ReceiveLogoutContext): Promise<Answer> {
  const { single } = parseOrRefuse(backChannelForm(http).body);
  const token = single.get("logout_token") ?? refuse("logout_token_invalid", "there is no logout_token");
  await receiveLogout(http.params["provider"] ?? "", token, tools);
  return json(200, "{}");
}
