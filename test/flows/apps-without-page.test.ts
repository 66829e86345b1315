/** "Your apps" about an app that gets access by assertions alone: no page can ask its owner for anything. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { aJwtIssuer, claimsFor, JWT_BEARER, jwtOf, present, trust } from "../support/assertion-requests.ts";
import { addCompany, addMember } from "../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, type Page, redeem, signIn } from "../support/http-browser.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const idp = aJwtIssuer("https://idp.test");
const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";
const GONE = "This app can’t ask you again. If you want it back later, ask the operator of this service.";
const NEXT_ASKS = "Next time, this app asks you for whom it acts.";
const NEXT_SELF = "Next time, this app may connect for you without asking.";
let server: TestServer;
let member: Person;

beforeAll(async () => {
  server = await startServer();
  await trust(server, { issuer: idp.issuer, type: "jwt", jwks: idp.jwks });
  member = await server.addPerson();
  await addMember(server, await addCompany(server), member);
});
afterAll(() => server.stop());

const aBatchClient = (changes: Partial<TestClient> = {}) =>
  server.addClient({ name: "Batch", grantTypes: [JWT_BEARER], redirectUris: [], ...changes });
const use = (client: TestClient, { username }: Person) =>
  present(server, client, JWT_BEARER, jwtOf(idp, claimsFor(server, idp, username)), { scope: "read" });

async function signedIn(owner: Person): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await signIn(agent, owner.username);
  return agent;
}
const plain = (text: string | undefined) =>
  text
    ?.replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(" .", ".")
    .trim() ?? "";
const notice = ({ text }: Page) => plain(/<div class="notice done"[^>]*>[\s\S]*?<p>([\s\S]*?)<\/p>/.exec(text)?.[1]);
const formOf = ({ forms }: Page, end: string, { clientId }: TestClient) =>
  forms.find(({ action, fields }) => action.endsWith(end) && fields.get("client_id") === clientId);

/** What the page says of an app. */
function cardOf({ text }: Page, { clientId }: TestClient): string {
  return plain(text.split("<article").find((card) => card.includes(`id="app-${clientId}"`)));
}

test("an app that can ask on a page, in a browser or on a device → it asks for whom, and can ask again", async () => {
  const agent = await signedIn(member);
  const onDevice = await aBatchClient({ grantTypes: [JWT_BEARER, DEVICE] });
  const inBrowser = await server.addClient({ name: "Printer", scopes: ["read"] });
  expect((await use(onDevice, member)).status).toBe(200);
  await redeem(server, inBrowser, await authorize(agent, authorizeUrl(server, inBrowser), member.username));
  const page = await agent.get("/account/apps");
  for (const client of [onDevice, inBrowser]) {
    expect(cardOf(page, client)).toContain("The app can ask you again.");
    expect(cardOf(page, client)).not.toContain(GONE);
  }
  expect(cardOf(page, onDevice)).toContain(NEXT_ASKS);
});

test("it has assertions alone, or no redirect URI → nobody is asked next time, and it can't ask again", async () => {
  const agent = await signedIn(member);
  for (const grantTypes of [[JWT_BEARER], [JWT_BEARER, "authorization_code"]]) {
    const client = await aBatchClient({ grantTypes });
    expect((await use(client, member)).status).toBe(200);
    const page = await agent.get("/account/apps");
    const card = cardOf(page, client);
    expect(card).not.toContain(NEXT_ASKS);
    expect(card).toContain(NEXT_SELF);
    expect(formOf(page, "/ask-for-whom", client)).toBeUndefined();
    expect(card).toContain(`If you revoke it, access ends within 10 minutes. ${GONE}`);
    expect(card).not.toContain("can ask you again");
    expect((await use(client, member)).status).toBe(200);
  }
});

test("the member paused it → the page doesn't say that it connects next time", async () => {
  const agent = await signedIn(member);
  const client = await aBatchClient();
  await use(client, member);
  const { partition, personId } = member;
  const now = server.now();
  const key = { partition, ownerId: personId, clientId: client.clientId };
  await server.assent.storage.consents.setPaused({ ...key, paused: true, by: personId, now });
  expect((await use(client, member)).status).toBe(400);
  const card = cardOf(await agent.get("/account/apps"), client);
  expect(card).not.toContain("Next time");
  expect(card).toContain(GONE);
});

test("somebody in no company → no sentence about next time, but that it can't ask again", async () => {
  const owner = await server.addPerson();
  const client = await aBatchClient();
  await use(client, owner);
  const card = cardOf(await (await signedIn(owner)).get("/account/apps"), client);
  expect(card).not.toContain("Next time");
  expect(card).toContain(GONE);
});

test("revoked → assertions are refused, also a day later, and the page says that it can't ask again", async () => {
  const owner = await server.addPerson();
  const agent = await signedIn(owner);
  const client = await aBatchClient();
  await use(client, owner);
  const form = formOf(await agent.get("/account/apps"), "/revoke", client);
  if (form === undefined) throw new Error("no form");
  const where = (await agent.submit(form, { revoke: "revoke" })).location?.href ?? "";
  expect(notice(await agent.get(where))).toMatch(
    new RegExp(`^You revoked Batch ’s access\\. It ends by .+, within 10 minutes\\. ${GONE} Receipt$`),
  );
  expect((await use(client, owner)).status).toBe(400);
  server.tick(86_000_000);
  await settle();
  expect(notice(await (await signedIn(owner)).get(where))).toBe(`Batch no longer has access. ${GONE} Receipt`);
  expect((await use(client, owner)).status).toBe(400);
  // The operator gives the app a page.
  const { secret, ...stored } = client;
  const again = { ...stored, grantTypes: [JWT_BEARER, "authorization_code"], redirectUris: ["https://batch.test/cb"] };
  await server.assent.storage.clients.put({ client: again, expect: null });
  await settle();
  await authorize(agent, authorizeUrl(server, again, { scope: "read" }), owner.username);
  expect((await use({ ...again, secret }, owner)).status).toBe(200);
});
