/** `assent receipt verify` must never call a text valid that this server didn't sign as a receipt. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, authorize, authorizeUrl, redeem } from "../../../test/support/http-browser.ts";
import { startServer, type TestServer } from "../../../test/support/test-server.ts";
import { aWorkspace, type Workspace } from "./support/run-command.ts";

let at: Workspace;
let server: TestServer;
let env: Readonly<Record<string, string>>;
let text: string;
let accessToken: string;

beforeAll(async () => {
  at = aWorkspace();
  server = await startServer();
  env = { ASSENT_DATA_DIR: server.dataDir, ASSENT_ISSUER: server.issuer };
  const client = await server.addClient({ name: "Photo\u001b[31m Printer" });
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const callback = await authorize(agent, authorizeUrl(server, client), username);
  accessToken = (await redeem(server, client, callback)).body.access_token ?? "";
  const link = /href="(\/account\/history\/receipt\?entry=[^"]+)"/.exec(
    (await agent.get("/account/history")).text,
  )?.[1];
  text = (await agent.get(link ?? "", { accept: "application/json" })).text;
  writeFileSync(join(at.folder, "receipt.json"), text);
});
afterAll(async () => {
  await server.stop();
  at.remove();
});

const verify = (file: string, input = "", more: readonly string[] = []) =>
  at.run(["receipt", "verify", file, ...more], { env, input });

describe("not valid → exit code 1 and the reason", () => {
  test.each<[string, () => string, string]>([
    ["nothing", () => "", "empty"],
    ["some text", () => "my receipt", "not a receipt"],
    ["an access token", () => accessToken, "another kind"],
    ["an altered file", () => text.replace('"via": "browser"', '"via": "device"'), "changed after it was signed"],
    ["more than a megabyte", () => "a".repeat(1_100_000), "too long"],
  ])("%s", async (_, input, reason) => {
    const { code, stdout, stderr } = await verify("-", input());
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(new RegExp(`^error: -: not valid: [^\\n]*${reason}[^\\n]*\\n$`));
    expect(stderr).not.toContain(accessToken);
  });

  test("a file that is not there → 1; no file named → 2; another issuer configured → 1, both named", async () => {
    expect(await verify("nowhere.json")).toMatchObject({ code: 1, stdout: "" });
    expect((await at.run(["receipt", "verify"], { env })).code).toBe(2);
    const other = { ...env, ASSENT_ISSUER: "https://other.test" };
    const { code, stderr } = await at.run(["receipt", "verify", "receipt.json"], { env: other });
    expect(code).toBe(1);
    for (const words of [server.issuer, "https://other.test"]) expect(stderr).toContain(words);
  });

  test("--json → the fault by name", async () => {
    const { code, stdout } = await verify("-", accessToken, ["--json"]);
    expect([code, JSON.parse(stdout)]).toEqual([1, { valid: false, fault: "other_type" }]);
  });
});

test("valid → exit code 0, the facts with dates, what it doesn't prove, no escape sequence of the app", async () => {
  const { code, stdout, stderr } = await verify("receipt.json");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^event +allowed: access was allowed$/m);
  expect(stdout).toMatch(/^event_at +\d{4}-\d\d-\d\dT/m);
  expect(stdout).toMatch(/^decided_by +the owner$/m);
  expect(stdout).toMatch(/^allowed +read \(See your photos\), until \d{4}-/m);
  expect(stdout).not.toContain("\u001b");
  expect(stderr).toContain("doesn't prove that the app still has access");
  const json = await verify("-", readFileSync(join(at.folder, "receipt.json"), "utf8"), ["--json"]);
  expect(JSON.parse(json.stdout)).toEqual({ valid: true, fault: null, content: JSON.parse(text).content });
});
