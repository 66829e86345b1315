/** The form in which a member asks the admins of their company, and the page that says that they were asked. */

import type { AdminProblem, AskedAdmins } from "../../owners/authorization/ask-admin.ts";
import type { DeviceFlow } from "../../owners/authorization/device-flow.ts";
import { MAX_REASON } from "../../owners/company-rules.ts";
import { descriptionOf } from "../../owners/scope-texts.ts";
import { askAdminPage, askedAdminPage } from "../../pages/index.ts";
import type { AskAdminView, ClientCard, FormSecrets } from "../../pages/views.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { clientCard, deviceCard } from "../endpoints/client-and-person-views.ts";
import { type Answer, page } from "../http-message.ts";
import { type Arrival, type FlowArrival, pageContextOf, sessionSecrets } from "./continue-after-sign-in.ts";
import { devicePageContext } from "./device-page.ts";

type Shown = AskedAdmins & { readonly problem: AdminProblem };

/** For an app in a browser. */
export function askAdminAnswer(asked: Shown, arrival: FlowArrival, tools: FlowTools): Answer {
  const { flow, visitor, http } = arrival;
  const chrome = tools.chrome(http, pageContextOf(arrival, tools));
  const client = clientCard(flow.request, chrome.words.language);
  const form = sessionSecrets(flow.continuation, visitor, tools);
  const html = askAdminPage(viewOf(asked, form, client, chrome.words.language), chrome);
  return page(asked.problem === null ? 200 : 400, html, "to a client", visitor.cookies);
}

export function adminsAskedAnswer({ owner }: AskedAdmins, arrival: FlowArrival, tools: FlowTools): Answer {
  const { flow, visitor, http } = arrival;
  const chrome = tools.chrome(http, pageContextOf(arrival, tools));
  const client = clientCard(flow.request, chrome.words.language);
  const form = sessionSecrets(flow.continuation, visitor, tools);
  const html = askedAdminPage({ form, client, company: owner.acting?.company.name ?? "" }, chrome);
  return page(200, html, "to a client", visitor.cookies);
}

/** For a device. */
export function deviceAskAnswer(asked: Shown, flow: DeviceFlow, { visitor, http }: Arrival, tools: FlowTools): Answer {
  const form = sessionSecrets(flow.continuation, visitor, tools);
  const chrome = tools.chrome(http, devicePageContext(form, flow.client));
  const { language } = chrome.words;
  const html = askAdminPage(viewOf(asked, form, deviceCard(flow.client, language), language), chrome);
  return page(asked.problem === null ? 200 : 400, html, "here", visitor.cookies);
}

export function deviceAskedAnswer(
  { owner }: AskedAdmins,
  flow: DeviceFlow,
  { visitor, http }: Arrival,
  tools: FlowTools,
): Answer {
  const form = sessionSecrets(flow.continuation, visitor, tools);
  const chrome = tools.chrome(http, devicePageContext(form, flow.client));
  const client = deviceCard(flow.client, chrome.words.language);
  const html = askedAdminPage({ form, client, company: owner.acting?.company.name ?? "" }, chrome);
  return page(200, html, "here", visitor.cookies);
}

function viewOf(
  { owner, scopes, reason, problem }: Shown,
  form: FormSecrets,
  client: ClientCard,
  language: string,
): AskAdminView {
  const company = owner.acting?.company.name ?? "";
  const asked = scopes.map((scope) => ({ name: scope.name, description: descriptionOf(scope, language) }));
  return { form, client, company, owner: owner.ownerId, scopes: asked, reason, longest: MAX_REASON, problem };
}
