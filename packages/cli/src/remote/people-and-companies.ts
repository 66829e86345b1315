/** `assent user …`, `company …`, `session …` and `consent …` on a server. */

import type {
  CompanyAppImpactRecord,
  CompanyImpactRecord,
  ConsentImpactRecord,
  MemberImpactRecord,
  UserImpactRecord,
} from "@assent/server/admin";
import { UsageError } from "../command-errors.ts";
import {
  blockingQuestion,
  companyDeletionTold,
  companyStatusTold,
  demotionQuestion,
  membershipQuestion,
  removedMember,
} from "../commands/company.ts";
import { confirmCompanyRevocation, confirmRevocation, revokedConsent, revokedForCompany } from "../commands/consent.ts";
import { revokingQuestion, signingOutQuestion } from "../commands/session.ts";
import { detailsOf, pictureIn, userDeletionTold, userStatusTold } from "../commands/user.ts";
import { disconnected, disconnectQuestion } from "../commands/user-identities.ts";
import { ADMIN_ROLE, lostRoles, roleQuestion } from "../commands/user-operator.ts";
import { confirm, confirmOnTerminal, counted, TOKENS, type ToldOfStatus } from "../confirm.ts";
import { CONSENT_COLUMNS, USER_STATUS } from "../list-columns.ts";
import { type PasswordOptions, passwordChoice } from "../password-prompt.ts";
import { given, requireChanges } from "../shared-options.ts";
import { type Body, NotFound, type RemoteApi } from "./api.ts";
import {
  columns,
  companyId,
  deletionTold,
  limitOf,
  listed,
  noteAll,
  on,
  questionAbout,
  type RemoteCall,
  type RemoteCommand,
  type RemoteCommands,
  show,
  statusTold,
  textOption,
  userId,
  userOf,
  wire,
} from "./call.ts";
import { pictureType } from "./picture-type.ts";

async function passwordIn(options: RemoteCall["options"]): Promise<Body> {
  const choice = await passwordChoice(options as PasswordOptions);
  return "password" in choice ? { password: choice.password } : { generate_password: true };
}

/** What a person can say about themselves. An empty text removes it. */
function detailFields(options: RemoteCall["options"]): Body {
  const fields = Object.entries(wire(detailsOf(options).details ?? {}));
  return Object.fromEntries(fields.map(([name, value]) => [name, value === "" ? null : value]));
}

const createUser: RemoteCommand = async ({ options, api, out }) => {
  const { username, email, emailVerified, name, operator, mustChange } = options;
  const fields = wire(given({ username, email, emailVerified, name, operator, mustChange }));
  const body = { ...fields, ...(await passwordIn(options)), ...detailFields(options) };
  show(out, await api.call("users.create", { body }), ["password"]);
};

const updateUser: RemoteCommand = async (call) => {
  const { args, options, api, out } = call;
  const { email, emailVerified, name, operator } = options;
  const changes = wire(
    given({ email, emailVerified, name: name === "" ? null : name, operator: operator === false ? [] : operator }),
  );
  const body = { ...changes, ...detailFields(options) };
  const picture = await pictureIn(options["picture"] as string | false | undefined);
  requireChanges({ ...body, ...given({ picture }) }, "user");
  const user = await userOf(api, args[0] ?? "");
  await confirmOperator(call, user, changes["operator"] as readonly string[] | undefined);
  const path = [String(user["id"])];
  const changed = await api.change("users", path, () => body);
  if (picture === undefined) return show(out, changed);
  const asked = picture === null ? { path } : { path, bytes: picture, type: pictureType(picture) };
  show(out, await api.call(picture === null ? "users.remove-picture" : "users.set-picture", asked));
};

/** The scope of the admin API that includes all others, and that a change of roles needs. */
const ADMIN_SCOPE = "admin";

/** Asks before the caller takes the role `admin` from themselves, or from the last person who has it. */
async function confirmOperator(
  { api, options }: RemoteCall,
  user: Body,
  after: readonly string[] | undefined,
): Promise<void> {
  if (after === undefined) return;
  const [id, username] = [String(user["id"]), String(user["username"])];
  const change = { id, username, active: user["status"] === "active", before: user["operator"] as string[], after };
  if (lostRoles(change).length === 0) return;
  const current = await api.call("tokens.current");
  // The server refuses the change.
  if (!String(current["scope"]).split(" ").includes(ADMIN_SCOPE)) return;
  const query = { operator: ADMIN_ROLE, status: "active" };
  const question = await roleQuestion(change, {
    isOwn: () => isMadeBy(api, current, `user:${id}`),
    admins: async (limit) => (await api.list("users.list", { query }, limit)).map((one) => String(one["id"])),
  });
  if (question !== undefined) await confirm(`${on(api)}${question}`, options);
}

/** True: the token of the request is the maker's, or the maker made it, also with a token that they made. */
async function isMadeBy(api: RemoteApi, current: Body, maker: string): Promise<boolean> {
  if (current["user_id"] !== null) return `user:${current["user_id"]}` === maker;
  if (current["token_id"] === null) return false;
  const tokens = await api.list("tokens.list");
  let by: unknown = `token:${current["token_id"]}`;
  while (by !== maker) {
    const token = tokens.find(({ id }) => `token:${id}` === by);
    if (token === undefined) return false;
    by = token["created_by"];
  }
  return true;
}

function setStatus(action: "disable" | "enable"): RemoteCommand {
  return async (call) => {
    const { args, options, api, out } = call;
    const [login = ""] = args;
    const id = await userId(call, login);
    const status = action === "disable" ? "disabled" : "active";
    const tell = (impact: UserImpactRecord) => userStatusTold(impact, status);
    const { question, done } = await statusTold(call, ["users.impact", id], tell, login, status);
    if (question !== undefined) await confirmOnTerminal(question, options);
    // What the server notes is in the text.
    const { notes: _, ...changed } = await api.call(`users.${action}`, { path: [id] });
    show(out, changed);
    if (done !== undefined && changed["status"] === status) out.note(done);
  };
}

const deleteUser: RemoteCommand = async (call) => {
  const { args, options, api, out } = call;
  const { id, username } = await userOf(api, args[0] ?? "");
  const where = ["users.impact", String(id)] as const;
  const { question, done } = await deletionTold(call, where, userDeletionTold, String(username));
  await confirm(question, options);
  await api.call("users.delete", { path: [String(id)] });
  out.done({ id, username, deleted: true }, done);
};

const setPassword: RemoteCommand = async (call) => {
  const { keepGrants, mustChange } = call.options;
  const body = { ...(await passwordIn(call.options)), ...wire(given({ keepGrants, mustChange })) };
  const path = [await userId(call, call.args[0] ?? "")];
  show(call.out, await call.api.call("users.set-password", { path, body }), ["password"]);
  call.out.note(
    keepGrants === true
      ? "All sessions have ended. Apps keep their access."
      : `All sessions and grants have ended. ${TOKENS} Apps can connect again without asking, as long as their consents last.`,
  );
};

const resetSecondFactor: RemoteCommand = async (call) => {
  const path = [await userId(call, call.args[0] ?? "")];
  const body = { passkeys: call.options["passkeys"] === true };
  show(call.out, await call.api.call("users.reset-second-factor", { path, body }));
};

const identities: RemoteCommand = async (call) => {
  const path = [await userId(call, call.args[0] ?? "")];
  const found = await call.api.list("users.identities", { path });
  call.out.list(
    found,
    columns("id", "system", "name", "subject", "created_at"),
    "The person has no identity elsewhere.",
  );
};

const disconnect: RemoteCommand = async (call) => {
  const [login = "", id = ""] = call.args;
  const { id: found, username, has_password: hasPassword } = await userOf(call.api, login);
  const [user, who] = [String(found), String(username)];
  const all = await call.api.list("users.identities", { path: [user] });
  const known = all.find((one) => one["id"] === id);
  const { system, name } = known ?? {};
  const question = disconnectQuestion(
    who,
    String(name ?? "the other system"),
    hasPassword === false && all.length === 1,
  );
  await confirmOnTerminal(`${on(call.api)}${question}`, call.options);
  await call.api.call("users.remove-identity", { path: [user, id] });
  call.out.done({ user_id: user, id, disconnected: true }, disconnected(who, String(name ?? system)));
};

const showCompany: RemoteCommand = async (call) => {
  const path = [await companyId(call, call.args[0] ?? "")];
  const [company, members, rules, connections] = await Promise.all([
    call.api.call("companies.show", { path }),
    call.api.list("companies.members", { path }),
    call.api.list("companies.rules", { path }),
    call.api.list("companies.connections", { path }),
  ]);
  call.out.record({ ...company, members, rules, connections });
};

const companyUpdate: RemoteCommand = async (call) => {
  const { options, api, out } = call;
  const { name, slug, defaultRule, status, ownProvider } = options;
  const add = (options["addEmailDomain"] ?? []) as readonly string[];
  const remove = (options["removeEmailDomain"] ?? []) as readonly string[];
  const changes = wire(given({ name, slug, defaultRule }));
  requireChanges(
    { ...changes, ...given({ status, ownProvider }), ...Object.fromEntries([...add, ...remove].entries()) },
    "company",
  );
  const path = [await companyId(call, call.args[0] ?? "")] as const;
  const told = await companyStatus(call, path[0], status as "active" | "disabled" | undefined);
  if (told.question !== undefined) await confirmOnTerminal(told.question, options);
  if (ownProvider !== undefined)
    await api.call("companies.set-own-provider", { path, body: { allowed: ownProvider === "allow" } });
  for (const domain of add) await api.call("companies.add-email-domain", { path: [...path, domain] });
  for (const domain of remove) await api.call("companies.remove-email-domain", { path: [...path, domain] });
  const changed = await api.change("companies", path, () => changes);
  if (status !== undefined) await api.call(status === "disabled" ? "companies.disable" : "companies.enable", { path });
  out.record(await api.call("companies.show", { path }));
  noteAll(out, changed);
  if (told.done !== undefined) out.note(told.done);
};

async function companyStatus(
  call: RemoteCall,
  id: string,
  status: "active" | "disabled" | undefined,
): Promise<ToldOfStatus> {
  if (status === undefined) return {};
  const tell = (impact: CompanyImpactRecord) => companyStatusTold(impact, status);
  return statusTold(call, ["companies.impact", id], tell, call.args[0] ?? "", status);
}

const policy: RemoteCommand = async (call) => {
  const [slug = "", clientId = ""] = call.args;
  const { rule, scope, lifetime, for: selected, members } = call.options;
  const forAllow = [scope, lifetime, selected];
  if (rule !== "allow" && forAllow.some((one) => one !== undefined))
    throw new UsageError("use --scope, --lifetime and --for only with --rule allow");
  const path = [await companyId(call, slug), clientId] as const;
  if (rule === "block") {
    const doing = `Blocking ${clientId} for ${slug}`;
    const question = await questionAbout(call, ["companies.rule-impact", ...path], blockingQuestion, doing);
    await confirmOnTerminal(question, call.options);
  }
  const body = wire(given({ rule, scope, lifetime, selected, members }));
  const answer = await call.api.call("companies.set-rule", { path, body });
  const { grants_ended: ended, meaning } = answer;
  // An older server doesn't say what the rule means.
  const set = `The rule of ${slug} for ${clientId} is now "${rule}".`;
  call.out.done({ slug, client_id: clientId, rule, grants_ended: ended }, String(meaning ?? set));
  noteAll(call.out, answer);
};

/** A change of a member that answers with how many grants it ended. */
const memberRemoval: RemoteCommand = async (call) => {
  const [slug = "", login = ""] = call.args;
  const path = [await companyId(call, slug), await userId(call, login)] as const;
  const doing = `Removing ${login} from ${slug}`;
  const question = await questionAbout(call, ["companies.member-impact", ...path], membershipQuestion, doing);
  await confirmOnTerminal(question, call.options);
  const answer = await call.api.call("companies.remove-member", { path });
  const { grants_ended: ended } = answer;
  call.out.done({ slug, username: login, removed: true, grants_ended: ended }, removedMember(Number(ended)));
  noteAll(call.out, answer);
};

/** Asks before the last admin of a company becomes a member. A server of an earlier version doesn't say who that is. */
async function confirmDemotion({ api, options }: RemoteCall, company: string, person: string): Promise<void> {
  const impact = await api.impact("companies.member-impact", { path: [company, person] }).catch((error: unknown) => {
    // Nobody who is no member yet is the last admin.
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  const question = impact && (await demotionQuestion(impact as unknown as MemberImpactRecord));
  if (question !== undefined) await confirmOnTerminal(`${on(api)}${question}`, options);
}

/** What would end if the company revokes the app. Asks, unless the server has an earlier version, which doesn't say it. */
async function confirmForCompany(
  call: RemoteCall,
  company: string,
  clientId: string,
): Promise<CompanyAppImpactRecord | undefined> {
  const { api, options } = call;
  const found = await api.impact("companies.rule-impact", { path: [company, clientId] });
  const impact = found as CompanyAppImpactRecord | undefined;
  if (impact !== undefined) await confirmCompanyRevocation(impact, clientId, options, on(api));
  return impact;
}

const revokeForCompany: RemoteCommand = async (call) => {
  const [slug = "", clientId = ""] = call.args;
  const id = await companyId(call, slug);
  const impact = await confirmForCompany(call, id, clientId);
  const answer = await call.api.call("companies.revoke", { path: [id], body: { client_id: clientId } });
  const ended = Number(answer["grants_ended"]);
  const record = { slug, client_id: clientId, revoked: true, grants_ended: ended };
  call.out.done(record, impact === undefined ? revokedConsent(ended) : revokedForCompany(impact, clientId, ended));
};

async function ownerOf(
  call: RemoteCall,
  { user, company }: { user?: string | undefined; company?: string | undefined },
): Promise<Body> {
  if (user !== undefined) return { user_id: await userId(call, user) };
  return company === undefined ? {} : { company_id: await companyId(call, company) };
}

const consents: RemoteCommand = async (call) => {
  const owner = await ownerOf(call, { user: textOption(call, "user"), company: textOption(call, "company") });
  const query = { ...owner, client_id: call.options["client"] };
  const found = await call.api.list("consents.list", { query }, Math.min(limitOf(call), 1000));
  call.out.list(found, CONSENT_COLUMNS, "There are no consents.");
};

const revokeConsent: RemoteCommand = async (call) => {
  const [owner = "", clientId = ""] = call.args;
  const isCompany = call.options["company"] === true;
  const named = await ownerOf(call, isCompany ? { company: owner } : { user: owner });
  let company: CompanyAppImpactRecord | undefined;
  if (isCompany) company = await confirmForCompany(call, String(named["company_id"]), clientId);
  else {
    const impact = await call.api.impact("consents.impact", { query: { ...named, client_id: clientId } });
    if (impact !== undefined)
      await confirmRevocation(owner, impact as unknown as ConsentImpactRecord, call.options, on(call.api));
  }
  const { grants_ended: ended } = await call.api.call("consents.revoke", { body: { ...named, client_id: clientId } });
  call.out.done(
    { ...(isCompany ? { slug: owner } : { username: owner }), client_id: clientId, revoked: true, grants_ended: ended },
    company === undefined ? revokedConsent(Number(ended)) : revokedForCompany(company, clientId, Number(ended)),
  );
};

const sessions: RemoteCommand = async (call) => {
  const query = { user_id: await userId(call, call.args[0] ?? "") };
  const found = await call.api.list("sessions.list", { query });
  call.out.list(
    found,
    columns("id", "last_seen_at", "expires_at", "address", "user_agent"),
    "The person is not signed in.",
  );
};

const revokeSessions: RemoteCommand = async (call) => {
  const [id] = call.args;
  const user = textOption(call, "user");
  if ((id === undefined) === (user === undefined))
    throw new UsageError("name one session, or use --user for all sessions of a person");
  if (user === undefined) {
    await confirmOnTerminal(`${on(call.api)}${revokingQuestion(id ?? "")}`, call.options);
    await call.api.call("sessions.revoke", { path: [id ?? ""] });
    return call.out.done({ id, sessions_ended: 1 }, "Ended the session. Apps keep their access.");
  }
  const { id: userOfSessions, username, email } = await userOf(call.api, user);
  const body = { user_id: String(userOfSessions) };
  const present = await call.api.list("sessions.list", { query: body });
  const who = { username: String(username), email: String(email) };
  await confirmOnTerminal(`${on(call.api)}${signingOutQuestion(who, present.length)}`, call.options);
  const { sessions_ended: ended } = await call.api.call("sessions.revoke-all", { body });
  call.out.done(
    { username: user, sessions_ended: ended },
    `Ended ${counted(Number(ended), "session")}. Apps keep their access.`,
  );
};

export const peopleAndCompanies: RemoteCommands = {
  "user create": createUser,
  "user list": listed(
    "users.list",
    [...columns("username", "email", "name"), USER_STATUS, ...columns("operator")],
    "There are no users.",
  ),
  "user show": async (call) =>
    call.out.record(await call.api.call("users.show", { path: [await userId(call, call.args[0] ?? "")] })),
  "user update": updateUser,
  "user delete": deleteUser,
  "user set-password": setPassword,
  "user reset-second-factor": resetSecondFactor,
  "user disable": setStatus("disable"),
  "user enable": setStatus("enable"),
  "user identities": identities,
  "user disconnect": disconnect,
  "company create": async ({ options: { name, slug, defaultRule }, api, out }) =>
    show(out, await api.call("companies.create", { body: wire(given({ name, slug, defaultRule })) })),
  "company list": listed(
    "companies.list",
    columns("slug", "name", "status", "default_rule"),
    "There are no companies.",
  ),
  "company show": showCompany,
  "company update": companyUpdate,
  "company delete": async (call) => {
    const [slug = ""] = call.args;
    const id = await companyId(call, slug);
    const { question, done } = await deletionTold(call, ["companies.impact", id], companyDeletionTold, slug);
    await confirm(question, call.options);
    await call.api.call("companies.delete", { path: [id] });
    call.out.done({ id, slug, deleted: true }, done);
  },
  "company add-member": async (call) => {
    const [slug = "", login = ""] = call.args;
    const [company, person] = [await companyId(call, slug), await userId(call, login)];
    if (call.options["role"] === "member") await confirmDemotion(call, company, person);
    const body = { user_id: person, role: call.options["role"] };
    show(call.out, await call.api.call("companies.add-member", { path: [company], body }));
  },
  "company remove-member": memberRemoval,
  "company policy": policy,
  "company revoke": revokeForCompany,
  "consent list": consents,
  "consent revoke": revokeConsent,
  "session list": sessions,
  "session revoke": revokeSessions,
};
