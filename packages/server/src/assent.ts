/** Puts the server together: takes a configuration and returns a node:http handler. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { adminResource, withAdminScopes } from "./admin/api-access/admin-scopes.ts";
import { type Config, ConfigError, checkCode, warningsAtStart } from "./config.ts";
import { grantsOf } from "./configured-grant-types.ts";
import { OwnAccessTokens } from "./crypto/access-tokens.ts";
import { openClientSecrets } from "./crypto/client-secrets.ts";
import { shareCores } from "./crypto/cpu-semaphore.ts";
import { DerivedCredentials, sha256 } from "./crypto/derived-credentials.ts";
import { derivedId, newId, newOwnerId } from "./crypto/ids.ts";
import { hashes } from "./crypto/node-hashes.ts";
import { randomBytes, randomText } from "./crypto/random.ts";
import { textSealer } from "./crypto/seal.ts";
import { Secrets } from "./crypto/server-secret.ts";
import { Receipts } from "./crypto/signed-receipts.ts";
import { ensureKeys, SigningKeySealed } from "./crypto/signing-keys.ts";
import { userCodes } from "./crypto/user-codes.ts";
import { demoRemarks, prepareDataDir, secretsOf } from "./data-dir.ts";
import { elsewhereOf, ownProviderSealing, withOwnPage } from "./elsewhere-setup.ts";
import { type Reporting, reporting, requestNumber } from "./event-reporting.ts";
import { Heartbeat } from "./heartbeat.ts";
import { Housekeeping } from "./housekeeping.ts";
import { coarseNetworkOf, networkOf, originOf, TrustedProxies } from "./http/connections/client-address.ts";
import { Connections } from "./http/connections/connection-limits.ts";
import { Gate } from "./http/connections/load-shedding.ts";
import { createHandler } from "./http/connections/request-handler.ts";
import { HeaderLines } from "./http/connections/response-header-lines.ts";
import { Unread } from "./http/connections/slow-request-limits.ts";
import { Cookies } from "./http/cookies.ts";
import { commonHeaders } from "./http/http-message.ts";
import { LazyPages, type Served } from "./http/lazy-pages.ts";
import { tokenMisses } from "./http/unknown-token-counts.ts";
import { JoseForeignJwts, readKeySet } from "./jose/foreign-jwts.ts";
import { keysOf, makeKeys, metadataOf, singleFlight } from "./keys-and-metadata.ts";
import { createLogger } from "./log.ts";
import type { PeriodicWork } from "./mail/periodic-work.ts";
import { type Mail, type MailSources, openMail } from "./mail-setup.ts";
import { keepMembershipsInSync } from "./membership-sync.ts";
import { sourcesOf } from "./metric-sources.ts";
import type { Snapshot } from "./metrics/prometheus-text.ts";
import { ServerMetrics } from "./metrics/server-metrics.ts";
import type { GrantRegistry } from "./oauth/grants/registry.ts";
import type { Millis, SigningAlg } from "./oauth/model.ts";
import { withOpenIdScopes } from "./oauth/openid/scopes.ts";
import type { TokenEndpointContext } from "./oauth/token-endpoint/endpoint.ts";
import { openIdOf } from "./openid-setup.ts";
import { readBrand } from "./operator-branding.ts";
import { GuardedFetcher } from "./outbound/guarded-fetch.ts";
import { remoteKeys } from "./outbound/remote-keys.ts";
import { Popularity } from "./owners/app-popularity.ts";
import { GrantUses, ScopeUses } from "./owners/apps/record-scope-use.ts";
import { assertedOwners, ownerNamed } from "./owners/asserted-owners.ts";
import type { AuthorizationContext } from "./owners/authorization/context.ts";
import { FailedClients } from "./owners/client-authentication-failures.ts";
import { admitDevice } from "./owners/enter-user-code.ts";
import type { Notice } from "./owners/mail/company-notice-kinds.ts";
import type { Brand } from "./pages/index.ts";
import { AssertionReader } from "./saml/assertion-reader.ts";
import { EventSealing } from "./seal-events.ts";
import { signInOf } from "./sign-in-setup.ts";
import { openCatalog } from "./storage/cached-catalog.ts";
import { refuseUnready } from "./storage/database-state.ts";
import { StorageUnavailable } from "./storage/errors.ts";
import { NEWEST_MIGRATION } from "./storage/migrations/index.ts";
import { openStorage, type Storage } from "./storage/open.ts";
import { partitionOf } from "./storage/partition.ts";
import { tellAppsOfLogout } from "./tell-apps-of-logout.ts";
import { readTls, type Tls } from "./tls.ts";
import { issuePolicyOf, policyOf, signInPolicyOf } from "./token-lifetimes.ts";
import type { Crew } from "./workers/messages.ts";

/** The server as a library. */
export interface AssentServer {
  /** Pass it to `http.createServer`, or mount it in your own app. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  readonly config: Config;
  readonly log: Logger;
  readonly storage: Storage;
  /** The grant types that it offers. */
  readonly grants: GrantRegistry;
  /** The TLS settings of `listen`. */
  readonly tls: Tls;
  /** Limits on the connections of a program that listens with the handler. */
  readonly connections: Connections;
  /** True: it is one of several processes on one port. */
  readonly sharesPort: boolean;
  /** The metrics of this process since its start. */
  measure(): Promise<Snapshot>;
  /** From now on, `/health/ready` answers 503. */
  announceEnd(): void;
  /** From now on, responses also close their connections. */
  drain(): void;
  /** Stops timers and closes the database. Call it when no request is under way. */
  close(): Promise<void>;
}

export interface AssentOptions {
  /** Milliseconds since the epoch, for tests that set the clock. Absent: the database's own time. */
  readonly now?: () => Millis;
  /**
   * Milliseconds of a clock that nobody sets, for the age of the cache and for slow clients. For tests that don't wait.
   * Absent: this machine's.
   */
  readonly monotonic?: () => Millis;
  /** Absent: made from `config.logLevel`. */
  readonly log?: Logger;
  /**
   * Receives news for people (invitations, members' requests) to deliver. Absent: nobody receives them. It must return
   * at once.
   */
  readonly notify?: (notice: Notice) => void;
  /** For demos on one machine: without ASSENT_SMTP_URL, messages go to the log with their links. */
  readonly dangerouslyLogMail?: boolean;
  /** Set for one of several processes that share a machine. */
  readonly worker?: {
    /** True: this process logs the risky settings for all of them. */
    readonly first: boolean;
    crew(): Crew | undefined;
  };
}

/**
 * Opens the database (and creates it if there is none), the keys and the caches. Throws an error that says what to fix;
 * a `ConfigError` if other users of this machine may read or write its files.
 */
export async function createAssent(config: Config, options: AssentOptions = {}): Promise<AssentServer> {
  const log = options.log ?? createLogger(config.logLevel, { shared: options.worker !== undefined });
  const grants = grantsOf(config);
  await checkCode(config);
  prepareDataDir(config);
  const tls = readTls(config);
  const brand = readBrand(config);
  if (options.worker?.first ?? true) {
    for (const warning of [...warningsAtStart(config, options), ...tls.warnings, ...demoRemarks(config)])
      log.warn({ event: "configuration" }, warning);
  }
  shareCores(options.worker === undefined ? 1 : config.workers);
  const metrics = new ServerMetrics({ watch: config.metricsListen !== null });
  const secrets = new Secrets(secretsOf(config));
  const storage = await openStorage({
    url: config.databaseUrl,
    writer: config.sqliteWriter,
    onBatch: (size, milliseconds) => metrics.batch(size, milliseconds),
  });
  const now = options.now ?? (() => storage.now());
  const heartbeat = new Heartbeat({ storage, log, schema: NEWEST_MIGRATION });
  try {
    const migrated = await storage.migrate({ now: now() });
    if (migrated.length > 0) log.info({ event: "schema_migrated", migrations: migrated }, "schema_migrated");
    await heartbeat.begin();
    const state = await storage.state();
    refuseUnready(state, { serve: true });
    await makeKeys(storage, secrets, now());
    const saml = new AssertionReader();
    const restoredAt = state.epoch?.at ?? 0;
    const crew = options.worker?.crew ?? (() => undefined);
    const { notify, monotonic = () => performance.now() } = options;
    const attemptKey = (...parts: readonly string[]) => secrets.mac("attempt", JSON.stringify(parts));
    const reporter = reporting(log, metrics, {
      now,
      load: async () => {
        const { RefusalRecorder } = await import("./refusals/refusal-recorder.ts");
        return new RefusalRecorder({ storage, networkOf, monotonic });
      },
      loadEvents: async () => {
        const { EventRecorder } = await import("./events/recorder.ts");
        return new EventRecorder({ storage, networkOf, partitionOf, monotonic });
      },
    });
    const mailSources = { config, storage, secrets, attemptKey, log, now, brand };
    const mail = openMail(mailSources, options.dangerouslyLogMail ?? false);
    const parts = {
      ...{ config, storage, secrets, log, now, saml, tls, grants, restoredAt, metrics, crew, notify },
      ...{ mail, attemptKey, brand, monotonic, heartbeat, reporter },
    };
    const assent = await assemble(parts);
    const connections = new Connections({
      proxies: assent.assent.proxies,
      closed: (reason) => metrics.connectionClosed(reason),
      now: monotonic,
    });
    const alsoDue = () => makeKeys(storage, secrets, now());
    const housekeeping = new Housekeeping({ storage, now, log, alsoDue });
    if (config.housekeeping) housekeeping.start();
    mail.start();
    assent.telling.start();
    const sealing = new EventSealing({
      ...{ storage, secrets, issuer: config.issuer, now, monotonic, event: reporter.event, mail: mail.postbox },
      keptFor: config.eventsKept === "forever" ? null : config.eventsKept,
      outboundAllow: config.outboundAllow,
      alarm: (name, fields, text) => log.error({ event: name, ...fields }, text),
    });
    sealing.start();
    const membershipSync = keepMembershipsInSync({ storage, now, event: reporter.event }, log);
    assent.assent.people.loadSoon();
    return {
      handler: createHandler(assent.assent),
      config,
      log,
      storage,
      tls,
      grants,
      connections,
      sharesPort: options.worker !== undefined,
      announceEnd: assent.announceEnd,
      drain: assent.drain,
      measure: () => metrics.snapshot(sourcesOf(assent.assent, storage, connections)),
      async close() {
        clearInterval(membershipSync);
        metrics.close();
        await housekeeping.stop();
        await assent.assent.people.stop();
        await assent.telling.stop();
        await mail.stop();
        await saml.close();
        await reporter.settle();
        await sealing.stop();
        await heartbeat.end();
        await storage.close();
        reporter.close();
      },
    };
  } catch (error) {
    await heartbeat.end();
    await storage.close();
    throw error;
  }
}

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly now: () => Millis;
  readonly monotonic: () => Millis;
  readonly saml: AssertionReader;
  readonly tls: Tls;
  readonly brand: Brand;
  readonly grants: GrantRegistry;
  /** When the database was last restored; 0: never. */
  readonly restoredAt: Millis;
  readonly metrics: ServerMetrics;
  readonly crew: () => Crew | undefined;
  readonly notify: AssentOptions["notify"];
  readonly mail: Mail;
  readonly attemptKey: MailSources["attemptKey"];
  readonly heartbeat: Heartbeat;
  readonly reporter: Reporting;
}

async function assemble({
  config,
  storage,
  secrets,
  log,
  now,
  monotonic,
  saml,
  tls,
  brand,
  grants,
  restoredAt,
  metrics,
  crew,
  notify,
  mail: { postbox: mail, desk: mailDesk, links },
  attemptKey,
  heartbeat,
  reporter,
}: Parts): Promise<{ assent: Served; telling: PeriodicWork } & Pick<AssentServer, "announceEnd" | "drain">> {
  const policy = policyOf(config, await storage.noteAccessTtl({ ttl: config.accessTtl, now: now() }));
  const { customClaims } = config;
  const { issuer } = config;
  const catalog = openCatalog(storage, {
    now: monotonic,
    withBuiltIn: (own) => withAdminScopes(withOpenIdScopes(own, customClaims), issuer),
    builtInResources: [adminResource(issuer)],
  });
  const credentials = new DerivedCredentials(secrets);
  const keys = keysOf({ storage, secrets, now, version: () => catalog.keysVersion() });
  await Promise.resolve(keys()).catch((error: unknown) => {
    throw error instanceof SigningKeySealed ? new ConfigError([error.message]) : error;
  });
  // Read at the start, so that the server can publish it even if the database fails before the first request.
  const metadata = metadataOf(config, catalog, grants);
  await metadata();
  const makeKey = singleFlight(async (alg: SigningAlg) => {
    await ensureKeys(storage, secrets, now(), [alg]);
    catalog.invalidate();
    return keys();
  });
  const { event } = reporter;
  const owners = { storage, newOwnerId, partitionOf, now };
  const { signIn, secondStep, keeper } = signInOf({ ...owners, ...config, secrets, mail, metrics, log, attemptKey });
  const signInPolicy = signInPolicyOf(config.policies?.signIn);
  const basePath = new URL(issuer).pathname.replace(/\/$/, "");
  const scopeUses = new ScopeUses(storage, now);
  const grantUses = new GrantUses({
    ...{ storage, now, failed: () => event("use_unrecorded", {}) },
    partitionOf: (grantId) => credentials.partitionOf(grantId),
  });
  const documents =
    config.clientIdMetadata === "off"
      ? null
      : (await import("./client-documents-setup.ts")).clientDocuments(config, {
          ...{ storage, catalog, grants, now, monotonic, event },
          changed: () => catalog.invalidate(),
        });
  const context: TokenEndpointContext = {
    issuer,
    policy,
    grants,
    catalog,
    storage,
    credentials,
    documents,
    accessTokens: new OwnAccessTokens({ issuer, secrets, keys, makeKey }),
    openId: openIdOf({ issuer, keys, makeKey }, { ...owners, issuer }, customClaims, () => context),
    foreignJwts: foreignJwts(config.outboundAllow, event),
    ...{ issuePolicy: issuePolicyOf(config.policies?.issue), userCodes: userCodes(secrets), hashes },
    admitDevice: (asker) => admitDevice(asker, { storage, policy, attemptKey, now }),
    saml,
    assertedOwners: assertedOwners({ ...owners, providers: () => catalog.providers() }),
    findOwner: (by, value) => ownerNamed(by, value, owners),
    newGrantId: newId,
    networkOf: coarseNetworkOf,
    noteUse: (grant, scopes) => scopeUses.note(grant, scopes),
    noteIntrospection: (grantId) => grantUses.note(grantId),
    noteApiUse: (grantId, api) => grantUses.noteApi(grantId, api),
    restoredAt,
    openClientSecrets: (clientId, sealed) => openClientSecrets(secrets, clientId, sealed),
    ownerPassword: async (asked) => {
      const [{ ownerByPassword }, { MAX_PASSWORD_BYTES }] = await Promise.all([
        import("./owners/password-grant-owner.ts"),
        import("./owners/new-password.ts"),
      ]);
      return ownerByPassword(asked, { ...signIn, signInPolicy, event, storage, originOf, longest: MAX_PASSWORD_BYTES });
    },
    misses: tokenMisses(now),
    now,
    event,
  };
  const ids = { secret: randomText(16), count: 0 };
  const people = new LazyPages({
    issuer,
    brand,
    missing: (err) => log.error({ event: "pages_missing", err }, "the pages can't be loaded: people get errors"),
  });
  const notices: Pick<AuthorizationContext, "noticeLetters" | "notify"> = {
    noticeLetters: async (notice) => {
      const { noticeLetters } = await import("./owners/mail/company-notice-mail.ts");
      return noticeLetters(notice, { storage, catalog, mail, issuer, partitionOf, attemptKey, now });
    },
    notify: (notice) => {
      mail.kick();
      try {
        notify?.(notice);
      } catch (error) {
        log.error({ err: error, event: "notice_failed", kind: notice.kind }, "a notice could not be handed over");
      }
    },
  };
  const authorization: AuthorizationContext = {
    ...{ oauth: context, storage, credentials, attemptKey, randomText, derivedId, originOf, now, event, ...notices },
    ...{ sealer: textSealer(secrets), signInPolicy },
    consentDurations: config.consentDurations,
    saltOf(text) {
      const salt = Buffer.from(text, "base64url");
      return { salt, hash: sha256(salt) };
    },
  };
  const telling = tellAppsOfLogout({
    storage,
    catalog,
    openId: context.openId,
    fetcher: fetcherOf(config.outboundAllow),
    now,
    event,
  });
  const tellApps = () => telling.kick();
  const sessions = { tellApps, storage, mail, issuer, attemptKey, newId, event, now };
  const changed = () => catalog.invalidate();
  const admin = { storage, issuer, policy, grants, now, randomBytes, secrets: () => secrets };
  const registration =
    config.registration === "off"
      ? null
      : (await import("./registration-setup.ts")).clientRegistration(config, {
          admin,
          attemptKey,
          changed,
          oauth: context,
        });
  let [ending, draining] = [false, false];
  const assent: Served = {
    config,
    issuer,
    basePath,
    oauth: context,
    popularity: new Popularity(storage),
    adminApi: {
      ...{ issuer, basePath, config, secrets, now, event, changed, admin, refused: reporter.refused },
      accessTokens: context.accessTokens,
      configuration: async () => (await import("./configuration-over-api.ts")).configurationOverApi(storage, config),
    },
    registration,
    brand,
    receipts: new Receipts({ issuer, storage, keys }),
    authorization,
    sessions,
    factors: sessions,
    identities: {
      ...sessions,
      keeper,
      catalog: { issuers: () => catalog.issuers(), ...withOwnPage(catalog, config.externalSignIn) },
    },
    elsewhere: elsewhereOf({
      ...{ catalog, storage, secrets, outboundAllow: config.outboundAllow, externalSignIn: config.externalSignIn },
      people: { ...sessions, newOwnerId, partitionOf, randomText },
    }),
    ownProvider: {
      ...{ storage, issuer, attemptKey, event, now, ...notices, providers: () => catalog.providers() },
      ...ownProviderSealing(secrets),
    },
    recovery: { storage, oauth: context, mail, links, issuer, attemptKey, newId, now },
    account: { ...sessions, oauth: context, credentials, links, mailDesk, hashPassword: signIn.hashPassword },
    apps: { storage, oauth: context, consentDurations: config.consentDurations, now, event },
    companies: {
      ...{ storage, catalog, credentials, newId, randomText, attemptKey, now, event, ...notices },
      ...{ newCompanyId: newOwnerId, anyoneCreates: config.companies === "anyone" },
      invitationLink: (token) => `${issuer}/invitation?token=${token}`,
    },
    credentials,
    secrets,
    keys,
    metadata,
    databaseAnswers: () =>
      storage.catalog.ping().then(
        () => true,
        () => false,
      ),
    logo: (hash) => storage.logos.get({ hash }),
    picture: (pictureId) => storage.pictures.get({ partition: partitionOf(pictureId), pictureId }),
    now,
    event,
    signIn,
    secondStep,
    keeper,
    cookies: new Cookies(issuer),
    proxies: new TrustedProxies(config.trustProxy, config.proxyHeader, (other) =>
      log.warn(
        { event: "configuration" },
        `a trusted proxy sends ${other} without ${config.proxyHeader}, so that its own address counts as the client's: if it names the client there, set ASSENT_PROXY_HEADER=${other}`,
      ),
    ),
    failedClients: new FailedClients({
      ...{ storage, attemptKey, now, monotonic: () => performance.now() },
      isOutage: (error) => error instanceof StorageUnavailable,
    }),
    gate: new Gate(monotonic),
    unread: new Unread(monotonic),
    metrics,
    crew,
    clientAuthorities: tls.clientCa?.certificates ?? null,
    headerLines: new HeaderLines(commonHeaders(issuer)),
    people,
    chrome: (request, about) => people.pageChromes.of(request, assent.cookies.read(request, "language"), about),
    refused: reporter.refused,
    refusalShown: reporter.shown,
    mail,
    requestId: () => requestNumber(`${ids.secret}${ids.count++}`),
    unfit: () => heartbeat.unfit !== undefined,
    ending: () => ending,
    draining: () => draining,
  };
  return {
    assent,
    telling,
    announceEnd: () => {
      ending = true;
    },
    drain: () => {
      [ending, draining] = [true, true];
    },
  };
}

function fetcherOf(alsoAllowed: readonly string[]): GuardedFetcher {
  return new GuardedFetcher({ now: () => performance.now(), alsoAllowed });
}

/** Verifies JWTs that clients and trusted issuers sign. The guarded fetcher gets keys from a URI. */
function foreignJwts(alsoAllowed: readonly string[], event: Reporting["event"]): JoseForeignJwts {
  const now = () => performance.now();
  const fetcher = fetcherOf(alsoAllowed);
  return new JoseForeignJwts(remoteKeys({ fetcher, now, parse: readKeySet, event }));
}
