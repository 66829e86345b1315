/** `assent client connect` warns if the client can't use a connection, on the server's machine and over the network. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../../../test/support/test-server.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";
import { serveWorkspace } from "./support/serve-workspace.ts";

let server: TestServer;
let at: Workspace;
let env: Record<string, string>;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  ({ server, remote: env } = await serveWorkspace(at));
});
afterAll(async () => {
  await server.stop();
  at.remove();
});

const AS = "https://as.chat.example";
const there = ["--audience", AS];
const offer = [...there, "--client-id-there", "w", "--scope", "chat:read"];

test("a public client → refused, with what to do", async () => {
  for (const options of [{}, { env }]) {
    const made = ["--type", "public", "--redirect-uri", "https://wiki.test/cb"];
    const id = String((await at.json(["client", "create", "--name", "Wiki", ...made]))["client_id"]);
    const { code, stderr } = await at.run(["client", "connect", id, ...offer], options);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        "token_exchange: a public client can't exchange tokens, because it doesn't authenticate: create a confidential client for the app (assent client create --type confidential)",
      ),
    ]);
  }
});

test("a disabled client → warned with the command that enables it; at the end of the connection → not", async () => {
  for (const options of [{}, { env }]) {
    const made = ["--type", "confidential", "--redirect-uri", "https://wiki.test/cb"];
    const grant = ["--grant-type", "authorization_code", "--grant-type", "token-exchange"];
    const id = String((await at.json(["client", "create", "--name", "Wiki", ...made, ...grant]))["client_id"]);
    await at.json(["client", "update", id, "--status", "disabled", "--yes"]);
    const connect = async (...flags: readonly string[]) => at.run(["client", "connect", id, ...flags], options);
    expect(await connect(...offer)).toMatchObject({
      code: 0,
      stderr: `warning: this client is disabled, so the app gets no access at ${AS}, and companies' admins can't connect it there. To enable it, run: assent client update ${id} --status active\n`,
    });
    expect(await connect(...there, "--off")).toMatchObject({ code: 0, stderr: expect.not.stringContaining("warning") });
  }
});

test("without the grant type → warned with the command that adds it; with it, or at the end of the offer → not", async () => {
  for (const options of [{}, { env }]) {
    const made = ["--type", "confidential", "--redirect-uri", "https://wiki.test/cb"];
    const id = String((await at.json(["client", "create", "--name", "Wiki", ...made]))["client_id"]);
    const remark = `warning: this client doesn't have the grant type token-exchange, so the app gets no access at ${AS}, and companies' admins can't connect it there. To add it, run: assent client update ${id} --add-grant-type token-exchange\n`;
    const said = async (...flags: readonly string[]) => {
      const { code, stderr } = await at.run(["client", "connect", id, ...flags], options);
      expect(code).toBe(0);
      return stderr;
    };
    expect(await said(...offer, "--offer", "Chat")).toMatch(new RegExp(`^${RegExp.escape(remark)}Offered: `));
    expect(await said(...there, "--off")).not.toContain("warning");
    expect(await said(...offer)).toBe(remark);
    await at.json(["client", "update", id, "--add-grant-type", "token-exchange"]);
    expect(await said(...there, "--scope", "chat:write")).toBe("");
  }
});
