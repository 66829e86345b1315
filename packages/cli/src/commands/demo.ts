/** `assent demo`: the server, with a client and an API to try it with. */

import type { Command } from "commander";
import { Failure } from "../failure.ts";
import { untilToldToStop } from "../signals.ts";

export function register(program: Command): void {
  const command = program
    .command("demo")
    .description("run the server with a demo client and API beside it")
    .addHelpText("after", "\nFor trying things out on this machine: an issuer that isn't loopback is refused.")
    .action(demo);
  command
    .command("device")
    .description("be a device without a browser, connected to the demo that runs")
    .action(demoDevice);
}

/** Loaded when it is asked for: the demo itself draws no codes. */
async function demoDevice(): Promise<void> {
  await (await import("./demo-device.ts")).demoDevice();
}

async function demo(): Promise<void> {
  const { isLoopbackHost, loadConfig } = await import("@assent/server");
  const config = await loadConfig();
  // Everybody can read the demo's password: it may not run where others come by.
  if (!isLoopbackHost(new URL(config.issuer).hostname)) {
    throw new Failure(
      `ASSENT_ISSUER is ${config.issuer}, and the demo is for this machine alone: use http://localhost:<port>, or run assent serve`,
    );
  }
  const { runDemo } = await import("@assent/demo");
  let toldToStop: Promise<unknown> | undefined;
  const print = (text: string) => {
    // Who reads that it runs may tell it to stop at once.
    toldToStop = untilToldToStop();
    process.stdout.write(text);
  };
  const running = await runDemo(config, { print });
  await toldToStop;
  await running.stop();
}
