/**
 * No token outlives its consent: the consent limits lifetimes, and ended scopes are left out (RFC 6749 §§1.4, 1.5,
 * 4.2.2).
 */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type AdminContext, adminOf } from "../../packages/server/src/admin/context.ts";
import { createScope, deleteScope } from "../../packages/server/src/admin/index.ts";
import { anOwner, codeOf, expectRefusal, logged, type Owner, tokensOf } from "../support/back-channel.ts";
import { authorizeUrl, consentForm, postForm, redeem, refresh } from "../support/http-browser.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const SECOND = 1000;
const HOUR = 3_600_000;

let server: TestServer;
let client: TestClient;
let pub: TestClient;

beforeAll(async () => {
  server = await startServer({
    config: { consentDurations: ["once", 100, 3600, 86_400, 604_800, 7_776_000, "forever"] },
  });
  client = await server.addClient();
  pub = await server.addClient({ type: "public" });
});
afterAll(() => server.stop());

const use = (token: string | undefined, fields: Record<string, string> = {}, mine = client) =>
  refresh(server, mine, token, fields);
const keyOf = ({ person }: Owner, { clientId }: TestClient) => ({
  partition: person.partition,
  ownerId: person.personId,
  clientId,
});

describe("a consent for 100 s", () => {
  test("the first access token → ends with it, not after ten minutes; so do the later ones, and then there is none", async () => {
    const owner = await anOwner(server);
    const first = await tokensOf(server, client, owner, { answer: { duration: "100" } });
    // The owner answered before this time, so it is a limit for all lifetimes.
    const answered = server.now();
    expect(first.body.expires_in).toBeGreaterThan(95);
    expect(first.body.expires_in).toBeLessThanOrEqual(100);
    server.tick(60 * SECOND);
    const second = await use(first.refresh);
    expect(second.body.expires_in).toBeLessThanOrEqual(40);
    for (const access of [first.access, second.body.access_token ?? ""])
      expect((decodeJwt(access).exp ?? 0) * 1000).toBeLessThanOrEqual(answered + 101 * SECOND);
    server.tick(12 * SECOND);
    // A scope with less than 30 s left is dropped. It was the only one.
    expectRefusal(await use(first.refresh), "invalid_grant");
    server.tick(60 * SECOND);
    expectRefusal(await use(first.refresh), "invalid_grant");
    expect(logged(server, "refresh_token_replayed")).toBe(0);
  });

  test("a code redeemed when less than 30 s are left → a token for what is left; its refresh → invalid_grant", async () => {
    const owner = await anOwner(server);
    onTestFinished(server.stand());
    await tokensOf(server, client, owner, { answer: { duration: "100" } });
    server.tick(65 * SECOND);
    const code = await codeOf(server, client, owner);
    server.tick(20 * SECOND);
    const { body } = await redeem(server, client, code);
    expect(body.expires_in).toBeLessThanOrEqual(15);
    expect(body.expires_in).toBeGreaterThanOrEqual(14);
    expectRefusal(await refresh(server, client, body.refresh_token), "invalid_grant");
  });

  test("a choice shorter than 30 s, or once, with short lifetimes → tokens that live as long", async () => {
    const brief = await startServer({ config: { codeTtl: 1000, accessTtl: 2000, consentDurations: [5, "once"] } });
    brief.stand();
    try {
      const mine = await brief.addClient();
      for (const duration of ["5", "once"]) {
        const owner = await anOwner(brief);
        const { body } = await redeem(brief, mine, await codeOf(brief, mine, owner, { answer: { duration } }));
        expect(body.expires_in, duration).toBe(2);
      }
    } finally {
      await brief.stop();
    }
  });

  test("a new request when less than 30 s are left → the page is shown again", async () => {
    const owner = await anOwner(server);
    await tokensOf(server, client, owner, { answer: { duration: "100" } });
    server.tick(75 * SECOND);
    const page = await owner.agent.follow(await owner.agent.get(authorizeUrl(server, client)));
    expect(page.status).toBe(200);
    expect(consentForm(page).fields.has("duration")).toBe(true);
  });

  test("introspection of the refresh token → its end is the consent's", async () => {
    const owner = await anOwner(server);
    const { refresh: token } = await tokensOf(server, client, owner, { answer: { duration: "100" } });
    const { body } = await postForm(server, "/introspect", client, { token });
    expect(Number(body["exp"])).toBeLessThanOrEqual(Math.ceil(server.now() / 1000) + 100);
  });
});

describe("once", () => {
  test("→ no refresh token, no standing consent: the next request shows the page", async () => {
    const owner = await anOwner(server);
    const { body } = await tokensOf(server, client, owner, { answer: { duration: "once" } });
    expect(body.refresh_token).toBeUndefined();
    expect(body.expires_in).toBeLessThanOrEqual(660);
    const page = await owner.agent.follow(await owner.agent.get(authorizeUrl(server, client)));
    expect(consentForm(page).fields.has("duration")).toBe(true);
    const history = (await owner.agent.get("/account/history")).text;
    expect([history.includes("only this once"), history.includes("Until ")]).toEqual([true, false]);
  });
});

describe("scopes that end at different times", () => {
  test("the shorter one → gone from the next token; the other stays, in the token too", async () => {
    const owner = await anOwner(server);
    await tokensOf(server, client, owner, { ask: { scope: "read" }, answer: { duration: "604800" } });
    const both = {
      ask: { scope: "read write", prompt: "consent" },
      answer: { scope: ["read", "write"], duration: "3600" },
    };
    // New scopes end at the time that was chosen now. `read` keeps its own end.
    const { refresh: token } = await tokensOf(server, client, owner, both);
    expect((await use(token)).body.scope).toBe("read write");
    server.tick(HOUR - 20 * SECOND);
    const { body } = await use(token);
    expect([body.scope, decodeJwt(body.access_token ?? "")["scope"], body.expires_in]).toEqual(["read", "read", 600]);
    expectRefusal(await use(token, { scope: "write" }), "invalid_grant");
  });
});

describe("what a later consent does to earlier grants", () => {
  test("the same again, for longer or shorter → they end as before, whatever the time for what is new", async () => {
    const owner = await anOwner(server);
    const { refresh: token } = await tokensOf(server, client, owner, { answer: { duration: "3600" } });
    for (const duration of ["100", "86400", "forever", "once"]) {
      await tokensOf(server, client, owner, { ask: { prompt: "consent" }, answer: { duration } });
      const more = { ask: { scope: "read write", prompt: "consent" }, answer: { scope: ["read", "write"], duration } };
      await tokensOf(server, client, owner, more);
    }
    server.tick(200 * SECOND);
    expect((await use(token)).status).toBe(200);
    server.tick(HOUR);
    expectRefusal(await use(token), "invalid_grant");
  });

  test("another end in the row of a scope, longer → they go on longer; shorter → they end sooner", async () => {
    const owner = await anOwner(server);
    const again = (duration: string) =>
      tokensOf(server, client, owner, { ask: { prompt: "consent" }, answer: { duration, "duration:read": duration } });
    const { refresh: token } = await again("3600");
    await again("86400");
    server.tick(2 * HOUR);
    expect((await use(token)).status).toBe(200);
    await again("100");
    server.tick(101 * SECOND);
    expectRefusal(await use(token), "invalid_grant");
  });

  test("wider → they gain nothing", async () => {
    const owner = await anOwner(server);
    const { refresh: token } = await tokensOf(server, client, owner, { ask: { scope: "read" } });
    await tokensOf(server, client, owner, { ask: { scope: "read write" }, answer: { scope: ["read", "write"] } });
    expect((await use(token)).body.scope).toBe("read");
    expectRefusal(await use(token, { scope: "read write" }), "invalid_scope");
  });

  test("narrowed in the dashboard → the next refresh yields less; to nothing → invalid_grant", async () => {
    const owner = await anOwner(server);
    const { refresh: token } = await tokensOf(server, client, owner, {
      ask: { scope: "read write" },
      answer: { scope: ["read", "write"] },
    });
    const narrow = (remove: readonly string[]) =>
      server.assent.storage.consents.narrow({
        ...keyOf(owner, client),
        remove,
        by: owner.person.personId,
        now: server.now(),
      });
    await narrow(["write"]);
    expect((await use(token)).body.scope).toBe("read");
    await narrow(["read"]);
    expectRefusal(await use(token), "invalid_grant");
  });
});

describe("revoked by the owner, on their page", () => {
  test("→ every grant of that app has ended, other apps' live; the app must ask again", async () => {
    const owner = await anOwner(server);
    const [one, two, others] = [
      await tokensOf(server, pub, owner),
      await tokensOf(server, pub, owner),
      await tokensOf(server, client, owner),
    ];
    const unspent = await codeOf(server, client, owner);
    const page = await owner.agent.get("/account/apps");
    const form = page.forms.find(
      ({ action, fields }) => action.endsWith("/revoke") && fields.get("client_id") === pub.clientId,
    );
    if (form === undefined) throw new Error("no form to revoke with");
    await owner.agent.follow(await owner.agent.submit(form, { revoke: "" }));
    for (const { refresh: token } of [one, two]) expectRefusal(await use(token, {}, pub), "invalid_grant");
    expect((await use(others.refresh)).status).toBe(200);
    expect((await redeem(server, client, unspent)).status).toBe(200);
    const { refresh: anew } = await tokensOf(server, pub, owner);
    expect((await use(anew, {}, pub)).status).toBe(200);
    expectRefusal(await use(one.refresh, {}, pub), "invalid_grant");
  });
});

describe("a scope that was deleted and created again", () => {
  const scope = { name: "albums", description: "Add albums", resource: "https://api.test" };
  let admin: AdminContext;
  beforeAll(() => {
    admin = adminOf(server.assent.storage, server.issuer, server.now);
  });

  test("consents name it → refused, and no app gets it unasked; with the same meaning → they hold again", async () => {
    await server.addScope(scope);
    const mine = await server.addClient({ scopes: ["read", "albums"] });
    const { refresh: token } = await tokensOf(server, mine, await anOwner(server), { ask: { scope: "read albums" } });
    await deleteScope("albums", admin);
    const other = createScope({ ...scope, description: "Delete everything" }, admin);
    await expect(other).rejects.toMatchObject({ kind: "taken" });
    await expect(other).rejects.toThrow(/1 consent of owners still names a deleted scope "albums".*--reuse/);
    await settle();
    expect((await use(token, {}, mine)).body.scope).toBe("read");
    await createScope(scope, admin, { reuse: true });
    await settle();
    expect((await use(token, {}, mine)).body.scope).toBe("read albums");
  });

  test("no consent names it → created", async () => {
    await createScope({ ...scope, name: "sorting" }, admin);
    await deleteScope("sorting", admin);
    expect(await createScope({ ...scope, name: "sorting", description: "Sort all" }, admin)).toMatchObject({
      name: "sorting",
    });
  });
});

describe("what the operator takes away", () => {
  test("AD-19 a scope from the service → gone from the next token; the last one → invalid_grant", async () => {
    await server.addScope({ name: "extra", description: "Extra", resource: "https://api.test" });
    const mine = await server.addClient({ scopes: ["read", "extra"] });
    const owner = await anOwner(server);
    const { refresh: both } = await tokensOf(server, mine, owner, { ask: { scope: "read extra" } });
    const { refresh: last } = await tokensOf(server, mine, owner, { ask: { scope: "extra" } });
    expect((await use(both, {}, mine)).body.scope).toBe("read extra");
    await server.assent.storage.scopes.delete({ name: "extra", now: server.now() });
    await settle();
    expect((await use(both, {}, mine)).body.scope).toBe("read");
    expectRefusal(await use(last, {}, mine), "invalid_grant");
  });

  test("a scope from the client → the same, for kept and rotated tokens, and the code on its way", async () => {
    for (const kind of ["keep", "rotate"] as const) {
      const mine = await server.addClient({ refresh: kind });
      const owner = await anOwner(server);
      const asking = { ask: { scope: "read write" }, answer: { scope: ["read", "write"] } };
      const { refresh: token } = await tokensOf(server, mine, owner, asking);
      const code = await codeOf(server, mine, owner, asking);
      const { secret: _, ...record } = mine;
      const reduced = { ...record, scopes: ["read"], reducedAt: server.now() };
      await server.assent.storage.clients.put({ client: reduced, expect: null });
      await settle();
      const { body } = await use(token, {}, mine);
      expect(body.scope).toBe("read");
      expect((await redeem(server, mine, code)).body.scope).toBe("read");
      expectRefusal(await use(body.refresh_token, { scope: "write" }, mine), "invalid_grant");
    }
  });

  test("AD-19 the client deleted → invalid_client; made again under its id → its old tokens are dead", async () => {
    const mine = await server.addClient();
    const owner = await anOwner(server);
    const { refresh: token } = await tokensOf(server, mine, owner);
    const code = await codeOf(server, mine, owner);
    await server.assent.storage.clients.delete({ clientId: mine.clientId, now: server.now() });
    await settle();
    expectRefusal(await use(token, {}, mine), "invalid_client");
    expectRefusal(await redeem(server, mine, code), "invalid_client");
    expectRefusal(await postForm(server, "/revoke", mine, { token }), "invalid_client");
    const { secret: _, ...record } = mine;
    await server.assent.storage.clients.put({ client: record, expect: null });
    await settle();
    expectRefusal(await use(token, {}, mine), "invalid_grant");
    expectRefusal(await redeem(server, mine, code), "invalid_grant");
    expect((await tokensOf(server, mine, owner)).body.scope).toBe("read");
  });

  test("the client disabled → no page, no token; enabled again → its grants have ended, the consent stands", async () => {
    const mine = await server.addClient();
    const owner = await anOwner(server);
    const { refresh: token } = await tokensOf(server, mine, owner);
    const { secret: _, ...record } = mine;
    await server.assent.storage.clients.put({ client: { ...record, status: "disabled" }, expect: null });
    await settle();
    expectRefusal(await use(token, {}, mine), "invalid_client");
    const page = await owner.agent.get(authorizeUrl(server, mine));
    expect([page.status, page.location]).toEqual([400, undefined]);
    await server.assent.storage.clients.put({ client: record, expect: null });
    await settle();
    expectRefusal(await use(token, {}, mine), "invalid_grant");
    expect((await tokensOf(server, mine, owner)).body.scope).toBe("read");
  });

  test("the 51st live grant of an owner and an app → the longest unused has ended, without a theft", async () => {
    const mine = await server.addClient();
    const owner = await anOwner(server);
    const tokens: string[] = [];
    for (let count = 0; count < 51; count += 1) {
      tokens.push((await tokensOf(server, mine, owner)).refresh);
      server.tick(10);
    }
    const before = logged(server, "refresh_token_replayed");
    expectRefusal(await use(tokens[0], {}, mine), "invalid_grant");
    expect((await use(tokens[1], {}, mine)).status).toBe(200);
    expect((await use(tokens[50], {}, mine)).status).toBe(200);
    expect(logged(server, "refresh_token_replayed")).toBe(before);
  });
});
