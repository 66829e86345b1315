/** Runs the quickstart exactly as written. Only ports and the data directory differ. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { freePort } from "./support/free-port.ts";
import { Agent, consentForm } from "./support/http-browser.ts";

const root = join(import.meta.dirname, "..");
const dataDir = mkdtempSync(join(tmpdir(), "assent-quickstart-"));
const running: ChildProcess[] = [];

afterAll(async () => {
  await Promise.all(
    running.map((child) => {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      return child.exitCode === null ? gone : undefined;
    }),
  );
  rmSync(dataDir, { recursive: true, force: true });
});

/** The lines of the page's shell blocks. */
const commands = [
  ...readFileSync(join(root, "docs/start/quickstart.md"), "utf8").matchAll(/```sh\n([\s\S]*?)```/g),
].flatMap(([, block = ""]) => block.trim().split("\n"));

function start(args: readonly string[], env: NodeJS.ProcessEnv, ready: RegExp): Promise<void> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  let said = "";
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      if (ready.test(said)) resolve();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}: ${said}`)));
  });
}

test("every command of the page → the app shows what the API answered", { timeout: 60_000 }, async () => {
  const [port, apiPort, appPort] = [await freePort(), await freePort(), await freePort()];
  const issuer = `http://localhost:${port}`;
  const env = { ASSENT_ISSUER: issuer, ASSENT_LISTEN: `127.0.0.1:${port}`, ASSENT_DATA_DIR: dataDir };
  const cli = join(root, "packages/cli/bin/assent.js");
  expect(commands[0]).toBe("npx assent serve");
  await start([cli, "serve"], env, /started/);

  const printed = new Map<string, string>();
  for (const line of commands.filter((each) => /^npx assent (?!serve)/.test(each))) {
    const own = line.replaceAll(":3000", `:${apiPort}`).replaceAll(":4000", `:${appPort}`);
    const words = [...own.slice("npx assent ".length).matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? "",
    );
    const { stdout } = await promisify(execFile)(process.execPath, [cli, ...words], {
      env: { ...process.env, ...env },
    });
    for (const [, name = "", value = ""] of stdout.matchAll(/^(\S+) +(.+)$/gm)) printed.set(name, value);
  }

  const api = `http://127.0.0.1:${apiPort}`;
  await start(["examples/quickstart/api.ts"], { ISSUER: issuer, API_PORT: String(apiPort), AUDIENCE: api }, /API on/);
  const app = { ISSUER: issuer, API: api, APP_PORT: String(appPort) };
  const ids = { CLIENT_ID: printed.get("client_id"), CLIENT_SECRET: printed.get("client_secret") };
  await start(["examples/quickstart/app.ts"], { ...app, ...ids }, /App on/);

  const begin = await fetch(`http://127.0.0.1:${appPort}`, { redirect: "manual" });
  const agent = new Agent(issuer);
  const signIn = await agent.get(begin.headers.get("location") ?? "");
  const form = signIn.forms.find(({ fields }) => fields.has("username"));
  if (form === undefined) throw new Error(signIn.text);
  const page = await agent.follow(
    await agent.submit(form, { username: "ada", password: printed.get("password") ?? "" }),
  );
  const { location } = await agent.submit(consentForm(page), { decision: "allow" });
  const result = await fetch(location ?? "");
  expect(await result.json()).toEqual({ owner: printed.get("id"), photos: ["lake.jpg", "grandma.jpg"] });
});
