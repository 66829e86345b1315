/**
 * `npm run test:mcp-conformance`: the MCP conformance tests for authorization servers, for each revision of the MCP
 * specification that they know. This program signs in and allows, as a person does in the browser. Exit code 1: a check
 * failed; 0 also where the tests are missing, with the reason.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { Agent, authorize } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const RESOURCE = "http://127.0.0.1:7777/mcp";
const SCOPE = "mcp:read";
const PERSON = "demo";
/** Milliseconds for all scenarios of a revision. */
const PATIENCE = 60_000;

/** The program, or the reason why there is none. */
function conformance(): { readonly program: string } | { readonly why: string } {
  const program = process.env["ASSENT_TEST_MCP_CONFORMANCE"] ?? "conformance";
  const { status, error, stderr } = spawnSync(program, ["--version"], { encoding: "utf8" });
  if (status === 0) return { program };
  return { why: `${program} does not run (${error?.message ?? stderr.trim()}): CONTRIBUTING.md says how to get it` };
}

/** Runs the scenarios of one revision. Returns the exit code. */
async function run(program: string, revision: string, server: TestServer, client: TestClient, port: number) {
  const folder = mkdtempSync(join(tmpdir(), "assent-mcp-"));
  const args = ["authorization", "--url", server.issuer, "--client-id", client.clientId, "--port", String(port)];
  const child = spawn(program, [...args, "--resource", RESOURCE, "--spec-version", revision], { cwd: folder });
  const opened = new Set<string>();
  let output = "";
  const read = (chunk: Buffer) => {
    output += chunk.toString();
    for (const [url] of output.matchAll(/http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+(?=\n)/g)) {
      if (opened.has(url)) continue;
      opened.add(url);
      authorize(new Agent(server.issuer), url, PERSON)
        .then((callback) => fetch(callback))
        .catch((error: Error) => console.log(`The browser: ${error.message.slice(0, 500)}`));
    }
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const patience = setTimeout(() => child.kill(), PATIENCE);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (status) => resolve(status ?? 1));
    });
    console.log(`\n${revision}`);
    console.log(code === 0 ? output.slice(output.indexOf("=== SUMMARY")) : output);
    return code;
  } finally {
    clearTimeout(patience);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<number> {
  const found = conformance();
  if ("why" in found) {
    console.log(`The MCP conformance tests are not run: ${found.why}`);
    return 0;
  }
  const server = await startServer({ fetchFromLoopback: true, config: { clientIdMetadata: "on", logLevel: "error" } });
  try {
    const port = await freePort();
    await server.addResource({ identifier: RESOURCE, name: "MCP server" });
    await server.addScope({ name: SCOPE, description: "Read", resource: RESOURCE });
    await server.addPerson({ username: PERSON });
    // The requests have no scope. With a secret, the tests take the method `none` all the same if the server has it.
    const client = await server.addClient({
      ...{ type: "public", redirectUris: [`http://127.0.0.1:${port}/callback`] },
      ...{ scopes: [SCOPE], defaultScopes: [SCOPE] },
    });
    let failed = false;
    for (const revision of REVISIONS)
      failed = (await run(found.program, revision, server, client, port)) !== 0 || failed;
    return failed ? 1 : 0;
  } finally {
    await server.stop();
  }
}

process.exitCode = await main();
