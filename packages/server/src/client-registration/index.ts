/**
 * Clients that register themselves and manage their registration (RFC 7591, RFC 7592). Loaded only where the operator
 * allows it.
 */

import { NO_SECRETS, secretFor, secretsAfter, withSecret } from "../admin/client-secrets.ts";
import { deleteClient, needsSecret, surroundings } from "../admin/clients.ts";
import { type AdminContext, causedBy } from "../admin/context.ts";
import { newClientId } from "../admin/generated-secrets.ts";
import { INITIAL_ACCESS_TOKEN_PREFIX } from "../admin/registration-tokens.ts";
import type { RegistrationToken } from "../admin/storage.ts";
import { appearanceOf } from "../crypto/client-appearance.ts";
import { hashes } from "../crypto/node-hashes.ts";
import { base64url } from "../crypto/random.ts";
import type { Secrets } from "../crypto/server-secret.ts";
import type { ClientMetadata, MetadataProblem } from "../oauth/client-registration/metadata.ts";
import type { ClientTerms, OwnPolicy, RegistrationPolicy } from "../oauth/client-registration/registration-policy.ts";
import {
  type ReadSelfRegistration,
  type RegistrationRules,
  readSelfRegistration,
} from "../oauth/client-registration/self-registration.ts";
import { aStranger, aStrangerAgain } from "../oauth/client-registration/unknown-client.ts";
import { OAuthError, refuse } from "../oauth/errors.ts";
import type { Client, Millis, SelfRegistered } from "../oauth/model.ts";
import type { RequestOrigin } from "../oauth/ports.ts";
import { consentHosts } from "../oauth/redirect-uri.ts";
import { MOST_UNUSED, RegistrationLimits } from "./limits.ts";
import { type StatementParts, withStatement } from "./software-statement.ts";

const DAY: Millis = 86_400_000;
/** A client that no owner has answered for so long is deleted. */
export const FORGOTTEN_AFTER: Millis = 30 * DAY;
/** Scanners for leaked secrets recognize the token by this prefix. */
const ACCESS_TOKEN_PREFIX = "rat_";
/** Our tokens: the prefix and 32 bytes. */
const LENGTH = 47;

export interface RegistrationParts {
  readonly mode: "token" | "open";
  readonly policy: RegistrationPolicy;
  readonly statements: StatementParts;
  readonly admin: AdminContext & { secrets(): Secrets };
  /** CIDRs of addresses from which logos may come although they are not public. */
  readonly outboundAllow: readonly string[];
  readonly attemptKey: (...parts: readonly string[]) => string;
  /** Call it after a change. */
  readonly changed: () => void;
}

/** The sender of a request. */
export interface Registrant extends RequestOrigin {
  readonly address: string;
  readonly requestId: string;
  /** The token of the Authorization header. Undefined: there is none. */
  readonly bearer: string | undefined;
}

/** A client with the credentials that only this answer has. */
export interface Registered {
  readonly client: Client;
  /** Null: it has none, or got it before. */
  readonly secret: string | null;
  readonly accessToken: string;
}

/** A refusal that names the members and their problems. */
export class RegistrationRefusal extends OAuthError {
  readonly problems: readonly MetadataProblem[];

  constructor(problems: readonly MetadataProblem[]) {
    const isRedirect = problems.some(({ error }) => error === "invalid_redirect_uri");
    const detail = problems.map(({ field, problem }) => `${field}: ${problem}`.slice(0, 200)).join("; ");
    super(isRedirect ? "registration_redirect_uri_invalid" : "registration_metadata_invalid", detail.slice(0, 500));
    this.problems = problems;
  }
}

export class ClientRegistration {
  readonly #parts: RegistrationParts;
  readonly #limits: RegistrationLimits;

  constructor(parts: RegistrationParts) {
    this.#parts = parts;
    const { admin, attemptKey } = parts;
    this.#limits = new RegistrationLimits({ storage: admin.storage, attemptKey, now: () => admin.now() });
  }

  /** RFC 7591 §3. The metadata is read only if the token, or the limits, allow a new client. */
  async register(metadata: () => ClientMetadata, registrant: Registrant): Promise<Registered> {
    const { admin, changed, statements } = this.#parts;
    const token = await this.#admit(registrant);
    const rules = await this.#rules(token?.policy ?? null);
    const stated = await withStatement(metadata(), statements);
    const read = valid(stated.metadata, rules);
    if (token === undefined) this.#count(await this.#limits.count(registrant));
    const now = admin.now();
    const clientId = newClientId(admin);
    const { authMethod, type } = read.fields;
    const secret = secretFor(authMethod, admin);
    const accessToken = ACCESS_TOKEN_PREFIX + base64url(admin.randomBytes(32));
    const bare = { clientId, authMethod, ...NO_SECRETS };
    const client: Client = {
      ...aStranger,
      ...{ clientId, createdAt: now, updatedAt: now },
      ...read.fields,
      ...termsFrom(token?.policy ?? null),
      ...(secret === null ? NO_SECRETS : withSecret(bare, secret, { now, overlap: 0 }, admin)),
      defaultScopes: read.defaultScopes,
      defaultMaxAge: read.defaultMaxAge,
      refresh: type === "public" ? "rotate" : "keep",
      registered: {
        ...read.own,
        tokenHash: hashes.sha256(accessToken),
        initialTokenId: token?.tokenId ?? null,
        policy: token?.policy ?? null,
        ceiling: null,
        ...statementOf(stated),
        ...(read.logoUri === null ? {} : { logoUri: read.logoUri }),
        appearance: appearanceOf(read.fields, null),
      },
    };
    const outcome = await admin.storage.registrations.register({
      client,
      tokenHash: token === undefined ? null : hashes.sha256(registrant.bearer ?? ""),
      forgetAfter: asksOwners(client) ? now + FORGOTTEN_AFTER : null,
      mostUnused: MOST_UNUSED,
      network: registrant.network,
      now,
    });
    switch (outcome) {
      case "token_spent":
        return refuse("initial_access_token_invalid", "used up, expired or revoked");
      case "full":
        return refuse("registrations_throttled", `${MOST_UNUSED} clients wait for their first owner`, 3600);
      case "registered":
        changed();
        return { client: await this.#withLogo(client), secret, accessToken };
    }
  }

  /** A client that counts as reviewed gets its logo at once. Without the picture, it is registered all the same. */
  async #withLogo(client: Client): Promise<Client> {
    if (!client.reviewed || client.registered?.logoUri === undefined) return client;
    const { admin, outboundAllow, changed } = this.#parts;
    const { takeLogo } = await import("../admin/logo-of-reviewed-client.ts");
    const taken = await takeLogo(client.clientId, outboundAllow, admin);
    if (taken.kind !== "taken") return client;
    changed();
    return taken.client;
  }

  /** RFC 7592 §2.1. */
  async read(clientId: string, registrant: Registrant): Promise<Registered> {
    const { client, accessToken } = await this.#authenticated(clientId, registrant);
    return { client, secret: null, accessToken };
  }

  /** RFC 7592 §2.2: the metadata replaces what is registered. The policy is applied as to a new client. */
  async replace(clientId: string, metadata: () => ClientMetadata, registrant: Registrant): Promise<Registered> {
    for (let tries = 0; ; tries += 1) {
      const { client, version, registered, accessToken } = await this.#authenticated(clientId, registrant);
      const sent = metadata();
      checkIdentity(sent, client);
      const rules = await this.#rules(registered.policy);
      const stated = await withStatement(sent, this.#parts.statements);
      const read = valid(stated.metadata, { ...rules, before: client });
      if (tries === 0) this.#count(await this.#limits.countChange(clientId));
      const changed = this.#changed(client, { ...registered, ...statementOf(stated) }, read);
      const admin = this.#byClient(client, registrant, "replace", sent);
      const outcome = await admin.storage.clients.put({ client: changed.client, expect: version });
      // An operator or another request was first, so the checks begin again.
      if (outcome.kind !== "stored") continue;
      this.#parts.changed();
      return { ...changed, accessToken };
    }
  }

  /** RFC 7592 §2.3: its grants and tokens end as after `assent client delete`. */
  async delete(clientId: string, registrant: Registrant): Promise<void> {
    const { client } = await this.#authenticated(clientId, registrant);
    await deleteClient(clientId, this.#byClient(client, registrant, "delete", {}), { by: "client" });
    this.#parts.changed();
  }

  /** The initial access token. Undefined: none is needed, and none was sent. */
  async #admit(registrant: Registrant): Promise<RegistrationToken | undefined> {
    const { mode, admin } = this.#parts;
    const { bearer } = registrant;
    if (bearer === undefined) {
      if (mode === "token") return refuse("initial_access_token_missing");
      this.#count(this.#limits.known(registrant));
      return undefined;
    }
    // Any other text costs no query.
    if (!bearer.startsWith(INITIAL_ACCESS_TOKEN_PREFIX) || bearer.length !== LENGTH)
      return refuse("initial_access_token_invalid", "no initial access token");
    const token = await admin.storage.registrations.findToken({ tokenHash: hashes.sha256(bearer) });
    if (token === undefined) return refuse("initial_access_token_invalid", "unknown or revoked");
    if (token.expiresAt <= admin.now()) return refuse("initial_access_token_invalid", `${token.tokenId} has expired`);
    if (token.used >= token.uses) return refuse("initial_access_token_invalid", `${token.tokenId} is used up`);
    return token;
  }

  #count(wait: number | undefined): void {
    if (wait !== undefined) refuse("registrations_throttled", undefined, wait);
  }

  async #rules(own: OwnPolicy | null): Promise<RegistrationRules> {
    const { policy, admin } = this.#parts;
    const { grants, scopes } = await surroundings(admin);
    const replaced = Object.entries(own ?? {}).filter(([, part]) => part !== null);
    return { policy: { ...policy, ...Object.fromEntries(replaced) }, grants, scopes };
  }

  /** The active client whose registration access token was sent (RFC 7592 §2). All others get the same refusal. */
  async #authenticated(clientId: string, { bearer }: Registrant) {
    const { admin } = this.#parts;
    if (bearer === undefined) return refuse("registration_access_token_missing");
    const isOurs = bearer.startsWith(ACCESS_TOKEN_PREFIX) && bearer.length === LENGTH;
    const found = isOurs ? await admin.storage.clients.get({ clientId }) : undefined;
    const client = found?.record;
    const registered = client?.registered;
    const isRight = hashes.equal(hashes.sha256(bearer), registered?.tokenHash ?? "");
    if (found === undefined || client === undefined || registered === undefined || !isRight)
      return refuse("registration_access_token_invalid");
    if (client.status !== "active")
      return refuse("registration_access_token_invalid", "an operator disabled the client");
    return { client, registered, version: found.version, accessToken: bearer };
  }

  #changed(before: Client, registered: SelfRegistered, read: ReadSelfRegistration): Omit<Registered, "accessToken"> {
    const { admin } = this.#parts;
    const { fields, own, defaultMaxAge, logoUri } = read;
    const now = admin.now();
    const isNewLogo = (registered.logoUri ?? null) !== logoUri;
    const { logoUri: _, ...others } = registered;
    const known = consentHosts(before.redirectUris);
    const isNewHost = consentHosts(fields.redirectUris).some((host) => !known.includes(host));
    const isNew = isNewLogo || isNewHost || appearanceOf(fields, before.logo) !== registered.appearance;
    const logo = isNew ? null : before.logo;
    const lost = (had: readonly string[], left: readonly string[]) => had.some((one) => !left.includes(one));
    const reduced = lost(before.scopes, fields.scopes) || lost(before.grantTypes, fields.grantTypes);
    const kept: Client = {
      ...before,
      ...fields,
      ...secretsAfter(before, fields.authMethod),
      // An operator judged another app.
      ...(isNew ? aStrangerAgain(before, registered.policy) : {}),
      logo,
      defaultScopes: (before.defaultScopes ?? []).filter((name) => fields.scopes.includes(name)),
      defaultMaxAge,
      reducedAt: reduced ? now : before.reducedAt,
      updatedAt: now,
      registered: {
        ...others,
        ...own,
        ...(logoUri === null ? {} : { logoUri }),
        appearance: appearanceOf(fields, logo),
      },
    };
    if (!needsSecret(kept)) return { client: kept, secret: null };
    const secret = secretFor(kept.authMethod, admin);
    if (secret === null) return { client: kept, secret };
    return { client: { ...kept, ...withSecret(kept, secret, { now, overlap: 0 }, admin) }, secret };
  }

  /** Events of its changes name the client. */
  #byClient(
    { clientId }: Client,
    { address, requestId }: Registrant,
    operation: string,
    sent: ClientMetadata,
  ): AdminContext {
    const { admin } = this.#parts;
    const about = { actor: `client:${clientId}`, door: "registration", operation, address, requestId } as const;
    return causedBy(admin, { ...about, fields: Object.keys(sent).slice(0, 50), at: admin.now() });
  }
}

/** The operator decided these when they made the token; the client can't. */
function termsFrom(policy: OwnPolicy | null): ClientTerms {
  const { reviewed, requirePkce, tokenEndpointAudience } = policy ?? {};
  return {
    reviewed: reviewed ?? aStranger.reviewed,
    requirePkce: requirePkce ?? aStranger.requirePkce,
    tokenEndpointAudience: tokenEndpointAudience ?? aStranger.tokenEndpointAudience,
  };
}

function valid(metadata: ClientMetadata, rules: RegistrationRules): ReadSelfRegistration {
  const read = readSelfRegistration(metadata, rules);
  if (read.kind === "invalid") throw new RegistrationRefusal(read.problems);
  return read;
}

function statementOf({
  metadata: { software_statement: statement },
  issuer,
}: Awaited<ReturnType<typeof withStatement>>): Pick<SelfRegistered, "statement" | "statementIssuer"> {
  return { statement: issuer === null ? null : String(statement), statementIssuer: issuer };
}

/** RFC 7592 §2.2: it names itself, and its secret, if at all, correctly. It can't choose either. */
function checkIdentity(sent: ClientMetadata, { clientId, secrets }: Client): void {
  const wrong = (field: string, problem: string) => {
    throw new RegistrationRefusal([{ field, problem, error: "invalid_client_metadata" }]);
  };
  if (sent["client_id"] !== clientId) wrong("client_id", "must be the client's own id");
  const secret = sent["client_secret"] ?? undefined;
  if (secret === undefined) return;
  const isOwn = typeof secret === "string" && secrets.some(({ hash }) => hashes.equal(hashes.sha256(secret), hash));
  if (!isOwn) wrong("client_secret", "is not the client's secret; leave it out");
}

/** True: its tokens belong to owners, so an unused client leaves no consent. Others leave no trace when they are used. */
function asksOwners({ grantTypes }: Client): boolean {
  return !grantTypes.includes("client_credentials");
}
