/** Tries the policies of a file on recorded events: tells what they would decide differently. Changes nothing. */

import { allClients, listEvents, listScopes, type OpenedAdmin, type ShownEvent } from "./admin/index.ts";
import type { Config } from "./config.ts";
import { ConfiguredClaims } from "./configured-claims.ts";
import { askConfiguredSignInPolicy, askIssuePolicy, type Policies } from "./configured-policies.ts";
import { ACR_VALUES, isAsSure } from "./oauth/authentication-context.ts";
import { OAuthError } from "./oauth/errors.ts";
import type { Client, Millis } from "./oauth/model.ts";
import type { IssueRequest } from "./oauth/ports.ts";
import type { SignInQuestion } from "./owners/sign-in-policy.ts";
import type { Person } from "./owners/storage.ts";
import { partitionOf } from "./storage/partition.ts";

/** Policies and claims of a configuration. */
export type Tried = Pick<Config, "policies" | "customClaims">;

/** What would be different. */
export interface TrialChange {
  readonly about: "sign_in" | "token" | "claims";
  /** The event that the question was made from. Null: the registration of a client. */
  readonly event: string | null;
  readonly at: Millis | null;
  readonly sub: string;
  readonly clientId: string | null;
  readonly before: string;
  readonly after: string;
}

export interface Trial {
  readonly asked: {
    readonly sign_ins: number;
    readonly tokens: number;
    readonly claims: number;
    /** Tokens of clients in their own name: their questions are made from registrations, not from events. */
    readonly own_tokens: number;
  };
  readonly changes: readonly TrialChange[];
  /** Answers of the tried file that are failures: it threw, was late, or gave something else. */
  readonly failures: number;
  /** Why events could not be asked about, and how many. */
  readonly skipped: Readonly<Record<string, number>>;
}

export interface TrialQuery {
  readonly since: Millis;
  readonly clientId?: string;
}

/** Events of each kind, the newest first. */
const MOST = 10_000;
/** Questions that wait for answers at the same time. */
const AT_ONCE = 8;
/** After this time, no further question is asked. */
const LONGEST: Millis = 300_000;

const OLDER = "recorded before this version, or without the facts";
const ERASED = "the person was deleted";
const NO_SIGN_IN = "the person's sign-in is older than the time that was read";
const NO_PERSON = "an approval or an assertion: nobody signed in for it";
const NO_CLIENT = "the client is gone";
const LATE = "not asked: the trial took 5 minutes";

interface Question {
  readonly about: TrialChange["about"];
  readonly event: ShownEvent | null;
  readonly sub: string;
  readonly clientId: string | null;
  /** The answer of policies in words. */
  ask(tried: Tried): Promise<string>;
}

const FAILED = "fails: ";

/** `present`: what decides now. `next`: the file. */
export async function tryPolicies(present: Tried, next: Tried, query: TrialQuery, admin: OpenedAdmin): Promise<Trial> {
  const skipped: Record<string, number> = {};
  const skip = (why: string) => {
    skipped[why] = (skipped[why] ?? 0) + 1;
  };
  const questions = await questionsFrom([present, next], query, skip, admin);
  const changes: TrialChange[] = [];
  const asked = { sign_in: 0, token: 0, claims: 0, own_token: 0 };
  let failures = 0;
  const until = Date.now() + LONGEST;
  for (let at = 0; at < questions.length; at += AT_ONCE) {
    const turn = questions.slice(at, at + AT_ONCE);
    if (Date.now() > until) {
      for (const _ of turn) skip(LATE);
      continue;
    }
    const answers = await Promise.all(turn.map(async (one) => [await one.ask(present), await one.ask(next)] as const));
    for (const [index, { about, event, sub, clientId }] of turn.entries()) {
      const [before = "", after = ""] = answers[index] ?? [];
      asked[event === null ? "own_token" : about] += 1;
      const fails = after.startsWith(FAILED);
      if (fails) failures += 1;
      if (before === after && !fails) continue;
      changes.push({ about, event: event?.eventId ?? null, at: event?.at ?? null, sub, clientId, before, after });
    }
  }
  const { sign_in, token, claims, own_token } = asked;
  return { asked: { sign_ins: sign_in, tokens: token, claims, own_tokens: own_token }, changes, failures, skipped };
}

type Skip = (why: string) => void;

async function questionsFrom(
  tried: readonly Tried[],
  { since, clientId }: TrialQuery,
  skip: Skip,
  admin: OpenedAdmin,
): Promise<readonly Question[]> {
  const read = (kind: string) => listEvents({ kind, since, limit: MOST }, admin);
  const signIns = await read("sign_in.succeeded");
  const denied = (await read("sign_in.refused")).filter(({ details }) => details["step"] === "policy");
  const given = [...(await read("consent.given")), ...(await read("consent.connected"))];
  const exchanged = await read("grant.exchanged");
  const ofClient = <T extends Pick<ShownEvent, "clientId">>(events: readonly T[]) =>
    clientId === undefined ? events : events.filter((one) => one.clientId === clientId);
  const clients = new Map<string, Client>();
  for await (const client of allClients(admin)) clients.set(client.clientId, client);
  const people = new People(admin);
  const made: Question[] = [];
  if (tried.some(({ policies }) => policies?.signIn !== undefined)) {
    for (const event of ofClient([...signIns, ...denied])) {
      const question = await signInQuestion(event, people, skip);
      if (question !== undefined) made.push(question);
    }
  }
  const resources = new Map((await listScopes(admin)).map(({ scope: { name, resource } }) => [name, resource]));
  const issuing = tried.some(({ policies }) => policies?.issue !== undefined);
  const about = issuing || tried.some(({ customClaims }) => customClaims.length > 0) ? [...given, ...exchanged] : [];
  for (const event of ofClient(about)) {
    const client = clients.get(event.clientId ?? "");
    if (client === undefined) skip(NO_CLIENT);
    else {
      if (issuing) made.push(...tokenQuestion(event, client, signIns, resources, skip, admin.issuer));
      made.push(...claimsQuestion(event, client, tried));
    }
  }
  if (issuing) {
    for (const client of clients.values()) {
      if (clientId === undefined || client.clientId === clientId)
        made.push(...ownTokenQuestion(client, resources, admin.issuer));
    }
  }
  return made;
}

/** People as they are now. */
class People {
  readonly #admin: OpenedAdmin;
  readonly #found = new Map<string, Promise<{ readonly person: Person; readonly companies: Companies } | undefined>>();

  constructor(admin: OpenedAdmin) {
    this.#admin = admin;
  }

  get(personId: string) {
    const found = this.#found.get(personId) ?? this.#read(personId);
    this.#found.set(personId, found);
    return found;
  }

  async #read(personId: string) {
    const { storage, now } = this.#admin;
    const key = { partition: partitionOf(personId), personId };
    const person = await storage.people.get(key);
    if (person === undefined) return undefined;
    const acting = await storage.members.companiesOf({ ...key, clientId: null, now: now() });
    return { person, companies: acting.map(({ company, member }) => ({ id: company.companyId, role: member.role })) };
  }
}

type Companies = SignInQuestion["companies"];

const word = (value: unknown) => (typeof value === "string" ? value : undefined);
const words = (value: unknown) =>
  word(value)
    ?.split(" ")
    .filter((one) => one !== "") ?? [];

async function signInQuestion(event: ShownEvent, people: People, skip: Skip): Promise<Question | undefined> {
  const { details, personal, subject, clientId, at } = event;
  const { when, known_device: known, auth_time: authTime, provider } = details;
  // A session that continues another one was not asked about.
  if (when === "continued") return undefined;
  const acr = ACR_VALUES.find((one) => one === details["acr"]);
  const found = subject === null ? undefined : await people.get(subject);
  const address = personal === null || personal === "erased" ? undefined : personal["address"];
  const occasion = (["sign_in", "sign_up", "request", "password_grant"] as const).find((one) => one === when);
  const gone = personal === "erased" || found === undefined;
  if (gone || occasion === undefined || acr === undefined || address === undefined || typeof authTime !== "number") {
    skip(gone ? ERASED : OLDER);
    return undefined;
  }
  const about: SignInQuestion = {
    ...{ when: occasion, sub: found.person.personId, username: found.person.username, companies: found.companies },
    ...{ acr, amr: words(details["amr"]), provider: word(provider) ?? null, authTime, clientId, address, at },
    knownDevice: known === true,
  };
  const ask = ({ policies }: Tried) => inWords(() => signInAnswer(policies, about));
  return { about: "sign_in", event, sub: about.sub, clientId, ask };
}

async function signInAnswer(policies: Policies | null, about: SignInQuestion): Promise<string> {
  if (policies?.signIn === undefined) return "allowed";
  const verdict = await askConfiguredSignInPolicy(policies.signIn, about);
  if (verdict.kind === "deny") return "denied";
  return verdict.kind === "require" && !isAsSure(about.acr, verdict.acr) ? `requires ${verdict.acr}` : "allowed";
}

/** The kind of a failure, as the server would log it. */
async function inWords(ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return error.condition === "issue_policy_denied" ? "denied" : `${FAILED}${error.detail ?? error.condition}`;
  }
}

async function issueAnswer(policies: Policies | null, about: IssueRequest): Promise<string> {
  const decision = policies?.issue === undefined ? undefined : await askIssuePolicy(policies.issue, about);
  const { scopes, most = Number.POSITIVE_INFINITY } = decision ?? { scopes: about.scopes };
  const lifetime = most === Number.POSITIVE_INFINITY ? "" : `, at most ${most / 1000} s`;
  return `allowed: ${scopes.toSorted().join(" ")}${lifetime}`;
}

/** The API of the scopes. */
function audienceOf(scopes: readonly string[], resources: ReadonlyMap<string, string | null>, issuer: string): string {
  return scopes.map((name) => resources.get(name)).find((one) => one != null) ?? issuer;
}

/** The person who answered, or for whom a client exchanged a token. Undefined: an approval, which gives no token. */
function personIn({ kind, actor, details, subject }: ShownEvent): string | undefined {
  if (kind === "grant.exchanged") return word(details["person"]) ?? subject ?? undefined;
  const approved = details["via"] === "company policy" || details["via"] === "operator policy";
  return approved || !actor.startsWith("user:") ? undefined : actor.slice("user:".length);
}

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";

function tokenQuestion(
  event: ShownEvent,
  client: Client,
  signIns: readonly ShownEvent[],
  resources: ReadonlyMap<string, string | null>,
  skip: Skip,
  issuer: string,
): readonly Question[] {
  const { subject, details, kind, at } = event;
  const person = personIn(event);
  if (person === undefined) {
    skip(NO_PERSON);
    return [];
  }
  const actor = person === subject ? null : person;
  // Newest first. An owner answers after they have signed in.
  const before = signIns.find((one) => one.subject === person && one.at <= at);
  if (before === undefined || subject === null) {
    skip(NO_SIGN_IN);
    return [];
  }
  const scopes = words(details["scope"]);
  const authTime = before.details["auth_time"];
  const about: IssueRequest = {
    ...{ clientId: client.clientId, clientName: client.name, sub: subject, actor, scopes },
    grantType: kind === "grant.exchanged" ? EXCHANGE : details["via"] === "device" ? DEVICE : "authorization_code",
    audience: audienceOf(scopes, resources, issuer),
    ...{ acr: word(before.details["acr"]) ?? null, amr: words(before.details["amr"]) },
    authTime: typeof authTime === "number" ? authTime : before.at,
  };
  return [issueQuestion(about, event)];
}

/** Tokens of clients in their own name are not recorded, so the question has what the client is registered for. */
function ownTokenQuestion(
  { clientId, name, status, grantTypes, ownScopes }: Client,
  resources: ReadonlyMap<string, string | null>,
  issuer: string,
): readonly Question[] {
  if (status !== "active" || !grantTypes.includes("client_credentials") || ownScopes.length === 0) return [];
  const about: IssueRequest = {
    ...{ clientId, clientName: name, grantType: "client_credentials", sub: clientId, actor: null, scopes: ownScopes },
    ...{ audience: audienceOf(ownScopes, resources, issuer), acr: null, amr: [], authTime: null },
  };
  return [issueQuestion(about, null)];
}

function issueQuestion(about: IssueRequest, event: ShownEvent | null): Question {
  const ask = ({ policies }: Tried) => inWords(() => issueAnswer(policies, about));
  return { about: "token", event, sub: about.sub, clientId: about.clientId, ask };
}

function claimsQuestion(event: ShownEvent, { clientId }: Client, tried: readonly Tried[]): readonly Question[] {
  const scopes = words(event.details["scope"]);
  const named = tried.flatMap(({ customClaims }) => customClaims.map(({ scope }) => scope));
  const person = personIn(event);
  if (event.subject === null || person === undefined || !scopes.some((name) => named.includes(name))) return [];
  const about = { sub: person, organization: person === event.subject ? null : event.subject, clientId };
  const ask = ({ customClaims }: Tried) =>
    inWords(async () => JSON.stringify(await new ConfiguredClaims(customClaims).ofScopes(scopes, about)));
  return [{ about: "claims", event, sub: about.sub, clientId, ask }];
}

/** A change as an operator reads it. Values of claims are facts about people: only their names are told. */
export function changeRecord({ about, event, at, sub, clientId, before, after }: TrialChange) {
  const [was, is] = about === "claims" ? claimsInWords(before, after) : [before, after];
  const time = at === null ? null : new Date(at).toISOString();
  return { about, event, at: time, sub, client_id: clientId, before: was, after: is };
}

function claimsInWords(before: string, after: string): readonly [string, string] {
  const parsed = (text: string): Readonly<Record<string, unknown>> | undefined =>
    text.startsWith(FAILED) ? undefined : JSON.parse(text);
  const [was, is] = [parsed(before), parsed(after)];
  const told = (own: typeof was, other: typeof was, text: string) => {
    if (own === undefined) return text;
    const names = Object.keys(own).toSorted();
    const differs = (name: string) => JSON.stringify(own[name]) !== JSON.stringify(other?.[name]);
    return names.map((name) => (differs(name) ? `${name} (differs)` : name)).join(" ") || "no claims";
  };
  return [told(was, is, before), told(is, was, after)];
}
