/** Records as operators get them: RFC 7591's names for clients (§§2, 3.2.1), snake_case for all, never a hash or a sealed byte. */

import type { Client, Consent, Millis, PersonDetails, Resource, Scope, SelfRegistered } from "../oauth/model.ts";
import type { TrustedIssuer } from "../oauth/trusted-issuer.ts";
import { picturePath } from "../owners/account/picture-address.ts";
import type { ListedConnection } from "../owners/companies/connections.ts";
import type { Company, ListedRule, Member } from "../owners/company-storage.ts";
import type { SignInProvider } from "../owners/identities/sign-in-provider.ts";
import { knowsPassword } from "../owners/person.ts";
import { DETAIL_NAMES, wireName } from "../owners/person-details.ts";
import type { Person, Session } from "../owners/storage.ts";
import type { SubjectLink } from "../owners/subject-link-storage.ts";
import type { ClientWithSecret } from "./clients.ts";
import type { KeyState } from "./keys.ts";
import type { SimilarClient } from "./similar-client-names.ts";
import { exchangeRecord } from "./token-exchange-policy.ts";
import { workloadRecord } from "./workload-identity.ts";

/** A record on its way out: what is null says nothing and is left out of clients' records, as in RFC 7591. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** Times of ours are RFC 3339 in UTC; RFC 7591's own are seconds since the epoch. */
function time(at: Millis): string;
function time(at: Millis | null): string | null;
function time(at: Millis | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** `secret`: only where it was just made. */
export function clientRecord(client: Client, issuer: string, secret: string | null = null): WireRecord {
  const { clientUri, policyUri, tosUri, logo } = client;
  return {
    client_id: client.clientId,
    ...(secret === null ? {} : { client_secret: secret }),
    client_id_issued_at: Math.floor(client.createdAt / 1000),
    ...(client.secrets.length === 0 ? {} : { client_secret_expires_at: 0 }),
    client_name: client.name,
    type: client.type,
    status: client.status,
    redirect_uris: client.redirectUris,
    grant_types: client.grantTypes,
    response_types: client.responseTypes,
    ...Object.fromEntries(Object.entries(client.names ?? {}).map(([tag, name]) => [`client_name#${tag}`, name])),
    scope: client.scopes.join(" "),
    ...((client.optionalScopes ?? []).length === 0 ? {} : { optional_scope: client.optionalScopes?.join(" ") }),
    ...(client.publisher == null ? {} : { publisher: client.publisher }),
    ...(client.accent == null ? {} : { accent: client.accent }),
    verified: client.verified ?? false,
    reviewed: client.reviewed ?? true,
    own_scope: client.ownScopes.join(" "),
    ...((client.defaultScopes ?? []).length === 0 ? {} : { default_scope: client.defaultScopes?.join(" ") }),
    ...(client.tokenExchange == null ? {} : { token_exchange: exchangeRecord(client.tokenExchange) }),
    token_endpoint_auth_method: client.authMethod,
    ...workloadRecord(client),
    ...(client.jwks === null ? {} : { jwks: JSON.parse(client.jwks) as unknown }),
    ...(client.jwksUri === null ? {} : { jwks_uri: client.jwksUri }),
    ...(client.tlsSubject === null ? {} : { [client.tlsSubject.field]: client.tlsSubject.value }),
    ...(client.certificateBound ? { tls_client_certificate_bound_access_tokens: true } : {}),
    ...(client.idTokenAlg === undefined ? {} : { id_token_signed_response_alg: client.idTokenAlg }),
    ...((client.postLogoutRedirectUris ?? []).length === 0
      ? {}
      : { post_logout_redirect_uris: client.postLogoutRedirectUris }),
    ...(client.backchannelLogoutUri == null ? {} : { backchannel_logout_uri: client.backchannelLogoutUri }),
    ...(client.backchannelLogoutSessionRequired ? { backchannel_logout_session_required: true } : {}),
    ...(client.tokenEndpointAudience ? { token_endpoint_audience: true } : {}),
    require_pkce: client.type === "public" || client.requirePkce,
    allow_plain_pkce: client.allowPlainPkce,
    first_party: client.firstParty,
    ...(client.consentCeiling == null ? {} : { consent_ceiling: client.consentCeiling }),
    refresh: client.refresh,
    ...(logo === null ? {} : { logo_uri: `${issuer}/logos/${logo}` }),
    ...(clientUri === null ? {} : { client_uri: clientUri }),
    ...(policyUri === null ? {} : { policy_uri: policyUri }),
    ...(tosUri === null ? {} : { tos_uri: tosUri }),
    ...(client.defaultMaxAge == null ? {} : { default_max_age: client.defaultMaxAge }),
    ...(client.registered === undefined ? {} : { registered_by: registeredBy(client.registered) }),
    client_secrets: client.secrets.map(({ createdAt, expiresAt }) => ({
      created_at: time(createdAt),
      expires_at: time(expiresAt),
    })),
    updated_at: time(client.updatedAt),
  };
}

/** What a client that registered itself said about itself, beyond its metadata. */
function registeredBy(registered: SelfRegistered): WireRecord {
  const { initialTokenId, statementIssuer, applicationType, contacts, softwareId, softwareVersion } = registered;
  return {
    initial_access_token: initialTokenId,
    ...(statementIssuer === null ? {} : { software_statement_issuer: statementIssuer }),
    application_type: applicationType,
    ...(contacts.length === 0 ? {} : { contacts }),
    ...(softwareId === null ? {} : { software_id: softwareId }),
    ...(softwareVersion === null ? {} : { software_version: softwareVersion }),
  };
}

export function newClientRecord({ client, secret }: ClientWithSecret, issuer: string): WireRecord {
  return clientRecord(client, issuer, secret);
}

/** Clients that owners could take for this one, as the commands that make or change one tell of them. */
export function similarRecords(similar: readonly SimilarClient[]): WireRecord {
  if (similar.length === 0) return {};
  return { similar_clients: similar.map(({ clientId, name }) => ({ client_id: clientId, client_name: name })) };
}

/** The details that are known. */
function detailsRecord({ phoneVerified, ...texts }: PersonDetails): WireRecord {
  const known = DETAIL_NAMES.flatMap((name) => {
    const text = texts[name];
    return text === undefined ? [] : [[wireName(name), text]];
  });
  const verified = texts.phoneNumber === undefined ? {} : { phone_number_verified: phoneVerified ?? false };
  return { ...Object.fromEntries(known), ...verified };
}

/** `generated`: a password that was just made. */
export function userRecord(person: Person, issuer: string, generated: string | null = null): WireRecord {
  const { pictureId } = person;
  return {
    id: person.personId,
    username: person.username,
    ...(generated === null ? {} : { password: generated }),
    email: person.email,
    email_verified: person.emailVerifiedAt !== null,
    name: person.name,
    ...detailsRecord(person.details ?? {}),
    ...(pictureId == null ? {} : { picture: issuer + picturePath(pictureId) }),
    status: person.status,
    operator: person.operator,
    has_password: knowsPassword(person),
    password_changed_at: time(person.passwordChangedAt),
    deletes_at: time(person.deleteAt ?? null),
    created_at: time(person.createdAt),
    updated_at: time(person.updatedAt),
  };
}

export function companyRecord(company: Company): WireRecord {
  return {
    id: company.companyId,
    slug: company.slug,
    name: company.name,
    status: company.status,
    default_rule: company.defaultRule,
    created_at: time(company.createdAt),
    updated_at: time(company.updatedAt),
  };
}

export function memberRecord(member: Member): WireRecord {
  return {
    user_id: member.personId,
    username: member.username,
    role: member.role,
    since: time(member.since),
    added_by: member.addedBy,
    status: member.accountStatus,
  };
}

export function ruleRecord(rule: ListedRule): WireRecord {
  return {
    client_id: rule.clientId,
    rule: rule.rule,
    scope: rule.scopes.join(" "),
    redirect_hosts: rule.hosts,
    expires_at: time(rule.endsAt),
    members: rule.forSelected === true ? rule.selected : null,
    decided_by: rule.decidedBy,
    decided_at: time(rule.decidedAt),
  };
}

export function companyConnectionRecord(one: ListedConnection): WireRecord {
  const { made } = one;
  return {
    client_id: one.clientId,
    client_name: one.clientName,
    audience: one.audience,
    server_name: one.serverName,
    client_id_there: one.clientIdThere,
    scope: one.scopes.join(" "),
    resources: one.resources,
    state: one.state,
    expires_at: time(one.endsAt),
    connected_by: made?.connectedBy ?? "operator",
    connected_at: time(made?.connectedAt ?? null),
  };
}

export function scopeRecord(scope: Scope): WireRecord {
  const { name, description, resource, optional, sensitive, ownerRole, access, acr, maxAge, descriptions = {} } = scope;
  return {
    name,
    description,
    ...Object.fromEntries(Object.entries(descriptions).map(([tag, text]) => [`description#${tag}`, text])),
    resource,
    access: access ?? null,
    optional,
    sensitive,
    owner_role: ownerRole,
    acr: acr ?? null,
    max_age: maxAge ?? null,
  };
}

/** `secret`: only where it was just made. */
export function resourceRecord(resource: Resource, secret: string | null = null): WireRecord {
  return {
    identifier: resource.identifier,
    name: resource.name,
    token_format: resource.tokenFormat,
    token_lifetime: resource.tokenLifetime,
    alg: resource.alg,
    grant_bound: resource.grantBound,
    userinfo: resource.userInfo ?? true,
    ...((resource.defaultScopes ?? []).length === 0 ? {} : { default_scope: resource.defaultScopes?.join(" ") }),
    introspection_client_id: resource.introspectionClientId,
    ...(secret === null ? {} : { introspection_client_secret: secret }),
    created_at: time(resource.createdAt),
  };
}

/** A subject of an issuer and who it is; what is null is not known. */
export function subjectLinkRecord(
  issuer: string,
  { claim, subject, ownerId, madeBy, createdAt }: SubjectLink,
  person: Person | undefined,
): WireRecord {
  return {
    issuer,
    claim,
    subject,
    user_id: ownerId,
    username: person?.username ?? null,
    made_by: madeBy,
    created_at: time(createdAt),
  };
}

/** Keys in full: they are public, and an operator may want to compare them. */
export function issuerRecord(issuer: TrustedIssuer): WireRecord {
  return {
    issuer: issuer.issuer,
    type: issuer.type,
    status: issuer.status,
    ...(issuer.jwks === null ? {} : { jwks: JSON.parse(issuer.jwks) as unknown }),
    ...(issuer.jwksUri === null ? {} : { jwks_uri: issuer.jwksUri }),
    ...(issuer.type === "saml" ? { certificates: issuer.certificates } : {}),
    scope: issuer.scopes.join(" "),
    clients: issuer.clients,
    audience: issuer.audience,
    max_lifetime: issuer.maxLifetime,
    map_subject: issuer.mapSubject,
    [issuer.type === "saml" ? "subject_attribute" : "subject_claim"]: issuer.subjectClaim,
    email_domains: issuer.emailDomains,
    subjects: issuer.subjects,
    create_owners: issuer.createOwners,
    token_exchange: issuer.exchange === true,
    ...(issuer.type === "id-jag" ? { company: issuer.company ?? null, tenant: issuer.tenant ?? null } : {}),
    created_at: time(issuer.createdAt),
  };
}

/** Without its secret. `issuer`: this server's own. `redirect_uri` and `backchannel_logout_uri`: to register at the provider. */
export function providerRecord(provider: SignInProvider, issuer: string): WireRecord {
  return {
    id: provider.id,
    type: provider.type,
    preset: provider.preset ?? null,
    name: provider.name,
    issuer: provider.issuer,
    client_id: provider.clientId,
    has_secret: provider.sealedSecret !== null,
    ...(provider.signedSecret && { team_id: provider.signedSecret.teamId, key_id: provider.signedSecret.keyId }),
    ...(provider.oauth && {
      authorization_endpoint: provider.oauth.authorizationEndpoint,
      token_endpoint: provider.oauth.tokenEndpoint,
      user_endpoint: provider.oauth.userEndpoint,
      emails_endpoint: provider.oauth.emailsEndpoint ?? null,
    }),
    scope: provider.scopes.join(" "),
    claims: provider.claims ?? {},
    profile: provider.profile ?? "first",
    mfa_acr: provider.mfaAcr ?? [],
    mfa_amr: provider.mfaAmr ?? [],
    position: provider.position ?? null,
    required_claims: provider.requiredClaims ?? {},
    email_domains: provider.emailDomains,
    trust_email: provider.trustEmail,
    create_people: provider.createPeople,
    believe_fresh: provider.believeFresh ?? false,
    when_disabled: provider.whenDisabled ?? "keep",
    change_clients: provider.changeClients ?? [],
    status: provider.status,
    company: null,
    redirect_uri: `${issuer}/login/provider/${provider.id}/callback`,
    backchannel_logout_uri:
      provider.type === "oauth" ? null : `${issuer}/login/provider/${provider.id}/backchannel-logout`,
    created_at: time(provider.createdAt),
  };
}

export function sessionRecord(session: Session): WireRecord {
  return {
    id: session.sessionId,
    user_id: session.personId,
    created_at: time(session.createdAt),
    last_seen_at: time(session.lastSeenAt),
    expires_at: time(Math.min(session.idleUntil, session.absoluteUntil)),
    auth_time: Math.floor(session.authTime / 1000),
    amr: session.amr,
    address: session.address,
    user_agent: session.userAgent,
  };
}

/** `consent`: under the present ceiling of its client. `expired`: what was allowed is over by itself. */
export function consentRecord(consent: Consent, now: Millis): WireRecord {
  const isOver = consent.status === "active" && consent.expiresAt !== null && consent.expiresAt <= now;
  return {
    owner_id: consent.ownerId,
    client_id: consent.clientId,
    client_name: consent.shown.clientName,
    status: isOver ? "expired" : consent.status,
    via: consent.via,
    granted_by: consent.grantedBy,
    scopes: consent.scopes.map(({ name, grantedAt, expiresAt, hosts }) => ({
      name,
      granted_at: time(grantedAt),
      expires_at: time(expiresAt),
      redirect_hosts: hosts ?? null,
    })),
    taken_back: consent.removed,
    created_at: time(consent.createdAt),
    updated_at: time(consent.updatedAt),
    expires_at: time(consent.expiresAt),
    paused_at: time(consent.status === "active" ? consent.pausedAt : null),
    last_used_at: time(consent.lastUsedAt),
    uses: consent.uses,
    revoked_at: time(consent.revokedAt),
    revoked_by: consent.revokedBy,
  };
}

export type KeyRecord = ReturnType<typeof keyRecord>;

export function keyRecord({ key, status, publishedUntil }: KeyState) {
  return {
    kid: key.kid,
    alg: key.alg,
    status,
    created_at: time(key.createdAt),
    signs_from: time(key.activeFrom),
    published_until: time(publishedUntil),
    retired_at: time(key.retiredAt),
  };
}
