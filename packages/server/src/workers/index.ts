/** `@assent/server/workers`: several processes on one port. A supervisor loads neither the protocol nor a database. */

export { createLogger } from "../log.ts";
export { listenMetrics, type MetricsListening } from "../metrics/metrics-endpoint.ts";
export { claimPort, Supervisor, type SupervisorOptions, WorkersNotStarted } from "./supervisor.ts";
export { type WorkerChannel, workerChannel } from "./worker-channel.ts";
