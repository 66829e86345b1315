/**
 * POST at the authorization endpoint (RFC 6749 §3.1): with the browser's cookies, without cookies, and with another
 * browser's.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signedInPerson } from "../support/back-channel.ts";
import { expectGoesOn, expectPage400, expectRedirectError, send } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
});
afterAll(() => server.stop());

const fieldsOf = (changes: Record<string, string | undefined> = {}) =>
  new URL(authorizeUrl(server, client, changes)).searchParams;

const signedIn = async () => (await signedInPerson(server)).agent;

describe("what isn't a form, or not a whole one", () => {
  test.each([
    "application/json",
    "multipart/form-data; boundary=x",
    "text/plain",
    "application/x-www-form-urlencoded; charset=latin1",
  ])("%s → 400 page", async (type) => {
    const headers = { "content-type": type, accept: "text/html" };
    const answer = await send(server.issuer, { method: "POST", path: "/authorize", headers, body: `${fieldsOf()}` });
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
    expect(answer.text).toContain("/errors/content_type_not_form");
  });

  test("parameters in the query of a POST → not read", async () => {
    const agent = await signedIn();
    expectPage400(await agent.post(`/authorize?${fieldsOf()}`, {}), "authorization_client_unknown");
    const split = fieldsOf();
    split.delete("scope");
    expectRedirectError(await agent.post("/authorize?scope=read", split), server, "invalid_scope");
  });

  test("refusals → as by GET: a page before redirect_uri, a redirect after; no session needed", async () => {
    const agent = new Agent(server.issuer);
    expectPage400(await agent.post("/authorize", fieldsOf({ client_id: "x" })), "authorization_client_unknown");
    expectRedirectError(await agent.post("/authorize", fieldsOf({ scope: "nothing" })), server, "invalid_scope");
  });
});

describe("a good one", () => {
  test("with our cookies → the consent page at once, and the answer", async () => {
    const agent = await signedIn();
    const page = await agent.post("/authorize", fieldsOf());
    expect(page.status).toBe(200);
    const answer = await agent.submit(consentForm(page), { decision: "allow" });
    expect(answer.location?.searchParams.get("state")).toBe("a state");
  });

  test.each([
    ["no cookie", ""],
    ["cookies of another program on this host alone", "theirs=1; other_session=x"],
    ["our cookie twice", "assent_browser=AAAAAAAAAAAAAAAAAAAAAA; assent_browser=BBBBBBBBBBBBBBBBBBBBBB"],
  ])("%s → 303 to the same request as a link, and no cookie that would replace ours", async (_, cookie) => {
    const agent = await signedIn();
    const fields = fieldsOf({ state: `é "x" \\ + % & = # \u{1F600}`, login_hint: "a b" });
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      accept: "text/html",
      ...(cookie === "" ? {} : { cookie }),
    };
    const answer = await send(server.issuer, { method: "POST", path: "/authorize", headers, body: `${fields}` });
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([303, undefined]);
    const link = new URL(answer.headers.location ?? "");
    expect(link.origin + link.pathname).toBe(`${server.issuer}/authorize`);
    expect([...link.searchParams].toSorted()).toEqual([...fields].toSorted());
    const page = await agent.get(link.href);
    const answered = await agent.submit(consentForm(page), { decision: "allow" });
    expect(answered.location?.searchParams.get("state")).toBe(fields.get("state"));
  });

  test("resource twice → both stay through the redirect", async () => {
    await server.addResource({ identifier: "https://two.test", name: "Two" });
    await server.addScope({ name: "two", description: "Two", resource: "https://two.test" });
    const wide = await server.addClient({ scopes: ["read", "two"] });
    const fields = new URLSearchParams(authorizeUrl(server, wide, { scope: "read two" }).split("?")[1]);
    for (const one of ["https://api.test", "https://two.test"]) fields.append("resource", one);
    const headers = { "content-type": "application/x-www-form-urlencoded", accept: "text/html" };
    const answer = await send(server.issuer, { method: "POST", path: "/authorize", headers, body: `${fields}` });
    const link = new URL(answer.headers.location ?? "");
    expect(link.searchParams.getAll("resource")).toEqual(["https://api.test", "https://two.test"]);
    expectGoesOn(await new Agent(server.issuer).get(link.href));
  });
});
