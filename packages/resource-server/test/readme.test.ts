/** The README agrees with the code: its programs run, and its tables are current. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conditions } from "../src/bearer-errors.ts";
import { send } from "./support/api.ts";
import { AUDIENCE, aKey, aToken, type SigningKey, startIssuer, type TestIssuer } from "./support/issuer.ts";

/** Removes the spaces with which the formatter pads the cells of tables. */
const readme = (await readFile(new URL("../README.md", import.meta.url), "utf8")).replace(/ +\|/g, " |");
const sources = new URL("../src/", import.meta.url);
const require = createRequire(import.meta.url);

let key: SigningKey;
let issuer: TestIssuer;
let folder: string;

beforeAll(async () => {
  key = await aKey();
  issuer = await startIssuer([key.jwk]);
  folder = await mkdtemp(join(tmpdir(), "readme-"));
});

afterAll(async () => {
  await Promise.all([issuer.close(), rm(folder, { recursive: true })]);
});

/** The program below a heading as a file, with real paths of the packages, the test's issuer and a free port. */
async function program(heading: string): Promise<string> {
  const after = readme.slice(readme.indexOf(`# ${heading}\n`));
  const text = /```ts\n([\s\S]*?)```/.exec(after)?.[1];
  if (text === undefined) throw new Error(`no program under ${heading}`);
  const code = text
    .replace(/"@assent\/resource-server(?:\/(\w+))?"/g, (_, name = "index") => `"${new URL(`${name}.ts`, sources)}"`)
    .replace(/"(fastify|express|hono)"/, (_, name: string) => `"${pathToFileURL(require.resolve(name))}"`)
    .replace("https://login.example.com", issuer.issuer)
    .replace("https://photos.example.com", AUDIENCE)
    .replace("8080", "0");
  const file = join(folder, `${heading.replace(/\W/g, "-")}.mts`);
  await writeFile(file, TELL_PORT + code);
  return file;
}

const TELL_PORT = `import { Server } from "node:net";
const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  return listen.apply(this.once("listening", () => console.log(this.address().port)), args);
};
`;

async function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let errors = "";
    child.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    child.stdout?.once("data", (chunk) => resolve(Number(chunk)));
    child.once("exit", () => reject(new Error(errors)));
  });
}

describe("quick start", () => {
  test.each([
    ["node:http", "/"],
    ["Fastify", "/photos"],
    ["Express", "/photos"],
    ["Telling clients where to get tokens (RFC 9728)", "/"],
  ])("%s → refuses without a token, greets with one", async (heading, path) => {
    const child = spawn(process.execPath, [await program(heading)], { stdio: ["ignore", "pipe", "pipe"] });
    try {
      const url = `http://localhost:${await portOf(child)}${path}`;
      const token = aToken(issuer.issuer, key);
      const poor = aToken(issuer.issuer, key, { claims: { scope: "photos:list" } });
      expect((await send(url)).status).toBe(401);
      expect((await send(url, ["Authorization", `Bearer ${poor}`])).status).toBe(403);
      const answer = await send(url, ["Authorization", `Bearer ${token}`]);
      expect([answer.status, answer.body]).toEqual([200, "Hello alice"]);
    } finally {
      child.kill();
    }
  });

  test.each(["Hono", "Fetch handlers", "Anything else"])("%s → the same", async (heading) => {
    const file = pathToFileURL(await program(heading)).href;
    type Handle = (request: Request) => Promise<Response>;
    const found: { handle?: Handle; default?: { fetch: Handle } } = await import(/* @vite-ignore */ file);
    const handle = found.handle ?? found.default?.fetch;
    const refusal = await handle?.(new Request("http://localhost/photos"));
    const challenge = refusal?.headers.get("www-authenticate");
    expect([refusal?.status, challenge]).toEqual([401, `Bearer realm="${AUDIENCE}", scope="photos:read"`]);
    const headers = { authorization: `Bearer ${aToken(issuer.issuer, key)}` };
    expect(await (await handle?.(new Request("http://localhost/photos", { headers })))?.text()).toBe("Hello alice");
  });
});

test("errors table → every condition, as the code has it", () => {
  const rows = Object.entries(conditions).map(
    ([name, { status, error, description }]) =>
      `| \`${name}\` | ${status} | ${error === null ? "none" : `\`${error}\``} | ${description} |`,
  );
  const table = readme.split("\n## Errors\n")[1]?.match(/^\| `.*$/gm);
  expect(table).toEqual(rows);
});

test("options table → every option, in the order of the code", async () => {
  const code = await readFile(new URL("options.ts", sources), "utf8");
  const body = /interface ResourceServerOptions \{([\s\S]*?)\n\}/.exec(code)?.[1] ?? "";
  const names = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map((match) => match[1]);
  const section = /\n## Options\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? "";
  expect([...section.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1])).toEqual(names);
});
