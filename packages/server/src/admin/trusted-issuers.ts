/** The operator's use-cases for trusted issuers of assertions (RFC 7521 §3). */

import { base64url } from "../crypto/random.ts";
import { readRegisteredKeys } from "../oauth/foreign-jwk-set.ts";
import type { TrustedIssuer } from "../oauth/trusted-issuer.ts";
import { canonicalDomain } from "../owners/canonical-login.ts";
import { certificatesOfMetadata, type MetadataReading, readCertificates } from "../saml/identity-provider-metadata.ts";
import { type Remark, refuse, refuseAny } from "./admin-error.ts";
import { findCompany } from "./companies.ts";
import type { AdminContext } from "./context.ts";
import { type Precondition, untilStored } from "./precondition.ts";

/** In seconds. An assertion should be used at once; a day is for clients that keep one for a while. */
export const MAX_ASSERTION_LIFETIME = 86_400;
export const DEFAULT_ASSERTION_LIFETIME = 3600;
const MAX_LIST = 200;
const MAX_CERTIFICATES = 10;
const MAX_ID = 1024;

/** The place of an issuer's keys: exactly one of these. */
export type IssuerKeys =
  | { /** A parsed JWK Set. */ readonly jwks: unknown }
  | { readonly jwksUri: string }
  | { /** PEM, one or several. */ readonly certificate: string }
  | { /** An XML document that describes the issuer. */ readonly samlMetadata: string };

/** The operator's settings, without the keys. */
export type IssuerSettings = Partial<
  Pick<
    TrustedIssuer,
    | "scopes"
    | "clients"
    | "audience"
    | "maxLifetime"
    | "mapSubject"
    | "subjectClaim"
    | "emailDomains"
    | "subjects"
    | "createOwners"
    | "exchange"
    | "status"
    | "company"
    | "tenant"
  >
>;

export interface NewIssuer extends IssuerSettings {
  readonly issuer: string;
  readonly type: TrustedIssuer["type"];
  /** Undefined is refused: missing keys must never mean that nothing is checked. */
  readonly keys: IssuerKeys | undefined;
}

/** Throws `invalid` with all problems, `taken`. */
export async function createIssuer(input: NewIssuer, context: AdminContext): Promise<TrustedIssuer> {
  const { keys, ...settings } = input;
  const issuer: TrustedIssuer = {
    id: base64url(context.randomBytes(16)),
    status: "active",
    jwks: null,
    jwksUri: null,
    certificates: [],
    scopes: [],
    clients: [],
    audience: null,
    maxLifetime: DEFAULT_ASSERTION_LIFETIME,
    // The subjects of an ID-JAG are those of ID tokens, which are nobody's names here.
    mapSubject: input.type === "id-jag" ? "link" : "username",
    subjectClaim: null,
    emailDomains: [],
    subjects: [],
    createOwners: false,
    createdAt: context.now(),
    ...settings,
  };
  const outcome = await put(issuer, keys, [], null, context);
  return outcome ?? refuse("taken", "issuer", `the issuer ${JSON.stringify(input.issuer)} already exists`);
}

export interface IssuerChanges extends IssuerSettings {
  readonly keys?: IssuerKeys;
}

/**
 * Changes the named settings. `changes` can be made from the present record, as often as others change it meanwhile. Throws
 * `unknown`, or all problems of the changed issuer.
 */
export function updateIssuer(
  id: string,
  changes: IssuerChanges | ((before: TrustedIssuer) => IssuerChanges),
  context: AdminContext,
  check: Precondition<TrustedIssuer> = () => undefined,
): Promise<TrustedIssuer> {
  return untilStored(async () => {
    const before = await issuerOf(id, context);
    check(before);
    const { keys, ...settings } = typeof changes === "function" ? changes(before) : changes;
    return put({ ...before, ...settings }, keys ?? null, before.scopes, before, context);
  });
}

/** The settings that say who can use an issuer's assertions, and for whom. */
export type IssuerLimits = Pick<TrustedIssuer, "clients" | "subjects" | "emailDomains" | "company" | "tenant">;

/** What an issuer's assertions can do without a limit that they had. Empty: they have all their limits. */
export function limitsLost(before: IssuerLimits, after: IssuerLimits): readonly string[] {
  const isGone = (field: "clients" | "subjects" | "emailDomains") =>
    before[field].length > 0 && after[field].length === 0;
  const isNull = (field: "company" | "tenant") => (before[field] ?? null) !== null && (after[field] ?? null) === null;
  return [
    ...(isGone("clients")
      ? ["Without a list of clients, any client with the grant type can use the issuer's assertions."]
      : []),
    ...(isGone("subjects") ? ["Without a list of subjects, the issuer's assertions can be about anybody."] : []),
    ...(isGone("emailDomains")
      ? ["Without a list of e-mail domains, the issuer's assertions can name addresses of any domain."]
      : []),
    ...(isNull("company") ? ["Without a company, the issuer speaks for everybody here."] : []),
    ...(isNull("tenant") ? ["Without a tenant, the issuer's assertions need no claim tenant."] : []),
  ];
}

/** Throws as `updateIssuer`. `notes`: what its assertions can do now that they could not do before. */
export async function changeIssuer(
  ...[id, changes, context, check]: Parameters<typeof updateIssuer>
): Promise<{ readonly issuer: TrustedIssuer; readonly notes: readonly string[] }> {
  const seen: TrustedIssuer[] = [];
  const issuer = await updateIssuer(id, changes, context, (present) => {
    check?.(present);
    seen.push(present);
  });
  return { issuer, notes: limitsLost(seen.at(-1) ?? issuer, issuer) };
}

/** Its assertions are refused from now on; tokens issued for them work until they expire. Throws `unknown`. */
export async function deleteIssuer(issuer: string, { storage, now }: AdminContext): Promise<void> {
  if (!(await storage.issuers.delete({ issuer, now: now() }))) unknownIssuer(issuer);
}

/** In no order. */
export function allIssuers({ storage }: AdminContext): Promise<readonly TrustedIssuer[]> {
  return storage.issuers.list();
}

/** Throws `unknown`. */
export async function issuerOf(id: string, { storage }: AdminContext): Promise<TrustedIssuer> {
  return (await storage.issuers.list()).find(({ issuer }) => issuer === id) ?? unknownIssuer(id);
}

/** Remarks for the operator about a valid issuer. */
export function issuerRemarks(issuer: TrustedIssuer): readonly Remark[] {
  const remarks: Remark[] = [];
  if (issuer.scopes.length === 0) {
    remarks.push({
      field: "scope",
      problem:
        "this issuer has no scope, so its assertions give access to nobody's data; its tokens can still prove clients (workload_jwt)",
    });
  }
  if (issuer.createOwners && issuer.subjects.length === 0) {
    remarks.push({
      field: "subject",
      problem: "this issuer can create owners with any name: limit it to its own domains",
    });
  }
  if (
    issuer.mapSubject === "email" &&
    (issuer.company ?? null) === null &&
    issuer.emailDomains.length === 0 &&
    issuer.subjects.length === 0
  ) {
    remarks.push({
      field: "email_domain",
      problem: "this issuer can name addresses of any domain: limit it to its own domains",
    });
  }
  // SAML can't say that an address is verified, so without a domain no address counts as verified.
  if (
    issuer.createOwners &&
    issuer.type !== "saml" &&
    issuer.mapSubject !== "email" &&
    issuer.emailDomains.length === 0
  ) {
    const problem =
      "this issuer's new owners get any address that it calls verified, also other people's addresses: limit it to its own domains";
    remarks.push({ field: "email_domain", problem });
  }
  return remarks;
}

/**
 * `keys` null: the present ones. Undefined: the stored issuer is not `before`, or for null, an issuer of that name
 * exists.
 */
async function put(
  issuer: TrustedIssuer,
  keys: IssuerKeys | undefined | null,
  keptScopes: readonly string[],
  before: TrustedIssuer | null,
  context: AdminContext,
): Promise<TrustedIssuer | undefined> {
  const read = keys === null ? { fields: {}, problems: [] } : keysOf(issuer, keys);
  refuseAny([
    ...idProblems(issuer, context.issuer),
    ...read.problems,
    ...settingProblems(issuer),
    ...(await unknownNames(issuer, keptScopes, context)),
  ]);
  const emailDomains = [...new Set(issuer.emailDomains.flatMap((one) => canonicalDomain(one) ?? []))];
  const whole: TrustedIssuer = { ...issuer, emailDomains, ...read.fields };
  const outcome = await context.storage.issuers.put({
    ...{ issuer: whole, create: before === null },
    ...(before === null ? {} : { expected: before }),
  });
  return outcome.kind === "conflict" ? undefined : whole;
}

type KeyFields = Partial<Pick<TrustedIssuer, "jwks" | "jwksUri" | "certificates">>;
interface KeysRead {
  readonly fields: KeyFields;
  readonly problems: readonly Remark[];
}

function keysOf({ type, issuer }: TrustedIssuer, keys: IssuerKeys | undefined): KeysRead {
  if (keys === undefined) {
    const how = type === "saml" ? "certificate or saml_metadata" : "jwks or jwks_uri";
    return wrong(type === "saml" ? "certificate" : "jwks", `missing: to verify assertions, the server needs ${how}`);
  }
  if (type !== "saml") {
    if ("jwks" in keys) {
      const read = readRegisteredKeys(keys.jwks);
      if (read.kind === "invalid") return wrong("jwks", read.problem);
      return { fields: { jwks: JSON.stringify({ keys: read.keys }), jwksUri: null }, problems: [] };
    }
    if ("jwksUri" in keys) {
      if (!isKeyAddress(keys.jwksUri)) return wrong("jwks_uri", "must be an https URL");
      return { fields: { jwks: null, jwksUri: keys.jwksUri }, problems: [] };
    }
    return wrong("certificate", "for a JWT issuer, use jwks or jwks_uri");
  }
  if ("certificate" in keys) return certificates("certificate", readCertificates(keys.certificate));
  if ("samlMetadata" in keys) {
    return certificates("saml_metadata", certificatesOfMetadata(keys.samlMetadata, issuer));
  }
  return wrong("jwks", "for a SAML issuer, use certificate or saml_metadata");
}

function certificates(field: string, reading: MetadataReading): KeysRead {
  if (reading.kind === "invalid") return wrong(field, reading.problem);
  if (reading.certificates.length > MAX_CERTIFICATES)
    return wrong(field, `at most ${MAX_CERTIFICATES} certificates are allowed`);
  return { fields: { certificates: reading.certificates }, problems: [] };
}

function wrong(field: string, problem: string): KeysRead {
  return { fields: {}, problems: [{ field, problem }] };
}

function isKeyAddress(text: string): boolean {
  if (text.length > 2048 || !/^https:\/\/[\u0021-\u007e]+$/.test(text) || !URL.canParse(text)) return false;
  const { username, password, hash } = new URL(text);
  return username === "" && password === "" && hash === "";
}

function idProblems({ issuer }: TrustedIssuer, own: string): readonly Remark[] {
  const say = (problem: string): Remark[] => [{ field: "issuer", problem }];
  if (issuer.length > MAX_ID || !/^[\u0021-\u007e]+$/.test(issuer)) {
    return say(`must be 1 to ${MAX_ID} printable ASCII characters without spaces, exactly as the issuer writes it`);
  }
  // A JWT that this server signed is not an assertion.
  if (issuer === own) return say("this is this server's own issuer");
  return [];
}

function settingProblems(issuer: TrustedIssuer): readonly Remark[] {
  const { maxLifetime, mapSubject, createOwners, audience, subjects, scopes, clients } = issuer;
  const problems: Remark[] = [];
  if (issuer.exchange === true && issuer.type !== "jwt")
    problems.push({ field: "token_exchange", problem: "only JWTs of the type jwt can be exchanged" });
  if (!Number.isInteger(maxLifetime) || maxLifetime < 1 || maxLifetime > MAX_ASSERTION_LIFETIME) {
    problems.push({ field: "max_lifetime", problem: `must be 1 to ${MAX_ASSERTION_LIFETIME} seconds` });
  }
  if (createOwners && mapSubject === "id") {
    problems.push({
      field: "create_owners",
      problem: "only this server chooses IDs, so use username, email or link to map subjects",
    });
  }
  problems.push(...subjectProblems(issuer), ...identityAssertionProblems(issuer));
  if (audience !== null && (audience.length > MAX_ID || !/^[\u0021-\u007e]+$/.test(audience))) {
    problems.push({ field: "audience", problem: `must be 1 to ${MAX_ID} printable ASCII characters without spaces` });
  }
  for (const [field, list] of [
    ["subject", subjects],
    ["scope", scopes],
    ["client", clients],
    ["email_domain", issuer.emailDomains],
  ] as const) {
    if (list.length > MAX_LIST) problems.push({ field, problem: `at most ${MAX_LIST} values are allowed` });
  }
  if (subjects.some((one) => one === "" || one === "@" || one.length > 254)) {
    problems.push({ field: "subject", problem: "each value must be a subject, or @ and a domain" });
  }
  return problems;
}

/** Claims that have another meaning than the subject (RFC 7519 §4.1; `sub` is the default). */
const NO_SUBJECTS: ReadonlySet<string> = new Set(["iss", "sub", "aud", "exp", "nbf", "iat", "jti"]);

function subjectProblems({ type, mapSubject, subjectClaim, emailDomains }: TrustedIssuer): readonly Remark[] {
  const problems: Remark[] = [];
  const field = type === "saml" ? "subject_attribute" : "subject_claim";
  if (subjectClaim !== null && !/^[\u0021-\u007e]{1,256}$/.test(subjectClaim)) {
    problems.push({ field, problem: "must be 1 to 256 printable ASCII characters without spaces" });
  }
  if (type !== "saml" && subjectClaim !== null && NO_SUBJECTS.has(subjectClaim)) {
    problems.push({ field, problem: `${subjectClaim} has another meaning: use a claim that identifies the person` });
  }
  const strange = emailDomains.filter((one) => canonicalDomain(one) === undefined);
  if (strange.length > 0) {
    problems.push({
      field: "email_domain",
      problem: `${JSON.stringify(strange[0]?.slice(0, 100))} is not a domain of an e-mail address`,
    });
  }
  if (type === "saml" && mapSubject === "email" && subjectClaim !== null && emailDomains.length === 0) {
    problems.push({
      field: "email_domain",
      problem: "missing: a SAML attribute can't say that an address is verified, so name the issuer's own domains",
    });
  }
  return problems;
}

/** Settings of ID-JAGs, and settings that ID-JAGs can't have. */
function identityAssertionProblems(issuer: TrustedIssuer): readonly Remark[] {
  const { type, company = null, tenant = null, mapSubject, createOwners, emailDomains, audience } = issuer;
  const problems: Remark[] = [];
  const say = (field: string, problem: string) => problems.push({ field, problem });
  if (type !== "id-jag") {
    if (company !== null) say("company", "only an issuer of the type id-jag speaks for a company");
    if (tenant !== null) say("tenant", "only an issuer of the type id-jag has a tenant");
    return problems;
  }
  if (tenant !== null && !/^[\u0021-\u007e]{1,255}$/.test(tenant))
    say("tenant", "must be 1 to 255 printable ASCII characters without spaces");
  if (audience !== null) say("audience", "an ID-JAG names this server's issuer alone");
  if (mapSubject === "username" || mapSubject === "id")
    say("map_subject", "the subjects of ID-JAGs are those of ID tokens: use link, or email");
  if (mapSubject === "email" && company === null && emailDomains.length === 0)
    say("email_domain", "missing: name the company, or the domains whose addresses the issuer assigns");
  if (createOwners && company !== null)
    say("create_owners", "a company's people join it first, for example when they sign in at its provider");
  return problems;
}

/** Refuses an unknown name, because it is usually a typing error. */
async function unknownNames(
  { scopes, clients, company = null }: TrustedIssuer,
  kept: readonly string[],
  context: AdminContext,
): Promise<readonly Remark[]> {
  const { storage } = context;
  const known = new Set((await storage.scopes.list()).map(({ name }) => name));
  const missing = scopes.filter((name) => !known.has(name) && !kept.includes(name));
  const found = await Promise.all(clients.map((clientId) => storage.clients.get({ clientId })));
  const strangers = clients.filter((_, at) => found[at] === undefined);
  const list = (names: readonly string[]) =>
    names
      .slice(0, 10)
      .map((name) => JSON.stringify(name))
      .join(", ");
  const isCompany = company === null || (await findCompany({ id: company }, context)) !== undefined;
  return [
    ...(isCompany ? [] : [{ field: "company", problem: "there is no such company" }]),
    ...(missing.length === 0
      ? []
      : [{ field: "scope", problem: `${list(missing)}: there is no such scope; create it first` }]),
    ...(strangers.length === 0 ? [] : [{ field: "client", problem: `${list(strangers)}: there is no such client` }]),
  ];
}

function unknownIssuer(id: string): never {
  return refuse("unknown", "issuer", `there is no issuer ${JSON.stringify(id)}`);
}
