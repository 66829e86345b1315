/**
 * Slow clients: bodies and answers that don't get through, many connections, queued requests (RFC 9110 §15.5.9; RFC
 * 9112 §9.3).
 */

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_PIPELINED } from "../../packages/server/src/http/connections/connection.ts";
import { ANSWER_TIME, MAX_CONNECTIONS } from "../../packages/server/src/http/connections/connection-limits.ts";
import { BODY_RATE, BODY_TIME, MAX_SLOW } from "../../packages/server/src/http/connections/slow-request-limits.ts";
import { LazyPages } from "../../packages/server/src/http/lazy-pages.ts";
import { type AssentServer, configOf, createAssent, type Listening, listen } from "../../packages/server/src/index.ts";
import { aCertificate } from "../support/make-certificates.ts";

/** The address of the proxy in these tests. */
const PROXY = "127.0.0.9";

let assent: AssentServer;
let listening: Listening;
let dataDir: string;
/** The server's clock is ahead by this number of milliseconds. */
let ahead = 0;
let clients: Client[];

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "assent-"));
  const config = configOf({ dataDir, listen: { host: "127.0.0.1", port: 0 }, trustProxy: [PROXY] });
  const monotonic = () => performance.now() + ahead;
  assent = await createAssent(config, { log: pino({ level: "silent" }), monotonic });
  listening = await listen(assent);
  clients = [];
});
afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  await listening.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

class Client {
  readonly socket: Socket;
  text = "";
  closed = false;

  constructor(bytes: string, localAddress = "127.0.0.1") {
    this.socket = connect({ port: listening.port, host: "127.0.0.1", localAddress });
    this.socket.on("data", (chunk) => {
      this.text += chunk.toString("latin1");
    });
    this.socket.on("error", () => undefined);
    this.socket.on("close", () => {
      this.closed = true;
    });
    if (bytes !== "") this.socket.write(bytes);
    clients.push(this);
  }

  get statuses(): readonly number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
  }
}

const many = (count: number, make: (at: number) => Client) => Array.from({ length: count }, (_, at) => make(at));

/** The head of a form with a body of this length. It sends no byte of the body. */
function head(length: number, more = ""): string {
  return `POST /token HTTP/1.1\r\nHost: a\r\n${more}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\n`;
}
/** The form of an unknown client. */
const FORM = "grant_type=x";
const LIVE = "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n";
const throughProxy = (address: string) => () => new Client(head(9, `X-Forwarded-For: ${address}\r\n`), PROXY);

async function figure(name: string, reason?: string): Promise<number> {
  const family = (await assent.measure()).find((one) => one.name === name);
  const samples = family?.samples.filter(({ labels }) => reason === undefined || labels["reason"] === reason) ?? [];
  return samples.reduce((sum, { value }) => sum + value, 0);
}
const unread = () => figure("assent_http_requests_unread");
const open = () => figure("assent_connections_open");
const shed = (reason: string) => figure("assent_requests_shed_total", reason);
const refused = (list: readonly Client[]) => list.filter(({ closed }) => closed).length;

describe("a body that does not come", () => {
  test("→ 408 when its time is over, and the connection is closed; nothing is under way meanwhile", async () => {
    const client = new Client(head(9));
    await expect.poll(unread).toBe(1);
    expect(await figure("assent_http_requests_under_way")).toBe(0);
    ahead += BODY_TIME;
    await expect.poll(() => client.closed).toBe(true);
    expect(client.statuses).toEqual([408]);
    expect(client.text).toMatch(/\r\nconnection: close\r\n/i);
    expect(client.text).toContain('"error_uri"');
    expect(await shed("body_time")).toBe(1);
    expect(await unread()).toBe(0);
  });

  test("a letter now and then → no more time", async () => {
    const client = new Client(`${head(9)}a`);
    await expect.poll(unread).toBe(1);
    client.socket.write("=");
    ahead += BODY_TIME;
    await expect.poll(() => client.closed).toBe(true);
    expect(client.statuses).toEqual([408]);
  });

  test("one that comes slowly but well → as much time as its bytes have earned", async () => {
    const length = 4 * 3 * BODY_RATE;
    const client = new Client(head(length));
    await expect.poll(unread).toBe(1);
    for (let part = 0; part < 4; part += 1) {
      await new Promise((resolve) => client.socket.write("a".repeat(length / 4), resolve));
      // Together this is twice the time limit for a body without a minimum rate.
      ahead += BODY_TIME / 2;
    }
    await expect.poll(() => client.statuses).toEqual([400]);
    expect(client.closed).toBe(false);
  });

  test("that comes after all, while its refusal is being made → the refusal is the only answer, and no place stays taken", async () => {
    // The error page waits for its files, as it does right after a start.
    const files = Promise.withResolvers<void>();
    const { load } = LazyPages.prototype;
    LazyPages.prototype.load = async function (this: LazyPages) {
      await files.promise;
      return load.call(this);
    };
    try {
      const client = new Client(head(FORM.length, "Accept: text/html\r\n").replace("/token", "/login"));
      await expect.poll(unread).toBe(1);
      ahead += BODY_TIME;
      await expect.poll(() => shed("body_time")).toBe(1);
      client.socket.write(FORM);
      const other = new Client(LIVE);
      await expect.poll(() => other.statuses).toEqual([200]);
      files.resolve();
      await expect.poll(() => client.closed).toBe(true);
      expect(client.statuses).toEqual([408]);
      expect(await figure("assent_http_requests_under_way")).toBe(0);
    } finally {
      files.resolve();
      LazyPages.prototype.load = load;
    }
  });

  test("of a request that has its answer → the connection is closed without another one", async () => {
    const client = new Client("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n");
    await expect.poll(() => client.statuses).toEqual([404]);
    await expect.poll(unread).toBe(1);
    ahead += BODY_TIME;
    await expect.poll(() => client.closed).toBe(true);
    expect(client.statuses).toEqual([404]);
  });

  test("of a request that has its answer, and the client goes away → its place is given back at once", async () => {
    const client = new Client("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n");
    await expect.poll(() => client.statuses).toEqual([404]);
    await expect.poll(unread).toBe(1);
    client.socket.destroy();
    // Must happen long before the time limit of a body.
    await expect.poll(unread, { timeout: BODY_TIME / 2 }).toBe(0);
    expect(await shed("body_time")).toBe(0);
  });

  test("Expect: 100-continue → told to go on, then as any other", async () => {
    const [silent, good] = [
      new Client(head(9, "Expect: 100-continue\r\n")),
      new Client(head(FORM.length, "Expect: 100-continue\r\n")),
    ];
    await expect.poll(() => good.statuses).toEqual([100]);
    good.socket.write(FORM);
    await expect.poll(() => good.statuses).toEqual([100, 401]);
    await expect.poll(unread).toBe(1);
    ahead += BODY_TIME;
    await expect.poll(() => silent.closed).toBe(true);
    expect(silent.statuses).toEqual([100, 408]);
  });

  test("the client goes away → nothing is left", async () => {
    const [gone, half] = [new Client(head(9)), new Client(head(9))];
    await expect.poll(unread).toBe(2);
    gone.socket.destroy();
    half.socket.end();
    await expect.poll(unread).toBe(0);
    await expect.poll(open).toBe(0);
    await expect.poll(() => half.statuses).toEqual([400]);
  });
});

describe("over TLS", () => {
  test("a body that does not come → 408; nothing is left of that connection or of one without a handshake", async () => {
    const site = aCertificate({ subject: "/CN=login.test", names: "DNS:login.test" });
    const folder = mkdtempSync(join(tmpdir(), "assent-"));
    const tls = { issuer: "https://login.test", tlsCert: site.certPath, tlsKey: site.keyPath };
    const config = configOf({ ...tls, dataDir: folder, listen: { host: "127.0.0.1", port: 0 } });
    const monotonic = () => performance.now() + ahead;
    const secure = await createAssent(config, { log: pino({ level: "silent" }), monotonic });
    const { port, stop } = await listen(secure);
    const count = async () =>
      (await secure.measure()).find(({ name }) => name === "assent_connections_open")?.samples[0]?.value;
    let text = "";
    const bare = connect(port, "127.0.0.1").on("error", () => undefined);
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.write(head(9));
    await expect.poll(count).toBe(2);
    const closed = once(socket, "close");
    await expect
      .poll(async () => {
        ahead += BODY_TIME;
        return text;
      })
      .toContain("HTTP/1.1 408 ");
    await closed;
    await expect.poll(count).toBe(1);
    bare.destroy();
    await expect.poll(count).toBe(0);
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
});

describe("too many bodies that do not come", () => {
  test("of one client → its oldest is closed with 503 and Retry-After; others have a share of their own", async () => {
    const other = new Client(head(9), "127.0.0.3");
    const [oldest] = many(1, () => new Client(head(9), "127.0.0.2"));
    await expect.poll(unread).toBe(2);
    const rest = many(MAX_SLOW.client, () => new Client(head(9), "127.0.0.2"));
    await expect.poll(() => oldest?.closed).toBe(true);
    expect(oldest?.statuses).toEqual([503]);
    expect(oldest?.text).toMatch(/\r\nretry-after: \d+\r\n/i);
    expect(oldest?.text).toMatch(/\r\nconnection: close\r\n/i);
    expect([refused(rest), other.closed]).toEqual([0, false]);
    expect(await shed("unread_client")).toBe(1);
    // A client whose body arrives doesn't count as slow, even if others at its address are.
    const good = new Client(head(FORM.length), "127.0.0.2");
    good.socket.write(FORM);
    await expect.poll(() => good.statuses).toEqual([401]);
  });

  test("behind a trusted proxy → counted for the client that it names", async () => {
    const flood = many(MAX_SLOW.client + 5, throughProxy("203.0.113.7"));
    const other = many(MAX_SLOW.client, throughProxy("203.0.113.8"));
    await expect.poll(() => refused(flood)).toBe(5);
    await expect.poll(() => shed("unread_client")).toBe(5);
    expect(refused(other)).toBe(0);
  });

  test("an address that somebody else names → not believed", async () => {
    const flood = many(MAX_SLOW.client + 5, (at) => new Client(head(9, `X-Forwarded-For: 203.0.113.${at}\r\n`)));
    await expect.poll(() => refused(flood)).toBe(5);
  });

  test("of one IPv6 network → counted by /64 and by /48", async () => {
    const one = many(MAX_SLOW.client + 3, (at) => throughProxy(`2001:db8:1:1::${at + 1}`)());
    await expect.poll(() => refused(one)).toBe(3);
    // Each of these is in another /64. The first /64 has the most connections, so the server closes all of them first.
    const wide = many(MAX_SLOW.network, (at) => throughProxy(`2001:db8:1:${(at + 2).toString(16)}::1`)());
    await expect.poll(() => refused(one)).toBe(one.length);
    expect(await shed("unread_network")).toBe(MAX_SLOW.client);
    expect(refused(wide)).toBe(0);
  });

  test("of everybody → the oldest of those who have the most is closed, and whoever sends a whole request is answered", async () => {
    const all = many(MAX_SLOW.all + 10, (at) => throughProxy(`198.51.100.${at % 50}`)());
    await expect.poll(() => refused(all)).toBe(10);
    expect(await shed("unread_all")).toBe(10);
    const good = new Client(`${head(FORM.length)}${FORM}`);
    await expect.poll(() => good.statuses).toEqual([401]);
  });
});

describe("connections", () => {
  test("more than one address may have → the one that was unused for the longest time makes room", async () => {
    const used = new Client(LIVE, "127.0.0.2");
    await expect.poll(() => used.statuses).toEqual([200]);
    const silent = many(MAX_CONNECTIONS.client - 1, () => new Client("", "127.0.0.2"));
    await expect.poll(open).toBe(MAX_CONNECTIONS.client);
    const others = [new Client(LIVE, "127.0.0.3"), new Client(LIVE, "127.0.0.2")];
    await expect.poll(() => others.map(({ statuses }) => statuses)).toEqual([[200], [200]]);
    await expect.poll(() => silent[0]?.closed).toBe(true);
    expect([refused(silent), used.closed]).toEqual([1, false]);
    expect(await figure("assent_connections_closed_total", "client")).toBe(1);
  });

  test("of a trusted proxy → not bounded by its address", async () => {
    const all = many(MAX_CONNECTIONS.client + 50, () => new Client("", PROXY));
    await expect.poll(open).toBe(MAX_CONNECTIONS.client + 50);
    expect(refused(all)).toBe(0);
  });
});

describe("answers that are not read", () => {
  /** Number of requests whose answers don't fit into the system's buffers if the client doesn't read. */
  const LONG = 400;

  test("→ no place is held; the connection ends when its time is over", async () => {
    const page = await fetch(`http://127.0.0.1:${listening.port}/login`, { headers: { accept: "text/html" } });
    const style = /\/assets\/[^"]+\.css/.exec(await page.text())?.[0];
    const client = new Client("");
    client.socket.pause();
    const one = `GET ${style} HTTP/1.1\r\nHost: a\r\n\r\n`;
    // Sends small pieces, because the server refuses more than a few requests that arrive together.
    for (let at = 0; at < LONG; at += 1)
      await new Promise((resolve) => client.socket.write(one, () => setImmediate(resolve)));
    // The time limit starts when the server notices that its answer isn't read. Too many queued requests also end the
    // connection.
    const places: number[] = [];
    const closed = async () => {
      ahead += ANSWER_TIME;
      places.push(await figure("assent_http_requests_under_way"));
      return figure("assent_connections_closed_total");
    };
    await expect.poll(closed, { interval: 1_200, timeout: 20_000 }).toBe(1);
    expect(places.at(-1)).toBe(0);
    await expect.poll(open).toBeLessThanOrEqual(1);
  });
});

describe("requests in a queue", () => {
  test("behind one another → answered in their order, one at a time", async () => {
    const client = new Client(`GET /login HTTP/1.1\r\nHost: a\r\n\r\n${LIVE}${head(FORM.length)}${FORM}${LIVE}`);
    await expect.poll(() => client.statuses).toEqual([200, 200, 401, 200]);
    expect(client.closed).toBe(false);
  });

  test(`more than ${MAX_PIPELINED} behind one → the connection is closed`, async () => {
    const full = new Client(`GET /login HTTP/1.1\r\nHost: a\r\n\r\n${LIVE.repeat(MAX_PIPELINED)}`);
    await expect.poll(() => full.statuses.length).toBe(MAX_PIPELINED + 1);
    const over = new Client(`GET /login HTTP/1.1\r\nHost: a\r\n\r\n${LIVE.repeat(MAX_PIPELINED + 1)}`);
    await expect.poll(() => over.closed).toBe(true);
    expect(await figure("assent_connections_closed_total", "pipelined")).toBe(1);
    await expect.poll(() => figure("assent_http_requests_under_way")).toBe(0);
  });

  test("CONNECT of a client that is gone before its answer → the server goes on", async () => {
    // The write fails only if the client's reset arrives before it.
    for (let times = 0; times < 200; times += 1) {
      const socket = connect(listening.port, "127.0.0.1").on("error", () => undefined);
      await once(socket, "connect");
      socket.write("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n");
      socket.resetAndDestroy();
    }
    await expect.poll(open).toBe(0);
    const answered = new Client("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n");
    await expect.poll(() => answered.closed).toBe(true);
    expect(answered.statuses).toEqual([405]);
  });

  test("behind a request whose answer ends the connection → not worked on", async () => {
    const client = new Client(`GET /health/live HTTP/1.1\r\n\r\n${LIVE}`);
    await expect.poll(() => client.closed).toBe(true);
    expect(client.statuses).toEqual([400]);
    expect(await figure("assent_http_requests_total")).toBe(0);
  });

  test("garbage behind a request → its answer, then 400, then the end", async () => {
    const client = new Client("GET /login HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n");
    await expect.poll(() => client.closed).toBe(true);
    expect(client.statuses).toEqual([200, 400]);
  });

  test("garbage in a body behind a request → its answer, then 400, then the end", async () => {
    const chunked = "POST /token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n";
    const [behind, alone] = [new Client(`GET /login HTTP/1.1\r\nHost: a\r\n\r\n${chunked}`), new Client(chunked)];
    await expect.poll(() => behind.closed && alone.closed).toBe(true);
    expect([behind.statuses, alone.statuses]).toEqual([[200, 400], [400]]);
  });

  test("garbage in a body whose request has its answer → nothing more", async () => {
    const client = new Client("POST /nowhere HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    await expect.poll(() => client.statuses).toEqual([404]);
    client.socket.write("xyz\r\n");
    await expect.poll(() => client.closed).toBe(true);
    expect(client.statuses).toEqual([404]);
  });
});
