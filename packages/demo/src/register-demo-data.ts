/**
 * Registers what the demo needs at the server: owner, API, permissions, app. It runs at each start and keeps what
 * exists.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  type AdminContext,
  AdminError,
  type AdminErrorKind,
  allClients,
  clientOf,
  createClient,
  createResource,
  createScope,
  createUser,
  deleteResource,
  rotateSecret,
  setPassword,
  updateClient,
  updateScope,
  userOf,
} from "@assent/server/admin";
import type { ClientFile } from "./credential-files.ts";
import { API_NAME, APP_NAME, CALLBACK, DEVICE_NAME, OWNER, SCOPES } from "./demo-names-and-texts.ts";
import { assetUrl } from "./read-asset.ts";

const LOGO = assetUrl("logo.png");

/** Undefined if it failed for one of these reasons. */
async function unless<T>(wanted: Promise<T>, ...kinds: readonly AdminErrorKind[]): Promise<T | undefined> {
  try {
    return await wanted;
  } catch (error) {
    if (error instanceof AdminError && kinds.includes(error.kind)) return undefined;
    throw error;
  }
}

/** The owner's id (`sub`). `isNew`: nobody knows the account's password any more, so the account gets this one. */
export async function registerOwner(password: string, isNew: boolean, context: AdminContext): Promise<string> {
  const { username, email, name } = OWNER;
  const known = await unless(userOf(username, context), "unknown");
  if (known === undefined) {
    const { person } = await createUser({ username, email, name, password: { password } }, context);
    return person.personId;
  }
  // Nobody else knew the old password, so the owner's grants stay.
  if (isNew) await setPassword(username, { password }, { keepGrants: true }, context);
  return known.personId;
}

/** The API under its address. If the address has changed since the last start, its permissions move to the new one. */
export async function registerApi(identifier: string, context: AdminContext): Promise<void> {
  const { storage } = context;
  const resources = await storage.resources.list();
  if (!resources.some((resource) => resource.identifier === identifier)) {
    await createResource({ identifier, name: API_NAME }, context);
  }
  const before = new Map((await storage.scopes.list()).map((scope) => [scope.name, scope]));
  const left = new Set<string>();
  for (const { name, ...wanted } of SCOPES) {
    const found = before.get(name);
    const changes = { ...wanted, resource: identifier };
    if (found === undefined) await createScope({ name, ...changes }, context);
    else if (!includes(found, changes)) await updateScope(name, changes, context);
    if (found !== undefined && found.resource !== null && found.resource !== identifier) left.add(found.resource);
  }
  // If an operator has given the old API scopes of their own, the API stays.
  for (const old of left) await unless(deleteResource(old, context), "unknown", "in_use");
}

function includes(found: object, wanted: object): boolean {
  const values = new Map(Object.entries(found));
  return Object.entries(wanted).every(([key, value]) => JSON.stringify(values.get(key)) === JSON.stringify(value));
}

/** The app, as an operator would register it. Returns its credentials: the earlier ones if they are still valid. */
export async function registerApp(
  url: string,
  known: ClientFile | undefined,
  context: AdminContext,
): Promise<ClientFile> {
  const clientId = known?.client_id ?? (await named(APP_NAME, context));
  const found = clientId === undefined ? undefined : await unless(clientOf(clientId, context), "unknown");
  const metadata = {
    client_name: APP_NAME,
    redirect_uris: [`${url}${CALLBACK}`],
    grant_types: ["authorization_code", "refresh_token"],
    scope: SCOPES.map(({ name }) => name).join(" "),
    token_endpoint_auth_method: "client_secret_post",
  };
  if (found === undefined) {
    const logo = readFileSync(LOGO);
    const made = await createClient({ type: "confidential", metadata, logo, requirePkce: true }, context);
    return { client_id: made.client.clientId, client_secret: made.secret ?? "" };
  }
  const wanted = { name: APP_NAME, redirectUris: metadata.redirect_uris, status: "active" };
  const scopes = new Set(found.scopes);
  if (!includes(found, wanted) || !SCOPES.every(({ name }) => scopes.has(name))) {
    await updateClient(found.clientId, { metadata, status: "active" }, context);
  }
  const hash = createHash("sha256")
    .update(known?.client_secret ?? "")
    .digest("base64url");
  if (known !== undefined && found.secrets.some((one) => one.hash === hash && one.expiresAt === null)) return known;
  const { secret } = await rotateSecret(found.clientId, 0, context);
  return { client_id: found.clientId, client_secret: secret };
}

/** The device's client id: a public client that connects by the device flow. */
export async function registerDevice(context: AdminContext): Promise<string> {
  const known = await named(DEVICE_NAME, context);
  if (known !== undefined) {
    const found = await unless(clientOf(known, context), "unknown");
    if (found?.status === "disabled") await updateClient(known, { status: "active" }, context);
    return known;
  }
  const metadata = {
    client_name: DEVICE_NAME,
    grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
    scope: SCOPES.map(({ name }) => name).join(" "),
    token_endpoint_auth_method: "none",
  };
  return (await createClient({ type: "public", metadata, logo: readFileSync(LOGO) }, context)).client.clientId;
}

/** The client of an earlier start. */
async function named(wanted: string, context: AdminContext): Promise<string | undefined> {
  for await (const { clientId, name } of allClients(context)) if (name === wanted) return clientId;
  return undefined;
}
