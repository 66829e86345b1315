/** A person sees a page before the server sends an error to an unverified client (RFC 9700 §4.11.2). */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { changeClient, expectGoesOn, expectPage400, expectRedirectError } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, type Form, type Page, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ name: "Prize Draw", reviewed: false });
  await server.addScope({ name: "ops", description: "Operate", ownerRole: "operator" });
});
afterAll(() => server.stop());

const agentOf = () => new Agent(server.issuer);
const WRONG = { scope: "no-such-scope" };
const ask = (changes: Record<string, string | undefined> = WRONG, of = client) => authorizeUrl(server, of, changes);

/** The form on the page with the error. */
function heldForm(page: Page): Form {
  expect([page.status, page.location], page.text.slice(0, 300)).toEqual([200, undefined]);
  const form = page.forms.find(({ action }) => action === "/authorize/error");
  if (form === undefined) throw new Error(`no error is held: ${page.text.slice(0, 300)}`);
  return form;
}

describe("a client that nobody has looked at", () => {
  test.each([
    ["an unknown scope", WRONG, "invalid_scope"],
    ["an unknown response type", { response_type: "cod" }, "unsupported_response_type"],
    ["no response type", { response_type: undefined }, "invalid_request"],
    ["an unknown prompt", { prompt: "nobody" }, "invalid_request"],
    ["prompt=none beside another", { prompt: "none login" }, "invalid_request"],
    ["an unknown API", { resource: "https://nowhere.test" }, "invalid_target"],
  ])("%s → a page, and only then the error", async (_what, changes, error) => {
    const agent = agentOf();
    const page = await agent.get(ask(changes));
    const form = heldForm(page);
    for (const shown of ["Prize Draw", "app.test", "Not verified by", "“Continue” takes you to"]) {
      expect(page.text).toContain(shown);
    }
    expect(page.headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'/);
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.text).not.toMatch(/http-equiv|<script/i);
    expectRedirectError(await agent.submit(form), server, error);
  });

  test("a state of 2,000 characters → echoed unchanged", async () => {
    const agent = agentOf();
    const state = `${'é&=#" %'.repeat(100)}${"x".repeat(1300)}`;
    const form = heldForm(await agent.get(ask({ ...WRONG, state })));
    expectRedirectError(await agent.submit(form), server, "invalid_scope", { state });
  });

  test("form_post → the page, then the page that posts the error", async () => {
    const agent = agentOf();
    const page = await agent.submit(heldForm(await agent.get(ask({ ...WRONG, response_mode: "form_post" }))));
    expect([page.forms[0]?.action, page.forms[0]?.fields.get("error")]).toEqual([
      "https://app.test/cb",
      "invalid_scope",
    ]);
  });

  test("nothing that the person may grant → the page says that it was refused", async () => {
    const operating = await server.addClient({ reviewed: false, scopes: ["ops"] });
    const agent = agentOf();
    const { username } = await server.addPerson();
    await signIn(agent, username);
    const page = await agent.get(ask({ scope: "ops" }, operating));
    expect(page.text).toContain("can’t get what it asked for");
    expectRedirectError(await agent.submit(heldForm(page)), server, "access_denied");
  });

  test("the person says no on our page, which named the host → no other page", async () => {
    const agent = agentOf();
    const { username } = await server.addPerson();
    const page = await signIn(agent, username, await agent.get(ask({ scope: "read" })));
    const answer = await agent.submit(consentForm(page), { decision: "deny" });
    expectRedirectError(answer, server, "access_denied");
  });

  test("allowed → the code goes at once", async () => {
    const agent = agentOf();
    const { username } = await server.addPerson();
    const page = await signIn(agent, username, await agent.get(ask({ scope: "read" })));
    const answer = await agent.submit(consentForm(page), { decision: "allow" });
    expect([answer.status, answer.location?.searchParams.has("code")]).toEqual([302, true]);
  });

  test("prompt=none → at once: nobody looks at a page", async () => {
    const page = await agentOf().get(ask({ ...WRONG, prompt: "none" }));
    expectRedirectError(page, server, "invalid_scope");
    expectRedirectError(await agentOf().get(ask({ scope: "read", prompt: "none" })), server, "login_required");
  });

  test("a redirect_uri that isn't registered → our own page, and no way on", async () => {
    expectPage400(await agentOf().get(ask({ ...WRONG, redirect_uri: "https://evil.test/" })), "redirect_uri_mismatch");
  });

  test("a request that becomes wrong on its way → the page", async () => {
    const moving = await server.addClient({ reviewed: false });
    const agent = agentOf();
    const { username } = await server.addPerson();
    const page = await signIn(agent, username, await agent.get(ask({ scope: "read" }, moving)));
    await changeClient(server, moving, { scopes: ["write"] });
    heldForm(await agent.submit(consentForm(page), { decision: "allow" }));
  });

  test("posted from another site, without our cookie → our own page, no way on, and no cookie is replaced", async () => {
    const fields = Object.fromEntries(new URL(ask()).searchParams);
    const page = await agentOf().post("/authorize", fields, { "sec-fetch-site": "cross-site" });
    expect([page.status, page.location, page.forms]).toEqual([400, undefined, []]);
    expect(page.headers.getSetCookie()).toEqual([]);
  });
});

describe("going on", () => {
  test("another browser, a changed or cut text, another purpose's, none → refused, no redirect", async () => {
    const agent = agentOf();
    const form = heldForm(await agent.get(ask()));
    const held = form.fields.get("held") ?? "";
    const other = agentOf();
    const otherForm = heldForm(await other.get(ask()));
    const request = (await agent.get(ask({ scope: "read" }))).forms[0]?.fields.get("request") ?? "";
    const tries = [
      otherForm.fields.get("held") ?? "",
      `${held.slice(0, 60)}${held[60] === "A" ? "B" : "A"}${held.slice(61)}`,
      held.slice(0, -4),
      request,
      "",
      "https://evil.test/",
    ];
    for (const one of tries) {
      const page = await agent.submit(form, { held: one });
      expect([one.slice(0, 20), page.status, page.location]).toEqual([one.slice(0, 20), 400, undefined]);
    }
    const stolen = await other.submit(form);
    expect([stolen.status, stolen.location]).toEqual([403, undefined]);
    const fields = { redirect_uri: "https://evil.test/", error: "x", state: "y" };
    expectRedirectError(await agent.submit(form, fields), server, "invalid_scope");
  });

  test("an hour later → refused; the redirect URI, or the client, is gone since → refused", async () => {
    const moving = await server.addClient({ reviewed: false });
    const agent = agentOf();
    const form = heldForm(await agent.get(ask(WRONG, moving)));
    server.tick(3_600_001);
    onTestFinished(() => server.tick(-3_600_001));
    expect((await agent.submit(form)).location).toBeUndefined();
    const fresh = heldForm(await agent.get(ask(WRONG, moving)));
    await changeClient(server, moving, { redirectUris: ["https://app.test/other"] });
    expectPage400(await agent.submit(fresh), "redirect_uri_mismatch");
    await changeClient(server, moving, { status: "disabled" });
    expectPage400(await agent.submit(fresh), "authorization_client_unknown");
  });

  test("by GET → 405", async () => {
    expect((await agentOf().get("/authorize/error")).status).toBe(405);
  });
});

describe("whom it doesn't slow", () => {
  test.each<[string, Partial<TestClient>]>([
    ["a client that an operator made", {}],
    ["one that was reviewed", { reviewed: true }],
    ["one that came by itself, and that the operator has checked", { reviewed: false, verified: true }],
  ])("%s → 302 at once", async (_what, changes) => {
    const made = await server.addClient(changes);
    expectRedirectError(await agentOf().get(ask(WRONG, made)), server, "invalid_scope");
  });

  test("a good request of an unreviewed client → the sign-in page, as ever", async () => {
    expectGoesOn(await agentOf().get(ask({ scope: "read" })));
  });
});
