/** Where the `assent` command begins. Each noun is loaded when it is asked for: what isn't used costs no start-up time. */

import manifest from "../package.json" with { type: "json" };

const args = process.argv.slice(2);

// SIGUSR1 makes Node open its debugger on a loopback port, where every user of the machine can run code in this process. Tools that rotate logs send that
// signal. A listener of ours takes the place of Node's.
process.on("SIGUSR1", () => undefined);

if (args[0] === "--version" || args[0] === "-V") {
  console.log(manifest.version);
} else {
  const { run } = await import("./program.ts");
  process.exitCode = await run(args);
}
