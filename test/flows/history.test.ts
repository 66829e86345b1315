/**
 * The owner's history and its receipts (RFC 7515, RFC 8725 §3.11), from the decision to a stranger who verifies the
 * file.
 */

import { compactVerify, createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createResourceServer } from "../../packages/resource-server/src/index.ts";
import { atConsent } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, consentForm, postForm, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const HOUR = 3_600_000;

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
});
afterAll(() => server.stop());

async function allowed() {
  const { username, personId } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const callback = await authorize(agent, authorizeUrl(server, client), username);
  return { agent, username, personId, callback };
}

const receiptLinks = (text: string) =>
  [...text.matchAll(/href="(\/account\/history\/receipt\?entry=[^"]+)"/g)].map(([, link]) => link ?? "");

async function receipt(agent: Agent, link: string) {
  const answer = await agent.get(link, { accept: "application/json" });
  return { answer, body: JSON.parse(answer.text) as Record<string, string> };
}

test("nobody signed in → to the sign-in page, page and receipt alike", async () => {
  for (const path of ["/account/history", "/account/history/receipt?entry=x"])
    expect((await new Agent(server.issuer).get(path)).location?.pathname).toBe("/login");
});

test("another owner's entry, an unknown one, none → the same 404", async () => {
  const { agent } = await allowed();
  const other = await allowed();
  const [link = ""] = receiptLinks((await agent.get("/account/history")).text);
  for (const path of [
    link,
    "/account/history/receipt?entry=AAAAAAAAAAAAAAAAAAAAAA",
    "/account/history/receipt",
    link.replace("/receipt?entry", "?before"),
    "/account/history?before='",
  ])
    expect([path, (await other.agent.get(path)).status]).toEqual([path, 404]);
});

test("allowed, then revoked → both are told, the newest first; who never decided reads that", async () => {
  const { agent } = await allowed();
  server.tick(5);
  const form = (await agent.get("/account/apps")).forms.find(({ action }) => action.endsWith("/revoke"));
  await agent.submit(form ?? consentForm(await agent.get("/")), { revoke: "revoke" });
  const { text } = await agent.get("/account/history");
  expect(text.indexOf("You revoked the access of")).toBeLessThan(text.indexOf("You allowed"));
  expect(text).toContain("See your photos");
  expect(receiptLinks(text)).toHaveLength(2);
  const newcomer = new Agent(server.issuer);
  await signIn(newcomer, (await server.addPerson()).username);
  expect((await newcomer.get("/account/history")).text).toContain("Nothing has happened yet");
});

test('"Don\'t allow" → told with what the app asked for, in the language of the page, with a receipt; twice → once', async () => {
  const app = await server.addClient({ scopes: ["read", "write"] });
  const { username, personId } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, app, { scope: "read write" });
  for (let times = 0; times < 2; times++) {
    const page = await atConsent(agent, url, username);
    const answer = await agent.submit(consentForm(page), { decision: "deny" });
    expect(answer.location?.searchParams.get("error")).toBe("access_denied");
  }
  const { text } = await agent.get("/account/history");
  const plain = text.replaceAll(/<[^>]+>/g, "");
  expect(plain).toContain(`You refused a request from ${app.name}`);
  expect(plain).toContain("It asked to: See your photos · Change your photos");
  expect(plain).not.toContain("It can:");
  const german = await agent.get("/account/history", { "accept-language": "de" });
  expect(german.text.replaceAll(/<[^>]+>/g, "")).toContain(`Sie haben eine Anfrage von ${app.name} abgelehnt`);
  const links = receiptLinks(text);
  expect(links).toHaveLength(1);
  const { body } = await receipt(agent, links[0] ?? "");
  expect(body["content"]).toMatchObject({
    ...{ sub: personId, event: "refused", by: personId, via: "browser", allowed: [], taken_away: [] },
    app: { client_id: app.clientId },
    asked: [
      { scope: "read", text: "See your photos" },
      { scope: "write", text: "Change your photos" },
    ],
  });
  const form = await agent.get("/receipts/verify");
  const [paste] = form.forms.filter(({ action }) => action.endsWith("/verify"));
  const shown = await agent.submit(paste ?? consentForm(form), { receipt: body["receipt"] ?? "" });
  const facts = shown.text.replaceAll(/<[^>]+>/g, " ");
  expect(facts).toMatch(new RegExp(`A request from\\s+${app.name}\\s+was refused`));
  expect(facts).toMatch(/It asked to\s+See your photos\s+Change your photos/);
});

test("a refusal of a paused app, or of one that was allowed for this once → the entry says what it can do then", async () => {
  const app = await server.addClient({ scopes: ["read", "write"] });
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const newest = async () => {
    const { text } = await agent.get("/account/history");
    const [, entry = ""] = text.split('<div class="event">');
    return entry.replaceAll(/<[^>]*>/g, "");
  };
  const refuse = async (scope: string) => {
    const page = await atConsent(agent, authorizeUrl(server, app, { scope, prompt: "consent" }), username);
    await agent.submit(consentForm(page), { decision: "deny" });
  };
  await authorize(agent, authorizeUrl(server, app, { scope: "read" }), username, { duration: "once" });
  await refuse("read write");
  expect(await newest()).toMatch(/It can still until .*: See your photos/);
  const lasting = authorizeUrl(server, app, { scope: "write" });
  await redeem(server, app, await authorize(agent, lasting, username, { duration: "forever" }));
  const agents = await agent.get("/account/agents");
  const pause = agents.forms.find(({ action }) => action.endsWith("/pause"));
  await agent.submit(pause ?? consentForm(agents), {});
  server.tick(5);
  await refuse("read write");
  expect(await newest()).toContain("It is paused. Once resumed, it can until revoked: Change your photos");
  expect(await newest()).not.toContain("It can still");
  const [link = ""] = receiptLinks((await agent.get("/account/history")).text);
  expect((await receipt(agent, link)).body["content"]).toMatchObject({ event: "refused", paused: true });
});

test("permissions with ends of their own → each entry names each permission's end; with one end, they share a line", async () => {
  const app = await server.addClient({ scopes: ["read", "write", "profile"] });
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const allow = (scope: string, fields: Record<string, string>) =>
    authorize(agent, authorizeUrl(server, app, { scope, prompt: "consent" }), username, fields);
  await allow("read", { duration: "604800" });
  const lines = async () => {
    const { text } = await agent.get("/account/history");
    const [, newest = ""] = text.split('<div class="event">');
    return [...newest.matchAll(/<p class="small">(.*?)<\/p>/gs)].map(([, line]) =>
      (line ?? "").replaceAll(/<time datetime="(\d{4}-\d\d-\d\d)[^>]*>[^<]*<\/time>/g, "$1").replaceAll(/<[^>]*>/g, ""),
    );
  };
  const day = (days: number) => new Date(server.now() + days * 24 * HOUR).toISOString().slice(0, 10);
  expect(await lines()).toEqual([`It can until ${day(7)}: See your photos`]);
  await allow("read write profile", { duration: "forever", "duration:write": "86400" });
  expect(await lines()).toEqual([
    `It can until ${day(7)}: See your photos`,
    `It can until ${day(1)}: Change your photos`,
    "It can until revoked: See your name",
  ]);
  const form = (await agent.get("/account/apps")).forms.find(({ action }) => action.endsWith("/narrow"));
  await agent.submit(form ?? consentForm(await agent.get("/")), { keep: ["read", "profile"], narrow: "narrow" });
  expect(await lines()).toEqual([
    `It can until ${day(7)}: See your photos`,
    "It can until revoked: See your name",
    "Removed: Change your photos",
  ]);
});

test("many decisions → a page of them, and the way to the older ones and back", async () => {
  const { agent, username } = await allowed();
  for (let more = 0; more < 30; more++)
    await authorize(agent, authorizeUrl(server, client, { prompt: "consent" }), username);
  const first = await agent.get("/account/history");
  const older = /href="(\/account\/history\?before=[^"]+)"/.exec(first.text)?.[1] ?? "";
  const second = await agent.get(older);
  expect([receiptLinks(first.text).length, receiptLinks(second.text).length]).toEqual([25, 6]);
  expect(second.text).toContain('href="/account/history"');
  expect(new Set([...receiptLinks(first.text), ...receiptLinks(second.text)]).size).toBe(31);
});

test("thirty visits of an app on one day → one line, without a receipt", async () => {
  // Moves to noon of the next day, because visits before and after midnight count as two days. Afterwards the clock
  // goes back, because the API uses the real time.
  const toNoon = 36 * HOUR - (server.now() % (24 * HOUR));
  server.tick(toNoon);
  onTestFinished(() => server.tick(-toNoon));
  const { agent, username } = await allowed();
  for (let more = 0; more < 30; more++) await authorize(agent, authorizeUrl(server, client), username);
  const { text } = await agent.get("/account/history");
  expect(text.split("connected again with the access it already had")).toHaveLength(2);
  expect(receiptLinks(text)).toHaveLength(1);
  const { personId: ownerId, partition } = (await server.assent.storage.people.findByName({ name: username })) ?? {
    personId: "",
    partition: 0,
  };
  const entries = await server.assent.storage.history.list({ partition, ownerId, before: null, limit: 50 });
  expect(entries.map(({ kind }) => kind)).toEqual(["reconnected", "allowed"]);
  const path = `/account/history/receipt?entry=${entries[0]?.entryId}`;
  expect((await agent.get(path)).status).toBe(404);
});

describe("a receipt", () => {
  test("→ a file that the published keys verify, and says what was decided", async () => {
    const { agent, personId } = await allowed();
    const [link = ""] = receiptLinks((await agent.get("/account/history")).text);
    const { answer, body } = await receipt(agent, link);
    expect(answer.headers.get("content-disposition")).toMatch(
      /^attachment; filename="receipt-\d{4}-\d\d-\d\d-\S{6}\.json"$/,
    );
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const keys = (await (await fetch(body["keys"] ?? "")).json()) as JSONWebKeySet;
    expect(JSON.stringify(keys)).not.toContain('"d"');
    const { payload, protectedHeader } = await jwtVerify(body["receipt"] ?? "", createLocalJWKSet(keys), {
      issuer: server.issuer,
      typ: "consent-receipt+jwt",
      currentDate: new Date(server.now()),
    });
    expect(protectedHeader).toMatchObject({ alg: "ES256", typ: "consent-receipt+jwt" });
    expect(payload).toEqual(body["content"]);
    expect(payload).toMatchObject({
      ...{ sub: personId, event: "allowed", by: personId, via: "browser", taken_away: [] },
      app: { client_id: client.clientId },
      allowed: [{ scope: "read", text: "See your photos" }],
    });
  });

  test("→ no access token: not at introspection, not at an API that verifies by itself; nor the other way round", async () => {
    const { agent, callback } = await allowed();
    const [link = ""] = receiptLinks((await agent.get("/account/history")).text);
    const { body } = await receipt(agent, link);
    const token = body["receipt"] ?? "";
    const introspected = await postForm(server, "/introspect", client, { token });
    expect(introspected.body).toEqual({ active: false });
    const request = (bearer: string) =>
      new Request("https://api.test/", { headers: { authorization: `Bearer ${bearer}` } });
    const api = createResourceServer({ issuer: server.issuer, audience: "https://api.test" });
    await expect(api.protect(request(token))).rejects.toThrow();
    const access = (await redeem(server, client, callback)).body.access_token ?? "";
    expect((await api.protect(request(access))).scope).toBe("read");
    const keys = createLocalJWKSet((await (await fetch(`${server.issuer}/jwks`)).json()) as JSONWebKeySet);
    await expect(jwtVerify(access, keys, { typ: "consent-receipt+jwt" })).rejects.toThrow(/typ/);
  });

  test("→ verified still when its key has long gone from the keys that sign tokens", async () => {
    const { agent } = await allowed();
    const [link = ""] = receiptLinks((await agent.get("/account/history")).text);
    const { body } = await receipt(agent, link);
    const { kid } = JSON.parse(Buffer.from(body["receipt"]?.split(".")[0] ?? "", "base64url").toString()) as {
      kid: string;
    };
    await server.assent.storage.keys.retire({ kid, now: server.now() });
    await server.assent.storage.keys.remove({ kid });
    const keys = (await (await fetch(body["keys"] ?? "")).json()) as JSONWebKeySet;
    expect(keys.keys.map((key) => key["kid"])).toContain(kid);
    await compactVerify(body["receipt"] ?? "", createLocalJWKSet(keys));
  });
});
