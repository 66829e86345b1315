/**
 * The forms by which strangers ask for mail: `/recover`, `/sign-up`. The response is the same whether an account exists
 * or not.
 */

import { type AskContext, askForMail as ask } from "../../owners/mail/ask-for-mail.ts";
import type { Asker } from "../../owners/mail/limits.ts";
import type { MailRequest } from "../../owners/mail/requests.ts";
import { askPage } from "../../pages/index.ts";
import type { AskView } from "../../pages/security/views.ts";
import { originOf } from "../connections/client-address.ts";
import type { FormTools } from "../contexts.ts";
import { deviceCookie } from "../device-cookie.ts";
import { formToken, isFormToken } from "../forms.ts";
import { type Answer, formOf, type HttpRequest, later, page, waitUntil } from "../message.ts";
import type { Visitor, VisitorContext } from "../visitor.ts";

/** Seconds in which a large part of a full queue is sent. */
export const QUEUE_RETRY = 120;

/** The dependencies of a request for mail. */
export interface AskTools extends FormTools, VisitorContext {
  readonly account: AskContext;
}

type Shown = Pick<AskView, "what" | "typed">;

/**
 * Checks the form and the limits, and stores the request. `requestOf` returns undefined if the typed text is not valid.
 * Undefined: the message is on its way, as far as anybody learns.
 */
export async function askForMail(
  shown: Shown,
  requestOf: (asker: Asker) => MailRequest | undefined,
  visitor: Visitor,
  http: HttpRequest,
  tools: AskTools,
): Promise<Answer | undefined> {
  const again = (fault: AskView["fault"], status: number) =>
    askAnswer({ ...shown, fault }, visitor, http, tools, status);
  if (!isFormToken(formOf(http), visitor, tools)) return again({ kind: "stale" }, 403);
  const from = { ...originOf(http.address), device: deviceCookie(http, tools) };
  const outcome = await ask(from, requestOf, tools.account);
  switch (outcome.kind) {
    case "asked":
      return undefined;
    case "missing":
      return again({ kind: "missing" }, 200);
    case "throttled": {
      const { minutes, seconds } = waitUntil(outcome.until, tools.now());
      return later(again({ kind: "throttled", minutes }, 429), seconds);
    }
    case "full":
      return later(again({ kind: "full" }, 503), QUEUE_RETRY);
  }
}

export function askAnswer(
  asked: Pick<AskView, "what" | "typed" | "fault">,
  visitor: Visitor,
  http: HttpRequest,
  tools: AskTools,
  status = 200,
): Answer {
  const view = { ...asked, csrf: formToken(visitor, tools) };
  const here = asked.what === "recover" ? "/recover" : "/sign-up";
  return page(status, askPage(view, tools.chrome(http, { here })), "here", visitor.cookies);
}
