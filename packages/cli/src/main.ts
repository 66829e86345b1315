/** Where the `assent` command begins. Each noun is loaded when it is asked for: what isn't used costs no start-up time. */

import manifest from "../package.json" with { type: "json" };

const args = process.argv.slice(2);

if (args[0] === "--version" || args[0] === "-V") {
  console.log(manifest.version);
} else {
  const { run } = await import("./program.ts");
  process.exitCode = await run(args);
}
