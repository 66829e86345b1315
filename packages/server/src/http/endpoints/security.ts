/** `/account/security`: the person's factors and sessions. */

import { relyingPartyOf } from "../../crypto/passkeys.ts";
import { type IdentityContext, identitiesOf } from "../../owners/account/identities.ts";
import { type AllAppsContext, allAppsEndIn } from "../../owners/apps/remaining-token-lifetime.ts";
import { type AccountPage, requestOf } from "../../owners/authorization/continuation.ts";
import type { FactorContext } from "../../owners/change-factors.ts";
import type { AddedFrom } from "../../owners/factor-storage.ts";
import { isReplaced } from "../../owners/identities/external-sign-in.ts";
import { mayConnect } from "../../owners/identities/sign-in-at-company.ts";
import { type Elsewhere, mayStillSignIn } from "../../owners/identities/sign-in-elsewhere.ts";
import { knowsPassword, type Person } from "../../owners/person.ts";
import { provingCodes } from "../../owners/recovery/factor-trust.ts";
import { lastMoved, type MovedContext } from "../../owners/recovery/undo-address-link.ts";
import { endSessions as endSessionsOf, waysAndSessionsOf } from "../../owners/sessions.ts";
import type { FactorSections, SeenFrom } from "../../pages/factor-views.ts";
import { securityPage, signedOutPage } from "../../pages/index.ts";
import {
  type PasswordSection,
  type ProviderEntry,
  SECURITY_NOTICES,
  type SecurityView,
} from "../../pages/security/views.ts";
import { arrivalOf, isAnswer } from "../authorization/continuation-in-forms.ts";
import { coarse } from "../connections/client-address.ts";
import type { DeviceTools } from "../device-cookie.ts";
import type { EventTools, FlowTools, PageTools } from "../endpoint-contexts.ts";
import { formToken } from "../form-token.ts";
import { type Answer, formOf, page, redirect } from "../http-message.ts";
import { isFresh } from "../reauthentication.ts";
import { deviceOf } from "../user-agent.ts";
import { signedInAs } from "./client-and-person-views.ts";
import { type Account, type AccountEndpoint, type AccountTools, type Page, signedIn } from "./require-sign-in.ts";
import { FIRST, noWayIn, signInAnswer } from "./sign-in-page.ts";

/** The tools of pages that change factors. */
export interface FactorTools extends AccountTools, EventTools {
  readonly credentials: DeviceTools["credentials"];
  readonly factors: FactorContext;
}

interface SecurityTools extends AccountTools {
  readonly identities: IdentityContext;
  readonly elsewhere: FlowTools["elsewhere"];
  readonly config: FlowTools["config"];
  readonly mail: FlowTools["mail"];
  readonly secondStep: FlowTools["secondStep"];
  readonly account: AllAppsContext & MovedContext;
}

export const showSecurity = signedIn(async (account, tools: SecurityTools) => {
  const { person, session, http, visitor, keptBy } = account;
  const keeper = keptBy && { name: keptBy.name, address: keptBy.changePassword };
  const asked = new URLSearchParams(http.query).get("done");
  const done = (Object.keys(SECURITY_NOTICES) as (keyof typeof SECURITY_NOTICES)[]).find((one) => one === asked);
  const view: SecurityView = {
    csrf: formToken(session, tools),
    person: signedInAs(person),
    now: tools.now(),
    notice: done ?? null,
    appsEndIn: done === "password-and-apps" ? await allAppsEndIn(person, tools.account) : 0,
    password: isReplaced(tools.config.externalSignIn)
      ? null
      : keeper === undefined
        ? { ...(await stateOf(person, tools)), changedAt: person.passwordChangedAt }
        : { set: true, changedAt: null, keeper },
    ...(await factorsOf(account, tools)),
    ...(await identitySections(person, tools)),
    ...(await noWaySection(account, tools)),
  };
  // "Connect" leads to the provider.
  const leads = view.providers.length === 0 ? "here" : "to a client";
  return page(200, securityPage(view, tools.chrome(http)), leads, visitor.cookies);
});

/** Present if signing out would be for good. A link by mail would let them in again. */
async function noWaySection(account: Account, tools: SecurityTools): Promise<Pick<SecurityView, "noWay">> {
  const noWay = await noWayIn(account, tools);
  if (noWay === undefined || noWay.how === "by mail") return {};
  const canChoose = noWay.password === "none" && (await isFresh(account, tools));
  return { noWay: canChoose ? { ...noWay, how: "now" } : noWay };
}

async function stateOf(
  person: Person,
  { sessions, account }: Pick<SecurityTools, "sessions" | "account">,
): Promise<Pick<PasswordSection, "set" | "unknown" | "movedAt">> {
  if (knowsPassword(person) || person.passwordHash === null) return { set: person.passwordHash !== null };
  if (!sessions.mail.enabled) return { set: true, unknown: "ask" };
  const movedAt = await lastMoved(person, account);
  return { set: true, unknown: "by mail", ...(movedAt !== null && { movedAt }) };
}

/** Identities of trusted issuers, and accounts at providers: active ones, and those that are connected. */
async function identitySections(
  person: Person,
  tools: SecurityTools,
): Promise<Pick<SecurityView, "identities" | "providers">> {
  const [all, known] = await Promise.all([identitiesOf(person, tools.identities), tools.elsewhere.providers()]);
  const replaced = isReplaced(tools.config.externalSignIn);
  const providers: ProviderEntry[] = [];
  for (const provider of known.values()) {
    const { id, name, ownPage } = provider;
    const identity = all.find((one) => one.provider?.id === id) ?? null;
    const open = provider.status === "active" && (!replaced || ownPage === "only");
    const offered = open && (await mayConnect(person, provider, tools.elsewhere.people));
    // Nobody disconnects the only way in.
    const fixed = ownPage === "only";
    if ((offered && !fixed) || identity !== null) providers.push({ provider: id, name, identity, offered, fixed });
  }
  return {
    identities: all.filter(({ provider }) => provider === null),
    providers: providers.sort((one, other) => one.name.localeCompare(other.name, "en")),
  };
}

async function factorsOf({ person, session }: Account, tools: AccountTools): Promise<FactorSections> {
  const { passkeys, factor, sessions, others } = await waysAndSessionsOf(person, session, tools.sessions);
  const entries = passkeys.map(({ credentialId, backupEligible, added, ...entry }) => ({
    ...{ id: credentialId, name: entry.name, synced: backupEligible, ...seenFrom(added) },
    ...{ createdAt: entry.createdAt, lastUsedAt: entry.lastUsedAt },
  }));
  return {
    passkeys: { available: relyingPartyOf(tools.issuer) !== undefined, entries },
    authenticator:
      factor === undefined
        ? null
        : {
            ...{ since: factor.createdAt, ...seenFrom(factor.added), earlier: factor.earlier !== null },
            codes: {
              ...{ since: factor.codesAt, left: factor.codesLeft, ...seenFrom(factor.codesAdded) },
              proving: (tools.sessions.mail.enabled ? provingCodes(factor, tools.now()) : null) ?? null,
            },
          },
    others,
    sessions: sessions
      .slice(0, MOST_SHOWN)
      .map(({ sessionId, userAgent, address, createdAt, lastSeenAt }) => ({
        ...{ id: sessionId, here: sessionId === session.sessionId, ...seenFrom({ userAgent, address }) },
        ...{ since: createdAt, seenAt: lastSeenAt },
      }))
      .sort((one, other) => Number(other.here) - Number(one.here)),
  };
}

function seenFrom({ userAgent, address }: Pick<AddedFrom, "userAgent" | "address">): SeenFrom {
  return { ...deviceOf(userAgent), place: coarse(address) };
}

/** "Everywhere else" also ends sessions that are not shown. */
const MOST_SHOWN = 50;

interface SessionsTools extends AccountTools {
  readonly elsewhere: Pick<Elsewhere, "providers" | "people">;
}

/** Ends sessions; apps keep their access. */
export const endSessions = signedIn(async ({ person, session, http, visitor }, tools: SessionsTools) => {
  const by = { person, session, address: http.address };
  switch (await endSessionsOf(formOf(http).get("end") ?? "", by, tools.sessions)) {
    case "all": {
      const cookies = [...visitor.cookies, tools.cookies.clear("session")];
      const providers = await mayStillSignIn({ person, session }, tools.elsewhere);
      return page(200, signedOutPage({ signIn: "/login", providers }, tools.chrome(http)), "here", cookies);
    }
    case "others":
      return securityAfter("others-ended", visitor.cookies, tools);
    case "one":
      return securityAfter("session-ended", visitor.cookies, tools);
    case "unknown":
      return redirect(303, `${tools.issuer}/account/security`, visitor.cookies);
  }
});

/** Redirects to the security page, which shows the result. */
export function securityAfter(
  done: keyof typeof SECURITY_NOTICES,
  cookies: readonly string[],
  { issuer }: Pick<PageTools, "issuer">,
) {
  return redirect(303, `${issuer}/account/security?done=${done}`, cookies);
}

/**
 * A sensitive page: it needs a sign-in of the last ten minutes, with all steps. Other visitors sign in again, and come
 * back to it.
 */
export function freshly<Tools extends AccountTools>(to: AccountPage, show: AccountEndpoint<Tools>): Page<Tools> {
  return signedIn(async (account, tools: Tools) =>
    (await isFresh(account, tools)) ? show(account, tools) : confirmFirst(to, account, tools),
  );
}

/** Redirects to the sign-in, and from there to that page. */
export function confirmFirst(
  to: AccountPage,
  { http, visitor }: Account,
  { issuer }: Pick<PageTools, "issuer">,
): Answer {
  const request = (http.method === "GET" ? new URLSearchParams(http.query) : formOf(http)).get("request");
  const query = new URLSearchParams({ to, ...(request === null ? {} : { request }) });
  return redirect(303, `${issuer}/account/confirm?${query}`, visitor.cookies);
}

/** Asks for another sign-in before one of those pages. */
export const showConfirm = signedIn(async ({ person, http }, tools: FlowTools) => {
  const arrival = await arrivalOf(http, tools, new URLSearchParams(http.query));
  if (isAnswer(arrival)) return arrival;
  const { continuation: waits } = arrival;
  const continuation =
    waits?.kind === "account_page"
      ? waits
      : ({ kind: "account_page", page: "security", behind: requestOf(waits) } as const);
  return signInAnswer({ ...arrival, continuation }, tools, { ...FIRST, username: person.username });
});
