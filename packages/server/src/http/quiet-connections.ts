/** Ends connections on which nobody has said anything for a while (RFC 9112 §9.8). */

import type { Socket } from "node:net";

export interface QuietParts {
  /** Milliseconds that a connection may be quiet; it ends up to `every` later. */
  readonly after: number;
  readonly every: number;
  /** A clock that nobody sets, in milliseconds. */
  now(): number;
}

interface Seen {
  bytes: number;
  /** Since when it has been so many. */
  since: number;
}

/**
 * Looks at all connections from time to time. node:http's own way is a timer that each answer sets and each request takes back: a microsecond for
 * every request of a busy connection, so that a quiet one ends to the second.
 */
export class QuietConnections {
  readonly #parts: QuietParts;
  readonly #open = new Map<Socket, Seen>();
  readonly #timer: NodeJS.Timeout;

  constructor(parts: QuietParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#look(), parts.every);
    this.#timer.unref();
  }

  readonly watch = (socket: Socket): void => {
    this.#open.set(socket, { bytes: 0, since: this.#parts.now() });
    socket.once("close", () => this.#open.delete(socket));
  };

  end(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { now, after } = this.#parts;
    const at = now();
    for (const [socket, seen] of this.#open) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (bytes !== seen.bytes) {
        seen.bytes = bytes;
        seen.since = at;
      } else if (at - seen.since >= after) {
        socket.destroy();
      }
    }
  }
}
