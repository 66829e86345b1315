/** The demo's server: in this process, or in several processes that it starts. */

import { type AssentServer, type Config, createAssent, listen } from "@assent/server";
import { claimPort, listenMetrics, Supervisor, WorkersNotStarted } from "@assent/server/workers";
import { listenProblem } from "./open-port.ts";

export interface DemoServer {
  /** Used to register the demo. If workers serve, it answers no requests itself. */
  readonly assent: AssentServer;
  stop(): Promise<void>;
}

/** Starts the server of `config`. Throws a `ConfigError` if a port is in use. */
export async function startServer(config: Config): Promise<DemoServer> {
  const assent = await createAssent(config, { dangerouslyLogMail: true });
  try {
    return config.workers > 1 ? await supervised(assent) : await alone(assent);
  } catch (error) {
    await assent.close();
    const name = { variable: "ASSENT_LISTEN (and ASSENT_ISSUER)", what: "the server" };
    throw listenProblem(error, addressOf(config), name);
  }
}

async function alone(assent: AssentServer): Promise<DemoServer> {
  const listening = await listen(assent);
  const stopMetrics = await openMetrics(assent, assent.measure, listening.stop);
  return {
    assent,
    async stop() {
      await listening.stop();
      await stopMetrics();
    },
  };
}

async function supervised(assent: AssentServer): Promise<DemoServer> {
  const { config, log } = assent;
  await claimPort(config.listen);
  // Workers read the same configuration, but this process may have chosen the issuer and the port.
  const env = { ASSENT_ISSUER: config.issuer, ASSENT_LISTEN: addressOf(config) };
  const { workers: count, drainDelay } = config;
  const supervisor = new Supervisor({ count, log, args: ["demo", "worker"], env, drainDelay });
  await supervisor.start().catch((error: unknown) => {
    throw error instanceof WorkersNotStarted
      ? new Error("ASSENT_WORKERS: no worker process could start; it has said why above")
      : error;
  });
  const stopWorkers = async () => void (await supervisor.stop());
  const stopMetrics = await openMetrics(assent, () => supervisor.measure(), stopWorkers);
  return {
    assent,
    async stop() {
      await stopWorkers();
      await stopMetrics();
      await assent.close();
    },
  };
}

/** Opens the figures' port if one is named; `undo` where it can't be had. Yields what closes it. */
async function openMetrics(
  { config }: AssentServer,
  measure: AssentServer["measure"],
  undo: () => Promise<void>,
): Promise<() => Promise<void>> {
  if (config.metricsListen === null) return async () => undefined;
  const { host, port } = config.metricsListen;
  try {
    return (await listenMetrics(config.metricsListen, measure)).stop;
  } catch (error) {
    await undo();
    throw listenProblem(error, `${host}:${port}`, { variable: "ASSENT_METRICS_LISTEN", what: "the figures" });
  }
}

function addressOf({ listen: { host, port } }: Config): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
