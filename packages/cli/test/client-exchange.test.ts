/** `assent client exchange`: wrong settings are refused; settings that are omitted stay. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
let id: string;
const API = "https://mail.example";
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  await at.json(["resource", "create", "--identifier", API, "--name", "Mail"]);
  await at.json(["scope", "create", "mail:read", "--description", "May", "--resource", API]);
  const made = await at.json([
    ...["client", "create", "--name", "Agent", "--type", "confidential", "--grant-type", "token-exchange"],
  ]);
  id = String(made["client_id"]);
});
afterAll(() => at.remove());

const exchange = (...flags: readonly string[]) => at.run(["client", "exchange", id, ...flags, "--json"]);

test.each([
  [[], 2, /name at least one setting, or --off alone/],
  [["--off", "--scope", "mail:read"], 2, /--off alone/],
  [["--subject", "saml"], 1, /^error: --subject: "saml": use access_token, refresh_token, id_token, jwt$/m],
  [["--source", "https://x.example"], 1, /^error: --source: "https:\/\/x.example": there is no such API/m],
  [["--audience", API, "--audience", "y"], 1, /^error: --audience: "y": there is no such API/m],
  [["--scope", "nothing"], 1, /^error: --scope: "nothing": there is no such scope/m],
  [["--scope", "openid profile"], 1, /^error: --scope: "openid", "profile": scopes about a sign-in/m],
  [["--actor", "nobody"], 1, /^error: --actor: "nobody": there is no such client/m],
])("%j → refused, nothing is changed", async (flags, code, words) => {
  const said = await exchange(...flags);
  expect([said.code, said.stdout]).toEqual([code, ""]);
  expect(said.stderr).toMatch(words);
  expect(await at.json(["client", "show", id])).not.toHaveProperty("token_exchange");
});

test("a public client → refused, and it can't be registered for the grant type", async () => {
  const asked = ["client", "create", "--name", "App", "--type", "public", "--redirect-uri", "https://a.example/cb"];
  const { client_id: app } = await at.json([...asked, "--scope", "mail:read"]);
  const said = await at.run(["client", "exchange", String(app), "--subject", "access_token"]);
  expect(said.stderr).toContain("a public client can't exchange tokens");
  const update = await at.run(["client", "update", String(app), "--add-grant-type", "token-exchange"]);
  expect(update.stderr).toContain(
    "only clients that authenticate can use urn:ietf:params:oauth:grant-type:token-exchange",
  );
});

test("single settings → the others stay; what is missing is told; --off → nothing may be exchanged", async () => {
  const first = await exchange("--subject", "access_token", "--audience", API, "--scope", "mail:read");
  expect(first.stderr).toMatch(/--source: it may exchange access tokens of no API/);
  const second = await exchange("--source", API, "--impersonation");
  expect(JSON.parse(second.stdout)).toMatchObject({
    token_exchange: {
      ...{ subjects: ["access_token"], sources: [API], audiences: [API], scope: "mail:read" },
      impersonation: true,
    },
  });
  expect(second.stderr).toMatch(/--impersonation: APIs can't tell/);
  expect(JSON.parse((await exchange("--off")).stdout)).not.toHaveProperty("token_exchange");
});
