/** `/company/{slug}`: a company's pages. To whoever doesn't belong to it, it isn't there. */

import { companiesOf, membershipOf } from "../../owners/companies/members.ts";
import type { Acting, CompanyKey } from "../../owners/company-storage.ts";
import {
  COMPANY_NOTICES,
  type CompanyFrame,
  type CompanyNotice,
  type CompanyProofView,
} from "../../pages/company/views.ts";
import { companiesPage, companyProofPage } from "../../pages/index.ts";
import type { Assent } from "../../server-parts.ts";
import { formToken } from "../forms.ts";
import { type Answer, formOf, page, redirect } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { isFresh, proofFault } from "../reauthentication.ts";

import { type Account, type Page, signedIn } from "./account.ts";
import { signedInAs } from "./cards.ts";
import { confirmFirst } from "./security.ts";

/** What the pages of a company need: a member who is signed in. */
export interface InCompany extends Account {
  readonly acting: Acting;
  readonly key: CompanyKey;
  readonly frame: CompanyFrame;
}

type CompanyEndpoint = (at: InCompany, assent: Assent) => Promise<Answer>;

/** Where the reader is no active member, or no admin where one is wanted, the answer is that of an unknown address. */
function inCompany(admins: boolean, show: CompanyEndpoint): Page {
  return signedIn(async (account, assent) => {
    const { http } = account;
    const nobody = problemAnswer("not_found", http, assent);
    const membership = await membershipOf(http.params["slug"] ?? "", account, assent.companies);
    if (membership === undefined) return nobody;
    const { key, acting } = membership;
    const admin = acting.member.role === "admin";
    if (admins && !admin) return nobody;
    return show({ ...account, acting, key, frame: frameOf(account, acting, assent) }, assent);
  });
}

/** For every member. */
export const forMembers = (show: CompanyEndpoint): Page => inCompany(false, show);

/** For admins alone. */
export const forAdmins = (show: CompanyEndpoint): Page => inCompany(true, show);

function frameOf({ session, person, http }: Account, { company, member }: Acting, assent: Assent): CompanyFrame {
  const { name, slug } = company;
  const done = new URLSearchParams(http.query).get("done");
  return {
    csrf: formToken(assent.secrets, `session:${session.sessionId}`),
    person: signedInAs(person),
    company: { name, slug },
    admin: member.role === "admin",
    now: assent.now(),
    notice: COMPANY_NOTICES.find((one) => one === done) ?? null,
  };
}

/** Back to a page of the company, which then says what was done. */
export function backTo(
  { frame, visitor }: Pick<InCompany, "frame" | "visitor">,
  place: "" | "/members",
  done: CompanyNotice,
  assent: Assent,
  /** The client that it was about. */
  app?: string,
): Answer {
  const query = new URLSearchParams({ done, ...(app === undefined ? {} : { app }) });
  return redirect(303, `${assent.issuer}/company/${frame.company.slug}${place}?${query}`, visitor.cookies);
}

/** An id that a form or an address names; empty where it is none: no such thing is looked for. */
export function idIn(fields: URLSearchParams, name: string): string {
  const id = fields.get(name)?.trim() ?? "";
  return /^[\x21-\x7e]{1,200}$/.test(id) ? id : "";
}

/** An admin who was one when the page was asked for, and isn't any more. */
export function noLongerAdmin({ http }: InCompany, assent: Assent): Answer {
  return problemAnswer("not_found", http, assent);
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
  assent: Assent,
): Promise<Answer | undefined> {
  if (await isFresh(at, assent)) return undefined;
  const { frame, http, visitor } = at;
  const form = formOf(http);
  const typed = form.get(FIELD);
  const fault = await proofFault(at, typed ?? "", assent);
  if (fault === undefined) return undefined;
  if (fault.kind === "stale") {
    const { slug } = frame.company;
    return confirmFirst(action === "/members/remove" ? `company/${slug}` : `company-apps/${slug}`, at, assent);
  }
  const fields = [...form].filter(([name]) => name !== "csrf" && name !== FIELD);
  const view: CompanyProofView = { ...frame, action, fields, fault: typed === null ? null : fault };
  return page(200, companyProofPage(view, assent.chrome(http)), "here", visitor.cookies);
}

export const showCompanies = signedIn(async ({ person, session, http, visitor }, assent) => {
  const companies = await companiesOf(person, assent.companies);
  const view = {
    csrf: formToken(assent.secrets, `session:${session.sessionId}`),
    person: signedInAs(person),
    companies: companies.map(({ company: { name, slug }, member: { role } }) => ({ name, slug, role })),
  };
  return page(200, companiesPage(view, assent.chrome(http)), "here", visitor.cookies);
});
