/** `assent company …`: companies, which own the access that members grant in their names. */

import type {
  AppPolicy,
  Company,
  CompanyAppImpactRecord,
  CompanyChanges,
  CompanyImpactRecord,
  MemberImpactRecord,
  OpenedAdmin,
  Place,
} from "@assent/server/admin";
import { type Command, Option } from "commander";
import { UsageError } from "../command-errors.ts";
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
  secondsOption,
  verb,
  withAdmin,
} from "../shared-options.ts";
import { confirmCompanyRevocation, revokedForCompany } from "./consent.ts";

const DEFAULT_RULE =
  "for apps without a rule: members decide (members), members ask an admin (ask), or only admins decide (block)";

function defaultRuleOption(flags: string): Option {
  return new Option(flags, DEFAULT_RULE).choices(["members", "ask", "block"]);
}

export function register(program: Command): void {
  const company = noun(program, "company", "companies that people act for");
  verb(company, "create", "create a company; add members with add-member")
    .requiredOption("--name <text>", "the company's name")
    .requiredOption("--slug <slug>", "its name in URLs: a–z, 0–9 and dashes")
    .addOption(defaultRuleOption("--default-rule <rule>"))
    .action(create);
  verb(company, "list", "list all companies, oldest first")
    .addOption(filterOption(["slug", "status"]))
    .addOption(limitOption())
    .action(list);
  verb(
    company,
    "show <slug>",
    "show a company with its members, rules and connections of apps with other servers",
  ).action(show);
  verb(company, "update <slug>", "change a company; settings that you omit stay the same")
    .option("--name <text>", "new name")
    .option("--slug <slug>", "new name in URLs; links with the old one stop working")
    .addOption(defaultRuleOption("--default-rule <rule>"))
    .addOption(
      new Option(
        "--status <status>",
        "disabled: nobody can act for the company, and its grants end; issued access tokens work until they expire",
      ).choices(["active", "disabled"]),
    )
    .addOption(
      new Option(
        "--own-provider <what>",
        "whether its admins may connect their own sign-in provider; default: deny",
      ).choices(["allow", "deny"]),
    )
    .addOption(
      listOption(
        "--add-email-domain <domain>",
        "confirm that the addresses of a domain are the company's; the others stay",
      ),
    )
    .addOption(listOption("--remove-email-domain <domain>", "its own provider makes no more accounts for this domain"))
    .addOption(yesOption())
    .action(update);
  verb(
    company,
    "delete <slug>",
    "delete a company: all grants in its name end; issued access tokens work until they expire",
  )
    .addOption(yesOption())
    .action(remove);
  verb(company, "add-member <slug> <user>", "add a person as a member, or change a member's role")
    .addOption(new Option("--role <role>", "the member's role").choices(["member", "admin"]).default("member"))
    .addOption(yesOption("on a terminal, don't ask for confirmation"))
    .action(addMember_);
  verb(company, "remove-member <slug> <user>", "remove a member; access that the person granted for the company ends")
    .addOption(yesOption("on a terminal, don't ask for confirmation"))
    .action(removeMember_);
  verb(company, "policy <slug> <client-id>", "set the rule about an app for all members")
    .addOption(
      new Option("--rule <rule>", "none: use the company's default")
        .choices(["allow", "ask", "block", "none"])
        .makeOptionMandatory(),
    )
    .addOption(
      listOption(
        "--scope <scopes>",
        "allow: the scopes that members can allow; default: all scopes that the client may request",
        {
          words: true,
        },
      ),
    )
    .addOption(secondsOption("--lifetime <seconds>", "allow: how long the approval lasts; default: one year"))
    .addOption(listOption("--for <user>", "allow: only for this member, others ask an admin; default: all members"))
    .addOption(
      new Option(
        "--members <what>",
        "ask, none, --for: members whose approval you withdraw keep the app until the approval ends (keep), or lose it now (end)",
      ).choices(["keep", "end"]),
    )
    .addOption(yesOption("block, on a terminal: don't ask for confirmation"))
    .action(policy);
  verb(company, "revoke <slug> <client-id>", "end a company's consent to an app, all its grants, and its approval")
    .addOption(yesOption("on a terminal, don't ask for confirmation"))
    .action(revoke);
}

interface CreateOptions extends JsonOption {
  readonly name: string;
  readonly slug: string;
  readonly defaultRule?: "members" | "ask" | "block";
}

async function create(options: CreateOptions) {
  await withAdmin(options, async (admin, out) => {
    const { companyRecord, createCompany } = await import("@assent/server/admin");
    const { name, slug, defaultRule } = options;
    out.record(companyRecord(await createCompany({ name, slug, ...given({ defaultRule }) }, admin)));
    out.note("The company has no members yet. To add one, run: assent company add-member SLUG USER --role admin");
  });
}

async function list(options: JsonOption & { readonly limit?: number; readonly filter?: Filters }) {
  const { slug, status } = options.filter ?? {};
  const filter = given({ slug, status: oneOf("status", status, ["active", "disabled"]) });
  await withAdmin(options, async (admin, out) => {
    const { companyRecord, listCompanies } = await import("@assent/server/admin");
    const all = everyPage<Company, Place>((part) => listCompanies({ ...filter, ...part }, admin));
    const companies = await firstOf(all, options.limit);
    out.list(
      companies.map((company) => companyRecord(company)),
      [{ field: "slug" }, { field: "name" }, { field: "status" }, { field: "default_rule" }],
      noneWith(options.filter, "There are no companies: assent company create"),
    );
  });
}

async function show(slug: string, options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const {
      companyBySlug,
      companyConnectionRecord,
      companyConnections,
      companyMembers,
      companyRecord,
      companyRules,
      companySignInRecord,
      memberRecord,
      ruleRecord,
      signInOf,
    } = await import("@assent/server/admin");
    const company = await companyBySlug(slug, admin);
    out.record({
      ...companyRecord(company),
      ...companySignInRecord(await signInOf(company, admin)),
      members: (await firstOf(companyMembers(slug, admin))).map(memberRecord),
      rules: (await companyRules(slug, admin)).map(ruleRecord),
      connections: (await companyConnections(slug, admin)).map(companyConnectionRecord),
    });
  });
}

interface UpdateOptions extends JsonOption {
  readonly name?: string;
  readonly slug?: string;
  readonly defaultRule?: "members" | "ask" | "block";
  readonly status?: "active" | "disabled";
  readonly ownProvider?: "allow" | "deny";
  readonly addEmailDomain?: readonly string[];
  readonly removeEmailDomain?: readonly string[];
}

async function update(slug: string, options: UpdateOptions & YesOption) {
  const { name, slug: next, defaultRule, status } = options;
  const changes: CompanyChanges = given({ name, slug: next, defaultRule, status });
  const { ownProvider, addEmailDomain: addDomains, removeEmailDomain: removeDomains } = options;
  const signIn = given({ addDomains, removeDomains, ownProvider: ownProvider && ownProvider === "allow" });
  requireChanges({ ...changes, ...signIn }, "company");
  await withAdmin(options, async (admin, out) => {
    const { changeCompany, companyBySlug, companyRecord, companySignInRecord, signInOf, updateCompanySignIn } =
      await import("@assent/server/admin");
    const told = await statusNotes(slug, changes, options, admin);
    // The domains first: they can be refused because of others.
    if (Object.keys(signIn).length > 0) await updateCompanySignIn(slug, signIn, admin);
    const { company, notes } =
      Object.keys(changes).length > 0
        ? await changeCompany(slug, changes, admin)
        : { company: await companyBySlug(slug, admin), notes: [] };
    out.record({ ...companyRecord(company), ...companySignInRecord(await signInOf(company, admin)) });
    for (const note of [...notes, ...told]) out.note(note);
  });
}

/**
 * Asks before the company is disabled, unless it is already: then all its grants have ended. Returns what the operator reads once
 * the company is changed.
 */
async function statusNotes(
  slug: string,
  { status }: CompanyChanges,
  options: YesOption,
  admin: OpenedAdmin,
): Promise<readonly string[]> {
  const { companyImpactRecord, impactOfCompany } = await import("@assent/server/admin");
  const { question, done } = await companyStatusTold(companyImpactRecord(await impactOfCompany(slug, admin)), status);
  if (question !== undefined) await confirmOnTerminal(question, options);
  return done === undefined ? [] : [done];
}

export async function companyStatusTold(
  { name, slug, status: was, grants, consents }: CompanyImpactRecord,
  status: "active" | "disabled" | undefined,
): Promise<ToldOfStatus> {
  const { MOST_COUNTED } = await import("@assent/server/admin");
  const disabling = {
    ends: countedAll({ grant: grants }, MOST_COUNTED),
    stays: countedAll({ consent: consents }, MOST_COUNTED),
  };
  return statusTold({ what: `${name} (${slug})`, noun: "company", was, disabling }, status);
}

async function remove(slug: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { companyImpactRecord, deleteCompany, impactOfCompany } = await import("@assent/server/admin");
    const { question, done } = await companyDeletionTold(companyImpactRecord(await impactOfCompany(slug, admin)));
    await confirm(question, options);
    const { companyId, slug: was } = await deleteCompany(slug, admin);
    out.done({ id: companyId, slug: was, deleted: true }, done);
  });
}

export async function companyDeletionTold({
  name,
  slug,
  members,
  grants,
  consents,
}: CompanyImpactRecord): Promise<Told> {
  const { MOST_COUNTED } = await import("@assent/server/admin");
  const ends = countedAll({ membership: members, grant: grants, consent: consents }, MOST_COUNTED);
  return {
    question: `Deleting ${name} (${slug}) ends ${ends}. Issued access tokens work until they expire. You can't undo this.`,
    done: `Deleted ${name} (${slug}). Ended ${ends}. ${TOKENS}`,
  };
}

async function addMember_(slug: string, login: string, options: JsonOption & YesOption & { readonly role: string }) {
  await withAdmin(options, async (admin, out) => {
    const { AdminError, changeMember, impactOfMember, memberImpactRecord, memberRecord } = await import(
      "@assent/server/admin"
    );
    if (options.role === "member") {
      const impact = await impactOfMember(slug, login, admin).catch((error: unknown) => {
        // Nobody who is no member yet is the last admin.
        if (error instanceof AdminError && error.kind === "unknown") return undefined;
        throw error;
      });
      const question = impact && (await demotionQuestion(memberImpactRecord(impact)));
      if (question !== undefined) await confirmOnTerminal(question, options);
    }
    const { member, notes } = await changeMember(slug, login, options.role, admin);
    out.record(memberRecord(member));
    for (const note of notes) out.note(note);
  });
}

async function removeMember_(slug: string, login: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { endMembership, impactOfMember, memberImpactRecord } = await import("@assent/server/admin");
    const question = await membershipQuestion(memberImpactRecord(await impactOfMember(slug, login, admin)));
    await confirmOnTerminal(question, options);
    const { grantsEnded: ended, notes } = await endMembership(slug, login, admin);
    out.done({ slug, username: login, removed: true, grants_ended: ended }, removedMember(ended));
    for (const note of notes) out.note(note);
  });
}

export async function membershipQuestion({
  company,
  user,
  grants,
  returns_by: by,
  only_admin: alone,
}: MemberImpactRecord): Promise<string> {
  const { returnText, withoutAdminText } = await import("@assent/server/admin");
  const adminless = alone ? ` ${withoutAdminText([company.slug])}` : "";
  const made = grants === 0 ? "" : ` and ${counted(grants, "grant")} that the person made for the company`;
  return `Removing ${user.username} from ${company.name} (${company.slug}) ends the membership${made}. ${returnText(by)}${adminless} Issued access tokens work until they expire.`;
}

/** The question before a member gets the role `member`. Undefined: another active admin is left. */
export async function demotionQuestion({
  company,
  user,
  only_admin: alone,
}: MemberImpactRecord): Promise<string | undefined> {
  const { withoutAdminText } = await import("@assent/server/admin");
  if (!alone) return undefined;
  return `${user.username} is the only active admin of ${company.name} (${company.slug}), and is about to become a member. Then nobody can change its rules or invite members. ${withoutAdminText([company.slug])}`;
}

export function removedMember(ended: number): string {
  return `Removed the member. Ended ${counted(ended, "grant")} that the person made for the company. The company's consents stay. ${TOKENS}`;
}

interface PolicyOptions extends JsonOption {
  readonly rule: AppPolicy["rule"];
  readonly scope?: readonly string[];
  readonly lifetime?: number;
  readonly for?: readonly string[];
  readonly members?: "keep" | "end";
}

async function policy(slug: string, clientId: string, options: PolicyOptions & YesOption) {
  const { rule, scope, lifetime, for: selected, members } = options;
  const forAllow = [scope, lifetime, selected];
  if (rule !== "allow" && forAllow.some((one) => one !== undefined)) {
    throw new UsageError("use --scope, --lifetime and --for only with --rule allow");
  }
  if (members !== undefined && (rule === "block" || (rule === "allow" && selected === undefined))) {
    throw new UsageError("use --members only with --rule ask, --rule none or --for");
  }
  await withAdmin(options, async (admin, out) => {
    const { changeAppPolicy, clientOf, companyAppImpactRecord, impactOfCompanyApp } = await import(
      "@assent/server/admin"
    );
    await clientOf(clientId, admin);
    if (rule === "block") {
      const impact = companyAppImpactRecord(await impactOfCompanyApp(slug, clientId, admin));
      await confirmOnTerminal(await blockingQuestion(impact), options);
    }
    const wanted = { clientId, rule, ...given({ scopes: scope, lifetime, selected, members }) };
    const { grantsEnded, meaning, notes } = await changeAppPolicy(slug, wanted, admin);
    out.done({ slug, client_id: clientId, rule, grants_ended: grantsEnded }, meaning);
    for (const note of notes) out.note(note);
  });
}

export async function blockingQuestion(impact: CompanyAppImpactRecord): Promise<string> {
  const { blockedElsewhereText } = await import("@assent/server/admin");
  const { app, company, members } = impact;
  // An earlier version of the server doesn't tell these.
  const { servers = [], vouching = [] } = impact as Partial<CompanyAppImpactRecord>;
  return `Blocking ${app} for ${company.name} (${company.slug}) ends the access that ${counted(members, "member")} gave it. The access doesn't come back when you lift the block. ${TOKENS}${blockedElsewhereText({ servers, vouching })}`;
}

async function revoke(slug: string, clientId: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { companyAppImpactRecord, impactOfCompanyApp, revokeForAll } = await import("@assent/server/admin");
    const impact = companyAppImpactRecord(await impactOfCompanyApp(slug, clientId, admin));
    await confirmCompanyRevocation(impact, clientId, options);
    const ended = await revokeForAll(slug, clientId, admin);
    out.done(
      { slug, client_id: clientId, revoked: true, grants_ended: ended },
      revokedForCompany(impact, clientId, ended),
    );
  });
}
