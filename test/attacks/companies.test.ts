/** Attacks on companies: texts of strangers, old approvals, pages that stay in a cache (CN-13, HD-01…07, SS-13). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCompany, decide, type TestCompany } from "../support/company-staff.ts";
import { Agent, authorizeUrl, type Page, redeem, refresh, signIn } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";
import { MARKUP } from "./payloads/markup.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function as({ username }: { readonly username: string }): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await signIn(agent, username);
  return agent;
}

const PLACES = ["", "/members", "/history"];
const resolved = (text: string) =>
  text
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** Expects no text that a browser would run, load or send elsewhere. */
function expectInert(page: Page): void {
  expect(page.text).not.toMatch(/<(?!\/?bdi)[^>]*\son[a-z]+="/i);
  expect(page.text).not.toMatch(/<img src="?x/i);
  expect(page.text).not.toMatch(/\s(?:href|action|src)="(?!\/|https?:|data:image|#content")/i);
  expect(page.text.match(/<script\b[^>]*>/g) ?? []).toEqual(
    (page.text.match(/<script\b[^>]*>/g) ?? []).filter((tag) => /\ssrc="\/assets\//.test(tag)),
  );
}

describe("what somebody wrote is text", () => {
  test.each(Object.entries(MARKUP))("%s as a company's name and a member's reason", async (_, text) => {
    const client = await server.addClient();
    const company = await addCompany(server, { name: text });
    const { partition, companyId, member } = company;
    const wish = { partition, companyId, clientId: client.clientId, personId: member.personId, scopes: ["read"] };
    await server.assent.storage.companyApps.askApproval({ ...wish, reason: text, now: server.now() });
    const admin = await as(company.admin);
    for (const place of PLACES) {
      const page = await admin.get(`/company/${company.slug}${place}`);
      expect([place, page.status]).toEqual([place, 200]);
      expect(resolved(page.text)).toContain(text);
      expectInert(page);
    }
    const consent = await admin.get(authorizeUrl(server, client));
    expect(resolved(consent.text)).toContain(text);
    for (const page of [consent, await admin.get("/account/companies")]) expectInert(page);
  });

  test.each(["\u202Etxt.exe", "A\u200Bcme", "\u2066Acme\u2069"])("%j → shown as what it is", async (name) => {
    const company = await addCompany(server, { name });
    const { text } = await (await as(company.admin)).get(`/company/${company.slug}`);
    expect(text).not.toMatch(/[\u200B\u202E\u2066\u2069]/);
    expect(text).toContain("\uFFFD");
  });
});

describe("pages that must not stay behind", () => {
  let company: TestCompany;
  beforeAll(async () => {
    company = await addCompany(server);
  });

  test("every page of an owner and a company → never cached, never framed; the old cookie opens none of them", async () => {
    const agent = await as(company.admin);
    const paths = [
      ...PLACES.map((place) => `/company/${company.slug}${place}`),
      ...["/account/apps", "/account/history", "/account/companies", "/account/apps?q=x", "/language?back=/login"],
    ];
    for (const path of paths) {
      const { status, headers } = await agent.get(path);
      expect([path, status, headers.get("cache-control"), headers.get("x-frame-options")]).toEqual([
        ...[path, 200, "no-store", "DENY"],
      ]);
      expect(headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'.*form-action 'self'/);
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
    const old = new Agent(server.issuer);
    for (const [name, value] of agent.cookies) old.cookies.set(name, value);
    await agent.submit(
      (await agent.get("/account/sign-out")).forms.at(-1) ?? {
        action: "",
        method: "",
        fields: new URLSearchParams(),
        buttons: [],
      },
    );
    for (const path of paths.filter((one) => !one.startsWith("/language")))
      expect([path, (await old.get(path)).location?.pathname]).toEqual([path, "/login"]);
  });

  test("IN-03 a search: markup, patterns, controls, lone surrogates, far too long → text in its field, nothing found", async () => {
    const agent = await as(company.member);
    for (const text of [...Object.values(MARKUP), "%", "_", "' OR 1=1 --", "\0", "%ED%A0%80", "x".repeat(5000)]) {
      const page = await agent.get(`/account/apps?q=${encodeURIComponent(text)}`);
      expect([text.slice(0, 20), page.status]).toEqual([text.slice(0, 20), 200]);
      expectInert(page);
    }
  });
});

describe("an approval for all", () => {
  test("lowered → the member's next refresh has less; asked for by name, invalid_scope; a new request asks an admin", async () => {
    const company = await addCompany(server);
    const client = await server.addClient();
    await decide(server, company, client, { scopes: ["read", "write"] });
    const member = await as(company.member);
    const page = await member.get(authorizeUrl(server, client, { scope: "read write" }));
    const form = page.forms.find(({ action }) => action.endsWith("/consent"));
    if (form === undefined) throw new Error(`no consent form: ${page.status}`);
    const answer = { decision: "allow", scope: ["read", "write"], owner: company.companyId };
    const { location } = await member.submit(form, answer);
    const first = await redeem(server, client, location ?? "");
    expect(first.body.scope).toBe("read write");
    await decide(server, company, client, { scopes: ["read"] });
    const token = first.body.refresh_token;
    const wider = await refresh(server, client, token, { scope: "read write" });
    expect([wider.status, wider.body.error]).toEqual([400, "invalid_scope"]);
    expect((await refresh(server, client, token)).body.scope).toBe("read");
    expect((await member.get(authorizeUrl(server, client, { scope: "read write" }))).location).toBeUndefined();
  });

  test("taken back while a member's page is open → the form grants nothing", async () => {
    const company = await addCompany(server);
    const client = await server.addClient();
    await decide(server, company, client, {});
    const member = await as(company.member);
    const page = await member.get(authorizeUrl(server, client, { prompt: "consent" }));
    const form = page.forms.find(({ action }) => action.endsWith("/consent"));
    if (form === undefined) throw new Error(`no consent form: ${page.status}`);
    await decide(server, company, client, null);
    const answer = await member.submit(form, { decision: "allow", owner: company.companyId });
    expect(answer.location).toBeUndefined();
    const key = { partition: company.partition, companyId: company.companyId, personId: company.member.personId };
    expect(await server.assent.storage.companyApps.grantsOfMember({ ...key, now: server.now() })).toEqual([]);
  });
});
