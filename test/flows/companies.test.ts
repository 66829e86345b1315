import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import { addCompany, addMember, claimsOf, decide, type TestCompany } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, decide as decideDevice, poll } from "../support/device-actor.ts";
import { atConsent } from "../support/front-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  type Page,
  postForm,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
});
afterAll(() => server.stop());

/** Values and labels of the select named `owner`. */
function ownersOf({ text }: Page): string[][] {
  const select = /<select id="owner"[\s\S]*?<\/select>/.exec(text)?.[0] ?? "";
  return [...select.matchAll(/<option value="([^"]*)"([^>]*)>([^<]*)/g)].map(
    ([, value = "", attributes = "", label = ""]) => [
      value,
      `${label}${/\sselected/.test(attributes) ? " *" : ""}${/\sdisabled/.test(attributes) ? " -" : ""}`,
    ],
  );
}

const agentOf = () => new Agent(server.issuer);
const newClient = (changes: Parameters<TestServer["addClient"]>[0] = {}) => server.addClient(changes);

/** Allows the client in the company's name. Returns the tokens. */
async function asCompany(company: TestCompany, person = company.admin, of = client) {
  const agent = agentOf();
  const callback = await authorize(agent, authorizeUrl(server, of), person.username, { owner: company.companyId });
  return { agent, tokens: (await redeem(server, of, callback)).body };
}

describe("for whom", () => {
  test("a person without companies → is not asked", async () => {
    const { username } = await server.addPerson();
    const page = await atConsent(agentOf(), authorizeUrl(server, client), username);
    expect(page.text).not.toContain('name="owner"');
  });

  test("an admin → is asked, themselves first; a member sees that an admin has to approve, or that it is blocked", async () => {
    const company = await addCompany(server);
    const { admin, member } = company;
    const asAdmin = await atConsent(agentOf(), authorizeUrl(server, client), admin.username);
    expect(ownersOf(asAdmin)).toEqual([
      [admin.personId, `You: Alice Example (${admin.username}) *`],
      [company.companyId, "Acme Corp"],
    ]);
    const asMember = await atConsent(agentOf(), authorizeUrl(server, client), member.username);
    expect(ownersOf(asMember)[1]).toEqual([company.companyId, "Acme Corp (an admin has to approve)"]);
    await decide(server, company, client, { rule: "block" });
    const blocked = await atConsent(agentOf(), authorizeUrl(server, client), admin.username);
    expect(ownersOf(blocked)[1]).toEqual([company.companyId, "Acme Corp (doesn’t let this app in) -"]);
  });

  test("approved for what the app requires → the member needs no admin, although the app also asks for more", async () => {
    const company = await addCompany(server);
    const app = await server.addClient({ scopes: ["read", "write"], optionalScopes: ["write"] });
    await decide(server, company, app, {});
    const wanted = authorizeUrl(server, app, { scope: "read write" });
    const agent = agentOf();
    const page = await atConsent(agent, wanted, company.member.username);
    expect(ownersOf(page)[1]).toEqual([company.companyId, "Acme Corp"]);
    const answer = await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId, scope: [] });
    expect(answer.location?.searchParams.has("code")).toBe(true);
  });

  test("two companies with one name → the page adds their slugs", async () => {
    const [one, other, third] = [
      await addCompany(server),
      await addCompany(server),
      await addCompany(server, { name: "Third" }),
    ];
    for (const company of [other, third]) await addMember(server, company, one.admin, "admin");
    const page = await atConsent(agentOf(), authorizeUrl(server, client), one.admin.username);
    const labels = ownersOf(page).map(([, label]) => label);
    expect(labels.slice(1).sort()).toEqual([`Acme Corp, ${one.slug}`, `Acme Corp, ${other.slug}`, "Third"].sort());
  });

  test("another owner than the page offers: a stranger, another's company, a blocked one → the page again, nothing granted", async () => {
    const company = await addCompany(server);
    const other = await addCompany(server);
    const blocking = await addCompany(server);
    await addMember(server, blocking, company.admin, "admin");
    await decide(server, blocking, client, { rule: "block" });
    for (const owner of [other.companyId, other.admin.personId, blocking.companyId, "", "x"]) {
      const agent = agentOf();
      const page = await atConsent(agent, authorizeUrl(server, client), company.admin.username);
      const again = await agent.submit(consentForm(page), { decision: "allow", owner });
      expect([again.status, again.location]).toEqual([400, undefined]);
      expect(again.text).toContain("You can’t answer for that owner");
    }
  });

  test("the select left out, as a client of old would → the person", async () => {
    const { admin } = await addCompany(server);
    const agent = agentOf();
    const form = consentForm(await atConsent(agent, authorizeUrl(server, client), admin.username));
    form.fields.delete("owner");
    const { location } = await agent.submit(form, { decision: "allow" });
    const { body } = await redeem(server, client, location ?? "");
    expect(claimsOf(body.access_token)).toMatchObject({ sub: admin.personId });
    expect(claimsOf(body.access_token)).not.toHaveProperty("act");
  });

  test("a scope for operators → is granted for the person alone", async () => {
    await server.addScope({ name: "ops", description: "Operate", ownerRole: "operator" });
    const operated = await newClient({ scopes: ["read", "ops"] });
    const company = await addCompany(server);
    const operator = await server.addPerson({ operator: ["admin"] });
    await addMember(server, company, operator, "admin");
    const url = authorizeUrl(server, operated, { scope: "read ops" });
    const callback = await authorize(agentOf(), url, operator.username, {
      owner: company.companyId,
      scope: ["read", "ops"],
    });
    const { body } = await redeem(server, operated, callback, { resource: "https://api.test" });
    expect(body.scope).toBe("read");
  });
});

describe("the company owns the grant", () => {
  test("→ sub names it and act who acted, in the JWT, its introspection and the refresh token's", async () => {
    const company = await addCompany(server);
    const { tokens } = await asCompany(company);
    const owned = { sub: company.companyId, act: { sub: company.admin.personId } };
    expect(claimsOf(tokens.access_token)).toMatchObject(owned);
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect((await postForm(server, "/introspect", client, { token })).body).toMatchObject({ active: true, ...owned });
    }
    const refreshed = await refresh(server, client, tokens.refresh_token);
    expect(claimsOf(refreshed.body.access_token)).toMatchObject(owned);
  });

  test("by the implicit grant, too", async () => {
    const company = await addCompany(server);
    const implicit = await newClient({ grantTypes: ["implicit"], responseTypes: ["token"] });
    const url = authorizeUrl(server, implicit, { response_type: "token" });
    const callback = await authorize(agentOf(), url, company.admin.username, { owner: company.companyId });
    const token = new URLSearchParams(callback.hash.slice(1)).get("access_token") ?? undefined;
    expect(claimsOf(token)).toMatchObject({ sub: company.companyId, act: { sub: company.admin.personId } });
  });

  test("it is not among the person's own apps: they are told for whom it acts, and can't revoke it there", async () => {
    const { agent } = await asCompany(await addCompany(server));
    const page = await agent.get("/account/apps");
    expect(page.text).toContain("No apps have access to your account");
    const forms = page.forms.filter(({ fields }) => fields.get("client_id") === client.clientId);
    expect(forms.map(({ action }) => new URL(action, server.issuer).pathname)).toEqual(["/account/apps/ask-for-whom"]);
  });

  test("two admins answer the same request in one browser → each has a grant of their own", async () => {
    const company = await addCompany(server);
    const second = await server.addPerson();
    await addMember(server, company, second, "admin");
    const agent = agentOf();
    const form = consentForm(await atConsent(agent, authorizeUrl(server, client), company.admin.username));
    await agent.submit(form, { decision: "allow", owner: company.companyId });
    for (const name of agent.cookies.keys()) if (name.includes("session")) agent.cookies.delete(name);
    await signIn(agent, second.username);
    const csrfOf = await agent.get(`/consent?request=${form.fields.get("request")}`);
    const { location } = await agent.submit(consentForm(csrfOf), { decision: "allow", owner: company.companyId });
    const { body } = await redeem(server, client, location ?? "");
    expect(claimsOf(body.access_token)).toMatchObject({ act: { sub: second.personId } });
  });
});

describe("the next time", () => {
  const again = async (agent: Agent, changes: Record<string, string> = {}, of = client) =>
    agent.get(authorizeUrl(server, of, changes));

  test("chosen once for the company → no page, for the company", async () => {
    const company = await addCompany(server);
    const { agent } = await asCompany(company);
    const { location } = await again(agent);
    const { body } = await redeem(server, client, location ?? "");
    expect(claimsOf(body.access_token)).toMatchObject({ sub: company.companyId });
  });

  test("chosen for the company only this once → the page again, though the company's consent stands", async () => {
    const company = await addCompany(server);
    await asCompany(company);
    const second = await server.addPerson();
    await addMember(server, company, second, "admin");
    const agent = agentOf();
    const page = await atConsent(agent, authorizeUrl(server, client), second.username);
    await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId, duration: "once" });
    expect((await again(agent)).status).toBe(200);
  });

  test("allowed for oneself and for the company → the page; with prompt=none account_selection_required", async () => {
    const company = await addCompany(server);
    const { agent } = await asCompany(company);
    await authorize(agent, authorizeUrl(server, client, { prompt: "consent" }), "", { owner: company.admin.personId });
    const page = await again(agent);
    expect(page.status).toBe(200);
    expect(ownersOf(page)).toHaveLength(2);
    const silent = await again(agent, { prompt: "none" });
    expect(silent.location?.searchParams.get("error")).toBe("account_selection_required");
  });

  test("another admin of the same company → is asked: they never said that they mean it", async () => {
    const company = await addCompany(server);
    await asCompany(company);
    const second = await server.addPerson();
    await addMember(server, company, second, "admin");
    const page = await atConsent(agentOf(), authorizeUrl(server, client), second.username);
    expect(ownersOf(page)[0]?.[1]).toMatch(/^You: .* \*$/);
  });

  test("prompt=select_account → sign-in, then the page, with whom it was the last time", async () => {
    const company = await addCompany(server);
    const { agent } = await asCompany(company);
    const page = await atConsent(
      agent,
      authorizeUrl(server, client, { prompt: "select_account" }),
      company.admin.username,
    );
    expect(ownersOf(page)[1]).toEqual([company.companyId, "Acme Corp *"]);
  });

  test("a first-party client → the person without a page; chosen for the company once, the page", async () => {
    const company = await addCompany(server);
    const ours = await newClient({ firstParty: true });
    const agent = agentOf();
    const callback = await authorize(agent, authorizeUrl(server, ours), company.admin.username);
    expect(claimsOf((await redeem(server, ours, callback)).body.access_token)).toMatchObject({
      sub: company.admin.personId,
    });
    await authorize(agent, authorizeUrl(server, ours, { prompt: "consent" }), "", { owner: company.companyId });
    expect((await again(agent, {}, ours)).status).toBe(200);
  });
});

describe("approved once for all members", () => {
  test("→ a member chooses the company once, then needs no page; beyond the scopes an admin is asked", async () => {
    const company = await addCompany(server);
    const app = await newClient();
    await decide(server, company, app, {});
    const agent = agentOf();
    const callback = await authorize(agent, authorizeUrl(server, app), company.member.username, {
      owner: company.companyId,
    });
    expect((await redeem(server, app, callback)).status).toBe(200);
    const again = await agent.get(authorizeUrl(server, app));
    const { body } = await redeem(server, app, again.location ?? "");
    expect(claimsOf(body.access_token)).toMatchObject({
      sub: company.companyId,
      act: { sub: company.member.personId },
    });
    const wider = await agent.get(authorizeUrl(server, app, { scope: "read profile" }));
    expect(wider.status).toBe(200);
    expect(ownersOf(wider)[1]?.[1]).toMatch(/an admin has to approve/);
  });

  test("opted out → the page; chosen there all the same → granted, no longer than the member said", async () => {
    const company = await addCompany(server);
    const app = await newClient();
    await decide(server, company, app, {});
    const { partition, companyId, member } = company;
    const key = { partition, companyId, clientId: app.clientId, personId: member.personId };
    await server.assent.storage.companyApps.setOptOut({ ...key, out: true, now: server.now() });
    const agent = agentOf();
    const page = await atConsent(agent, authorizeUrl(server, app), member.username);
    const { location } = await agent.submit(consentForm(page), {
      decision: "allow",
      owner: companyId,
      duration: "3600",
    });
    const { body } = await redeem(server, app, location ?? "");
    expect(claimsOf(body.access_token)).toMatchObject({ sub: companyId });
    const [grant] = await server.assent.storage.companyApps.grantsOfMember({ ...key, now: server.now() });
    expect((grant?.absoluteUntil ?? 0) - server.now()).toBeLessThanOrEqual(3_600_000);
    const consent = await server.assent.storage.consents.find({
      partition,
      ownerId: companyId,
      clientId: app.clientId,
    });
    expect(consent?.expiresAt).toBeNull();
  });

  test("a public client at a custom scheme → the page nevertheless (RFC 8252 §8.6)", async () => {
    const company = await addCompany(server);
    const app = await newClient({ type: "public", redirectUris: ["com.example.app:/cb"] });
    await decide(server, company, app, {});
    const pkce = { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" };
    expect((await atConsent(agentOf(), authorizeUrl(server, app, pkce), company.member.username)).status).toBe(200);
  });
});

describe("a member asks an admin", () => {
  async function atAsk(company: TestCompany, app: TestClient) {
    const agent = agentOf();
    const page = await atConsent(agent, authorizeUrl(server, app), company.member.username);
    const asking = await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId });
    const form = asking.forms.find(({ action }) => action.endsWith("/consent/ask"));
    if (form === undefined) throw new Error(asking.text);
    return { agent, asking, form };
  }
  const queue = ({ partition, companyId }: TestCompany) =>
    server.assent.storage.companyApps.listRequests({ partition, companyId, limit: 10 });

  test("without a reason, with one that is too long, by a forged form → nothing is asked", async () => {
    const company = await addCompany(server);
    const { agent, form } = await atAsk(company, client);
    for (const reason of ["", "   ", "x".repeat(501), "a\0b"]) {
      const again = await agent.submit(form, { reason });
      expect([again.status, again.text.includes("in 500 characters at most")]).toEqual([400, true]);
    }
    expect((await agent.submit(form, { reason: "r", csrf: "forged" })).status).toBe(403);
    expect((await agent.submit(form, { reason: "r", csrf: "" })).status).toBe(403);
    expect((await agentOf().submit(form, { reason: "r" })).status).toBe(400);
    expect(await queue(company)).toEqual([]);
  });

  test("of a company that is not theirs, or where nobody has to be asked → the page, nothing is asked", async () => {
    const company = await addCompany(server);
    const other = await addCompany(server);
    const { agent, form } = await atAsk(company, client);
    for (const owner of [other.companyId, company.member.personId]) {
      const page = await agent.submit(form, { reason: "r", owner });
      expect(ownersOf(page)).toHaveLength(2);
    }
    expect(await queue(other)).toEqual([]);
  });

  test("→ the admins' queue, and the app hears a no; approved → the app gets its answer", async () => {
    const company = await addCompany(server);
    const app = await newClient();
    const { agent, form } = await atAsk(company, app);
    const asked = await agent.submit(form, { reason: "For the <b>fair</b>" });
    expect(asked.text).toContain("have been asked");
    expect(await queue(company)).toMatchObject([
      { clientId: app.clientId, username: company.member.username, scopes: ["read"], reason: "For the <b>fair</b>" },
    ]);
    const back = await agent.submit(consentForm(asked), { decision: "back" });
    expect(back.location?.searchParams.get("error")).toBe("access_denied");
    await decide(server, company, app, {});
    const page = await agent.get(authorizeUrl(server, app));
    const answer = await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId });
    expect(answer.location?.searchParams.get("code")).toBeTruthy();
  });
});

describe("who leaves", () => {
  test("a member removed → refreshing stops now, no page grants any more; the consent stays for others", async () => {
    const company = await addCompany(server);
    const { agent, tokens } = await asCompany(company);
    const { partition, companyId, admin } = company;
    await server.assent.storage.members.remove({ partition, companyId, person: admin, by: null, now: server.now() });
    expect((await refresh(server, client, tokens.refresh_token)).body.error).toBe("invalid_grant");
    const page = await agent.get(authorizeUrl(server, client));
    expect(page.text).not.toContain('name="owner"');
    const key = { partition, ownerId: companyId, clientId: client.clientId };
    expect(await server.assent.storage.consents.find(key)).toMatchObject({ status: "active" });
  });

  test("removed while the page is open → the app hears a no, and no grant is born", async () => {
    const company = await addCompany(server);
    const agent = agentOf();
    const form = consentForm(await atConsent(agent, authorizeUrl(server, client), company.admin.username));
    const { partition, companyId, admin } = company;
    await server.assent.storage.members.remove({ partition, companyId, person: admin, by: null, now: server.now() });
    const answer = await agent.submit(form, { decision: "allow", owner: companyId });
    expect(answer.status).toBe(400);
    expect(
      await server.assent.storage.consents.find({ partition, ownerId: companyId, clientId: client.clientId }),
    ).toBeUndefined();
  });

  test("a person disabled → refreshing stops now", async () => {
    const company = await addCompany(server);
    const { tokens } = await asCompany(company);
    await server.assent.storage.people.setStatus({ ...company.admin, status: "disabled", now: server.now() });
    expect((await refresh(server, client, tokens.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("disabled, and the company can't be told yet → refreshing is refused within a second, and goes on for others", async () => {
    const company = await addCompany(server);
    const second = await server.addPerson();
    await addMember(server, company, second, "admin");
    const { tokens } = await asCompany(company);
    const others = await asCompany(company, second);
    const { partition, personId } = company.admin;
    // The state after a process stopped between the person's change and its announcement to companies.
    await byHand(
      server.assent.config.databaseUrl,
      [
        "UPDATE people SET status = 'disabled', standing_version = 1 WHERE partition = $1 AND person_id = $2",
        partition,
        personId,
      ],
      [
        `INSERT INTO standings (partition, person_id, company_id, version, standing, cut_at, written_at)
          VALUES ($1, $2, $3, 1, 'disabled', $4, $4)`,
        ...[partition, personId, company.companyId, server.now()],
      ],
    );
    await settle();
    const answer = await refresh(server, client, tokens.refresh_token);
    expect(answer.body.error).toBe("invalid_grant");
    expect((await refresh(server, client, others.tokens.refresh_token)).status).toBe(200);
    await server.assent.storage.membershipOutbox.deliver({ now: server.now(), limit: 10 });
    expect((await refresh(server, client, tokens.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("a company disabled → refreshing stops now", async () => {
    const company = await addCompany(server);
    const { tokens } = await asCompany(company);
    const { partition, companyId } = company;
    await server.assent.storage.companies.setStatus({ partition, companyId, status: "disabled", now: server.now() });
    expect((await refresh(server, client, tokens.refresh_token)).body.error).toBe("invalid_grant");
  });
});

describe("a device for a company", () => {
  test("allowed by an admin → its token names the company; once the admin has left, the poll finds nothing", async () => {
    const company = await addCompany(server);
    const tv = await aDeviceClient(server);
    const one = await aDevice(server, tv);
    const done = await decideDevice(agentOf(), one.userCode, company.admin.username, { owner: company.companyId });
    expect(done.text).toContain("is connected");
    const { body } = await poll(server, tv, one.deviceCode);
    expect(claimsOf(body.access_token)).toMatchObject({ sub: company.companyId, act: { sub: company.admin.personId } });

    const two = await aDevice(server, tv);
    await decideDevice(agentOf(), two.userCode, company.admin.username, { owner: company.companyId });
    const { partition, companyId, admin } = company;
    await server.assent.storage.members.remove({ partition, companyId, person: admin, by: null, now: server.now() });
    expect((await poll(server, tv, two.deviceCode)).body.error).toBe("invalid_grant");
  });

  test("left and back between the yes and the poll → the yes is no good any more", async () => {
    const company = await addCompany(server);
    const tv = await aDeviceClient(server);
    const device = await aDevice(server, tv);
    await decideDevice(agentOf(), device.userCode, company.admin.username, { owner: company.companyId });
    const { partition, companyId, admin } = company;
    server.tick(10);
    await server.assent.storage.members.remove({ partition, companyId, person: admin, by: null, now: server.now() });
    await addMember(server, company, admin, "admin");
    expect((await poll(server, tv, device.deviceCode)).body.error).toBe("invalid_grant");
  });

  test("approved for all → a member allows it, as long as they say; else an admin is asked, and the device waits", async () => {
    const company = await addCompany(server);
    const tv = await aDeviceClient(server);
    const owner = company.companyId;
    const waiting = await aDevice(server, tv);
    const agent = agentOf();
    const asking = await decideDevice(agent, waiting.userCode, company.member.username, { owner });
    const form = asking.forms.find(({ action }) => action.endsWith("/device/ask"));
    if (form === undefined) throw new Error(asking.text);
    expect((await agent.submit(form, { reason: "" })).status).toBe(400);
    expect((await agent.submit(form, { reason: "r", csrf: "x" })).status).toBe(403);
    expect((await agent.submit(form, { reason: "For the lobby" })).text).toContain("have been asked");
    expect((await poll(server, tv, waiting.deviceCode)).body.error).toBe("authorization_pending");

    await decide(server, company, tv, {});
    await decideDevice(agent, waiting.userCode, company.member.username, { owner, duration: "3600" });
    server.tick(6000);
    const { body } = await poll(server, tv, waiting.deviceCode);
    expect(claimsOf(body.access_token)).toMatchObject({ sub: owner, act: { sub: company.member.personId } });
    const { partition, companyId, member } = company;
    const [grant] = await server.assent.storage.companyApps.grantsOfMember({
      partition,
      companyId,
      personId: member.personId,
      now: server.now(),
    });
    expect((grant?.absoluteUntil ?? 0) - server.now()).toBeLessThanOrEqual(3_600_000);
  });

  test("another owner than the page offers → the page again", async () => {
    const company = await addCompany(server);
    const other = await addCompany(server);
    const device = await aDevice(server, await aDeviceClient(server));
    const page = await decideDevice(agentOf(), device.userCode, company.admin.username, { owner: other.companyId });
    expect(page.status).toBe(400);
    expect(page.text).toContain("You can’t answer for that owner");
  });
});
