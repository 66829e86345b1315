/** For whom an app acts the next time that it asks: what the person chose, and how they forget it. */

import { ceilingOf, ceilingOrNone, underCeiling } from "../../oauth/consent-reach.ts";
import type { Client, Consent, Millis } from "../../oauth/model.ts";
import { SCOPE_MARGIN } from "../../oauth/scope.ts";
import { endsAnywhere } from "../answered-hosts.ts";
import type { SignedIn } from "../authorization/context.ts";
import { leftOutBy, verdictOn } from "../company-rules.ts";
import type { Acting, Company } from "../company-storage.ts";
import { isPaused, unexpired } from "../consent-after-decision.ts";
import { isOvertaken, lastOwnerOf, ownAnswerAt } from "../last-company.ts";
import type { Person } from "../person.ts";
import type { AppChanged } from "./change-app.ts";
import type { AppsContext } from "./context.ts";

/** The owners for whom an app may get access again without a page. */
export interface NextOwners {
  /** True: the person. */
  readonly self: boolean;
  /** By name. */
  readonly companies: readonly Company[];
  /**
   * True: the app gets nothing without a page, because it is paused for one of them, or can't act any more for the owner
   * whom the person chose last, also where an admin blocked it or the person left the company.
   */
  readonly asks: boolean;
}

/** The choices of a person who belongs to companies. */
export interface OwnerChoices {
  /** The ids of all apps that act for the person in a company, or may connect for it without a page, and the companies. */
  readonly forCompanies: ReadonlyMap<string, readonly Company[]>;
  /** `consent`: the person's own. Undefined: there is none. */
  of(clientId: string, consent: Consent | undefined, client: Client | undefined): NextOwners;
}

/** Undefined: the person belongs to no company, so no app asks for whom. */
export async function ownerChoicesOf(person: Person, context: AppsContext): Promise<OwnerChoices | undefined> {
  const { storage, oauth } = context;
  const { personId } = person;
  const now = context.now();
  const companies = await companiesOf(person, null, context);
  if (companies.length === 0) return undefined;
  const lastCompanies = await storage.lastCompanies.list(person);
  const found = await Promise.all(
    companies.map(async ({ company }) => {
      const key = { partition: company.partition, companyId: company.companyId, personId };
      const [chosen, grants] = await Promise.all([
        storage.companyApps.listChoices(key),
        storage.companyApps.grantsOfMember({ ...key, now }),
      ]);
      const clients = [...new Set([...chosen, ...grants.map(({ clientId }) => clientId)])];
      const held = await Promise.all(
        clients.map(async (clientId) => {
          const [acting, consent, client] = await Promise.all([
            storage.members.findActing({ ...key, clientId }),
            storage.consents.find({ partition: company.partition, ownerId: company.companyId, clientId }),
            oauth.catalog.client(clientId),
          ]);
          const ceiling = ceilingOrNone(client, oauth.policy);
          const chosenAt = acting?.chosen === true ? (acting.chosenAt ?? 0) : 0;
          const holds = chosenAt > 0 && mayConnect(acting, now, ceiling) && isRemembered(consent, client, context, now);
          const acts = grants.some(
            (grant) => grant.clientId === clientId && underCeiling(grant, ceiling).absoluteUntil > now,
          );
          return { ownerId: company.companyId, clientId, company, chosenAt, holds, acts, paused: isPaused(consent) };
        }),
      );
      return held;
    }),
  );
  const all = Map.groupBy(found.flat(), ({ clientId }) => clientId);
  const listed = found.flat().filter(({ holds, acts }) => holds || acts);
  const companiesOfApps = Map.groupBy(listed, ({ clientId }) => clientId);
  return {
    forCompanies: new Map([...companiesOfApps].map(([id, some]) => [id, some.map(({ company }) => company)])),
    of: (clientId, consent, client) => {
      const self = (consent?.chosenAt ?? 0) >= 0 && isRemembered(consent, client, context, now);
      const ofCompanies = all.get(clientId) ?? [];
      const choices = ofCompanies.filter(({ holds }) => holds);
      const paused = (self && isPaused(consent)) || choices.some((one) => one.paused);
      const own = { ownerId: personId, holds: self, chosenAt: ownAnswerAt(consent) };
      const answers = [own, ...ofCompanies];
      const last = answers.reduce((one, other) => (other.chosenAt > one.chosenAt ? other : one));
      const lastOwner = lastOwnerOf(personId, { consent, lastCompany: lastCompanies.get(clientId) });
      const overtaken = isOvertaken(last.ownerId, last.chosenAt, lastOwner);
      const asks = paused || (last.chosenAt > 0 && !last.holds) || overtaken;
      return { self, companies: choices.map(({ company }) => company), asks };
    },
  };
}

/** The person's own consent to an app, also one of which everything has ended. */
export function ownConsent(
  { partition, personId: ownerId }: Person,
  clientId: string,
  { storage }: Pick<AppsContext, "storage">,
): Promise<Consent | undefined> {
  return storage.consents.find({ partition, ownerId, clientId });
}

/**
 * What an app does the next time, if the person chose a company for it. `connects`: it gets access for the company without a
 * page. `several`: their answers for others hold, too, so it asks, unless only one covers the request. `asks`: it always asks.
 */
export type NextTime = "connects" | "several" | "asks";

/** Tells for one company what an app does the next time. */
export async function nextTimeFor(
  companyId: string,
  person: Person,
  context: AppsContext,
): Promise<(clientId: string) => Promise<NextTime>> {
  const choices = await ownerChoicesOf(person, context);
  return async (clientId) => {
    if (choices === undefined) return "asks";
    const [consent, client] = await Promise.all([
      ownConsent(person, clientId, context),
      context.oauth.catalog.client(clientId),
    ]);
    const { self, companies, asks } = choices.of(clientId, consent, client);
    const [company] = companies;
    if (asks || (!self && company === undefined)) return "asks";
    return !self && companies.length === 1 && company?.companyId === companyId ? "connects" : "several";
  };
}

export async function belongsToCompany(person: Person, context: AppsContext): Promise<boolean> {
  return (await companiesOf(person, null, context)).length > 0;
}

/** True: the person chose a company for the app, and has asked since to be asked for whom. */
export async function hasForgottenChoice(person: Person, clientId: string, context: AppsContext): Promise<boolean> {
  const companies = await companiesOf(person, clientId, context);
  return companies.some(({ chosen, chosenAt }) => chosenAt !== null && !chosen);
}

/** The person's companies, with what they chose for an app. Empty if a new password overtook this session. */
async function companiesOf(
  { partition, personId, passwordChangedAt }: Person,
  clientId: string | null,
  { storage, now }: AppsContext,
): Promise<readonly Acting[]> {
  const companies = await storage.members.companiesOf({ partition, personId, clientId, now: now() });
  if (companies.length === 0) return companies;
  const after = await storage.people.get({ partition, personId });
  return after?.passwordChangedAt === passwordChangedAt ? companies : [];
}

/** True: neither a rule nor the member keeps the app from connecting for the company without a page. */
export function mayConnect(acting: Acting | undefined, now: Millis, ceiling: Millis | null): boolean {
  const anywhere = { host: null, earlierHosts: [], ceiling };
  const verdict = verdictOn(acting, [], anywhere, now);
  if (acting?.optedOut !== false || hasEveryChoiceEnded(acting, now)) return false;
  // An answer that does not say for which scopes it is counts only under an approval.
  return verdict === "approved" || (verdict === "decides" && Object.keys(acting.chosenEnds).length > 0);
}

/** True: a request for any scope that the member answered shows the page again. */
function hasEveryChoiceEnded(acting: Acting, now: Millis): boolean {
  const names = Object.keys(acting.chosenEnds);
  const ends = names.length > 0 ? names.flatMap((name) => endsAnywhere(acting, name)) : [acting.chosenUntil];
  return !ends.some((end) => isLeft(end, now));
}

function isLeft(end: Millis | null, now: Millis): boolean {
  return end === null || end - now >= SCOPE_MARGIN;
}

/** The scopes that the member allowed the app on a page, without those whose time is over everywhere. */
export function lastingAnswers(acting: Acting, now: Millis): readonly string[] {
  const allowed = Object.keys(acting.chosenEnds).filter((name) => !leftOutBy(acting).includes(name));
  return allowed.filter((name) => endsAnywhere(acting, name).some((end) => isLeft(end, now)));
}

/** True: a request for what the consent holds needs no page. An answer on a device is no answer for another device. */
function isRemembered(
  consent: Consent | undefined,
  client: Client | undefined,
  { oauth }: AppsContext,
  now: Millis,
): boolean {
  if (client?.status !== "active") return false;
  const held = unexpired(consent, { ceiling: ceilingOf(client, oauth.policy) }, now);
  return held.some(({ hosts }) => hosts === undefined || hosts.length > 0);
}

/**
 * The next request of the app asks for whom. Its access stays. Forgets all owners: if one were left, it would be the only
 * one, and the app would get access for it without a page.
 */
export async function askForWhom(
  { person, session }: SignedIn,
  clientId: string,
  context: AppsContext,
): Promise<AppChanged> {
  const { storage, event } = context;
  const { partition, personId } = person;
  const companies = await companiesOf(person, clientId, context);
  if (companies.length === 0) return { kind: "unchanged" };
  const own = { partition, ownerId: personId, clientId, sessionId: session.sessionId };
  const outcomes = await Promise.all([
    storage.consents.forgetChoice(own),
    ...companies.map(({ company, member: { trustedFrom } }) => {
      const key = { partition: company.partition, companyId: company.companyId, clientId, personId };
      return storage.companyApps.forgetChoice({ ...key, trustedFrom });
    }),
  ]);
  if (outcomes.every(({ kind }) => kind === "unknown")) return { kind: "gone" };
  event("owner_choice_forgotten", { owner: personId, client_id: clientId });
  return { kind: "asks_for_whom", clientId };
}
