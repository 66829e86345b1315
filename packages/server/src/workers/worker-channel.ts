/** A worker's side of the channel to its supervisor. */

import cluster from "node:cluster";
import type { Snapshot } from "../metrics/prometheus-text.ts";
import { type Crew, type FromWorker, ours, type ToWorker } from "./messages.ts";

export interface WorkerChannel {
  /** True in the first process that a supervisor starts: only this one logs what all would log alike. */
  readonly first: boolean;
  /** Resolves when the supervisor wants this process to drain. */
  readonly told: Promise<void>;
  /** The last numbers of workers that the supervisor sent. */
  crew(): Crew | undefined;
  /** Tells the supervisor that this process serves. From then on, sends metrics when the supervisor asks. */
  serving(measure: () => Promise<Snapshot>): void;
  /** Tells the supervisor that this process has stopped listening. Resolves when no process that must stop listens. */
  closed(): Promise<void>;
  /** Closes the channel, so that it doesn't keep the process alive. */
  leave(): void;
}

/** Milliseconds to wait for a supervisor that has ended or is busy. */
const DRAIN_ANYWAY = 3_000;
/** The id that Node gives to the first worker of a supervisor. */
const FIRST = 1;

/** The channel; undefined if no supervisor started this process. */
export function workerChannel(): WorkerChannel | undefined {
  const { worker } = cluster;
  if (!cluster.isWorker || worker === undefined) return undefined;
  let crew: Crew | undefined;
  let measure: (() => Promise<Snapshot>) | undefined;
  let stop: () => void = () => undefined;
  const told = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let drain: () => void = () => undefined;
  const allClosed = new Promise<void>((resolve) => {
    drain = resolve;
  });
  const say = (message: FromWorker) => void (worker.isConnected() && worker.send(message, () => undefined));
  process.on("message", (message: unknown) => {
    const heard = ours<ToWorker>(message);
    if (heard?.assent === "stop") stop();
    else if (heard?.assent === "drain") drain();
    else if (heard?.assent === "crew") crew = heard.crew;
    else if (heard?.assent === "measure") {
      const { id } = heard;
      measure?.().then(
        (snapshot) => say({ assent: "measured", id, snapshot }),
        () => undefined,
      );
    }
  });
  return {
    first: worker.id === FIRST,
    told,
    crew: () => crew,
    serving(how) {
      measure = how;
      say({ assent: "serving" });
    },
    async closed() {
      say({ assent: "closed" });
      const timeout = setTimeout(drain, DRAIN_ANYWAY);
      await allClosed;
      clearTimeout(timeout);
    },
    leave: () => {
      if (worker.isConnected()) worker.disconnect();
    },
  };
}
