/** `/company/{slug}`: a company's pages. To whoever doesn't belong to it, it isn't there. */

import type { AppsContext } from "../../owners/apps/context.ts";
import type { CompanyContext } from "../../owners/companies/context.ts";
import { companiesOf, membershipOf } from "../../owners/companies/members.ts";
import type { Acting, CompanyKey } from "../../owners/company-storage.ts";
import {
  COMPANY_NOTICES,
  type CompanyFrame,
  type CompanyNotice,
  type CompanyProofView,
} from "../../pages/company/views.ts";
import { companiesPage, companyProofPage } from "../../pages/index.ts";
import { formToken } from "../forms.ts";
import { type Answer, formOf, page, redirect } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { isFresh, type ProofTools, proofFault } from "../reauthentication.ts";

import { type Account, type AccountTools, type Page, signedIn } from "./account.ts";
import { signedInAs } from "./cards.ts";
import { confirmFirst } from "./security.ts";

/** What the pages of a company need: a member who is signed in. */
export interface InCompany extends Account {
  readonly acting: Acting;
  readonly key: CompanyKey;
  readonly frame: CompanyFrame;
}

/** What a page of a company is made with. */
export interface CompanyTools extends AccountTools, ProofTools {
  readonly companies: CompanyContext;
  readonly apps: AppsContext;
}

type CompanyEndpoint<Tools> = (at: InCompany, tools: Tools) => Promise<Answer>;

/** Where the reader is no active member, or no admin where one is wanted, the answer is that of an unknown address. */
function inCompany<Tools extends CompanyTools>(admins: boolean, show: CompanyEndpoint<Tools>): Page<Tools> {
  return signedIn(async (account, tools: Tools) => {
    const { http } = account;
    const nobody = problemAnswer("not_found", http, tools);
    const membership = await membershipOf(http.params["slug"] ?? "", account, tools.companies);
    if (membership === undefined) return nobody;
    const { key, acting } = membership;
    const admin = acting.member.role === "admin";
    if (admins && !admin) return nobody;
    return show({ ...account, acting, key, frame: frameOf(account, acting, tools) }, tools);
  });
}

/** For every member. */
export function forMembers<Tools extends CompanyTools>(show: CompanyEndpoint<Tools>): Page<Tools> {
  return inCompany(false, show);
}

/** For admins alone. */
export function forAdmins<Tools extends CompanyTools>(show: CompanyEndpoint<Tools>): Page<Tools> {
  return inCompany(true, show);
}

function frameOf({ session, person, http }: Account, { company, member }: Acting, tools: CompanyTools): CompanyFrame {
  const { name, slug } = company;
  const done = new URLSearchParams(http.query).get("done");
  return {
    csrf: formToken(session, tools),
    person: signedInAs(person),
    company: { name, slug },
    admin: member.role === "admin",
    now: tools.now(),
    notice: COMPANY_NOTICES.find((one) => one === done) ?? null,
  };
}

/** Back to a page of the company, which then says what was done. */
export function backTo(
  { frame, visitor }: Pick<InCompany, "frame" | "visitor">,
  place: "" | "/members",
  done: CompanyNotice,
  tools: CompanyTools,
  /** The client that it was about. */
  app?: string,
): Answer {
  const query = new URLSearchParams({ done, ...(app === undefined ? {} : { app }) });
  return redirect(303, `${tools.issuer}/company/${frame.company.slug}${place}?${query}`, visitor.cookies);
}

/** An id that a form or an address names; empty where it is none: no such thing is looked for. */
export function idIn(fields: URLSearchParams, name: string): string {
  const id = fields.get(name)?.trim() ?? "";
  return /^[\x21-\x7e]{1,200}$/.test(id) ? id : "";
}

/** An admin who was one when the page was asked for, and isn't any more. */
export function noLongerAdmin({ http }: InCompany, tools: CompanyTools): Answer {
  return problemAnswer("not_found", http, tools);
}

/** The field of the admin's password. */
const FIELD = "current_password";

/**
 * Before an admin decides for the whole company: the answer to a form, where it is not shown yet that the admin sends it; undefined: it is. Those without a password, or whose sign-in came before their
 * second step, sign in once more and come back to `place`.
 */
export async function unproved(
  at: InCompany,
  action: CompanyProofView["action"],
  tools: CompanyTools,
): Promise<Answer | undefined> {
  if (await isFresh(at, tools)) return undefined;
  const { frame, http, visitor } = at;
  const form = formOf(http);
  const typed = form.get(FIELD);
  const fault = await proofFault(at, typed ?? "", tools);
  if (fault === undefined) return undefined;
  if (fault.kind === "stale") {
    const { slug } = frame.company;
    return confirmFirst(action === "/members/remove" ? `company/${slug}` : `company-apps/${slug}`, at, tools);
  }
  const fields = [...form].filter(([name]) => name !== "csrf" && name !== FIELD);
  const view: CompanyProofView = { ...frame, action, fields, fault: typed === null ? null : fault };
  return page(200, companyProofPage(view, tools.chrome(http)), "here", visitor.cookies);
}

export const showCompanies = signedIn(async ({ person, session, http, visitor }, tools: CompanyTools) => {
  const companies = await companiesOf(person, tools.companies);
  const view = {
    csrf: formToken(session, tools),
    person: signedInAs(person),
    companies: companies.map(({ company: { name, slug }, member: { role } }) => ({ name, slug, role })),
  };
  return page(200, companiesPage(view, tools.chrome(http)), "here", visitor.cookies);
});
