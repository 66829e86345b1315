/** `assent user …`: people who sign in. */

import type { OpenedAdmin, UserChanges } from "@assent/server/admin";
import type { Command } from "commander";
import { confirm, confirmOnTerminal, counted, type YesOption, yesOption } from "../confirm.ts";
import { type PasswordOptions, passwordChoice, passwordOptions } from "../password-prompt.ts";
import type { WireRecord } from "../print-records.ts";
import {
  firstOf,
  given,
  type JsonOption,
  limitOption,
  listOption,
  noun,
  requireChanges,
  verb,
  withAdmin,
} from "../shared-options.ts";

const OPERATOR = "the person's role as an operator: admin, read, clients, users";
const MUST_CHANGE = "require a new password at the next sign-in";

export function register(program: Command): void {
  const user = noun(program, "user", "people who sign in");
  const create = verb(user, "create", "create a user account")
    .requiredOption("--username <name>", "name to sign in with")
    .requiredOption("--email <address>", "e-mail address; also works for sign-in")
    .option(
      "--no-email-verified",
      "mark the address as unverified: functions that look up people by address don't find this person",
    )
    .option("--name <text>", "the person's name")
    .addOption(listOption("--operator <role>", OPERATOR));
  withPassword(create)
    .option("--must-change", MUST_CHANGE)
    .addHelpText("after", "\nWithout --password-stdin and --generate-password, the command asks for the password.")
    .action(create_);
  verb(user, "list", "list all people, oldest accounts first").addOption(limitOption()).action(list);
  verb(user, "show <user>", "show a person, by username or e-mail address").action(show);
  verb(user, "update <user>", "change a person; settings that you omit stay the same")
    .option(
      "--email <address>",
      "e-mail address; ends all links in messages to the person, even if the address stays the same",
    )
    .option("--email-verified", "mark the address as verified; the default for a new address")
    .option("--no-email-verified", "mark the address as unverified")
    .option("--name <text>", "new name; empty text removes it")
    .addOption(listOption("--operator <role>", `${OPERATOR}; replaces the current roles`))
    .option("--no-operator", "remove all operator roles")
    .action(update);
  verb(user, "delete <user>", "delete a person with all sessions and consents").addOption(yesOption()).action(remove);
  withPassword(
    verb(user, "set-password <user>", "set a password; all sessions end, and apps must ask for access again").option(
      "--keep-grants",
      "apps keep their access",
    ),
  )
    .option("--must-change", MUST_CHANGE)
    .action(setPassword_);
  verb(
    user,
    "reset-second-factor <user>",
    "remove a lost authenticator app and its recovery codes; all sessions end, apps keep their access",
  )
    .option("--passkeys", "also remove all passkeys, except one if the person could not sign in without it")
    .action(resetSecondFactor_);
  verb(
    user,
    "disable <user>",
    "disable a person; all sessions and grants end; issued access tokens work until they expire",
  )
    .addOption(yesOption())
    .action((login: string, options: JsonOption & YesOption) => setStatus(login, "disabled", options));
  verb(user, "enable <user>", "enable a disabled person again").action((login: string, options: JsonOption) =>
    setStatus(login, "active", options),
  );
}

function withPassword(command: Command): Command {
  for (const option of passwordOptions()) command.addOption(option);
  return command;
}

interface CreateOptions extends JsonOption, PasswordOptions {
  readonly username: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name?: string;
  readonly operator?: readonly string[];
  readonly mustChange?: true;
}

async function create_(options: CreateOptions) {
  const password = await passwordChoice(options);
  await withAdmin(options, async (admin, out) => {
    const { createUser, userRecord } = await import("@assent/server/admin");
    const { username, email, emailVerified } = options;
    const optional = given({ name: options.name, operator: options.operator, mustChange: options.mustChange });
    const { person, generated } = await createUser({ username, email, emailVerified, password, ...optional }, admin);
    out.record(userRecord(person, generated), ["password"]);
  });
}

async function list(options: JsonOption & { readonly limit?: number }) {
  await withAdmin(options, async (admin, out) => {
    const { allUsers, secondFactorsOf, userRecord } = await import("@assent/server/admin");
    const records: WireRecord[] = [];
    for (const person of await firstOf(allUsers(admin), options.limit)) {
      records.push({ ...userRecord(person), second_factors: await secondFactorsOf(person, admin) });
    }
    out.list(
      records,
      [
        { field: "username" },
        { field: "email" },
        { field: "name" },
        { field: "status", show: (status, { deletes_at }) => statusText(status, deletes_at) },
        { field: "second_factors", title: "second factors" },
        { field: "operator" },
      ],
      "There are no users. To create one, run: assent user create",
    );
  });
}

/** If the owner asked to delete the account, says when it will be deleted. */
function statusText(status: unknown, deletesAt: unknown): string {
  return typeof deletesAt === "string" ? `${status}, deleted on ${deletesAt.slice(0, 10)}` : String(status);
}

async function show(login: string, options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { secondFactorsOf, userOf, userRecord } = await import("@assent/server/admin");
    const person = await userOf(login, admin);
    out.record({ ...userRecord(person), second_factors: await secondFactorsOf(person, admin) });
  });
}

interface UpdateOptions extends JsonOption {
  readonly email?: string;
  readonly emailVerified?: boolean;
  readonly name?: string;
  readonly operator?: readonly string[] | false;
}

async function update(login: string, options: UpdateOptions) {
  const changes: UserChanges = given({
    email: options.email,
    emailVerified: options.emailVerified,
    name: options.name === "" ? null : options.name,
    operator: options.operator === false ? [] : options.operator,
  });
  requireChanges(changes, "user");
  await withAdmin(options, async (admin, out) => {
    const { updateUser, userRecord } = await import("@assent/server/admin");
    out.record(userRecord(await updateUser(login, changes, admin)));
  });
}

async function remove(login: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { deleteUser, MOST_COUNTED, impactOfUser } = await import("@assent/server/admin");
    const { person, sessions, grants, consents, companies } = await impactOfUser(login, admin);
    const parts = [
      counted(sessions, "session", MOST_COUNTED),
      counted(grants, "grant", MOST_COUNTED),
      counted(consents, "consent", MOST_COUNTED),
    ];
    await confirm(
      `Deleting ${person.username} (${person.email}) ends ${parts.join(", ")} and ${counted(companies, "membership")} of companies. Issued access tokens work until they expire. You can't undo this.`,
      options,
    );
    const { personId, username } = await deleteUser(login, admin);
    out.done({ id: personId, username, deleted: true }, `Deleted ${username} with all sessions and consents.`);
  });
}

interface SetPasswordOptions extends JsonOption, PasswordOptions {
  readonly keepGrants?: true;
  readonly mustChange?: true;
}

async function setPassword_(login: string, options: SetPasswordOptions) {
  const choice = await passwordChoice(options);
  await withAdmin(options, async (admin, out) => {
    const { recentlyLeft, setPassword, userRecord } = await import("@assent/server/admin");
    const keepGrants = options.keepGrants ?? false;
    const mustChange = options.mustChange ?? false;
    const { person, generated } = await setPassword(login, choice, { keepGrants, mustChange }, admin);
    out.record(userRecord(person, generated), ["password"]);
    out.note(
      keepGrants
        ? "All sessions have ended. Apps keep their access."
        : "All sessions have ended. Apps must ask for access again.",
    );
    const left = await recentlyLeft(person, admin);
    if (left !== null) {
      const since = new Date(left.until).toISOString().slice(0, 10);
      out.note(
        `The e-mail address was changed from ${left.address} to ${person.email} on ${since}. If this is not the person's address, somebody else can use it to recover the account. To set the right one, run: assent user update ${person.username} --email <address>`,
      );
    }
  });
}

async function resetSecondFactor_(login: string, options: JsonOption & { readonly passkeys?: true }) {
  await withAdmin(options, async (admin, out) => {
    const { resetSecondFactor } = await import("@assent/server/admin");
    const reset = await resetSecondFactor(login, { passkeys: options.passkeys ?? false }, admin);
    const { person, secondFactor, passkeys, sessionsEnded } = reset;
    const { personId: id, username } = person;
    const record = {
      id,
      username,
      second_factor_removed: secondFactor,
      passkeys_removed: passkeys,
      sessions_ended: sessionsEnded,
    };
    const app = secondFactor
      ? "Removed the authenticator app and its recovery codes"
      : `${username} had no authenticator app`;
    out.done(record, `${app}. Removed ${counted(passkeys, "passkey")}. Ended ${counted(sessionsEnded, "session")}.`);
  });
}

async function setStatus(login: string, status: "active" | "disabled", options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { setUserStatus, userRecord } = await import("@assent/server/admin");
    if (status === "disabled") await confirmDisabling(login, options, admin);
    out.record(userRecord(await setUserStatus(login, status, admin)));
  });
}

/** Asks nothing about a person who is already disabled: all sessions and grants have ended. */
async function confirmDisabling(login: string, options: YesOption, admin: OpenedAdmin) {
  const { MOST_COUNTED, impactOfUser } = await import("@assent/server/admin");
  const { person, sessions, grants, consents } = await impactOfUser(login, admin);
  if (person.status === "disabled") return;
  const ended = `${counted(sessions, "session", MOST_COUNTED)} and ${counted(grants, "grant", MOST_COUNTED)}`;
  const kept = counted(consents, "consent", MOST_COUNTED);
  await confirmOnTerminal(
    `Disabling ${person.username} (${person.email}) ends ${ended}. They don't come back when you enable the person again. ${kept} will stay. Issued access tokens work until they expire.`,
    options,
  );
}
