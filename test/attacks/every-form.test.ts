/** SS-05: each form of each page that a crawler finds, with a missing, forged, foreign or expired token. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../packages/server/src/http/endpoint-table.ts";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import {
  ENDS,
  everyPage,
  type Found,
  filled,
  formsOf,
  looksOf,
  routeOf,
  rowsOf,
  type Service,
  startService,
  type World,
} from "../support/crawl-every-page.ts";
import { Agent, type Page, signIn } from "../support/http-browser.ts";

let service: Service;
let world: World;
let found: ReadonlyMap<string, readonly Found[]>;
/** Valid tokens of another person's browsers and sessions. */
let foreign: readonly string[];

beforeAll(async () => {
  service = await startService();
  foreign = tokensOf((await everyPage(service)).pages);
  world = await everyPage(service);
  found = formsOf(world.pages);
  // Waits until the messages about earlier sign-ins are sent, because sending changes rows.
  const { dataDir } = service.server;
  const waiting = "SELECT COUNT(*) AS n FROM outbox WHERE status = 'waiting'";
  while (Number((await byHand(`sqlite:${dataDir}/assent.db`, [waiting]))[0]?.["n"]) > 0) await sleep(20);
});
afterAll(() => service.stop());

function tokensOf(pages: readonly { page: Page }[]): readonly string[] {
  const all = pages.flatMap(({ page }) => page.forms.map(({ fields }) => fields.get("csrf") ?? ""));
  return [...new Set(all)].filter((one) => one !== "");
}

/**
 * Endpoints to which other sites may post. RFC 6749 §3.1 lets clients post to `/authorize`, and OpenID Connect
 * RP-Initiated Logout §2 to `/logout`. `/language` checks the
 * origin (see below).
 */
const OPEN = ["/authorize", "/logout", "/language", "/login/provider/:provider/callback"];
const POSTS = routes
  .filter((route) => route.for === "people" && route.POST !== undefined && !OPEN.includes(route.path))
  .map(({ path }) => path);

test("SS-05 every form leads to an endpoint, every endpoint has a form, and every form has a token", () => {
  const here = [...found.keys()].filter((path) => path !== "/language").sort();
  expect(here).toEqual([...POSTS].sort());
  for (const path of here)
    for (const { form } of found.get(path) ?? []) expect(form.fields.get("csrf"), path).toMatch(/^[\w-]{20,}$/);
});

test("every page of an account or a company that is signed in → a way out of it", () => {
  const own = world.pages.filter(
    ({ path, page }) => /^\/(account|company)\b/.test(path ?? "") && !page.text.includes('name="username"'),
  );
  expect(own.length).toBeGreaterThan(15);
  const withoutOne = own.filter(
    ({ page }) => page.forms.filter(({ buttons }) => buttons.some(([name]) => name === "sign_out")).length !== 1,
  );
  expect(withoutOne.map(({ who, path }) => `${who}: ${path}`)).toEqual([]);
});

describe.each(POSTS)("%s", (path) => {
  test("SS-05 without a token, with another's or an old one → 403, nothing changes, no mail", async () => {
    const forms = looksOf(found.get(path) ?? []);
    expect(forms.length).toBeGreaterThan(0);
    const before = rowsOf(service.server);
    const mails = service.mailbox.messages.length;
    for (const { who, agent, form } of forms) {
      const own = form.fields.get("csrf") ?? "";
      const [other = "", another = ""] = [foreign[0], foreign.at(-1)];
      for (const csrf of ["", "AAAA", own.slice(0, -1), `${own}A`, own.toLowerCase(), other, another]) {
        const page = await agent.submit(form, { ...filled(form), csrf });
        expect([who, csrf, page.status]).toEqual([who, csrf, 403]);
      }
      const without = new URLSearchParams(form.fields);
      without.delete("csrf");
      const page = await agent.submit({ ...form, fields: without }, filled(form));
      expect([who, "none", page.status]).toEqual([who, "none", 403]);
    }
    expect(rowsOf(service.server)).toEqual(before);
    expect(service.mailbox.messages.length).toBe(mails);
  });
});

const INNOCENT_FIRST = POSTS.toSorted((one, other) => Number(ENDS.test(one)) - Number(ENDS.test(other)));

/** Headers with which a browser says that the request comes from another site. */
const FOREIGN: readonly Record<string, string>[] = [
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "cross-site", origin: "null" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "none" },
  { "sec-fetch-site": "" },
  { "sec-fetch-site": "same-origin, same-origin" },
  { origin: "https://evil.test" },
  { origin: "http://localhost:1" },
  { origin: "https://evil.test, null" },
  { origin: "" },
];

describe("SS-06 forms from other sites", () => {
  const CONDITION = "form_cross_site";
  const refusedFor = (page: Page) => page.status === 403 && page.text.includes(CONDITION);

  test("every endpoint that people post to, as the route table has them → 403 with a way on, no cookie", async () => {
    for (const path of [...POSTS, "/language"]) {
      const agent = new Agent(service.server.issuer);
      for (const headers of FOREIGN) {
        const page = await agent.post(path.replace(/:\w+/g, "x"), { csrf: "x" }, headers);
        expect([path, headers, page.status]).toEqual([path, headers, 403]);
        expect(page.text).toContain(CONDITION);
        expect(page.text).toContain('href="/account/apps"');
        expect(page.headers.getSetCookie()).toEqual([]);
      }
    }
  });

  test.each(POSTS)("%s with a right token → 403, nothing changes, no cookie, no mail", async (path) => {
    const forms = looksOf(found.get(path) ?? []);
    expect(forms.length).toBeGreaterThan(0);
    const before = rowsOf(service.server);
    const mails = service.mailbox.messages.length;
    for (const { agent, form } of forms) {
      const body = new URLSearchParams({ ...Object.fromEntries(form.fields), ...filled(form) });
      for (const headers of FOREIGN) {
        const page = await agent.post(form.action, body, headers);
        expect([headers, refusedFor(page)]).toEqual([headers, true]);
        expect(page.headers.getSetCookie()).toEqual([]);
      }
    }
    expect(rowsOf(service.server)).toEqual(before);
    expect(service.mailbox.messages.length).toBe(mails);
  });

  test.each<[string, () => Record<string, string>]>([
    ["the browser says same-origin", () => ({ "sec-fetch-site": "same-origin", origin: "null" })],
    [
      "the browser says same-origin, whatever the origin",
      () => ({ "sec-fetch-site": "same-origin", origin: "https://alias.test" }),
    ],
    ["an older one has no origin to tell", () => ({ origin: "null" })],
    ["an older one tells ours", () => ({ origin: service.server.issuer })],
  ])("%s → not refused for it", async (_, headers) => {
    const agent = new Agent(service.server.issuer);
    const [form] = (await agent.get("/login")).forms;
    const fields = { ...Object.fromEntries(form?.fields ?? []), username: "nobody", password: "wrong" };
    const page = await agent.post("/login", fields, headers());
    expect([page.status, refusedFor(page)]).toEqual([200, false]);
  });

  test("where other sites have to post: the authorization endpoint, and what programs call → not refused for it", async () => {
    const open = routes.filter(
      ({ POST, fromAnySite, for: whom }) => POST !== undefined && (fromAnySite || whom === "programs"),
    );
    expect(open.map(({ path }) => path)).toEqual([
      "/authorize",
      "/token",
      "/revoke",
      "/introspect",
      "/device_authorization",
      "/userinfo",
      "/logout",
      // Only a redirect to the usual callback, which checks everything.
      "/login/provider/:provider/callback",
      "/login/provider/:provider/backchannel-logout",
      ...["/external-sign-in/challenge", "/external-sign-in/accept", "/external-sign-in/reject"],
      "/upstream/change",
    ]);
    for (const { path } of open) {
      for (const headers of FOREIGN) {
        const page = await new Agent(service.server.issuer).post(path, { a: "b" }, headers);
        expect(page.status).not.toBe(403);
      }
    }
  });
});

describe("the same forms", () => {
  test("SS-05 with tokens of a session that is over → 403 in the next session of the same person and browser", async () => {
    const all = [...found.values()].flat().filter(({ who, form }) => who === "a member" && form.fields.has("csrf"));
    const [first] = all;
    if (first === undefined) throw new Error("no forms");
    const { agent } = first;
    const sessions = agent.cookies.get("assent_session") ?? "";
    agent.cookies.delete("assent_session");
    await signIn(agent, world.member.username);
    expect(agent.cookies.get("assent_session")).not.toBe(sessions);
    const before = rowsOf(service.server);
    // The tokens of these forms belong to the browser, not to the session.
    const bound = /^\/(login|device)$|^\/login\/(?!switch)/;
    for (const { form } of all.filter(({ form: { action } }) => !bound.test(routeOf(action)))) {
      const page = await agent.submit(form, filled(form));
      expect([form.action, page.status]).toEqual([form.action, 403]);
    }
    expect(rowsOf(service.server)).toEqual(before);
    agent.cookies.set("assent_session", sessions);
  });

  // A picture's form is sent as multipart/form-data: test/flows/picture.test.ts.
  const plain = INNOCENT_FIRST.filter((path) => path !== "/account/profile/picture");

  test.each(plain)("%s with its own token → not refused for it", async (path) => {
    // Leaves out forms of an earlier session: a new password or a new second step started another one.
    const same = ({ agent, session }: Found) => agent.cookies.get("assent_session") === session;
    for (const { agent, form } of looksOf((found.get(path) ?? []).filter(same))) {
      const page = await agent.submit(form, filled(form));
      expect([page.status, page.text.slice(0, 300)]).not.toEqual([403, page.text.slice(0, 300)]);
    }
  });
});

describe("the one form without a token: the choice of a language", () => {
  test.each([
    ["another site's origin", { origin: "https://evil.test" }],
    ["another port's", { origin: "http://localhost:1" }],
    ["a request from another site", { "sec-fetch-site": "cross-site" }],
  ])("%s → 403, nothing is chosen", async (_, headers) => {
    const agent = new Agent(service.server.issuer);
    const page = await agent.post("/language", { language: "de", back: "/login" }, headers);
    expect([page.status, agent.cookies.has("assent_language")]).toEqual([403, false]);
  });

  test("from our own page → chosen", async () => {
    const agent = new Agent(service.server.issuer);
    const own = { origin: service.server.issuer, "sec-fetch-site": "same-origin" };
    expect((await agent.post("/language", { language: "de", back: "/login" }, own)).status).toBe(303);
    expect((await agent.get("/login")).text).toContain("Anmelden");
  });
});
