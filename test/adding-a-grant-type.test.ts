/** Applies docs/develop/grant-type.md to a copy of the server: the page's three changes make a working grant type. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
let copy: string;
const oauth = (...path: readonly string[]) => join(copy, "packages/server/src/oauth", ...path);

/** The code blocks of the page, in order. */
function codeOfPage(): readonly [grant: string, line: string, conditions: string] {
  const page = readFileSync(join(root, "docs/develop/grant-type.md"), "utf8");
  const [grant = "", line = "", conditions = "", ...more] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(
    ([, code = ""]) => code,
  );
  expect(more).toEqual([]);
  return [grant, line, conditions];
}

/** Replaces a text that occurs once in the file. */
function edit(path: string, before: string, after: string): void {
  const text = readFileSync(path, "utf8");
  expect(text.split(before)).toHaveLength(2);
  writeFileSync(
    path,
    text.replace(before, () => after),
  );
}

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "assent-grant-"));
  cpSync(join(root, "packages/server/src"), join(copy, "packages/server/src"), { recursive: true });
  cpSync(join(root, "packages/server/package.json"), join(copy, "packages/server/package.json"));
  cpSync(join(root, "tsconfig.json"), join(copy, "tsconfig.json"));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const [grant, line, conditions] = codeOfPage();
  writeFileSync(oauth("grants/ticket.ts"), grant);
  edit(oauth("grants/registry.ts"), "  tokenExchange,\n];\n", line);
  edit(oauth("grants/registry.ts"), 'import { saml2Bearer } from "./saml2-bearer.ts";\n', IMPORTS);
  edit(oauth("errors.ts"), "  // -- the server itself\n", `${conditions}  // -- the server itself\n`);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const IMPORTS = 'import { saml2Bearer } from "./saml2-bearer.ts";\nimport { ticket } from "./ticket.ts";\n';

/** Starts a server from the copy, registers a client, asks for tokens, and prints the answer. */
const PROGRAM = `
import { createServer } from "node:http";
import { createClient, createScope, migrateDatabase, openAdmin } from "./packages/server/src/admin/index.ts";
import { configOf, createAssent } from "./packages/server/src/index.ts";

const TICKET = "urn:example:grant-type:ticket";
const server = createServer();
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const issuer = "http://127.0.0.1:" + server.address().port;
const config = configOf({ issuer, dataDir: "./data", logLevel: "fatal" });

await migrateDatabase(config, Date.now(), "contract");
const admin = await openAdmin(config);
await createScope({ name: "read", description: "Read" }, admin);
const metadata = { client_name: "Desk", grant_types: [TICKET] };
const { client, secret } = await createClient({ type: "confidential", metadata, ownScopes: ["read"] }, admin);
await admin.close();

const assent = await createAssent(config);
server.on("request", assent.handler);

async function ask(fields) {
  const credentials = { client_id: client.clientId, client_secret: secret };
  const body = new URLSearchParams({ grant_type: TICKET, ...credentials, ...fields });
  const answer = await fetch(issuer + "/token", { method: "POST", body });
  const { error, scope } = await answer.json();
  return { status: answer.status, error, scope };
}
const answers = [];
for (const ticket of ["", "short", "ABCDEF123456", "ABCDEF123456"]) answers.push(await ask({ ticket }));
const published = await fetch(issuer + "/.well-known/oauth-authorization-server").then((answer) => answer.json());
console.log(JSON.stringify({ grants: published.grant_types_supported, answers }));
server.closeAllConnections();
server.close();
await assent.close();
`;

describe("a grant type that is made as the page says", () => {
  test("its types hold, in oauth/ alone too", () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [tsc, "-p", oauth("tsconfig.json")], { cwd: copy, encoding: "utf8" });
  });

  test("no ticket, another form, used before → refused; a new ticket → a token; the metadata lists it", () => {
    writeFileSync(join(copy, "program.ts"), PROGRAM);
    const printed = execFileSync(process.execPath, ["program.ts"], { cwd: copy, encoding: "utf8", timeout: 60_000 });
    const { grants, answers } = JSON.parse(printed) as { grants: string[]; answers: unknown[] };
    expect(grants).toContain("urn:example:grant-type:ticket");
    expect(answers).toEqual([
      { status: 400, error: "invalid_request" },
      { status: 400, error: "invalid_grant" },
      { status: 200, scope: "read" },
      { status: 400, error: "invalid_grant" },
    ]);
  });
});
