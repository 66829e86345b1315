/**
 * The start of the `assent` command. It loads only the noun that the command line names, so that other nouns cost no
 * time at the start.
 */

import manifest from "../package.json" with { type: "json" };

const args = process.argv.slice(2);

// SIGUSR1 makes Node open its debugger on a loopback port. There, every user of the machine can run code in this
// process. Tools that rotate logs send this signal. Our own listener replaces Node's.
process.on("SIGUSR1", () => undefined);

if (args[0] === "--version" || args[0] === "-V") {
  console.log(manifest.version);
} else {
  const { run } = await import("./command-tree.ts");
  process.exitCode = await run(args);
}
