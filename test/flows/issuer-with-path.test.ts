/**
 * An issuer with a path, behind a proxy that terminates TLS: every link, form and redirect stays below the path (RFC
 * 8414 §3.1).
 */

import { decodeJwt } from "jose";
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

test("both documents → RFC 8414's at the host's root before the path, OpenID Connect's below it; nowhere else", async () => {
  const ofHost = await send(server.origin, { path: "/.well-known/oauth-authorization-server/tenant/one" });
  const below = await send(server.origin, { path: "/tenant/one/.well-known/openid-configuration" });
  expect([ofHost.status, below.status]).toEqual([200, 200]);
  expect(JSON.parse(below.text)).toEqual(JSON.parse(ofHost.text));
  const document = JSON.parse(below.text) as Record<string, unknown>;
  expect(document["issuer"]).toBe(ISSUER);
  const addresses = Object.entries(document).filter(([name]) => /_(?:endpoint|uri)$/.test(name));
  expect(addresses.map(([name]) => name)).toEqual(expect.arrayContaining(["jwks_uri", "userinfo_endpoint"]));
  for (const [name, address] of addresses) {
    expect([name, address]).toEqual([name, expect.stringMatching(/^https:\/\/as\.test\/tenant\/one\/\w+$/)]);
    expect([name, (await send(server.origin, { path: here(String(address)) })).status]).not.toEqual([name, 404]);
  }
  for (const path of [
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/tenant/one",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/tenant",
    "/tenant/one/.well-known/oauth-authorization-server",
    "/tenant/.well-known/openid-configuration",
    ...["/authorize", "/token", "/login", "/userinfo", "/logout", "/tenant/one/token/x", "/tenant/oneX/login"],
  ])
    expect([path, (await send(server.origin, { path })).status]).toEqual([path, 404]);
  expect((await send(server.origin, { path: "/tenant/one" })).headers.location).toBe(`${ISSUER}/account/apps`);
});

test("a sign-in by OpenID Connect → ID token, UserInfo and sign-out below the path", async () => {
  const client = await server.addClient({ scopes: ["openid"], postLogoutRedirectUris: ["https://app.test/bye"] });
  const { username, personId } = await server.addPerson();
  const agent = new Agent(server.origin);
  const form = (await agent.get(here(authorizeUrl(server, client, { scope: "openid" })))).forms[0];
  if (form === undefined) throw new Error("no form");
  const consent = await agent.get(here((await agent.submit(form, { username, password: PASSWORD })).location));
  const answer = await agent.submit(consentForm(consent), { decision: "allow" });
  const { body } = await redeem({ issuer: `${server.origin}/tenant/one` }, client, answer.location ?? "");
  const idToken = String(body["id_token"]);
  expect(decodeJwt(idToken)).toMatchObject({ iss: ISSUER, sub: personId });
  expect(decodeJwt(String(body.access_token)).aud).toBe(`${ISSUER}/userinfo`);
  const authorization = `Bearer ${body.access_token}`;
  const info = await send(server.origin, { path: "/tenant/one/userinfo", headers: { authorization } });
  expect(JSON.parse(info.text)).toEqual({ sub: personId });
  const asked = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: "https://app.test/bye" });
  const left = await agent.get(`/tenant/one/logout?${asked}`);
  expect([left.status, left.location?.href]).toEqual([302, "https://app.test/bye"]);
  expect((await agent.get("/tenant/one/account/apps")).location?.pathname).toBe("/tenant/one/login");
});
