/**
 * A consent holds only for the redirect hosts that it was given for. For another host, the server asks again (RFC 6749
 * §10.6, RFC 9700 §4.1).
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signedInPerson } from "../support/back-channel.ts";
import { addCompany, decide } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, DEVICE_GRANT, decide as decideDevice, poll } from "../support/device-actor.ts";
import { changeClient, expectRedirectError } from "../support/front-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  formTo,
  type Page,
  pkce,
  redeem,
  refresh,
} from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const OLD = "https://app.test/cb";
const NEW = "https://new.test/cb";
const S256 = { code_challenge: pkce().challenge, code_challenge_method: "S256" };

const asksConsent = ({ forms }: Page) => forms.some(({ action }) => action === "/consent");
const answered = ({ status, location }: Page) => status === 302 && location?.searchParams.has("code") === true;
const at = (client: TestClient, uri: string, more: Record<string, string> = {}) =>
  authorizeUrl(server, client, { redirect_uri: uri, ...more });

const someone = () => signedInPerson(server);

async function allow(agent: Agent, url: string, answer: Record<string, string | string[]> = {}): Promise<URL> {
  const page = await agent.submit(consentForm(await agent.get(url)), { decision: "allow", ...answer });
  if (page.location === undefined || !answered(page)) throw new Error(`no code: ${page.status} ${page.text}`);
  return page.location;
}

/** A client with a consent for `OLD`, which was then registered with more redirect URIs. */
async function moved(changes: Partial<TestClient> = {}, added: readonly string[] = [NEW], first = OLD) {
  const client = await server.addClient({ redirectUris: [first], ...changes });
  const owner = await someone();
  await allow(owner.agent, at(client, first, client.type === "public" ? S256 : {}));
  const after = await changeClient(server, client, { redirectUris: [first, ...added] });
  return { client: after, ...owner };
}

test("a permission that two hosts have → the page says that a change here is for both, and it is", async () => {
  const { client, agent } = await moved();
  const other = /What you change here also changes for this app at: <bdi[^>]*>app\.test</;
  const first = await agent.get(at(client, NEW));
  expect(first.text).not.toMatch("What you change here");
  await allow(agent, at(client, NEW));
  const again = await agent.get(at(client, NEW, { prompt: "consent" }));
  expect(again.text).toMatch(other);
  await agent.submit(consentForm(again), { decision: "allow", "duration:read": "3600" });
  expect((await agent.get("/account/apps")).text).not.toMatch("in 3 months");
});

test("a new permission is asked for at a host that ends sooner → its rows keep the end of this host", async () => {
  const { client, agent } = await moved();
  await allow(agent, at(client, NEW), { duration: "3600" });
  const page = await agent.get(at(client, NEW, { scope: "read write" }));
  expect(page.text).toMatch(/in 60 minutes|in 59 minutes/);
  expect(page.text).not.toMatch("in 3 months");
});

test("another host ends sooner → a longer choice here is not promised, and the history gives the last end of earlier access", async () => {
  const { client, agent } = await moved();
  await allow(agent, at(client, NEW, { scope: "write" }), { duration: "3600" });
  const page = await agent.get(at(client, OLD, { scope: "read write" }));
  expect(page.text).toMatch(/that ends <time[^>]*>in (?:60|59) minutes<\/time>, and here no later/);
  await allow(agent, at(client, OLD, { scope: "read write" }), { scope: ["read", "write"], duration: "2592000" });
  const [, earlier = ""] =
    /Earlier access: <[\s\S]*?datetime="([^"]+)"/.exec((await agent.get("/account/history")).text) ?? [];
  expect(Date.parse(earlier)).toBeGreaterThan(Date.now() + 60 * 86_400_000);
});

describe("the operator adds a redirect URI on another host", () => {
  test("→ no code goes there: the page, which names the old and the new host", async () => {
    const { client, agent } = await moved();
    const page = await agent.get(at(client, NEW));
    expect([answered(page), asksConsent(page)]).toEqual([false, true]);
    expect(page.text).toContain("app.test");
    expect(page.text).toContain("new.test");
    expect(page.text).toContain("This app now also uses another address");
    expect(page.headers.get("location")).toBeNull();
  });

  test("→ the page says that earlier access does not change, and that a refusal changes nothing of it", async () => {
    const { client, agent } = await moved();
    const first = await redeem(server, client, await authorize(agent, at(client, OLD), ""));
    const page = await agent.get(at(client, NEW));
    expect(page.text).toContain(
      "Earlier access doesn’t change. For the same permissions, the new access ends no later.",
    );
    expect(page.text).toContain("How long (this new access)");
    expect(page.text).toContain("If you don’t allow it, nothing changes: the app keeps the access that it has.");
    await agent.submit(consentForm(page), { decision: "deny" });
    expect((await refresh(server, client, first.body.refresh_token)).status).toBe(200);
  });

  test("another permission alone, at the old host → a refusal changes nothing of the access", async () => {
    const { client, agent } = await moved();
    const page = await agent.get(at(client, OLD, { scope: "profile" }));
    expect(page.text).toContain("If you don’t allow it, nothing changes: the app keeps the access that it has.");
    expect((await (await someone()).agent.get(at(client, OLD))).text).toContain("the app gets no new access");
  });

  test("prompt=none → consent_required", async () => {
    const { client, agent } = await moved();
    const page = await agent.get(at(client, NEW, { prompt: "none" }));
    expectRedirectError(page, server, "consent_required", { redirectUri: NEW });
  });

  test("the old host goes on without a page", async () => {
    const { client, agent } = await moved();
    expect(answered(await agent.get(at(client, OLD)))).toBe(true);
  });

  test("allowed there → both without a page; earlier tokens go on", async () => {
    const { client, agent } = await moved();
    const first = await redeem(server, client, await authorize(agent, at(client, OLD), ""));
    await allow(agent, at(client, NEW));
    expect([answered(await agent.get(at(client, NEW))), answered(await agent.get(at(client, OLD)))]).toEqual([
      true,
      true,
    ]);
    expect((await refresh(server, client, first.body.refresh_token)).status).toBe(200);
  });

  test("denied there → the old host goes on without a page, the new one asks", async () => {
    const { client, agent } = await moved();
    const page = await agent.submit(consentForm(await agent.get(at(client, NEW))), { decision: "deny" });
    expectRedirectError(page, server, "access_denied", { redirectUri: NEW });
    expect(answered(await agent.get(at(client, OLD)))).toBe(true);
    expect(asksConsent(await agent.get(at(client, NEW)))).toBe(true);
  });

  test("allowed there once → it asks again, and the old host goes on", async () => {
    const { client, agent } = await moved();
    await allow(agent, at(client, NEW), { duration: "once" });
    expect(asksConsent(await agent.get(at(client, NEW)))).toBe(true);
    expect(answered(await agent.get(at(client, OLD)))).toBe(true);
  });

  test("allowed there for another scope alone → that scope without a page, the first one asks", async () => {
    const { client, agent } = await moved();
    await allow(agent, at(client, NEW, { scope: "profile" }));
    expect(answered(await agent.get(at(client, NEW, { scope: "profile" })))).toBe(true);
    expect(asksConsent(await agent.get(at(client, NEW, { scope: "read" })))).toBe(true);
    expect(asksConsent(await agent.get(at(client, OLD, { scope: "profile" })))).toBe(true);
  });

  test("revoked → both ask, and allowing one allows that one alone", async () => {
    const { client, agent } = await moved();
    await allow(agent, at(client, NEW));
    const form = (await agent.get("/account/apps")).forms.find(({ action }) => action.endsWith("/revoke"));
    if (form === undefined) throw new Error("no revoke");
    await agent.submit(form);
    expect(asksConsent(await agent.get(at(client, OLD)))).toBe(true);
    await allow(agent, at(client, NEW));
    expect([answered(await agent.get(at(client, NEW))), asksConsent(await agent.get(at(client, OLD)))]).toEqual([
      true,
      true,
    ]);
  });

  test("the history names the host that was new", async () => {
    const { client, agent } = await moved();
    await allow(agent, at(client, NEW));
    expect((await agent.get("/account/history")).text).toMatch(/New address[\s\S]{0,200}new\.test/);
  });
});

describe("an answer for a new host, for a shorter time", () => {
  const shorter = async () => {
    const all = await moved();
    await allow(all.agent, at(all.client, NEW), { duration: "3600" });
    return all;
  };

  test("→ the history and the receipt say both ends", async () => {
    const { agent } = await shorter();
    const { text } = await agent.get("/account/history");
    const [newest = "", first = ""] = text.split('<li class="entry">').slice(1);
    expect(newest).toMatch(/Earlier access: <\/span>until .*New address/s);
    expect(first).not.toContain("Earlier access");
    const link = /href="(\/account\/history\/receipt\?entry=[^"]+)"/.exec(newest)?.[1] ?? "";
    const { receipt, content } = JSON.parse((await agent.get(link, { accept: "application/json" })).text);
    expect(content.earlier_until - content.allowed[0].until).toBeGreaterThan(86_400);
    const form = formTo(await agent.get("/receipts/verify"), "/receipts/verify");
    expect((await agent.submit(form, { receipt })).text).toContain("<dt>Earlier access</dt><dd>until ");
  });
});

describe("an answer for a new host says nothing about the others", () => {
  const HOUR = 3_600_000;
  const ALL = ["read", "secret"];
  beforeAll(async () => {
    const secret = { name: "secret", description: "See your secrets", resource: "https://api.test" };
    await server.addScope({ ...secret, optional: true, sensitive: true });
  });

  /** A client with both scopes at `OLD` for a week, which was then registered with `NEW`. */
  async function both() {
    const registered = await server.addClient({ redirectUris: [OLD], scopes: ALL });
    const owner = await someone();
    const first = await allow(owner.agent, at(registered, OLD, { scope: ALL.join(" ") }), {
      ...{ scope: ALL, duration: "604800" },
    });
    const client = await changeClient(server, registered, { redirectUris: [OLD, NEW] });
    const { refresh_token: token } = (await redeem(server, client, first)).body as { refresh_token?: string };
    const ask = (uri: string, more = {}) => at(client, uri, { scope: ALL.join(" "), ...more });
    return { client, ...owner, token, ask };
  }

  test("a sensitive permission that starts unticked there → earlier access keeps it, and so does the history", async () => {
    const { client, agent, token, ask } = await both();
    const code = await allow(agent, ask(NEW));
    expect((await redeem(server, client, code, { redirect_uri: NEW })).body.scope).toBe("read");
    expect((await refresh(server, client, token)).body.scope).toBe("read secret");
    expect((await agent.get("/account/history")).text).not.toContain("Removed");
    // It was declined there alone: no page there, and the old host goes on.
    const again = await agent.get(ask(NEW));
    expect((await redeem(server, client, again.location ?? "", { redirect_uri: NEW })).body.scope).toBe("read");
    const old = await agent.get(ask(OLD));
    expect((await redeem(server, client, old.location ?? "")).body.scope).toBe("read secret");
    const page = await agent.get(ask(NEW, { prompt: "consent" }));
    expect(page.text).toContain("Declined before");
  });

  test("another end at a single permission, sooner or later → it holds there alone", async () => {
    const { client, agent, token, ask } = await both();
    await allow(agent, ask(NEW), { scope: ALL, "duration:read": "3600", "duration:secret": "31536000" });
    server.tick(2 * HOUR);
    expect(asksConsent(await agent.get(ask(NEW)))).toBe(true);
    expect((await refresh(server, client, token)).body.scope).toBe("read secret");
    server.tick(7 * 24 * HOUR);
    expect((await refresh(server, client, token)).status).toBe(400);
  });

  test("the end of the app is moved on Apps, or at the old host → a time there that is over stays over, and a running one stays", async () => {
    const { client, agent, ask } = await both();
    const short = await allow(agent, ask(NEW), { scope: ALL, duration: "3600" });
    const { refresh_token: token } = (await redeem(server, client, short, { redirect_uri: NEW })).body as {
      refresh_token?: string;
    };
    const move = async (duration: string) =>
      agent.submit(formTo(await agent.get("/account/apps"), "/account/apps/end"), { duration });
    expect((await move("86400")).status).toBe(303);
    expect((await refresh(server, client, token)).status).toBe(200);
    server.tick(2 * HOUR);
    expect((await refresh(server, client, token)).status).toBe(400);
    for (const again of [
      () => move("604800"),
      () => allow(agent, ask(OLD, { prompt: "consent" }), { "duration:read": "2592000" }),
    ]) {
      await again();
      expect(asksConsent(await agent.get(ask(NEW)))).toBe(true);
      expect(answered(await agent.get(ask(OLD)))).toBe(true);
    }
  });

  test("declined there, then the old host's own time ends → the old host asks, as after every end, and so does a third one", async () => {
    const THIRD = "https://third.test/cb";
    const { client, agent, ask } = await both();
    await allow(agent, ask(OLD, { prompt: "consent" }), { scope: ALL, "duration:secret": "3600" });
    const moved = await changeClient(server, client, { redirectUris: [OLD, NEW, THIRD] });
    const asking = (uri: string) => at(moved, uri, { scope: ALL.join(" ") });
    await allow(agent, asking(NEW));
    expect(answered(await agent.get(asking(NEW)))).toBe(true);
    expect(asksConsent(await agent.get(asking(THIRD)))).toBe(true);
    server.tick(2 * HOUR);
    expect(asksConsent(await agent.get(asking(OLD)))).toBe(true);
  });

  test("what only the old host has → its row says that the app keeps it, and nothing says that unticking takes it", async () => {
    const { client, agent, token, ask } = await both();
    const first = await agent.get(ask(NEW));
    const kept = "The app has this already, whatever you choose here; that ends";
    expect(first.text.split(kept).length - 1).toBe(2);
    await agent.submit(consentForm(first), { decision: "allow" });
    const again = await agent.get(ask(NEW, { prompt: "consent" }));
    expect(again.text.split(kept).length - 1).toBe(1);
    expect(again.text).toContain("Declined before");
    expect(again.text).not.toContain("The app keeps only what is ticked.");
    await agent.submit(consentForm(again), { decision: "allow" });
    expect((await refresh(server, client, token)).body.scope).toBe("read secret");
  });

  test("allowed there once, after it was declined there → the next request asks again", async () => {
    const { agent, ask } = await both();
    await allow(agent, ask(NEW));
    await allow(agent, ask(NEW, { prompt: "consent" }), { scope: ALL, "duration:secret": "once" });
    expect(asksConsent(await agent.get(ask(NEW)))).toBe(true);
  });

  test("a later end in a row at the old host → a running time at the other one stays", async () => {
    const { client, agent, ask } = await both();
    const short = await allow(agent, ask(NEW), { scope: ALL, duration: "3600" });
    const { refresh_token: token } = (await redeem(server, client, short, { redirect_uri: NEW })).body as {
      refresh_token?: string;
    };
    const later = { "duration:read": "2592000", "duration:secret": "2592000" };
    await allow(agent, ask(OLD, { prompt: "consent" }), { scope: ALL, ...later });
    server.tick(2 * HOUR);
    expect((await refresh(server, client, token)).status).toBe(400);
  });

  test("unticked at a host that has it → both lose it, as the page says", async () => {
    const { client, agent, token, ask } = await both();
    await allow(agent, ask(NEW), { scope: ALL });
    await allow(agent, ask(NEW, { prompt: "consent" }), { scope: ["read"] });
    expect((await refresh(server, client, token)).body.scope).toBe("read");
  });

  test("the time there is over → the page says so, and that earlier access does not change", async () => {
    const { agent, ask } = await both();
    await allow(agent, ask(NEW), { scope: ALL, duration: "3600" });
    server.tick(2 * HOUR);
    const { text } = await agent.get(ask(NEW));
    expect(text).toContain("What you allowed here has ended. Earlier access doesn’t change.");
    expect(text).toContain("How long (this new access)");
    expect((await agent.get(ask(OLD, { prompt: "consent" }))).text).not.toContain("has ended");
    server.tick(7 * 24 * HOUR);
    expect((await agent.get(ask(NEW))).text).not.toContain("has ended");
  });
});

describe("what is another host", () => {
  test.each([
    ["another path and query", "https://app.test/other?x=1", false],
    ["the port that https has anyway", "https://app.test:443/cb", false],
    ["another port", "https://app.test:8443/cb", true],
    ["a host below it", "https://a.app.test/cb", true],
    ["the host as another's prefix", "https://app.test.evil.test/cb", true],
    ["a look-alike in punycode", "https://xn--pp-2ia.test/cb", true],
    ["IPv6", "https://[2001:db8::1]/cb", true],
    ["a scheme of its own, with the old host behind it", "com.example.app://app.test/cb", true],
    ["this device", "http://127.0.0.1/cb", true],
  ])("%s → asks again: %s, %s", async (_what, uri, asks) => {
    const { client, agent } = await moved({}, [uri]);
    const page = await agent.get(at(client, uri));
    expect([asksConsent(page), answered(page)]).toEqual([asks, !asks]);
  });

  test("this device by another port → the same", async () => {
    const { client, agent } = await moved({}, [], "http://127.0.0.1/cb");
    expect(answered(await agent.get(at(client, "http://127.0.0.1:31337/cb")))).toBe(true);
  });

  test("a consent on a device's redirect → says nothing of a web host that the client had all along", async () => {
    const uris = ["http://127.0.0.1/cb", OLD];
    const client = await server.addClient({ type: "public", redirectUris: uris });
    const { agent } = await someone();
    await allow(agent, at(client, "http://127.0.0.1/cb", S256));
    expect(asksConsent(await agent.get(at(client, OLD, S256)))).toBe(true);
    await allow(agent, at(client, OLD, S256));
    expect(answered(await agent.get(at(client, OLD, S256)))).toBe(true);
  });
});

test("the new address ends sooner → the card gives its end beside it, and the last one for the permissions", async () => {
  const { client, agent } = await moved();
  await allow(agent, at(client, NEW), { duration: "3600" });
  const text = (await agent.get("/account/apps")).text.replaceAll(/<[^>]*>/g, "");
  expect(text).toMatch(/new\.test · ends in 60 minutes/);
  expect(text).not.toMatch(/app\.test · /);
});

test("the time of the new address is over → the card names the addresses that are left", async () => {
  const { client, agent } = await moved();
  await allow(agent, at(client, NEW), { duration: "3600" });
  const named = async () => {
    const { text } = await agent.get("/account/apps");
    return [text.includes("app.test"), text.includes("new.test")];
  };
  expect(await named()).toEqual([true, true]);
  server.tick(3_600_000);
  expect(await named()).toEqual([true, false]);
});

describe("consents without a redirect", () => {
  test("given to a device → the browser asks, however long the host was registered", async () => {
    const client = await aDeviceClient(server, {
      ...{ type: "confidential", redirectUris: [OLD], responseTypes: ["code"] },
      grantTypes: [DEVICE_GRANT, "authorization_code", "refresh_token"],
    });
    const owner = await someone();
    const { deviceCode, userCode } = await aDevice(server, client);
    await decideDevice(owner.agent, userCode, owner.username);
    expect((await poll(server, client, deviceCode)).status).toBe(200);
    expect(asksConsent(await owner.agent.get(at(client, OLD)))).toBe(true);
    await allow(owner.agent, at(client, OLD));
    expect(answered(await owner.agent.get(at(client, OLD)))).toBe(true);
  });
});

describe("clients that the operator vouches for", () => {
  test("a first-party client at a new host → no page: the operator answers for that one, too", async () => {
    const client = await server.addClient({ firstParty: true });
    const { agent } = await someone();
    expect(answered(await agent.get(at(client, OLD)))).toBe(true);
    const after = await changeClient(server, client, { redirectUris: [OLD, NEW] });
    expect(answered(await agent.get(at(after, NEW)))).toBe(true);
  });
});

describe("a company's consent", () => {
  const asCompany = async (company: { companyId: string }, client: TestClient, username: string) => {
    const agent = new Agent(server.issuer);
    await authorize(agent, at(client, OLD), username, { owner: company.companyId });
    return agent;
  };

  test("an admin's own → the new host asks them, with the company selected", async () => {
    const company = await addCompany(server);
    const client = await server.addClient();
    const agent = await asCompany(company, client, company.admin.username);
    expect(answered(await agent.get(at(client, OLD)))).toBe(true);
    const after = await changeClient(server, client, { redirectUris: [OLD, NEW] });
    const page = await agent.get(at(after, NEW));
    expect(asksConsent(page)).toBe(true);
    expect(page.text).toMatch(new RegExp(`value="${company.companyId}"[^>]*selected`));
  });

  test("approved for all members → a member goes without a page at its hosts, and asks an admin at a new one", async () => {
    const company = await addCompany(server);
    const client = await server.addClient();
    await decide(server, company, client, { hosts: ["https://app.test"] });
    const agent = await asCompany(company, client, company.member.username);
    expect(answered(await agent.get(at(client, OLD)))).toBe(true);
    const after = await changeClient(server, client, { redirectUris: [OLD, NEW] });
    const page = await agent.get(at(after, NEW));
    expect(page.text).toContain("Acme Corp (an admin has to approve)");
    const asking = await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId });
    expect(asking.text).toContain("Ask an admin of Acme Corp");
    const form = asking.forms.find(({ fields }) => fields.has("owner"));
    if (form === undefined) throw new Error("no form for the reason");
    expect((await agent.submit(form, { reason: "It moved" })).text).toContain("have been asked");
    await decide(server, company, after, { hosts: ["https://app.test", "https://new.test"] });
    expect(answered(await agent.get(at(after, NEW)))).toBe(true);
  });

  test("an admin consents at the new host for themselves → members still ask", async () => {
    const company = await addCompany(server);
    const client = await server.addClient();
    await decide(server, company, client, { hosts: ["https://app.test"] });
    const after = await changeClient(server, client, { redirectUris: [OLD, NEW] });
    const admin = new Agent(server.issuer);
    await authorize(admin, at(after, NEW), company.admin.username, { owner: company.companyId });
    expect(answered(await admin.get(at(after, NEW)))).toBe(true);
    const agent = await asCompany(company, after, company.member.username);
    expect((await agent.get(at(after, NEW))).text).toContain("Acme Corp (an admin has to approve)");
  });
});
