/**
 * Headers that name the address of a client behind a proxy. The proxy sets one of them; the client may send another one
 * itself (RFC 7239 §8.1).
 */

import { expect, test } from "vitest";
import { startServer, type TestServer } from "../support/test-server.ts";

/** The address in the log of a request that is refused, with these headers. */
async function loggedAddress(server: TestServer, headers: Record<string, string>): Promise<unknown> {
  const before = server.log.length;
  const answer = await fetch(`${server.url}/token`, { method: "POST", headers, body: new URLSearchParams({ a: "b" }) });
  expect(answer.status).toBe(400);
  const lines = server.log.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines.find(({ event }) => event === "refused")?.["address"];
}

/** An https issuer answers only requests that came by https, so the proxy's header about the scheme matters, too. */
const issuer = "https://as.test";

test("X-Forwarded-For of the proxy, Forwarded of the client → the proxy's word", async () => {
  const server = await startServer({ config: { trustProxy: ["127.0.0.1"], logLevel: "debug", issuer } });
  try {
    const proxy = { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" };
    expect(await loggedAddress(server, { ...proxy, forwarded: "for=6.6.6.6;proto=http" })).toBe("203.0.113.9");
    expect(await loggedAddress(server, { ...proxy, forwarded: "for=127.0.0.1" })).toBe("203.0.113.9");
    const warnings = () => server.log.filter((line) => line.includes("ASSENT_PROXY_HEADER=forwarded"));
    expect(warnings()).toEqual([]);
    for (const address of ["6.6.6.6", "7.7.7.7"])
      expect(await loggedAddress(server, { forwarded: `for=${address};proto=http` })).toBe("127.0.0.1");
    expect(warnings()).toHaveLength(1);
  } finally {
    await server.stop();
  }
});

test("Forwarded is named, X-Forwarded-* come from the client → Forwarded alone counts", async () => {
  const config = { trustProxy: ["127.0.0.1"], proxyHeader: "forwarded", logLevel: "debug", issuer } as const;
  const server = await startServer({ config });
  try {
    const client = { "x-forwarded-for": "6.6.6.6", "x-forwarded-proto": "http" };
    expect(await loggedAddress(server, { ...client, forwarded: "for=203.0.113.9;proto=https" })).toBe("203.0.113.9");
    expect(await loggedAddress(server, client)).toBe("127.0.0.1");
  } finally {
    await server.stop();
  }
});
