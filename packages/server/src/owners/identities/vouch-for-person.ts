/**
 * Whether this server vouches for a person at another server (ID-JAG). The state now counts: an ID token or a refresh token
 * only says how it was at the sign-in.
 */

import type { ToVouchFor, Vouched } from "../../oauth/map-asserted-subject.ts";
import type { Connection, Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import type { Acting, CompanyStorage } from "../company-storage.ts";
import { isPaused } from "../consent-after-decision.ts";
import type { OwnerStorage } from "../storage.ts";

export interface VouchContext {
  readonly storage: Uses<OwnerStorage, "people.get" | "sessions.list" | "consents.find"> &
    Uses<CompanyStorage, "members.companiesOf">;
  partitionOf(id: string): number;
  now(): Millis;
}

/** ID tokens have whole seconds, rounded down. */
const SECOND: Millis = 1000;

const refused = (why: string): Vouched => ({ kind: "refused", why });

export async function vouchFor(
  { client, personId, organization, sid, issuedAt, connections }: ToVouchFor,
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
  const companies = (await storage.members.companiesOf({ partition, personId, clientId, now })).filter(isActive);
  const email = person.emailVerifiedAt === null ? null : person.email;
  const fitting = connections.filter(({ company }) => fits(company, organization));
  const open = fitting.find(({ company }) => company === null);
  let why: string | undefined;
  for (const connection of fitting) {
    const acting = companies.find(({ company }) => company.companyId === connection.company);
    if (acting === undefined) continue;
    why = await refusalOf(acting, clientId, storage);
    if (why === undefined) return { kind: "vouched", connection, email };
  }
  // What a company refuses its member, the connection for everybody does not give.
  if (why !== undefined) return refused(why);
  if (open !== undefined) return { kind: "vouched", connection: open, email };
  // Somebody who left the company has a sign-in that once was good for this connection.
  const isNobodys = companies.length === 0 && connections.some(({ company }) => company !== null);
  return isNobodys ? refused("the person is in no company") : { kind: "unconnected" };
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
  { company: { partition, companyId: ownerId }, rule, optedOut }: Acting,
  clientId: string,
  { consents }: VouchContext["storage"],
): Promise<string | undefined> {
  if (rule?.rule === "block") return "the company blocks the app";
  if (optedOut) return "the member stopped the app";
  const consent = await consents.find({ partition, ownerId, clientId });
  return isPaused(consent) ? "the company paused the app" : undefined;
}
