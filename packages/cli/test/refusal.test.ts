/** `assent refusal …` explains a refusal by its number, on a database that a server uses. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { explainedConditions, remedyOf } from "../../../packages/server/src/admin/refusals/remedies.ts";
import type { StoredRefusal } from "../../../packages/server/src/admin/storage.ts";
import { Agent, authorizeUrl } from "../../../test/support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../../../test/support/test-server.ts";
import { buildProgram } from "../src/command-tree.ts";
import { aWorkspace, type Workspace } from "./support/run-command.ts";

let at: Workspace;
let server: TestServer;
let client: TestClient;
let env: Readonly<Record<string, string>>;
let number: string;

beforeAll(async () => {
  at = aWorkspace();
  server = await startServer();
  client = await server.addClient({ redirectUris: ["https://app.test/cb"] });
  env = { ASSENT_DATA_DIR: server.dataDir, ASSENT_ISSUER: server.issuer };
  const page = await new Agent(server.issuer).get(
    authorizeUrl(server, client, { redirect_uri: "https://app.test/cb/\u001b[31m" }),
  );
  number = page.headers.get("x-request-id") ?? "";
});
beforeEach(() => expect.poll(() => server.assent.storage.refusals.get({ requestId: number })).toBeDefined());
afterAll(async () => {
  await server.stop();
  at.remove();
});

test("a number of nothing → exit code 1, and where else to look", async () => {
  const { code, stdout, stderr } = await at.run(["refusal", "show", "nothing"], { env });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/"nothing".*7 days.*request_id/s);
});

test("no number → exit code 2; an unknown condition → exit code 1", async () => {
  expect((await at.run(["refusal", "show"], { env })).code).toBe(2);
  const { code, stderr } = await at.run(["refusal", "list", "--condition", "nonsense"], { env });
  expect(code).toBe(1);
  expect(stderr).toContain('no condition "nonsense"');
});

test("show → cause, rule, both values, the command; no escape sequence of the request", async () => {
  const { code, stdout } = await at.run(["refusal", "show", number], { env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^condition +redirect_uri_mismatch$/m);
  expect(stdout).toMatch(/^rule +RFC 6749/m);
  expect(stdout).toMatch(/^registered +https:\/\/app\.test\/cb$/m);
  expect(stdout).toContain("no redirect_uri, or one with characters that no URI has");
  expect(stdout).toContain(`assent client show ${client.clientId}`);
  expect(stdout).not.toContain("\u001b");
});

test("show --json, list and its filters → the wire form", async () => {
  const shown = await at.json(["refusal", "show", number], { env });
  expect(shown).toMatchObject({
    ...{ request_id: number, condition: "redirect_uri_mismatch", told: "redirect_uri_mismatch", status: 400 },
    ...{ client_id: client.clientId, parameter: "redirect_uri", registered: ["https://app.test/cb"] },
  });
  const list = (...more: string[]) => at.json<readonly object[]>(["refusal", "list", ...more], { env });
  expect(await list("--client", client.clientId)).toEqual([expect.objectContaining({ request_id: number })]);
  expect(await list("--condition", "redirect_uri_mismatch", "--limit", "1")).toHaveLength(1);
  expect(await list("--client", "nobody")).toEqual([]);
});

describe("the commands that an explanation names", () => {
  const refusal: StoredRefusal = {
    ...{ requestId: "x", at: 0, clientId: "app", method: "GET", path: "/", address: "" },
    ...{ condition: "redirect_uri_mismatch", parameter: "scope", received: "read" },
  };

  test("each exists with its options, and has all that the command needs", async () => {
    const program = await buildProgram();
    const lines = explainedConditions().flatMap(
      (condition) => remedyOf({ ...refusal, condition: condition as StoredRefusal["condition"] })?.commands ?? [],
    );
    expect(lines.length).toBeGreaterThan(30);
    for (const line of lines) {
      const [assent, noun, ...rest] = line.split(" ");
      const command = program.commands.find((one) => one.name() === noun);
      const verb = command?.commands.find((one) => one.name() === rest[0]) ?? command;
      expect([assent, verb?.name()], line).toEqual(["assent", noun === "doctor" ? "doctor" : rest[0]]);
      const words = rest.slice(1).filter((word, at) => !word.startsWith("--") && !rest[at]?.startsWith("--"));
      expect(words.length, line).toBe(verb?.registeredArguments.filter(({ required }) => required).length);
      for (const { mandatory, long } of verb?.options ?? []) if (mandatory) expect(rest, line).toContain(long);
      for (const flag of rest.filter((word) => word.startsWith("--"))) {
        expect(
          verb?.options.map(({ long }) => long),
          line,
        ).toContain(flag);
      }
    }
  });
});
