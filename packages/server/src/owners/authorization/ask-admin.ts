/** A member asks the admins of their company to approve an app. */

import { isSameHost } from "../../oauth/consent-reach.ts";
import type { Client, Millis, Scope } from "../../oauth/model.ts";
import { consentHost, redirectHost } from "../../oauth/redirect-uri.ts";
import { beyondApproval, MAX_REASON } from "../company-rules.ts";
import { answeredScopes } from "../consent-needed.ts";
import type { Person } from "../person.ts";
import type { AnswerForm, AnswerProblem } from "./consent-answer.ts";
import type { AuthorizationContext } from "./context.ts";
import { chosenOwner, type OwnerChoice, withVerdictOn } from "./person-or-company.ts";

/** The requested scopes, the company, and the reason. */
export interface AskedAdmins {
  readonly owner: OwnerChoice;
  readonly scopes: readonly Scope[];
  readonly reason: string;
}

/**
 * Null: nothing is wrong. `reason`: it is missing, or can't be shown. `too_many`: too many requests of this person are
 * open already.
 */
export type AdminProblem = "reason" | "too_many" | null;

/** The form of such a request. */
export type AdminForm = Pick<AnswerForm, "owner" | "scopes"> & { readonly reason: string };

/** The form asks for nothing that an admin has to approve. `owner`: as in `Decision`. */
export interface NothingToAsk {
  readonly problem: Extract<AnswerProblem, "bad_owner" | "needless" | "nothing">;
  readonly owner: OwnerChoice | undefined;
}

/** Reads the form. The company, its rule or the person's role can have changed since the page was made. */
export function readAdminRequest(
  { owner: named, scopes: ticked, reason }: AdminForm,
  owners: readonly OwnerChoice[],
  now: Millis,
): AskedAdmins | NothingToAsk {
  const chosen = chosenOwner(owners, named);
  if (chosen === undefined) return { problem: "bad_owner", owner: undefined };
  const { granted } = answeredScopes(chosen.scopes, ticked);
  const owner = withVerdictOn(chosen, granted, now);
  if (granted.length === 0) return { problem: "nothing", owner: chosen };
  if (owner.verdict !== "ask") return { problem: "needless", owner: chosen };
  return { owner, scopes: chosen.scopes.filter(({ name }) => granted.includes(name)), reason };
}

/** True: the member gave the app access for the company before, which it still has. */
export async function hasAccessAlready(
  { partition, ownerId: companyId, acting, reach: { ceiling } }: OwnerChoice,
  { clientId }: Pick<Client, "clientId">,
  { storage, now }: Pick<AuthorizationContext, "storage" | "now">,
): Promise<boolean> {
  const held = await storage.companyApps.liveAccess({ partition, companyId, clientId, ceiling, now: now() });
  return held.some(({ personId }) => personId === acting?.member.personId);
}

/** Maximum number of requests that are read to find the open one of an app. A member has one request for each app. */
const REQUESTS_READ = 200;

/** The open request that a new one replaces. */
export interface ReplacedRequest {
  /** The scopes that only the replaced request asked for, or only at its address. Approved ones are left out. */
  readonly scopes: readonly string[];
  /** The other address for which it asked. Null: the same one, a device, or not recorded. */
  readonly host: string | null;
}

/** The member's open request for this app: a member has one for each app. */
export async function replacedRequest(
  { owner: { partition, ownerId: companyId, acting, reach }, scopes }: Pick<AskedAdmins, "owner" | "scopes">,
  { clientId }: Pick<Client, "clientId">,
  { storage, now }: Pick<AuthorizationContext, "storage" | "now">,
): Promise<ReplacedRequest | undefined> {
  if (acting === undefined) return undefined;
  const { personId } = acting.member;
  const requests = await storage.companyApps.requestsOfMember({ partition, companyId, personId, limit: REQUESTS_READ });
  const open = requests.find((one) => one.clientId === clientId && one.status === "open");
  if (open === undefined) return undefined;
  const { host } = open;
  const isElsewhere = host !== null && (reach.host === null || !isSameHost(host, reach.host));
  const beyond = beyondApproval(acting, open.scopes, { ...reach, host }, now());
  const waiting = beyond.length === 0 ? open.scopes : beyond;
  const names = scopes.map(({ name }) => name);
  const lost = isElsewhere ? waiting : waiting.filter((name) => !names.includes(name));
  return { scopes: lost, host: isElsewhere ? host : null };
}

/** Stores the request for the admins. `redirectUri`: the destination of the answer; absent: a device. */
export async function askAdmins(
  { owner, scopes, reason }: AskedAdmins,
  { client, redirectUri }: { readonly client: Pick<Client, "clientId" | "name">; readonly redirectUri?: string },
  { personId, username, name }: Pick<Person, "personId" | "username" | "name">,
  context: Pick<AuthorizationContext, "storage" | "noticeLetters" | "notify" | "event" | "now">,
): Promise<AdminProblem> {
  if (reason === "" || reason.length > MAX_REASON || !reason.isWellFormed() || reason.includes("\0")) return "reason";
  const { company } = owner.acting ?? {};
  if (company === undefined) return null;
  const { partition, companyId } = company;
  const names = scopes.map(({ name }) => name);
  const { clientId } = client;
  const notice = {
    kind: "company_request",
    company: { companyId, slug: company.slug, name: company.name },
    client: {
      clientId,
      name: client.name,
      host: redirectUri === undefined ? null : redirectHost(consentHost(redirectUri)),
    },
    by: { personId, username, name },
    reason,
  } as const;
  const now = context.now();
  const mails = await context.noticeLetters(notice);
  const key = { partition, companyId, clientId, personId };
  const place = redirectUri === undefined ? {} : { redirectUri };
  const outcome = await context.storage.companyApps.askApproval({
    ...key,
    scopes: names,
    ...place,
    reason,
    mails,
    now,
  });
  if (outcome.kind === "too_many") return "too_many";
  if (outcome.kind === "asked") {
    const what = { client_id: clientId, person: personId, scope: names.join(" ") };
    context.event("company_request_made", { company: companyId, ...what });
    context.notify(notice);
  }
  return null;
}
