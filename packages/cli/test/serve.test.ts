import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../../test/support/free-port.ts";
import { nodeFaults } from "../../server/src/node-runtime.ts";
import { aWorkspace, type Running, type Workspace } from "./support/run-command.ts";

let at: Workspace;
const running: Running[] = [];
beforeEach(() => {
  at = aWorkspace();
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill("SIGKILL");
    await ended();
  }
  at.remove();
});

async function serve(): Promise<{ server: Running; origin: string; env: Record<string, string> }> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = { ASSENT_ISSUER: origin, ASSENT_LISTEN: `127.0.0.1:${port}` };
  const server = at.start(["serve"], { env });
  running.push(server);
  await server.event("started");
  return { server, origin, env };
}

async function status(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
}

describe("serve", () => {
  test("the port is in use → one line with the reason and the setting, exit code 1", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await at.run(["serve"], { env: { ASSENT_LISTEN: `127.0.0.1:${port}` } });
    other.close();
    expect(stderr).toBe(
      `error: 127.0.0.1:${port} is used by another program: stop that program, or set ASSENT_LISTEN to another host:port\n`,
    );
    expect(code).toBe(1);
  });

  test("another secret than the one that encrypted the keys → one line that names it, exit code 1", async () => {
    await at.json(["db", "migrate"]);
    await at.json(["key", "rotate"]);
    const env = { ASSENT_LISTEN: "127.0.0.1:0", ASSENT_SECRET: Buffer.alloc(32, 7).toString("base64") };
    const { code, stderr } = await at.run(["serve"], { env });
    expect(stderr).toMatch(/^error: [^\n]*cannot be unsealed[^\n]*ASSENT_SECRET[^\n]*\n$/);
    expect(code).toBe(1);
  });

  test("a data directory that can't be created → one line, exit code 1", async () => {
    writeFileSync(join(at.folder, "file"), "");
    const { code, stderr } = await at.run(["serve"], { env: { ASSENT_DATA_DIR: join(at.folder, "file", "data") } });
    expect(stderr).toMatch(
      /^error: ASSENT_DATA_DIR: the user \S+ \(uid \d+\) can't create the directory [^\n]*file\/data \(ENOTDIR\): create it [^\n]*or set ASSENT_DATA_DIR[^\n]*\n$/,
    );
    expect(code).toBe(1);
  });

  test("a data directory that is a file, or whose parent takes none → one line, exit code 1", async () => {
    writeFileSync(join(at.folder, "plain"), "");
    for (const [place, why] of [
      [join(at.folder, "plain"), "is a file, and the data needs a directory: set ASSENT_DATA_DIR to another place"],
      ["/proc/nowhere", "can't create the directory /proc/nowhere (ENOENT)"],
    ] as const) {
      const { code, stderr } = await at.run(["serve"], { env: { ASSENT_DATA_DIR: place } });
      expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
    }
  });

  test("an address of another machine → one line, exit code 1", async () => {
    const { code, stderr } = await at.run(["serve"], { env: { ASSENT_LISTEN: "192.0.2.1:0" } });
    expect(stderr).toContain("192.0.2.1 is not an address of this machine");
    expect(code).toBe(1);
  });

  test("start → one log line, and requests are answered; SIGTERM → exit code 0", async () => {
    const { server, origin, env } = await serve();
    expect(await server.event("started")).toMatchObject({
      issuer: origin,
      listen: env["ASSENT_LISTEN"],
      database: "sqlite",
      node: process.versions.node,
      ms: expect.any(Number),
    });
    expect(await status(`${origin}/health/ready`)).toBe(200);
    server.child.kill("SIGTERM");
    const { code, stdout, stderr } = await server.ended();
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.match(/"event":"started"/g)).toHaveLength(1);
    expect(stdout.match(/"event":"node_fault"/g)?.length ?? 0).toBe(nodeFaults(process.versions.node).length);
    expect(stdout).toContain('"event":"stopped"');
  });

  test.each(["1", "2"])(
    "SIGUSR1 to each process, ASSENT_WORKERS=%s → no debugger, and the server continues",
    async (workers) => {
      const port = await freePort();
      const origin = `http://127.0.0.1:${port}`;
      const env = { ASSENT_ISSUER: origin, ASSENT_LISTEN: `127.0.0.1:${port}`, ASSENT_WORKERS: workers };
      const server = at.start(["serve"], { env });
      running.push(server);
      await server.event("started");
      const parent = server.child.pid ?? 0;
      const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8")
        .trim()
        .split(" ")
        .filter(Boolean);
      expect(children).toHaveLength(workers === "1" ? 0 : 2);
      for (const pid of [parent, ...children.map(Number)]) process.kill(pid, "SIGUSR1");
      for (let asked = 0; asked < 10; asked += 1) expect(await status(`${origin}/health/live`)).toBe(200);
      server.child.kill("SIGTERM");
      const { code, stdout, stderr } = await server.ended();
      expect([code, stdout.match(/worker_ended/g)]).toEqual([0, null]);
      expect(stderr).not.toMatch(/debugger|inspector/i);
    },
  );

  test("SIGTERM during a request → answered before the end; a second signal → ends at once", async () => {
    const first = await serve();
    const { hostname, port } = new URL(first.origin);
    const body = "grant_type=authorization_code";
    // `100 Continue` shows that the server has read the head. From then on, the request is under way.
    const head = `POST /token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`;
    const socket = connect(Number(port), hostname);
    socket.setEncoding("utf8").on("error", () => undefined);
    let answer = "";
    socket.on("data", (text: string) => {
      answer += text;
    });
    socket.write(head);
    await once(socket, "data");
    socket.write(body.slice(0, 5));
    first.server.child.kill("SIGTERM");
    await first.server.event("stopping");
    socket.write(body.slice(5));
    expect((await first.server.ended()).code).toBe(0);
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /);

    const second = await serve();
    const slow = connect(Number(new URL(second.origin).port), "127.0.0.1").on("error", () => undefined);
    slow.write(head);
    await once(slow, "data");
    second.server.child.kill("SIGINT");
    await second.server.event("stopping");
    // One Ctrl-C sends two signals, from the terminal and from npm. The server counts both as one for half a second.
    await sleep(600);
    second.server.child.kill("SIGINT");
    expect((await second.server.ended()).code).toBe(130);
  });

  test("a command creates a client → the running server knows it within a second", async () => {
    const { origin, env } = await serve();
    await at.json(["scope", "create", "read", "--description", "See"], { env });
    const args = [
      "client",
      "create",
      "--name",
      "P",
      "--type",
      "public",
      "--redirect-uri",
      "https://app.test/cb",
      "--scope",
      "read",
    ];
    const { client_id: id } = await at.json<{ client_id: string }>(args, { env });
    await sleep(1000);
    const query = new URLSearchParams({
      ...{ response_type: "code", client_id: id, redirect_uri: "https://app.test/cb", scope: "read", state: "s" },
      ...{ code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" },
    });
    // The status would be 400 if the server didn't know the client.
    expect(await status(`${origin}/authorize?${query}`)).toBeLessThan(400);
    expect(await at.json(["doctor"], { env })).toMatchObject({
      ok: true,
      findings: expect.arrayContaining([expect.objectContaining({ check: "issuer", status: "ok" })]),
    });
    await at.json(["client", "update", id, "--status", "disabled", "--yes"], { env });
    await sleep(1000);
    expect(await status(`${origin}/authorize?${query}`)).toBe(400);
  });
});

test("secrets as printed → the server accepts them; the old secret works until its overlap ends", async () => {
  const { origin, env } = await serve();
  const introspect = async (id: unknown, secret: unknown) => {
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
    const body = new URLSearchParams({ token: "nothing" });
    return (await fetch(`${origin}/introspect`, { method: "POST", headers: { authorization }, body })).status;
  };
  const api = await at.json(["resource", "create", "--identifier", "https://api.test", "--name", "Photos"], { env });
  const args = ["client", "create", "--name", "P", "--type", "confidential", "--redirect-uri", "https://app.test/cb"];
  const client = await at.json(args, { env });
  const { client_id: id, client_secret: first } = client;
  await sleep(1000);
  expect(await introspect(api["introspection_client_id"], first)).toBe(401);
  expect(await introspect(api["introspection_client_id"], api["introspection_client_secret"])).toBe(200);
  expect(await introspect(id, first)).toBe(200);

  const { client_secret: second } = await at.json(["client", "rotate-secret", String(id)], { env });
  await sleep(1000);
  expect([await introspect(id, first), await introspect(id, second)]).toEqual([200, 200]);

  const { client_secret: third } = await at.json(["client", "rotate-secret", String(id), "--overlap", "0"], { env });
  await sleep(1000);
  expect([await introspect(id, first), await introspect(id, second), await introspect(id, third)]).toEqual([
    401, 401, 200,
  ]);
});

test("a server runs → `db status` names it, `db epoch` is refused; put back all the same → it is ready no more, and says why", {
  timeout: 120_000,
}, async () => {
  const { server, origin, env } = await serve();
  const servers = async () => (await at.json<{ servers: { pid: number }[] }>(["db", "status"], { env })).servers;
  expect((await servers()).map(({ pid }) => pid)).toEqual([server.child.pid]);
  const refused = await at.run(["db", "epoch"], { env });
  expect(refused.stderr).toMatch(new RegExp(`process ${server.child.pid} on \\S+ uses this database; stop it first`));
  expect([refused.code, await status(`${origin}/health/ready`)]).toEqual([1, 200]);
  expect((await at.run(["db", "epoch", "--force"], { env })).code).toBe(0);
  await expect.poll(() => status(`${origin}/health/ready`), { timeout: 40_000 }).toBe(503);
  expect((await server.event("database_changed"))["msg"]).toMatch(/start it again/);
  server.child.kill("SIGTERM");
  await server.ended();
  expect(await servers()).toEqual([]);
});

describe("demo", () => {
  test("an issuer that isn't loopback → refused", async () => {
    const { code, stderr } = await at.run(["demo"], { env: { ASSENT_ISSUER: "https://id.example.com" } });
    expect(stderr).toMatch(
      /^error: ASSENT_ISSUER is https:\/\/id\.example\.com, but the demo runs only on this machine/,
    );
    expect(code).toBe(1);
  });
});

test("four `db migrate` at once without a database, then four commands at once → all succeed, one database", async () => {
  const create = (name: string) => ["scope", "create", name, "--description", "See"];
  const user = ["user", "create", "--username", "a", "--email", "a@x.test", "--generate-password"];
  await Promise.all(Array.from({ length: 4 }, () => at.json(["db", "migrate"])));
  await Promise.all([at.json(create("a")), at.json(create("b")), at.json(create("c")), at.json(user)]);
  const scopes = await at.json<{ name: string; built_in: boolean }[]>(["scope", "list"]);
  expect(scopes.flatMap(({ name, built_in }) => (built_in ? [] : [name]))).toEqual(["a", "b", "c"]);
  expect(await at.json(["db", "status"])).toMatchObject({ pending: 0 });
});
