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
  /** Tells the supervisor that this process listens no more; resolves when none does that was told to stop. */
  closed(): Promise<void>;
  /** Lets go of the supervisor: nothing holds the process any more. */
  leave(): void;
}

/** A supervisor that is gone, or busy, keeps nobody from ending. */
const DRAIN_ANYWAY = 3_000;
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
