/** UP-28: calls that say that somebody was disabled, enabled, deleted or signed out elsewhere, by callers who may not say so. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import { Agent, authorize, authorizeUrl, redeem, refresh } from "../support/http-browser.ts";
import {
  addProvider,
  aSubject,
  ForgingProvider,
  isSignedIn,
  pressProvider,
  startServerForProviders,
} from "../support/sign-in-providers.ts";
import { settle, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let there: ForgingProvider;
let other: ForgingProvider;
let directory: TestClient;
let otherDirectory: TestClient;
let provider: SignInProvider;
let otherProvider: SignInProvider;

beforeAll(async () => {
  server = await startServerForProviders();
  [there, other] = await Promise.all([ForgingProvider.start(server.now), ForgingProvider.start(server.now)]);
  [directory, otherDirectory] = await Promise.all([server.addClient(), server.addClient()]);
  const paused = { whenDisabled: "pause" } as const;
  provider = await addProvider(server, there.issuer, { ...paused, changeClients: [directory.clientId] });
  otherProvider = await addProvider(server, other.issuer, { ...paused, changeClients: [otherDirectory.clientId] });
});
afterAll(() => Promise.all([server.stop(), there.stop(), other.stop()]));

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;

type Fields = Readonly<Record<string, string>>;

function call(fields: Fields | string, authorization: string | null = basic(directory.clientId, directory.secret)) {
  return fetch(`${server.issuer}/upstream/change`, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(authorization === null ? {} : { authorization }),
    },
    body: typeof fields === "string" ? fields : new URLSearchParams(fields).toString(),
  });
}

const say = async (change: string, subject: string, more: Fields = {}) => {
  const answer = await call({ provider: provider.id, subject, change, ...more });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  return (await answer.json()) as Readonly<Record<string, unknown>>;
};

/** Somebody who signed in at the provider. */
async function signedInThere(claims = aSubject(), at = there, by = provider) {
  const agent = new Agent(server.issuer);
  const begun = await pressProvider(agent, await agent.get("/login"), by);
  const page = await agent.follow(await agent.get(at.callback(begun, {}, claims)));
  return { agent, claims, page };
}

describe("UP-28 a caller who may not say so", () => {
  let ada: Awaited<ReturnType<typeof signedInThere>>;
  beforeAll(async () => {
    ada = await signedInThere();
  });

  test.each<[string, () => Promise<Response>, number]>([
    ["no credential", () => call({ provider: provider.id, subject: ada.claims.sub, change: "disabled" }, null), 401],
    [
      "a wrong secret",
      () =>
        call({ provider: provider.id, subject: ada.claims.sub, change: "disabled" }, basic(directory.clientId, "no")),
      401,
    ],
    [
      "another client's secret",
      () =>
        call(
          { provider: provider.id, subject: ada.claims.sub, change: "disabled" },
          basic(directory.clientId, otherDirectory.secret),
        ),
      401,
    ],
    [
      "a client of another provider",
      () =>
        call(
          { provider: provider.id, subject: ada.claims.sub, change: "disabled" },
          basic(otherDirectory.clientId, otherDirectory.secret),
        ),
      403,
    ],
    [
      "its own provider's id with a prefix",
      () => call({ provider: ` ${provider.id}`, subject: ada.claims.sub, change: "disabled" }),
      403,
    ],
    ["an unknown provider", () => call({ provider: "x", subject: ada.claims.sub, change: "disabled" }), 403],
    ["no provider, without people of an application", () => call({ subject: ada.claims.sub, change: "disabled" }), 403],
    ["two subjects", () => call(`provider=${provider.id}&subject=${ada.claims.sub}&subject=x&change=disabled`), 400],
    ["an unknown change", () => call({ provider: provider.id, subject: ada.claims.sub, change: "promoted" }), 400],
    ["no change", () => call({ provider: provider.id, subject: ada.claims.sub }), 400],
    ["an empty subject", () => call({ provider: provider.id, subject: "", change: "disabled" }), 400],
    [
      "a subject of 256 characters",
      () => call({ provider: provider.id, subject: "x".repeat(256), change: "disabled" }),
      400,
    ],
  ])("%s → refused, and nothing changes", async (_, attempt, status) => {
    const answer = await attempt();
    expect(answer.status).toBe(status);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await isSignedIn(ada.agent)).toBe(true);
  });

  test("1 MB, a GET → refused", async () => {
    const large = await call({ provider: provider.id, subject: "x".repeat(1_048_576), change: "x" }).catch(
      () => undefined,
    );
    expect([413, undefined]).toContain(large?.status);
    expect((await fetch(`${server.issuer}/upstream/change`)).status).toBe(405);
  });

  test("the own provider, a person of another one → unknown, and that person stays", async () => {
    const bob = await signedInThere(aSubject(), other, otherProvider);
    expect(await say("disabled", bob.claims.sub)).toEqual({ result: "unknown", sessions_ended: 0 });
    expect(await isSignedIn(bob.agent)).toBe(true);
  });

  test("a disabled provider, also with a right credential → refused", async () => {
    const off = await addProvider(server, "http://127.0.0.1:9/off", {
      status: "disabled",
      changeClients: [directory.clientId],
    });
    expect((await call({ provider: off.id, subject: "x", change: "disabled" })).status).toBe(403);
  });

  test("a public client → refused", async () => {
    const app = await server.addClient({ type: "public" });
    const open = await addProvider(server, "http://127.0.0.1:9/open", { changeClients: [app.clientId] });
    const fields = { provider: open.id, subject: "x", change: "disabled", client_id: app.clientId };
    expect((await call(fields, null)).status).toBe(401);
  });
});

describe("UP-28 the right caller", () => {
  test("disabled → signed out, refused at the next sign-in, the app gets nothing; twice → unchanged; enabled → as before", async () => {
    const { agent, claims } = await signedInThere();
    const app = await server.addClient();
    const code = await authorize(agent, authorizeUrl(server, app, { scope: "read" }), "");
    const { body } = await redeem(server, app, code);
    const token = String(body["refresh_token"]);
    const introspected = () => introspect(app, token);
    expect(await introspected()).toMatchObject({ active: true });

    expect(await say("disabled", claims.sub)).toEqual({ result: "changed", sessions_ended: 1 });
    expect(await say("disabled", claims.sub)).toEqual({ result: "unchanged", sessions_ended: 0 });
    expect(await isSignedIn(agent)).toBe(false);
    expect((await signedInThere(claims)).page.status).toBe(403);
    expect(await introspected()).toEqual({ active: false });
    expect((await refresh(server, app, token)).body).toMatchObject({ error: "invalid_grant" });

    expect(await say("enabled", claims.sub)).toEqual({ result: "changed", sessions_ended: 0 });
    expect(await say("enabled", claims.sub)).toEqual({ result: "unchanged", sessions_ended: 0 });
    expect(await introspected()).toMatchObject({ active: true });
    expect((await refresh(server, app, token)).status).toBe(200);
    const again = await signedInThere(claims);
    const history = (await again.agent.get("/account/history")).text;
    expect(history).toContain("The account was disabled because it was disabled at");
    expect(history).toContain("The account was enabled again because it was enabled at");
    const logged = server.log.map((line) => JSON.parse(line)).filter(({ event }) => event === "upstream_change");
    expect(logged.slice(-4).map(({ change, result }) => [change, result])).toEqual([
      ["disabled", "changed"],
      ["disabled", "unchanged"],
      ["enabled", "changed"],
      ["enabled", "unchanged"],
    ]);
    expect(JSON.stringify(logged)).not.toContain(claims.sub);
  });

  test("an operator disabled the person → enabled changes nothing", async () => {
    const { agent, claims } = await signedInThere();
    const { storage } = server.assent;
    const subject = { issuerId: provider.id, claim: there.issuer, subject: claims.sub };
    const person = await storage.subjectLinks.findPerson({ subject });
    if (person === undefined) throw new Error("nobody");
    const { partition, personId } = person;
    await storage.people.setStatus({ partition, personId, status: "disabled", now: server.now() });
    expect(await say("enabled", claims.sub)).toEqual({ result: "unchanged", sessions_ended: 0 });
    expect(await isSignedIn(agent)).toBe(false);
    expect((await signedInThere(claims)).page.status).toBe(403);
  });

  test("20 calls and 10 sign-ins at once → disabled, and nobody has a session", async () => {
    const claims = aSubject();
    await signedInThere(claims);
    const agents = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const agent = new Agent(server.issuer);
        const begun = await pressProvider(agent, await agent.get("/login"), provider);
        return { agent, callback: there.callback(begun, {}, claims) };
      }),
    );
    const results = await Promise.all([
      ...agents.map(async ({ agent, callback }) => void (await agent.get(callback))),
      ...Array.from({ length: 20 }, () => say("disabled", claims.sub)),
    ]);
    expect(results.filter((one) => one?.["result"] === "changed")).toHaveLength(1);
    await settle();
    expect(await Promise.all(agents.map(({ agent }) => isSignedIn(agent)))).toEqual(agents.map(() => false));
  });
});

async function introspect(app: TestClient, token: string): Promise<unknown> {
  const answer = await fetch(`${server.issuer}/introspect`, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      authorization: basic(app.clientId, app.secret),
    },
    body: new URLSearchParams({ token }).toString(),
  });
  return answer.json();
}
