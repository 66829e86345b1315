/** `/consent/ask`, `/device/ask`: a member asks the admins of their company to let an app act in its name. */

import type { Client, Scope } from "../../oauth/model.ts";
import { MAX_REASON } from "../../owners/company.ts";
import { answeredScopes } from "../../owners/consent.ts";
import { chosenOwner, judgedFor, type OwnerChoice } from "../../owners/owner-choice.ts";
import { askAdminPage, askedAdminPage } from "../../pages/index.ts";
import type { AskAdminView, ClientCard, FormSecrets } from "../../pages/views.ts";
import type { Assent } from "../../server-parts.ts";
import { formToken, isFormToken, sealInteraction } from "../forms.ts";
import { advance, contextOf, isAnswer, ownersOf, resume, type Underway } from "../interaction.ts";
import { type Answer, formOf, type HttpRequest, page } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { visitorOf } from "../visitor.ts";
import { clientCard, descriptionOf } from "./cards.ts";

/** What is asked for, of which company, by whom. */
export interface Wish {
  readonly choice: OwnerChoice;
  readonly scopes: readonly Scope[];
  readonly reason: string;
}

type Problem = AskAdminView["problem"];

/** The form for the reason, for an app in a browser. */
export function askAdminAnswer(
  { underway, problem, ...wish }: Wish & { readonly underway: Underway; readonly problem: Problem },
  assent: Assent,
): Answer {
  const chrome = assent.chrome(underway.http, contextOf(underway, assent));
  const client = clientCard(underway.request, chrome.words.language);
  const view = askAdminView(wish, problem, formSecrets(underway, assent), client, chrome.words.language);
  const html = askAdminPage(view, chrome);
  return page(problem === null ? 200 : 400, html, "to a client", underway.visitor.cookies);
}

export function askAdminView(
  { choice, scopes, reason }: Wish,
  problem: Problem,
  form: FormSecrets,
  client: ClientCard,
  language: string,
): AskAdminView {
  const company = choice.acting?.company.name ?? "";
  const asked = scopes.map((scope) => ({ name: scope.name, description: descriptionOf(scope, language) }));
  return { form, client, company, owner: choice.ownerId, scopes: asked, reason, longest: MAX_REASON, problem };
}

function formSecrets({ visitor, interaction }: Underway, assent: Assent): FormSecrets {
  return {
    csrf: formToken(assent.secrets, `session:${visitor.signedIn?.session.sessionId ?? ""}`),
    request: sealInteraction(assent.secrets, visitor.nonce, interaction),
  };
}

export async function submitAsk(http: HttpRequest, assent: Assent): Promise<Answer> {
  const visitor = await visitorOf(http, assent);
  const form = formOf(http);
  const underway = await resume(form.get("request"), visitor, http, assent);
  if (isAnswer(underway)) return underway;
  const { signedIn } = visitor;
  if (signedIn === undefined) return advance(underway, assent);
  if (!isFormToken(assent.secrets, `session:${signedIn.session.sessionId}`, form.get("csrf"))) {
    return problemAnswer("form_token_invalid", http, assent);
  }
  const wish = wishOf(form, await ownersOf(underway, signedIn.person, assent), assent);
  // Approved meanwhile, or nothing that this person may ask for: the page says what can be chosen now.
  if (wish === undefined) return advance(underway, assent);
  const problem = await ask(wish, underway.request, signedIn.person.personId, assent);
  if (problem !== null) return askAdminAnswer({ underway, ...wish, problem }, assent);
  const chrome = assent.chrome(http, contextOf(underway, assent));
  const client = clientCard(underway.request, chrome.words.language);
  const company = wish.choice.acting?.company.name ?? "";
  const html = askedAdminPage({ form: formSecrets(underway, assent), client, company }, chrome);
  return page(200, html, "to a client", visitor.cookies);
}

/** What a form asks for; undefined: not of a company whose admins would have to be asked. */
export function wishOf(form: URLSearchParams, choices: readonly OwnerChoice[], assent: Assent): Wish | undefined {
  const named = chosenOwner(choices, form.get("owner"));
  if (named === undefined) return undefined;
  const { granted } = answeredScopes(named.scopes, new Set(form.getAll("scope")));
  const choice = judgedFor(named, granted, assent.now());
  if (choice.verdict !== "ask" || granted.length === 0) return undefined;
  const scopes = named.scopes.filter(({ name }) => granted.includes(name));
  return { choice, scopes, reason: form.get("reason")?.trim().replaceAll("\r\n", "\n") ?? "" };
}

/** Puts the wish into the admins' queue; what is wrong with it, or null. `redirectUri`: where the answer would go; absent: to a device. */
export async function ask(
  { choice, scopes, reason }: Wish,
  { client, redirectUri }: { readonly client: Pick<Client, "clientId" | "name">; readonly redirectUri?: string },
  personId: string,
  assent: Assent,
): Promise<Problem> {
  if (reason === "" || reason.length > MAX_REASON || !reason.isWellFormed() || reason.includes("\0")) return "reason";
  const { company, member } = choice.acting ?? {};
  if (company === undefined || member === undefined) return null;
  const { partition, companyId } = company;
  const names = scopes.map(({ name }) => name);
  const now = assent.now();
  const { clientId } = client;
  const place = redirectUri === undefined ? {} : { redirectUri };
  const notice = {
    kind: "company_request",
    company: { companyId, slug: company.slug, name: company.name },
    client: { clientId, name: client.name },
    by: { personId, username: member.username },
    reason,
  } as const;
  const mails = await assent.noticeLetters(notice);
  const key = { partition, companyId, clientId, personId };
  const outcome = await assent.storage.askApproval({ ...key, scopes: names, ...place, reason, mails, now });
  if (outcome.kind === "too_many") return "too_many";
  if (outcome.kind === "asked") {
    assent.event("company_request_made", {
      company: companyId,
      client_id: clientId,
      person: personId,
      scope: names.join(" "),
    });
    assent.notify(notice);
  }
  return null;
}
