/** CN-13: texts of strangers are shown as plain text on every page: names, scope descriptions, hints, state. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../../packages/server/src/oauth/model.ts";
import { Agent, authorize, authorizeUrl, consentForm, type Page, signIn } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";
import { MARKUP } from "./payloads/markup.ts";

let server: TestServer;
const payloads = Object.entries(MARKUP);

beforeAll(async () => {
  server = await startServer();
  const resource = (at: number) => `https://hostile-${at}.test`;
  await Promise.all(payloads.map(([, text], at) => server.addResource({ identifier: resource(at), name: text })));
  await Promise.all(
    payloads.map(([, text], at) =>
      server.addScope({ name: `hostile-${at}`, description: text, resource: resource(at) }),
    ),
  );
});
afterAll(() => server.stop());

/** The elements of a page with the names of their attributes, in order, without any text. */
function bones({ text }: Page): string[] {
  return [...text.matchAll(/<(\/?[a-zA-Z][\w-]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, name = "", attributes = ""]) =>
      [name, ...[...attributes.matchAll(/\s([^\s=>]+)(?:="[^"]*")?/g)].map(([, one]) => one)].join(" "),
  );
}

/** The text of the page, without markup and with entities resolved. */
function wordsOf({ text }: Page): string {
  return resolved(text.replace(/<[^>]*>/g, ""));
}

/** The value of a field, as a browser reads it. */
function fieldValue({ text }: Page, field: string): string | undefined {
  const value = new RegExp(`name="${field}"(?: [\\w-]+="[^"]*")*? value="([^"]*)"`).exec(text)?.[1];
  return value === undefined ? undefined : resolved(value);
}

function resolved(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

function expectOnlyText(page: Page, harmless: Page, text: string): void {
  expect(bones(page)).toEqual(bones(harmless));
  expect(wordsOf(page)).toContain(text);
  expect(page.text).not.toMatch(/\shref="(?!\/|https?:|#content")/i);
  expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'.*script-src 'self'/);
  expect(page.headers.get("x-content-type-options")).toBe("nosniff");
}

async function pagesOf(client: Partial<Client>, name: string, scope = "read"): Promise<Record<string, Page>> {
  const registered = await server.addClient({ scopes: ["read", scope], ...client });
  const { username } = await server.addPerson({ name });
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, registered, { scope });
  const login = await agent.get(url);
  const consent = await signIn(agent, username, login);
  await agent.submit(consentForm(consent), { decision: "allow" });
  const again = await agent.get(authorizeUrl(server, registered, { scope, prompt: "login" }));
  return { login, consent, apps: await agent.get("/account/apps"), again, out: await agent.get("/account/sign-out") };
}

describe.each(payloads)("CN-13 %s", (kind, text) => {
  const at = payloads.findIndex(([one]) => one === kind);

  test("as the client's name → text on sign-in, consent and dashboard", async () => {
    const [hostile, harmless] = [await pagesOf({ name: text }, "Ann"), await pagesOf({ name: "App" }, "Ann")];
    for (const page of ["login", "consent", "apps"])
      expectOnlyText(hostile[page] as Page, harmless[page] as Page, text);
  });

  test("as a person's name → text on consent, dashboard, repeated sign-in and sign-out", async () => {
    const [hostile, harmless] = [await pagesOf({}, text), await pagesOf({}, "Ann")];
    for (const page of ["consent", "apps", "again", "out"])
      expectOnlyText(hostile[page] as Page, harmless[page] as Page, text);
  });

  test("as a scope's description and its API's name → text on consent and dashboard", async () => {
    const [hostile, harmless] = [await pagesOf({}, "Ann", `hostile-${at}`), await pagesOf({}, "Ann")];
    for (const page of ["consent", "apps"]) expectOnlyText(hostile[page] as Page, harmless[page] as Page, text);
  });

  test("as a link of the client to its policy and terms → no link", async () => {
    const { consent } = await pagesOf({ policyUri: text, tosUri: text, clientUri: text }, "Ann");
    const { consent: harmless } = await pagesOf({}, "Ann");
    expect(bones(consent as Page)).toEqual(bones(harmless as Page));
    const { consent: linked } = await pagesOf({ policyUri: "https://app.test/policy" }, "Ann");
    expect(linked?.text).toContain('href="https://app.test/policy"');
  });

  test("as login_hint and as a username that was typed → the field's value", async () => {
    const client = await server.addClient();
    const agent = new Agent(server.issuer);
    const hinted = await agent.get(authorizeUrl(server, client, { login_hint: text }));
    const plain = await agent.get(authorizeUrl(server, client, { login_hint: "ann" }));
    expect(bones(hinted)).toEqual(bones(plain));
    expect(fieldValue(hinted, "username")).toBe(text);
    const [form] = plain.forms;
    if (form === undefined) throw new Error("no sign-in form");
    const typed = await agent.submit(form, { username: text, password: "x" });
    expect(bones(typed)).toEqual(bones(await agent.submit(form, { username: "ann", password: "x" })));
    expect(fieldValue(typed, "username")).toBe(text);
    server.tick(3_600_000);
  });

  test("as state → the same bytes in the redirect, and a hidden field's value where a form carries it", async () => {
    const client = await server.addClient();
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const callback = await authorize(agent, authorizeUrl(server, client, { state: text }), username);
    expect(callback.searchParams.get("state")).toBe(text);
    const posted = await agent.get(authorizeUrl(server, client, { state: text, response_mode: "form_post" }));
    expect(bones(posted)).toEqual(
      bones(await agent.get(authorizeUrl(server, client, { state: "x", response_mode: "form_post" }))),
    );
    expect(fieldValue(posted, "state")).toBe(text);
  });

  test("in what is refused → nowhere on the page, nor in error_description", async () => {
    const client = await server.addClient();
    const agent = new Agent(server.issuer);
    for (const changes of [{ client_id: text }, { redirect_uri: text }] as Record<string, string>[]) {
      const page = await agent.get(authorizeUrl(server, client, changes));
      expect(page.status).toBe(400);
      expect(wordsOf(page)).not.toContain(text);
    }
    for (const changes of [
      { scope: text },
      { response_type: text },
      { prompt: text },
      { code_challenge_method: text, code_challenge: text },
    ] as Record<string, string>[]) {
      const { location } = await agent.get(authorizeUrl(server, client, changes));
      expect(location?.searchParams.get("error"), Object.keys(changes).join()).toMatch(/^[a-z_]+$/);
      expect(location?.searchParams.get("error_description")).not.toContain(text);
    }
    const lost = await agent.get(`/${encodeURIComponent(text)}`);
    expect([404, 400]).toContain(lost.status);
    expect(wordsOf(lost)).not.toContain(text);
  });
});
