/** `assent serve`: the authorization server alone, in one process or in several on one port. */

import type { AssentOptions, AssentServer, Config } from "@assent/server";
import type { MetricsListening, WorkerChannel } from "@assent/server/workers";
import type { Command } from "commander";
import { boundYoungGeneration } from "../bounded-young-generation.ts";
import { Failure } from "../command-errors.ts";
import { untilToldToStop } from "../wait-for-stop-signal.ts";

export function register(program: Command): void {
  program
    .command("serve")
    .description("run the authorization server")
    .addHelpText(
      "after",
      "\nThe log is JSON lines on stdout. After SIGTERM or SIGINT, the server completes the open requests and stops. A second\nsignal stops it immediately. ASSENT_WORKERS starts several processes on one port, and replaces one that dies.",
    )
    .action(serve);
}

async function serve(): Promise<void> {
  const { loadConfig } = await import("@assent/server/config");
  const config = await loadConfig();
  // A process without a channel was not started by a supervisor.
  const channel = process.send === undefined ? undefined : (await import("@assent/server/workers")).workerChannel();
  // After a failure, the open channel to the supervisor keeps the process alive, so `work` closes it.
  if (channel !== undefined) return work(config, channel);
  return config.workers > 1 ? supervise(config) : alone(config);
}

async function alone(config: Config): Promise<void> {
  const { assent, listening } = await startServer(config);
  const { log } = assent;
  const metrics = await openMetrics(config, assent.measure).catch(async (error: unknown) => {
    await listening.stop();
    throw error;
  });
  const address = addressOf(config.listen.host, listening.port);
  // Listen for signals before the log says that the server started, because a reader of the log may send one at once.
  const toldToStop = untilToldToStop();
  await tellRuntime({ log });
  log.info(startedLine(config, address), `serving ${config.issuer} on ${address}`);
  const signal = await toldToStop;
  log.info({ event: "stopping", signal }, "stopping after the open requests");
  await listening.stop();
  await metrics?.stop();
  log.info({ event: "stopped" }, "stopped");
}

/** Options of a worker that differ from those of `assent serve`. */
type WorkerOptions = Pick<AssentOptions, "dangerouslyLogMail">;

/** Runs one of several processes. The supervisor decides when it ends. */
export function work(config: Config, channel: WorkerChannel, options: WorkerOptions = {}): Promise<void> {
  return workUntilTold(config, channel, options).finally(channel.leave);
}

async function workUntilTold(config: Config, channel: WorkerChannel, options: WorkerOptions): Promise<void> {
  const { assent, listening } = await startServer(config, channel, options);
  assent.log.debug({ event: "worker_started" }, "worker started");
  channel.serving(assent.measure);
  await Promise.race([untilToldToStop(), channel.told]);
  await listening.stop(channel.closed);
}

async function startServer(config: Config, channel?: WorkerChannel, options: WorkerOptions = {}) {
  const { createAssent, listen } = await import("@assent/server");
  boundYoungGeneration();
  const worker = channel === undefined ? {} : { worker: { first: channel.first, crew: channel.crew } };
  const assent = await createAssent(config, { ...options, ...worker });
  try {
    return { assent, listening: await listen(assent) };
  } catch (error) {
    await assent.close();
    throw listenFailure(error, config.listen, "ASSENT_LISTEN");
  }
}

async function supervise(config: Config): Promise<void> {
  const { createLogger, claimPort, Supervisor, WorkersNotStarted } = await import("@assent/server/workers");
  const { host } = config.listen;
  const port = await claimPort(config.listen).catch((error: unknown) => {
    throw listenFailure(error, config.listen, "ASSENT_LISTEN");
  });
  const address = addressOf(host, port);
  const log = createLogger(config.logLevel);
  const supervisor = new Supervisor({
    count: config.workers,
    log,
    env: { ASSENT_LISTEN: address },
    drainDelay: config.drainDelay,
  });
  try {
    await supervisor.start();
  } catch (error) {
    if (!(error instanceof WorkersNotStarted)) throw error;
    // The worker has logged the reason.
    process.exitCode = error.exitCode;
    return;
  }
  const metrics = await openMetrics(config, () => supervisor.measure()).catch(async (error: unknown) => {
    await supervisor.stop();
    throw error;
  });
  const crew = supervisor.crew();
  const toldToStop = untilToldToStop();
  await tellRuntime({ log });
  log.info(
    { ...startedLine(config, address), workers: crew },
    `serving ${config.issuer} on ${address} in ${crew.live} processes`,
  );
  const signal = await toldToStop;
  log.info({ event: "stopping", signal }, "stopping after the open requests");
  const inOrder = await supervisor.stop();
  await metrics?.stop();
  log.info({ event: "stopped", in_order: inOrder }, inOrder ? "stopped" : "stopped; a worker did not stop in order");
  if (!inOrder) process.exitCode = 1;
}

async function openMetrics(
  { metricsListen }: Config,
  measure: Parameters<typeof import("@assent/server/workers").listenMetrics>[1],
): Promise<MetricsListening | undefined> {
  if (metricsListen === null) return undefined;
  const { listenMetrics } = await import("@assent/server/workers");
  return listenMetrics(metricsListen, measure).catch((error: unknown) => {
    throw listenFailure(error, metricsListen, "ASSENT_METRICS_LISTEN");
  });
}

/** Known faults of the running Node.js, reported once for all processes. */
async function tellRuntime({ log }: Pick<AssentServer, "log">): Promise<void> {
  const { nodeFaults, nodeOrigin } = await import("@assent/server/config");
  for (const fault of nodeFaults(process.versions.node))
    log.warn({ event: "node_fault", origin: nodeOrigin(process.execPath).text }, fault);
}

function addressOf(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function startedLine(config: Config, address: string) {
  return {
    event: "started",
    issuer: config.issuer,
    listen: address,
    database: config.databaseUrl.split(":", 1)[0],
    node: process.versions.node,
    ms: Math.round(performance.now()),
  };
}

/** The reason why the server can't get a port, and what to do. */
function listenFailure(error: unknown, { host, port }: Config["listen"], variable: string): Error {
  const change = `set ${variable} to another host:port`;
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return new Failure(`${host}:${port} is used by another program: stop that program, or ${change}`);
    case "EACCES":
      return new Failure(
        `${host}:${port} is not allowed for this user (ports below 1024 need special rights): ${change}`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new Failure(`${host} is not an address of this machine: ${change}`);
    default:
      return error instanceof Error ? error : new Error(String(error));
  }
}
