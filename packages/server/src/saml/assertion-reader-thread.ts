/** The thread that reads large assertions, one after the other, in the order of their arrival. */

import { parentPort } from "node:worker_threads";
import { type CertificatesOf, readAssertion } from "./verify-assertion.ts";

interface Task {
  readonly id: number;
  readonly encoded: string;
  readonly certificatesOf: CertificatesOf;
}

parentPort?.on("message", ({ id, encoded, certificatesOf }: Task) => {
  parentPort?.postMessage({ id, reading: readAssertion(encoded, certificatesOf) });
});
