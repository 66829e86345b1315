/**
 * A client that gets tokens by assertions alone, without a page: who ended its access to an owner's data, what the operator is
 * told, and how it comes back. What the owner ended stays ended.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteClient } from "../../packages/server/src/admin/clients.ts";
import { type AdminContext, adminOf } from "../../packages/server/src/admin/context.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { aJwtIssuer, claimsFor, JWT_BEARER, jwtOf, present, trust } from "../support/assertion-requests.ts";
import { storedRefusal } from "../support/stored-refusal.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let admin: AdminContext;
const idp = aJwtIssuer("https://idp.test");

beforeAll(async () => {
  server = await startServer();
  admin = adminOf(server.assent.storage, server.issuer, server.now);
  await trust(server, { issuer: idp.issuer, type: "jwt", jwks: idp.jwks });
});
afterAll(() => server.stop());

const aBatchClient = (clientId?: string) =>
  server.addClient({ grantTypes: [JWT_BEARER], redirectUris: [], ...(clientId === undefined ? {} : { clientId }) });
const use = (client: TestClient, { username }: Person, scope = "read") =>
  present(server, client, JWT_BEARER, jwtOf(idp, claimsFor(server, idp, username)), { scope });
const keyOf = ({ partition, personId }: Person, { clientId }: TestClient) => ({
  ...{ partition, ownerId: personId, clientId },
});

/** The operator deletes the client and registers it again under its id. */
async function registeredAgain({ clientId }: TestClient): Promise<TestClient> {
  await deleteClient(clientId, admin);
  const client = await aBatchClient(clientId);
  await settle();
  return client;
}

/** What an operator reads about a refused assertion. */
async function refusal(client: TestClient, owner: Person, scope?: string): Promise<string> {
  const refused = await use(client, owner, scope);
  expect([refused.status, refused.body.error]).toEqual([400, "invalid_grant"]);
  const { condition, explanation } = await storedRefusal(server, refused);
  expect(condition).toBe("assertion_consent_revoked");
  return explanation;
}

test("the owner revoked, paused, or removed scopes → refused with that reason, also when the client is registered again", async () => {
  const { consents } = server.assent.storage;
  const client = await aBatchClient();
  const [revoking, pausing, narrowing] = await Promise.all([0, 1, 2].map(() => server.addPerson()));
  if (revoking === undefined || pausing === undefined || narrowing === undefined) throw new Error("no people");
  for (const owner of [revoking, pausing, narrowing]) expect((await use(client, owner, "read write")).status).toBe(200);
  const now = server.now();
  await consents.revoke({ ...keyOf(revoking, client), revokedBy: revoking.personId, now });
  await consents.setPaused({ ...keyOf(pausing, client), paused: true, by: pausing.personId, now });
  await consents.narrow({ ...keyOf(narrowing, client), remove: ["write"], by: narrowing.personId, now });
  const reasons = async (at: TestClient, ofPause: string) => {
    expect(await refusal(at, revoking)).toContain("The owner revoked this app's access. They alone can allow it again");
    expect(await refusal(at, pausing)).toContain(ofPause);
    expect(await refusal(at, narrowing, "write")).toContain("The owner removed all of these scopes");
    expect((await use(at, narrowing, "read write")).body.scope).toBe("read");
  };
  await reasons(client, "The owner paused this app. They can resume it");
  await reasons(await registeredAgain(client), "The owner had paused this app when its access ended. They alone");
});

test("the owner paused the app, then an operator revoked or a backup was restored → refused, also when it is registered again", async () => {
  const { consents, endAllBefore } = server.assent.storage;
  for (const end of [
    (owner: Person, client: TestClient) =>
      consents.revoke({ ...keyOf(owner, client), revokedBy: "operator", now: server.now() }),
    () => endAllBefore({ now: server.now(), keepConsents: false }),
  ]) {
    const client = await aBatchClient();
    const owner = await server.addPerson();
    expect((await use(client, owner)).status).toBe(200);
    await consents.setPaused({ ...keyOf(owner, client), paused: true, by: owner.personId, now: server.now() });
    await end(owner, client);
    const reason = "The owner had paused this app when its access ended. They alone can allow it again";
    expect(await refusal(client, owner)).toContain(reason);
    expect(await refusal(await registeredAgain(client), owner)).toContain(reason);
  }
});

test("the client was deleted and registered again → its access is there again", async () => {
  const client = await aBatchClient();
  const owner = await server.addPerson();
  expect((await use(client, owner)).status).toBe(200);
  const again = await registeredAgain(client);
  expect((await use(again, owner)).status).toBe(200);
  const consent = await server.assent.storage.consents.find(keyOf(owner, client));
  expect(consent).toMatchObject({ status: "active", via: "operator policy", scopes: [], revokedAt: null });
});

test("an operator revoked → refused with that reason; registered again → its access is there again", async () => {
  const client = await aBatchClient();
  const owner = await server.addPerson();
  expect((await use(client, owner)).status).toBe(200);
  await server.assent.storage.consents.revoke({ ...keyOf(owner, client), revokedBy: "operator", now: server.now() });
  const explanation = await refusal(client, owner);
  expect(explanation).toContain("An operator revoked this app's access");
  expect(explanation).toContain("register it again under the same client_id");
  expect((await use(await registeredAgain(client), owner)).status).toBe(200);
});

test("a restored backup → refused with that reason; registered again → its access is there again", async () => {
  const client = await aBatchClient();
  const owner = await server.addPerson();
  expect((await use(client, owner)).status).toBe(200);
  await server.assent.storage.endAllBefore({ now: server.now(), keepConsents: false });
  const explanation = await refusal(client, owner);
  expect(explanation).toContain("The restore of a backup ended this app's access");
  expect(explanation).toContain("register it again under the same client_id");
  expect((await use(await registeredAgain(client), owner)).status).toBe(200);
});
