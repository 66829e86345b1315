/**
 * An issuer with a path, behind a proxy that terminates TLS: every link, form and redirect stays below the path (RFC
 * 8414 §3.1).
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { type ProxiedServer, send, startBehindProxy } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem } from "../support/http-browser.ts";
import { PASSWORD } from "../support/test-server.ts";

const ISSUER = "https://as.test/tenant/one";
let server: ProxiedServer;

beforeAll(async () => {
  server = await startBehindProxy({ config: { issuer: ISSUER } });
});
afterAll(() => server.stop());

/** Acts as the proxy: maps an address of the issuer to the server on this machine. */
const here = (link: URL | string | undefined) => {
  const url = new URL(link ?? "", ISSUER);
  expect(url.origin).toBe("https://as.test");
  return server.origin + url.pathname + url.search;
};

/** Expects every link, form and file of the page below the issuer's path. */
function expectBelow({ text }: Page): void {
  // A fragment alone stays on its page, so it is not checked.
  const places = [...text.matchAll(/\s(?:href|src|action)="([^"#][^"]*)"/g)].map(([, place = ""]) => place);
  expect(places.length).toBeGreaterThan(1);
  for (const place of places.filter((one) => !one.startsWith("https://"))) expect(place).toMatch(/^\/tenant\/one\//);
}

test("sign-in, consent, code, tokens, apps, errors → all below the path", async () => {
  const client = await server.addClient();
  const { username } = await server.addPerson();
  const agent = new Agent(server.origin);
  const login = await agent.get(here(authorizeUrl(server, client)));
  expectBelow(login);
  const form = login.forms[0];
  if (form === undefined) throw new Error("no form");
  const signedIn = await agent.submit(form, { username, password: PASSWORD });
  expect([signedIn.status, signedIn.location?.pathname]).toEqual([303, "/tenant/one/consent"]);
  const consent = await agent.get(here(signedIn.location));
  expectBelow(consent);
  const answer = await agent.submit(consentForm(consent), { decision: "allow" });
  expect(answer.location?.searchParams.get("iss")).toBe(ISSUER);
  const tokens = await redeem({ issuer: `${server.origin}/tenant/one` }, client, answer.location ?? "");
  expect(tokens.status, JSON.stringify(tokens.body)).toBe(200);
  expectBelow(await agent.get("/tenant/one/account/apps"));
  expectBelow(await agent.get("/tenant/one/errors/invalid_grant"));
  const late = await agent.get("/tenant/one/nothing");
  expect(late.status).toBe(404);
  expectBelow(late);
});

test("a door to start again → below the path, and it opens", async () => {
  const client = await server.addClient();
  const { username } = await server.addPerson();
  const agent = new Agent(server.origin);
  const form = (await agent.get(here(authorizeUrl(server, client)))).forms[0];
  if (form === undefined) throw new Error("no form");
  server.tick(61 * 60_000);
  const late = await agent.submit(form, { username, password: PASSWORD });
  expect(late.status).toBe(400);
  expectBelow(late);
  const door = /<a class="button primary" href="([^"]+)">/.exec(late.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect((await agent.get(door)).status).toBe(200);
});

test("the metadata → at the host's root before the path, with endpoints below it; nothing without the path", async () => {
  const document = await send(server.origin, { path: "/.well-known/oauth-authorization-server/tenant/one" });
  expect(JSON.parse(document.text)).toMatchObject({
    issuer: ISSUER,
    token_endpoint: `${ISSUER}/token`,
    jwks_uri: `${ISSUER}/jwks`,
  });
  for (const path of [
    "/authorize",
    "/token",
    "/login",
    "/.well-known/oauth-authorization-server",
    "/tenant/one/token/x",
    "/tenant/oneX/login",
  ])
    expect([path, (await send(server.origin, { path })).status]).toEqual([path, 404]);
  expect((await send(server.origin, { path: "/tenant/one" })).headers.location).toBe(`${ISSUER}/account/apps`);
});
