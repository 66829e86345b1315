/** The logo that a client names itself: nobody sees it until an operator has reviewed the client. */

import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminApi, adminApi } from "../support/admin-api.ts";
import { signedInPerson } from "../support/back-channel.ts";
import { aDocumentSite, type DocumentSite } from "../support/document-site.ts";
import { authorizeUrl, consentForm, pkce } from "../support/http-browser.ts";
import { anInitialToken, aRegistration, clientOf, manage, register } from "../support/registration.ts";
import { settle, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let site: DocumentSite;
let api: AdminApi;
let picture: Buffer;

beforeAll(async () => {
  const config = { registration: "token", clientIdMetadata: "on", trustProxy: ["127.0.0.0/8"] } as const;
  [server, site] = await Promise.all([startServer({ fetchFromLoopback: true, config }), aDocumentSite()]);
  api = await adminApi(server);
  picture = await sharp({ create: { width: 300, height: 200, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  site.answer("/logo.png", (_, response) => response.writeHead(200, { "content-type": "image/png" }).end(picture));
});
afterAll(async () => {
  await server.stop();
  await site.close();
});

const proof = { code_challenge: pkce().challenge, code_challenge_method: "S256" };

/** A client that registered itself with a logo at this path of the site: only the stored address can be http. */
async function registered(path: string) {
  const metadata = { ...aRegistration, logo_uri: "https://stranger.test/logo.png" };
  const made = await register(server, metadata, { token: await anInitialToken(server) });
  expect(made.body).toMatchObject({ logo_uri: metadata.logo_uri });
  const { storage } = server.assent;
  const clientId = made.body.client_id ?? "";
  const found = await storage.clients.get({ clientId });
  if (found?.record.registered === undefined) throw new Error(made.text);
  const own = { ...found.record.registered, logoUri: site.origin + path };
  await storage.clients.put({ client: { ...found.record, registered: own }, expect: found.version });
  await settle();
  return { made, metadata, clientId, client: clientOf(made) };
}

const stored = async (clientId: string) => (await server.assent.storage.clients.get({ clientId }))?.record;
const review = (clientId: string, more: object = { reviewed: true }) =>
  api.patch(`/clients/${encodeURIComponent(clientId)}`, more);
const timesAsked = (path: string) => site.asked.filter((one) => one === path).length;

describe("logo_uri", () => {
  test.each([
    ["HTML", "/page"],
    ["a redirect", "/moved"],
    ["nothing there", "/gone"],
    ["a huge picture", "/huge"],
  ])("%s → no logo, and the review counts", async (_, path) => {
    site.answer("/page", (__, response) => response.writeHead(200, { "content-type": "image/png" }).end("<html>"));
    site.answer("/moved", (__, response) => response.writeHead(302, { location: "/logo.png" }).end());
    site.answer("/huge", (__, response) => response.writeHead(200).end(Buffer.alloc(1_100_000)));
    const { clientId } = await registered(path);
    const answer = await review(clientId);
    expect([answer.status, answer.body?.["reviewed"]]).toEqual([200, true]);
    expect(answer.body).not.toHaveProperty("logo_uri");
    expect(timesAsked(path)).toBe(1);
    expect((await stored(clientId))?.logo).toBeNull();
  });

  test("nobody has reviewed the client → nothing is fetched, the page shows no picture", async () => {
    const { client, clientId } = await registered("/logo.png");
    const before = timesAsked("/logo.png");
    const { agent } = await signedInPerson(server);
    const page = await agent.get(authorizeUrl(server, client, proof));
    expect(page.text).not.toContain("/logos/");
    await review(clientId, { client_uri: "https://stranger.test/" });
    expect(timesAsked("/logo.png")).toBe(before);
  });

  test("reviewed → fetched once, shown from this server, made small; another logo_uri ends picture and review", async () => {
    const { made, metadata, client, clientId } = await registered("/logo.png");
    const before = timesAsked("/logo.png");
    const answer = await review(clientId);
    expect(answer.body?.["logo_uri"]).toMatch(new RegExp(`^${server.issuer}/logos/`));
    expect((await review(clientId)).status).toBe(200);
    expect(timesAsked("/logo.png")).toBe(before + 1);
    await settle();

    const { agent } = await signedInPerson(server);
    const page = await agent.get(authorizeUrl(server, client, proof));
    const { logo } = (await stored(clientId)) ?? {};
    expect(page.text).toContain(`/logos/${logo}`);
    expect(page.text).not.toContain(site.origin);
    const shown = await fetch(`${server.issuer}/logos/${logo}`);
    const { width, format } = await sharp(Buffer.from(await shown.arrayBuffer())).metadata();
    expect([width, format]).toEqual([256, "png"]);

    const other = { ...metadata, client_id: clientId, logo_uri: "https://stranger.test/other.png" };
    const changed = await manage("PUT", made, other);
    expect([changed.status, changed.body["logo_uri"]]).toEqual([200, other.logo_uri]);
    expect(await stored(clientId)).toMatchObject({ logo: null, reviewed: false });
  });

  test.each([
    ["its name", { client_name: "Your Bank" }],
    ["its name in another language", { "client_name#de": "Ihre Bank" }],
    ["its redirect host", { redirect_uris: ["https://elsewhere.test/cb"] }],
  ])(
    "a reviewed client changes %s → the picture ends with the review, and a new review takes it again",
    async (_, change) => {
      const { made, metadata, clientId } = await registered("/logo.png");
      await review(clientId);
      const logo = (await stored(clientId))?.logo;
      expect(logo).not.toBeNull();
      await settle();
      const own = (await stored(clientId))?.registered?.logoUri;
      // The test's site has only http, so its address can't be sent: the record gets it as the client would send it.
      const { storage } = server.assent;
      const found = await storage.clients.get({ clientId });
      if (found?.record.registered === undefined) throw new Error(clientId);
      const sent = { ...found.record.registered, logoUri: metadata.logo_uri };
      await storage.clients.put({ client: { ...found.record, registered: sent }, expect: found.version });
      expect((await manage("PUT", made, { ...metadata, client_id: clientId, ...change })).status).toBe(200);
      const changed = await storage.clients.get({ clientId });
      expect(changed?.record).toMatchObject({ logo: null, reviewed: false });
      if (changed?.record.registered === undefined) throw new Error(clientId);
      const again = { ...changed.record.registered, ...(own && { logoUri: own }) };
      await storage.clients.put({ client: { ...changed.record, registered: again }, expect: changed.version });
      await review(clientId);
      expect(await stored(clientId)).toMatchObject({ logo, reviewed: true });
    },
  );

  test("an operator chose a picture → the review leaves it", async () => {
    const { clientId } = await registered("/logo.png");
    const own = await sharp({ create: { width: 50, height: 50, channels: 3, background: "blue" } })
      .png()
      .toBuffer();
    await api.call("PUT", `/clients/${clientId}/logo`, { raw: own, headers: { "content-type": "image/png" } });
    const { logo } = (await stored(clientId)) ?? {};
    await review(clientId);
    expect((await stored(clientId))?.logo).toBe(logo);
  });

  test("a client by document, verified → its logo is fetched; the document names another → no logo", async () => {
    const client = site.publish("/app.json", { logo_uri: `${site.origin}/logo.png` });
    const { agent } = await signedInPerson(server);
    const url = authorizeUrl(server, client, { ...proof, prompt: "consent" });
    const page = await agent.get(url);
    expect(page.text).not.toContain("/logos/");
    await agent.submit(consentForm(page), { decision: "allow" });
    await settle();
    const answer = await review(client.clientId, { verified: true });
    expect(answer.body?.["logo_uri"]).toMatch(/\/logos\//);
    await settle();
    expect((await agent.get(url)).text).toContain("/logos/");

    site.publish("/app.json", { logo_uri: `${site.origin}/other.png` });
    for (let step = 0; step < 120; step += 1) await settle();
    expect((await agent.get(url)).text).not.toContain("/logos/");
    await settle();
    expect(await stored(client.clientId)).toMatchObject({ logo: null, verified: false });
  });
});
