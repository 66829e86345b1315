/** `/metrics`: the values that Prometheus reads, and the values that must not be in them. */

import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exposition } from "../../packages/server/src/metrics/prometheus-text.ts";
import { listenMetrics, type MetricsListening } from "../../packages/server/src/workers/index.ts";
import { bodyOf, codeForm, refreshForm, send } from "../support/keep-alive-requests.ts";
import { authorizePath, nextCode, signedInAgent } from "../support/server-process.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let metrics: MetricsListening;
beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
  metrics = await listenMetrics({ host: "127.0.0.1", port: 0 }, server.assent.measure);
});
afterAll(async () => {
  await metrics.stop();
  await server.stop();
});

async function lines(): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${metrics.port}/metrics`);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return (await response.text()).split("\n");
}

test.each([
  ["another path", "/", "GET", 404],
  ["POST", "/metrics", "POST", 405],
])("%s → refused", async (_, path, method, status) => {
  expect((await fetch(`http://127.0.0.1:${metrics.port}${path}`, { method })).status).toBe(status);
});

test("the server's own port → has no /metrics", async () => {
  expect((await fetch(`${server.issuer}/metrics`)).status).toBe(404);
});

test("a code, a refresh and refusals → counted by endpoint, grant type and condition", async () => {
  const person = await server.addPerson();
  const agent = await signedInAgent(server.issuer, person, authorizePath(client));
  const code = await nextCode(agent, authorizePath(client));
  const first = await send(server.issuer, { path: "/token", client, form: codeForm(client, code) });
  const token = bodyOf(first)["refresh_token"];
  await send(server.issuer, { path: "/token", client, form: refreshForm(token) });
  await send(server.issuer, { path: "/token", client: { ...client, secret: "wrong" }, form: refreshForm(token) });
  const seen = await lines();
  for (const line of [
    'assent_tokens_issued_total{grant_type="authorization_code"} 1',
    'assent_tokens_issued_total{grant_type="refresh_token"} 1',
    'assent_refusals_total{condition="client_secret_wrong"} 1',
    'assent_http_requests_total{endpoint="/token",status="200"} 2',
    'assent_http_request_duration_seconds_count{endpoint="/token"} 3',
    "assent_http_requests_under_way 0",
    "assent_password_hashes_waiting 0",
    'assent_storage_backlog_rows{kind="sessions"} 0',
  ])
    expect(seen).toContain(line);
  const batches = seen.find((line) => line.startsWith("assent_storage_batch_size_count "));
  expect(Number(batches?.split(" ")[1])).toBeGreaterThan(1);
  expect(seen.filter((line) => line.startsWith("assent_signing_key_age_seconds{"))).toHaveLength(1);
});

test("what callers send → never a label: no path, client, grant type or error of theirs, no secret", async () => {
  await send(server.issuer, { path: "/token", client, form: { grant_type: "marked-by-me", code: "marked-by-me" } });
  await send(server.issuer, { method: "GET", path: "/marked-by-me?x=marked-by-me" });
  await send(server.issuer, { method: "GET", path: "/errors/marked-by-me" });
  await send(server.issuer, { path: "/token", client: { clientId: "marked-by-me", secret: "x" } });
  const text = exposition(await server.assent.measure());
  expect(text).not.toContain("marked-by-me");
  expect(text).not.toContain(client.clientId);
  expect(text).toMatch(/assent_http_requests_total\{endpoint="none",status="404"\} [1-9]/);
  expect(text).toContain('assent_http_requests_total{endpoint="/errors/:condition",status="404"} 1');
});

test("16 connections that say nothing, or half a request → closed within seconds; figures are read again", async () => {
  const alone = await listenMetrics({ host: "127.0.0.1", port: 0 }, server.assent.measure);
  const bytes = ["", "GET /metrics HT"];
  const sockets = Array.from({ length: 16 }, (_, at) => {
    const socket = connect(alone.port, "127.0.0.1").on("error", () => undefined);
    socket.write(bytes[at % bytes.length] ?? "");
    return socket;
  });
  try {
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    const read = () =>
      fetch(`http://127.0.0.1:${alone.port}/metrics`).then(
        ({ status }) => status,
        () => 0,
      );
    // The maximum number of connections is open, so the next one is refused.
    expect(await read()).toBe(0);
    await expect.poll(read, { timeout: 15_000 }).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
    await alone.stop();
  }
});
