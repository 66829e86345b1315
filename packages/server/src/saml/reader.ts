/** Where assertions are read: small ones at once, large ones in a thread, so that nobody else waits for them. */

import { Worker } from "node:worker_threads";
import type { SamlReader, SamlReading } from "../oauth/saml-assertion.ts";
import type { CertificatesOf } from "./assertion.ts";

/** Bytes of XML, and tags in it: below both, an assertion takes some milliseconds. */
const LARGE = { bytes: 16_384, tags: 300 } as const;
/** Longer than the largest assertion takes on a busy machine. */
const PATIENCE = 5000;
/** Large assertions that wait for the thread; together they take less than the patience. */
const MAX_WAITING = 16;

const threadFile = import.meta.url.endsWith(".ts") ? "./reader-thread.ts" : "./reader-thread.js";

interface Waiting {
  readonly resolve: (reading: SamlReading) => void;
  readonly timer: NodeJS.Timeout;
}

/** Reads assertions; `close` ends the thread, if one was needed. */
export class AssertionReader implements SamlReader {
  #thread: Worker | undefined;
  #count = 0;
  readonly #waiting = new Map<number, Waiting>();

  async read(encoded: string, certificatesOf: CertificatesOf): Promise<SamlReading> {
    if (!isLarge(encoded)) {
      // Loaded when the first assertion comes: most servers never see one.
      const { readAssertion } = await import("./assertion.ts");
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
    // A thread that died, for whatever reason, takes along what it was working on; the next assertion gets a new one.
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
