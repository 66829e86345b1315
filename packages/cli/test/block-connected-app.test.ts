/** `assent company policy … --rule block` names the app's access at other servers, and by the company's identity provider. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { signedInPerson, tokensOf } from "../../../test/support/back-channel.ts";
import type { TestClient, TestServer } from "../../../test/support/test-server.ts";
import { exchange, typeOf } from "../../../test/support/token-exchange.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";
import { serveWorkspace } from "./support/serve-workspace.ts";

const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

let server: TestServer;
let at: Workspace;
let env: Record<string, string>;

beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  await at.json(["scope", "create", "see", "--description", "See"]);
  await at.json(["company", "create", "--name", "Acme", "--slug", "acme"]);
  const idp = ["--issuer", "https://idp.test", "--jwks-uri", "https://idp.test/jwks", "--scope", "see"];
  await at.json(["issuer", "create", "--type", "id-jag", ...idp, "--company", "acme"]);
  ({ server, remote: env } = await serveWorkspace(at));
});
afterAll(async () => {
  await server.stop();
  at.remove();
});

const kinds = (...types: readonly string[]) => types.flatMap((type) => ["--grant-type", type]);

async function anApp(...types: readonly string[]): Promise<string> {
  const kind = ["--type", "confidential", "--scope", "see", ...kinds(...types)];
  return String((await at.json(["client", "create", "--name", "Wiki", ...kind]))["client_id"]);
}

/** The command's question, and what it says once it is done, on the server's machine; over the network, both are the same. */
async function blocked(id: string): Promise<{ readonly question: string; readonly done: string }> {
  const block = ["company", "policy", "acme", id, "--rule", "block"];
  const said: { question: string; done: string }[] = [];
  for (const options of [{}, { env }]) {
    const { stderr } = await at.run(block, { ...options, terminal: true, input: "n\n" });
    const done = await at.run(block, options);
    expect([done.code, done.stderr]).toEqual([0, ""]);
    said.push({ question: stderr.replace(`On ${server.issuer}: `, "").split("\n")[0] ?? "", done: done.stdout.trim() });
    await at.json(["company", "policy", "acme", id, "--rule", "none"]);
  }
  expect(said[1]).toEqual(said[0]);
  return said[0] ?? { question: "", done: "" };
}

test("connected for the company and for everybody → what it gets no more, what lasts, and what comes back", async () => {
  const id = await anApp("token-exchange");
  const there = ["client", "connect", id, "--client-id-there", "w", "--scope", "mail:read", "--audience"];
  await at.json([...there, "https://as.mail.test", "--company", "acme"]);
  const one =
    "The app gets no new access at as.mail.test (https://as.mail.test) for members while it is blocked. The access that it has there lasts until that server ends it. When you lift the block, the connection counts again.";
  const { question, done } = await blocked(id);
  expect(question).toBe(
    `Blocking Wiki (${id}) for Acme (acme) ends the access that 0 members gave it. The access doesn't come back when you lift the block. Issued access tokens work until they expire. ${one}`,
  );
  expect(done).toMatch(
    new RegExp(`--rule none\\. The ended access doesn't come back with it\\. ${RegExp.escape(one)}$`),
  );
  await at.json([...there, "https://as.chat.test"]);
  const two =
    "The app gets no new access at as.mail.test (https://as.mail.test), as.chat.test (https://as.chat.test) for members while it is blocked. The access that it has there lasts until those servers end it. When you lift the block, the connections count again.";
  expect((await blocked(id)).question).toContain(two);
  await at.json(["company", "policy", "acme", id, "--rule", "block"]);
  expect((await at.run(["company", "policy", "acme", id, "--rule", "block"])).stdout).not.toContain(
    "while it is blocked",
  );
  await at.json(["company", "policy", "acme", id, "--rule", "none"]);
  await at.json([...there, "https://as.mail.test", "--company", "acme", "--pause"]);
  await at.json([...there, "https://as.chat.test", "--off"]);
  expect((await blocked(id)).question).not.toContain("while it is blocked");
});

test("connected for everybody → blocked, a member gets no ID-JAG; the block is lifted → one", async () => {
  const flows = kinds("authorization_code", "token-exchange");
  const made = await at.json([
    ...["client", "create", "--name", "Wiki", "--type", "confidential", "--redirect-uri", "https://app.test/cb"],
    ...["--scope", "openid see", ...flows],
  ]);
  const audience = "https://as.all.test";
  const id = String(made["client_id"]);
  await at.json(["client", "connect", id, "--client-id-there", "w", "--scope", "mail:read", "--audience", audience]);
  const record = (await server.assent.storage.clients.get({ clientId: id }))?.record;
  const app = { ...record, secret: String(made["client_secret"]) } as TestClient;
  const person = await signedInPerson(server);
  await at.json(["company", "add-member", "acme", person.username]);
  const asking = { ask: { scope: "openid see" }, answer: { owner: person.personId } };
  const idToken = String((await tokensOf(server, app, person, asking)).body["id_token"]);
  const wanted = { subject_token_type: typeOf("id_token"), requested_token_type: ID_JAG, audience };
  const ask = async () => (await exchange(server, app, idToken, wanted)).status;
  const decide = (rule: string) => at.json(["company", "policy", "acme", id, "--rule", rule]);
  expect(await ask()).toBe(200);
  const { question } = await blocked(id);
  expect(question).toContain(`gets no new access at as.all.test (${audience}) for members while it is blocked.`);
  await decide("block");
  expect(await ask()).toBe(400);
  await decide("none");
  expect(await ask()).toBe(200);
});

test("the company's identity provider speaks for members → said; no access by other ways → not said", async () => {
  const by =
    "The app gets no new access to members' own accounts by https://idp.test while it is blocked, and can get it again when you lift the block.";
  const { question, done } = await blocked(await anApp("jwt-bearer"));
  expect([question, done]).toEqual([expect.stringContaining(by), expect.stringContaining(by)]);
  expect(question).not.toContain("there");
  expect((await blocked(await anApp("client_credentials"))).question).not.toContain("while it is blocked");
});
