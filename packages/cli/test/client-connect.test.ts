/** `assent client connect`: wrong settings are refused; settings that are omitted stay. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
let id: string;
const AS = "https://as.chat.example";
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  await at.json(["company", "create", "--name", "Acme", "--slug", "acme"]);
  const made = await at.json([
    ...["client", "create", "--name", "Wiki", "--type", "confidential", "--grant-type", "token-exchange"],
  ]);
  id = String(made["client_id"]);
});
afterAll(() => at.remove());

const connect = (...flags: readonly string[]) => at.run(["client", "connect", id, ...flags, "--json"]);

test.each([
  [["--audience", AS], 2, /needs --client-id-there/],
  [["--audience", AS, "--off"], 2, /no such connection/],
  [["--audience", AS, "--client-id-there", "w"], 1, /^error: --scope: missing/m],
  [["--audience", "chat", "--client-id-there", "w", "--scope", "read"], 1, /^error: --audience: must be/m],
  [["--audience", AS, "--client-id-there", "w", "--scope", 'a"b'], 1, /^error: --scope: not scopes/m],
  [
    ["--audience", AS, "--client-id-there", "w", "--scope", "read", "--resource", "x"],
    1,
    /^error: --resource: must be/m,
  ],
  [["--audience", AS, "--client-id-there", "w", "--scope", "read", "--company", "globex"], 1, /globex/],
])("%j → refused, nothing is changed", async (flags, code, words) => {
  const said = await connect(...flags);
  expect([said.code, said.stdout]).toEqual([code, ""]);
  expect(said.stderr).toMatch(words);
  expect(await at.json(["client", "show", id])).not.toHaveProperty("token_exchange");
});

test("connected → a record without warnings; single settings → the others stay; --pause; --off → gone", async () => {
  const there = ["--audience", AS, "--company", "acme"];
  const first = await connect(...there, "--client-id-there", "wiki-at-chat", "--scope", "chat:read chat:write");
  expect(first.stderr).toBe("");
  const connectionsOf = (text: string) =>
    (JSON.parse(text) as { token_exchange?: { connections?: unknown[] } }).token_exchange?.connections;
  const [made] = connectionsOf(first.stdout) ?? [];
  const { id: company } = await at.json(["company", "show", "acme"]);
  expect(made).toEqual({
    ...{ audience: AS, company, client_id: "wiki-at-chat", scope: "chat:read chat:write" },
    ...{ resources: [], status: "active" },
  });
  const paused = await connect(...there, "--pause", "--resource", "https://chat.example/mcp");
  expect(connectionsOf(paused.stdout)).toEqual([
    { ...(made as object), resources: ["https://chat.example/mcp"], status: "paused" },
  ]);
  expect(connectionsOf((await connect(...there, "--off")).stdout)).toBeUndefined();
});

test("offered, changed, withdrawn → says what companies get by it, and what lasts", async () => {
  const there = ["client", "connect", id, "--audience", "https://as.mail.example"];
  const said = async (...flags: readonly string[]) => (await at.run([...there, ...flags])).stderr;
  expect(await said("--client-id-there", "w", "--scope", "mail:read", "--offer", "Mail")).toBe(
    "Offered: it counts for a company when its admins connect it, or if they connected the same offer before.\n",
  );
  expect(await said("--scope", "mail:read mail:send")).toBe("");
  expect(await said("--off")).toBe(
    "The offer is withdrawn: the app gets no new access through it. Companies that connected it are no longer connected, and are again if you make the same offer again. The access that it already has there lasts until https://as.mail.example ends it.\n",
  );
});
