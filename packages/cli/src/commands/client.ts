/** `assent client …`: apps that ask for access. */

import type { Client, ClientChanges, OpenedAdmin, OwnClientSettings, Place } from "@assent/server/admin";
import { type Command, Option } from "commander";
import { jsonOf, logoOf } from "../client-files.ts";
import { lineOf, type Problem, UsageError } from "../command-errors.ts";
import { type YesOption, yesOption } from "../confirm.ts";
import { CLIENT_COLUMNS } from "../list-columns.ts";
import type { Output, WireRecord } from "../print-records.ts";
import {
  everyPage,
  type Filters,
  filterOption,
  firstOf,
  flagIn,
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
import { registerConnect } from "./client-connect.ts";
import { remove, setStatus, statusChange } from "./client-ending.ts";
import { registerExchange } from "./client-exchange.ts";
import { withOwnLogo } from "./client-own-logo.ts";
import { addWorkloadOptions, type WorkloadOptions, workloadOf } from "./client-workload.ts";
import {
  addListChangeOptions,
  addListOptions,
  dropRemarks,
  grantTypeOf,
  listChangesOf,
} from "./multi-valued-client-options.ts";
import { translations } from "./scope.ts";

export interface ClientOptions extends JsonOption, WorkloadOptions {
  readonly name?: string;
  readonly redirectUri?: readonly string[];
  readonly postLogoutRedirectUri?: readonly string[];
  readonly grantType?: readonly string[];
  readonly responseType?: readonly string[];
  readonly scope?: readonly string[];
  readonly ownScope?: readonly string[];
  readonly defaultScope?: readonly string[];
  readonly authMethod?: string;
  readonly jwks?: string;
  readonly jwksUri?: string;
  readonly tlsSubject?: string;
  readonly certificateBound?: boolean;
  readonly idTokenAlg?: string;
  readonly backchannelLogoutUri?: string | false;
  readonly backchannelLogoutSessionRequired?: boolean;
  readonly tokenEndpointAudience?: boolean;
  readonly requirePkce?: boolean;
  readonly allowPlainPkce?: boolean;
  readonly firstParty?: boolean;
  readonly consentCeiling?: number | "none" | false;
  readonly refresh?: "rotate" | "keep";
  readonly nameLang?: readonly string[];
  readonly optionalScope?: readonly string[];
  readonly publisher?: string | false;
  readonly accent?: string | false;
  readonly verified?: boolean;
  readonly reviewed?: boolean;
  readonly clientUri?: string;
  readonly policyUri?: string;
  readonly tosUri?: string;
  readonly logo?: string | false;
}

export function register(program: Command): void {
  const client = noun(program, "client", "apps that ask for access");
  registerCreate(client);
  verb(client, "list", "list all clients")
    .addOption(filterOption(["name", "status", "type", "verified", "reviewed"]))
    .addOption(limitOption())
    .action(list);
  verb(client, "show <client-id>", "show a client").action(show);
  registerUpdate(client);
  verb(
    client,
    "disable <client-id>",
    "disable a client; it gets no more tokens, and all its grants end for good; issued access tokens work until they expire",
  )
    .addOption(yesOption())
    .action((clientId: string, options: JsonOption & YesOption) => setStatus(clientId, "disabled", options));
  verb(
    client,
    "enable <client-id>",
    "enable a disabled client again; ended grants stay ended, and consents that still last are valid again",
  ).action((clientId: string, options: JsonOption) => setStatus(clientId, "active", options));
  verb(
    client,
    "delete <client-id>",
    "delete a client; it gets no more tokens, and owners' consents and companies' connections end; issued access tokens work until they expire",
  )
    .addOption(yesOption())
    .action(remove);
  registerExchange(client);
  registerConnect(client);
  verb(client, "rotate-secret <client-id>", "give a confidential client a new secret")
    .addOption(
      secondsOption(
        "--overlap <seconds>",
        "how long the old secret still works; default: one day; use 0 if it has leaked",
      ).default(86_400),
    )
    .action(rotate);
  verb(client, "logo <client-id> [file]", "set the picture on the consent page (PNG, JPEG, WebP or GIF, up to 1 MiB)")
    .option("--remove", "remove the current picture")
    .action(logo);
}

function registerCreate(client: Command): void {
  const create = verb(client, "create", "register a client; its secret is printed once")
    .requiredOption("--name <text>", "the name that owners see")
    .addOption(
      new Option(
        "--type <type>",
        "confidential: runs on a server and keeps a secret; public: runs in a browser or on a device",
      )
        .choices(["confidential", "public"])
        .makeOptionMandatory(),
    );
  settings(create)
    .option("--logo <file>", "picture on the consent page: PNG, JPEG, WebP or GIF, up to 1 MiB")
    .addHelpText(
      "after",
      `
By default, a confidential client has the grant types authorization_code and refresh_token, and a public client has
only authorization_code. Refresh tokens of a public client always rotate. For a service that acts in its own name, use
--grant-type client_credentials --own-scope SCOPE.

Example:
  assent client create --name "Photo Printer" --type confidential --require-pkce \\
    --redirect-uri https://printer.example/callback --scope "photos:read profile"`,
    )
    .action(create_);
}

function registerUpdate(client: Command): void {
  const update = verb(
    client,
    "update <client-id>",
    "change a client; settings that you omit stay the same; --add-… and --remove-… change a list, and the plain option replaces it",
  ).option("--name <text>", "the name that owners see");
  addListChangeOptions(settings(update))
    .option("--no-publisher", "remove the publisher")
    .option("--no-accent", "use the server's colours on the pages of its requests")
    .option("--no-consent-ceiling", "use the server's limit for this type of client (ASSENT_CONSENT_CEILING)")
    .option("--reviewed", "send errors to its redirect URI at once, as for every client that an operator created")
    .option("--no-reviewed", "show people a page before an error redirects them to the client (RFC 9700 §4.11.2)")
    .option("--no-backchannel-logout-uri", "don't tell it that a person has signed out")
    .option("--no-backchannel-logout-session-required", "it doesn't need the session in logout tokens")
    .option("--no-verified", "tell owners that you have not verified this client")
    .option("--no-require-pkce", "make PKCE optional for a confidential client")
    .option("--no-allow-plain-pkce", "accept only S256 challenges")
    .option("--no-first-party", "ask owners for consent again")
    .option("--no-certificate-bound", "don't bind its access tokens to a certificate")
    .option("--no-token-endpoint-audience", "accept only assertions whose audience is the issuer")
    .addOption(
      new Option("--status <status>", "the server refuses all requests of a disabled client").choices([
        "active",
        "disabled",
      ]),
    )
    .addOption(yesOption())
    .action(change);
}

/** The flags that `create` and `update` share. */
function settings(command: Command): Command {
  return addWorkloadOptions(addListOptions(command))
    .addOption(
      listOption("--name-lang <tag=text>", "the client's name in another language: de=Fotodrucker; de= removes it"),
    )
    .option("--publisher <text>", "the publisher's name, which owners see")
    .option(
      "--accent <colours>",
      "accent colour of the pages of its requests: #rrggbb, or #rrggbb,#rrggbb for light and dark mode",
    )
    .option("--verified", "tell owners that you have verified this client")
    .option(
      "--auth-method <method>",
      "client_secret_basic, client_secret_post, client_secret_jwt, private_key_jwt, workload_jwt, tls_client_auth, self_signed_tls_client_auth or none",
    )
    .option("--jwks <file>", "file with its public keys (JWK Set); - reads standard input")
    .option("--jwks-uri <url>", "URL of its public keys")
    .option(
      "--tls-subject <field=value>",
      "the name in its certificate, for tls_client_auth; the field is dn, san_dns, san_uri, san_ip or san_email (dn=CN=import,O=Example)",
    )
    .option(
      "--id-token-alg <alg>",
      "the algorithm that signs its ID tokens: RS256, ES256, ES384, EdDSA or PS256; default: RS256",
    )
    .option("--backchannel-logout-uri <url>", "where it learns that a person has signed out; https")
    .option(
      "--backchannel-logout-session-required",
      "it needs the session (sid) in each logout token; they all have it",
    )
    .option("--certificate-bound", "bind its access tokens to the certificate of its connection (RFC 8705 §3)")
    .option(
      "--token-endpoint-audience",
      "also accept assertions whose audience is the token endpoint's URL, for clients that can't name the issuer",
    )
    .option("--require-pkce", "refuse requests without a code challenge")
    .option("--allow-plain-pkce", "accept plain code challenges from it (RFC 7636 §4.2)")
    .option("--first-party", "don't ask owners for consent; only for your own apps")
    .addOption(
      secondsOption(
        "--consent-ceiling <seconds>",
        "the longest time that a consent to it lasts, or none; replaces the server's limit (ASSENT_CONSENT_CEILING)",
        "none",
      ),
    )
    .addOption(
      new Option("--refresh <how>", "rotate: each refresh replaces the refresh token; keep: it stays the same").choices(
        ["rotate", "keep"],
      ),
    )
    .option("--client-uri <url>", "its home page")
    .option("--policy-uri <url>", "its privacy policy")
    .option("--tos-uri <url>", "its terms of service");
}

/** Metadata as in a registration (RFC 7591 §2). Keys given in one way replace those given in the other way. */
export async function metadataOf(options: ClientOptions) {
  if (options.jwks !== undefined && options.jwksUri !== undefined)
    throw new UsageError("use either --jwks or --jwks-uri");
  return given({
    jwks: options.jwks === undefined ? (options.jwksUri === undefined ? undefined : null) : await jsonOf(options.jwks),
    jwks_uri: options.jwksUri ?? (options.jwks === undefined ? undefined : null),
    ...(options.tlsSubject === undefined ? {} : tlsSubjectOf(options.tlsSubject)),
    tls_client_certificate_bound_access_tokens: options.certificateBound,
    id_token_signed_response_alg: options.idTokenAlg,
    client_name: options.name,
    redirect_uris: options.redirectUri,
    post_logout_redirect_uris: options.postLogoutRedirectUri,
    backchannel_logout_session_required: options.backchannelLogoutSessionRequired,
    ...(options.backchannelLogoutUri === false ? WITHOUT_BACK_CHANNEL : {}),
    ...(options.backchannelLogoutUri ? { backchannel_logout_uri: options.backchannelLogoutUri } : {}),
    grant_types: options.grantType?.map(grantTypeOf),
    response_types: options.responseType,
    scope: options.scope?.join(" "),
    optional_scope: options.optionalScope?.join(" "),
    ...namesOf(options.nameLang),
    token_endpoint_auth_method: options.authMethod ?? (options.workloadIssuer && "workload_jwt"),
    client_uri: options.clientUri,
    policy_uri: options.policyUri,
    tos_uri: options.tosUri,
  });
}

const WITHOUT_BACK_CHANNEL = { backchannel_logout_uri: null, backchannel_logout_session_required: null };

/** RFC 7591 §2.2: names in other languages. An empty text removes a name. */
function namesOf(words: readonly string[] | undefined): Readonly<Record<string, string | null>> {
  const names = Object.entries(translations(words, "--name-lang") ?? {});
  return Object.fromEntries(names.map(([tag, text]) => [`client_name#${tag}`, text === "" ? null : text]));
}

const TLS_SUBJECTS = ["dn", "san_dns", "san_uri", "san_ip", "san_email"];

/** RFC 8705 §2.1.2: the named field replaces any other one. */
function tlsSubjectOf(text: string): Readonly<Record<string, string | null>> {
  const [, name, value] = /^([a-z_]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined || !TLS_SUBJECTS.includes(name)) {
    throw new UsageError(`--tls-subject must be FIELD=VALUE; the fields are ${TLS_SUBJECTS.join(", ")}`);
  }
  return Object.fromEntries(
    TLS_SUBJECTS.map((field) => [
      field === "dn" ? "tls_client_auth_subject_dn" : `tls_client_auth_${field}`,
      field === name ? value : null,
    ]),
  );
}

export function ownSettingsOf(options: ClientOptions): OwnClientSettings {
  return given({
    ownScopes: options.ownScope,
    defaultScopes: options.defaultScope,
    workload: workloadOf(options),
    requirePkce: options.requirePkce,
    allowPlainPkce: options.allowPlainPkce,
    firstParty: options.firstParty,
    consentCeiling: options.consentCeiling === false ? null : options.consentCeiling,
    refresh: options.refresh,
    publisher: options.publisher === false ? null : options.publisher,
    accent: options.accent === false ? null : options.accent,
    verified: options.verified,
    reviewed: options.reviewed,
    tokenEndpointAudience: options.tokenEndpointAudience,
  });
}

async function create_(options: ClientOptions & { readonly type: "confidential" | "public" }, command: Command) {
  await withAdmin(options, async (admin, out) => {
    const { clientRecord, createClient, pkceNotes } = await import("@assent/server/admin");
    const picture = typeof options.logo === "string" ? await logoOf(options.logo) : undefined;
    const { client, secret } = await createClient(
      {
        type: options.type,
        metadata: await metadataOf(options),
        ...ownSettingsOf(options),
        ...given({ logo: picture }),
      },
      admin,
    );
    await warn(client, admin, out, command);
    const similar = await warnOfSimilar(client, admin, out);
    const record = { ...clientRecord(client, admin.issuer, secret), ...similar };
    out.record(record, ["client_secret"]);
    for (const note of pkceNotes(client, admin.config)) out.note(note);
    out.note(await nextStep(record, admin.issuer));
  });
}

/** What to do with a client that was just registered. */
export async function nextStep(record: Readonly<Record<string, unknown>>, issuer: string): Promise<string> {
  const { client_id: clientId, client_secret: secret = null, scope, own_scope: ownScope } = record;
  if ([scope, ownScope].every((one) => (one ?? "") === "")) {
    return `Next: add the scopes that the client may request: assent client update ${clientId} --add-scope SCOPE (to list them, run assent scope list).`;
  }
  const { metadataUrl } = await import("@assent/server/admin");
  return `Next: put the issuer ${issuer}, client_id${secret === null ? "" : " and client_secret"} into the app's configuration. Its library finds the rest at ${metadataUrl(issuer)}`;
}

async function list(options: JsonOption & { readonly limit?: number; readonly filter?: Filters }) {
  const { name, status, type, verified, reviewed } = options.filter ?? {};
  const filter = given({
    name,
    status: oneOf("status", status, ["active", "disabled"]),
    type: oneOf("type", type, ["confidential", "public"]),
    verified: flagIn(oneOf("verified", verified, ["true", "false"])),
    reviewed: flagIn(oneOf("reviewed", reviewed, ["true", "false"])),
  });
  await withAdmin(options, async (admin, out) => {
    const { clientRecord, listClients } = await import("@assent/server/admin");
    const all = everyPage<Client, Place>((part) => listClients({ ...filter, ...part }, admin));
    const clients = await firstOf(all, options.limit);
    out.list(
      clients.map((client) => clientRecord(client, admin.issuer)),
      CLIENT_COLUMNS,
      noneWith(options.filter, "There are no clients: assent client create"),
    );
  });
}

async function show(clientId: string, options: JsonOption, command: Command) {
  await withAdmin(options, async (admin, out) => {
    const { clientOf, clientRecord } = await import("@assent/server/admin");
    const client = await clientOf(clientId, admin);
    await warn(client, admin, out, command);
    out.record(clientRecord(client, admin.issuer));
  });
}

async function change(
  clientId: string,
  options: ClientOptions & YesOption & { readonly status?: "active" | "disabled" },
  command: Command,
) {
  const lists = listChangesOf(options);
  const changes: ClientChanges = {
    lists,
    metadata: await metadataOf(options),
    ...ownSettingsOf(options),
    ...given({ status: options.status }),
  };
  const { metadata, lists: _, ...own } = changes;
  requireChanges({ ...metadata, ...own, ...lists }, "client");
  await withAdmin(options, async (admin, out) => {
    const use = await import("@assent/server/admin");
    const { changeClient, clientOf, clientRecord, droppedValues, namesClient } = use;
    const { needsSecret, redirectRemarks, rotateSecret } = use;
    const before = await clientOf(clientId, admin);
    const told = await statusChange(clientId, options.status, options, admin);
    const { client: stored, notes } = await changeClient(clientId, changes, admin);
    const changed = await withOwnLogo(stored, options, admin, out);
    // The new method can't use what the server stores of the old secret, so the client gets a new secret.
    const { client, secret } = needsSecret(changed)
      ? await rotateSecret(clientId, 0, admin)
      : { client: changed, secret: null };
    for (const remark of dropRemarks(options, droppedValues(before, client))) out.warn(remark);
    for (const remark of redirectRemarks(before, client)) out.warn(lineOf(remark, command));
    await warn(client, admin, out, command);
    const similar = namesClient(metadata ?? {}) ? await warnOfSimilar(client, admin, out) : {};
    out.record({ ...clientRecord(client, admin.issuer, secret), ...similar }, ["client_secret"]);
    if (secret !== null) out.note("The old secret no longer works.");
    for (const note of notes) out.note(note);
    if (told !== undefined) out.note(told);
  });
}

async function rotate(clientId: string, options: JsonOption & { readonly overlap: number }) {
  await withAdmin(options, async (admin, out) => {
    const { clientRecord, rotateSecret } = await import("@assent/server/admin");
    const { client, secret, oldUntil } = await rotateSecret(clientId, options.overlap * 1000, admin);
    out.record(clientRecord(client, admin.issuer, secret), ["client_secret"]);
    const until = new Date(oldUntil).toISOString();
    out.note(
      options.overlap === 0
        ? "The old secret no longer works."
        : `The old secret works until ${until}. To end it at once, use --overlap 0.`,
    );
  });
}

async function logo(clientId: string, file: string | undefined, options: JsonOption & { readonly remove?: true }) {
  if ((file === undefined) === (options.remove === undefined)) {
    throw new UsageError("name a picture file, or use --remove");
  }
  const picture = file === undefined ? null : await logoOf(file);
  await withAdmin(options, async (admin, out) => {
    const { clientRecord, setLogo } = await import("@assent/server/admin");
    out.record(clientRecord(await setLogo(clientId, picture, admin), admin.issuer));
  });
}

async function warn(
  client: Parameters<typeof import("@assent/server/admin").clientRemarks>[0],
  admin: OpenedAdmin,
  out: Output,
  command: Command,
) {
  const { clientRemarks, surroundings } = await import("@assent/server/admin");
  for (const remark of clientRemarks(client, await surroundings(admin))) out.warn(clientRemarkLine(remark, command));
}

/** One line for a remark about a client. */
export function clientRemarkLine(remark: Problem, command: Command): string {
  return remark.field === "scope" ? `${remark.problem}: add --scope` : lineOf(remark, command);
}

/** Warns about clients that owners could mistake for this one. Returns the field of the record that names them. */
async function warnOfSimilar(
  client: Parameters<typeof import("@assent/server/admin").similarClients>[0],
  admin: OpenedAdmin,
  out: Output,
): Promise<WireRecord> {
  const { similarClients, similarRecords } = await import("@assent/server/admin");
  const record = similarRecords(await similarClients(client, admin));
  for (const warning of await similarWarnings(record)) out.warn(warning);
  return record;
}

/** `similar_clients`: of the record of a client that was made or changed. */
export async function similarWarnings({
  similar_clients: similar = [],
}: {
  readonly similar_clients?: readonly { readonly client_id: string; readonly client_name: string }[];
}): Promise<readonly string[]> {
  if (similar.length === 0) return [];
  const { similarText } = await import("@assent/server/admin");
  return [`--name: ${similarText(similar.map(({ client_id: clientId, client_name: name }) => ({ clientId, name })))}`];
}
