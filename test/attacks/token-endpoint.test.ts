/**
 * Attacks on the parsing of the token, revocation and introspection endpoints (RFC 6749 §3.2, Appendix B; RFC 3629).
 */

import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  anOwner,
  basic,
  codeOf,
  cpuClock,
  expectRefusal,
  expectUnlogged,
  type Owner,
  post,
  tokensOf,
} from "../support/back-channel.ts";
import { redeem, refresh, type TokenAnswer } from "../support/http-browser.ts";
import { API, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let owner: Owner;
let token: string;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
  owner = await anOwner(server);
  token = (await tokensOf(server, client, owner)).refresh;
});
afterAll(() => server.stop());

const REDIRECT = "https://app.test/cb";
const posted = () => ({ client_id: client.clientId, client_secret: client.secret });
const codeForm = (code: string) => ({ grant_type: "authorization_code", code, redirect_uri: REDIRECT, ...posted() });
const refreshForm = () => ({ grant_type: "refresh_token", refresh_token: token, ...posted() });

/** A body from values that are encoded already. */
const rawForm = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");

describe("method and type", () => {
  test("TE-01 GET with valid parameters → 405, Allow: POST, the code untouched", async () => {
    const code = await codeOf(server, client, owner);
    const query = new URLSearchParams(codeForm(code));
    const response = await fetch(`${server.issuer}/token?${query}`);
    expect(response.headers.get("allow")).toBe("POST");
    expectRefusal(
      { status: response.status, headers: response.headers, body: (await response.json()) as TokenAnswer["body"] },
      "invalid_request",
      405,
    );
    expectUnlogged(server, code);
    expect((await post(server, "/token", `${query}`)).status).toBe(200);
  });

  test("TE-01 parameters in the query of a POST → not read", async () => {
    const code = await codeOf(server, client, owner);
    expectRefusal(await post(server, `/token?${new URLSearchParams(codeForm(code))}`, ""), "invalid_request");
    expect((await redeem(server, client, code)).status).toBe(200);
  });

  test.each([
    ["application/json"],
    ["multipart/form-data; boundary=x"],
    ["text/plain"],
    ["application/x-www-form-urlencoded; charset=utf-16"],
    ["application/x-www-form-urlencoded; charset=utf-7"],
    ["application/x-www-form-urlencoded; charset=utf-8; charset=utf-16"],
    ["application/x-www-form-urlencoded; charset=iso-8859-1"],
    ["application/x-www-form-urlencoded, application/json"],
    ["application/x-www-form-urlencodedx"],
  ])("TE-03 Content-Type %s → invalid_request on all three", async (type) => {
    const body = `${new URLSearchParams({ ...refreshForm(), token })}`;
    for (const path of ["/token", "/revoke", "/introspect"])
      expectRefusal(await post(server, path, body, { "content-type": type }), "invalid_request");
  });

  test("TE-03 no Content-Type → invalid_request", async () => {
    const body = Buffer.from(`${new URLSearchParams(refreshForm())}`);
    const response = await fetch(`${server.issuer}/token`, { method: "POST", body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid_request" });
  });

  test.each([
    ["application/x-www-form-urlencoded; charset=UTF-8"],
    ['APPLICATION/X-WWW-FORM-URLENCODED;charset="utf-8"'],
  ])("TE-03 Content-Type %s → read", async (type) => {
    const answer = await post(server, "/token", `${new URLSearchParams(refreshForm())}`, { "content-type": type });
    expect(answer.status).toBe(200);
  });

  test.each(["gzip", "deflate", "br", "zstd", "gzip, gzip", "x-unknown"])(
    "TE-15 Content-Encoding: %s → 415, nothing unpacked",
    async (encoding) => {
      const bomb = new Uint8Array(gzipSync(Buffer.alloc(10_000_000, "a")));
      for (const path of ["/token", "/revoke", "/introspect"])
        expectRefusal(await post(server, path, bomb, { "content-encoding": encoding }), "invalid_request", 415);
    },
  );

  test("TE-15 Content-Encoding: identity → read", async () => {
    const body = `${new URLSearchParams(refreshForm())}`;
    expect((await post(server, "/token", body, { "content-encoding": "identity" })).status).toBe(200);
  });

  test("TE-22 Accept: text/html, and a script's header → JSON, refusals and 413 too", async () => {
    const accept = { accept: "text/html,application/xhtml+xml", "x-requested-with": "XMLHttpRequest" };
    const good = await post(server, "/token", `${new URLSearchParams(refreshForm())}`, accept);
    expect([good.status, good.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expectRefusal(await post(server, "/token", "", accept), "invalid_request");
    expectRefusal(await post(server, "/token", "a".repeat(70_000), accept), "invalid_request", 413);
    const get = await fetch(`${server.issuer}/token`, { headers: accept });
    expect([get.status, get.headers.get("content-type")]).toEqual([405, "application/json; charset=utf-8"]);
  });
});

describe("parameters", () => {
  const everywhere = [
    ["/token", "grant_type"],
    ["/token", "code"],
    ["/token", "redirect_uri"],
    ["/token", "code_verifier"],
    ["/token", "refresh_token"],
    ["/token", "scope"],
    ["/token", "resource"],
    ["/token", "client_id"],
    ["/token", "client_secret"],
    ["/revoke", "token"],
    ["/revoke", "token_type_hint"],
    ["/introspect", "token"],
    ["/introspect", "token_type_hint"],
    ["/token", "nobody_knows_it"],
  ] as const;
  /** A form with all parameters of the endpoint. Its code is unknown. */
  const full = (path: string, name: string): Record<string, string> => {
    if (path !== "/token") return { token: "rt_x", token_type_hint: "refresh_token", ...posted() };
    if (name === "refresh_token" || name === "scope" || name === "resource")
      return { ...refreshForm(), scope: "read", resource: "https://api.test" };
    return { ...codeForm("ac_x"), code_verifier: "v".repeat(43) };
  };

  test.each(everywhere)("TE-09 %s with an empty %s → as without it", async (path, name) => {
    const { [name]: _, ...without } = full(path, name);
    const omitted = await post(server, path, `${new URLSearchParams(without)}`);
    const empty = await post(server, path, `${new URLSearchParams({ ...without, [name]: "" })}`);
    expect([empty.status, empty.body.error]).toEqual([omitted.status, omitted.body.error]);
    const bare = await post(server, path, `${new URLSearchParams(without)}&${name}`);
    expect([bare.status, bare.body.error]).toEqual([omitted.status, omitted.body.error]);
  });

  test.each(everywhere)("TE-10 %s with %%00 inside %s → invalid_request", async (path, name) => {
    const fields = full(path, name);
    for (const value of [`${fields[name] ?? ""}%00`, "%00", `a%00${fields[name] ?? ""}`])
      expectRefusal(await post(server, path, rawForm({ ...fields, [name]: value })), "invalid_request");
  });

  test.each([
    ["not hex", "%ZZ"],
    ["a lone percent sign", "%"],
    ["half an escape", "%4"],
    ["an overlong slash", "%C0%AF"],
    ["a surrogate", "%ED%A0%80"],
    ["a byte of no character", "%FF"],
  ])("TE-11 %s → invalid_request, in values and names", async (_, bad) => {
    for (const name of ["code", "client_id", "grant_type", "anything"])
      expectRefusal(
        await post(server, "/token", rawForm({ ...codeForm("ac_x"), [name]: `a${bad}` })),
        "invalid_request",
      );
    expectRefusal(await post(server, "/token", `${rawForm(codeForm("ac_x"))}&x${bad}=1`), "invalid_request");
    expectRefusal(await post(server, "/revoke", rawForm({ token: bad, ...posted() })), "invalid_request");
    expectRefusal(await post(server, "/introspect", rawForm({ token: bad, ...posted() })), "invalid_request");
  });

  test("TE-11 bytes that are not UTF-8, unescaped, with a length or in chunks → invalid_request", async () => {
    const bytes = new Uint8Array(
      Buffer.concat([Buffer.from(rawForm(refreshForm())), Buffer.from("&x="), Buffer.of(0xff, 0xc3)]),
    );
    expectRefusal(await post(server, "/token", bytes), "invalid_request");
    const chunked = await fetch(`${server.issuer}/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(bytes);
          controller.close();
        },
      }),
      duplex: "half",
    } as RequestInit);
    expect([chunked.status, await chunked.json()]).toMatchObject([400, { error: "invalid_request" }]);
  });

  test("TE-11 characters beyond ASCII, escaped or not, in an unknown parameter → ignored", async () => {
    const form = rawForm(refreshForm());
    expect((await post(server, "/token", `${form}&x=%C3%A9%F0%9F%94%A5`)).status).toBe(200);
    expect((await post(server, "/token", `${form}&x=é🔥`)).status).toBe(200);
  });

  test.each([
    ["twice the same", "&grant_type=refresh_token"],
    ["twice, the second empty", "&refresh_token="],
    ["twice, the name escaped", "&refresh%5Ftoken=x"],
    ["an unknown one twice", "&x=1&x=2"],
    ["the client twice", "&client_id=x"],
  ])("a parameter repeated: %s → invalid_request", async (_, more) => {
    expectRefusal(await post(server, "/token", `${new URLSearchParams(refreshForm())}${more}`), "invalid_request");
  });

  test("TE-05 resource twice, the same → one audience; two of them → invalid_target", async () => {
    const form = `${new URLSearchParams(refreshForm())}&resource=https://api.test`;
    expect((await post(server, "/token", `${form}&resource=https://api.test`)).status).toBe(200);
    expectRefusal(await post(server, "/token", `${form}&resource=https://other.test`), "invalid_target");
  });

  test("TE-13 more than 100 parameters → invalid_request, at once; 100 → read", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `p${at}=`).join("&");
    const form = `${new URLSearchParams(refreshForm())}`;
    const cpu = cpuClock();
    expectRefusal(await post(server, "/token", `${form}&${many(9_000)}`), "invalid_request");
    expectRefusal(await post(server, "/token", `${many(5_000)}&${many(4_000)}`), "invalid_request");
    expect(cpu()).toBeLessThan(400);
    expectRefusal(await post(server, "/token", `${form}&${many(97)}`), "invalid_request");
    expect((await post(server, "/token", `${form}&${many(96)}`)).status).toBe(200);
  });

  test.each([
    ["quotes", 'read "write"'],
    ["a backslash", "read\\write"],
    ["a tab", "read\twrite"],
    ["a line break", "read\nwrite"],
    ["not ASCII", "réad"],
    ["two spaces", "read  write"],
    ["a space before", " read"],
    ["a space behind", "read "],
    ["a comma", "read,write"],
    ["upper case", "READ"],
    ["a scope of nobody", "admin"],
  ])("TE-18 scope with %s → invalid_scope", async (_, scope) => {
    expectRefusal(await refresh(server, client, token, { scope }), "invalid_scope");
  });

  test("TE-18 the scope as it was granted, twice named → 200", async () => {
    expect((await refresh(server, client, token, { scope: "read read" })).body.scope).toBe("read");
  });

  test("TE-19 a scope of thousands of names → 400 or 413, at once", async () => {
    const cpu = cpuClock();
    expectRefusal(await refresh(server, client, token, { scope: "a ".repeat(30_000) }), "invalid_request");
    expectRefusal(await refresh(server, client, token, { scope: "a ".repeat(50_000) }), "invalid_request", 413);
    expectRefusal(await refresh(server, client, token, { scope: "a ".repeat(2_000).trim() }), "invalid_scope");
    expect(cpu()).toBeLessThan(500);
  });
});

describe("size", () => {
  test.each([
    ["64 KiB and one byte", 65_537],
    ["1 MB", 1_000_000],
  ])("TE-14 a body of %s → 413 on all three", async (_, size) => {
    for (const path of ["/token", "/revoke", "/introspect"])
      expectRefusal(await post(server, path, "a".repeat(size)), "invalid_request", 413);
  });

  test("TE-14 a body of 64 KiB → read", async () => {
    const form = `${new URLSearchParams(refreshForm())}`;
    const name = (at: number) => `&x${at}=${"a".repeat(2_048)}`;
    const body = `${form}${Array.from({ length: 31 }, (_, at) => name(at)).join("")}`;
    const padded = `${body}&y=${"a".repeat(65_536 - body.length - 3)}`;
    expect(padded.length).toBe(65_536);
    expect((await post(server, "/token", padded)).status).toBe(200);
  });

  test("TE-14 chunks without end → 413 before much is sent", async () => {
    const { port } = new URL(server.issuer);
    let sent = 0;
    const status = await new Promise<number>((resolve, reject) => {
      const sending = request({
        port,
        path: "/token",
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", "transfer-encoding": "chunked" },
      });
      const chunk = Buffer.alloc(16_384, "a");
      let over = false;
      sending.on("response", (response) => {
        over = true;
        resolve(response.statusCode ?? 0);
        sending.destroy();
      });
      sending.on("error", (error) => (over ? undefined : reject(error)));
      const more = () => {
        if (over || sent > 1_000_000_000) return;
        sent += chunk.length;
        sending.write(chunk, () => setImmediate(more));
      };
      more();
    });
    expect(status).toBe(413);
    expect(sent).toBeLessThan(16_000_000);
  });
});

describe("grants and answers", () => {
  test.each([
    ["authorization_code", ["refresh_token"]],
    ["refresh_token", ["authorization_code"]],
  ])("TE-08 %s by a client without it → unauthorized_client", async (grant_type, grantTypes) => {
    const without = await server.addClient({ grantTypes });
    const form = new URLSearchParams({ grant_type, client_id: without.clientId, client_secret: without.secret });
    expectRefusal(await post(server, "/token", `${form}`), "unauthorized_client");
  });

  test.each(["Authorization_Code", "authorization_code ", "authorization-code", "urn:x", "__proto__", "constructor"])(
    "TE-08 grant_type %j → unsupported_grant_type",
    async (grant_type) => {
      const form = new URLSearchParams({ grant_type, ...posted() });
      expectRefusal(await post(server, "/token", `${form}`), "unsupported_grant_type");
    },
  );

  test("TE-21 a success → these members, these headers, nothing else", async () => {
    const code = await redeem(server, client, await codeOf(server, client, owner, { ask: { scope: "read profile" } }), {
      resource: "https://api.test",
    });
    for (const answer of [code, await refresh(server, client, token)]) {
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.body).sort()).toEqual([
        "access_token",
        "expires_in",
        "refresh_token",
        "scope",
        "token_type",
      ]);
      expect(answer.body).toMatchObject({ token_type: "Bearer", expires_in: 600, scope: "read" });
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-type": "application/json; charset=utf-8",
        "cache-control": "no-store",
        pragma: "no-cache",
        "x-content-type-options": "nosniff",
      });
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
  });

  test("TE-23 markup in every place → said back in none", async () => {
    const mark = "<script>alert(1)</script>";
    const answers = [
      await post(server, "/token", `${new URLSearchParams({ [mark]: "1", grant_type: mark, ...posted() })}`),
      await post(server, "/token", `${new URLSearchParams({ ...codeForm(mark), redirect_uri: mark })}`),
      await refresh(server, client, mark, { scope: mark, resource: mark }),
      await refresh(server, client, token, { scope: mark }),
      await refresh(server, client, token, { resource: `https://${mark}` }),
      await post(server, "/token", `${new URLSearchParams({ grant_type: "x", client_id: mark })}`),
      await post(server, "/token", `${mark}=1&${mark}=2`),
    ];
    for (const answer of answers) {
      expectRefusal(answer, answer.body.error ?? "", answer.status);
      expect(JSON.stringify(answer.body)).not.toMatch(/[<>]|alert/);
    }
  });

  test("TE-24 line breaks and quotes in a failing client_id → the challenge is constant, no header is split", async () => {
    for (const id of ['x"\r\nset-cookie: a=b', "a\nb", '"', "ä"]) {
      const answer = await post(server, "/token", "grant_type=refresh_token", { authorization: basic(id, "x") });
      expectRefusal(answer, "invalid_client");
    }
    // An API at the introspection endpoint gets the same refusal.
    expectRefusal(
      await post(server, "/introspect", "token=x", { authorization: basic(API.id, 'x"\r\n') }),
      "invalid_client",
    );
  });
});
