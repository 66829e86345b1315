/** `assent events …` on a database that a server uses, and on one without a server. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../test/support/test-server.ts";
import { aWorkspace, type Workspace } from "./support/run-command.ts";

interface Shown {
  readonly seq: number;
  readonly kind: string;
  readonly actor: string;
  readonly details: Readonly<Record<string, unknown>>;
}

let at: Workspace;
let server: TestServer;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  at = aWorkspace();
  server = await startServer();
  env = {
    ASSENT_DATA_DIR: server.dataDir,
    ASSENT_ISSUER: server.issuer,
    ASSENT_DATABASE_URL: server.assent.config.databaseUrl,
  };
});
afterAll(async () => {
  await server.stop();
  at.remove();
});

const list = (...more: string[]) => at.json<readonly Shown[]>(["events", "list", ...more], { env });

test("wrong times and kinds → refused, with what is right", async () => {
  expect((await at.run(["events", "list", "--since", "yesterday"], { env })).code).toBe(2);
  const { code, stderr } = await at.run(["events", "list", "--kind", "key.lost"], { env });
  expect(code).toBe(1);
  expect(stderr).toContain("key.created");
});

test("EV-14 a command changes something → its words and the names of its options, never a value", async () => {
  await at.run(["scope", "create", "photos", "--description", "See your photos"], { env });
  const [event] = await list("--kind", "scope.created");
  expect(event).toMatchObject({
    actor: "operator",
    details: { scope: "photos", door: "command", operation: "scope create", fields: ["description"] },
  });
});

test("EV-05, EV-13 hostile names → one line each; no escape sequence on a terminal; no formula in CSV", async () => {
  const name = "=HYPERLINK(1)\u001b[31m";
  await server.assent.storage.events.note({
    events: [
      { kind: "security.suspicion", at: server.now(), by: "anonymous", clientId: name, details: { what: name } },
    ],
  });
  const { stdout } = await at.run(["events", "list", "--kind", "security.suspicion"], { env });
  expect(stdout).toContain("=HYPERLINK");
  expect(stdout).not.toContain("\u001b[31m");
  const ndjson = (await at.run(["events", "export", "--kind", "security.suspicion"], { env })).stdout;
  expect(
    ndjson
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { readonly client_id: string }).client_id),
  ).toEqual([name]);
  const csv = (await at.run(["events", "export", "--kind", "security.suspicion", "--format", "csv"], { env })).stdout;
  expect(csv.split("\r\n")[0]).toBe("seq,id,at,kind,actor,subject,client_id,details,personal");
  expect(csv).toContain(`"'=HYPERLINK`);
});

test("tail → new events, one JSON text per line, until it is told to stop", async () => {
  const running = at.start(["events", "tail", "--json", "--kind", "scope.created"], { env });
  await expect
    .poll(
      async () => {
        await at.run(["scope", "create", `tailed-${Math.random()}`.replace("0.", ""), "--description", "x"], { env });
        return running.stdout();
      },
      { timeout: 20_000 },
    )
    .toContain("tailed-");
  const [first = ""] = running.stdout().split("\n");
  expect(JSON.parse(first)).toMatchObject({ kind: "scope.created", details: { operation: "scope create" } });
  running.child.kill("SIGTERM");
  await running.ended();
}, 60_000);

test("EV-01 verify → the report and a checkpoint; a changed event → exit code 1, and where", async () => {
  const report = await at.json<{ readonly valid: boolean; readonly checkpoint: string }>(["events", "verify"], { env });
  expect(report.valid).toBe(true);
  const file = join(at.folder, "checkpoint.txt");
  writeFileSync(file, `${report.checkpoint}\n`);
  expect((await at.run(["events", "verify", "--checkpoint", file], { env })).code).toBe(0);
  writeFileSync(file, "nonsense");
  expect((await at.run(["events", "verify", "--checkpoint", file], { env })).code).toBe(1);
  const { byHand } = await import("../../server/test/storage/support/raw-statements.ts");
  await byHand(server.assent.config.databaseUrl, ["UPDATE events SET actor = 'server' WHERE kind = 'scope.created'"]);
  const { code, stdout, stderr } = await at.run(["events", "verify"], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining("the log is not whole: event")]);
  expect(stdout).toMatch(/^checked +\d+$/m);
});
