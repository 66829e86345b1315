/** `GET /company/{slug}/revoke`, `/leave`, `/members/remove`: the consequences, before the change. */

import { neverAsks } from "../../oauth/consent-reach.ts";
import type { Millis } from "../../oauth/model.ts";
import { minutesLeft, outstanding } from "../../owners/apps/remaining-token-lifetime.ts";
import { vouchingFor } from "../../owners/companies/app-details.ts";
import { appsActingFor, grantedApp, ruleAfterRevoking } from "../../owners/companies/company-apps.ts";
import { memberOf, signInThere } from "../../owners/companies/company-members.ts";
import type { CompanyConfirmView } from "../../pages/company/views.ts";
import { companyConfirmPage } from "../../pages/index.ts";
import { type Answer, page } from "../http-message.ts";
import { nameOf } from "./client-and-person-views.ts";
import { lastingOf } from "./company-connections.ts";
import { backTo, type CompanyTools, forAdmins, forMembers, type InCompany, idIn } from "./require-membership.ts";

type Question = Pick<CompanyConfirmView, "what" | "subject" | "action" | "fields"> &
  Partial<Pick<CompanyConfirmView, "people" | "apps" | "rule" | "asksNobody" | "lasting" | "returnsBy">>;

function confirmAnswer(
  { frame, http, visitor }: InCompany,
  question: Question,
  until: Millis | undefined,
  tools: CompanyTools,
): Answer {
  const stopsIn = minutesLeft(until, tools.now());
  const none = { people: 0, apps: [], lasting: [], rule: null, returnsBy: null };
  const view: CompanyConfirmView = { ...frame, ...none, ...question, stopsIn };
  const here = http.method === "GET" ? { here: `${http.path}?${http.query}` } : {};
  return page(200, companyConfirmPage(view, tools.chrome(http, here)), "here", visitor.cookies);
}

/** When the last token of an app in the company's name would expire if its grants ended now. */
async function heldBy({ key }: InCompany, clientId: string, tools: CompanyTools): Promise<Millis | undefined> {
  const owner = { partition: key.partition, ownerId: key.companyId };
  return (await outstanding(owner, tools.now(), "ended", tools.apps)).get(clientId);
}

export const confirmRevoke = forAdmins(async (at, tools: CompanyTools) => {
  const clientId = idIn(new URLSearchParams(at.http.query), "client_id");
  const app = await grantedApp(at, clientId, tools.companies);
  if (app === undefined) return backTo(at, "", "gone", tools);
  const client = await tools.apps.oauth.catalog.client(clientId);
  const subject = client === undefined ? app.consent.shown.clientName : nameOf(client, languageOf(at, tools));
  const { people } = app;
  const after = await ruleAfterRevoking(at, clientId, tools.companies);
  const asksNobody = neverAsks(client);
  const vouching = asksNobody ? await vouchingFor(at.key.companyId, clientId, tools.apps.oauth.catalog) : [];
  // Without a page and an identity provider, nobody can connect the app again.
  const rule = asksNobody && vouching.length === 0 ? null : after;
  const question = {
    what: "revoke",
    action: "/revoke",
    fields: { client_id: clientId },
    subject,
    people,
    ...{ rule, asksNobody },
    lasting: await lastingOf(at, [{ clientId, name: subject }], tools),
  } as const;
  return confirmAnswer(at, question, await heldBy(at, clientId, tools), tools);
});

function languageOf({ http }: InCompany, tools: CompanyTools): string {
  return tools.chrome(http).words.language;
}

export const confirmRemoval = forAdmins(async (at, tools: CompanyTools) => {
  const personId = idIn(new URLSearchParams(at.http.query), "person_id");
  const member = await memberOf(at, personId, tools.companies);
  if (member === undefined) return backTo(at, "/members", "gone", tools);
  const fields = { person_id: personId };
  const question = { what: "remove", action: "/members/remove", fields, subject: member.username } as const;
  return departure(at, personId, question, tools);
});

export const confirmLeave = forMembers((at, tools: CompanyTools) => {
  const question = { what: "leave", action: "/leave", fields: {}, subject: at.frame.company.name } as const;
  return departure(at, at.person.personId, question, tools);
});

/** The page lists the apps that act for the member and will stop. */
async function departure(at: InCompany, personId: string, question: Question, tools: CompanyTools): Promise<Answer> {
  const { key } = at;
  const now = tools.now();
  const owner = { partition: key.partition, ownerId: key.companyId, personId };
  const [there, apps, held] = await Promise.all([
    signInThere(key, personId, tools.companies),
    appsActingFor(at, personId, tools.companies),
    outstanding(owner, now, "ended", tools.apps),
  ]);
  const language = languageOf(at, tools);
  const named = await Promise.all(
    apps.map(async (clientId) => {
      const client = await tools.apps.oauth.catalog.client(clientId);
      return { clientId, name: client === undefined ? clientId : nameOf(client, language) };
    }),
  );
  const last = held.size === 0 ? undefined : Math.max(...held.values());
  const lasting = await lastingOf(at, named, tools);
  const returnsBy = there?.makesMember === true ? there.provider : null;
  return confirmAnswer(at, { ...question, apps: named.map(({ name }) => name), lasting, returnsBy }, last, tools);
}
