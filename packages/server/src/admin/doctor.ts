/** Checks everything that a server needs, and says how to fix each problem. Changes nothing. */

import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { type Config, certificatesKnown } from "../config.ts";
import { grantsOf } from "../configured-grant-types.ts";
import { unseal } from "../crypto/seal.ts";
import { Secrets } from "../crypto/server-secret.ts";
import {
  algsInUse,
  DEFAULT_ALG,
  keySet,
  PUBLISH_BEFORE_USE,
  ROTATE_AFTER,
  supersededAt,
} from "../crypto/signing-keys.ts";
import { demoRemarks, looseFiles, ownFiles, secretFile, secretsOf } from "../data-dir.ts";
import { nodeFaults, nodeOrigin } from "../node-runtime.ts";
import type { Millis, SigningAlg } from "../oauth/model.ts";
import { withOpenIdScopes } from "../oauth/openid/scopes.ts";
import { serverMetadata } from "../oauth/server-metadata.ts";
import { refuseUnready } from "../storage/database-state.ts";
import type { MigrationState } from "../storage/migrations/migrate.ts";
import { openStorage, type Storage } from "../storage/open.ts";
import { isPostgresUrl } from "../storage/postgres/database-url.ts";
import { allClients, clientRemarks, leavesPkceOpen, surroundings } from "./clients.ts";
import { type AdminContext, adminOf, missingDatabase } from "./context.ts";
import { counted } from "./counted.ts";
import { databaseStatus, neededBy } from "./database.ts";
import { type NameFindings, nameFindings } from "./doctor-confusable-names.ts";
import type { Finding } from "./doctor-finding.ts";
import { everyProvider, providerFindings } from "./doctor-sign-in-providers.ts";
import { settingsInForce } from "./effective-settings.ts";
import { fetchMetadata } from "./fetch-own-metadata.ts";
import type { RunningServer, StoredKey } from "./storage.ts";
import { webhookFindings } from "./webhooks/findings.ts";

export interface Diagnosis {
  /** False: something is broken. */
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** The present configuration, with secrets masked and times in seconds. Null if it can't be read. */
  readonly configuration: Readonly<Record<string, unknown>> | null;
}

const DAY: Millis = 86_400_000;
/** Number of findings of one kind that are shown; the rest is counted. */
const SHOWN = 10;

/**
 * `load`: reads the configuration, as a start of the server would. `node`: the version of the Node.js that runs the
 * program. `path`: its executable, without symbolic links.
 */
export async function diagnose(
  load: () => Promise<Config>,
  node: string,
  now: Millis,
  path = process.execPath,
): Promise<Diagnosis> {
  const findings: Finding[] = nodeFindings(node, path);
  let config: Config;
  try {
    config = await load();
  } catch (error) {
    findings.push(...lines(error).map((detail): Finding => ({ check: "configuration", status: "broken", detail })));
    return { ok: false, findings, configuration: null };
  }
  const files = fileFindings(config);
  findings.push(...configurationFindings(config), ...files);
  // Files that other users can reach are not opened.
  if (files.every(({ status }) => status === "ok")) findings.push(...(await insideFindings(config, now)));
  return { ok: findings.every(({ status }) => status !== "broken"), findings, configuration: settingsInForce(config) };
}

function nodeFindings(version: string, path: string): Finding[] {
  const major = Number(version.split(".")[0]);
  if (major < 24)
    return [{ check: "node", status: "broken", detail: `${version}: this server needs Node.js 24 or newer` }];
  const { bundled, text } = nodeOrigin(path);
  const remedy = bundled === null ? "" : `; to use your own Node.js, put it on PATH and delete node_modules/${bundled}`;
  const faults = nodeFaults(version).map(
    (fault): Finding => ({ check: "node", status: "warning", detail: `${fault}${remedy}` }),
  );
  return [{ check: "node", status: "ok", detail: `${version}, ${text}` }, ...faults];
}

function configurationFindings(config: Config): Finding[] {
  const { warnings, issuer, listen } = config;
  const findings = [...warnings, ...demoRemarks(config)].map(
    (detail): Finding => ({ check: "configuration", status: "warning", detail }),
  );
  if (issuer.startsWith("http:") && !isLoopback(listen.host)) {
    const detail = `the issuer (${issuer}) works only on this machine, but the server listens on ${listen.host}, which other machines can reach`;
    findings.push({ check: "configuration", status: "warning", detail });
  }
  return findings.length > 0 ? findings : [{ check: "configuration", status: "ok", detail: "complete and valid" }];
}

function isLoopback(host: string): boolean {
  return /^(localhost|::1|127\..*)$/.test(host);
}

function fileFindings(config: Config): Finding[] {
  const loose = looseFiles(config);
  if (loose.length > 0) return loose.map((detail) => ({ check: "files", status: "broken", detail }));
  const there = ownFiles(config).filter(({ path }) => existsSync(path));
  return [
    { check: "files", status: "ok", detail: `${counted(there.length, "file")}; other users can't read or write them` },
  ];
}

/** Checks that need the database. */
async function insideFindings(config: Config, now: Millis): Promise<readonly Finding[]> {
  try {
    if (!isPostgresUrl(config.databaseUrl)) return await schemaFindings(config, now);
    const { postgresFindings } = await import("./doctor-postgres.ts");
    return [...(await postgresFindings(config)), ...(await schemaFindings(config, now))];
  } catch (error) {
    return lines(error).map((detail) => ({ check: "database", status: "broken", detail }));
  }
}

async function schemaFindings(config: Config, now: Millis): Promise<readonly Finding[]> {
  const { exists, migrations, state, servers } = await databaseStatus(config);
  if (!exists) return [{ check: "database", status: "broken", detail: missingDatabase(config) }];
  if (state !== null) refuseUnready(state, { serve: true });
  const pending = migrations.filter(({ appliedAt }) => appliedAt === null);
  const expanding = pending.filter(({ phase }) => phase === "expand");
  if (expanding.length > 0) {
    const detail = `Missing: ${counted(expanding.length, "migration")}. The next start, or assent db migrate, applies them`;
    return [{ check: "database", status: "warning", detail }];
  }
  const storage = await openStorage({ url: config.databaseUrl, readonly: true });
  try {
    return [...waitingFindings(pending, servers), ...(await storedFindings(config, storage, now))];
  } finally {
    await storage.close();
  }
}

/** Contract steps, which only an operator may start: due when no server needs what they remove. */
function waitingFindings(pending: readonly MigrationState[], servers: readonly RunningServer[]): readonly Finding[] {
  if (pending.length === 0) return [];
  const names = pending.map(({ name }) => name).join(", ");
  const older = servers.filter(({ schema }) => schema < neededBy(pending));
  const detail =
    older.length > 0
      ? `${names}: waiting until ${older.length} server process(es) of an older version stop`
      : `${names}: due, because no server of the previous version runs: run assent db migrate --contract`;
  return [{ check: "database", status: "note", detail }];
}

async function storedFindings(config: Config, storage: Storage, now: Millis): Promise<readonly Finding[]> {
  await storage.catalog.ping();
  const context = adminOf(storage, config.issuer, () => now, undefined, grantsOf(config));
  return [
    { check: "database", status: "ok", detail: "the database answers, and its schema is up to date" },
    ...(await keyFindings(config, storage, now)),
    ...providerFindings(await everyProvider(storage), readableSecrets(config)),
    ...webhookFindings(await storage.webhooks.list(), readableSecrets(config)),
    ...(await clientFindings(context, config)),
    ...namesFound(await nameFindings(context)),
    await issuerFinding(config, storage),
  ];
}

/** Empty: the file is missing, or can't be read. Reading it must not create it. */
function readableSecrets(config: Config): readonly Buffer[] {
  const file = secretFile(config);
  if (file !== undefined && !existsSync(file)) return [];
  try {
    return secretsOf(config);
  } catch {
    return [];
  }
}

async function keyFindings(config: Config, storage: Storage, now: Millis): Promise<readonly Finding[]> {
  const stored = await storage.keys.list();
  if (stored.length === 0)
    return [
      { check: "keys", status: "note", detail: "there is no key yet: the server creates one at its first start" },
    ];
  const file = secretFile(config);
  if (file !== undefined && !existsSync(file)) {
    const detail = `${file} is missing: the server needs it to open the signing keys; restore the file from its backup`;
    return [{ check: "secret", status: "broken", detail }];
  }
  try {
    const list = secretsOf(config);
    const { active } = keySet(stored, new Secrets(list), now);
    const inUse = algsInUse(await storage.resources.list(), await storage.keys.list());
    return [
      secretFinding(stored, list, now),
      ...inUse.map((alg) => keyFinding(alg, active.get(alg)?.kid, stored, now)),
    ];
  } catch (error) {
    return lines(error).map((detail) => ({ check: "keys", status: "broken", detail }));
  }
}

function keyFinding(alg: SigningAlg, signing: string | undefined, stored: readonly StoredKey[], now: Millis): Finding {
  const name = alg === DEFAULT_ALG ? "" : ` (${alg})`;
  if (signing === undefined) {
    return {
      check: "keys",
      status: "note",
      detail: `there is no key${name} yet: the server creates one for the first token that needs it`,
    };
  }
  const record = stored.find(({ kid }) => kid === signing);
  const age = Math.floor((now - (record?.activeFrom ?? now)) / DAY);
  const usable = stored.filter((key) => key.alg === alg && key.retiredAt === null);
  const newest = Math.max(...usable.map(({ activeFrom }) => activeFrom));
  const due = newest + ROTATE_AFTER - PUBLISH_BEFORE_USE;
  const detail = `${signing}${name} has signed for ${counted(age, "day")}; the next one is ${newest > now ? `published and signs from ${iso(newest)}` : `due on ${iso(due)}`}`;
  return due + DAY < now
    ? { check: "keys", status: "warning", detail: `${detail}: overdue, because no server has been running` }
    : { check: "keys", status: "ok", detail };
}

/** Whether the older secrets of a list can be removed. */
function secretFinding(stored: readonly StoredKey[], list: readonly Buffer[], now: Millis): Finding {
  if (list.length === 1) return { check: "secret", status: "ok", detail: "there is one secret" };
  const needed = stored.filter((key) => supersededAt(key, stored, now) === undefined);
  const newest = new Secrets(list.slice(0, 1));
  const old = needed.filter(
    ({ kid, sealedPrivate }) => unseal(newest, "signing key", kid, sealedPrivate) === undefined,
  );
  const detail = `${list.length} secrets: the first one signs, all of them verify`;
  if (old.length > 0) {
    const mend = `Encrypted with an older secret: ${counted(old.length, "signing key")} in use. Before you remove that secret, run assent key rotate and wait until the new key signs`;
    return { check: "secret", status: "note", detail: `${detail}; ${mend}` };
  }
  const left =
    "no signing key in use needs the older secrets; if you remove them, the sessions and refresh tokens that they signed end";
  return { check: "secret", status: "note", detail: `${detail}; ${left}` };
}

async function clientFindings(context: AdminContext, config: Config): Promise<readonly Finding[]> {
  const around = await surroundings(context);
  const known = new Set(around.scopes.map(({ name }) => name));
  const details: string[] = [];
  let count = 0;
  const withoutPkce: string[] = [];
  const byCertificate = { any: 0, issued: 0 };
  for await (const client of allClients(context)) {
    count += 1;
    const issued = client.authMethod === "tls_client_auth";
    if (issued) byCertificate.issued += 1;
    if (issued || client.certificateBound || client.authMethod === "self_signed_tls_client_auth")
      byCertificate.any += 1;
    const label = `${client.clientId} (${client.name})`;
    if (leavesPkceOpen(client, config)) withoutPkce.push(label);
    details.push(...clientRemarks(client, around).map(({ problem }) => `${label}: ${problem}`));
    const gone = client.scopes.filter((name) => !known.has(name));
    if (gone.length > 0) details.push(`${label}: some of its scopes no longer exist (${gone.join(", ")})`);
  }
  for (const { scope } of config.customClaims) {
    const api = around.scopes.find(({ name }) => name === scope)?.resource;
    if (!known.has(scope))
      details.push(`customClaims: there is no scope ${scope}, so nobody gets its claims: assent scope create ${scope}`);
    else if (api != null)
      details.push(
        `customClaims: the scope ${scope} belongs to ${api}, so the parameter claims can't ask for its claims`,
      );
  }
  const findings = warnings("clients", details);
  findings.push(...pkceFindings(withoutPkce), ...certificateFindings(byCertificate, config));
  return findings.length > 0 ? findings : [{ check: "clients", status: "ok", detail: `${counted(count, "client")}` }];
}

function pkceFindings(labels: readonly string[]): Finding[] {
  if (labels.length === 0) return [];
  const named = labels.slice(0, SHOWN).join(", ");
  const more = labels.length > SHOWN ? ` and ${labels.length - SHOWN} more` : "";
  const detail = `PKCE is optional for ${counted(labels.length, "confidential client")}: ${named}${more}. If they use PKCE, like every current library, require it: assent client update CLIENT_ID --require-pkce, or ASSENT_REQUIRE_PKCE for all clients`;
  return [{ check: "clients", status: "note", detail }];
}

function warnings(check: Finding["check"], details: readonly string[]): Finding[] {
  const findings = details.slice(0, SHOWN).map((detail): Finding => ({ check, status: "warning", detail }));
  if (details.length > SHOWN)
    findings.push({ check, status: "warning", detail: `… and ${details.length - SHOWN} more problems of this type` });
  return findings;
}

function namesFound({ problems, all }: NameFindings): readonly Finding[] {
  const findings = warnings("names", problems);
  if (!all)
    findings.push({
      check: "names",
      status: "note",
      detail: "this command did not check all people, because there are too many",
    });
  return findings.length > 0
    ? findings
    : [
        {
          check: "names",
          status: "ok",
          detail: "no name has hidden characters, and no two clients have similar names",
        },
      ];
}

/**
 * Whether certificates of clients that need one arrive, and what the proxy must do that passes them on. The server
 * can't see whether the proxy does it.
 */
function certificateFindings({ any, issued }: { any: number; issued: number }, config: Config): Finding[] {
  const { trustProxy, clientCertHeader: header, tlsClientCa } = config;
  if (any === 0) return [];
  const known = certificatesKnown(config);
  const findings: Finding[] = [];
  const found = (status: Finding["status"], detail: string) => findings.push({ check: "clients", status, detail });
  if (!known.any && trustProxy.length > 0) {
    found(
      "warning",
      `the server gets no certificate, but ${counted(any, "client")} must send one: set ASSENT_CLIENT_CERT_HEADER to the header in which ${trustProxy.join(", ")} passes the certificate`,
    );
  }
  if (known.any && issued > 0 && tlsClientCa === null) {
    found(
      "warning",
      `the server refuses tls_client_auth, the method of ${counted(issued, "client")}: set ASSENT_TLS_CLIENT_CA to the authorities that issue their certificates`,
    );
  }
  if (trustProxy.length > 0 && header !== null) {
    found(
      "note",
      `${trustProxy.join(", ")} sends the certificate of ${counted(any, "client")} in ${header}: this proxy must set or delete ${header} and ${header}-Chain on every request`,
    );
  }
  return findings;
}

/** Whether the issuer's address returns the metadata of this configuration. */
async function issuerFinding(config: Config, storage: Storage): Promise<Finding> {
  const { issuer } = config;
  const answer = await fetchMetadata(issuer);
  if (answer.kind === "unreachable") {
    const detail = `${issuer} doesn't answer (${answer.reason}): the server doesn't run, or this machine can't reach it`;
    return { check: "issuer", status: "note", detail };
  }
  if (answer.kind === "other") {
    return {
      check: "issuer",
      status: "broken",
      detail: `${answer.url} doesn't answer with this server's metadata: ${answer.reason}`,
    };
  }
  const expected: unknown = JSON.parse(
    JSON.stringify(
      serverMetadata(
        issuer,
        withOpenIdScopes(await storage.scopes.list()),
        grantsOf(config),
        certificatesKnown(config),
        config,
      ),
    ),
  );
  if (isDeepStrictEqual(answer.metadata, expected)) {
    return { check: "issuer", status: "ok", detail: `${issuer} answers with this configuration's metadata` };
  }
  const detail = `${answer.url} answers with other metadata than this configuration: it may be another server, version or database`;
  return { check: "issuer", status: "broken", detail };
}

function lines(error: unknown): readonly string[] {
  const { problems, message } = error as { readonly problems?: unknown; readonly message?: unknown };
  if (Array.isArray(problems) && problems.every((one) => typeof one === "string")) return problems;
  return [typeof message === "string" ? message : String(error)];
}

function iso(at: Millis): string {
  return new Date(at).toISOString();
}
