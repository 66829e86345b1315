/** `/device`: the code, sign-in, and the owner's answer to a device that waits (RFC 8628 §3.3). */

import { type DeviceContinuation, newDevice, openDevice } from "../../owners/authorization/continuation.ts";
import {
  advanceDevice,
  answerDevice,
  answerDeviceToAdmins,
  answerWhose,
  type DeviceStep,
} from "../../owners/authorization/device-flow.ts";
import { forVisitor, type Visitor, visitorOf } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { isFormToken } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest } from "../http-message.ts";
import { adminFormOf, answerFormOf } from "./consent-form.ts";
import { type Arrival, isAnswer, readerOf } from "./continuation-in-forms.ts";
import { codeAnswer } from "./device-page.ts";
import { deviceAnswer } from "./show-device-step.ts";

/** A code that comes with the link still waits for a press: its reader compares it with the device (§5.4). */
export const showDevice = forVisitor<FlowTools>((visitor, http, tools) => {
  const { userCode } = newDevice(new URLSearchParams(http.query).get("user_code") ?? "");
  return codeAnswer({ typed: userCode, linked: userCode !== "", problem: null, status: 200 }, visitor, http, tools);
});

export const submitDevice = forVisitor<FlowTools>((visitor, http, tools) => {
  const form = formOf(http);
  const continuation = newDevice(form.get("user_code")?.trim() ?? "");
  const shown = { typed: continuation.userCode, problem: null, status: 200 };
  if (!isFormToken(form, visitor, tools)) {
    return codeAnswer({ ...shown, problem: { kind: "stale" }, status: 403 }, visitor, http, tools);
  }
  if (continuation.userCode === "") return codeAnswer({ ...shown, problem: { kind: "missing" } }, visitor, http, tools);
  return goOn(continuation, visitor, http, tools);
});

/** Where a sign-in leads. */
export const showDeviceConsent = forVisitor<FlowTools>((visitor, http, tools) => {
  const sealed = new URLSearchParams(http.query).get("device");
  const continuation = opened(sealed, visitor, tools);
  if (continuation === undefined) return problemAnswer("interaction_unknown", http, tools);
  return goOn(continuation, visitor, http, tools);
});

function opened(sealed: string | null, { nonce }: Visitor, { authorization }: FlowTools) {
  return sealed === null ? undefined : openDevice(sealed, nonce, authorization.sealer);
}

async function goOn(
  continuation: DeviceContinuation,
  visitor: Visitor,
  http: HttpRequest,
  tools: FlowTools,
): Promise<Answer> {
  const arrival = { visitor, http, continuation, flow: undefined };
  const step = await advanceDevice(continuation, readerOf(arrival, tools), tools.authorization);
  return deviceAnswer(step, arrival, tools);
}

interface About extends Arrival {
  readonly form: URLSearchParams;
  readonly continuation: DeviceContinuation;
}

/** A form about a device: of this session and this browser, or it is refused before anything is looked up. */
async function formAbout(http: HttpRequest, tools: FlowTools): Promise<About | Answer> {
  const visitor = await visitorOf(http, tools);
  const form = formOf(http);
  const continuation = opened(form.get("device"), visitor, tools);
  const session = visitor.signedIn?.session;
  if (continuation === undefined) return problemAnswer("form_token_invalid", http, tools);
  if (session !== undefined && !isFormToken(form, session, tools)) {
    return problemAnswer("form_token_invalid", http, tools);
  }
  return { form, visitor, http, continuation, flow: undefined };
}

/** An endpoint for a form about a device. */
function answering(
  answer: (about: About, tools: FlowTools) => Promise<DeviceStep>,
): (http: HttpRequest, tools: FlowTools) => Promise<Answer> {
  return async (http, tools) => {
    const about = await formAbout(http, tools);
    if (isAnswer(about)) return about;
    return deviceAnswer(await answer(about, tools), about, tools, about.form);
  };
}

/** The answer to "is this your device?". */
export const answerElsewhere = answering((about, tools) =>
  answerWhose(about.form.get("decision"), about.continuation, readerOf(about, tools), tools.authorization),
);

export const submitDeviceConsent = answering((about, tools) =>
  answerDevice(answerFormOf(about.form), about.continuation, readerOf(about, tools), tools.authorization),
);

export const submitDeviceAsk = answering((about, tools) =>
  answerDeviceToAdmins(adminFormOf(about.form), about.continuation, readerOf(about, tools), tools.authorization),
);
