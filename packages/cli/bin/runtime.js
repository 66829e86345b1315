/**
 * Which Node runs us. Kept in the JavaScript that Node 18 and 20 understand, because those are what start it:
 * the program itself needs a newer one (TypeScript run as it is, node:sqlite).
 */

import { spawn, spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, isAbsolute, join } from "node:path";

/** The oldest major version of Node that the program runs on. */
export const OLDEST_MAJOR = 24;

/** Set for the process that we start, so that a `node` that names one version and runs another cannot make a loop. */
const HANDED_OVER = "ASSENT_HANDED_OVER";

/** Whether a version ("24.1.0" or "v24.1.0") is one that the program runs on. */
export function isNewEnough(version) {
  return Number.parseInt(version.replace(/^v/, ""), 10) >= OLDEST_MAJOR;
}

/** The version that this executable reports, without the "v"; undefined when it isn't a Node that runs here. */
function versionOf(path) {
  const { status, stdout } = spawnSync(path, ["-p", "process.versions.node"], { encoding: "utf8", timeout: 10_000 });
  const version = status === 0 ? stdout.trim() : "";
  return /^\d+\.\d+\.\d+/.test(version) ? version : undefined;
}

/** Path of the Node that npm installed as our optional dependency; undefined where it has none for this machine. */
function bundledNode() {
  try {
    const require = createRequire(import.meta.url);
    return join(dirname(require.resolve(`node-linux-${process.arch}/package.json`)), "bin", "node");
  } catch {
    return undefined;
  }
}

/**
 * Looks for a Node that is new enough: along PATH, then the bundled one.
 * Gives `{ path, version }` in `node` (undefined when there is none) and all that it looked at, in words, in `seen`.
 */
export function findNode() {
  const onPath = (process.env.PATH || "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, "node"));
  const bundled = bundledNode();
  const seen = [`${process.version} (${process.execPath}, this one)`];
  const looked = new Set([realpathSync(process.execPath)]);
  for (const path of bundled === undefined ? onPath : [...onPath, bundled]) {
    if (!existsSync(path) || looked.has(realpathSync(path))) continue;
    looked.add(realpathSync(path));
    const version = versionOf(path);
    if (version !== undefined && isNewEnough(version)) return { node: { path, version }, seen };
    seen.push(version === undefined ? `${path}, which does not run here` : `v${version} (${path})`);
  }
  if (bundled === undefined) seen.push(`no bundled one (npm package node-linux-${process.arch})`);
  return { node: undefined, seen };
}

/**
 * True when this process may go on as it is. Otherwise the script is run again under a Node that is new enough, in a
 * child with our arguments, streams, signals and exit, or, where there is none, refused with a message and exit code 1.
 */
export function runsOnNewEnoughNode(script) {
  const handedOver = process.env[HANDED_OVER] !== undefined;
  delete process.env[HANDED_OVER];
  if (isNewEnough(process.versions.node)) {
    if (handedOver) endWithLauncher();
    return true;
  }
  const { node, seen } = handedOver ? { node: undefined, seen: [process.version] } : findNode();
  if (node === undefined) {
    console.error(
      `Assent needs Node.js ${OLDEST_MAJOR} or newer. Found: ${seen.join("; ")}.\n` +
        'Install a current Node.js (https://nodejs.org), or run "npm ci" again without leaving out optional dependencies.',
    );
    process.exitCode = 1;
  } else {
    handOver(node.path, script);
  }
  return false;
}

/** Only a launcher killed outright closes its channel first; whoever killed it meant the program, so that ends too. */
function endWithLauncher() {
  process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
  process.channel?.unref();
}

/** Runs the script under that Node and ends as it ends: same code, or same signal. */
function handOver(nodePath, script) {
  const child = spawn(nodePath, [...process.execArgv, script, ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, [HANDED_OVER]: "1" },
  });
  const forward = (signal) => {
    // Ctrl-C reaches the child from the terminal itself; a second one would look like impatience.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"];
  for (const signal of signals) process.on(signal, forward);
  // Node would open its debugger, to every user of this machine.
  process.on("SIGUSR1", () => undefined);
  child.once("error", (error) => {
    console.error(`Assent could not start ${nodePath}: ${error.message}`);
    process.exit(1);
  });
  child.once("exit", (code, signal) => {
    if (signal === null) process.exit(code === null ? 1 : code);
    for (const name of signals) process.removeListener(name, forward);
    process.kill(process.pid, signal);
  });
}
