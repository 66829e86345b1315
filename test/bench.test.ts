/** The benchmark: its measurements, its comparison with the recorded run, and the figures in the documentation. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { compare, judge } from "../bench/compare-with-recorded-run.ts";
import { endedGrantsTable, measureEndedGrants } from "../bench/cost-of-ended-grants.ts";
import { type CpuProfile, flameGraph, framesOf, topOf } from "../bench/cpuprofile-as-flame-graph.ts";
import { listsTable, measureLists, slowLists } from "../bench/lists/admin-lists.ts";
import { quantile, run } from "../bench/load/closed-loop.ts";
import { basic } from "../bench/load/http-bytes.ts";
import { runOpen } from "../bench/load/open-loop.ts";
import type { PeerClient } from "../bench/peer-interface.ts";
import { VERIFIER } from "../bench/prepare-database.ts";
import { isReached } from "../bench/reached-and-missed-goals.ts";
import type { Report } from "../bench/report-as-json.ts";
import { peerNames, type RunningPeer, startPeer } from "../bench/rows/peer-rows.ts";
import { Supply } from "../bench/rows/row.ts";
import { between, documents, recorded } from "../bench/write-docs.ts";

const root = join(import.meta.dirname, "..");
const around = (median: number, half = 0.02) => ({ median, min: median - half, max: median + half });

describe("the guard", () => {
  test("the median fell by more than either run is wide → worse", () => {
    expect(judge("a row", around(1), around(0.9)).worse).toBe(true);
  });

  test.each([
    ["it fell within the recorded run's width", around(1, 0.06), around(0.9)],
    ["it fell within this run's width", around(1), around(0.9, 0.06)],
    ["it fell by a trifle, however narrow both are", around(1, 0), around(0.975, 0)],
    ["it rose", around(1), around(1.5)],
  ])("%s → not worse", (_, before, now) => {
    expect(judge("a row", before, now).worse).toBe(false);
  });

  const aRow = { name: "redeem", server: "assent", ratio: around(0.5), cpuRatio: around(0.6), rate: around(5000, 10) };
  const aReport = (row: object, figures: object[] = []) =>
    ({ rows: [{ ...aRow, ...row }], figures }) as unknown as Report;

  test("half the rate on a machine half as fast → nothing is worse: times aren't compared", () => {
    const time = { label: "start", unit: "ms", value: around(100, 1) };
    const slower = aReport({ rate: around(2500, 10) }, [{ ...time, value: around(200, 1) }]);
    expect(compare(aReport({}, [time]), slower).filter(({ worse }) => worse)).toEqual([]);
  });

  test("a share by processor time fell, the one by rate didn't → worse", () => {
    const verdicts = compare(aReport({}), aReport({ cpuRatio: around(0.4) }));
    expect(verdicts.filter(({ worse }) => worse).map(({ what }) => what)).toEqual(["redeem, by CPU"]);
  });

  test.each(["oidc-provider", "batched"])("a row of %s fell → not ours to judge", (server) => {
    expect(compare(aReport({ server }), aReport({ server, ratio: around(0.1) }))).toEqual([]);
  });

  test("a row that only one of the runs has → not judged", () => {
    expect(compare(aReport({}), aReport({ name: "new" }))).toEqual([]);
  });
});

describe("goals", () => {
  const aGoal = { what: "a row", unit: "×", goal: 2 };

  test.each([
    ["less than the least", { measured: 1.9, least: true }, false],
    ["more than the most", { measured: 2.1, least: false }, false],
    ["the least", { measured: 2, least: true }, true],
    ["the most", { measured: 2, least: false }, true],
  ])("%s → reached only where it may be", (_, measured, reached) => {
    expect(isReached({ ...aGoal, ...measured })).toBe(reached);
  });
});

describe("the load", () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  const listening = async (listener: Parameters<typeof createServer>[1]): Promise<number> => {
    server = createServer(listener ?? (() => undefined));
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  };
  const request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

  test("an answer of another status than expected → the measurement fails, and says with what", async () => {
    const port = await listening((_, response) => response.writeHead(500, { "content-length": 4 }).end("oops"));
    await expect(run({ port, connections: 2, seconds: 1, next: () => ({ request }) })).rejects.toThrow(
      "500 instead of 200: oops",
    );
  });

  test("a request that follows from an answer → one operation with it", async () => {
    const asked: string[] = [];
    const port = await listening(({ url = "" }, response) => {
      asked.push(url);
      response.writeHead(url === "/first" ? 302 : 200, { "content-length": 2 }).end("ok");
    });
    const line = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const operations = [
      { request: line("/first"), status: 302, answered: () => ({ request: line("/second") }) },
    ].values();
    const { count } = await run({ port, connections: 1, seconds: 5, next: () => operations.next().value });
    expect([count, asked]).toEqual([1, ["/first", "/second"]]);
  });

  test("open loop, a server that stands still for 300 ms → whoever came meanwhile is counted from when they came", async () => {
    let asked = 0;
    const port = await listening((_, response) => {
      // In the middle of the counted second, because requests during the warm-up don't count.
      if (++asked === 100) {
        const until = performance.now() + 300;
        while (performance.now() < until);
      }
      response.writeHead(200, { "content-length": 2 }).end("ok");
    });
    const { count, took } = await runOpen({ port, connections: 4, seconds: 1, rate: 200, next: () => ({ request }) });
    expect(count).toBe(200);
    // 60 of 200 requests came in these 300 ms. A load that waits for answers would count only 4, one for each
    // connection.
    expect(quantile(took, 0.85)).toBeGreaterThan(50);
  });

  test("a supply → makes half more than the last measurement used, and keeps what is left", async () => {
    const made: number[] = [];
    const supply = new Supply((count) => {
      made.push(count);
      return Array.from({ length: count }, String);
    }, 1000);
    await supply.prepare(1);
    for (let used = 0; used < 800; used += 1) supply.next();
    await supply.prepare(2);
    expect(made).toEqual([1000, 2 * 1200 - 200]);
  });
});

describe.each(peerNames)("the peer %s does the same work", (name) => {
  let peer: RunningPeer;
  beforeAll(async () => {
    peer = await startPeer(name, {});
  });
  afterAll(() => peer.server.end());

  const ask = async (fields: Record<string, string>, client: PeerClient) => {
    const response = await fetch(`http://127.0.0.1:${peer.server.port}${peer.facts.tokenPath}`, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { authorization: basic(client.clientId, client.secret) },
    });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const redeem = async (changes: Record<string, string> = {}, client = peer.task.keeping) => {
    const { answer } = await peer.server.ask<{ answer: string[] }>({ ask: "codes", client: "keeping", count: 1 });
    const redirectUri = peer.task.keeping.redirectUris[0] ?? "";
    const code = { grant_type: "authorization_code", code: answer[0] ?? "", redirect_uri: redirectUri };
    const fields = { ...code, code_verifier: VERIFIER, ...changes };
    return { first: await ask(fields, client), again: () => ask(fields, client) };
  };

  test.each([
    ["another verifier", { code_verifier: "v".repeat(43) }],
    ["another redirect_uri", { redirect_uri: "https://other.test/cb" }],
  ])("a code with %s → refused", async (_, changes) => {
    expect((await redeem(changes)).first.status).toBe(400);
  });

  test("a wrong secret → refused", async () => {
    const { first } = await redeem({}, { ...peer.task.keeping, secret: "wrong" });
    expect(first.body).not.toHaveProperty("access_token");
  });

  test("a code → an ES256 JWT for the API and a refresh token, once", async () => {
    const { first, again } = await redeem();
    const { access_token = "", refresh_token } = first.body;
    const [header, payload] = access_token.split(".").slice(0, 2);
    expect([first.status, decoded(header)["alg"], decoded(payload)["aud"]]).toEqual([200, "ES256", "https://api.test"]);
    expect(refresh_token).toMatch(/.{20}/);
    // An ID token of OpenID Connect would need a second signature.
    expect(first.body).not.toHaveProperty("id_token");
    expect((await again()).status).toBe(400);
  });
});

function decoded(part = ""): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}

describe("the flame graph", () => {
  const frame = (functionName: string, url = "") => ({ functionName, url, lineNumber: 0 });
  const profile: CpuProfile = {
    nodes: [
      { id: 1, callFrame: frame("(root)"), children: [2, 3, 4] },
      { id: 2, callFrame: frame("(idle)") },
      { id: 3, callFrame: frame("</script>", "file:///x/packages/a.ts"), children: [5] },
      { id: 4, callFrame: frame("</script>", "file:///x/packages/a.ts") },
      { id: 5, callFrame: frame("inner", "file:///x/node_modules/pg/lib/b.js") },
    ],
    samples: [2, 3, 4, 5],
    timeDeltas: [1000, 10, 20, 30],
  };

  test("the same function below the same callers → one frame; time when nothing ran is left out", () => {
    const { total, children } = framesOf(profile);
    expect(total).toBe(60);
    expect(children).toMatchObject([
      { name: "</script>", place: "packages/a.ts:1", total: 60, self: 30, children: [{ place: "pg/lib/b.js:1" }] },
    ]);
  });

  test("what runs itself → the same function's times together, the longest first", () => {
    expect(topOf(framesOf(profile))[0]).toMatch(/50.0 % {2}(<\/script> packages\/a.ts:1|inner pg\/lib\/b.js:1)/);
  });

  test("a name that would end the script → doesn't", () => {
    expect(flameGraph(framesOf(profile), "a row").match(/<\/script>/g)).toHaveLength(1);
  });
});

describe("the documentation", () => {
  test("a page without the place → an error that names it", () => {
    expect(() => between("text", "table", "| |")).toThrow("bench:table");
  });

  test("each part that the recorded run makes → stands there as it is (else: node bench/write-docs.ts)", () => {
    for (const [path, text] of documents(recorded())) expect(readFileSync(join(root, path), "utf8"), path).toBe(text);
  });
});

test("owners with ended grants, one round of the smallest → each action on both databases, and its table", async () => {
  const folder = mkdtempSync(join(tmpdir(), "assent-bench-ended-"));
  try {
    const measured = await measureEndedGrants(folder, 10, { warmUp: 0, counted: 1 });
    const actions = ["an authorization", "the dashboard", "an authorization in a company's name", "the company's page"];
    expect(measured.sizes).toEqual([10]);
    expect(measured.actions.map(({ label }) => label)).toEqual(
      ["SQLite", "PostgreSQL"].flatMap((database) => actions.map((action) => `${action}, ${database}`)),
    );
    for (const { ms } of measured.actions) expect(ms[0]).toBeGreaterThan(0);
    expect(endedGrantsTable(measured)).toContain("| the company's page, PostgreSQL | ");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("lists of the admin API among few people → each is measured, and one above the goal is named", async () => {
  const folder = mkdtempSync(join(tmpdir(), "assent-bench-lists-"));
  try {
    const sizes = { people: 300, clients: 250 };
    const measured = await measureLists(folder, { seconds: 0.02, sizes, onPostgres: false });
    expect(measured.lists).toHaveLength(16);
    for (const { times } of measured.lists)
      for (const { cpu, p99 } of times.sqlite) expect([p99 > 0, cpu >= 0]).toEqual([true, true]);
    expect(listsTable(measured)).toMatch(/\n\| operators \| [\d.]+ \/ [\d.]+ \|/);
    const slow = { p50: 1, p99: 51, cpu: 1 };
    const lists = [{ label: "people", times: { sqlite: [], postgres: [slow] } }];
    expect([slowLists({ ...measured, lists }), slowLists({ ...measured, lists: [] })]).toEqual([["people"], []]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

describe("npm run bench", () => {
  test("a name that nothing has → says so, with all names", () => {
    const { status, stderr } = spawnSync(process.execPath, ["bench/run.ts", "--only", "redem"], { cwd: root });
    expect(status).not.toBe(0);
    expect(stderr.toString()).toMatch(/nothing is called redem[\s\S]+refresh-rotated/);
  });

  test("one row, very short → table and JSON, with its share of the reference", () => {
    const folder = mkdtempSync(join(tmpdir(), "assent-bench-test-"));
    const json = join(folder, "report.json");
    const flags = ["--quick", "--rounds", "1", "--seconds", "0.1", "--only", "jwks"];
    const table = execFileSync(process.execPath, ["bench/run.ts", ...flags, "--dir", folder, "--json", json], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    }).toString();
    const report = JSON.parse(readFileSync(json, "utf8")) as Report;
    rmSync(folder, { recursive: true });
    expect(report.rows.map(({ name }) => name)).toEqual(["inline", "jwks"]);
    expect(report.rows[1]?.ratio?.median).toBeGreaterThan(0);
    expect(table).toContain("| JWK Set | ");
  });
});
