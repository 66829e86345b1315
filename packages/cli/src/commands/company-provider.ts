/** `assent provider … --company`: a company's own provider, for the people of that company alone. */

import type {
  AdminContext,
  CompanySignIn,
  NewCompanyProvider,
  ProviderChanges,
  RoleMapping,
  WhenDisabled,
} from "@assent/server/admin";
import { type Command, Option } from "commander";
import { UsageError } from "../command-errors.ts";
import { secretFromStdin } from "../password-prompt.ts";
import { given, type JsonOption, listOption, withAdmin } from "../shared-options.ts";

export interface CompanyProviderOptions {
  readonly company?: string;
  readonly roleClaim?: string;
  readonly adminGroup?: readonly string[];
  readonly memberGroup?: readonly string[];
  readonly otherGroups?: "member" | "refuse";
  /** False: groups give no roles. */
  readonly roles?: boolean;
}

/** The flags that `create` and `update` share. */
export function companyOptions(command: Command): Command {
  return command
    .option("--role-claim <name>", "with --company: the claim whose values give roles; default: groups")
    .addOption(listOption("--admin-group <group>", "with --company: a group whose people are admins of the company"))
    .addOption(listOption("--member-group <group>", "with --company: a group whose people are members"))
    .addOption(
      new Option("--other-groups <what>", "with --company: people in none of the groups; default: refuse").choices([
        ...["member", "refuse"],
      ]),
    );
}

interface CreateOptions extends JsonOption, CompanyProviderOptions {
  readonly preset?: string;
  readonly name?: string;
  readonly issuer?: string;
  readonly clientId: string;
  readonly clientSecretStdin?: true;
  readonly scope?: readonly string[];
  readonly emailDomain?: readonly string[];
  readonly trustEmail?: boolean;
  readonly createPeople?: boolean;
  readonly hostedDomain?: string | false;
  readonly whenDisabled?: WhenDisabled;
  readonly changeClient?: readonly string[];
  readonly profile?: "first" | "follow";
}

/** `claims`: of `--claim`. */
export async function createForCompany(
  options: CreateOptions,
  claims: NewCompanyProvider["claims"],
  command: Command,
): Promise<void> {
  const { company = "", name, issuer, clientId, scope, whenDisabled, changeClient, profile } = options;
  refuseOthers(options, command);
  if (name === undefined || issuer === undefined)
    throw new UsageError("with --company, both --name and --issuer are needed");
  const clientSecret = options.clientSecretStdin ? await secretFromStdin("--client-secret-stdin") : undefined;
  await withAdmin(options, async (admin, out) => {
    const { companyProviderRecord, createCompanyProvider } = await import("@assent/server/admin");
    const ofPeople = given({ whenDisabled, changeClients: changeClient, claims, profile });
    const settings = { ...given({ clientSecret, scopes: scope }), ...ofPeople };
    const input = { name, issuer, clientId, ...settings, ...rolesOf(options) };
    const record = await companyProviderRecord(await createCompanyProvider(company, input, admin), admin);
    out.record(record ?? {});
    out.note(`Next step: register this redirect URI at the provider: ${record?.["redirect_uri"]}`);
    out.note(`People of the company sign in at: ${admin.issuer}/company/${company}/sign-in`);
  });
}

/** What only the operator's own providers have. */
const OPERATORS_ALONE = [
  ...([
    ["type", "--type"],
    ["authorizationEndpoint", "--authorization-endpoint"],
  ] as const),
  ...([
    ["tokenEndpoint", "--token-endpoint"],
    ["userEndpoint", "--user-endpoint"],
  ] as const),
  ...([
    ["teamId", "--team-id"],
    ["keyId", "--key-id"],
  ] as const),
  ...([
    ["mfaAcr", "--mfa-acr"],
    ["mfaAmr", "--mfa-amr"],
    ["position", "--position"],
  ] as const),
  ...([["believeFresh", "--believe-fresh"]] as const),
] as const;

function isGiven(name: string, command: Command): boolean {
  return command.getOptionValueSource(name) === "cli";
}

/** A company's domains are the company's, and its provider is never trusted for accounts that it did not make. */
function refuseOthers(options: CreateOptions, command: Command): void {
  const refused = [
    [options.preset !== undefined, "--preset"],
    [options.emailDomain !== undefined, "--email-domain (use assent company update --add-email-domain)"],
    [options.trustEmail !== undefined, "--trust-email"],
    [command.getOptionValueSource("createPeople") === "cli", "--no-create-people"],
    [options.hostedDomain !== undefined, "--hosted-domain"],
  ] as const;
  const found =
    refused.find(([is]) => is) ??
    OPERATORS_ALONE.map(([name, flag]) => [isGiven(name, command), flag] as const).find(([is]) => is);
  if (found !== undefined) throw new UsageError(`with --company, there is no ${found[1]}`);
}

/** Undefined: no option names roles. */
export function rolesOf({ roleClaim, adminGroup, memberGroup, otherGroups, roles }: CompanyProviderOptions): {
  readonly roles?: RoleMapping | null;
} {
  if (roles === false) return { roles: null };
  if ([roleClaim, adminGroup, memberGroup, otherGroups].every((one) => one === undefined)) return {};
  const [claim, others] = [roleClaim ?? "groups", otherGroups ?? "refuse"];
  return { roles: { claim, admin: adminGroup ?? [], member: memberGroup ?? [], others } };
}

export async function recordsOfCompanies(admin: AdminContext) {
  const { companyProviderRecords } = await import("@assent/server/admin");
  return companyProviderRecords(admin);
}

export async function changeOfCompany(
  { provider }: CompanySignIn,
  changes: ProviderChanges,
  options: CompanyProviderOptions,
  admin: AdminContext,
) {
  const { claims, profile, whenDisabled, changeClients, ...usual } = changes;
  const { name, clientId, clientSecret, scopes, status, ...others } = usual;
  if (Object.keys(others).length > 0)
    throw new UsageError(
      "for a company's provider, only its name, client ID, secret, scopes, roles, claims, profile, change clients, what happens to disabled people and the status can be changed; for another issuer, delete it and create another",
    );
  const { companyProviderRecord, updateCompanyProvider } = await import("@assent/server/admin");
  const ofPeople = given({ claims, profile, whenDisabled, changeClients });
  const settings = { ...given({ name, clientId, clientSecret, scopes, status }), ...ofPeople };
  const changed = await updateCompanyProvider(provider?.id ?? "", { ...settings, ...rolesOf(options) }, admin);
  return (await companyProviderRecord(changed, admin)) ?? {};
}
