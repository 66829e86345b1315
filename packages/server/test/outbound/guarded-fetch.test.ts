/** The guarded fetcher: which addresses it requests, which it never requests, and its limits. */

import type { LookupAddress, lookup as systemLookup } from "node:dns";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { byTheClock } from "../../../../test/support/timing-test-retries.ts";
import { GuardedFetcher, MAX_PARALLEL, MAX_PARALLEL_PER_HOST } from "../../src/outbound/guarded-fetch.ts";
import { isPublicAddress } from "../../src/outbound/public-address.ts";

const now = () => performance.now();
const opened: (Server | TcpServer)[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
  }
});

/** A fetcher that may send requests to this machine. */
const local = () => new GuardedFetcher({ now, alsoAllowed: ["127.0.0.0/8", "::1"] });

async function aSite(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe("DR-04 an address that is not public", () => {
  test.each([
    ["loopback", "https://127.0.0.1/"],
    ["another loopback", "https://127.8.8.8/"],
    ["decimal", "https://2130706433/"],
    ["hexadecimal", "https://0x7f000001/"],
    ["octal", "https://0177.0.0.1/"],
    ["short", "https://127.1/"],
    ["full-width digits", "https://１２７.0.0.1/"],
    ["zero", "https://0/"],
    ["private", "https://10.0.0.1/"],
    ["private", "https://172.31.255.255/"],
    ["private", "https://192.168.1.1/"],
    ["carrier", "https://100.64.0.1/"],
    ["cloud metadata", "https://169.254.169.254/latest/meta-data/"],
    ["benchmark", "https://198.18.0.1/"],
    ["multicast", "https://224.0.0.1/"],
    ["broadcast", "https://255.255.255.255/"],
    ["IPv6 loopback", "https://[::1]/"],
    ["unspecified", "https://[::]/"],
    ["IPv4-mapped", "https://[::ffff:127.0.0.1]/"],
    ["IPv4-mapped in hexadecimal", "https://[::ffff:7f00:1]/"],
    ["NAT64", "https://[64:ff9b::7f00:1]/"],
    ["6to4", "https://[2002:7f00:1::]/"],
    ["Teredo", "https://[2001:0:7f00:1::]/"],
    ["link-local", "https://[fe80::1]/"],
    ["unique local", "https://[fd00::1]/"],
    ["IPv6 multicast", "https://[ff02::1]/"],
    ["documentation", "https://[2001:db8::1]/"],
    ["a name for it", "https://localhost/"],
  ])("%s (%s) → refused", async (_, uri) => {
    expect(await new GuardedFetcher({ now }).fetch(uri)).toMatchObject({ kind: "failed", fault: "refused" });
  });

  test.each(["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"])("%s → public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([[["10.0.0.7"]], [["93.184.215.14", "127.0.0.1"]], [["::ffff:10.0.0.7"]], [["2606:4700::1111", "::1"]]])(
    "a name that leads to %j → refused",
    async (addresses) => {
      const found: LookupAddress[] = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      const lookup = ((_name: string, _options: object, done: (error: null, found: LookupAddress[]) => void) =>
        done(null, found)) as unknown as typeof systemLookup;
      const fetched = await new GuardedFetcher({ now, lookup }).fetch("https://keys.example/jwks");
      expect(fetched).toMatchObject({ kind: "failed", fault: "refused" });
    },
  );
});

describe("another scheme or shape", () => {
  test.each([
    "http://93.184.215.14/",
    "file:///etc/passwd",
    "data:application/json,{}",
    "ftp://example.com/",
    "gopher://example.com/",
    "https://user:pass@example.com/",
    "//example.com/",
    "",
    `https://example.com/${"x".repeat(2048)}`,
  ])("%s → refused", async (uri) => {
    expect(await new GuardedFetcher({ now }).fetch(uri)).toMatchObject({ kind: "failed", fault: "refused" });
  });

  test("loopback allowed → still no http to elsewhere, no private address", async () => {
    for (const uri of ["http://93.184.215.14/", "https://10.0.0.1/", "http://169.254.169.254/"]) {
      expect(await local().fetch(uri)).toMatchObject({ fault: "refused" });
    }
  });
});

describe("an address that the operator allows", () => {
  const lookup = ((_name: string, _options: object, done: (error: null, found: LookupAddress[]) => void) =>
    done(null, [{ address: "10.0.0.7", family: 4 }])) as unknown as typeof systemLookup;

  test.each(["192.0.2.0/24", "10.0.0.0/30", "10.0.0.6", "::1", "fd00::/8"])(
    "only %s is allowed → a name that leads to 10.0.0.7 is refused",
    async (cidr) => {
      const fetcher = new GuardedFetcher({ now, lookup, alsoAllowed: [cidr] });
      expect(await fetcher.fetch("https://keys.example/jwks")).toMatchObject({ fault: "refused" });
    },
  );

  test("a private network → http is refused, also by its address", async () => {
    const fetcher = new GuardedFetcher({ now, lookup, alsoAllowed: ["10.0.0.0/8"] });
    for (const uri of ["http://10.0.0.7/", "http://127.0.0.1/", "https://127.0.0.1/"])
      expect(await fetcher.fetch(uri)).toMatchObject({ fault: "refused" });
  });

  test("one loopback address → that one alone", async () => {
    const site = await aSite((_, response) => response.end("here"));
    const one = (cidr: string) => new GuardedFetcher({ now, alsoAllowed: [cidr] }).fetch(site);
    expect(await one("127.0.0.2")).toMatchObject({ fault: "refused" });
    expect(await one("127.0.0.1/32")).toMatchObject({ kind: "fetched" });
  });
});

describe("ask", () => {
  test("an address that is not public → refused", async () => {
    const asked = await new GuardedFetcher({ now }).ask("https://127.0.0.1/", { method: "GET", headers: {} });
    expect(asked).toMatchObject({ kind: "failed", fault: "refused" });
  });

  test("a body longer than allowed, or encoded → refused", async () => {
    const long = await aSite((_, response) => response.end("x".repeat(1001)));
    expect(await local().ask(long, { method: "GET", headers: {}, maxBytes: 1000 })).toMatchObject({
      fault: "bad_answer",
    });
    const encoded = await aSite((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("x"));
    expect(await local().ask(encoded, { method: "GET", headers: {} })).toMatchObject({ fault: "bad_answer" });
  });

  test("any status, a redirect too → the answer; method, headers and body arrive", async () => {
    const site = await aSite((request, response) => {
      let body = "";
      request.on("data", (part) => {
        body += part;
      });
      request.on("end", () =>
        response
          .writeHead(307, { location: "http://127.0.0.1:1/", "x-seen": `${request.method} ${request.headers["x-a"]}` })
          .end(body),
      );
    });
    const asked = await local().ask(site, { method: "POST", headers: { "x-a": "b" }, body: "é=1" });
    expect(asked).toMatchObject({ kind: "answered", status: 307, headers: { "x-seen": "POST b" } });
    expect(asked.kind === "answered" && asked.body.toString()).toBe("é=1");
  });
});

describe("DR-04 a bad answer", () => {
  test("a redirect → not followed", async () => {
    let asked = 0;
    const target = await aSite((_, response) => {
      asked += 1;
      response.end("secret");
    });
    for (const status of [301, 302, 303, 307, 308]) {
      const site = await aSite((_, response) => response.writeHead(status, { location: target }).end());
      expect(await local().fetch(site)).toMatchObject({ fault: "bad_answer", detail: `status ${status}` });
    }
    expect(asked).toBe(0);
  });

  test("another status than 200 → refused, whatever the body", async () => {
    for (const status of [201, 204, 404, 500]) {
      const site = await aSite((_, response) => response.writeHead(status).end(status === 204 ? "" : "{}"));
      expect(await local().fetch(site)).toMatchObject({ fault: "bad_answer" });
    }
  });

  test.each(["gzip", "br", "deflate", "zstd", "x-unknown"])("Content-Encoding: %s → refused", async (encoding) => {
    const site = await aSite((_, response) => response.writeHead(200, { "content-encoding": encoding }).end("x"));
    expect(await local().fetch(site)).toMatchObject({ fault: "bad_answer", detail: "an encoded body" });
  });

  test("a body longer than allowed, announced or not → refused", async () => {
    const announced = await aSite((_, response) => response.end("x".repeat(1001)));
    const chunked = await aSite((_, response) => {
      response.write("x".repeat(600));
      response.end("x".repeat(600));
    });
    for (const site of [announced, chunked]) {
      expect(await local().fetch(site, { maxBytes: 1000 })).toMatchObject({ fault: "bad_answer" });
    }
  });

  test("a body without end → given up at the limit", async () => {
    const site = await aSite((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    });
    expect(await local().fetch(site)).toMatchObject({ fault: "bad_answer", detail: "more than 1048576 bytes" });
  });

  test("headers without end → given up", async () => {
    const site = await aSite((_, response) => response.writeHead(200, { "x-long": "x".repeat(20_000) }).end());
    expect(await local().fetch(site)).toMatchObject({ kind: "failed" });
  });

  test("nobody there → unreachable; no TLS there → unreachable", async () => {
    const site = await aSite((_, response) => response.end());
    expect(await local().fetch(site.replace("http:", "https:"))).toMatchObject({ fault: "unreachable" });
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    expect(await local().fetch(`http://127.0.0.1:${port}/`)).toMatchObject({ fault: "unreachable" });
  });
});

describe("a good answer", () => {
  test("the body, its type, how long it holds; nothing of ours is told", async () => {
    let headers: object = {};
    const site = await aSite((request, response) => {
      headers = request.headers;
      response.writeHead(200, { "content-type": "Application/JSON; charset=utf-8", "cache-control": "max-age=90" });
      response.end("{}");
    });
    expect(await local().fetch(site, { accept: "application/json" })).toEqual({
      kind: "fetched",
      body: Buffer.from("{}"),
      type: "application/json",
      maxAge: 90,
    });
    expect(Object.keys(headers).sort()).toEqual(["accept", "accept-encoding", "connection", "host", "user-agent"]);
  });
});

describe("a host that doesn't answer", () => {
  test(
    "DS-12 200 fetches from tar pits → few at a time, over in 5 s, then left alone; others are served meanwhile",
    byTheClock,
    async () => {
      let connections = 0;
      const pit = createTcpServer((socket) => {
        connections += 1;
        socket.on("error", () => undefined);
      });
      opened.push(pit);
      await new Promise<void>((resolve) => pit.listen(0, "127.0.0.1", resolve));
      const uri = `http://127.0.0.1:${(pit.address() as AddressInfo).port}/`;
      const good = await aSite((_, response) => response.end("{}"));
      const fetcher = local();
      const start = now();
      const stuck = Array.from({ length: 200 }, (_, at) => fetcher.fetch(`${uri}${at}`));
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(fetcher.running).toBe(MAX_PARALLEL_PER_HOST);
      expect(MAX_PARALLEL_PER_HOST).toBeLessThan(MAX_PARALLEL);
      const before = now();
      expect(await fetcher.fetch(good)).toMatchObject({ kind: "fetched" });
      expect(now() - before).toBeLessThan(1000);
      const faults = (await Promise.all(stuck)).map((fetched) => fetched.kind === "failed" && fetched.fault);
      expect(new Set(faults)).toEqual(new Set(["timeout"]));
      expect(now() - start).toBeLessThan(7000);
      expect(connections).toBeLessThanOrEqual(2 * MAX_PARALLEL_PER_HOST);
      // Two more requests at a time, until it has failed often enough.
      await Promise.all([fetcher.fetch(uri), fetcher.fetch(uri)]);
      expect(await fetcher.fetch(uri)).toMatchObject({ fault: "left_alone" });
      expect(await fetcher.fetch(good)).toMatchObject({ kind: "fetched" });
      expect(fetcher.running).toBe(0);
    },
  );

  test("a form → posted once; 2xx counts, another status and a redirect do not; the body is not read", async () => {
    const got: string[] = [];
    let status = 204;
    const site = await aSite((request, response) => {
      got.push(`${request.method} ${request.headers["content-type"]} ${request.headers["content-length"]}`);
      response.writeHead(status, { location: "/elsewhere" }).end(status === 204 ? "" : "x".repeat(5_000_000));
    });
    const fetcher = local();
    expect(await fetcher.fetch(site, { form: "a=%C3%A9" })).toMatchObject({ kind: "fetched" });
    status = 200;
    expect(await fetcher.fetch(site, { form: "a=b" })).toMatchObject({ kind: "fetched", body: Buffer.alloc(0) });
    for (status of [302, 307, 400, 500])
      expect(await fetcher.fetch(site, { form: "a=b" })).toMatchObject({ kind: "failed", fault: "bad_answer" });
    expect(got[0]).toBe("POST application/x-www-form-urlencoded 8");
    expect(got).toHaveLength(6);
  });

  test("a body that drips → given up after 5 s in all", byTheClock, async () => {
    const site = await aSite((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write("x"), 200);
      response.on("close", () => clearInterval(drip));
    });
    const start = now();
    expect(await local().fetch(site)).toMatchObject({ fault: "timeout" });
    expect(now() - start).toBeLessThan(6500);
  });
});
