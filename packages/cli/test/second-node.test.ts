/** One command starts a second node. Either node can finish what the other started, and both do background work. */

import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Agent, consentForm } from "../../../test/support/http-browser.ts";
import { bodyOf, refreshForm, send } from "../../../test/support/keep-alive-requests.ts";
import { aPostgresDatabase } from "../../../test/support/postgres-database.ts";
import { aWorkspace, type Running, type Workspace } from "./support/run-command.ts";

const PASSWORD = "correct horse battery staple";
const workspaces: Workspace[] = [];
const running: Running[] = [];
let env: Record<string, string>;
let drop: () => Promise<void>;

beforeEach(async () => {
  const database = await aPostgresDatabase("empty");
  drop = () => database.drop();
  env = {
    ASSENT_ISSUER: "http://localhost:9400",
    ASSENT_LISTEN: "127.0.0.1:0",
    ASSENT_DATABASE_URL: database.url,
    ASSENT_SECRET: randomBytes(32).toString("base64"),
  };
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill("SIGKILL");
    await ended();
  }
  for (const workspace of workspaces.splice(0)) workspace.remove();
  await drop();
});

/** A separate machine: it shares only the variables. */
async function aNode(): Promise<{ at: Workspace; url: string; server: Running }> {
  const at = aWorkspace();
  workspaces.push(at);
  const server = at.start(["serve"], { env });
  running.push(server);
  const { listen } = await server.event("started");
  return { at, server, url: `http://${listen}` };
}

test("a second `assent serve` with the same variables → a code of the one is redeemed at the other; one leaves, the other goes on", {
  timeout: 60_000,
}, async () => {
  const first = await aNode();
  const cli = <T>(args: readonly string[], input?: string) =>
    first.at.json<T>(args, { env, ...(input === undefined ? {} : { input }) });
  await cli(["scope", "create", "read", "--description", "See your photos"]);
  const client = await cli<{ client_id: string; client_secret: string }>([
    ...["client", "create", "--name", "Printer", "--type", "confidential", "--scope", "read"],
    ...["--redirect-uri", "https://app.test/cb"],
  ]);
  const user = ["user", "create", "--username", "alice", "--email", "alice@example.com", "--password-stdin"];
  await cli(user, `${PASSWORD}\n`);
  const second = await aNode();
  const { servers } = await cli<{ servers: readonly { pid: number }[] }>(["db", "status"]);
  expect(new Set(servers.map(({ pid }) => pid))).toEqual(new Set([first.server.child.pid, second.server.child.pid]));

  // One node serves the page; the code is redeemed at the other.
  const agent = new Agent(second.url);
  const [signIn] = (await agent.get("/login")).forms;
  if (signIn === undefined) throw new Error("no form");
  await agent.submit(signIn, { username: "alice", password: PASSWORD });
  const asked = `/authorize?response_type=code&client_id=${client.client_id}&scope=read&redirect_uri=https%3A%2F%2Fapp.test%2Fcb`;
  const { location } = await agent.submit(consentForm(await agent.get(asked)), { decision: "allow" });
  const known = { clientId: client.client_id, secret: client.client_secret };
  const form = {
    grant_type: "authorization_code",
    code: location?.searchParams.get("code") ?? "",
    redirect_uri: "https://app.test/cb",
  };
  const tokens = await send(first.url, { path: "/token", client: known, form });
  expect(tokens.status).toBe(200);

  second.server.child.kill("SIGTERM");
  expect((await second.server.ended()).code).toBe(0);
  const refresh = refreshForm(bodyOf(tokens)["refresh_token"]);
  expect((await send(first.url, { path: "/token", client: known, form: refresh })).status).toBe(200);
  expect((await cli<{ servers: readonly unknown[] }>(["db", "status"])).servers).toHaveLength(1);
});
