/** Faults that tests cause outside the product: a full file system, a stopped process, a cut connection. */

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, statSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";

/**
 * From now on, no file of this process can grow beyond `bytes`; undefined removes the limit. Needs no privileges: the
 * system refuses the write (EFBIG), which looks like a full disk to the process.
 */
export function limitFiles(pid: number, bytes: number | undefined): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes ?? "unlimited"}:`]);
}

/** False: `limitFiles` does not work on this machine. */
export function canLimitFiles(): boolean {
  try {
    execFileSync("prlimit", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The size of the largest of the database's files. */
export function largestFile(dataDir: string): number {
  const sizes = ["", "-wal", "-shm"].map(
    (end) => statSync(join(dataDir, `assent.db${end}`), { throwIfNoEntry: false })?.size ?? 0,
  );
  return Math.max(...sizes);
}

/** Copies the database's files in the state of one instant. The process is stopped during the copy. */
export function copyAtOnce(pid: number, dataDir: string, to: string): void {
  process.kill(pid, "SIGSTOP");
  try {
    for (const end of ["", "-wal"]) {
      const file = join(dataDir, `assent.db${end}`);
      if (existsSync(file)) copyFileSync(file, join(to, `assent.db${end}`));
    }
  } finally {
    process.kill(pid, "SIGCONT");
  }
}

/** How a faulty network treats a connection. */
export type Weather = "fair" | "refuse" | "cut" | "silent";

/**
 * A TCP proxy with faults: `refuse` ends new connections at once, `cut` resets all connections, `silent` forwards
 * nothing and closes nothing until the next change. `delay`: milliseconds by which data from the target is held back.
 */
export class FaultyProxy {
  readonly #target: () => { readonly host: string; readonly port: number };
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #weather: Weather = "fair";
  delay = 0;

  private constructor(target: () => { host: string; port: number }) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true }, (near) => this.#join(near));
  }

  /** `target` is called for each new connection. */
  static async open(target: () => { host: string; port: number }): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  set weather(weather: Weather) {
    // Drops all data of a silent connection, so that nothing arrives late after its sender has given up.
    const lost = this.#weather === "silent" && weather !== "silent";
    this.#weather = weather;
    if (lost || weather === "cut" || weather === "refuse") {
      for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
    }
    for (const pair of this.#pairs) for (const socket of pair) weather === "silent" ? socket.pause() : socket.resume();
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(near: Socket): void {
    if (this.#weather === "refuse" || this.#weather === "cut") {
      near.resetAndDestroy();
      return;
    }
    const far = connect(this.#target());
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    for (const [from, to] of [pair, [far, near]] as const) {
      from.setNoDelay(true);
      from.on("data", (bytes: Buffer) => this.#pass(bytes, to, from === far ? this.delay : 0));
      from.on("end", () => to.end());
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#pairs.delete(pair);
        to.destroy();
      });
    }
    if (this.#weather === "silent") for (const socket of pair) socket.pause();
  }

  #pass(bytes: Buffer, to: Socket, delay: number): void {
    if (delay === 0) to.write(bytes);
    else setTimeout(() => to.writable && to.write(bytes), delay);
  }
}
