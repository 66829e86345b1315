/** `/confirm/…`: proves an address, which may then replace another one. Opening the link alone changes nothing. */

import { type ConfirmContext, confirmAddress } from "../../owners/account/confirm-address.ts";
import { isAddressOfNobody } from "../../owners/canonical-login.ts";
import { type FollowContext, type FollowedLink, followLink } from "../../owners/mail/open-mail-link.ts";
import { confirmPage } from "../../pages/index.ts";
import { type Visitor, type VisitorContext, visitorOf } from "../browser-of-request.ts";
import { presentedBy } from "../device-cookie.ts";
import type { FormTools } from "../endpoint-contexts.ts";
import { formToken, isFormToken } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest, page } from "../http-message.ts";
import { doneAnswer, goneAnswer } from "./ask-recovery.ts";

type What = "verify" | "change";

interface ConfirmTools extends FormTools, VisitorContext {
  readonly account: FollowContext & ConfirmContext;
}

export function showEmailLink(what: What): (http: HttpRequest, tools: ConfirmTools) => Promise<Answer> {
  return async (http, tools) => {
    const visitor = await visitorOf(http, tools);
    const token = new URLSearchParams(http.query).get("link");
    const followed = await followLink(token, what, tools.account);
    if (followed === undefined) return goneAnswer(what, token, { http, visitor }, tools);
    return askAnswer(what, token ?? "", followed, visitor, http, tools, false);
  };
}

export function submitEmailLink(what: What): (http: HttpRequest, tools: ConfirmTools) => Promise<Answer> {
  return async (http, tools) => {
    const visitor = await visitorOf(http, tools);
    const form = formOf(http);
    const token = form.get("link") ?? "";
    const followed = await followLink(token, what, tools.account);
    if (followed === undefined) return goneAnswer(what, token, { http, visitor }, tools);
    if (!isFormToken(form, visitor, tools))
      return { ...askAnswer(what, token, followed, visitor, http, tools, true), status: 403 };
    const from = {
      device: presentedBy(followed.person.personId, http, tools),
      ...{ language: tools.chrome(http).words.language, address: http.address },
    };
    const outcome = await confirmAddress(what, followed, from, tools.account);
    if (outcome.kind !== "done") {
      return outcome.kind === "taken"
        ? doneAnswer({ what: "taken" }, http, tools, visitor)
        : goneAnswer(what, token, { http, visitor }, tools);
    }
    const { email, username } = outcome.person;
    return doneAnswer({ what: "confirmed", email, person: username }, http, tools, visitor);
  };
}

function askAnswer(
  what: What,
  link: string,
  followed: FollowedLink,
  visitor: Visitor,
  http: HttpRequest,
  tools: ConfirmTools,
  stale: boolean,
): Answer {
  const { username: person } = followed.person;
  const csrf = formToken(visitor, tools);
  const first = isAddressOfNobody(followed.person.email);
  const view = { what, csrf, link, person, stale, first, email: followed.link.address };
  const here = `/confirm/${what}?link=${link}`;
  return page(200, confirmPage(view, tools.chrome(http, { here })), "here", visitor.cookies);
}
