import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, test } from "vitest";

const bin = join(import.meta.dirname, "..", "bin");
const root = mkdtempSync(join(tmpdir(), "assent-launcher-"));
mkdirSync(join(root, "cache"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A Node.js of this machine that is too old for the program, because many people start it with such a version. */
const oldNode = [...(process.env.PATH ?? "").split(delimiter), "/usr/local/bin", "/usr/bin"]
  .map((folder) => join(folder, "node"))
  .find((path) => existsSync(path) && Number.parseInt(versionOf(path), 10) < 24);

function versionOf(path: string): string {
  return execFileSync(path, ["-p", "process.versions.node"], { encoding: "utf8" });
}

/** Prints its Node.js and arguments, then does what the first argument says. */
const PROGRAM = `
const [what, value]: string[] = process.argv.slice(2);
const leftover = Object.keys(process.env).filter((name) => name.startsWith("ASSENT_"));
// Sets the handlers before it prints, because a test may send a signal as soon as it reads the output.
if (what === "wait") {
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(name, () => { console.log(name); process.exit(7); });
  }
  setTimeout(() => process.exit(9), 30_000);
}
console.log(JSON.stringify({ node: process.versions.node, args: process.argv.slice(2), leftover }));
if (what === "exit") process.exit(Number(value));
if (what === "abort") process.kill(process.pid, "SIGUSR2");
`;

interface Home {
  readonly folder: string;
  readonly launcher: string;
}

/** A package with the launcher and a small program in place of the real one. */
function aPackage({ under = "", source = true, build = false } = {}): Home {
  const folder = join(mkdtempSync(join(root, "package-")), under);
  cpSync(bin, join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  mkdirSync(join(folder, "src"));
  mkdirSync(join(folder, "dist"));
  if (source) writeFileSync(join(folder, "src", "main.ts"), PROGRAM);
  if (build) writeFileSync(join(folder, "dist", "main.js"), "console.log(JSON.stringify({ build: true }));");
  return { folder, launcher: join(folder, "bin", "assent.js") };
}

/** A folder for PATH whose only `node` is this executable. */
function pathWith(executable: string): string {
  const folder = mkdtempSync(join(root, "path-"));
  symlinkSync(executable, join(folder, "node"));
  return folder;
}

/** Puts a Node.js for this machine into the npm package's place, as `npm ci` does. */
function bundle(home: Home, executable: string): void {
  const folder = join(home.folder, "node_modules", `node-linux-${process.arch}`);
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  symlinkSync(executable, join(folder, "bin", "node"));
}

function run(node: string, { launcher }: Home, args: string[] = [], path = pathWith(node)) {
  const env = { PATH: path, HOME: root, XDG_CACHE_HOME: join(root, "cache") };
  return spawnSync(node, [launcher, ...args], { encoding: "utf8", env, timeout: 20_000 });
}

/** Starts the waiting program. Resolves when it handles signals. */
async function start(node: string, { launcher }: Home, path: string) {
  const env = { PATH: path, HOME: root, XDG_CACHE_HOME: join(root, "cache") };
  const child = spawn(node, [launcher, "wait"], { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  while (!output.includes("\n")) await once(child.stdout, "data");
  await sleep(100);
  return { child, output: () => output };
}

async function ended(child: ChildProcess): Promise<[number | null, string | null]> {
  return (await once(child, "close")) as [number | null, string | null];
}

describe("on a Node that is new enough", () => {
  test("neither source nor build in the package → says so, exit 1", () => {
    const { status, stderr } = run(process.execPath, aPackage({ source: false }));
    expect(stderr).toContain("neither src/main.ts nor dist/main.js");
    expect(status).toBe(1);
  });

  test("a home that can't be written → starts all the same", () => {
    const env = { PATH: pathWith(process.execPath), HOME: "/proc/nowhere" };
    const options = { encoding: "utf8", env, timeout: 10_000 } as const;
    const { stdout, stderr } = spawnSync(process.execPath, [aPackage().launcher], options);
    expect(JSON.parse(stdout).args).toEqual([]);
    expect(stderr).toBe("");
  });

  test("a checkout → runs the source in this process, with the arguments", () => {
    const { status, stdout } = run(process.execPath, aPackage({ build: true }), ["exit", "3", "--json", "a b"]);
    expect(JSON.parse(stdout)).toMatchObject({ node: process.versions.node, args: ["exit", "3", "--json", "a b"] });
    expect(status).toBe(3);
  });

  test("installed below node_modules, where Node strips no types → runs the build", () => {
    const { stdout } = run(process.execPath, aPackage({ under: "node_modules/assent", build: true }));
    expect(JSON.parse(stdout)).toEqual({ build: true });
  });

  test("compiled code → kept in the user's cache folder", () => {
    run(process.execPath, aPackage());
    expect(existsSync(join(root, "cache", "assent", "compiled"))).toBe(true);
  });
});

describe("on a Node that is too old", () => {
  let old: string;
  beforeEach(({ skip }) => {
    if (oldNode === undefined) return skip("this machine has no Node older than 24 to start from");
    old = oldNode;
  });

  test("no other Node anywhere → one message with what was found, exit 1", () => {
    const { status, stdout, stderr } = run(old, aPackage());
    expect(stderr).toContain(`Assent needs Node.js 24 or newer. Found: v${versionOf(old).trim()} (`);
    expect(stderr).toContain(`no bundled one (npm package node-linux-${process.arch})`);
    expect(stdout).toBe("");
    expect(status).toBe(1);
  });

  test("a bundled Node that does not run on this machine → named in the message, exit 1", () => {
    const home = aPackage();
    const broken = join(mkdtempSync(join(root, "broken-")), "node");
    writeFileSync(broken, "not a program");
    chmodSync(broken, 0o755);
    bundle(home, broken);
    const { status, stderr } = run(old, home);
    expect(stderr).toMatch(/bin\/node, which does not run here/);
    expect(status).toBe(1);
  });

  test("a node on PATH that names a new version and runs the old one → refused, no loop", () => {
    const folder = mkdtempSync(join(root, "liar-"));
    writeFileSync(join(folder, "node"), `#!/bin/sh\n[ "$1" = -p ] && echo 26.0.0 && exit\nexec ${old} "$@"\n`);
    chmodSync(join(folder, "node"), 0o755);
    const { status, stdout, stderr } = run(old, aPackage(), [], folder);
    expect(stderr).toContain("Assent needs Node.js 24 or newer.");
    expect(stdout).toBe("");
    expect(status).toBe(1);
  });

  test("a new Node later on PATH → runs under it: same arguments and exit code, nothing left in the environment", () => {
    const path = [pathWith(old), pathWith(process.execPath)].join(delimiter);
    const { status, stdout } = run(old, aPackage(), ["exit", "5", "a b"], path);
    const { node, args, leftover } = JSON.parse(stdout);
    expect({ node, args, leftover }).toEqual({
      node: process.versions.node,
      args: ["exit", "5", "a b"],
      leftover: [],
    });
    expect(status).toBe(5);
  });

  test("none on PATH, but a bundled one → runs under that", () => {
    const home = aPackage();
    bundle(home, process.execPath);
    const { status, stdout } = run(old, home, ["exit", "0"]);
    expect(JSON.parse(stdout).node).toBe(process.versions.node);
    expect(status).toBe(0);
  });

  test("the program ends by a signal → so does the launcher", () => {
    const { status, signal } = run(old, aPackage(), ["abort"], [pathWith(process.execPath)].join(delimiter));
    expect({ status, signal }).toEqual({ status: null, signal: "SIGUSR2" });
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "%s → reaches the program once, whose exit code is ours",
    async (name) => {
      const { child, output } = await start(old, aPackage(), pathWith(process.execPath));
      child.kill(name);
      expect(await ended(child)).toEqual([7, null]);
      expect(output().split("\n").slice(1)).toEqual([name, ""]);
    },
  );

  test("the launcher is killed outright → the program goes with it", async () => {
    const { child, output } = await start(old, aPackage(), pathWith(process.execPath));
    child.kill("SIGKILL");
    // The output closes only after the program has ended, too.
    expect(await ended(child)).toEqual([null, "SIGKILL"]);
    expect(output().split("\n")).toHaveLength(2);
  });
});

test("the file is executable and starts with env's node", () => {
  const launcher = join(bin, "assent.js");
  const { stdout, status } = spawnSync("head", ["-1", launcher], { encoding: "utf8" });
  expect(stdout).toBe("#!/usr/bin/env node\n");
  expect(status).toBe(0);
  const { error } = spawnSync(launcher, ["--version"], { env: { PATH: dirname(process.execPath), HOME: root } });
  expect(error).toBeUndefined();
});
