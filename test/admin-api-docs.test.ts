/** The commands of docs/operate/admin-api.md and import-people.md work as a reader types them. */

import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminApi } from "./support/admin-api.ts";
import { blocksOf } from "./support/markdown-code-blocks.ts";
import { startServer, type TestServer } from "./support/test-server.ts";

const root = join(import.meta.dirname, "..");

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

function has(program: string): boolean {
  try {
    return execFileSync(program, ["--version"]).length > 0;
  } catch {
    return false;
  }
}

/** Types the commands of a page, as a reader does. */
async function typed(name: string): Promise<string> {
  const page = readFileSync(join(root, "docs/operate", name), "utf8");
  const script = blocksOf(page)
    .filter(({ language }) => language === "sh")
    .map(({ text }) => text)
    .join("\n")
    .replaceAll("https://login.example.com", server.issuer)
    .replaceAll("npx assent", `node ${join(root, "packages/cli/bin/assent.js")}`);
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    ASSENT_ISSUER: server.issuer,
    ASSENT_DATA_DIR: server.dataDir,
    ASSENT_DATABASE_URL: server.assent.config.databaseUrl,
  };
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], {
    cwd: server.dataDir,
    env,
  });
  return stdout;
}

const CAN_TYPE = has("curl") && has("bash");

test("every command of the page → works, and the records are there", async ({ skip }) => {
  if (!CAN_TYPE) return skip("this machine has no curl or no bash");
  expect(await typed("admin-api.md")).toContain('"active":true');
  const api = await adminApi(server);
  const itemsOf = async <T>(path: string) => ((await api.get(path)).body as { readonly items: readonly T[] }).items;
  const clients = await itemsOf<{ readonly client_name: string }>("/clients");
  expect(clients.map((one) => one.client_name).sort()).toEqual([
    ...["Browser App", "Command Line", "Nightly backup", "Nightly job", "Payroll", "Phone App", "TV", "Web App"],
  ]);
  const [company] = await itemsOf<{ readonly id: string }>("/companies?slug=acme");
  expect((await api.get(`/companies/${company?.id}/members`)).body).toMatchObject({
    items: [
      { username: "carol", role: "admin" },
      { username: "dan", role: "member" },
    ],
  });
}, 120_000);

test("every command of the import page → works: by the command first, then each line exists", async ({ skip }) => {
  if (!CAN_TYPE) return skip("this machine has no curl or no bash");
  const told = await typed("import-people.md");
  expect(told).toContain("Imported 3 people. 0 existed already. 0 refused.");
  expect(told.match(/"result":"exists"/g)).toHaveLength(3);
}, 120_000);
