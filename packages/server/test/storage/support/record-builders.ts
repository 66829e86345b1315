/** Valid records, which tests can change. */

import { createHash, randomBytes } from "node:crypto";
import type { StoredKey } from "../../../src/admin/storage.ts";
import type { Client, Resource, Scope } from "../../../src/oauth/model.ts";
import { PARTITIONS } from "../../../src/oauth/model.ts";
import type { IssueDirect, IssueOutcome, NewGrant, RedeemCode, RefreshGrant } from "../../../src/oauth/storage.ts";
import type { TrustedIssuer } from "../../../src/oauth/trusted-issuer.ts";
import type { AddedFrom, Passkey } from "../../../src/owners/factor-storage.ts";
import type { SignInProvider } from "../../../src/owners/identities/sign-in-provider.ts";
import type { Approve, NewSession, Person } from "../../../src/owners/storage.ts";
import type { Storage } from "../../../src/storage/open.ts";
import { partitionOf } from "../../../src/storage/partition.ts";

/** The time of most tests: 2026-01-01. */
export const NOW = 1_767_225_600_000;
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export function anId(partition = Math.floor(Math.random() * PARTITIONS)): string {
  const bytes = randomBytes(16);
  bytes.writeUInt16BE(partition);
  return bytes.toString("base64url");
}

export function aHash(of: string | Uint8Array = randomBytes(32)): Uint8Array {
  return createHash("sha256").update(of).digest();
}

export function aPerson(changes: Partial<Person> = {}): Person {
  const personId = changes.personId ?? anId();
  const username = `u-${personId.toLowerCase()}-${personId.length}${randomBytes(4).toString("hex")}`;
  return {
    partition: partitionOf(personId),
    personId,
    username,
    lookAlike: null,
    email: `${username}@example.com`,
    emailVerifiedAt: NOW,
    name: "Ada",
    details: null,
    pictureId: null,
    status: "active",
    passwordHash: "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA",
    passwordChangedAt: NOW,
    mustChangePassword: false,
    operator: [],
    language: null,
    deleteAt: null,
    createdAt: NOW,
    updatedAt: NOW,
    ...changes,
  };
}

/** A person in the storage. */
export async function aStoredPerson(storage: Storage, changes: Partial<Person> = {}): Promise<Person> {
  const person = aPerson(changes);
  const outcome = await storage.people.create({ person, byOperator: true, now: person.createdAt });
  if (outcome.kind !== "created") throw new Error(`the person was not created: ${outcome.kind}`);
  return person;
}

/** Added with a browser that the owner had used for a long time. */
export const FROM_OWNER: AddedFrom = {
  ...{ address: "192.0.2.1", userAgent: "Firefox", deviceSince: NOW - 30 * DAY, vouchedFrom: NOW },
};

/** Added with a browser that was new. */
export const FROM_STRANGER: AddedFrom = {
  ...{ address: "203.0.113.9", userAgent: "Chrome", deviceSince: NOW - HOUR, vouchedFrom: null },
};

export function aPasskey({ partition, personId }: Person, changes: Partial<Passkey> = {}): Passkey {
  return {
    ...{
      partition,
      personId,
      credentialId: randomBytes(16).toString("base64url"),
      publicKey: new Uint8Array(aHash()),
      counter: 1,
    },
    ...{ backupEligible: false, backedUp: false, transports: ["internal"], name: "This laptop" },
    ...{ createdAt: NOW, lastUsedAt: null, added: FROM_OWNER },
    ...changes,
  };
}

export function aGrant(person: Person, changes: Partial<NewGrant> = {}): NewGrant {
  return {
    partition: person.partition,
    grantId: anId(person.partition),
    clientId: "client-1",
    ownerId: person.personId,
    personId: person.personId,
    refreshable: true,
    codeSaltHash: aHash(),
    redirectUri: "https://app.example/callback",
    codeChallenge: "challenge",
    codeChallengeMethod: "S256",
    scopes: ["read"],
    ceiling: null,
    audience: "https://api.example",
    authTime: NOW,
    acr: null,
    amr: ["pwd"],
    codeUntil: NOW + MINUTE,
    accessUntil: null,
    ...changes,
  };
}

export function anApproval(grant: NewGrant, changes: Partial<Omit<Approve, "grant">> = {}): Approve {
  return {
    grant,
    grantedBy: grant.personId,
    via: "browser",
    declined: [],
    duration: "forever",
    onceUntil: NOW + 11 * MINUTE,
    shown: { locale: "en", clientName: "Photo Printer", logo: null },
    now: NOW,
    ...changes,
  };
}

/** The correct answer to the code of a grant. */
export function aRedemption(grant: NewGrant, changes: Partial<RedeemCode> = {}): RedeemCode {
  const now = changes.now ?? NOW + SECOND;
  return {
    partition: grant.partition,
    grantId: grant.grantId,
    codeSaltHash: grant.codeSaltHash,
    clientId: grant.clientId,
    redirectUri: grant.redirectUri,
    s256: grant.codeChallengeMethod === null ? null : grant.codeChallenge,
    plain: grant.codeChallengeMethod === null ? null : "the verifier",
    resourceNamed: false,
    refreshSaltHash: aHash(`refresh ${grant.grantId}`),
    now,
    idleUntil: now + 90 * DAY,
    accessUntil: now + 10 * MINUTE,
    ...changes,
  };
}

/** A refresh of the first token of a grant redeemed by `aRedemption`. */
export function aRefresh(grant: NewGrant, changes: Partial<RefreshGrant> = {}): RefreshGrant {
  const now = changes.now ?? NOW + MINUTE;
  return {
    partition: grant.partition,
    grantId: grant.grantId,
    refreshSaltHash: aHash(`refresh ${grant.grantId}`),
    clientId: grant.clientId,
    generation: 1,
    resourceNamed: false,
    rotate: true,
    retryFrom: now - 30 * SECOND,
    decidedAfter: -1,
    now,
    idleUntil: now + 90 * DAY,
    ...changes,
  };
}

/** A person, their consent to `client-1`, and a grant with an unused code. */
export async function anApprovedGrant(
  storage: Storage,
  changes: Partial<NewGrant> = {},
  approval: Partial<Omit<Approve, "grant">> = {},
): Promise<{ readonly person: Person; readonly grant: NewGrant }> {
  const person = await aStoredPerson(storage);
  const grant = aGrant(person, changes);
  expectIssued(await storage.grants.approve(anApproval(grant, approval)));
  return { person, grant };
}

/** The same, with a redeemed code. */
export async function aLiveGrant(
  storage: Storage,
  changes: Partial<NewGrant> = {},
  approval: Partial<Omit<Approve, "grant">> = {},
): Promise<{ readonly person: Person; readonly grant: NewGrant }> {
  const made = await anApprovedGrant(storage, changes, approval);
  const outcome = await storage.grants.redeem(aRedemption(made.grant));
  if (outcome.kind !== "redeemed") throw new Error(`the code was not redeemed: ${outcome.kind}`);
  return made;
}

export function expectIssued(outcome: IssueOutcome): void {
  if (outcome.kind !== "issued") throw new Error(`the grant was not issued: ${outcome.kind}`);
}

/** The current row. */
export function statusOf(storage: Storage, { partition, grantId }: NewGrant) {
  return storage.grants.find({ partition, grantId, saltHash: null });
}

export function aSession(person: Person, changes: Partial<NewSession> = {}): NewSession {
  return {
    partition: person.partition,
    sessionId: anId(person.partition),
    personId: person.personId,
    authTime: NOW,
    acr: null,
    amr: ["pwd"],
    idleUntil: NOW + 12 * HOUR,
    absoluteUntil: NOW + 14 * DAY,
    userAgent: "Firefox",
    address: "192.0.2.1",
    secretHash: aHash(),
    passwordChangedAt: person.passwordChangedAt,
    now: NOW,
    replaces: null,
    device: { presented: null, freshId: anId() },
    ...changes,
  };
}

export function aClient(changes: Partial<Client> = {}): Client {
  return {
    clientId: `client-${randomBytes(6).toString("hex")}`,
    name: "Photo Printer",
    type: "confidential",
    status: "active",
    redirectUris: ["https://app.example/callback"],
    grantTypes: ["authorization_code", "refresh_token"],
    responseTypes: ["code"],
    scopes: ["read"],
    ownScopes: [],
    authMethod: "client_secret_basic",
    secrets: [],
    sealedSecret: null,
    jwks: null,
    jwksUri: null,
    tlsSubject: null,
    certificateBound: false,
    tokenEndpointAudience: false,
    requirePkce: false,
    allowPlainPkce: false,
    firstParty: false,
    refresh: "keep",
    logo: null,
    clientUri: null,
    policyUri: null,
    tosUri: null,
    createdAt: NOW,
    updatedAt: NOW,
    reducedAt: null,
    ...changes,
  };
}

export function aTrustedIssuer(changes: Partial<TrustedIssuer> = {}): TrustedIssuer {
  return {
    id: "idp-1",
    issuer: "https://idp.example",
    type: "jwt",
    status: "active",
    jwks: '{"keys":[]}',
    jwksUri: null,
    certificates: [],
    scopes: ["read"],
    clients: [],
    audience: null,
    maxLifetime: 3600,
    mapSubject: "username",
    subjectClaim: null,
    emailDomains: [],
    subjects: [],
    createOwners: false,
    createdAt: NOW,
    ...changes,
  };
}

export function aSignInProvider(changes: Partial<SignInProvider> = {}): SignInProvider {
  return {
    id: anId(),
    type: "openid",
    name: "Example",
    issuer: "https://accounts.example",
    clientId: `client-${anId()}`,
    sealedSecret: null,
    scopes: ["openid", "profile", "email"],
    emailDomains: [],
    trustEmail: false,
    createPeople: true,
    status: "active",
    createdAt: NOW,
    ...changes,
  };
}

/** A grant without a code. It can be refreshed for as long as its consent. */
export function aDirectGrant(
  person: Person,
  changes: Partial<IssueDirect> = {},
  of: Partial<NewGrant> = {},
): IssueDirect {
  const {
    codeSaltHash: _,
    redirectUri: _uri,
    codeChallenge: _c,
    codeChallengeMethod: _m,
    codeUntil: _u,
    accessUntil: _a,
    ...grant
  } = aGrant(person, of);
  return {
    grant,
    via: "password",
    refreshSaltHash: aHash(),
    accessUntil: NOW + 10 * MINUTE,
    idleUntil: NOW + 14 * DAY,
    consentUntil: null,
    shown: { locale: "en", clientName: "Photo Printer", logo: null },
    address: null,
    now: NOW,
    ...changes,
  };
}

export function aScope(changes: Partial<Scope> = {}): Scope {
  return {
    name: "read",
    description: "Read",
    resource: null,
    optional: false,
    sensitive: false,
    ownerRole: null,
    ...changes,
  };
}

export function aResource(changes: Partial<Resource> = {}): Resource {
  return {
    identifier: "https://api.example",
    name: "API",
    tokenFormat: "jwt",
    tokenLifetime: null,
    alg: "ES256",
    grantBound: false,
    introspectionClientId: "rs-1",
    introspectionSecretHash: "hash",
    createdAt: NOW,
    ...changes,
  };
}

export function aKey(changes: Partial<StoredKey> = {}): StoredKey {
  return {
    kid: randomBytes(8).toString("hex"),
    alg: "ES256",
    serial: 1,
    publicJwk: "{}",
    sealedPrivate: randomBytes(64),
    createdAt: NOW,
    activeFrom: NOW,
    retiredAt: null,
    ...changes,
  };
}
