/**
 * A program with clients that send almost nothing, from several addresses of this machine, and connect again when they
 * are cut off. `node slow-clients.ts PORT SOCKETS ADDRESS…` prints a line when all are connected, and ends when its
 * standard input ends.
 */

import { connect } from "node:net";

const [port, sockets, ...addresses] = process.argv.slice(2);
/** Milliseconds until a client that was cut off connects again. */
const AGAIN = 4_000;
/** Number of clients that connect at a time, so that the kernel's queue of new connections has room for others. */
const AT_ONCE = 50;

const HEAD =
  "POST /token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n";

/** What clients send first, and what they send every second after that. */
const KINDS = [
  // Headers without a body.
  { first: `${HEAD}\r\n`, later: "" },
  // One letter of the body at a time.
  { first: `${HEAD}\r\n`, later: "x" },
  // Nothing.
  { first: "", later: "" },
  // One header at a time.
  { first: HEAD, later: "X-A: b\r\n" },
  // A complete request, then half a line.
  { first: "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\nGET /log", later: "" },
] as const;

const connected = new Set<number>();

function slow(at: number): void {
  const kind = KINDS[at % KINDS.length];
  const localAddress = addresses[at % addresses.length];
  const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress });
  const timer = setInterval(() => kind?.later && socket.writable && socket.write(kind.later), 1_000);
  socket.on("error", () => undefined);
  socket.on("connect", () => {
    connected.add(at);
    if (connected.size === Number(sockets)) process.stdout.write("connected\n");
    if (kind?.first) socket.write(kind.first);
  });
  socket.on("close", () => {
    clearInterval(timer);
    setTimeout(() => slow(at), AGAIN);
  });
  socket.resume();
}

process.stdin.on("end", () => process.exit(0)).resume();
for (let at = 0; at < Number(sockets); at += 1) {
  slow(at);
  if (at % AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}
