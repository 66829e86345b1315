/** `assent user …`, `company …`, `session …` and `consent …` on a server. */

import { UsageError } from "../command-errors.ts";
import { detailsOf, pictureIn } from "../commands/user.ts";
import { confirm, confirmOnTerminal, counted, TOKENS } from "../confirm.ts";
import { CONSENT_COLUMNS, USER_STATUS } from "../list-columns.ts";
import { type PasswordOptions, passwordChoice } from "../password-prompt.ts";
import { given, requireChanges } from "../shared-options.ts";
import type { Body, OperationId } from "./api.ts";
import {
  columns,
  companyId,
  limitOf,
  listed,
  noteAll,
  type RemoteCall,
  type RemoteCommand,
  type RemoteCommands,
  show,
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
  const path = [await userId(call, args[0] ?? "")];
  const changed = await api.change("users", path, () => body);
  if (picture === undefined) return show(out, changed);
  const asked = picture === null ? { path } : { path, bytes: picture, type: pictureType(picture) };
  show(out, await api.call(picture === null ? "users.remove-picture" : "users.set-picture", asked));
};

/** A change of one person that needs no more than their id. `ends`: what it ends, after the person's name. */
function onUser(id: OperationId, { ends, note }: { readonly ends?: string; readonly note: string }): RemoteCommand {
  return async ({ args, options, api, out }) => {
    const user = await userOf(api, args[0] ?? "");
    const who = `${user["username"]} (${user["email"]}) on ${api.server}`;
    if (ends !== undefined && user["status"] !== "disabled")
      await confirmOnTerminal(`This ${ends} of ${who}.`, options);
    show(out, await api.call(id, { path: [String(user["id"])] }));
    out.note(note);
  };
}

const deleteUser: RemoteCommand = async ({ args, options, api, out }) => {
  const { id, username, email } = await userOf(api, args[0] ?? "");
  await confirm(
    `Deleting ${username} (${email}) on ${api.server} ends all sessions, grants and consents. You can't undo this.`,
    options,
  );
  await api.call("users.delete", { path: [String(id)] });
  out.done({ id, username, deleted: true }, `Deleted ${username} with all sessions, grants and consents. ${TOKENS}`);
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
  await confirmOnTerminal(
    `Disconnecting ${login} on ${call.api.server} ends sign-in with that identity.`,
    call.options,
  );
  const user = await userId(call, login);
  await call.api.call("users.remove-identity", { path: [user, id] });
  call.out.done({ user_id: user, id, disconnected: true }, `Disconnected ${login}.`);
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
  const path = [await companyId(call, call.args[0] ?? "")];
  if (status === "disabled")
    await confirmOnTerminal(`Disabling ${call.args[0]} on ${api.server} ends the grants in its name.`, options);
  if (ownProvider !== undefined)
    await api.call("companies.set-own-provider", { path, body: { allowed: ownProvider === "allow" } });
  for (const domain of add) await api.call("companies.add-email-domain", { path: [...path, domain] });
  for (const domain of remove) await api.call("companies.remove-email-domain", { path: [...path, domain] });
  const changed = await api.change("companies", path, () => changes);
  if (status !== undefined) await api.call(status === "disabled" ? "companies.disable" : "companies.enable", { path });
  out.record(await api.call("companies.show", { path }));
  noteAll(out, changed);
  if (status === "disabled")
    out.note(`The grants in its name have ended. They don't come back when you enable the company again. ${TOKENS}`);
};

const policy: RemoteCommand = async (call) => {
  const [slug = "", clientId = ""] = call.args;
  const { rule, scope, lifetime, for: selected, members } = call.options;
  const forAllow = [scope, lifetime, selected];
  if (rule !== "allow" && forAllow.some((one) => one !== undefined))
    throw new UsageError("use --scope, --lifetime and --for only with --rule allow");
  if (rule === "block")
    await confirmOnTerminal(
      `Blocking ${clientId} for ${slug} on ${call.api.server} ends the access that members gave it.`,
      call.options,
    );
  const path = [await companyId(call, slug), clientId];
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
  await confirmOnTerminal(`Removing ${login} from ${slug} on ${call.api.server} ends the membership.`, call.options);
  const path = [await companyId(call, slug), await userId(call, login)];
  const answer = await call.api.call("companies.remove-member", { path });
  const { grants_ended: ended } = answer;
  call.out.done(
    { slug, username: login, removed: true, grants_ended: ended },
    `Removed the member. Ended ${counted(Number(ended), "grant")} that the person made for the company. The company's consents stay. ${TOKENS}`,
  );
  noteAll(call.out, answer);
};

const revokeForCompany: RemoteCommand = async (call) => {
  const [slug = "", clientId = ""] = call.args;
  await confirmOnTerminal(
    `Revoking the consent of ${slug} to ${clientId} on ${call.api.server} ends its grants.`,
    call.options,
  );
  const path = [await companyId(call, slug)];
  const { grants_ended: ended } = await call.api.call("companies.revoke", { path, body: { client_id: clientId } });
  call.out.done(
    { slug, client_id: clientId, revoked: true, grants_ended: ended },
    `Revoked the consent: ${counted(Number(ended), "grant")} ended. ${TOKENS} The app is not blocked: to block it, run assent company policy SLUG CLIENT_ID --rule block.`,
  );
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
  await confirmOnTerminal(
    `Revoking the consent of ${owner} to ${clientId} on ${call.api.server} ends its grants.`,
    call.options,
  );
  const named = await ownerOf(call, isCompany ? { company: owner } : { user: owner });
  const { grants_ended: ended } = await call.api.call("consents.revoke", { body: { ...named, client_id: clientId } });
  call.out.done(
    { ...(isCompany ? { slug: owner } : { username: owner }), client_id: clientId, revoked: true, grants_ended: ended },
    `Revoked the consent: ${counted(Number(ended), "grant")} ended. Refresh tokens stop working now. ${TOKENS}`,
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
    await confirmOnTerminal(`Revoking the session ${id} on ${call.api.server} signs out one browser.`, call.options);
    await call.api.call("sessions.revoke", { path: [id ?? ""] });
    return call.out.done({ id, sessions_ended: 1 }, "Ended the session. Apps keep their access.");
  }
  await confirmOnTerminal(`This signs ${user} out everywhere on ${call.api.server}.`, call.options);
  const body = { user_id: await userId(call, user) };
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
  "user disable": onUser("users.disable", {
    ends: "ends all sessions and grants",
    note: `All sessions and grants have ended. They don't come back when you enable the person again. ${TOKENS}`,
  }),
  "user enable": onUser("users.enable", {
    note: "Sessions and grants that ended stay ended. Consents count again: with them, apps get access without asking the owner.",
  }),
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
    await confirm(
      `Deleting ${slug} on ${call.api.server} ends its memberships, grants and consents. You can't undo this.`,
      call.options,
    );
    await call.api.call("companies.delete", { path: [id] });
    call.out.done({ id, slug, deleted: true }, `Deleted ${slug}. All its grants have ended. ${TOKENS}`);
  },
  "company add-member": async (call) => {
    const [slug = "", login = ""] = call.args;
    const body = { user_id: await userId(call, login), role: call.options["role"] };
    show(call.out, await call.api.call("companies.add-member", { path: [await companyId(call, slug)], body }));
  },
  "company remove-member": memberRemoval,
  "company policy": policy,
  "company revoke": revokeForCompany,
  "consent list": consents,
  "consent revoke": revokeConsent,
  "session list": sessions,
  "session revoke": revokeSessions,
};
