/** `/account/companies/new`: a person creates a company. Unless the operator allows it, the page does not exist. */

import { redirectHost } from "../../oauth/redirect-uri.ts";
import {
  type FoundProblem,
  foundCompany,
  foundProblem,
  vouchersOfOnlyCompany,
} from "../../owners/companies/create-own-company.ts";
import { isHeldByAnother } from "../../owners/identities/sign-in-at-company.ts";
import type { CreateCompanyView } from "../../pages/company/views.ts";
import { createCompanyPage } from "../../pages/index.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { formToken } from "../form-token.ts";
import { type Answer, formOf, page, redirect } from "../http-message.ts";
import { isFresh } from "../reauthentication.ts";
import { signedInAs } from "./client-and-person-views.ts";
import type { CompanyTools } from "./require-membership.ts";
import { type Account, signedIn } from "./require-sign-in.ts";
import { confirmFirst, securityAfter } from "./security.ts";

/** Maximum length of a field, in characters. */
const MOST_TYPED = 200;

interface Typed {
  readonly name: string;
  readonly slug: string;
  readonly problem: FoundProblem | null;
}

export const showCreateCompany = signedIn(async (account, tools: CompanyTools) => {
  if (!tools.companies.anyoneCreates) return problemAnswer("not_found", account.http, tools);
  if (!(await isFresh(account, tools))) return confirmFirst("new-company", account, tools);
  return formAnswer(account, { name: "", slug: "", problem: null }, tools);
});

async function vouchersLost(
  person: Account["person"],
  { companies }: CompanyTools,
): Promise<Pick<CreateCompanyView, "losesVouchers">> {
  const { company, issuers } = (await vouchersOfOnlyCompany(person, companies)) ?? { company: "", issuers: [] };
  const hosts = [...new Set(issuers.map(redirectHost))].sort();
  return hosts.length === 0 ? {} : { losesVouchers: { company, hosts } };
}

async function formAnswer(account: Account, typed: Typed, tools: CompanyTools): Promise<Answer> {
  const { person, session, http, visitor } = account;
  const lost = await vouchersLost(person, tools);
  const view = { csrf: formToken(session, tools), person: signedInAs(person), ...typed, ...lost };
  const status = typed.problem === null ? 200 : 400;
  return page(status, createCompanyPage(view, tools.chrome(http)), "here", visitor.cookies);
}

export const submitCreateCompany = signedIn(async (account, tools: CompanyTools & Pick<FlowTools, "elsewhere">) => {
  const { http, visitor } = account;
  if (!tools.companies.anyoneCreates) return problemAnswer("not_found", http, tools);
  const form = formOf(http);
  const fieldOf = (name: string) => (form.get(name) ?? "").trim().slice(0, MOST_TYPED);
  const typed = { name: fieldOf("name"), slug: fieldOf("slug") };
  const problem = foundProblem(typed.name, typed.slug);
  if (problem !== undefined) return formAnswer(account, { ...typed, problem }, tools);
  if (!(await isFresh(account, tools))) return confirmFirst("new-company", account, tools);
  // A company whose provider can sign in as this person could act in the new one.
  if (await isHeldByAnother(account.person, null, tools.elsewhere))
    return securityAfter("account-held", visitor.cookies, tools);
  const outcome = await foundCompany(account, typed, tools.companies);
  if (outcome.kind === "wrong") return formAnswer(account, { ...typed, problem: outcome.problem }, tools);
  return redirect(303, `${tools.issuer}/company/${outcome.slug}/members?done=founded`, visitor.cookies);
});
