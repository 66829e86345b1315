/** An operator looks up a refused refresh token: the text names who or what ended the access, and how the app comes back. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { updateClient } from "../../packages/server/src/admin/clients.ts";
import { type AdminContext, adminOf } from "../../packages/server/src/admin/context.ts";
import { deleteUser, setUserStatus } from "../../packages/server/src/admin/people.ts";
import { explained } from "../../packages/server/src/admin/refusals/index.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { Agent, authorize, authorizeUrl, postForm, redeem, refresh } from "../support/http-browser.ts";
import { storedRefusal } from "../support/stored-refusal.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let admin: AdminContext;
beforeAll(async () => {
  server = await startServer();
  admin = adminOf(server.assent.storage, server.issuer, server.now);
});
afterAll(() => server.stop());

interface Connected {
  readonly client: TestClient;
  readonly owner: Person;
  readonly token: string;
}

async function connected(): Promise<Connected> {
  const client = await server.addClient({
    redirectUris: ["https://app.test/cb"],
    grantTypes: ["authorization_code", "refresh_token"],
  });
  const owner = await server.addPerson();
  const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, client), owner.username);
  const { body } = await redeem(server, client, callback);
  return { client, owner, token: String(body["refresh_token"]) };
}

const keyOf = ({ client, owner }: Connected) => ({
  ...{ partition: owner.partition, ownerId: owner.personId, clientId: client.clientId },
});

/** What the operator reads about the next use of the refresh token. */
async function refused({ client, token }: Connected): Promise<string> {
  const refused = await refresh(server, client, token);
  expect(refused.body.error).toBe("invalid_grant");
  const refusal = await storedRefusal(server, refused);
  expect(refusal.condition).toBe("refresh_token_ended");
  return refusal.explanation;
}

describe("a refresh token whose access has ended → the text names", () => {
  test("the client, if the operator disabled it meanwhile; no owner", async () => {
    const app = await connected();
    await updateClient(app.client.clientId, { status: "disabled" }, admin);
    await updateClient(app.client.clientId, { status: "active" }, admin);
    const text = await refused(app);
    expect(text).toContain("An operator disabled or deleted the client");
    expect(text).not.toContain("owner revoked");
  });

  test.each<[string, (owner: Person) => Promise<unknown>]>([
    ["an account that was disabled", ({ username }) => setUserStatus(username, "disabled", admin)],
    ["an account that was deleted", ({ username }) => deleteUser(username, admin)],
  ])("%s → each cause that ends all access of an owner", async (_, end) => {
    const app = await connected();
    await end(app.owner);
    const text = await refused(app);
    expect(text).toContain("The account of the person or company that gave the access");
    for (const cause of ["disabled", "deleted", "new password", "recovered", "left", "identity provider"])
      expect(text).toContain(cause);
    expect(text).not.toContain("paused");
  });

  test("a revocation → the owner, an operator or an admin of the company", async () => {
    const app = await connected();
    await server.assent.storage.consents.revoke({ ...keyOf(app), revokedBy: "operator", now: server.now() });
    const text = await refused(app);
    for (const cause of ["The owner", "an operator", "an admin of the company"]) expect(text).toContain(cause);
    expect(text).not.toContain("time is over");
  });

  test("a pause → the token works again afterwards", async () => {
    const app = await connected();
    await server.assent.storage.consents.setPaused({
      ...{ ...keyOf(app), paused: true, by: app.owner.personId, now: server.now() },
    });
    expect(await refused(app)).toContain("The token works again when");
  });

  test("the app itself, if it revoked the token", async () => {
    const app = await connected();
    await postForm(server, "/revoke", app.client, { token: app.token });
    expect(await refused(app)).toContain("The app itself revoked");
  });

  test("a token without use for too long", async () => {
    const app = await connected();
    server.tick(400 * 86_400_000);
    const text = await refused(app);
    expect(text).toContain("The time of the access is over");
    expect(text).not.toContain("revoked");
  });
});

test("a token of an earlier version's log, without a reason → all causes", async () => {
  const text = explained({
    ...{ requestId: "x", at: 0, clientId: "app", method: "POST", path: "/token", address: "" },
    condition: "refresh_token_ended",
  }).explanation;
  for (const cause of ["owner", "operator", "admin of the company", "disabled", "deleted", "password", "time"])
    expect(text).toContain(cause);
});
