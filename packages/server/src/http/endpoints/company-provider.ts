/** `/company/{slug}/provider`: an admin connects the company's own sign-in provider, tries it, and switches it on. */

import { hashes } from "../../crypto/node-hashes.ts";
import { membershipOf } from "../../owners/companies/company-members.ts";
import {
  impactOfOwnProvider,
  mayTry,
  notReady,
  type OwnProviderContext,
  type OwnSignInOutcome,
  ownSignInOf,
  recordTry,
  removeOwnProvider,
  saveOwnProvider,
  switchOwnProvider,
} from "../../owners/companies/own-provider.ts";
import { signInProviderOf } from "../../owners/company-rules.ts";
import { roleByGroups } from "../../owners/identities/company-provider.ts";
import { COMPANY_CLAIM_FIELDS, type ProviderSettings } from "../../owners/identities/company-provider-settings.ts";
import { companyOf } from "../../owners/identities/sign-in-at-company.ts";
import { verifiedAddress } from "../../owners/identities/sign-in-elsewhere.ts";
import type { OwnProviderForm, OwnProviderView, OwnSignInNotice } from "../../pages/company/own-sign-in-views.ts";
import { OWN_SIGN_IN_NOTICES } from "../../pages/company/own-sign-in-views.ts";
import { ownProviderPage, removeOwnProviderPage, triedProviderPage } from "../../pages/index.ts";
import type { Visitor } from "../browser-of-request.ts";
import { attemptOf, begin, problemAt } from "../elsewhere/begin.ts";
import type { ElsewhereState } from "../elsewhere/state.ts";
import { STATE_TTL } from "../elsewhere/state.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { type Answer, formOf, type HttpRequest, page, redirect } from "../http-message.ts";
import { isFresh } from "../reauthentication.ts";
import { type CompanyTools, forAdmins, frameOf, type InCompany, noLongerAdmin, timeIn } from "./require-membership.ts";
import { withKeptPassword } from "./require-sign-in.ts";
import { confirmFirst } from "./security.ts";

export interface OwnProviderTools extends CompanyTools, FlowTools {
  readonly config: FlowTools["config"];
  readonly ownProvider: OwnProviderContext;
}

type Endpoint = (at: InCompany, tools: OwnProviderTools) => Promise<Answer>;

/** For admins who have just signed in: whoever controls the provider can sign in as the company's people. */
function forFreshAdmins(show: Endpoint) {
  return forAdmins(async (at, tools: OwnProviderTools) => {
    const { http, frame } = at;
    const { ownProvider, provider } = await ownSignInOf(at, tools.ownProvider);
    if (!ownProvider && provider === null) return problemAnswer("not_found", http, tools);
    if (!(await isFresh(at, tools))) return confirmFirst(`company-provider/${frame.company.slug}`, at, tools);
    return show(at, tools);
  });
}

/** Characters of a field, more than any of them can have. */
const MOST_TYPED = 20_000;

export const showOwnProvider = forFreshAdmins((at, tools) => {
  const done = new URLSearchParams(at.http.query).get("done");
  const notice = OWN_SIGN_IN_NOTICES.find((one) => one === done) ?? null;
  return providerAnswer(at, { notice }, tools);
});

type Shown = Partial<Pick<OwnProviderView, "form" | "faults" | "said">> & { readonly notice?: OwnSignInNotice | null };

async function providerAnswer(at: InCompany, shown: Shown, tools: OwnProviderTools): Promise<Answer> {
  const { frame, http, visitor } = at;
  const record = await ownSignInOf(at, tools.ownProvider);
  const { provider, emailDomains, ownProvider } = record;
  const { notice = null, form, faults = [] } = shown;
  const waits = provider?.status === "disabled" ? await notReady(at, record, tools.ownProvider) : null;
  const view: OwnProviderView = {
    ...{ ...frame, notice: null, said: notice, allowed: ownProvider, domains: emailDomains, faults },
    form: form ?? formOfProvider(record.provider),
    claimFields: COMPANY_CLAIM_FIELDS.join(", "),
    seen: provider?.changedAt ?? null,
    connected:
      provider === null
        ? null
        : {
            ...{ name: provider.name, on: provider.status === "active", triedAt: provider.triedAt, waits },
            ...{ hasSecret: provider.sealedSecret !== null },
            address: `${tools.issuer}/company/${frame.company.slug}/sign-in`,
            redirectUri: `${tools.issuer}/login/provider/${provider.id}/callback`,
            logoutUri: `${tools.issuer}/login/provider/${provider.id}/backchannel-logout`,
          },
  };
  const here = { here: `/company/${frame.company.slug}/provider` };
  // "Try it" leads to the provider.
  const status = faults.length > 0 ? 400 : notice === "tooOften" ? 429 : 200;
  return page(status, ownProviderPage(view, tools.chrome(http, here)), "to a client", visitor.cookies);
}

function formOfProvider(provider: Parameters<typeof signInProviderOf>[0]["provider"]): OwnProviderForm {
  if (provider === null)
    return {
      ...{ name: "", issuer: "", clientId: "", scopes: "openid profile email", byGroups: false, claim: "groups" },
      ...{ adminGroups: "", memberGroups: "", others: "refuse", claims: "", follow: false },
    };
  const { name, issuer, clientId, scopes, roles, claims = {}, profile } = provider;
  const named = Object.entries(claims).map(([field, one]) => `${field}=${one}`);
  return {
    ...{ claims: named.join("\n"), follow: profile === "follow" },
    ...{ name, issuer, clientId, scopes: scopes.join(" "), byGroups: roles !== null, claim: roles?.claim ?? "groups" },
    ...{ adminGroups: (roles?.admin ?? []).join("\n"), memberGroups: (roles?.member ?? []).join("\n") },
    others: roles?.others ?? "refuse",
  };
}

function typedIn(form: URLSearchParams): OwnProviderForm {
  const text = (name: string) => (form.get(name) ?? "").slice(0, MOST_TYPED).trim();
  return {
    ...{ name: text("name"), issuer: text("issuer"), clientId: text("client_id"), scopes: text("scope") },
    ...{ byGroups: form.get("roles") === "groups", claim: text("claim") },
    ...{ adminGroups: text("admin_groups"), memberGroups: text("member_groups") },
    ...{ claims: text("claims"), follow: form.has("follow") },
    others: form.get("others") === "member" ? "member" : "refuse",
  };
}

function settingsIn(typed: OwnProviderForm, secret: string): ProviderSettings {
  const lines = (text: string) =>
    [...new Set(text.split(/\r?\n/).map((line) => line.trim()))].filter((one) => one !== "");
  const { name, issuer, clientId, claim, others } = typed;
  const roles = { claim, others, admin: lines(typed.adminGroups), member: lines(typed.memberGroups) };
  return {
    ...{ name, issuer, clientId, clientSecret: secret === "" ? undefined : secret },
    scopes: typed.scopes.split(/\s+/).filter((one) => one !== ""),
    roles: typed.byGroups ? roles : null,
    ...{ claims: Object.fromEntries(lines(typed.claims).map(namedClaim)), profile: typed.follow ? "follow" : "first" },
  };
}

/** A line without a field has an empty one, which is refused. */
function namedClaim(line: string): readonly [string, string] {
  const at = line.indexOf("=");
  return at < 0 ? ["", line] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

export const saveProvider = forFreshAdmins(async (at, tools) => {
  const form = formOf(at.http);
  const typed = typedIn(form);
  const secret = (form.get("client_secret") ?? "").slice(0, MOST_TYPED);
  const outcome = await saveOwnProvider(at, settingsIn(typed, secret), timeIn(form, "seen"), tools.ownProvider);
  if (outcome.kind === "faults") return providerAnswer(at, { form: typed, faults: outcome.faults }, tools);
  return after(outcome, "saved", at, tools);
});

function after(
  outcome: OwnSignInOutcome,
  done: OwnSignInNotice,
  at: InCompany,
  tools: OwnProviderTools,
): Answer | Promise<Answer> {
  if (outcome.kind === "refused" && outcome.reason === "not_admin") return noLongerAdmin(at, tools);
  const notice =
    outcome.kind === "done" ? done : outcome.kind === "refused" && outcome.reason === "changed" ? "changed" : "notNow";
  return backToProvider(at, notice, tools);
}

function backToProvider({ frame, visitor }: InCompany, notice: OwnSignInNotice, { issuer }: OwnProviderTools): Answer {
  return redirect(303, `${issuer}/company/${frame.company.slug}/provider?done=${notice}`, visitor.cookies);
}

export const switchProvider = forFreshAdmins(async (at, tools) => {
  const form = formOf(at.http);
  const on = form.get("on") === "yes";
  return after(await switchOwnProvider(at, on, timeIn(form, "seen"), tools.ownProvider), on ? "on" : "off", at, tools);
});

export const confirmRemoveProvider = forFreshAdmins(async (at, tools) => {
  const { frame, http, visitor } = at;
  const record = await ownSignInOf(at, tools.ownProvider);
  const impact = await impactOfOwnProvider(record, tools.ownProvider);
  if (impact === undefined || record.provider === null) return backToProvider(at, "changed", tools);
  const { people, stranded } = impact;
  const view = { ...frame, provider: record.provider.name, seen: record.provider.changedAt, people, stranded };
  return page(200, removeOwnProviderPage(view, tools.chrome(http)), "here", visitor.cookies);
});

export const removeProvider = forFreshAdmins(async (at, tools) =>
  after(await removeOwnProvider(at, timeIn(formOf(at.http), "seen"), tools.ownProvider), "removed", at, tools),
);

/** "Try it": the way to the provider. */
export const tryProvider = forFreshAdmins(async (at, tools) => {
  const { http, visitor, session } = at;
  const provider = signInProviderOf(await ownSignInOf(at, tools.ownProvider));
  if (provider === undefined) return backToProvider(at, "changed", tools);
  if (!(await mayTry(at, tools.ownProvider))) return providerAnswer(at, { notice: "tooOften" }, tools);
  const arrival = { visitor, http, continuation: undefined, flow: undefined };
  const beginning = {
    connects: session.sessionId,
    tries: true,
    fresh: false,
    choose: false,
    mfa: false,
    loginHint: null,
  };
  const answer = await begin(provider, beginning, arrival, tools);
  return answer.status === 303 ? answer : triedAnswer(at, null, tools);
});

/** The way back. Nobody is signed in by it, and only the admin who tried sees what the provider said. */
export async function finishTry(
  state: ElsewhereState,
  sealed: string,
  visitor: Visitor,
  http: HttpRequest,
  tools: OwnProviderTools,
): Promise<Answer> {
  const nothing = { visitor, http, continuation: undefined, flow: undefined };
  const known = (await tools.elsewhere.providers()).get(state.providerId);
  const company = known && (await companyOf(known, tools.elsewhere.people));
  const { signedIn } = visitor;
  const account = signedIn && { ...signedIn, http, visitor, ...(await withKeptPassword(signedIn.person, tools)) };
  const membership = company && account && (await membershipOf(company.slug, account, tools.companies));
  // Somebody else has signed in in this browser meanwhile, or they are no admin any more.
  if (signedIn?.session.sessionId !== state.connects || account === undefined || membership === undefined)
    return problemAt(undefined, "stale", nothing, tools);
  const { key, acting } = membership;
  if (acting.member.role !== "admin") return problemAnswer("not_found", http, tools);
  const at: InCompany = { ...account, acting, key, frame: frameOf(account, acting, tools) };
  const used = { kind: "sign-in elsewhere", key: hashes.sha256(state.nonce), now: tools.now() };
  const until = state.begunAt + STATE_TTL;
  if (tools.now() > until || !(await tools.elsewhere.useOnce({ ...used, until })))
    return backToProvider(at, "notNow", tools);
  // As it is stored now: the same settings are marked as tried.
  const record = await ownSignInOf(at, tools.ownProvider);
  const provider = signInProviderOf(record);
  if (provider?.id !== state.providerId || record.provider === null) return backToProvider(at, "changed", tools);
  const finished = await tools.elsewhere.finish(provider, attemptOf(state, sealed, tools), http.query);
  if (finished.kind === "failed") {
    const { fault, detail } = finished;
    tools.event("sign_in_elsewhere_failed", { provider: provider.id, fault, detail, address: http.address });
    return triedAnswer(at, null, tools);
  }
  const { identity } = finished;
  const outcome = await recordTry(at, record.provider, tools.ownProvider);
  if (outcome.kind !== "done") return after(outcome, "saved", at, tools);
  const role = roleByGroups(record.provider.roles, identity);
  return triedAnswer(
    at,
    {
      ...{ subject: identity.subject, email: identity.email, verified: identity.emailVerified },
      ...{ counts: verifiedAddress(provider, identity) !== undefined },
      groups: record.provider.roles === null ? null : identity.groups.slice(0, 50),
      role: role === null ? "member" : (role ?? null),
    },
    tools,
  );
}

type Said = Parameters<typeof triedProviderPage>[0]["result"];

function triedAnswer({ frame, http, visitor }: InCompany, result: Said, tools: OwnProviderTools): Answer {
  const here = { here: `/company/${frame.company.slug}/provider` };
  const html = triedProviderPage({ ...frame, notice: null, result }, tools.chrome(http, here));
  return page(result === null ? 400 : 200, html, "here", visitor.cookies);
}
