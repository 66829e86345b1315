/** An admin connects the company's own provider on its page, tries it, switches it on, and its people sign in. */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCompany, addMember, type TestCompany } from "../../support/company-staff.ts";
import { Agent, formTo, type Page, signIn } from "../../support/http-browser.ts";
import { type OidcProvider, startOidcProvider } from "../../support/oidc-provider.ts";
import {
  addCompanyProvider,
  ForgingProvider,
  isSignedIn,
  pressProvider,
  startServerForProviders,
  typeWorkAddress,
} from "../../support/sign-in-providers.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../../support/smtp-server.ts";
import type { TestServer } from "../../support/test-server.ts";
import { settle } from "../../support/test-server.ts";

let server: TestServer;
let there: OidcProvider;
let mailbox: TestMailbox;

beforeAll(async () => {
  mailbox = await startMailbox();
  [server, there] = await Promise.all([
    startServerForProviders({ config: { smtpUrl: smtpTo(mailbox) } }),
    startOidcProvider(),
  ]);
});
afterAll(async () => {
  await Promise.all([server.stop(), there.stop()]);
  await mailbox.stop();
});

let companies = 0;
/** A company whose admins may connect a provider. Its domain is that of the accounts there. */
async function aCompany(allowed = true): Promise<TestCompany & { readonly domain: string }> {
  companies += 1;
  const company = await addCompany(server);
  const domain = `flow${companies}.test`;
  const { partition, companyId } = company;
  const changes = { ownProvider: allowed, addDomains: [domain], removeDomains: [] };
  await server.assent.storage.companySignIn.set({ partition, companyId, now: server.now(), ...changes });
  return { ...company, domain };
}

async function as(person: { readonly username: string }): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return agent;
}

const pathOf = ({ slug }: TestCompany) => `/company/${slug}/provider`;
const recordOf = async ({ companyId }: TestCompany) => server.assent.storage.companySignIn.get({ companyId });

/** Connects the provider by the form, and registers this server there. */
async function connect(agent: Agent, company: TestCompany, changes: Record<string, string> = {}): Promise<Page> {
  const secret = randomBytes(16).toString("hex");
  const clientId = randomBytes(8).toString("hex");
  const fields = { name: "Acme ID", issuer: there.issuer, client_id: clientId, client_secret: secret, ...changes };
  const page = await agent.follow(await agent.submit(formTo(await agent.get(pathOf(company)), "/provider"), fields));
  const provider = (await recordOf(company))?.provider;
  if (provider != null)
    there.register({
      ...{ client_id: clientId, client_secret: secret },
      redirect_uris: [`${server.issuer}/login/provider/${provider.id}/callback`],
    });
  await settle();
  return page;
}

async function tryAs(agent: Agent, company: TestCompany, account: string): Promise<Page> {
  const begun = await agent.submit(formTo(await agent.get(pathOf(company)), "/try"), {});
  const callback = await there.passes(there.agent(), begun, account);
  return agent.get(callback.href);
}

async function switchTo(agent: Agent, company: TestCompany): Promise<Page> {
  const page = await agent.follow(await agent.submit(formTo(await agent.get(pathOf(company)), "/switch"), {}));
  await settle();
  return page;
}

test("wrong settings → each told beside its field, nothing stored, what was typed stays except the secret", async () => {
  const company = await aCompany();
  const agent = await as(company.admin);
  const form = formTo(await agent.get(pathOf(company)), "/provider");
  for (const [changes, words] of [
    [{ issuer: "http://login.example" }, "begins with https://"],
    [{ issuer: "https://169.254.169.254/?a=b" }, "begins with https://"],
    [{ issuer: server.issuer }, "address of this service itself"],
    [{ client_id: "" }, "client ID exactly"],
    [{ client_secret: "a\tb" }, "client secret exactly"],
    [{ roles: "groups", claim: "groups", admin_groups: "\n \n" }, "at least one group"],
    [{ scope: 'a"b' }, "up to 20"],
    [{ claims: "username=upn" }, "one field and claim in each line"],
    [{ claims: "email_verified\nname=cn" }, "one field and claim in each line"],
    [{ name: "\u202e" }, "up to 60 characters"],
  ] as const) {
    const fields = {
      name: "Acme ID",
      issuer: "https://id.example",
      client_id: "a",
      client_secret: "s3cret-text",
      ...changes,
    };
    const page = await agent.submit(form, fields);
    expect([page.status, page.text], words).toEqual([400, expect.stringContaining(words)]);
    expect(page.text).not.toContain("s3cret-text");
  }
  expect((await recordOf(company))?.provider).toBeNull();
});

test("connect, try, switch on → people sign in by their work address and at the company's address; mails and history name it", async () => {
  const company = await aCompany();
  const agent = await as(company.admin);
  await mailbox.next(company.admin.email);
  const connected = await connect(agent, company);
  expect(connected.text).toContain("Saved.");
  expect(connected.text).not.toContain('name="on" value="yes"');
  expect((await mailbox.next(company.admin.email)).subject).toContain(`${company.name}`);
  // Nobody sees or reaches it yet.
  const visitor = new Agent(server.issuer);
  expect((await visitor.get(`/company/${company.slug}/sign-in`)).status).toBe(404);
  expect((await typeWorkAddress(visitor, `new@${company.domain}`)).status).toBe(200);
  const tried = await tryAs(agent, company, `me@${company.domain}`);
  expect([tried.status, tried.text]).toEqual([200, expect.stringContaining(`me@${company.domain}`)]);
  expect(await server.assent.storage.people.findByName({ name: `me@${company.domain}` })).toBeUndefined();
  expect((await switchTo(agent, company)).text).toContain("The sign-in is on.");
  const shown = await visitor.get(`/company/${company.slug}/sign-in`);
  expect(shown.text).toContain("Sign in to");
  const provider = (await recordOf(company))?.provider;
  if (provider == null) throw new Error("no provider");
  const callback = await there.passes(
    there.agent(),
    await pressProvider(visitor, shown, provider),
    `new@${company.domain}`,
  );
  await visitor.follow(await visitor.get(callback.href));
  expect((await visitor.get(`/company/${company.slug}`)).status).toBe(200);
  expect((await new Agent(server.issuer).get("/login")).text).not.toContain("Acme ID");
  const history = await agent.get(`/company/${company.slug}/history`);
  for (const words of ["was connected as the company’s own sign-in", "was switched on", "was added"])
    expect(history.text).toContain(words);
  const byAddress = new Agent(server.issuer);
  const begun = await typeWorkAddress(byAddress, `new@${company.domain}`);
  await byAddress.follow(await byAddress.get((await there.passes(there.agent(), begun, `new@${company.domain}`)).href));
  expect(await isSignedIn(byAddress)).toBe(true);
});

test("LD-10 moved to another issuer without its secret → no stored secret for a new host, and it must be tried again", async () => {
  const company = await aCompany();
  const agent = await as(company.admin);
  await connect(agent, company);
  await tryAs(agent, company, `me@${company.domain}`);
  const before = (await recordOf(company))?.provider;
  expect([before?.triedAt, before?.sealedSecret]).toEqual([expect.any(Number), expect.any(String)]);
  const moved = async (issuer: string) => {
    await connect(agent, company, { issuer, client_id: before?.clientId ?? "", client_secret: "" });
    const { triedAt, sealedSecret } = (await recordOf(company))?.provider ?? {};
    return { triedAt, sealedSecret };
  };
  expect(await moved(`${there.issuer}/other`)).toEqual({ triedAt: null, sealedSecret: before?.sealedSecret });
  expect(await moved("https://evil.invalid")).toEqual({ triedAt: null, sealedSecret: null });
});

test("a try of another person, or twice, or a provider that fails → no page of the company, nothing counts as tried", async () => {
  const company = await aCompany();
  const agent = await as(company.admin);
  await connect(agent, company);
  const begun = await agent.submit(formTo(await agent.get(pathOf(company)), "/try"), {});
  const callback = await there.passes(there.agent(), begun, `me@${company.domain}`);
  const other = await as((await aCompany()).admin);
  expect((await other.get(callback.href)).status).toBe(400);
  expect((await recordOf(company))?.provider?.triedAt).toBeNull();
  const failed = await agent.get(callback.href.replace(/code=[^&]*/, "code=wrong"));
  expect([failed.status, failed.text]).toEqual([400, expect.stringContaining("couldn’t be reached")]);
  expect((await agent.get(callback.href)).location?.search).toBe("?done=notNow");
  expect((await recordOf(company))?.provider?.triedAt).toBeNull();
});

test("an issuer that doesn't answer, or inside the network → one text for both; the 11th try in an hour → 429", async () => {
  const company = await aCompany();
  const agent = await as(company.admin);
  await connect(agent, company, { issuer: "https://10.1.2.3" });
  const texts = new Set<string>();
  for (let at = 0; at < 10; at += 1) {
    if (at === 5) await connect(agent, company, { issuer: "https://login.invalid" });
    const page = await agent.submit(formTo(await agent.get(pathOf(company)), "/try"), {});
    expect(page.status).toBe(400);
    texts.add(page.text.match(/<main.*<\/main>/s)?.[0].replaceAll(/"[^"]*"/g, "") ?? "");
  }
  expect(texts.size).toBe(1);
  expect((await agent.submit(formTo(await agent.get(pathOf(company)), "/try"), {})).status).toBe(429);
});

describe("switched on", () => {
  async function on() {
    const company = await aCompany();
    const provider = await addCompanyProvider(server, company, there.issuer, {
      domains: [],
      clientId: randomBytes(8).toString("hex"),
    });
    there.register({
      ...{ client_id: provider.clientId, client_secret: "client secret" },
      redirect_uris: [`${server.issuer}/login/provider/${provider.id}/callback`],
    });
    const visitor = new Agent(server.issuer);
    const arrive = async () => {
      const begun = await typeWorkAddress(visitor, `a@${company.domain}`);
      await visitor.follow(await visitor.get((await there.passes(there.agent(), begun, `a@${company.domain}`)).href));
    };
    await arrive();
    return { company, provider, visitor, arrive, agent: await as(company.admin) };
  }

  test("another issuer or client ID → refused; another name → saved, nothing ends", async () => {
    const { company, agent, visitor } = await on();
    const form = async () => formTo(await agent.get(pathOf(company)), "/provider");
    const page = await agent.submit(await form(), { issuer: "https://other.example" });
    expect([page.status, page.text]).toEqual([400, expect.stringContaining("switch the sign-in off first")]);
    expect((await agent.follow(await agent.submit(await form(), { name: "Acme login" }))).text).toContain("Saved.");
    expect(await isSignedIn(visitor)).toBe(true);
  });

  test("somebody types the work address with a password → wrong, as for anybody, and then the button of the company", async () => {
    const { company, provider } = await on();
    const visitor = new Agent(server.issuer);
    const login = await visitor.get("/login");
    expect(login.text).toContain("enter your work address and no password");
    expect(login.text).not.toContain(provider.id);
    const form = login.forms.find(({ fields }) => fields.has("username"));
    if (form === undefined) throw new Error("no sign-in form");
    const wrong = (username: string) => visitor.submit(form, { username, password: "the password of the company" });
    const main = ({ text }: Page, username: string) =>
      text
        .match(/<main.*<\/main>/s)?.[0]
        .replaceAll(username, "")
        .replaceAll(/(?:name="csrf" |sealed|challenge)[^>]*/g, "");
    const [known, unknown] = [`a@${company.domain}`, `nobody@${company.domain}`];
    const page = await wrong(known);
    expect(main(page, known)).toBe(main(await wrong(unknown), unknown));
    const begun = await pressProvider(visitor, page, provider);
    await visitor.follow(await visitor.get((await there.passes(there.agent(), begun, known)).href));
    expect(await isSignedIn(visitor)).toBe(true);
    expect(
      (await new Agent(server.issuer).submit(form, { username: "a@other.test", password: "x" })).text,
    ).not.toContain(provider.id);
  });

  test("of two admins who save at once the second → nothing is saved", async () => {
    const { company, agent } = await on();
    const form = formTo(await agent.get(pathOf(company)), "/provider");
    await agent.submit(form, { name: "First" });
    expect((await agent.follow(await agent.submit(form, { name: "Second" }))).text).toContain("Nothing was saved");
    expect((await recordOf(company))?.provider?.name).toBe("First");
  });

  test("switched off → its sessions end, others stay, nobody signs in; on again → the same account", async () => {
    const { company, agent, visitor, arrive } = await on();
    expect((await switchTo(agent, company)).text).toContain("The sign-in is off.");
    expect(await isSignedIn(visitor)).toBe(false);
    expect(await isSignedIn(agent)).toBe(true);
    expect((await typeWorkAddress(visitor, `a@${company.domain}`)).status).toBe(200);
    await switchTo(agent, company);
    await arrive();
    expect(await isSignedIn(visitor)).toBe(true);
  });

  test("an admin without a password or passkey → can't switch it on", async () => {
    const { company, agent, visitor } = await on();
    await switchTo(agent, company);
    const person = await server.assent.storage.people.findByName({ name: `a@${company.domain}` });
    if (person === undefined) throw new Error("no account");
    await addMember(server, company, person, "admin");
    await switchTo(agent, company);
    const begun = await typeWorkAddress(visitor, `a@${company.domain}`);
    await visitor.follow(await visitor.get((await there.passes(there.agent(), begun, `a@${company.domain}`)).href));
    const { partition, companyId } = company;
    const { provider } = (await recordOf(company)) ?? {};
    if (provider == null) throw new Error("no provider");
    const off = { ...provider, status: "disabled", changedAt: provider.changedAt + 1 } as const;
    await server.assent.storage.companySignIn.putProvider({
      ...{
        partition,
        companyId,
        by: null,
        provider: off,
        seen: provider.changedAt,
        most: 9_999,
        step: "off",
        now: server.now(),
      },
    });
    const page = await visitor.get(pathOf(company));
    expect(page.text).toContain("you need another way to sign in");
    const forged = formTo(page, "/try");
    const fields = new URLSearchParams({
      csrf: forged.fields.get("csrf") ?? "",
      seen: String(off.changedAt),
      on: "yes",
    });
    const after = await visitor.follow(await visitor.post(`${pathOf(company)}/switch`, fields));
    expect(after.text).toContain("Nothing was changed");
  });

  test("removed → first the number of people without another way in; then its sessions and connections are gone", async () => {
    const { company, provider, agent, visitor } = await on();
    const question = await agent.get(`${pathOf(company)}/remove`);
    expect(question.text).toContain("1 person has no other way to sign in");
    const done = await agent.follow(await agent.submit(formTo(question, "/remove"), {}));
    expect(done.text).toContain("The sign-in is removed.");
    expect(await isSignedIn(visitor)).toBe(false);
    const links = await server.assent.storage.subjectLinks.list({ issuerId: provider.id, limit: 10, after: null });
    expect(links).toEqual([]);
  });

  test("a member with an account connects it → the page warns; they sign in with it; then they can't join another company", async () => {
    const company = await aCompany();
    const forging = await ForgingProvider.start(() => server.now());
    const provider = await addCompanyProvider(server, company, forging.issuer, { domains: [] });
    const claims = { sub: "member-there", email: `m@${company.domain}` };
    const member = await as(company.member);
    const security = await member.get("/account/security");
    const form = security.forms.find(
      ({ action, fields, buttons }) =>
        action.endsWith("/connect/begin") &&
        (fields.get("provider") === provider.id || buttons.some(([, value]) => value === provider.id)),
    );
    if (form === undefined) throw new Error("no button to connect");
    const begun = await member.submit(form, { provider: provider.id });
    const question = await member.follow(await member.get(forging.callback(begun, {}, claims)));
    expect(question.text).toContain("can then sign in here as you");
    await member.follow(await member.submit(formTo(question, "/connect"), {}));
    const again = new Agent(server.issuer);
    const typed = await typeWorkAddress(again, claims.email);
    await again.follow(await again.get(forging.callback(typed, {}, claims)));
    expect((await again.get(`/company/${company.slug}`)).status).toBe(200);
    const other = await aCompany();
    const inviter = await as(other.admin);
    const members = formTo(await inviter.get(`/company/${other.slug}/members`), "/members/invite");
    const invited = await inviter.submit(members, { addressee: company.member.username, role: "member" });
    const token = /invitation\?token=([\w.-]+)/.exec(invited.text)?.[1] ?? "";
    const joined = await again.submit(formTo(await again.get(`/invitation?token=${token}`), "/invitation"), {});
    expect((await again.follow(joined)).text).toContain("another company can sign in as you");
    await forging.stop();
  });

  test("somebody who is no member, or who belongs to another company, too → no button to connect, and no way around", async () => {
    const { company, provider } = await on();
    const other = await aCompany();
    await addMember(server, other, company.member);
    for (const person of [await server.addPerson(), company.member]) {
      const agent = await as(person);
      const security = await agent.get("/account/security");
      expect(security.text).not.toContain(provider.id);
      const csrf = security.forms.find(({ fields }) => fields.has("csrf"))?.fields.get("csrf") ?? "";
      const answer = await agent.post(
        "/account/security/connect/begin",
        new URLSearchParams({ csrf, provider: provider.id }),
      );
      expect(answer.location?.search).toBe("?done=account-closed");
    }
  });
});

// The last one: it moves the clock away from the provider's.
test("a member, an admin of a company without leave, an old sign-in → no page, or a fresh sign-in first", async () => {
  const [company, without] = [await aCompany(), await aCompany(false)];
  expect((await (await as(company.member)).get(pathOf(company))).status).toBe(404);
  expect((await (await as(without.admin)).get(pathOf(without))).status).toBe(404);
  const agent = await as(company.admin);
  expect((await agent.get(`/company/${company.slug}`)).text).toContain(`${pathOf(company)}"`);
  const { text } = await agent.get(pathOf(company));
  expect(text).toContain(`@${company.domain}`);
  server.tick(11 * 60_000);
  const asked = await agent.get(pathOf(company));
  expect([asked.status, asked.location?.pathname]).toEqual([303, "/account/confirm"]);
  const again = await agent.follow(asked);
  const back = await signIn(agent, company.admin.username, again);
  expect(back.text).toContain(`@${company.domain}`);
});
