/** The forms that strangers have mail sent by: `/recover`, `/sign-up`. They say the same whoever exists. */

import { type Asker, askedTooOften } from "../../owners/mail/limits.ts";
import type { MailRequest } from "../../owners/mail/requests.ts";
import { askPage } from "../../pages/index.ts";
import type { AskView } from "../../pages/security/views.ts";
import type { Assent } from "../../server-parts.ts";
import { formToken, isFormToken } from "../forms.ts";
import { askerOf } from "../mail-links.ts";
import { type Answer, formOf, type HttpRequest, page } from "../message.ts";
import type { Visitor } from "../visitor.ts";

/** Seconds in which much of a full queue is sent. */
export const QUEUE_RETRY = "120";

type Shown = Pick<AskView, "what" | "typed">;

/**
 * Checks the form and the limits, and stores the request. `requestOf`: undefined where what was typed can't be what is asked for. Undefined: the
 * message is on its way, as far as anybody learns.
 */
export async function askForMail(
  shown: Shown,
  requestOf: (asker: Asker) => MailRequest | undefined,
  visitor: Visitor,
  http: HttpRequest,
  assent: Assent,
): Promise<Answer | undefined> {
  const again = (fault: AskView["fault"], status: number) =>
    askAnswer({ ...shown, fault }, visitor, http, assent, status);
  if (!isFormToken(assent.secrets, `browser:${visitor.nonce}`, formOf(http).get("csrf")))
    return again({ kind: "stale" }, 403);
  const asker = await askerOf(http, assent);
  const request = requestOf(asker);
  if (request === undefined) return again({ kind: "missing" }, 200);
  const until = await askedTooOften(asker, assent.signIn);
  if (until !== undefined) {
    const wait = Math.max(1000, until - assent.now());
    const throttled = again({ kind: "throttled", minutes: Math.ceil(wait / 60_000) }, 429);
    return later(throttled, String(Math.ceil(wait / 1000)));
  }
  const taken = await assent.mailDesk.ask(request, asker.device === undefined ? "anybody" : "a known device");
  return taken ? undefined : later(again({ kind: "full" }, 503), QUEUE_RETRY);
}

function later(answer: Answer, seconds: string): Answer {
  return { ...answer, headers: { ...answer.headers, "retry-after": seconds } };
}

export function askAnswer(
  asked: Pick<AskView, "what" | "typed" | "fault">,
  visitor: Visitor,
  http: HttpRequest,
  assent: Assent,
  status = 200,
): Answer {
  const view = { ...asked, csrf: formToken(assent.secrets, `browser:${visitor.nonce}`) };
  const here = asked.what === "recover" ? "/recover" : "/sign-up";
  return page(status, askPage(view, assent.chrome(http, { here })), "here", visitor.cookies);
}
