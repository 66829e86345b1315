/** `/company/{slug}/sign-in`: where the people of a company with its own provider sign in. */

import { membershipOf } from "../../owners/companies/company-members.ts";
import { companyOf } from "../../owners/identities/sign-in-at-company.ts";
import { providerOfCompany } from "../../owners/identities/sign-in-elsewhere.ts";
import { visitorOf } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import type { CompanyTools } from "../endpoints/require-membership.ts";
import { signInAnswer } from "../endpoints/sign-in-page.ts";
import { problemAnswer } from "../error-page.ts";
import { type Answer, type HttpRequest, redirect } from "../http-message.ts";

/** A company without one, or that is disabled, looks like one that does not exist. */
export async function showCompanySignIn(
  http: HttpRequest,
  tools: FlowTools & Pick<CompanyTools, "companies">,
): Promise<Answer> {
  const visitor = await visitorOf(http, tools);
  const company = await companyOf({ slug: http.params["slug"] ?? "" }, tools.elsewhere.people);
  const provider = company && (await providerOfCompany(company.companyId, tools.elsewhere));
  if (company === undefined || provider === undefined) return problemAnswer("not_found", http, tools);
  const { signedIn } = visitor;
  // For somebody who is no member, the company's pages don't exist: they go on with another account.
  if (signedIn !== undefined && (await membershipOf(company.slug, signedIn, tools.companies)) !== undefined)
    return redirect(303, `${tools.issuer}/company/${company.slug}`, visitor.cookies);
  const atCompany = { companyId: company.companyId, name: company.name };
  return signInAnswer({ visitor, http, continuation: undefined, flow: undefined, atCompany }, tools, null);
}
