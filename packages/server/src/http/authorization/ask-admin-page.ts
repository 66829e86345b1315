/** The form in which a member asks the admins of their company, and the page that says that they were asked. */

import type { Client } from "../../oauth/model.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import {
  type AdminProblem,
  type AskedAdmins,
  hasAccessAlready,
  replacedRequest,
} from "../../owners/authorization/ask-admin.ts";
import { askedOnPage } from "../../owners/authorization/browser-flow.ts";
import { ANOTHER_OWNER, durationsFor } from "../../owners/authorization/consent-answer.ts";
import type { DeviceFlow } from "../../owners/authorization/device-flow.ts";
import { beyondApproval, MAX_REASON } from "../../owners/company-rules.ts";
import { durationField, KEEP_END, readDuration, TODAY, TODAY_UNTIL } from "../../owners/consent-needed.ts";
import { descriptionOf } from "../../owners/scope-texts.ts";
import type { ConsentDuration } from "../../owners/storage.ts";
import type { AskAdminView } from "../../pages/company/views.ts";
import { askAdminPage, askedAdminPage } from "../../pages/index.ts";
import type { ClientCard, FormSecrets } from "../../pages/views.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { clientCard, deviceCard } from "../endpoints/client-and-person-views.ts";
import { type Answer, page } from "../http-message.ts";
import { type Arrival, type FlowArrival, pageContextOf, sessionSecrets } from "./continuation-in-forms.ts";
import { devicePageContext } from "./device-page.ts";

/** `form`: the form that the page answers. */
type Shown = AskedAdmins & { readonly problem: AdminProblem; readonly form: URLSearchParams };

/** For an app in a browser. */
export async function askAdminAnswer(asked: Shown, arrival: FlowArrival, tools: FlowTools): Promise<Answer> {
  const { flow, visitor, http } = arrival;
  const chrome = tools.chrome(http, pageContextOf(arrival, tools));
  const client = clientCard(flow.request, chrome.words.language);
  const form = sessionSecrets(askedOnPage(flow), visitor, tools);
  const html = askAdminPage(
    viewOf(
      asked,
      form,
      client,
      chrome.words.language,
      await offer(asked, flow.request.client, chrome.words.language, tools),
    ),
    chrome,
  );
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
export async function deviceAskAnswer(
  asked: Shown,
  flow: DeviceFlow,
  { visitor, http }: Arrival,
  tools: FlowTools,
): Promise<Answer> {
  const form = sessionSecrets(flow.continuation, visitor, tools);
  const chrome = tools.chrome(http, devicePageContext(form, flow.client));
  const { language } = chrome.words;
  const html = askAdminPage(
    viewOf(asked, form, deviceCard(flow.client, language), language, await offer(asked, flow.client, language, tools)),
    chrome,
  );
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

async function offer(asked: Shown, client: Client, language: string, tools: FlowTools) {
  const { authorization } = tools;
  const [keeps, replaced] = await Promise.all([
    hasAccessAlready(asked.owner, client, authorization),
    replacedRequest(asked, client, authorization),
  ]);
  const known = await authorization.oauth.catalog.scopes();
  const say = (name: string) => {
    const scope = known.get(name);
    return scope === undefined ? name : descriptionOf(scope, language);
  };
  const replaces = replaced && {
    lost: replaced.scopes.map(say),
    host: replaced.host === null ? null : redirectHost(replaced.host),
  };
  return { now: tools.now(), keeps, replaces, durations: durationsFor(client, authorization) };
}

function viewOf(
  { owner, scopes, reason, problem, form: sent }: Shown,
  form: FormSecrets,
  client: ClientCard,
  language: string,
  { now, keeps, replaces, durations }: Awaited<ReturnType<typeof offer>>,
): AskAdminView {
  const company = owner.acting?.company.name ?? "";
  const names = scopes.map(({ name }) => name);
  const beyond = beyondApproval(owner.acting, names, owner.reach, now);
  const asked = scopes.map((scope) => ({
    name: scope.name,
    description: descriptionOf(scope, language),
    required: !scope.optional,
    approved: beyond.length > 0 && !beyond.includes(scope.name),
  }));
  const approved = asked.filter((scope) => scope.approved);
  const canGoOn = approved.length > 0 && asked.every((scope) => scope.approved || !scope.required);
  return {
    ...{ form, client, company, owner: owner.ownerId, scopes: asked, keeps, reason, longest: MAX_REASON, problem },
    ...(canGoOn ? { goOn: { scopes: approved.map(({ name }) => name) } } : {}),
    ...(replaces === undefined ? {} : { replaces }),
    chosen: chosenTimes(sent, names, durations, owner.ownerId),
  };
}

/**
 * The lengths of time that the member chose, for an answer without the other permissions. Only offered values: the form
 * can contain anything.
 */
function chosenTimes(
  sent: URLSearchParams,
  scopes: readonly string[],
  durations: readonly ConsentDuration[],
  ownerId: string,
): Readonly<Record<string, string>> {
  const fields = ["duration", ...scopes.map(durationField)];
  const times: (readonly [string, string])[] = fields.flatMap((field) => {
    const value = sent.get(field) ?? "";
    return value === KEEP_END || readDuration(value, durations) !== undefined ? [[field, value] as const] : [];
  });
  const until = sent.get(TODAY_UNTIL) ?? "";
  if (sent.get("duration") === TODAY && /^\d{13}$/.test(until)) times.push(["duration", TODAY], [TODAY_UNTIL, until]);
  const shown = sent.get("shown_owner");
  // It counts only that the consent page showed another owner. A form can name anybody, so the id is not repeated.
  const other = shown === null || shown === ownerId ? [] : [["shown_owner", ANOTHER_OWNER] as const];
  return Object.fromEntries([...times, ...other]);
}
