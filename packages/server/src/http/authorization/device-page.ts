/** The pages of a device that waits: its code, the question, what became of it. */

import type { Client } from "../../oauth/model.ts";
import { readUserCode, showUserCode } from "../../oauth/user-code.ts";
import { durationsFor } from "../../owners/authorization/consent-answer.ts";
import type { DeviceFlow } from "../../owners/authorization/device-flow.ts";
import { heldScopes, type OwnerChoice, shownApprovals } from "../../owners/authorization/person-or-company.ts";
import { consentPage, deviceCodePage, deviceDonePage, deviceElsewherePage } from "../../pages/index.ts";
import type { ConsentView, DeviceCodeView, DeviceDoneView, DeviceFacts, FormSecrets } from "../../pages/views.ts";
import type { Visitor } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { deviceCard, signedInAs } from "../endpoints/client-and-person-views.ts";
import { formToken } from "../form-token.ts";
import { type Answer, type HttpRequest, page } from "../http-message.ts";
import type { PageContext } from "../page-chromes.ts";
import {
  type Again,
  awayOf,
  besideOfRequest,
  chosenBefore,
  durationChoices,
  inPublic,
  keepsOf,
  keptFor,
  laterFor,
  leavingOf,
  newcomerOf,
  onceSeconds,
  ownerOptions,
  pauseOf,
  problemOf,
  scopeChoices,
  servicesFor,
} from "./consent-page.ts";
import { type Arrival, sessionSecrets } from "./continuation-in-forms.ts";

interface CodeShown {
  readonly typed: string;
  readonly linked?: boolean;
  readonly problem: DeviceCodeView["problem"];
  readonly status: number;
}

/** The field for the code. It keeps what the person typed, so that they can correct a letter. */
export function codeAnswer(shown: CodeShown, visitor: Visitor, http: HttpRequest, tools: FlowTools): Answer {
  const userCode = readUserCode(shown.typed);
  const view: DeviceCodeView = {
    form: { csrf: formToken(visitor, tools), request: null },
    userCode: userCode === undefined ? shown.typed : showUserCode(userCode),
    linked: shown.linked ?? false,
    problem: shown.problem,
  };
  return page(shown.status, deviceCodePage(view, tools.chrome(http, { here: "/device" })), "here", visitor.cookies);
}

/** Where a page of the device is had again, in the colour of the client that it asks for. */
export function devicePageContext({ device }: FormSecrets, { accent = null }: Client): PageContext {
  return { accent, here: `/device/consent?device=${device ?? ""}` };
}

function factsOf({ continuation, request, near }: DeviceFlow, tools: FlowTools): DeviceFacts {
  return {
    userCode: showUserCode(readUserCode(continuation.userCode) ?? ""),
    address: request.address,
    sameNetwork: near,
    askedAt: request.createdAt,
    now: tools.now(),
  };
}

/** The extra question, where the device asked from another network. */
export function elsewhereAnswer(flow: DeviceFlow, { visitor, http }: Arrival, tools: FlowTools): Answer {
  const form = sessionSecrets(flow.continuation, visitor, tools);
  const chrome = tools.chrome(http, devicePageContext(form, flow.client));
  const client = deviceCard(flow.client, chrome.words.language);
  const view = { form, client, device: factsOf(flow, tools) };
  return page(200, deviceElsewherePage(view, chrome), "here", visitor.cookies);
}

/** The consent page, with what the owner compares above it. `again`: what was wrong with the last answer. */
export async function deviceConsentAnswer(
  flow: DeviceFlow,
  owner: OwnerChoice,
  { visitor, http }: Arrival,
  tools: FlowTools,
  again: Again | null,
): Promise<Answer> {
  const { owners, person, client } = flow;
  const form = sessionSecrets({ ...flow.continuation, ...shownApprovals(owners, tools.now()) }, visitor, tools);
  const chrome = tools.chrome(http, devicePageContext(form, client));
  const { language } = chrome.words;
  const held = heldScopes(owner, tools.now());
  const durations = durationsFor(client, tools.authorization);
  const services = await servicesFor(owners, client, tools);
  const later = await laterFor(owners, client, language, tools);
  const kept = await keptFor(owners, client, tools);
  const view: ConsentView = {
    form,
    client: await inPublic(deviceCard(client, language), client, tools),
    person: signedInAs(person),
    owners: ownerOptions(owners, owner, person, { language, durations, services, later, kept }, tools.now()),
    scopes: await scopeChoices(owner, client, language, chosenBefore(again), tools),
    ...durationChoices(client, chosenBefore(again), tools),
    onceSeconds: await onceSeconds(owner, false, tools),
    now: tools.now(),
    device: factsOf(flow, tools),
    ...keepsOf(owner, tools.now()),
    ...(await besideOfRequest(owner, client, language, tools)),
    ...pauseOf(owner),
    ...leavingOf(person),
    ...newcomerOf(visitor.signedIn, tools.now()),
    ...awayOf(owner, client, tools),
    allGranted: owner.scopes.every(({ name }) => held.has(name)),
    problem: problemOf(again),
  };
  return page(again?.status ?? 200, consentPage(view, chrome), "here", visitor.cookies);
}

export function doneAnswer(
  { client, ...done }: Omit<DeviceDoneView, "client"> & { readonly client: Client },
  http: HttpRequest,
  tools: FlowTools,
): Answer {
  const chrome = tools.chrome(http, { accent: client.accent ?? null });
  return page(200, deviceDonePage({ ...done, client: deviceCard(client, chrome.words.language) }, chrome));
}
