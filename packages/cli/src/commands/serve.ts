/** `assent serve`: the authorization server alone. */

import type { Command } from "commander";
import { Failure } from "../failure.ts";
import { untilToldToStop } from "../signals.ts";

export function register(program: Command): void {
  program
    .command("serve")
    .description("run the authorization server")
    .addHelpText(
      "after",
      "\nLogs JSON lines on stdout. SIGTERM and SIGINT let requests under way finish; a second one doesn't wait.",
    )
    .action(serve);
}

async function serve(): Promise<void> {
  const { createAssent, listen, loadConfig } = await import("@assent/server");
  const config = await loadConfig();
  const assent = await createAssent(config);
  const { host, port } = config.listen;
  const { log } = assent;
  let listening: Awaited<ReturnType<typeof listen>>;
  try {
    listening = await listen(assent);
  } catch (error) {
    await assent.close();
    throw listenFailure(error, host, port);
  }
  const address = `${host.includes(":") ? `[${host}]` : host}:${listening.port}`;
  log.info(
    {
      event: "started",
      issuer: config.issuer,
      listen: address,
      database: config.databaseUrl.split(":", 1)[0],
      node: process.versions.node,
      ms: Math.round(performance.now()),
    },
    `serving ${config.issuer} on ${address}`,
  );
  const signal = await untilToldToStop();
  log.info({ event: "stopping", signal }, "stopping: requests under way are finished");
  await listening.stop();
  log.info({ event: "stopped" }, "stopped");
}

/** Why a port can't be had, and what to do. */
function listenFailure(error: unknown, host: string, port: number): Error {
  const change = "set ASSENT_LISTEN to another host:port";
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return new Failure(`${host}:${port} is taken by another program: stop that, or ${change}`);
    case "EACCES":
      return new Failure(`${host}:${port} may not be used by this user (ports below 1024 are the system's): ${change}`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new Failure(`${host} is no address of this machine: ${change}`);
    default:
      return error instanceof Error ? error : new Error(String(error));
  }
}
