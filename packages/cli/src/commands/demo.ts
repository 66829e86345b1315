/** `assent demo`: the server, with a client and an API to try it with. */

import type { Config } from "@assent/server";
import type { Command } from "commander";
import { Failure } from "../command-errors.ts";
import { untilToldToStop } from "../wait-for-stop-signal.ts";

export function register(program: Command): void {
  const command = program
    .command("demo")
    .description("run the server with a demo client and a demo API")
    .addHelpText("after", "\nThe demo runs only on this machine, so the issuer must have a loopback address.")
    .action(demo);
  command.command("device").description("act as a device without a browser, for the running demo").action(demoDevice);
  // `demo` starts this hidden command for itself if ASSENT_WORKERS asks for several processes.
  command.command("worker", { hidden: true }).action(demoWorker);
}

/** Loaded on demand: the demo itself shows no QR codes. */
async function demoDevice(): Promise<void> {
  await (await import("./demo-device.ts")).demoDevice();
}

/** Mail goes to the log, which all workers share, as in a demo with one process. */
async function demoWorker(): Promise<void> {
  const { workerChannel } = await import("@assent/server/workers");
  const config = await demoConfig();
  const channel = workerChannel();
  if (channel === undefined)
    throw new Failure("assent demo starts this command itself: set ASSENT_WORKERS, and run assent demo");
  return (await import("./serve.ts")).work(config, channel, { dangerouslyLogMail: true });
}

async function demo(): Promise<void> {
  const config = await demoConfig();
  const { runDemo } = await import("@assent/demo");
  // Listen for signals before anything starts, so that a signal during the start also ends the worker processes.
  const toldToStop = untilToldToStop();
  const running = await runDemo(config);
  await toldToStop;
  await running.stop();
}

async function demoConfig(): Promise<Config> {
  const { isLoopbackHost, loadConfig } = await import("@assent/server");
  const config = await loadConfig();
  // Everybody can read the demo's password, so the demo must not run where other machines can reach it.
  if (!isLoopbackHost(new URL(config.issuer).hostname)) {
    throw new Failure(
      `ASSENT_ISSUER is ${config.issuer}, but the demo runs only on this machine: use http://localhost:<port>, or run assent serve`,
    );
  }
  return config;
}
