/** `assent user …`: people who sign in. */

import type { Person, Place, TypedDetails, UserChanges, UserImpactRecord } from "@assent/server/admin";
import type { Command } from "commander";
import {
  confirm,
  confirmOnTerminal,
  counted,
  countedAll,
  statusTold,
  TOKENS,
  type Told,
  type ToldOfStatus,
  type YesOption,
  yesOption,
} from "../confirm.ts";
import { USER_STATUS } from "../list-columns.ts";
import { type PasswordOptions, passwordChoice, passwordOptions } from "../password-prompt.ts";
import { pictureOf } from "../picture-file.ts";
import type { WireRecord } from "../print-records.ts";
import {
  everyPage,
  type Filters,
  filterOption,
  firstOf,
  given,
  type JsonOption,
  limitOption,
  listOption,
  noneWith,
  noun,
  oneOf,
  requireChanges,
  verb,
  withAdmin,
} from "../shared-options.ts";
import { identityCommands } from "./user-identities.ts";
import { importCommand } from "./user-import.ts";
import { confirmRoles } from "./user-operator.ts";

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
  withDetails(create);
  withPassword(create)
    .option("--must-change", MUST_CHANGE)
    .addHelpText("after", "\nWithout --password-stdin and --generate-password, the command asks for the password.")
    .action(create_);
  verb(user, "list", "list all people, oldest accounts first")
    .addOption(filterOption(["username", "email", "status", "operator"]))
    .addOption(limitOption())
    .action(list);
  verb(user, "show <user>", "show a person, by username or e-mail address").action(show);
  const change = verb(user, "update <user>", "change a person; settings that you omit stay the same")
    .option(
      "--email <address>",
      "e-mail address; ends all links in messages to the person, even if the address stays the same",
    )
    .option("--email-verified", "mark the address as verified; the default for a new address")
    .option("--no-email-verified", "mark the address as unverified")
    .option("--name <text>", "new name; empty text removes it")
    .addOption(listOption("--operator <role>", `${OPERATOR}; replaces the current roles`))
    .option("--no-operator", "remove all operator roles")
    .option("--picture <file>", "the person's picture: PNG, JPEG, WebP or GIF, up to 8 MiB")
    .option("--no-picture", "remove the picture");
  withDetails(change)
    .option("--no-phone-verified", "mark the phone number as unverified")
    .addOption(
      yesOption(
        "don't ask if this takes the role admin from you, or from the last person who has it; required in scripts",
      ),
    )
    .addHelpText("after", "\nEmpty text removes a detail, for example: --nickname ''")
    .action(update);
  verb(user, "delete <user>", "delete a person with all sessions and consents").addOption(yesOption()).action(remove);
  withPassword(
    verb(
      user,
      "set-password <user>",
      "set a password; all sessions and grants end; consents stay, so that apps can connect again without asking",
    ).option("--keep-grants", "apps keep their access"),
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
  identityCommands(user);
  importCommand(user);
}

/** What a person can also say about themselves on their profile page. */
function withDetails(command: Command): Command {
  return command
    .option("--given-name <text>", "given name")
    .option("--middle-name <text>", "middle name")
    .option("--family-name <text>", "family name")
    .option("--nickname <text>", "nickname")
    .option("--birthdate <YYYY-MM-DD>", "date of birth")
    .option("--gender <text>", "gender, in the person's own words; up to 40 characters")
    .option("--locale <tag>", "language and region, for example de-CH")
    .option("--zoneinfo <name>", "time zone, for example Europe/Berlin")
    .option("--website <url>", "the person's website, up to 500 characters")
    .option("--profile-url <url>", "the person's profile page on another website, up to 500 characters")
    .option("--phone-number <number>", "phone number with its country code; another number is unverified")
    .option("--phone-verified", "mark the phone number as verified")
    .option("--street <text>", "street and house number")
    .option("--postal-code <text>", "postal code")
    .option("--locality <text>", "city or town")
    .option("--region <text>", "state or province")
    .option("--country <text>", "country");
}

/** The options of `withDetails` that were used. Undefined: none. */
export function detailsOf(options: TypedDetails): { readonly details?: TypedDetails } {
  const { givenName, middleName, familyName, nickname, birthdate, gender } = options;
  const { locale, zoneinfo, website, profileUrl, phoneNumber, phoneVerified } = options;
  const { street, postalCode, locality, region, country } = options;
  const details = given({
    ...{ givenName, middleName, familyName, nickname, birthdate, gender },
    ...{ locale, zoneinfo, website, profileUrl, phoneNumber, phoneVerified },
    ...{ street, postalCode, locality, region, country },
  });
  return Object.keys(details).length === 0 ? {} : { details };
}

function withPassword(command: Command): Command {
  for (const option of passwordOptions()) command.addOption(option);
  return command;
}

interface CreateOptions extends JsonOption, PasswordOptions, TypedDetails {
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
    const { person, generated } = await createUser(
      { username, email, emailVerified, password, ...optional, ...detailsOf(options) },
      admin,
    );
    out.record(userRecord(person, admin.issuer, generated), ["password"]);
  });
}

async function list(options: JsonOption & { readonly limit?: number; readonly filter?: Filters }) {
  await withAdmin(options, async (admin, out) => {
    const { listUsers, secondFactorsOf, userRecord } = await import("@assent/server/admin");
    const { username, email, status, operator } = options.filter ?? {};
    const filter = given({
      ...{ username, email, operator: operator === "any" ? (true as const) : operator },
      status: oneOf("status", status, ["active", "disabled"]),
    });
    const records: WireRecord[] = [];
    const people = everyPage<Person, Place>((part) => listUsers({ ...filter, ...part }, admin));
    for (const person of await firstOf(people, options.limit)) {
      records.push({ ...userRecord(person, admin.issuer), second_factors: await secondFactorsOf(person, admin) });
    }
    out.list(
      records,
      [
        { field: "username" },
        { field: "email" },
        { field: "name" },
        USER_STATUS,
        { field: "second_factors", title: "second factors" },
        { field: "operator" },
      ],
      noneWith(options.filter, "There are no users. To create one, run: assent user create"),
    );
  });
}

async function show(login: string, options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { disabledElsewhere, secondFactorsOf, userOf, userRecord } = await import("@assent/server/admin");
    const person = await userOf(login, admin);
    const [factors, elsewhere] = await Promise.all([secondFactorsOf(person, admin), disabledElsewhere(person, admin)]);
    const disabled = elsewhere === null ? {} : { disabled_by: elsewhere };
    out.record({ ...userRecord(person, admin.issuer), ...disabled, second_factors: factors });
  });
}

interface UpdateOptions extends JsonOption, TypedDetails {
  readonly email?: string;
  readonly emailVerified?: boolean;
  readonly name?: string;
  readonly operator?: readonly string[] | false;
  readonly picture?: string | false;
}

async function update(login: string, options: UpdateOptions & YesOption) {
  const changes: UserChanges = {
    ...given({
      email: options.email,
      emailVerified: options.emailVerified,
      name: options.name === "" ? null : options.name,
      operator: options.operator === false ? [] : options.operator,
    }),
    ...detailsOf(options),
  };
  const picture = await pictureIn(options.picture);
  requireChanges({ ...changes, ...given({ picture }) }, "user");
  await withAdmin(options, async (admin, out) => {
    const { setUserPicture, updateUser, userRecord } = await import("@assent/server/admin");
    await confirmRoles(login, changes.operator, options, admin);
    const changed = Object.keys(changes).length === 0 ? undefined : await updateUser(login, changes, admin);
    const person = picture === undefined ? changed : await setUserPicture(login, picture, admin);
    if (person !== undefined) out.record(userRecord(person, admin.issuer));
  });
}

/** Null removes the picture. Undefined: it stays. */
export async function pictureIn(file: string | false | undefined): Promise<Uint8Array | null | undefined> {
  if (file === undefined || file === false) return file === false ? null : undefined;
  const { MAX_PICTURE_BYTES } = await import("@assent/server/admin");
  return pictureOf(file, MAX_PICTURE_BYTES);
}

async function remove(login: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { deleteUser, impactOfUser, userImpactRecord } = await import("@assent/server/admin");
    const { question, done } = await userDeletionTold(userImpactRecord(await impactOfUser(login, admin)));
    await confirm(question, options);
    const { personId, username } = await deleteUser(login, admin);
    out.done({ id: personId, username, deleted: true }, done);
  });
}

export async function userDeletionTold(impact: UserImpactRecord): Promise<Told> {
  const { MOST_COUNTED } = await import("@assent/server/admin");
  const { username, email, sessions, grants, consents, companies, company_grants: companyGrants } = impact;
  const counts = {
    ...{ session: sessions, grant: grants, consent: consents },
    ...{ "company grant": companyGrants, "company membership": companies },
  };
  const ends = countedAll(counts, MOST_COUNTED);
  const alone = await withoutAdmin(impact);
  return {
    question: `Deleting ${username} (${email}) ends ${ends}. Issued access tokens work until they expire.${alone} You can't undo this.`,
    done: `Deleted ${username}. Ended ${ends}. ${TOKENS}${alone}`,
  };
}

async function withoutAdmin({ only_admin_of: slugs }: UserImpactRecord): Promise<string> {
  const { withoutAdminText } = await import("@assent/server/admin");
  return slugs.length === 0 ? "" : ` ${withoutAdminText(slugs)}`;
}

export async function userStatusTold(impact: UserImpactRecord, status: "active" | "disabled"): Promise<ToldOfStatus> {
  const { MOST_COUNTED } = await import("@assent/server/admin");
  const { username, email, status: was, sessions, grants, consents, company_grants: companyGrants } = impact;
  const disabling = {
    ends: countedAll({ session: sessions, grant: grants, "company grant": companyGrants }, MOST_COUNTED),
    stays: countedAll({ consent: consents }, MOST_COUNTED),
  };
  const ended = await withoutAdmin(impact);
  return statusTold({ what: `${username} (${email})`, noun: "person", was, disabling, ended }, status);
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
    out.record(userRecord(person, admin.issuer, generated), ["password"]);
    out.note(
      keepGrants
        ? "All sessions have ended. Apps keep their access."
        : `All sessions and grants have ended. ${TOKENS} Apps can connect again without asking, as long as their consents last.`,
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
    out.done(
      record,
      `${app}. Removed ${counted(passkeys, "passkey")}. Ended ${counted(sessionsEnded, "session")}. Apps keep their access.`,
    );
  });
}

async function setStatus(login: string, status: "active" | "disabled", options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { changeUserStatus, impactOfUser, userImpactRecord, userRecord } = await import("@assent/server/admin");
    const { question, done } = await userStatusTold(userImpactRecord(await impactOfUser(login, admin)), status);
    if (question !== undefined) await confirmOnTerminal(question, options);
    const { person: changed } = await changeUserStatus(login, status, admin);
    out.record(userRecord(changed, admin.issuer));
    if (done !== undefined && changed.status === status) out.note(done);
  });
}
