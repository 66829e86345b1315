import { EventEmitter, once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TrustedProxies } from "../../src/http/connections/client-address.ts";
import { connectionOf } from "../../src/http/connections/connection.ts";
import {
  ANSWER_RATE,
  ANSWER_TIME,
  type ConnectionReason,
  Connections,
  MAX_CONNECTIONS,
} from "../../src/http/connections/connection-limits.ts";

const PROXY = "198.51.100.1";
let closed: ConnectionReason[];
let time: number;

function connectionsOf(): Connections {
  return new Connections({
    proxies: new TrustedProxies([PROXY]),
    closed: (reason) => closed.push(reason),
    now: () => time,
  });
}

beforeEach(() => {
  closed = [];
  time = 1_000;
});

/** A socket with any address, because real ones come only from this machine. */
class FarSocket extends EventEmitter {
  readonly localAddress = "192.0.2.1";
  readonly localPort = 443;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly writableLength = 0;
  readonly bytesWritten = 0;
  destroyed = false;
  /** True: the test decides when the socket closes, as the system does. */
  slow = false;

  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    if (!this.slow) this.emit("close");
  }
}

describe("too many connections", () => {
  let connections: Connections;
  let listener: EventEmitter;
  let sockets: FarSocket[];
  const begin = (most = Number.POSITIVE_INFINITY) => {
    connections = connectionsOf();
    listener = new EventEmitter();
    sockets = [];
    connections.guard(listener as unknown as Server, most);
  };
  beforeEach(() => begin());
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
  });

  function from(address: string): FarSocket {
    const socket = new FarSocket(address, 1024 + sockets.length);
    sockets.push(socket);
    listener.emit("connection", socket);
    return socket;
  }
  const stateOf = (socket: FarSocket) => connectionOf(socket as unknown as Socket);
  const busyFrom = (address: string) => {
    const socket = from(address);
    stateOf(socket).current = { raw: {}, response: {}, start: () => undefined } as never;
    return socket;
  };
  const gone = () => sockets.filter(({ destroyed }) => destroyed).length;

  test("of one IPv4 address → the bound; its neighbour is another client", () => {
    for (let at = 0; at < MAX_CONNECTIONS.client + 2; at += 1) from("203.0.113.7");
    from("203.0.113.8");
    expect(closed).toEqual(["client", "client"]);
    expect(sockets.map(({ destroyed }) => destroyed).slice(0, 3)).toEqual([true, true, false]);
    expect(connections.open).toBe(MAX_CONNECTIONS.client + 1);
  });

  test("of one IPv6 /64, whatever the address in it → the bound", () => {
    for (let at = 0; at <= MAX_CONNECTIONS.client; at += 1) from(`2001:db8:1:1::${at.toString(16)}`);
    expect(closed).toEqual(["client"]);
  });

  test("of one IPv6 /48, one in each of its /64 → the wider bound; another /48 has its own", () => {
    for (let at = 0; at <= MAX_CONNECTIONS.network; at += 1) from(`2001:db8:1:${at.toString(16)}::1`);
    from("2001:db8:2::1");
    expect(closed).toEqual(["network"]);
  });

  test("in all → fewer where the process may open fewer files", () => {
    begin(100);
    for (let at = 0; at <= 100; at += 1) from(`203.0.113.${at}`);
    expect(closed).toEqual(["all"]);
  });

  test("used ones, busy ones and a proxy's → the first other one is closed", () => {
    begin(4);
    const [used, busy, proxy, silent] = [from("203.0.113.1"), from("203.0.113.2"), from(PROXY), from("203.0.113.3")];
    stateOf(used).used = true;
    stateOf(busy).current = { raw: {}, response: {}, start: () => undefined } as never;
    const newer = from("203.0.113.4");
    expect([used, busy, proxy, silent].map(({ destroyed }) => destroyed)).toEqual([false, false, false, true]);
    // `used` made no request since the last search, so it is closed now.
    stateOf(newer).used = true;
    from("203.0.113.5");
    expect([used, busy, proxy, newer].map(({ destroyed }) => destroyed)).toEqual([true, false, false, false]);
  });

  test("all of them in use, by as many clients → the new one is closed, and no other", () => {
    begin(3);
    for (let at = 0; at < 3; at += 1) stateOf(from(`203.0.113.${at}`)).used = true;
    const late = from("203.0.113.9");
    expect([late.destroyed, gone()]).toEqual([true, 1]);
  });

  test.each([
    ["one client's", () => "203.0.113.1"],
    ["one /48's", (at: number) => `2001:db8:1:${at.toString(16)}::1`],
  ])("all of them in use, most of them %s → others come in, each in the place of one of those", (_whose, of) => {
    begin(300);
    const other = busyFrom("198.51.100.9");
    const crowd = Array.from({ length: 299 }, (_, at) => busyFrom(of(at)));
    const late = Array.from({ length: 100 }, (_, at) => busyFrom(`192.0.${at}.2`));
    expect([other, ...late].filter(({ destroyed }) => destroyed)).toEqual([]);
    expect(crowd.filter(({ destroyed }) => destroyed)).toHaveLength(100);
    expect(connections.open).toBe(300);
  });

  test("all of a /48's in use, by a few of its /64 → its other /64 come in, each in the place of one of those", () => {
    const crowd = Array.from({ length: MAX_CONNECTIONS.network }, (_, at) => busyFrom(`2001:db8:1:${at % 4}::1`));
    const neighbours = Array.from({ length: 100 }, (_, at) => busyFrom(`2001:db8:1:${(100 + at).toString(16)}::1`));
    expect(neighbours.filter(({ destroyed }) => destroyed)).toEqual([]);
    expect(crowd.filter(({ destroyed }) => destroyed)).toHaveLength(100);
    // The four networks have equal priority.
    for (let at = 0; at < 4; at += 1) expect(busyFrom(`2001:db8:1:${at}::1`).destroyed).toBe(true);
  });

  test("all of them in use, most of them one /48's, in it a few /64's → of those one is closed, and not their neighbours'", () => {
    begin(300);
    const neighbours = Array.from({ length: 20 }, (_, at) => busyFrom(`2001:db8:1:${(100 + at).toString(16)}::1`));
    const crowd = Array.from({ length: 280 }, (_, at) => busyFrom(`2001:db8:1:${at % 3}::1`));
    const [late, neighbour] = [busyFrom("203.0.113.9"), busyFrom("2001:db8:1:ffff::1")];
    expect([late, neighbour, ...neighbours].filter(({ destroyed }) => destroyed)).toEqual([]);
    expect(crowd.filter(({ destroyed }) => destroyed)).toHaveLength(2);
  });

  test("all of them in use, two of each /48 of one /32 → others come in, each in the place of one of those", () => {
    begin(300);
    const crowd = Array.from({ length: 298 }, (_, at) => busyFrom(`2001:db8:${(at >> 1).toString(16)}:1::${at}`));
    const others = [busyFrom("198.51.100.9"), busyFrom("2001:db9:1::1")];
    const late = Array.from({ length: 50 }, (_, at) => busyFrom(at % 2 === 0 ? `192.0.${at}.2` : `2a00:${at}::1`));
    expect([...others, ...late].filter(({ destroyed }) => destroyed)).toEqual([]);
    expect(crowd.filter(({ destroyed }) => destroyed)).toHaveLength(50);
  });

  test("all of them in use, most of them one /32's, in it one /48's, in it a few /64's → of those one is closed, and no neighbour's", () => {
    begin(300);
    const providers = Array.from({ length: 20 }, (_, at) => busyFrom(`2001:db8:${(100 + at).toString(16)}::1`));
    const neighbours = Array.from({ length: 20 }, (_, at) => busyFrom(`2001:db8:1:${(100 + at).toString(16)}::1`));
    const crowd = Array.from({ length: 260 }, (_, at) => busyFrom(`2001:db8:1:${at % 3}::1`));
    const late = ["203.0.113.9", "2001:db8:ffff::1", "2001:db8:1:ffff::1"].map(busyFrom);
    expect([...late, ...providers, ...neighbours].filter(({ destroyed }) => destroyed)).toEqual([]);
    expect(crowd.filter(({ destroyed }) => destroyed)).toHaveLength(3);
  });

  test("an office of 40 behind one IPv4 address, and a flood from 80 addresses of one /24 → the flood loses its own", () => {
    begin(200);
    const office = Array.from({ length: 40 }, () => busyFrom("198.51.100.9"));
    for (let at = 0; at < 2_000; at += 1) busyFrom(`203.0.113.${at % 80}`);
    expect(office.filter(({ destroyed }) => destroyed)).toEqual([]);
    // A /24 alone has no limit while there are free connections.
    begin();
    for (let at = 0; at < 2 * MAX_CONNECTIONS.network; at += 1) from(`203.0.113.${at % 250}`);
    expect(gone()).toBe(0);
  });

  test("a socket that says again that it was closed → the count of its client stays right", () => {
    begin(2);
    const first = from("203.0.113.1");
    first.destroy();
    const second = from("203.0.113.1");
    first.emit("close");
    expect([second.destroyed, connections.open]).toEqual([false, 1]);
    from("203.0.113.1");
    from("203.0.113.1");
    expect(connections.open).toBe(2);
  });

  test("a socket that this server closed says so when its client has come back → the count of its client stays right", () => {
    begin(MAX_CONNECTIONS.client + 1);
    const first = from("203.0.113.1");
    first.slow = true;
    for (let at = 0; at <= MAX_CONNECTIONS.client; at += 1) from(`192.0.${at >> 8}.${at & 255}`);
    expect([first.destroyed, gone()]).toEqual([true, 1]);
    from("203.0.113.1");
    first.emit("close");
    for (let at = 0; at < MAX_CONNECTIONS.client; at += 1) from("203.0.113.1");
    expect(closed.filter((reason) => reason === "client")).toHaveLength(1);
  });

  test("all of them in use, most of them a proxy's → others come in, each in the place of one of a crowd that is no proxy's", () => {
    begin(400);
    const proxy = Array.from({ length: 250 }, () => busyFrom(PROXY));
    const crowd = Array.from({ length: 150 }, () => busyFrom("203.0.113.1"));
    const late = Array.from({ length: 50 }, (_, at) => busyFrom(`192.0.${at}.2`));
    expect([...proxy, ...late].filter(({ destroyed }) => destroyed)).toEqual([]);
    expect(crowd.filter(({ destroyed }) => destroyed)).toHaveLength(50);
  });

  test("closed by their clients → room again", () => {
    begin(2);
    for (let at = 0; at < 10; at += 1) from("203.0.113.1").destroy();
    expect([closed, connections.open]).toEqual([[], 0]);
  });
});

describe("bytes that a client does not read", () => {
  const BYTES = 64 * 1_048_576;
  let server: Server;
  let client: Socket;
  beforeEach(async () => {
    server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.write(Buffer.alloc(BYTES));
    });
    connectionsOf().guard(server, Number.POSITIVE_INFINITY);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    client.on("error", () => undefined).pause();
    await once(client, "connect");
  });
  afterEach(() => {
    client.destroy();
    server.close();
  });

  test("→ the connection is closed when the time that they have earned is over, and not before", async () => {
    const looks = () => new Promise((resolve) => setTimeout(resolve, 1_100));
    await looks();
    time += ANSWER_TIME + 1_000;
    await looks();
    expect(closed).toEqual([]);
    time += (BYTES / ANSWER_RATE) * 1_000;
    await expect.poll(() => closed).toEqual(["answer_time"]);
  });

  test("but a client that reads → not closed", async () => {
    let read = 0;
    client.on("data", (chunk) => {
      read += chunk.length;
    });
    client.resume();
    await expect.poll(() => read).toBe(BYTES);
    time += ANSWER_TIME + (BYTES / ANSWER_RATE) * 1_000;
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(closed).toEqual([]);
  });
});
