/** For whom a person answers an app: for themselves, or for a company that they may act for. */

import { type Reach, reachOf } from "../oauth/consent-reach.ts";
import type { Client, Consent, Millis, Scope } from "../oauth/model.ts";
import type { Uses } from "../uses.ts";
import { isApprovedForAll, judgeActing, type Verdict } from "./company.ts";
import type { Acting, CompanyStorage } from "./company-storage.ts";
import { type ConsentAsked, type ConsentDecision, decideConsent, grantableScopes } from "./consent.ts";
import type { OwnerStorage, Person } from "./storage.ts";

/** One owner whom the grant of a request may have. */
export interface OwnerChoice {
  readonly partition: number;
  readonly ownerId: string;
  /** Undefined: the person themselves. */
  readonly acting: Acting | undefined;
  /** What of the request may be granted for this owner; never empty. */
  readonly scopes: readonly Scope[];
  /** Where the answer goes. */
  readonly reach: Reach;
  readonly verdict: Verdict;
  readonly consent: Consent | undefined;
}

/** What goes with an answer for an owner: whoever has another password since was not the one who gave it. */
export function trustedFrom({ acting }: Pick<OwnerChoice, "acting">, { passwordChangedAt }: Person): Millis {
  return acting?.member.trustedFrom ?? passwordChangedAt ?? 0;
}

/** Of a request: which client, for what, where the answer goes (null: to a device), and how long it holds at most. */
interface Asked {
  readonly client: Pick<Client, "clientId" | "earlierRedirectUris">;
  readonly scopes: readonly Scope[];
  readonly redirectUri: string | null;
  readonly ceiling: Millis | null;
}

/**
 * The person, as they were seen with their session, first; then their companies by name. Scopes for operators are people's alone. Companies hear of a
 * new password after it was set: what they tell of the person belongs to the session only if it was the same after that.
 */
export async function ownerChoices(
  person: Person,
  { client, scopes, redirectUri, ceiling }: Asked,
  storage: Uses<OwnerStorage, "consents.find" | "people.get"> & Uses<CompanyStorage, "members.companiesOf">,
  now: Millis,
): Promise<readonly OwnerChoice[]> {
  const { clientId } = client;
  const reach = reachOf(client, redirectUri, ceiling);
  const { partition, personId } = person;
  const own = grantableScopes(scopes, person);
  const forCompanies = scopes.filter(({ ownerRole }) => ownerRole === null);
  const [consent, companies] = await Promise.all([
    storage.consents.find({ partition, ownerId: personId, clientId }),
    forCompanies.length === 0 ? [] : storage.members.companiesOf({ partition, personId, clientId, now }),
  ]);
  const after = companies.length === 0 ? person : await storage.people.get({ partition, personId });
  const same = after?.passwordChangedAt === person.passwordChangedAt;
  const choices = await Promise.all(
    (same ? companies : []).map(async (acting): Promise<OwnerChoice> => {
      const { partition: place, companyId: ownerId } = acting.company;
      const names = forCompanies.map(({ name }) => name);
      return {
        ...{ partition: place, ownerId, acting, scopes: forCompanies, reach },
        verdict: judgeActing(acting, names, reach, now),
        consent: await storage.consents.find({ partition: place, ownerId, clientId }),
      };
    }),
  );
  const self: OwnerChoice = {
    ...{ partition, ownerId: personId, acting: undefined, scopes: own, reach, verdict: "decides", consent },
  };
  return [self, ...choices].filter((choice) => choice.scopes.length > 0);
}

/**
 * `skip`, `vouched`: no page, for this owner. `ask`: the page, with this owner selected. `ambiguous`: as `ask`, since several owners' answers
 * stand: never is it chosen for the person whom they act for.
 */
export interface OwnerDecision {
  readonly kind: "skip" | "vouched" | "ask" | "ambiguous";
  readonly choice: OwnerChoice;
  /** All is granted already, and the page is shown nevertheless. */
  readonly allGranted: boolean;
}

/** `choices`: as `ownerChoices` gives them, at least one. */
export function decideOwner(
  request: ConsentAsked,
  choices: readonly OwnerChoice[],
  now: Millis,
): OwnerDecision | undefined {
  const [first] = choices;
  if (first === undefined) return undefined;
  const judged = choices.map((choice) => ({ choice, decision: decisionOf(request, choice, now) }));
  const ready = judged.filter(({ decision }) => decision === "skip" || decision === "vouched");
  const [only] = ready;
  // The account is to be chosen: so is whom it acts for.
  const chooses = request.prompt.includes("select_account") && choices.length > 1;
  if (only !== undefined && ready.length === 1 && !chooses) {
    return { kind: only.decision === "vouched" ? "vouched" : "skip", choice: only.choice, allGranted: false };
  }
  const held = judged.filter(({ decision }) => decision !== "ask");
  const choice = latestUsed(held.map((one) => one.choice)) ?? first;
  const allGranted = held.some((one) => one.choice === choice && one.decision !== "elsewhere");
  return { kind: ready.length > 1 ? "ambiguous" : "ask", choice, allGranted };
}

/** The owner for whom a person last answered a client, where there is no request to judge by: else the person. */
export function preferredOwner(choices: readonly OwnerChoice[]): OwnerChoice | undefined {
  const [first] = choices;
  return latestUsed(choices.filter(({ acting, consent }) => acting?.chosen ?? consent?.status === "active")) ?? first;
}

function latestUsed(choices: readonly OwnerChoice[]): OwnerChoice | undefined {
  const usedAt = ({ consent }: OwnerChoice) => consent?.lastUsedAt ?? 0;
  return choices.reduce<OwnerChoice | undefined>(
    (a, b) => (a === undefined || usedAt(b) > usedAt(a) ? b : a),
    undefined,
  );
}

function decisionOf(request: ConsentAsked, choice: OwnerChoice, now: Millis): ConsentDecision {
  const { acting, scopes, reach, consent, verdict } = choice;
  // The operator vouches for a client to people, not to companies.
  const client = acting === undefined ? request.client : { ...request.client, firstParty: false };
  const decision = decideConsent({ ...request, client }, scopes, consent, reach, now);
  if (acting === undefined || decision !== "skip") return decision;
  if (verdict !== "decides" && verdict !== "approved") return "ask";
  const names = scopes.map(({ name }) => name);
  // The company consented; that this person means the company, they said once, or an admin said for all.
  return isApprovedForAll(acting, names, reach, now) || (acting.chosen && !acting.optedOut) ? "skip" : "ask";
}

/** The owner that a form names; without one, the person. Undefined: none that it may name, or not any more. */
export function chosenOwner(choices: readonly OwnerChoice[], named: string | null): OwnerChoice | undefined {
  if (named === null) return choices.find(({ acting }) => acting === undefined);
  const choice = choices.find(({ ownerId }) => ownerId === named);
  return choice?.verdict === "blocked" || choice?.verdict === "stranger" ? undefined : choice;
}

/** The choice judged by what is granted in the end: less than was asked may be within what a company approved. */
export function judgedFor(choice: OwnerChoice, granted: readonly string[], now: Millis): OwnerChoice {
  const { acting, reach } = choice;
  return acting === undefined ? choice : { ...choice, verdict: judgeActing(acting, granted, reach, now) };
}
