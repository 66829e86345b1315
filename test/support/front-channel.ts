/**
 * Helpers for tests of the authorization endpoint and the pages: outcomes, requests that `fetch` refuses to send, and
 * the rows of the database.
 */

import { createServer, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { serverOptions } from "../../packages/server/src/http/connections/request-handler.ts";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import { type Agent, authorizeUrl, consentForm, type Page, signIn } from "./http-browser.ts";
import {
  postgresOf,
  settle,
  startServer,
  type TestClient,
  type TestServer,
  type TestServerOptions,
} from "./test-server.ts";

/** Expects a refusal that isn't redirected: HTTP 400 and a page without links to the client. */
export function expectPage400(page: Page, condition?: string): void {
  expect(page.status, page.text.slice(0, 300)).toBe(400);
  expect(page.headers.get("location")).toBeNull();
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.text).not.toMatch(/http-equiv/i);
  expect(page.forms).toEqual([]);
  if (condition !== undefined) expect(page.text).toContain(`/errors/${condition}?id=`);
}

/**
 * Expects a refusal that is redirected: 302 to the registered redirect_uri with error, state and iss, each once, and no
 * code.
 */
export function expectRedirectError(
  page: Page,
  server: Pick<TestServer, "issuer">,
  error: string,
  { redirectUri = "https://app.test/cb", state = "a state" as string | null } = {},
): URLSearchParams {
  expect(page.status, page.text.slice(0, 300)).toBe(302);
  const location = page.headers.get("location") ?? "";
  expect(location.startsWith(redirectUri), location).toBe(true);
  const answer = new URL(location).searchParams;
  expect(answer.getAll("error")).toEqual([error]);
  expect(answer.getAll("state")).toEqual(state === null ? [] : [state]);
  expect(answer.getAll("iss")).toEqual([server.issuer]);
  expect(answer.getAll("error_uri")).toEqual([expect.stringMatching(/\/errors\/[a-z_]+\?id=[\w-]{16}$/)]);
  expect(answer.get("error_description")).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(answer.has("code")).toBe(false);
  return answer;
}

/** Expects that the request was accepted: the server shows the sign-in page or the consent page. */
export function expectGoesOn(page: Page): void {
  expect(page.status, page.text.slice(0, 300)).toBe(200);
  expect(page.forms.some(({ fields }) => fields.has("request"))).toBe(true);
}

/** Signs in if asked, and returns the consent page. */
export async function atConsent(agent: Agent, url: string, username: string): Promise<Page> {
  let page = await agent.follow(await agent.get(url));
  if (page.forms.some(({ fields }) => fields.has("username"))) page = await signIn(agent, username, page);
  consentForm(page);
  return page;
}

/** A link to the authorization endpoint with a query written by hand. */
export function rawAuthorizeUrl(
  server: TestServer,
  client: Pick<TestClient, "clientId" | "redirectUris">,
  query: string,
): string {
  return `${authorizeUrl(server, client, { redirect_uri: undefined })}${query === "" ? "" : `&${query}`}`;
}

/** Changes a client as an operator would. The change applies when the promise resolves and the server has read it. */
export async function changeClient(
  server: TestServer,
  client: TestClient,
  changes: Partial<TestClient>,
): Promise<TestClient> {
  const { secret, ...record } = { ...client, ...changes };
  await server.assent.storage.clients.put({ client: record, expect: null });
  await settle();
  return { ...record, secret };
}

/** The value of an input of the page, by its name. Parsed as HTML does: a quoted value may contain `>`. */
export function inputValue({ text }: Page, name: string): string | undefined {
  const inputs = [...text.matchAll(/<input\b((?:\s+[\w-]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, attributes = ""]) => attributes,
  );
  const value = / value="([^"]*)"/.exec(inputs.find((one) => one.includes(` name="${name}"`)) ?? "")?.[1];
  return value?.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request by node:http, which can send any method, path and Host. `origin`: where to connect. */
export function send(
  origin: string,
  { method = "GET", path = "/", headers = {} as Record<string, string | string[]>, body = "" } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: hostname, port, method, path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** Sends raw bytes to a socket, and returns what comes back until the server closes the connection. */
export function sendBytes(origin: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    socket.setEncoding("utf8").setTimeout(5000, () => socket.destroy(new Error("no answer")));
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject).on("close", () => resolve(text));
  });
}

/** The log of events tells what happened, refused attempts included, and parts of it are written later. */
export const OF_EVENTS: readonly string[] = ["events", "events_waiting", "event_checkpoints"];

/** Number of rows of each table, by its name, without the log of events and the leases of work in the background. */
export async function rowCounts(dataDir: string): Promise<Record<string, number>> {
  const url = postgresOf(dataDir) ?? `sqlite:${join(dataDir, "assent.db")}`;
  const tables = await byHand(url, [
    url.startsWith("sqlite:")
      ? "SELECT name FROM sqlite_schema WHERE type = 'table'"
      : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  ]);
  const counts = await Promise.all(
    tables
      .map(({ name }) => String(name))
      .filter((name) => !OF_EVENTS.includes(name) && name !== "leases")
      .map(async (name) => {
        const [row] = await byHand(url, [`SELECT count(*) AS n FROM "${name}"`]);
        return [name, Number(row?.["n"])] as const;
      }),
  );
  return Object.fromEntries(counts);
}

/** The lines of the log since a mark, as one text. */
export function logSince(server: TestServer, mark: number): string {
  return server.log.slice(mark).join("");
}

export interface ProxiedServer extends TestServer {
  /** The address that requests are sent to. The issuer is a name that doesn't resolve. */
  readonly origin: string;
}

/** A server with an https issuer, reached without TLS, as behind a proxy on this machine. */
export async function startBehindProxy({ config = {}, ...options }: TestServerOptions = {}): Promise<ProxiedServer> {
  const test = await startServer({
    ...options,
    config: { issuer: "https://as.test", trustProxy: ["127.0.0.1"], ...config },
  });
  const listener = createServer(serverOptions, test.assent.handler);
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    ...test,
    origin: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    stop: async () => {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
      await test.stop();
    },
  };
}
