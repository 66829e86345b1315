/** Finds names that were stored before the present rules (UTS #39), and clients that owners could confuse. */

import { displayTextProblem } from "../oauth/names/display-name.ts";
import { usernameLookAlike } from "../oauth/names/look-alikes.ts";
import { usernameProblem } from "../owners/new-username-and-email.ts";
import type { Person } from "../owners/storage.ts";
import { allClients } from "./clients.ts";
import { allCompanies } from "./companies.ts";
import type { AdminContext } from "./context.ts";
import { allUsers } from "./people.ts";
import { NamesSeen } from "./similar-client-names.ts";

/** Maximum number of people and companies that are checked: at most a minute's work. */
const MOST_OWNERS = 100_000;
const NO_LIMIT = Number.POSITIVE_INFINITY;

export interface NameFindings {
  /** One sentence for each problem. */
  readonly problems: readonly string[];
  /** False: there are more people or companies than were checked. */
  readonly all: boolean;
}

/** These names keep working. The findings name those that the operator may want to change. */
export async function nameFindings(context: AdminContext): Promise<NameFindings> {
  const problems: string[] = [...(await catalogProblems(context)), ...(await clientProblems(context))];
  let left = MOST_OWNERS;
  for await (const { slug, name } of allCompanies(context)) {
    left -= 1;
    if (left < 0) break;
    problems.push(...problemsOf(`the company ${slug}`, { name }));
  }
  for await (const person of allUsers(context)) {
    left -= 1;
    if (left < 0) break;
    problems.push(...(await personProblems(person, context)));
  }
  return { problems, all: left >= 0 };
}

async function catalogProblems({ storage }: AdminContext): Promise<readonly string[]> {
  const scopes = (await storage.scopes.list()).flatMap(({ name, description, descriptions = {} }) =>
    problemsOf(`the scope ${name}`, { description, ...tagged("description", descriptions) }),
  );
  const resources = (await storage.resources.list()).flatMap(({ identifier, name }) =>
    problemsOf(`the API ${identifier}`, { name }),
  );
  return [...scopes, ...resources];
}

async function clientProblems(context: AdminContext): Promise<readonly string[]> {
  const problems: string[] = [];
  const seen = new NamesSeen();
  for await (const client of allClients(context)) {
    const { clientId, name, names = {}, publisher = null } = client;
    problems.push(...problemsOf(`the client ${clientId}`, { name, ...tagged("name", names), publisher }));
    const like = seen.add(client);
    if (like !== undefined) {
      const pair = `${clientId} (${name}) and ${like.clientId} (${like.name})`;
      problems.push(`the clients ${pair} have similar names, so owners may confuse them`);
    }
  }
  return problems;
}

async function personProblems(person: Person, { storage }: AdminContext): Promise<readonly string[]> {
  const { username, name, lookAlike } = person;
  const problems = [...problemsOf(`the user ${username}`, { name })];
  const problem = usernameProblem(username);
  if (problem !== undefined) problems.push(`the user ${username}: username: ${problem}`);
  // An account that is older than the rule does not reserve the form that its name looks like.
  const alike = lookAlike == null ? usernameLookAlike(username) : null;
  const other = alike === null ? undefined : await storage.people.findByName({ name: alike });
  if (other !== undefined) problems.push(`the users ${username} and ${other.username} have similar usernames`);
  return problems;
}

function tagged(field: string, texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([tag, text]) => [`${field} (${tag})`, text]));
}

function problemsOf(whose: string, texts: Readonly<Record<string, string | null>>): readonly string[] {
  return Object.entries(texts).flatMap(([field, text]) => {
    const problem = text === null ? undefined : displayTextProblem(text, NO_LIMIT);
    return problem === undefined ? [] : [`${whose}: ${field}: ${problem}`];
  });
}
