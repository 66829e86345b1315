/** Clients that a document describes (draft-ietf-oauth-client-id-metadata-document-02). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signedInPerson } from "../support/back-channel.ts";
import { aDocumentSite, type DocumentSite } from "../support/document-site.ts";
import { rowCounts } from "../support/front-channel.ts";
import {
  Agent,
  authorizeUrl,
  consentForm,
  type Page,
  pkce,
  postForm,
  redeem,
  refresh,
} from "../support/http-browser.ts";
import { aKeyPair, claimsOf, sign, withAssertion } from "../support/signing-clients.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let site: DocumentSite;

beforeAll(async () => {
  [server, site] = await Promise.all([
    startServer({ fetchFromLoopback: true, config: { clientIdMetadata: "on" } }),
    aDocumentSite(),
  ]);
});
afterAll(async () => {
  await server.stop();
  await site.close();
});

const proof = pkce();
const PKCE = { code_challenge: proof.challenge, code_challenge_method: "S256" };
const at = (client: TestClient, more: Record<string, string | undefined> = {}) =>
  authorizeUrl(server, client, { ...PKCE, ...more });

const CHANGED = "changed its name or logo";
const asksConsent = ({ forms }: Page) => forms.some(({ action }) => action === "/consent");

async function allow(agent: Agent, url: string): Promise<URL> {
  const page = await agent.submit(consentForm(await agent.get(url)), { decision: "allow" });
  if (page.location === undefined) throw new Error(`no code: ${page.status} ${page.text.slice(0, 500)}`);
  return page.location;
}

/** Lets the documents of the site be fetched again: each is kept for a minute. */
const aMinuteLater = async () => {
  for (let step = 0; step < 120; step += 1) await settle();
};

describe("a document describes the client", () => {
  test("CM-01 a loopback port that no document names → the page, a code, tokens; the client is in the lists", async () => {
    const client = site.publish("/cm-01.json");
    const { agent } = await signedInPerson(server);
    const redirectUri = "http://127.0.0.1:51004/cb";
    const url = at(client, { redirect_uri: redirectUri });
    const page = await agent.get(url);
    expect(page.status).toBe(200);
    expect(page.text).toContain(new URL(site.origin).host);
    expect(page.text).toContain("Any program on this device can pretend to be this app");
    expect(page.text).not.toContain("hasn’t checked who makes this app");
    const location = await allow(agent, url);
    expect(location.origin).toBe("http://127.0.0.1:51004");
    const { status, body } = await redeem(server, client, location, {
      code_verifier: proof.verifier,
      redirect_uri: redirectUri,
    });
    expect([status, body.scope]).toEqual([200, "read"]);
    const again = await refresh(server, client, String(body["refresh_token"]));
    expect(again.status).toBe(200);
    await settle();
    const stored = await server.assent.storage.clients.get({ clientId: client.clientId });
    expect(stored?.record).toMatchObject({ name: "Code Tool", reviewed: false, status: "active" });
    expect((await agent.get("/account/apps")).text).toContain("Code Tool");
    expect((await agent.get("/account/history")).text).toContain("Code Tool");
  });

  test("metadata says that documents are supported", async () => {
    const metadata = await (await fetch(`${server.issuer}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({ client_id_metadata_document_supported: true });
  });

  test("http://localhost in the document → its port may differ; another path → refused", async () => {
    const client = site.publish("/localhost.json", { redirect_uris: ["http://localhost/callback"] });
    const { agent } = await signedInPerson(server);
    expect(asksConsent(await agent.get(at(client, { redirect_uri: "http://localhost:3118/callback" })))).toBe(true);
    expect((await agent.get(at(client, { redirect_uri: "http://localhost:3118/other" }))).status).toBe(400);
  });

  test("private_key_jwt: the key of the document signs; another key → invalid_client; a rotated key works without a page", async () => {
    const [old, next] = await Promise.all([aKeyPair(), aKeyPair()]);
    const keys = { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [old.jwk] } };
    const client = site.publish("/key.json", keys);
    const { agent } = await signedInPerson(server);
    const code = await allow(agent, at(client));
    const form = {
      grant_type: "authorization_code",
      code: code.searchParams.get("code") ?? "",
      redirect_uri: client.redirectUris[0] ?? "",
      code_verifier: proof.verifier,
    };
    const by = async (key: typeof old, fields: Record<string, string>) =>
      withAssertion(server, await sign(key, claimsOf(server, client)), fields);
    expect((await postForm(server, "/token", null, { ...form, client_id: client.clientId })).status).toBe(401);
    expect((await by(next, form)).status).toBe(401);
    const { status, body } = await by(old, form);
    expect(status).toBe(200);
    site.publish("/key.json", { ...keys, jwks: { keys: [next.jwk] } });
    await aMinuteLater();
    const renewal = { grant_type: "refresh_token", refresh_token: String(body["refresh_token"]) };
    expect((await by(next, renewal)).status).toBe(200);
    expect((await by(old, renewal)).status).toBe(401);
  });

  test("CM-20 the host is away: refresh goes on for 7 days after the last read, then invalid_client", async () => {
    const client = site.publish("/away.json");
    const { agent } = await signedInPerson(server);
    const location = await allow(agent, at(client));
    const { body } = await redeem(server, client, location, { code_verifier: proof.verifier });
    site.answer("/away.json", (_, response) => response.writeHead(500).end());
    await aMinuteLater();
    const again = await refresh(server, client, String(body["refresh_token"]));
    expect(again.status).toBe(200);
    server.tick(7 * 86_400_000 + 1);
    await aMinuteLater();
    expect((await refresh(server, client, String(again.body["refresh_token"]))).status).toBe(401);
  });
});

describe("CM-12 the document changes after a consent", () => {
  /** A client with its answers on its own host, which needs no page the second time. */
  async function remembered(path: string) {
    const redirectUris = [`${site.origin}/cb`];
    const client = site.publish(path, { redirect_uris: redirectUris });
    const owner = await signedInPerson(server);
    await allow(owner.agent, at(client));
    return { client, ...owner };
  }

  test.each<readonly [string, Record<string, unknown>]>([
    ["its name", { client_name: "Other Tool" }],
    ["its logo", { logo_uri: "https://tool.test/logo.png" }],
  ])(
    "%s → the page again, which says so; the refresh token goes on; after the answer, not again",
    async (what, changes) => {
      const path = `/changed-${what}.json`.replaceAll(" ", "-");
      const client = site.publish(path);
      const { agent } = await signedInPerson(server);
      const location = await allow(agent, at(client));
      const { body } = await redeem(server, client, location, { code_verifier: proof.verifier });
      expect((await agent.get(at(client))).text).not.toContain(CHANGED);
      site.publish(path, changes);
      await aMinuteLater();
      const page = await agent.get(at(client));
      expect(page.text).toContain(CHANGED);
      expect(page.text).toContain("Code Tool");
      expect(page.text).not.toContain("another address");
      await agent.submit(consentForm(page), { decision: "allow" });
      expect((await agent.get(at(client))).text).not.toContain(CHANGED);
      expect((await refresh(server, client, String(body["refresh_token"]))).status).toBe(200);
      expect((await agent.get("/account/history")).text).not.toContain("new address");
    },
  );

  test("the name changes between the page and the answer → nothing is stored, and the page shows the new name", async () => {
    const client = site.publish("/between.json", { redirect_uris: [`${site.origin}/cb`] });
    const { agent } = await signedInPerson(server);
    const page = await agent.get(at(client));
    expect(page.text).toContain("Code Tool");
    site.publish("/between.json", { redirect_uris: [`${site.origin}/cb`], client_name: "Another Tool" });
    await aMinuteLater();
    const again = await agent.submit(consentForm(page), { decision: "allow" });
    expect([again.status, again.location]).toEqual([400, undefined]);
    expect(again.text).toContain("This page is out of date");
    expect(again.text).toContain("Another Tool");
    expect((await agent.get("/account/apps")).text).not.toContain("Tool");
    const answered = await agent.submit(consentForm(again), { decision: "allow" });
    expect(answered.location?.searchParams.get("code")).toBeTruthy();
    expect((await agent.get("/account/apps")).text).toContain("Another Tool");
  });

  test("an operator verified and vouched for the app, and its name or a host of it changes → no more", async () => {
    for (const [path, changes] of [
      ["/vouched-name.json", { client_name: "Other Tool" }],
      ["/vouched-host.json", { redirect_uris: [`${site.origin}/cb`, "https://other.test/cb"] }],
    ] as const) {
      const redirectUris = [`${site.origin}/cb`];
      const client = site.publish(path, { redirect_uris: redirectUris });
      const { agent } = await signedInPerson(server);
      await allow(agent, at(client));
      const { clients } = server.assent.storage;
      const stored = async () => (await clients.get({ clientId: client.clientId }))?.record;
      const before = await stored();
      if (before === undefined) throw new Error("not stored");
      const judged = { verified: true, reviewed: true, firstParty: true, publisher: "Tool Ltd" };
      await clients.put({ client: { ...before, ...judged }, expect: null });
      site.publish(path, { redirect_uris: redirectUris, jwks_uri: undefined, client_uri: "https://tool.test" });
      await aMinuteLater();
      await agent.get(at(client));
      expect(await stored()).toMatchObject(judged);
      site.publish(path, { redirect_uris: redirectUris, ...changes });
      await aMinuteLater();
      await agent.get(at(client));
      expect(await stored()).toMatchObject({ verified: false, reviewed: false, firstParty: false, publisher: null });
    }
  });

  test("a redirect that the browser can't verify, and one on another host → never without a page", async () => {
    const elsewhere = site.publish("/elsewhere.json", { redirect_uris: ["https://app.test/cb"] });
    const scheme = site.publish("/scheme.json", { redirect_uris: ["com.example.tool:/cb"] });
    const { client } = await remembered("/own.json");
    for (const one of [elsewhere, scheme, client]) {
      const { agent } = await signedInPerson(server);
      await allow(agent, at(one));
      expect(asksConsent(await agent.get(at(one)))).toBe(true);
    }
  });
});

describe("hosts that are slow", () => {
  test("CM-08 one byte a second → 400 after 5 s at most; meanwhile a client that an owner allowed reads its document from the same host", async () => {
    const known = site.publish("/known.json");
    const { agent } = await signedInPerson(server);
    const location = await allow(agent, at(known));
    const { body } = await redeem(server, known, location, { code_verifier: proof.verifier });
    await aMinuteLater();
    const drips: NodeJS.Timeout[] = [];
    const slow = Array.from({ length: 6 }, (_, number) =>
      site.answer(`/slow-${number}.json`, (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        drips.push(setInterval(() => response.write(" "), 200));
      }),
    );
    const began = performance.now();
    const pages = Promise.all(slow.map((one) => new Agent(server.issuer).get(at(one))));
    await expect.poll(() => drips.length, { timeout: 4_000 }).toBe(4);
    const before = site.asked.length;
    expect((await refresh(server, known, String(body["refresh_token"]))).status).toBe(200);
    expect(site.asked.slice(before)).toContain("/known.json");
    expect(performance.now() - began).toBeLessThan(5_000);
    expect((await pages).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 400));
    for (const drip of drips) clearInterval(drip);
    // Until then, the server leaves the host alone for new clients.
    await aMinuteLater();
  });
});

describe("CM-20 nobody uses it", () => {
  test("for 30 days after its last grant ended → it is in no list, and asks as a new one; its events stay", async () => {
    const client = site.publish("/unused.json");
    const { agent } = await signedInPerson(server);
    await allow(agent, at(client));
    const { storage } = server.assent;
    const isStored = async () => (await storage.clients.get({ clientId: client.clientId })) !== undefined;
    const collect = async () => {
      for (const what of ["grants", "unused_clients"] as const)
        await storage.housekeeping.collect({ what, now: server.now(), limit: 1000 });
    };
    server.tick(29 * 86_400_000);
    await collect();
    expect(await isStored()).toBe(true);
    server.tick(2 * 86_400_000);
    await collect();
    expect(await isStored()).toBe(false);
    await settle();
    const again = await signedInPerson(server);
    expect(asksConsent(await again.agent.get(at(client)))).toBe(true);
  });
});

describe("CM-15 nobody signs in", () => {
  test("→ the document is fetched, and nothing is stored", async () => {
    const client = site.publish("/visitor.json");
    // Refusals of the tests above are stored in the background.
    const counts = async () => ({ ...(await rowCounts(server.dataDir)), refusals: 0 });
    const before = await counts();
    const page = await new Agent(server.issuer).get(at(client));
    expect(page.forms.some(({ fields }) => fields.has("username"))).toBe(true);
    expect(site.asked).toContain("/visitor.json");
    expect(await counts()).toEqual(before);
  });
});
