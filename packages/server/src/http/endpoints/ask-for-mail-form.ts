/**
 * The forms by which strangers ask for mail: `/recover`, `/sign-up`. The response is the same whether an account exists
 * or not. What waits behind the sign-in goes along.
 */

import { carried } from "../../owners/authorization/continuation.ts";
import type { MailRequest } from "../../owners/mail/answer-mail-request.ts";
import { type AskContext, askForMail as ask } from "../../owners/mail/ask-for-mail.ts";
import type { Asker } from "../../owners/mail/mail-limits.ts";
import { askPage, type Chrome, sentPage } from "../../pages/index.ts";
import type { AskView } from "../../pages/security/views.ts";
import {
  type Arrival,
  arrivalOf,
  formSecrets,
  isAnswer,
  pageContextOf,
} from "../authorization/continuation-in-forms.ts";
import { keptFor, signInPath, waitingBehind } from "../authorization/continue-after-mail.ts";
import { originOf } from "../connections/client-address.ts";
import { deviceCookie } from "../device-cookie.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { isFormToken } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest, later, page, waitUntil } from "../http-message.ts";

/** Seconds in which a large part of a full queue is sent. */
export const QUEUE_RETRY = 120;

/** The dependencies of a request for mail. */
export interface AskTools extends FlowTools {
  readonly account: AskContext;
}

type Shown = Pick<AskView, "what" | "typed">;

/** Opens what the form or link carries. Returns an answer if the person can't go on with it, before they ask for anything. */
export async function askArrival(
  http: HttpRequest,
  tools: FlowTools,
  fields: URLSearchParams = formOf(http),
): Promise<Arrival | Answer> {
  const arrival = await arrivalOf(http, tools, fields);
  if (isAnswer(arrival)) return arrival;
  const isGone = arrival.continuation?.kind === "invitation" && arrival.invited === undefined;
  return isGone ? problemAnswer("invitation_unknown", http, tools) : arrival;
}

/** What the person has typed, and the language of the page. `kept`: what the link keeps for this browser. */
export interface MailAsk {
  readonly asker: Asker;
  readonly language: string;
  readonly kept: string | undefined;
}

/**
 * Checks the form and the limits, and stores the request. `requestOf` returns undefined if the typed text is not valid.
 * `email`: the address that the next page shows; null: none.
 */
export async function askForMail(
  shown: Shown & { readonly email: string | null },
  requestOf: (ask: MailAsk) => MailRequest | undefined,
  arrival: Arrival,
  tools: AskTools,
): Promise<Answer> {
  const { http, visitor } = arrival;
  const again = (fault: AskView["fault"], status: number) => askAnswer({ ...shown, fault }, arrival, tools, status);
  if (!isFormToken(formOf(http), visitor, tools)) return again({ kind: "stale" }, 403);
  const from = { ...originOf(http.address), device: deviceCookie(http, tools) };
  const { language } = chromeOf(arrival, tools).words;
  const kept = keptFor(arrival, tools);
  const outcome = await ask(from, (asker) => requestOf({ asker, language, kept }), tools.account);
  switch (outcome.kind) {
    case "asked":
      return sentAnswer(shown.email, arrival, tools);
    case "missing":
      return again({ kind: "missing" }, 200);
    case "throttled": {
      const { minutes, seconds } = waitUntil(outcome.until, tools.now());
      return later(await again({ kind: "throttled", minutes }, 429), seconds);
    }
    case "full":
      return later(await again({ kind: "full" }, 503), QUEUE_RETRY);
  }
}

/** The frame in the language and the colours of the request that waits. */
function chromeOf({ flow, visitor, http }: Arrival, tools: FlowTools): Chrome {
  return tools.chrome(http, flow === undefined ? {} : pageContextOf({ flow, visitor }, tools));
}

export async function askAnswer(
  asked: Pick<AskView, "what" | "typed" | "fault">,
  arrival: Arrival,
  tools: FlowTools,
  status = 200,
): Promise<Answer> {
  const { visitor, continuation, flow } = arrival;
  const form = formSecrets(continuation, visitor, tools);
  const query = new URLSearchParams(Object.entries(carried(continuation, visitor.nonce, tools.authorization)));
  const path = asked.what === "recover" ? "/recover" : "/sign-up";
  const chrome = { ...chromeOf(arrival, tools), here: query.size === 0 ? path : `${path}?${query}` };
  const waiting = await waitingBehind(arrival, chrome.words.language, tools);
  const application = asked.what === "recover" ? tools.keeper?.application : undefined;
  const keeper = application && {
    keeper: { name: application.name, address: application.forgotPassword ?? application.changePassword },
    mail: tools.mail.enabled,
  };
  const view = { ...asked, form, waiting, back: signInPath(continuation, visitor, tools), ...keeper };
  // A request that can't go on any more is answered to the client.
  return page(status, askPage(view, chrome), flow === undefined ? "here" : "to a client", visitor.cookies);
}

async function sentAnswer(email: string | null, arrival: Arrival, tools: FlowTools): Promise<Answer> {
  const { visitor, continuation } = arrival;
  const chrome = { ...chromeOf(arrival, tools), here: null };
  const waiting = await waitingBehind(arrival, chrome.words.language, tools);
  const view = { email, waiting, back: signInPath(continuation, visitor, tools) };
  return page(200, sentPage(view, chrome), "here", visitor.cookies);
}
