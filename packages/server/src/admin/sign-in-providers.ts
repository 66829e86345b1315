/** The operator's use-cases for OpenID Connect providers at which people may sign in. */

import { base64url } from "../crypto/random.ts";
import { sealProviderSecret } from "../crypto/sign-in-provider-secrets.ts";
import { displayTextProblem } from "../oauth/names/display-name.ts";
import { isScopeName } from "../oauth/scope.ts";
import { canonicalDomain } from "../owners/canonical-login.ts";
import { impactOfProvider as impact, type ProviderImpact } from "../owners/identities/provider-impact.ts";
import {
  PROVIDER_PRESETS,
  type PresetInputs,
  presetOf,
  settingsOfPreset,
} from "../owners/identities/provider-presets.ts";
import type { PresetName, SignInProvider } from "../owners/identities/sign-in-provider.ts";
import type { WhenDisabled } from "../owners/upstream-change-storage.ts";
import { isLoopbackHost } from "../setting-kinds.ts";
import { type Remark, refuse, refuseAny } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";
import { type Precondition, untilStored } from "./precondition.ts";
import { type FurtherSettings, furtherProblems, splitSettings, withFurther } from "./provider-settings.ts";

export type { WhenDisabled } from "../owners/upstream-change-storage.ts";

/** The sign-in page has a button for each. */
export const MAX_PROVIDERS = 50;
const MAX_NAME = 60;
const MAX_ISSUER = 1024;
const MAX_SCOPES = 50;
const MAX_DOMAINS = 200;
const MAX_CHANGE_CLIENTS = 10;
export const DEFAULT_PROVIDER_SCOPES: readonly string[] = ["openid", "profile", "email"];

interface Settings extends FurtherSettings {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Null: this server is a public client there. */
  readonly clientSecret: string | null;
  /** `openid` is added. */
  readonly scopes: readonly string[];
  readonly emailDomains: readonly string[];
  readonly trustEmail: boolean;
  readonly createPeople: boolean;
  /** A fresh sign-in that was asked for counts although the provider does not say when it was. */
  readonly believeFresh: boolean;
  /** The organization that Google must name. Null: any, or none. */
  readonly hostedDomain: string | null;
  readonly whenDisabled: WhenDisabled;
  /** Clients of this server that may tell of changes to the provider's people. */
  readonly changeClients: readonly string[];
  readonly status: SignInProvider["status"];
}

/** Without a preset, the name and the issuer are needed. */
export type NewProvider = Pick<Settings, "clientId"> &
  Partial<Settings> &
  PresetInputs & { readonly type?: SignInProvider["type"] } & { readonly preset?: PresetName };

export type { PresetName } from "../owners/identities/sign-in-provider.ts";

/** `addEmailDomains`, `removeEmailDomains`: change the present list, or the new one if there is one. */
export type ProviderChanges = Partial<Settings> & {
  readonly addEmailDomains?: readonly string[];
  readonly removeEmailDomains?: readonly string[];
};

/** `remarks`: what the operator should look at again. */
export interface StoredProvider {
  readonly provider: SignInProvider;
  readonly remarks: readonly Remark[];
}

/** Throws `invalid` with all problems, `taken`, or `conflict` if there are too many. */
export async function createProvider(input: NewProvider, context: AdminContext): Promise<StoredProvider> {
  const { clientSecret = null, preset, tenant, host, realm, hostedDomain, ...given } = input;
  const { further, usual: settings } = splitSettings(given);
  const made = preset && settingsOfPreset(preset, settings.issuer, { tenant, host, realm });
  if (made?.kind === "problems") refuseAny(made.problems);
  const { name, scopes, claims } = preset === undefined ? {} : PROVIDER_PRESETS[preset];
  const drafted: SignInProvider = {
    id: newProviderId(context),
    type: "openid",
    sealedSecret: null,
    scopes: scopes ?? (settings.type === "oauth" ? [] : DEFAULT_PROVIDER_SCOPES),
    ...(claims && { claims }),
    emailDomains: [],
    trustEmail: false,
    createPeople: true,
    status: "active",
    createdAt: context.now(),
    name: name ?? "",
    issuer: "",
    ...settings,
    ...(made?.kind === "made" ? made.settings : {}),
  };
  const provider = withFurther(withHostedDomain(hostedDomain, drafted), further);
  refuseAny([
    ...problemsOf(provider, undefined, context),
    ...secretProblems(provider, clientSecret),
    ...furtherProblems(provider, clientSecret),
    ...(await changeClientProblems(settings.changeClients ?? [], context)),
  ]);
  const stored = { ...provider, sealedSecret: sealed(provider.id, clientSecret, context) };
  await put(stored, null, context);
  return { provider: stored, remarks: remarksOf(stored) };
}

/**
 * Changes the named settings. If the issuer is at another origin than before, the stored secret is deleted unless the
 * changes bring one: the server must not send it to a new host. Throws `unknown`, `taken`, or `invalid` with all
 * problems of the changed provider.
 */
export function updateProvider(
  id: string,
  changes: ProviderChanges,
  context: AdminContext,
  check: Precondition<SignInProvider> = () => undefined,
): Promise<StoredProvider> {
  return untilStored(async () => {
    const before = await providerOf(id, context);
    check(before);
    return changedProvider(before, changes, context);
  });
}

/** Undefined: the stored provider is not `before` any more. */
async function changedProvider(
  before: SignInProvider,
  changes: ProviderChanges,
  context: AdminContext,
): Promise<StoredProvider | undefined> {
  const { id } = before;
  const { clientSecret, addEmailDomains = [], removeEmailDomains = [], hostedDomain, ...given } = changes;
  const { further, usual: settings } = splitSettings(given);
  const replaced = { ...before, ...settings };
  const removed = new Set(removeEmailDomains.map((one) => canonicalDomain(one) ?? one));
  const present = replaced.emailDomains.map((one) => canonicalDomain(one) ?? one);
  const emailDomains = [...present.filter((one) => !removed.has(one)), ...addEmailDomains];
  const after = withFurther(withHostedDomain(hostedDomain, { ...replaced, emailDomains }), further);
  refuseAny([
    ...[...removed].filter((one) => !present.includes(one)).map((one) => absentDomain(one, present)),
    ...problemsOf(after, before, context),
    ...secretProblems(after, clientSecret ?? null),
    ...furtherProblems(after, clientSecret),
    ...(await changeClientProblems(settings.changeClients ?? [], context)),
  ]);
  const moved = secretReceiverOf(after) !== secretReceiverOf(before);
  const kept = moved ? null : before.sealedSecret;
  const stored = {
    ...after,
    sealedSecret: clientSecret === undefined ? kept : sealed(id, clientSecret, context),
  };
  if (!(await put(stored, before, context))) return undefined;
  const cleared = moved && clientSecret === undefined && before.sealedSecret !== null;
  return { provider: stored, remarks: [...issuerRemarks(before, stored, cleared), ...remarksOf(stored)] };
}

/** In the order of their creation. */
export function allProviders({ storage }: AdminContext): Promise<readonly SignInProvider[]> {
  return storage.signInProviders.list();
}

/** Throws `unknown`. */
export async function providerOf(id: string, { storage }: AdminContext): Promise<SignInProvider> {
  return (await storage.signInProviders.list()).find((one) => one.id === id) ?? unknownProvider(id);
}

/** Nobody can sign in there from now on; sessions stay. Deletes the links of its subjects. Throws `unknown`. */
export async function deleteProvider(id: string, { storage, now }: AdminContext): Promise<void> {
  if (!(await storage.signInProviders.delete({ id, now: now() }))) unknownProvider(id);
}

export type { ProviderImpact } from "../owners/identities/provider-impact.ts";

/** Throws `unknown`. */
export async function impactOfProvider(id: string, context: AdminContext): Promise<ProviderImpact> {
  return impactOf(await providerOf(id, context), context);
}

export async function impactOf(provider: SignInProvider, context: AdminContext): Promise<ProviderImpact> {
  const others = (await allProviders(context)).filter((one) => one.id !== provider.id && one.status === "active");
  return impact(provider, others, context.storage);
}

/** A random id that command lines don't take for an option. */
export function newProviderId({ randomBytes }: Pick<AdminContext, "randomBytes">): string {
  for (;;) {
    const id = base64url(randomBytes(16));
    if (/^[A-Za-z0-9]/.test(id)) return id;
  }
}

/** Each scope and domain once. Domains that are none stay as they are, so that the refusal can name them. */
function withCanonicalLists(provider: SignInProvider): SignInProvider {
  return {
    ...provider,
    name: provider.name.normalize("NFC"),
    scopes: [...new Set([...(provider.type === "openid" ? ["openid"] : []), ...provider.scopes])],
    emailDomains: [...new Set(provider.emailDomains.map((one) => canonicalDomain(one) ?? one))],
  };
}

/** `domain` undefined: as before. */
function withHostedDomain(domain: string | null | undefined, provider: SignInProvider): SignInProvider {
  if (domain === undefined) return withCanonicalLists(provider);
  const { requiredClaims, ...rest } = provider;
  const { hd: _, ...others } = requiredClaims ?? {};
  const claims = domain === null ? others : { ...others, hd: canonicalDomain(domain) ?? domain };
  return withCanonicalLists(Object.keys(claims).length === 0 ? rest : { ...rest, requiredClaims: claims });
}

function sealed(id: string, secret: string | null, { secrets }: AdminContext): string | null {
  if (secret === null) return null;
  const sealing = secrets?.() ?? refuse("conflict", null, "there is no key to encrypt the secret with");
  return sealProviderSecret(sealing, id, secret);
}

/** False: the stored provider is not `before` any more. */
async function put(
  provider: SignInProvider,
  before: SignInProvider | null,
  { storage }: AdminContext,
): Promise<boolean> {
  const expected = before === null ? {} : { expected: before };
  switch (await storage.signInProviders.put({ provider, create: before === null, most: MAX_PROVIDERS, ...expected })) {
    case "stored":
      return true;
    case "conflict":
      return false;
    case "unknown":
      return unknownProvider(provider.id);
    case "taken":
      return refuse(
        "taken",
        "client_id",
        `there is a provider with this client ID and the issuer ${provider.issuer} already`,
      );
    case "company_domain":
      return refuse("taken", "email_domain", "one of these domains belongs to a company: see assent company show SLUG");
    case "full":
      return refuse("conflict", null, `there are ${MAX_PROVIDERS} providers already, which is the most: delete one`);
  }
}

function unknownProvider(id: string): never {
  return refuse("unknown", "provider", `there is no provider ${JSON.stringify(id.slice(0, 100))}`);
}

/** `before`: the present record, whose name may be older than the rules for names. */
function problemsOf(
  provider: SignInProvider,
  before: SignInProvider | undefined,
  context: AdminContext,
): readonly Remark[] {
  const { name, issuer, clientId, scopes, emailDomains, trustEmail } = provider;
  const problems: Remark[] = [];
  const add = (field: string, problem: string | undefined) => {
    if (problem !== undefined) problems.push({ field, problem });
  };
  add("name", displayTextProblem(name, MAX_NAME, before?.name));
  add("issuer", issuerProblem(issuer, context.issuer));
  if (!/^[\u0021-\u007e]{1,255}$/.test(clientId)) {
    add("client_id", "must be 1 to 255 printable ASCII characters without spaces, exactly as the provider shows it");
  }
  if (scopes.length > MAX_SCOPES) add("scope", `at most ${MAX_SCOPES} values are allowed`);
  const noScope = scopes.find((one) => !isScopeName(one));
  if (noScope !== undefined) add("scope", `${quoted(noScope)} is not a scope (RFC 6749 §3.3)`);
  if (emailDomains.length > MAX_DOMAINS) add("email_domain", `at most ${MAX_DOMAINS} values are allowed`);
  const noDomain = emailDomains.find((one) => canonicalDomain(one) === undefined);
  if (noDomain !== undefined) add("email_domain", `${quoted(noDomain)} is not a domain of an e-mail address`);
  if (trustEmail && emailDomains.length === 0) {
    add(
      "trust_email",
      "name the provider's own e-mail domains first: without any, the provider could name anybody's address and so get into their account",
    );
  }
  return [...problems, ...presetProblems(provider, before)];
}

/** What can't work at a well-known provider. */
function presetProblems(provider: SignInProvider, before: SignInProvider | undefined): readonly Remark[] {
  const preset = presetOf(provider);
  const hosted = provider.requiredClaims?.["hd"];
  const moved = before !== undefined && provider.issuer !== before.issuer && preset?.otherIssuer === false;
  const trust = provider.trustEmail ? preset?.trustProblem?.(provider) : undefined;
  const remarks: (Remark | false)[] = [
    moved && { field: "issuer", problem: `the preset ${provider.preset} has its own issuer: create another provider` },
    hosted !== undefined &&
      preset?.hostedDomains === undefined && {
        field: "hosted_domain",
        problem: "only the preset google has it: use --email-domain",
      },
    hosted !== undefined &&
      canonicalDomain(hosted) === undefined && { field: "hosted_domain", problem: `${quoted(hosted)} is not a domain` },
    trust !== undefined && { field: "trust_email", problem: trust },
  ];
  return remarks.filter((one) => one !== false);
}

/** OpenID Connect Discovery §3: an https URL without query and fragment. It is compared character by character. */
function issuerProblem(issuer: string, own: string): string | undefined {
  const plain = /^https?:\/\/(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:\/[\u0021-\u007e]*)?$/;
  if (issuer.length > MAX_ISSUER || !plain.test(issuer) || /[?#\\]/.test(issuer) || !URL.canParse(issuer)) {
    return "must be an https URL without query, fragment, user and password, exactly as the provider writes it in its metadata";
  }
  const { protocol, hostname, href } = new URL(issuer);
  if (protocol !== "https:" && !isLoopbackHost(hostname)) {
    return "must be an https URL: http is only for a provider on this machine";
  }
  const bare = (url: string) => url.replace(/\/$/, "");
  return bare(href) === bare(new URL(own).href) ? "this is this server's own issuer" : undefined;
}

function secretProblems(provider: SignInProvider, secret: string | null): readonly Remark[] {
  // A private key has lines. `furtherProblems` reads it.
  if (presetOf(provider)?.signedSecret) return [];
  // The text is a secret, so the problem doesn't repeat it.
  if (secret === null || (secret.length <= 512 && /^[\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?$/.test(secret)))
    return [];
  const problem = "must be 1 to 512 printable ASCII characters, with no space at its start or end";
  return [{ field: "client_secret", problem }];
}

/** Each is a confidential client: the server must know who calls. */
export async function changeClientProblems(
  clientIds: readonly string[],
  { storage }: AdminContext,
): Promise<readonly Remark[]> {
  const problem = (text: string): Remark => ({ field: "change_client", problem: text });
  if (clientIds.length > MAX_CHANGE_CLIENTS) return [problem(`at most ${MAX_CHANGE_CLIENTS} clients are allowed`)];
  const found = await Promise.all(clientIds.map((clientId) => storage.clients.get({ clientId })));
  return found.flatMap((client, at) => {
    const named = quoted(clientIds[at] ?? "");
    if (client === undefined) return [problem(`there is no client ${named}`)];
    return client.record.type === "public" ? [problem(`${named} is a public client: use a confidential one`)] : [];
  });
}

function absentDomain(domain: string, present: readonly string[]): Remark {
  const has = present.length === 0 ? "its list is empty" : `it has ${present.slice(0, 10).join(", ")}`;
  return { field: "remove_email_domain", problem: `the provider has no ${quoted(domain)}: ${has}` };
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** Where the secret goes: the metadata of the issuer name the endpoint, or the operator does. */
function secretReceiverOf({ issuer, oauth }: SignInProvider): string {
  return new URL(oauth?.tokenEndpoint ?? issuer).origin;
}

function issuerRemarks(before: SignInProvider, after: SignInProvider, cleared: boolean): readonly Remark[] {
  const remarks: Remark[] = [];
  if (after.issuer !== before.issuer) {
    const problem = `people who are connected through ${before.issuer} can't sign in with this provider any more, unless you change the issuer back`;
    remarks.push({ field: "issuer", problem });
  }
  if (cleared) {
    const problem =
      "the stored secret is deleted, because the new issuer has another host: set the secret that it gave you";
    remarks.push({ field: "client_secret", problem });
  }
  return remarks;
}

function remarksOf(provider: SignInProvider): readonly Remark[] {
  const { noAuthTime = false } = presetOf(provider) ?? {};
  const freshness =
    provider.believeFresh === true
      ? "if it doesn't say when somebody signed in there, somebody who finds a browser that is signed in there can confirm here that they are that person"
      : noAuthTime &&
        "this provider may not say when somebody signed in there: people confirm with a password or a passkey that it's them, unless you set believe_fresh (--believe-fresh)";
  return [...accessRemarks(provider), ...(freshness ? [{ field: "believe_fresh", problem: freshness }] : [])];
}

function accessRemarks(provider: SignInProvider): readonly Remark[] {
  const { createPeople, emailDomains } = provider;
  const { addressRemark } = presetOf(provider) ?? {};
  if (emailDomains.length > 0 && addressRemark !== undefined)
    return [{ field: "email_domain", problem: addressRemark }];
  // A required claim limits who gets in to one organization.
  if (!createPeople || emailDomains.length > 0 || provider.requiredClaims !== undefined) return [];
  const problem =
    "anybody with an account at this provider gets an account here: name its e-mail domains, or don't let it create people";
  return [{ field: "email_domain", problem }];
}
