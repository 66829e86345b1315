/** `assent issuer …`: issuers whose assertions the server trusts (RFC 7521 §3). */

import { readFile } from "node:fs/promises";
import type { IssuerImpactRecord, IssuerKeys, IssuerSettings } from "@assent/server/admin";
import { type Command, Option } from "commander";
import { Failure, lineOf, UsageError } from "../command-errors.ts";
import { confirm, counted, limitText, TOKENS, type Told, type YesOption, yesOption } from "../confirm.ts";
import { addChangeOptions, changesOf, type ListFlag, listRemarks, listsAfter } from "../list-changes.ts";
import {
  firstOf,
  given,
  type JsonOption,
  limitOption,
  listOption,
  noun,
  requireChanges,
  secondsOption,
  verb,
  withAdmin,
} from "../shared-options.ts";

export interface IssuerOptions extends JsonOption {
  readonly jwks?: string;
  readonly jwksUri?: string;
  readonly certificate?: readonly string[];
  readonly samlMetadata?: string;
  readonly scope?: readonly string[];
  readonly client?: readonly string[];
  readonly audience?: string | false;
  readonly maxLifetime?: number;
  readonly mapSubject?: "username" | "email" | "id" | "link";
  readonly subjectClaim?: string | false;
  readonly subjectAttribute?: string | false;
  readonly emailDomain?: readonly string[];
  readonly subject?: readonly string[];
  readonly createOwners?: boolean;
  readonly tokenExchange?: boolean;
  readonly company?: string | false;
  readonly tenant?: string | false;
  readonly status?: "active" | "disabled";
}

interface CreateOptions extends IssuerOptions {
  readonly type: "jwt" | "saml" | "id-jag";
  readonly issuer: string;
}

/** Lists of which `update` can change single values. */
export const ISSUER_LISTS: readonly ListFlag<"scopes" | "clients" | "emailDomains" | "subjects">[] = [
  { field: "scopes", flag: "scope", value: "<scopes>", one: "scopes that its assertions may request", words: true },
  ...(
    [
      { field: "clients", flag: "client", value: "<client-id>", one: "a client that may use its assertions" },
      { field: "emailDomains", flag: "email-domain", value: "<domain>", one: "a domain whose addresses it assigns" },
      { field: "subjects", flag: "subject", value: "<name>", one: "a subject that its assertions may name" },
    ] as const
  ).map((one) => ({ ...one, words: false, isLimit: true as const })),
];

/** Bytes. The metadata of a whole federation are larger; nobody should trust a federation as one issuer. */
const MAX_FILE = 1_048_576;

export function register(program: Command): void {
  const issuer = noun(program, "issuer", "issuers whose assertions the server trusts");
  const create = verb(issuer, "create", "trust an issuer; clients can exchange its assertions for access tokens")
    .addOption(
      new Option("--type <type>", "the type of its assertions")
        .choices(["jwt", "saml", "id-jag"])
        .makeOptionMandatory(),
    )
    .requiredOption("--issuer <id>", "the iss of its JWTs, or its SAML entity id; compared character by character");
  settings(create)
    .addHelpText(
      "after",
      `
Examples:
  assent issuer create --type saml --issuer https://idp.example.com/saml --saml-metadata idp.xml --scope photos:read --map-subject email
  assent issuer create --type jwt --issuer https://idp.example.com --jwks-uri https://idp.example.com/jwks --scope photos:read
  assent issuer create --type id-jag --issuer https://acme.idp.example --jwks-uri https://acme.idp.example/jwks --scope photos:read --company acme`,
    )
    .action(create_);
  verb(issuer, "list", "list all issuers").action(list);
  addChangeOptions(
    settings(
      verb(
        issuer,
        "update <issuer>",
        "change an issuer; settings that you omit stay the same; lists and keys replace the old ones",
      ),
    ),
    ISSUER_LISTS,
  )
    .option("--no-audience", "accept only this server's own names as the audience")
    .option("--no-subject-claim", "JWT: read the subject from sub")
    .option("--no-subject-attribute", "SAML: read the subject from the NameID")
    .option("--no-create-owners", "accept only assertions about existing owners")
    .option("--no-token-exchange", "its JWTs can't be exchanged")
    .option("--no-company", "ID-JAG: it speaks for everybody here")
    .option("--no-tenant", "ID-JAG: its ID-JAGs have no claim tenant")
    .addOption(
      new Option("--status <status>", "the server refuses assertions of a disabled issuer").choices([
        "active",
        "disabled",
      ]),
    )
    .addOption(yesOption("don't ask before a limit is taken away; required in scripts"))
    .action(change);
  verb(issuer, "delete <issuer>", "delete an issuer and its links; issued tokens work until they expire")
    .addOption(yesOption())
    .action(remove);
  verb(
    issuer,
    "link <issuer> <subject>",
    "link a subject of an issuer to a user; a link takes precedence over --map-subject",
  )
    .requiredOption("--user <user>", "the user, by username or e-mail")
    .addHelpText("after", "\nExample:\n  assent issuer link https://idp.example.com 00u1a2b3c4 --user alice")
    .action(link);
  verb(issuer, "unlink <issuer> <subject>", "delete a link; the user account stays")
    .option("--claim <name>", "the claim or attribute of the link, if the issuer now uses another one")
    .option("--no-claim", "the link is for sub or the NameID, but the issuer now uses another claim")
    .action(unlink);
  verb(issuer, "links <issuer>", "list an issuer's links to users, oldest first")
    .addOption(limitOption())
    .action(links);
}

/** The flags that `create` and `update` share. */
function settings(command: Command): Command {
  return command
    .option("--jwks <file>", "JWT, ID-JAG: file with its public keys (JWK Set)")
    .option("--jwks-uri <url>", "JWT, ID-JAG: URL of its public keys")
    .addOption(listOption("--certificate <file>", "SAML: PEM file of a certificate that signs its assertions"))
    .option("--saml-metadata <file>", "SAML: file with its metadata, which contain the signing certificates")
    .addOption(
      listOption("--scope <scopes>", "scopes that its assertions may request, separated by spaces", { words: true }),
    )
    .addOption(
      listOption(
        "--client <client-id>",
        "a client that may use its assertions; default: any client with the grant type",
      ),
    )
    .option("--audience <id>", "another name of this server that its assertions may use as the audience")
    .addOption(
      secondsOption("--max-lifetime <seconds>", "maximum lifetime of its assertions, up to 86400; default: 3600"),
    )
    .addOption(
      new Option(
        "--map-subject <by>",
        "how its subjects identify an owner; default: username, for ID-JAG link",
      ).choices(["username", "email", "id", "link"]),
    )
    .option("--subject-claim <name>", "JWT, ID-JAG: the claim that holds the subject, instead of sub")
    .option("--subject-attribute <name>", "SAML: the attribute that holds the subject, instead of the NameID")
    .addOption(
      listOption(
        "--email-domain <domain>",
        "a domain whose addresses the issuer assigns; the server accepts only addresses of these domains",
      ),
    )
    .addOption(listOption("--subject <name>", "a subject that its assertions may name, or @domain; default: any owner"))
    .option("--create-owners", "create an owner's account at the first assertion about them")
    .option(
      "--token-exchange",
      "JWT: clients may exchange its JWTs (RFC 8693), as far as assent client exchange allows",
    )
    .option("--company <slug>", "ID-JAG: the company for whose members alone it speaks; default: for everybody")
    .option("--tenant <id>", "ID-JAG: the value that the claim tenant must have; default: there is no such claim");
}

async function create_(options: CreateOptions, command: Command) {
  const keys = await keysOf(options);
  await withAdmin(options, async (admin, out) => {
    const { companyBySlug, createIssuer, issuerRecord, issuerRemarks } = await import("@assent/server/admin");
    const { type, issuer, company } = options;
    const settings = { ...settingsOf(options), ...(await companyIn(company, (slug) => companyBySlug(slug, admin))) };
    const created = await createIssuer({ type, issuer, keys, ...settings }, admin);
    for (const remark of issuerRemarks(created)) out.warn(lineOf(remark, command));
    out.record(issuerRecord(created));
  });
}

async function list(options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { allIssuers, issuerRecord } = await import("@assent/server/admin");
    const issuers = await allIssuers(admin);
    out.list(
      issuers.map(issuerRecord),
      [
        { field: "issuer" },
        { field: "type" },
        { field: "status" },
        { field: "scope" },
        { field: "map_subject" },
        { field: "create_owners" },
      ],
      "There are no trusted issuers. To add one, run: assent issuer create",
    );
  });
}

async function change(issuer: string, options: IssuerOptions & YesOption, command: Command) {
  const keys = await keysOf(options);
  const { company } = options;
  const settings = { ...settingsOf(options), ...given({ keys }) };
  const lists = changesOf(options, ISSUER_LISTS);
  requireChanges({ ...settings, ...lists, ...given({ company }) }, "issuer");
  await withAdmin(options, async (admin, out) => {
    const { changeIssuer, companyBySlug, issuerOf, issuerRecord, issuerRemarks, limitsLost } = await import(
      "@assent/server/admin"
    );
    let before = await issuerOf(issuer, admin);
    const changes = { ...settings, ...(await companyIn(company, (slug) => companyBySlug(slug, admin))) };
    const opens = limitsLost(before, { ...before, ...changes });
    if (opens.length > 0) await confirm(limitText(`issuer ${issuer}`, opens), options);
    const { issuer: changed, notes } = await changeIssuer(
      issuer,
      (present) => {
        before = present;
        return { ...changes, ...listsAfter(present, lists, ISSUER_LISTS) };
      },
      admin,
    );
    for (const remark of listRemarks(options, { before, after: changed }, ISSUER_LISTS)) out.warn(remark);
    for (const remark of issuerRemarks(changed)) out.warn(lineOf(remark, command));
    out.record(issuerRecord(changed));
    for (const note of notes) out.note(note);
    if (options.status === "disabled") out.note(ISSUER_DISABLED);
  });
}

export const ISSUER_DISABLED = `The server refuses its assertions now. ${TOKENS}`;

async function remove(issuer: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { deleteIssuer, impactOfIssuer, issuerImpactRecord } = await import("@assent/server/admin");
    const { question, done } = await issuerDeletionTold(issuerImpactRecord(await impactOfIssuer(issuer, admin)));
    await confirm(question, options);
    await deleteIssuer(issuer, admin);
    out.done({ issuer, deleted: true }, done);
  });
}

export async function issuerDeletionTold({ issuer, links, clients }: IssuerImpactRecord): Promise<Told> {
  const { firstNames, MOST_COUNTED } = await import("@assent/server/admin");
  const alone =
    clients.length === 0
      ? ""
      : ` ${counted(clients.length, "client")} can no longer authenticate with its tokens: ${firstNames(clients)}.`;
  return {
    question: `Deleting the issuer ${issuer} ends ${counted(links, "link", MOST_COUNTED)} of its subjects to users. The server refuses its assertions.${alone} ${TOKENS} You can't undo this.`,
    done: `Deleted ${issuer}. ${ISSUER_DISABLED}`,
  };
}

async function link(issuer: string, subject: string, options: JsonOption & { readonly user: string }) {
  await withAdmin(options, async (admin, out) => {
    const { linkSubject } = await import("@assent/server/admin");
    const { person, subject: linked } = await linkSubject(issuer, subject, options.user, admin);
    const { username, personId } = person;
    const { subject: text, claim } = linked;
    const record = { issuer, claim, subject: text, user_id: personId, username };
    out.done(record, `Linked ${text} of ${issuer} to ${username}.`);
  });
}

async function unlink(
  issuer: string,
  subject: string,
  { claim, ...options }: JsonOption & { readonly claim?: string | false },
) {
  await withAdmin(options, async (admin, out) => {
    const { unlinkSubject } = await import("@assent/server/admin");
    const which = given({ claim: claim === false ? null : claim });
    const { subject: text, claim: of } = await unlinkSubject(issuer, subject, which, admin);
    out.done({ issuer, claim: of, subject: text, unlinked: true }, `Deleted the link of ${text} of ${issuer}.`);
  });
}

async function links(issuer: string, options: JsonOption & { readonly limit?: number }) {
  await withAdmin(options, async (admin, out) => {
    const { subjectLinksOf: linksOf, subjectLinkRecord } = await import("@assent/server/admin");
    const found = await firstOf(linksOf(issuer, admin), options.limit);
    out.list(
      found.map(({ link: each, person }) => subjectLinkRecord(issuer, each, person)),
      [{ field: "subject" }, { field: "claim" }, { field: "username" }, { field: "made_by" }, { field: "created_at" }],
      "No subject of this issuer is linked: assent issuer link",
    );
  });
}

/** The record has the company's id, because a slug can change. */
export async function companyIn(
  company: string | false | undefined,
  find: (slug: string) => Promise<{ readonly companyId: string }>,
): Promise<Pick<IssuerSettings, "company">> {
  if (company === undefined) return {};
  return { company: company === false ? null : (await find(company)).companyId };
}

export function settingsOf(options: IssuerOptions): IssuerSettings {
  const { scope, client, audience, maxLifetime, mapSubject, emailDomain, subject, createOwners, status } = options;
  const { tokenExchange: exchange, tenant } = options;
  return given({
    scopes: scope === undefined ? undefined : [...new Set(scope)],
    clients: client?.filter((one) => one !== ""),
    audience: audience === false ? null : audience,
    subjects: subject?.filter((one) => one !== ""),
    maxLifetime,
    mapSubject,
    subjectClaim: subjectClaimOf(options),
    emailDomains: emailDomain?.filter((one) => one !== ""),
    createOwners,
    exchange,
    tenant: tenant === false ? null : tenant,
    status,
  });
}

/** The one setting for the JWT claim or the SAML attribute that holds the subject. Null: none any more. */
function subjectClaimOf(options: IssuerOptions & Partial<CreateOptions>): string | null | undefined {
  const { type, subjectClaim, subjectAttribute } = options;
  if (subjectClaim !== undefined && subjectAttribute !== undefined) {
    throw new UsageError("use either --subject-claim (JWT) or --subject-attribute (SAML)");
  }
  if (type === "saml" && subjectClaim !== undefined) throw new UsageError("use --subject-attribute with SAML");
  if (type !== undefined && type !== "saml" && subjectAttribute !== undefined)
    throw new UsageError("use --subject-claim with JWT");
  const named = subjectClaim ?? subjectAttribute;
  return named === false ? null : named;
}

/** The one source of keys that the command line names. */
export async function keysOf(options: IssuerOptions): Promise<IssuerKeys | undefined> {
  const { jwks, jwksUri, certificate, samlMetadata } = options;
  const named = [jwks, jwksUri, certificate, samlMetadata].filter((one) => one !== undefined);
  if (named.length > 1) throw new UsageError("use only one of --jwks, --jwks-uri, --certificate and --saml-metadata");
  if (jwks !== undefined) return { jwks: await jsonOf(jwks) };
  if (jwksUri !== undefined) return { jwksUri };
  if (certificate !== undefined) return { certificate: (await Promise.all(certificate.map(textOf))).join("\n") };
  return samlMetadata === undefined ? undefined : { samlMetadata: await textOf(samlMetadata) };
}

async function textOf(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new Failure(`${file}: the file can't be read (${error.message})`);
  });
  if (text.length > MAX_FILE) throw new Failure(`${file}: the file is larger than ${MAX_FILE} bytes`);
  return text;
}

async function jsonOf(file: string): Promise<unknown> {
  const text = await textOf(file);
  try {
    return JSON.parse(text);
  } catch {
    // Text that can't be parsed may be a private key, so the error repeats none of it.
    throw new Failure(`${file}: the file is not JSON`);
  }
}
