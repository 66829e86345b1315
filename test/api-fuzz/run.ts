/**
 * `npm run test:api-fuzz`: schemathesis sends valid and invalid requests to every operation of the admin API, and compares the
 * answers with the OpenAPI document. `--long` sends ten times as many. All other options go to schemathesis:
 * `npm run test:api-fuzz -- --include-tag clients`. Exit code 1: a check failed; 0 also where schemathesis is missing, with
 * the reason.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adminApi, adminToken } from "../support/admin-api.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

/** Random requests to one operation, besides those at the edges of each field. */
const [EXAMPLES, LONG] = [10, 100];

/** The program, or the reason why there is none. */
function schemathesis(): { readonly program: string } | { readonly why: string } {
  const program = process.env["ASSENT_TEST_SCHEMATHESIS"] ?? "schemathesis";
  const { status, error, stderr } = spawnSync(program, ["--version"], { encoding: "utf8" });
  if (status === 0) return { program };
  const python = spawnSync("python3", ["--version"]).status === 0;
  const how = python ? "pip install schemathesis" : "install Python 3.10 or newer, then pip install schemathesis";
  return { why: `${program} does not run (${error?.message ?? stderr.trim()}): ${how}` };
}

/**
 * A value can fit its schema and still be refused: a name that is taken, a scope that does not exist, a host that is no
 * host. A missing If-Match has a status of its own (RFC 6585 §3), and so has a body or an address that is too long. Every
 * other check has its defaults.
 */
const CONFIG = `hooks = ${JSON.stringify(join(import.meta.dirname, "schemathesis_hooks.py"))}

[checks]
missing_required_header.expected-statuses = ["400", "401", "403", "404", "428"]
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "409", "412", "413", "415", "422", "428", "429", "431"]
positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404", "409", "412", "413", "422", "428", "431"]
`;

/** Records that requests can find. */
async function fill(server: TestServer): Promise<void> {
  const api = await adminApi(server);
  await api.post("/companies", { name: "Acme", slug: "acme" });
  await api.post("/clients", { client_name: "App", type: "public", redirect_uris: ["https://app.test/cb"] });
  await api.post("/users", { username: "ada", email: "ada@example.test", generate_password: true });
}

/** Returns the exit code. */
async function fuzz(program: string, server: TestServer, folder: string, args: readonly string[]): Promise<number> {
  const run = spawn(
    program,
    [
      ...["--config-file", join(folder, "schemathesis.toml"), "run", `${server.issuer}/admin/api/v1/openapi.json`],
      ...["--header", `Authorization: Bearer ${await adminToken(server, "admin", 86_400)}`, "--checks", "all"],
      // One worker: threads that parse Python at once make Python older than 3.12 fail (gh-106905). The last option is about how schemathesis makes values, not about answers.
      ...["--workers", "1", "--suppress-health-check", "filter_too_much,too_slow", ...args],
    ],
    { stdio: "inherit", cwd: folder, env: { ...process.env, NO_COLOR: "1" } },
  );
  return new Promise((resolve, reject) => {
    run.once("error", reject);
    run.once("close", (status) => resolve(status ?? 1));
  });
}

async function main(args: readonly string[]): Promise<number> {
  const found = schemathesis();
  if ("why" in found) {
    console.log(`The admin API is not fuzzed: ${found.why}`);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), "assent-fuzz-"));
  const server = await startServer({ config: { logLevel: "error" } });
  try {
    writeFileSync(join(folder, "schemathesis.toml"), CONFIG);
    await fill(server);
    const own = args.filter((one) => one !== "--long");
    const examples = ["--max-examples", String(args.includes("--long") ? LONG : EXAMPLES)];
    // A run with all operations finds its own token and revokes it. So this operation has a run of its own, in which
    // schemathesis knows no token.
    const runs = [
      ["--exclude-operation-id", "tokens.revoke", ...examples, ...own],
      ["--include-operation-id", "tokens.revoke", "--phases", "coverage,fuzzing", ...examples],
    ];
    let failed = false;
    for (const one of own.length === 0 ? runs : runs.slice(0, 1))
      failed = (await fuzz(found.program, server, folder, one)) !== 0 || failed;
    const faults = server.log.filter((line) => line.includes('"level":50'));
    for (const line of faults.slice(0, 20)) console.log(line);
    if (faults.length > 0) console.log(`${faults.length} faults in the server's log`);
    return failed || faults.length > 0 ? 1 : 0;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main(process.argv.slice(2));
