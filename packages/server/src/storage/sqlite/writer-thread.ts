/** The writer's thread. It owns the only writing connection of this process. */

import { parentPort, workerData } from "node:worker_threads";
import { Connection } from "./connection.ts";
import type { FromThread, ToThread } from "./group-commit.ts";
import { packAnswers, unpackJobs } from "./job-codec.ts";
import { runBatch } from "./run-batch.ts";

const { path } = workerData as { readonly path: string };
const port = parentPort;
if (port === null) throw new Error("this file is a worker thread's");

const connection = new Connection(path, { readOnly: false });

port.on("message", (message: ToThread) => {
  if ("close" in message) {
    connection.close();
    port.close();
    return;
  }
  const jobs = unpackJobs(message.jobs);
  void runBatch(connection, jobs).then((answers) =>
    port.postMessage({ answers: packAnswers(jobs, answers) } satisfies FromThread),
  );
});
port.postMessage({ ready: true } satisfies FromThread);
