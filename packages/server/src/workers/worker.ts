/** A worker's side of the channel to its supervisor. */

import cluster from "node:cluster";
import type { Snapshot } from "../metrics/figures.ts";
import { type Crew, type FromWorker, ours, type ToWorker } from "./messages.ts";

export interface WorkerChannel {
  /** True in the first process that a supervisor starts: what all would say alike, it says. */
  readonly first: boolean;
  /** The supervisor wants it to drain. */
  readonly told: Promise<void>;
  /** What the supervisor said last. */
  crew(): Crew | undefined;
  /** Tells the supervisor that this process serves, and from now on its figures when it asks. */
  serving(measure: () => Promise<Snapshot>): void;
  /** Lets go of the supervisor: nothing holds the process any more. */
  leave(): void;
}

/** Node counts the processes that a parent has started. */
const FIRST = 1;

/** The channel, where this process was started by a supervisor. */
export function workerChannel(): WorkerChannel | undefined {
  const { worker } = cluster;
  if (!cluster.isWorker || worker === undefined) return undefined;
  let crew: Crew | undefined;
  let measure: (() => Promise<Snapshot>) | undefined;
  let stop: () => void = () => undefined;
  const told = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const say = (message: FromWorker) => void (worker.isConnected() && worker.send(message, () => undefined));
  process.on("message", (message: unknown) => {
    const heard = ours<ToWorker>(message);
    if (heard?.assent === "stop") stop();
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
    leave: () => {
      if (worker.isConnected()) worker.disconnect();
    },
  };
}
