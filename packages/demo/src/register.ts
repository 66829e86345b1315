/** What the demo needs at the server: its API, permissions and app. Done again at each start, it changes only what differs. */

import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { AssentServer } from "@assent/server";
import { API_NAME, APP_NAME, CALLBACK, CLIENT_ID, SCOPES } from "./facts.ts";

type Storage = AssentServer["storage"];
type Client = Parameters<Storage["putClient"]>[0]["client"];

const LOGO = new URL("../assets/logo.png", import.meta.url);

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("base64url");
}

/** The API under its address. Where the port has changed since the last start, its permissions move along. */
export async function registerApi(storage: Storage, identifier: string, now: number): Promise<void> {
  const known = await storage.listResources();
  if (!known.some((resource) => resource.identifier === identifier)) {
    const resource = {
      identifier,
      name: API_NAME,
      tokenFormat: "jwt",
      tokenLifetime: null,
      alg: "ES256",
      grantBound: false,
      introspectionClientId: `rs_${randomBytes(12).toString("base64url")}`,
      // This API checks its tokens by itself: nobody ever learns the secret with which it could ask.
      introspectionSecretHash: sha256(randomBytes(32)),
      createdAt: now,
    } as const;
    await storage.putResource({ resource, create: true });
  }
  const before = new Map((await storage.listScopes()).map((scope) => [scope.name, scope]));
  for (const scope of SCOPES) {
    const record = { ...scope, resource: identifier, ownerRole: null };
    const same = (Object.keys(record) as (keyof typeof record)[]).every(
      (key) => before.get(scope.name)?.[key] === record[key],
    );
    if (!same) await storage.putScope({ scope: record, create: false });
  }
  const left = new Set(SCOPES.map(({ name }) => before.get(name)?.resource).filter((one) => one !== identifier));
  for (const old of left) if (typeof old === "string") await storage.deleteResource({ identifier: old });
}

/** The app, as an operator would register it; `secret` is in the app's hands. */
export async function registerApp(storage: Storage, url: string, secret: string, now: number): Promise<void> {
  const bytes = readFileSync(LOGO);
  const logo = sha256(bytes);
  await storage.putLogo({ hash: logo, type: "image/png", bytes, now });
  const found = await storage.getClient({ clientId: CLIENT_ID });
  const hash = sha256(secret);
  const client: Client = {
    clientId: CLIENT_ID,
    name: APP_NAME,
    type: "confidential",
    status: "active",
    redirectUris: [`${url}${CALLBACK}`],
    grantTypes: ["authorization_code", "refresh_token"],
    responseTypes: ["code"],
    scopes: SCOPES.map(({ name }) => name),
    ownScopes: [],
    authMethod: "client_secret_post",
    secrets: found?.record.secrets.some((one) => one.hash === hash && one.expiresAt === null)
      ? found.record.secrets
      : [{ hash, createdAt: now, expiresAt: null }],
    requirePkce: true,
    allowPlainPkce: false,
    firstParty: false,
    refresh: "keep",
    logo,
    clientUri: url,
    policyUri: null,
    tosUri: null,
    createdAt: found?.record.createdAt ?? now,
    updatedAt: found?.record.updatedAt ?? now,
    reducedAt: found?.record.reducedAt ?? null,
  };
  if (JSON.stringify(sorted(client)) === JSON.stringify(sorted(found?.record))) return;
  await storage.putClient({ client: { ...client, updatedAt: now }, expect: found?.version ?? 0 });
}

function sorted(record: Client | undefined): unknown {
  return record && Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1));
}
