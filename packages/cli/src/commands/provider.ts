/** `assent provider …`: providers at which people may sign in to this server. */

import type {
  PresetName,
  ProviderChanges,
  ProviderImpactRecord,
  StoredProvider,
  WhenDisabled,
} from "@assent/server/admin";
import { type Command, InvalidArgumentError, Option } from "commander";
import { lineOf, UsageError } from "../command-errors.ts";
import { confirm, counted, type Told, type YesOption, yesOption } from "../confirm.ts";
import { secretFromStdin } from "../password-prompt.ts";
import type { Output } from "../print-records.ts";
import { given, type JsonOption, listOption, noun, requireChanges, verb, withAdmin } from "../shared-options.ts";

import {
  type CompanyProviderOptions,
  changeOfCompany,
  companyOptions,
  createForCompany,
  recordsOfCompanies,
  rolesOf,
} from "./company-provider.ts";

export interface ProviderOptions extends JsonOption, CompanyProviderOptions {
  readonly name?: string;
  readonly issuer?: string;
  readonly clientId?: string;
  readonly clientSecretStdin?: true;
  readonly scope?: readonly string[];
  readonly emailDomain?: readonly string[];
  readonly trustEmail?: boolean;
  readonly createPeople?: boolean;
  readonly believeFresh?: boolean;
  readonly hostedDomain?: string | false;
  readonly whenDisabled?: WhenDisabled;
  readonly changeClient?: readonly string[];
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
  readonly userEndpoint?: string;
  readonly teamId?: string;
  readonly keyId?: string;
  readonly claim?: readonly string[];
  readonly profile?: "first" | "follow";
  readonly mfaAcr?: readonly string[];
  readonly mfaAmr?: readonly string[];
  /** False: no position of its own. */
  readonly position?: number | false;
}

interface CreateOptions extends ProviderOptions {
  readonly type: "openid" | "oauth";
  readonly preset?: PresetName;
  readonly tenant?: string;
  readonly host?: string;
  readonly realm?: string;
  readonly clientId: string;
}

interface UpdateOptions extends ProviderOptions {
  /** False: delete the stored secret. */
  readonly clientSecret: boolean;
  readonly addEmailDomain?: readonly string[];
  readonly removeEmailDomain?: readonly string[];
  readonly status?: "active" | "disabled";
}

export function register(program: Command): void {
  const provider = noun(program, "provider", "providers at which people sign in");
  const create = verb(provider, "create", "let people sign in at a provider; this server is its client")
    .addOption(new Option("--type <type>", "the protocol").choices(["openid", "oauth"]).default("openid"))
    .addOption(
      new Option("--preset <name>", "settings for a well-known provider").choices([
        ...["google", "entra", "apple", "github", "gitlab", "keycloak", "assent"],
      ]),
    )
    .option("--tenant <id>", "with --preset entra: the ID of the tenant")
    .option(
      "--host <name>",
      "with --preset github, gitlab, keycloak or assent: its host; defaults: github.com, gitlab.com",
    )
    .option("--realm <name>", "with --preset keycloak: the realm")
    .option("--name <text>", "the provider's name, which people read on the sign-in page; some presets have one")
    .option("--issuer <url>", "the issuer in its metadata; compared character by character; presets make it")
    .requiredOption("--client-id <id>", "the client ID that the provider gave this server");
  companyOptions(settings(create))
    .option("--company <slug>", "a company's own provider: it signs in the people of this company alone")
    .option("--no-create-people", "only people who have an account here can sign in")
    .addHelpText(
      "after",
      `
Prints the redirect URI to register at the provider.

Examples:
  assent provider create --preset google --client-id 1234 --client-secret-stdin --hosted-domain example.com < secret.txt
  assent provider create --preset github --client-id 1234 --client-secret-stdin < secret.txt
  assent provider create --preset apple --client-id com.example.signin --team-id ABCDE12345 --key-id FGHIJ67890 --client-secret-stdin < AuthKey_FGHIJ67890.p8
  assent provider create --name "Example" --issuer https://accounts.example.com --client-id 1234 --client-secret-stdin --email-domain example.com < secret.txt`,
    )
    .action(create_);
  verb(provider, "list", "list all providers").action(list);
  verb(provider, "show <id>", "show a provider; its client secret is never shown").action(show);
  companyOptions(
    settings(
      verb(
        provider,
        "update <id>",
        "change a provider; settings that you omit stay the same; lists replace the old ones",
      )
        .option("--name <text>", "the provider's name, which people read on the sign-in page")
        .option("--issuer <url>", "another issuer; at another host, the stored client secret is deleted")
        .option("--client-id <id>", "the client ID that the provider gave this server"),
    ),
  )
    .option(
      "--no-roles",
      "with a company's provider: groups give no roles; admins change them on the page of the members",
    )
    .option("--no-client-secret", "delete the stored client secret; this server is then a public client")
    .addOption(listOption("--add-email-domain <domain>", "add an e-mail domain; the others stay"))
    .addOption(listOption("--remove-email-domain <domain>", "remove an e-mail domain; the others stay"))
    .option("--no-hosted-domain", "accept accounts of any organization, and personal ones")
    .option("--no-position", "put its button after those with a position")
    .option("--no-believe-fresh", "a sign-in that must be fresh counts only if the provider says when it was")
    .option("--no-trust-email", "don't find accounts by the addresses that it calls verified")
    .option("--create-people", "create an account when somebody first signs in there")
    .option("--no-create-people", "only people who have an account here can sign in")
    .addOption(
      new Option("--status <status>", "nobody can sign in at a disabled provider").choices(["active", "disabled"]),
    )
    .action(change);
  verb(provider, "delete <id>", "delete a provider and its connections to people; accounts and sessions stay")
    .addOption(yesOption())
    .action(remove);
}

/** The flags that `create` and `update` share. */
function settings(command: Command): Command {
  return command
    .option(
      "--client-secret-stdin",
      "read the client secret from standard input; with --preset apple: the private key (.p8); without one: a public client",
    )
    .option("--team-id <id>", "with --preset apple: the ID of your team")
    .option("--key-id <id>", "with --preset apple: the ID of the private key")
    .option("--authorization-endpoint <url>", "with --type oauth: where people sign in")
    .option("--token-endpoint <url>", "with --type oauth: where the server redeems codes")
    .option("--user-endpoint <url>", "with --type oauth: answers with JSON about the person")
    .addOption(
      listOption(
        "--claim <field=claim>",
        "which claim becomes this field here, for example username=upn; an empty claim: none; all together replace earlier ones",
      ),
    )
    .addOption(
      new Option(
        "--profile <when>",
        "fill the profile at the first sign-in only, or let it follow the provider at each; default: first",
      ).choices(["first", "follow"]),
    )
    .addOption(
      listOption("--mfa-acr <value>", "a value of acr with which the provider says that it saw a second factor"),
    )
    .addOption(listOption("--mfa-amr <value>", "the same for a value in amr, for example mfa"))
    .addOption(
      new Option("--position <n>", "where its button is; the lowest number first").argParser((value) => {
        if (!/^\d{1,4}$/.test(value)) throw new InvalidArgumentError("Use a whole number from 0 to 1000.");
        return Number(value);
      }),
    )
    .addOption(
      listOption(
        "--scope <scopes>",
        "scopes that the server requests; default: openid profile email, or the preset's",
        { words: true },
      ),
    )
    .addOption(
      listOption(
        "--email-domain <domain>",
        "a domain of its people's addresses; only these addresses get or find an account; default: any",
      ),
    )
    .addOption(
      new Option(
        "--when-disabled <what>",
        "when somebody is disabled there: keep their account here and end their sessions, pause their access, or end it; default: keep",
      ).choices(["keep", "pause", "end"]),
    )
    .addOption(
      listOption(
        "--change-client <client-id>",
        "a client that may tell this server who was disabled, enabled, deleted or signed out there; default: none",
      ),
    )
    .option("--hosted-domain <domain>", "with --preset google: only accounts of this Google Workspace organization")
    .option(
      "--believe-fresh",
      "a sign-in that must be fresh counts although the provider doesn't say when it was; default: it doesn't count",
    )
    .option("--trust-email", "addresses of its domains that it calls verified count as verified, and find an account");
}

async function create_(options: CreateOptions, command: Command) {
  const { type, preset, tenant, host, realm, name, issuer, clientId, clientSecretStdin } = options;
  if (options.company !== undefined) return createForCompany(options, claimsOf(options.claim), command);
  if (preset === undefined && (name === undefined || issuer === undefined))
    throw new UsageError("without --preset, both --name and --issuer are needed");
  const clientSecret = clientSecretStdin ? await secretFromStdin("--client-secret-stdin") : undefined;
  await withAdmin(options, async (admin, out) => {
    const { createProvider, providerRecord } = await import("@assent/server/admin");
    const ofCreation = given({ type, preset, tenant, host, realm, name, issuer, clientSecret });
    const input = { clientId, ...settingsOf(options), ...ofCreation };
    const created = await createProvider(input, admin);
    const record = providerRecord(created.provider, admin.issuer);
    told(created, admin.issuer, providerRecord, out, command);
    out.note(`Next step: register this redirect URI at the provider: ${record["redirect_uri"]}`);
    if (record["backchannel_logout_uri"] === null) return;
    out.note(
      `If the provider supports back-channel logout, register this URI for it, too: ${record["backchannel_logout_uri"]}`,
    );
  });
}

function told(
  { provider, remarks }: StoredProvider,
  issuer: string,
  recordOf: typeof import("@assent/server/admin").providerRecord,
  out: Output,
  command: Command,
): void {
  for (const remark of remarks) out.warn(lineOf(remark, command));
  out.record(recordOf(provider, issuer));
}

async function list(options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { allProviders, providerRecord } = await import("@assent/server/admin");
    out.list(
      [
        ...(await allProviders(admin)).map((one) => providerRecord(one, admin.issuer)),
        ...(await recordsOfCompanies(admin)),
      ],
      [
        { field: "id" },
        { field: "name" },
        { field: "issuer" },
        { field: "status" },
        { field: "email_domains" },
        { field: "company" },
      ],
      "There are no sign-in providers. To add one, run: assent provider create",
    );
  });
}

async function show(id: string, options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { providerOf, providerRecord } = await import("@assent/server/admin");
    const ofCompany = (await recordsOfCompanies(admin)).find((one) => one["id"] === id);
    if (ofCompany !== undefined) return out.record(ofCompany);
    out.record(providerRecord(await providerOf(id, admin), admin.issuer));
  });
}

async function change(id: string, options: UpdateOptions, command: Command) {
  const { clientSecretStdin, clientSecret: keepSecret, emailDomain, addEmailDomain, removeEmailDomain } = options;
  if (clientSecretStdin && !keepSecret)
    throw new UsageError("use only one of --client-secret-stdin and --no-client-secret");
  if (emailDomain !== undefined && (addEmailDomain !== undefined || removeEmailDomain !== undefined)) {
    throw new UsageError(
      "--email-domain replaces the whole list: use it without --add-email-domain and --remove-email-domain",
    );
  }
  const clientSecret = clientSecretStdin ? await secretFromStdin("--client-secret-stdin") : undefined;
  const { name, issuer, clientId, status } = options;
  const changes: ProviderChanges = {
    ...settingsOf(options),
    ...given({ name, issuer, clientId, status, clientSecret: keepSecret ? clientSecret : null }),
    ...given({ addEmailDomains: addEmailDomain, removeEmailDomains: removeEmailDomain }),
  };
  requireChanges({ ...changes, ...rolesOf(options) }, "provider");
  await withAdmin(options, async (admin, out) => {
    const { findCompanyProvider, impactOfProvider, providerImpactRecord, providerRecord, updateProvider } =
      await import("@assent/server/admin");
    const own = await findCompanyProvider(id, admin);
    if (own !== undefined) {
      out.record(await changeOfCompany(own, changes, options, admin));
      if (status === "disabled") out.note(OWN_DISABLED);
      return;
    }
    told(await updateProvider(id, changes, admin), admin.issuer, providerRecord, out, command);
    if (status !== "disabled") return;
    out.note(providerDisabledText(providerImpactRecord(await impactOfProvider(id, admin), false)));
  });
}

async function remove(id: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { companyProviderImpact, deleteCompanyProvider, deleteProvider, impactOfProvider, providerImpactRecord } =
      await import("@assent/server/admin");
    const own = await companyProviderImpact(id, admin);
    const impact = providerImpactRecord(own ?? (await impactOfProvider(id, admin)), own !== undefined);
    const { question, done } = providerDeletionTold(impact);
    await confirm(question, options);
    await (impact.own ? deleteCompanyProvider : deleteProvider)(id, admin);
    out.done({ id, deleted: true }, done);
  });
}

const OWN_DISABLED = "Nobody can sign in there now. Sessions that began there have ended.";

/** What a provider that was disabled means for its people. */
export function providerDisabledText({ own, without_another: stranded, complete }: ProviderImpactRecord): string {
  if (own) return OWN_DISABLED;
  const alone = `${complete ? "" : "at least "}${counted(stranded, "person", undefined, "people")}`;
  return `Nobody can sign in there now. Sessions that began there stay, and apps keep their access.${stranded === 0 ? "" : ` Without another way to sign in: ${alone}.`}`;
}

export function providerDeletionTold(impact: ProviderImpactRecord): Told {
  const { name, own, people, without_another: stranded, complete } = impact;
  const number = (count: number) => `${complete ? "" : "at least "}${counted(count, "person", undefined, "people")}`;
  const without =
    stranded === 0
      ? ""
      : ` Without another way to sign in (no password, passkey or other provider): ${number(stranded)}.`;
  const ends = `Deleting the provider ${name} disconnects ${number(people)}`;
  return own
    ? {
        question: `${ends} and ends their sign-ins that began there.${without} Accounts stay, and their people stay members. You can't undo this.`,
        done: `Deleted ${name}. Sessions that began there have ended. Accounts stay.`,
      }
    : {
        question: `${ends}.${without} Accounts and sessions stay. You can't undo this.`,
        done: `Deleted ${name}. Accounts and sessions stay.`,
      };
}

/** `field=claim`. A claim's name may contain another equals sign. */
function claimsOf(pairs: readonly string[] | undefined): Readonly<Record<string, string>> | undefined {
  if (pairs === undefined) return undefined;
  return Object.fromEntries(
    pairs
      .filter((pair) => pair !== "")
      .map((pair) => {
        const at = pair.indexOf("=");
        if (at < 1) throw new UsageError(`--claim: ${JSON.stringify(pair.slice(0, 50))} must be field=claim`);
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
  );
}

const filled = (values: readonly string[] | undefined) => values?.filter((one) => one !== "");

export function settingsOf(options: ProviderOptions) {
  const { scope, emailDomain, trustEmail, createPeople, believeFresh, hostedDomain, whenDisabled, changeClient } =
    options;
  const { authorizationEndpoint, tokenEndpoint, userEndpoint, teamId, keyId } = options;
  const { claim, profile, mfaAcr, mfaAmr, position } = options;
  return given({
    scopes: scope,
    emailDomains: filled(emailDomain),
    trustEmail,
    createPeople,
    believeFresh,
    hostedDomain: hostedDomain === false ? null : hostedDomain,
    whenDisabled,
    changeClients: filled(changeClient),
    ...{ authorizationEndpoint, tokenEndpoint, userEndpoint, teamId, keyId, profile },
    claims: claimsOf(claim),
    mfaAcr: filled(mfaAcr),
    mfaAmr: filled(mfaAmr),
    position: position === false ? null : position,
  });
}
