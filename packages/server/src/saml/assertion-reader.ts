/** Reads assertions: small ones immediately, large ones in a thread, so that no other request waits for them. */

import { Worker } from "node:worker_threads";
import type { SamlReader, SamlReading } from "../oauth/saml-assertion-model.ts";
import type { CertificatesOf } from "./verify-assertion.ts";

/** Bytes of XML, and number of tags. Below both limits, an assertion takes a few milliseconds. */
const LARGE = { bytes: 16_384, tags: 300 } as const;
/** Milliseconds. The largest assertion takes less, even on a busy machine. */
const PATIENCE = 5000;
/** Maximum number of large assertions that wait for the thread. Together they take less time than the limit above. */
const MAX_WAITING = 16;

const threadFile = import.meta.url.endsWith(".ts") ? "./assertion-reader-thread.ts" : "./reader-thread.js";

interface Waiting {
  readonly resolve: (reading: SamlReading) => void;
  readonly timer: NodeJS.Timeout;
}

/** Reads assertions. `close` ends the thread if it was started. */
export class AssertionReader implements SamlReader {
  #thread: Worker | undefined;
  #count = 0;
  readonly #waiting = new Map<number, Waiting>();

  async read(encoded: string, certificatesOf: CertificatesOf): Promise<SamlReading> {
    if (!isLarge(encoded)) {
      // Loaded with the first assertion, because most servers never get one.
      const { readAssertion } = await import("./verify-assertion.ts");
      return readAssertion(encoded, certificatesOf);
    }
    if (this.#waiting.size >= MAX_WAITING) return overloaded("too many large assertions at once");
    const thread = this.#start();
    this.#count += 1;
    const id = this.#count;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end(thread), PATIENCE);
      timer.unref();
      this.#waiting.set(id, { resolve, timer });
      thread.postMessage({ id, encoded, certificatesOf });
    });
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #start(): Worker {
    if (this.#thread !== undefined) return this.#thread;
    const thread = new Worker(new URL(threadFile, import.meta.url));
    thread.unref();
    thread.on("message", ({ id, reading }: { id: number; reading: SamlReading }) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      clearTimeout(waiting?.timer);
      waiting?.resolve(reading);
    });
    // If the thread dies, the assertion that it was reading fails. The next assertion starts a new thread.
    thread.on("error", () => this.#forget(thread));
    thread.on("exit", () => this.#forget(thread));
    this.#thread = thread;
    return thread;
  }

  #end(thread: Worker): void {
    void thread.terminate();
    this.#forget(thread);
  }

  #forget(thread: Worker): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    for (const { resolve, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      resolve(overloaded("the thread that reads large assertions ended"));
    }
    this.#waiting.clear();
  }
}

function isLarge(encoded: string): boolean {
  const bytes = Buffer.from(encoded, "base64url");
  if (bytes.length > LARGE.bytes) return true;
  let tags = 0;
  for (const byte of bytes) if (byte === 0x3c) tags += 1;
  return tags > LARGE.tags;
}

function overloaded(detail: string): SamlReading {
  return { kind: "refused", condition: "temporarily_unavailable", detail };
}
