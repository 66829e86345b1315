/** KY-12 If the system's random generator fails, the server issues nothing (CWE-338). */

import crypto, { randomFillSync } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { adminOf, createClient } from "../../packages/server/src/admin/index.ts";
import { randomBytes } from "../../packages/server/src/crypto/random.ts";
import { rowCounts } from "../support/front-channel.ts";
import { Agent, authorizeUrl, type Page, postForm, signIn } from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let username: string;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ grantTypes: ["client_credentials", "authorization_code"], ownScopes: ["read"] });
  ({ username } = await server.addPerson());
});
afterAll(() => server.stop());

const fill = randomFillSync;
/** Also empties the buffer of random bytes, so that the next value comes from the system. */
function setGenerator(works: boolean): void {
  crypto.randomFillSync = works
    ? fill
    : () => {
        throw new Error("the generator fails");
      };
  syncBuiltinESMExports();
  if (works) return;
  for (let left = 0; left < 16_384; left += 1) {
    try {
      randomBytes(1);
    } catch {
      return;
    }
  }
}
afterEach(() => setGenerator(true));

const token = () => postForm(server, "/token", client, { grant_type: "client_credentials", scope: "read" });

function expectFault(page: Page): void {
  expect(page.status).toBe(500);
  expect(page.headers.getSetCookie()).toEqual([]);
  expect(page.forms.filter(({ fields }) => fields.has("request"))).toEqual([]);
}

test("a token, a sign-in, a request to authorize, a new client → a fault each, nothing is written", async () => {
  const agent = new Agent(server.issuer);
  const page = await agent.get("/login");
  const form = page.forms.find(({ fields }) => fields.has("username"));
  if (form === undefined) throw new Error("no form");
  const before = await rowCounts(server.dataDir);

  setGenerator(false);
  const refused = await token();
  expect([refused.status, refused.body.error, refused.body.access_token]).toEqual([500, "server_error", undefined]);
  expectFault(await agent.submit(form, { username, password: PASSWORD }));
  expectFault(await new Agent(server.issuer).get(authorizeUrl(server, client)));
  await expect(
    createClient(
      { type: "confidential", metadata: { client_name: "App", redirect_uris: ["https://app.test/cb"] } },
      adminOf(server.assent.storage, server.issuer),
    ),
  ).rejects.toThrow("the generator fails");
  // The sign-in attempt is counted, because counting comes before the password check.
  expect(await rowCounts(server.dataDir)).toEqual({
    ...before,
    attempts: expect.any(Number),
    refusals: expect.any(Number),
  });
  expect(server.log.join("")).toContain("the generator fails");
});

test("the generator works again → all of them succeed", async () => {
  setGenerator(false);
  expect((await token()).status).toBe(500);
  setGenerator(true);
  expect((await token()).body.access_token).toBeTypeOf("string");
  const agent = new Agent(server.issuer);
  expect((await signIn(agent, username)).status).toBe(200);
});
