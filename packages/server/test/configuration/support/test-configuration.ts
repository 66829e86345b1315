/** Configurations on real databases: SQLite and PostgreSQL. */

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { aPostgresDatabase } from "../../../../../test/support/postgres-database.ts";
import { byCommand, migrateDatabase, type OpenedAdmin, openAdmin } from "../../../src/admin/index.ts";
import { configOf } from "../../../src/config.ts";
import {
  type ApplyOptions,
  ConfigurationError,
  type Plan,
  prepare,
  type Resolve,
  readConfiguration,
} from "../../../src/configuration/index.ts";
import { NOW } from "../../storage/support/record-builders.ts";

export interface TestDatabase {
  readonly admin: OpenedAdmin;
  close(): Promise<void>;
}

export async function aDatabase(kind: "sqlite" | "postgres"): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), "assent-configuration-"));
  const database = kind === "postgres" ? await aPostgresDatabase("empty") : undefined;
  const place = database === undefined ? {} : { databaseUrl: database.url, secret: [randomBytes(32)] };
  const config = configOf({ dataDir, issuer: "https://id.test", ...place });
  await migrateDatabase(config, Date.now(), "expand");
  let clock = NOW + 60_000;
  const opened = await openAdmin(config, () => {
    clock += 1;
    return clock;
  });
  const admin = byCommand(opened, { words: "apply", fields: ["file"] });
  return {
    admin,
    async close() {
      await admin.close();
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Values of `{env: …}`. */
export const VALUES: Readonly<Record<string, string>> = {
  SECRET: "kZ9vQ2mX7pL4tR8wY1sD6fG3hJ5nB0cA",
  OTHER: "aB3dE5fG7hJ9kL2mN4pQ6rS8tV1wX0yZ",
  SHORT: "hunter2",
  HOOK: "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU=",
  HOOK2: "whsec_MDEyMzQ1QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=",
};

export const resolve: Resolve = async (reference) => {
  const value = "env" in reference ? VALUES[reference.env] : undefined;
  return value === undefined ? { problem: "is not set" } : { value };
};

export async function apply(text: string, admin: OpenedAdmin, options: ApplyOptions = {}): Promise<Plan> {
  const { plan, perform } = await prepare(await readConfiguration(text, resolve), admin, options);
  await perform();
  return plan;
}

export async function planOf(text: string, admin: OpenedAdmin, options: ApplyOptions = {}): Promise<Plan> {
  return (await prepare(await readConfiguration(text, resolve), admin, options)).plan;
}

/** `create clients web`. */
export const steps = ({ changes }: Plan) => changes.map(({ action, section, key }) => `${action} ${section} ${key}`);

/** The lines of a refusal: `12:3 clients.web.scope: what is wrong`. */
export async function problems(work: Promise<unknown>): Promise<readonly string[]> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigurationError);
  return (error as ConfigurationError).problems.map(({ field, problem, place }) => {
    const at = place === undefined ? "" : `${place.line}:${place.column} `;
    return `${at}${field === null ? "" : `${field}: `}${problem}`;
  });
}

/** One of each kind. */
export const WHOLE = `version: 1
name: production
resources:
  https://photos.example.com:
    name: Photos
    token_lifetime: 300
    default_scope: photos:view
    introspection_client_secret: {env: SECRET}
scopes:
  photos:view:
    description: See your photos
    description#de: Deine Fotos sehen
    resource: https://photos.example.com
    access: read
  photos:delete:
    description: Delete your photos
    resource: https://photos.example.com
    sensitive: true
    optional: true
clients:
  web:
    client_name: Web App
    client_name#de: Web-App
    type: confidential
    client_secret: {env: SECRET}
    redirect_uris: [https://web.example.com/callback]
    scope: photos:view photos:delete
    optional_scope: photos:delete
    require_pkce: true
  phone:
    client_name: Phone App
    type: public
    redirect_uris:
      - com.example.phone:/callback
    grant_types: [authorization_code, refresh_token]
    scope: photos:view
  backup:
    client_name: Nightly backup
    type: confidential
    token_endpoint_auth_method: private_key_jwt
    jwks_uri: https://backup.example.com/jwks
    grant_types: [client_credentials, "urn:ietf:params:oauth:grant-type:token-exchange"]
    own_scope: photos:view
    token_exchange:
      subjects: [access_token]
      actors: [worker]
      connections: [{audience: "https://as.example.com", client_id: backup-there, scope: "chat:read"}]
  worker:
    client_name: Worker
    type: confidential
    client_secret: {env: OTHER}
    grant_types: [client_credentials]
issuers:
  https://idp.example.com:
    type: jwt
    jwks_uri: https://idp.example.com/jwks
    scope: photos:view
    clients: [web]
    email_domains: [example.com]
companies:
  acme:
    name: Acme
    email_domains: [acme.example]
    own_provider: true
policies:
  acme:
    web: {rule: allow, scope: photos:view}
    phone: {rule: block}
providers:
  okta:
    name: Okta
    issuer: https://acme.okta.com
    client_id: assent
    client_secret: {env: OTHER}
    email_domains: [staff.example]
  microsoft:
    preset: entra
    tenant: 8eaef023-2b34-4da1-9baa-8bc8c9d6a490
    client_id: 00001111-aaaa-2222-bbbb-3333cccc4444
    create_people: false
webhooks:
  crm:
    url: https://hooks.example.com/assent
    kinds: ["user.*", consent.revoked]
    client_id: web
    secret: {env: HOOK}
`;
