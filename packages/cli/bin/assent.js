#!/usr/bin/env node
/** The `assent` command: finds a Node that is new enough, then the program, and gives way to it. */

import { accessSync, constants, existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { runsOnNewEnoughNode } from "./runtime.js";

/** Milliseconds from the start: by then all has been loaded that most requests need. */
const WRITTEN_AFTER = 10_000;

/** Where the program starts: the TypeScript in a checkout, the build in a published package (Node strips no types there). */
function entry() {
  const source = new URL("../src/main.ts", import.meta.url);
  const build = new URL("../dist/main.js", import.meta.url);
  const published = fileURLToPath(source).includes(`${sep}node_modules${sep}`);
  return [published ? build : source, build].find((url) => existsSync(url));
}

/**
 * Compiled code is kept in the user's own cache folder: whoever can write there can already run code as that user.
 * Where there is no such folder we do without.
 */
function keepCompiledCode() {
  const home = process.env.XDG_CACHE_HOME || homedir();
  if (process.env.NODE_COMPILE_CACHE === undefined) {
    if (!isWritable(home)) return;
    nodeModule.enableCompileCache(join(home, process.env.XDG_CACHE_HOME ? "" : ".cache", "assent", "compiled"));
  }
  // Node writes it when a process ends in order, which one in a container may never do.
  setTimeout(() => nodeModule.flushCompileCache(), WRITTEN_AFTER).unref();
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

if (runsOnNewEnoughNode(fileURLToPath(import.meta.url))) {
  const program = entry();
  if (program === undefined) {
    console.error("The assent package is incomplete: it has neither src/main.ts nor dist/main.js. Install it again.");
    process.exitCode = 1;
  } else {
    keepCompiledCode();
    await import(program.href);
  }
}
