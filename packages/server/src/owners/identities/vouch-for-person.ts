/**
 * Whether this server vouches for a person at another server (ID-JAG). The state now counts: an ID token or a refresh token
 * only says how it was at the sign-in.
 */

import { reachOf } from "../../oauth/consent-reach.ts";
import type { ToVouchFor, Vouched } from "../../oauth/map-asserted-subject.ts";
import type { Connection, Millis } from "../../oauth/model.ts";
import { OPENID } from "../../oauth/openid/scopes.ts";
import type { Uses } from "../../storage-subset.ts";
import type { CompanyConnectionStorage } from "../company-connection-storage.ts";
import { connectionUnder, offerTo } from "../company-connections.ts";
import { verdictOn } from "../company-rules.ts";
import type { Acting, CompanyStorage } from "../company-storage.ts";
import { isPaused } from "../consent-after-decision.ts";
import type { OwnerStorage } from "../storage.ts";

export interface VouchContext {
  readonly storage: Uses<OwnerStorage, "people.get" | "sessions.list" | "consents.find"> &
    Uses<CompanyStorage, "members.companiesOf"> &
    Uses<CompanyConnectionStorage, "companyConnections.find">;
  partitionOf(id: string): number;
  now(): Millis;
}

/** ID tokens have whole seconds, rounded down. */
const SECOND: Millis = 1000;

const refused = (why: string): Vouched => ({ kind: "refused", why });

export async function vouchFor(
  { client, personId, organization, sid, issuedAt, connections, ceiling }: ToVouchFor,
  { storage, partitionOf, now: clock }: VouchContext,
): Promise<Vouched> {
  const now = clock();
  const partition = partitionOf(personId);
  const person = partition === -1 ? undefined : await storage.people.get({ partition, personId });
  if (person?.status !== "active") return refused("the person is disabled or deleted");
  if (person.mustChangePassword) return refused("the person must change their password first");
  if (sid !== null) {
    const sessions = await storage.sessions.list({ partition, personId, now });
    if (!sessions.some(({ sessionId }) => sessionId === sid)) return refused("the session of the sign-in has ended");
  } else if (issuedAt !== null) {
    // No session tells that the sign-in is over, so a new password or a sign-out everywhere does.
    if (issuedAt + SECOND <= (person.passwordChangedAt ?? 0))
      return refused("the password has changed since the sign-in");
    if (issuedAt + SECOND <= (person.signedOutAt ?? 0)) return refused("the person was signed out everywhere since");
  }
  const { clientId } = client;
  const all = await storage.members.companiesOf({ partition, personId, clientId, disabled: true, now });
  const companies = all.filter(isActive);
  const email = person.emailVerifiedAt === null ? null : person.email;
  const fitting = connections.filter(({ status, company }) => status === "active" && fits(company, organization));
  const open = fitting.find(({ company }) => company === null);
  let why: string | undefined;
  for (const connection of fitting) {
    const acting = companies.find(({ company }) => company.companyId === connection.company);
    if (acting === undefined) continue;
    why = await refusalOf(acting, clientId, storage);
    if (why === undefined) return { kind: "vouched", connection, email };
  }
  const own = await ownConnection(companies, { client, organization, connections, ceiling }, { storage, now });
  if (own !== undefined && own.kind !== "refused") return { ...own, email };
  if (open !== undefined) {
    const stopped = await stopOfAny(all, clientId, storage);
    return stopped === undefined ? { kind: "vouched", connection: open, email } : refused(stopped);
  }
  why ??= own?.why;
  if (why !== undefined) return refused(why);
  // Somebody who left the company has a sign-in that once was good for this connection.
  const isNobodys = companies.length === 0 && connections.some(({ company }) => company !== null);
  return isNobodys ? refused("the person is in no company") : { kind: "unconnected" };
}

interface AskedOfCompany extends Pick<ToVouchFor, "client" | "organization" | "connections" | "ceiling"> {}

/**
 * The connection that an admin of the company made, for a sign-in in the company's name. A sign-in of the person's own is
 * not the company's business. Undefined: there is none that counts.
 */
async function ownConnection(
  companies: readonly Acting[],
  { client, organization, connections, ceiling }: AskedOfCompany,
  { storage, now }: Pick<VouchContext, "storage"> & { readonly now: Millis },
): Promise<
  | Omit<Extract<Vouched, { readonly kind: "vouched" }>, "email">
  | Extract<Vouched, { readonly kind: "refused" }>
  | undefined
> {
  const acting = companies.find(({ company }) => company.companyId === organization);
  const offer = offerTo(organization ?? null, connections);
  if (acting === undefined || offer === undefined) return undefined;
  const { company } = acting;
  const { partition, companyId } = company;
  const key = { partition, companyId, clientId: client.clientId, audience: offer.audience };
  const made = await storage.companyConnections.find(key);
  const connection = made && connectionUnder(offer, made, now);
  if (made === undefined || connection === undefined) return undefined;
  const verdict = verdictOn(acting, [OPENID], reachOf(client, null, ceiling), now);
  const rule = verdict === "decides" || verdict === "approved" ? undefined : `the company's rule: ${verdict}`;
  const why = (await refusalOf(acting, client.clientId, storage)) ?? rule;
  if (why !== undefined) return { kind: "refused", why };
  const { endsAt, connectedAt } = made;
  return { kind: "vouched", connection, own: { connectedAt, endsAt, company: { companyId, name: company.name } } };
}

/** A sign-in for a company is for its connections alone. */
function fits(company: Connection["company"], organization: string | undefined): boolean {
  return organization === undefined || organization === company;
}

function isActive({ company, member }: Acting): boolean {
  return company.status === "active" && member.accountStatus === "active";
}

/** The connection stands for the company's approval. A block, a pause, or the member's own stop counts more. */
async function refusalOf(
  acting: Acting,
  clientId: string,
  storage: Pick<VouchContext["storage"], "consents">,
): Promise<string | undefined> {
  return acting.optedOut ? "the member stopped the app" : stopOf(acting, clientId, storage);
}

/**
 * Why the connection for everybody gives a member nothing. A member's own stop is for that company alone: what they allowed
 * for their own account stays. A disabled company's stop counts, because nobody decided to lift it.
 */
async function stopOfAny(
  companies: readonly Acting[],
  clientId: string,
  storage: Pick<VouchContext["storage"], "consents">,
): Promise<string | undefined> {
  const stops = await Promise.all(companies.map((acting) => stopOf(acting, clientId, storage)));
  return stops.find((why) => why !== undefined);
}

/** What the company decided about this app. Its rule for other apps is about its own name alone. */
async function stopOf(
  { company: { partition, companyId: ownerId }, rule }: Acting,
  clientId: string,
  { consents }: Pick<VouchContext["storage"], "consents">,
): Promise<string | undefined> {
  if (rule?.rule === "block") return "the company blocks the app";
  const consent = await consents.find({ partition, ownerId, clientId });
  return isPaused(consent) ? "the company paused the app" : undefined;
}
