/** `/company/{slug}`: a company's pages. For people who don't belong to it, they don't exist. */

import type { Millis } from "../../oauth/model.ts";
import type { AppsContext } from "../../owners/apps/context.ts";
import { allCompaniesOf, hasOwnSignIn, membershipOf } from "../../owners/companies/company-members.ts";
import { hasConnections } from "../../owners/companies/connections.ts";
import type { CompanyContext } from "../../owners/companies/context.ts";
import type { Acting, CompanyKey } from "../../owners/company-storage.ts";
import type { Postbox } from "../../owners/mail/mail-content.ts";
import {
  COMPANY_NOTICES,
  type CompanyFrame,
  type CompanyNotice,
  type CompanyProofView,
  placeOfForm,
} from "../../pages/company/views.ts";
import { companiesPage, companyProofPage } from "../../pages/index.ts";
import { problemAnswer } from "../error-page.ts";
import { formToken } from "../form-token.ts";
import { type Answer, formOf, page, redirect } from "../http-message.ts";
import { isFresh, type ProofTools, proofFault } from "../reauthentication.ts";
import { signedInAs } from "./client-and-person-views.ts";
import { type Account, type AccountTools, type Page, signedIn } from "./require-sign-in.ts";
import { confirmFirst } from "./security.ts";

/** The data of every page of a company: a member is signed in. */
export interface InCompany extends Account {
  readonly acting: Acting;
  readonly key: CompanyKey;
  readonly frame: CompanyFrame;
}

/** The tools of a page of a company. */
export interface CompanyTools extends AccountTools, ProofTools {
  readonly companies: CompanyContext;
  readonly apps: AppsContext;
  readonly mail: Pick<Postbox, "enabled">;
}

type CompanyEndpoint<Tools> = (at: InCompany, tools: Tools) => Promise<Answer>;

/** If the reader is no active member, or no admin where one is needed, the response is that of an unknown address. */
function inCompany<Tools extends CompanyTools>(admins: boolean, show: CompanyEndpoint<Tools>): Page<Tools> {
  return signedIn(async (account, tools: Tools) => {
    const { http } = account;
    const nobody = problemAnswer("not_found", http, tools);
    const membership = await membershipOf(http.params["slug"] ?? "", account, tools.companies);
    if (membership === undefined) return nobody;
    const { key, acting } = membership;
    const admin = acting.member.role === "admin";
    if (admins && !admin) return nobody;
    const [ownSignIn, connections] = admin
      ? await Promise.all([hasOwnSignIn(key, tools.companies), hasConnections(key, tools.companies)])
      : [false, false];
    const frame = { ...frameOf(account, acting, tools), ownSignIn, connections };
    return show({ ...account, acting, key, frame }, tools);
  });
}

/** For every member. */
export function forMembers<Tools extends CompanyTools>(show: CompanyEndpoint<Tools>): Page<Tools> {
  return inCompany(false, show);
}

/** For admins only. */
export function forAdmins<Tools extends CompanyTools>(show: CompanyEndpoint<Tools>): Page<Tools> {
  return inCompany(true, show);
}

export function frameOf(
  { session, person, http }: Account,
  { company, member }: Acting,
  tools: CompanyTools,
): CompanyFrame {
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

/** Redirects to a page of the company, which then shows the result. */
export function backTo(
  { frame, visitor }: Pick<InCompany, "frame" | "visitor">,
  /** The path below the company's. */
  place: string,
  done: CompanyNotice,
  tools: CompanyTools,
  /** The client of the change. */
  app?: string,
): Answer {
  const query = new URLSearchParams({ done, ...(app === undefined ? {} : { app }) });
  return redirect(303, `${tools.issuer}/company/${frame.company.slug}${place}?${query}`, visitor.cookies);
}

/** An id from a form or an address. Empty if the text is not an id, so that nothing is looked up. */
export function idIn(fields: URLSearchParams, name: string): string {
  const id = fields.get(name)?.trim() ?? "";
  return /^[\x21-\x7e]{1,200}$/.test(id) ? id : "";
}

/** A time that a page's form carries, to say which record the page showed. Null: it showed none. */
export function timeIn(form: URLSearchParams, name: "seen" | "asked_at"): Millis | null {
  const text = form.get(name) ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Maximum length of a search, in characters. */
const MOST_SEARCHED = 100;

/** What the admin searches for. Empty: nothing. */
export function searchIn(query: string): string {
  const typed = (new URLSearchParams(query).get("q") ?? "")
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, "")
    .trim();
  return [...typed].slice(0, MOST_SEARCHED).join("");
}

/** For a person who was an admin when the page was shown, and is not any more. */
export function noLongerAdmin({ http }: InCompany, tools: CompanyTools): Answer {
  return problemAnswer("not_found", http, tools);
}

/** The pages of a company to which a sign-in can lead back. */
const PAGES = { apps: "company-apps", members: "company", connections: "company-connections" } as const;

/** The form field with the admin's password. */
const FIELD = "current_password";

/**
 * Before an admin decides for the whole company: the response to a form if the admin has not proved who they are;
 * undefined: they have. An admin without a password, or whose sign-in was before their second step, signs in again and
 * comes back to the page of the form.
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
  if (fault.kind === "stale" || fault.kind === "unknown") {
    return confirmFirst(`${PAGES[placeOfForm(action)]}/${frame.company.slug}`, at, tools);
  }
  const fields = [...form].filter(([name]) => name !== "csrf" && name !== FIELD);
  const view: CompanyProofView = { ...frame, action, fields, fault: typed === null ? null : fault };
  return page(200, companyProofPage(view, tools.chrome(http)), "here", visitor.cookies);
}

export const showCompanies = signedIn(async ({ person, session, http, visitor }, tools: CompanyTools) => {
  const companies = await allCompaniesOf(person, tools.companies);
  const view = {
    csrf: formToken(session, tools),
    person: signedInAs(person),
    hasLeft: new URLSearchParams(http.query).get("done") === "left",
    mayCreate: tools.companies.anyoneCreates,
    companies: companies.map(({ company: { name, slug, status }, member: { role } }) => {
      return { name, slug, role, off: status !== "active" };
    }),
  };
  return page(200, companiesPage(view, tools.chrome(http)), "here", visitor.cookies);
});
