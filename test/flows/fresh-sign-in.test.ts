/**
 * Actions that are dangerous in a borrowed or stolen browser need a full sign-in within the last ten minutes.
 * Afterwards the person continues where they were.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { appOf, formWith } from "../support/authenticator-app.ts";
import { addCompany, addMember, type TestCompany } from "../support/company-staff.ts";
import { Agent, type Form, type Page, signIn } from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const MINUTE = 60_000;
const EXPORT = "/account/profile/export";

function formTo(page: Page, action: string, more: (form: Form) => boolean = () => true): Form {
  const found = page.forms.find((form) => form.action.endsWith(action) && more(form));
  if (found === undefined) throw new Error(`no form to ${action}: ${page.status} ${page.text.slice(0, 300)}`);
  return found;
}

async function somebody(given?: Person): Promise<{ person: Person; agent: Agent }> {
  const person = given ?? (await server.addPerson());
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return { person, agent };
}

/** Signs in once more at the page that a redirect leads to. */
async function again(agent: Agent, { location }: Page, { username }: Person): Promise<Page> {
  expect(location?.pathname).toBe("/account/confirm");
  const shown = await agent.get(location?.href ?? "");
  return agent.submit(formWith(shown, "password"), { username, password: PASSWORD });
}

const isData = ({ headers }: Page) => headers.get("content-disposition")?.includes("my-data.json") ?? false;

describe("the download of one's data", () => {
  test("signed in eleven minutes ago → the page and the form ask for a sign-in first, and nothing is handed out", async () => {
    const { agent } = await somebody();
    const form = formTo(await agent.get(EXPORT), EXPORT);
    server.tick(11 * MINUTE);
    for (const page of [await agent.get(EXPORT), await agent.submit(form)]) {
      expect([page.status, page.location?.pathname]).toEqual([303, "/account/confirm"]);
      expect(page.location?.searchParams.get("to")).toBe("export");
      expect(isData(page)).toBe(false);
    }
    expect(server.log.filter((line) => line.includes('"data_exported"'))).toEqual([]);
  });

  test("the wrong password there → the sign-in form once more; the right one → back at the page, and the file comes", async () => {
    const { person, agent } = await somebody();
    server.tick(11 * MINUTE);
    const asked = await agent.get(EXPORT);
    const shown = await agent.get(asked.location?.href ?? "");
    const wrong = await agent.submit(formWith(shown, "password"), { username: person.username, password: "not it" });
    expect([wrong.status, isData(wrong)]).toEqual([200, false]);
    const back = await again(agent, asked, person);
    expect(back.location?.pathname).toBe(EXPORT);
    const file = await agent.submit(formTo(await agent.get(EXPORT), EXPORT));
    expect([file.status, isData(file)]).toEqual([200, true]);
    expect(JSON.parse(file.text).account).toMatchObject({ username: person.username });
  });

  test("signed in by the password alone, and the second step was set up since → the second step is asked for", async () => {
    const { person, agent: old } = await somebody();
    const { agent } = await somebody(person);
    const setup = await agent.get("/account/security/authenticator");
    const app = appOf(setup, server);
    await agent.submit(formWith(setup, "code"), { code: app.code() });
    server.tick(MINUTE);
    // Less than ten minutes have passed, so only the missing second step is asked for.
    const asked = await old.get(EXPORT);
    const step = await old.follow(await again(old, asked, person));
    expect(isData(await old.post(EXPORT, { csrf: "x" }))).toBe(false);
    const done = await old.submit(formWith(step, "code"), { code: app.code() });
    expect(done.location?.pathname).toBe(EXPORT);
    expect(isData(await old.submit(formTo(await old.get(EXPORT), EXPORT)))).toBe(true);
  });

  test("from the profile there is a link to it", async () => {
    const { agent } = await somebody();
    expect((await agent.get("/account/profile")).text).toContain(`href="${EXPORT}"`);
  });
});

describe("the second step was set up since the sign-in", () => {
  test("the end of the account, with the right password → a sign-in first, and back to the page that asks", async () => {
    const { person, agent } = await somebody();
    const { partition, personId } = person;
    const form = formTo(await agent.get("/account/profile/delete"), "/delete");
    const setup = (await somebody(person)).agent;
    const shown = await setup.get("/account/security/authenticator");
    await setup.submit(formWith(shown, "code"), { code: appOf(shown, server).code() });
    const asked = await agent.submit(form, { current_password: PASSWORD });
    expect([asked.status, asked.location?.searchParams.get("to")]).toEqual([303, "delete"]);
    expect((await server.assent.storage.people.get({ partition, personId }))?.deleteAt).toBeNull();
  });
});

describe("a company's admin, signed in a while ago", () => {
  let company: TestCompany;
  let member: Person;
  let agent: Agent;
  beforeAll(async () => {
    company = await addCompany(server);
    member = await server.addPerson();
    await addMember(server, company, member);
    ({ agent } = await somebody(company.admin));
  });
  const members = () => agent.get(`/company/${company.slug}/members`);
  const roleOf = async ({ personId }: Person) => {
    const { partition, companyId } = company;
    const all = await server.assent.storage.members.list({ partition, companyId, limit: 10, after: null });
    return all.find((one) => one.personId === personId)?.role;
  };
  const makeAdmin = async () => {
    const form = formTo(await members(), "/role", ({ fields }) => fields.get("person_id") === member.personId);
    return agent.submit(form, { role: "admin" });
  };

  const prove = (asked: Page) => agent.submit(formWith(asked, "current_password"), { current_password: PASSWORD });
  const asksPassword = (page: Page) => page.forms.some(({ fields }) => fields.has("current_password"));

  test("makes somebody an admin → the password first, on a page that goes on with the change", async () => {
    server.tick(11 * MINUTE);
    const asked = await makeAdmin();
    expect([asked.status, asksPassword(asked), await roleOf(member)]).toEqual([200, true, "member"]);
    const wrong = await agent.submit(formWith(asked, "current_password"), { current_password: "not it" });
    expect([asksPassword(wrong), await roleOf(member)]).toEqual([true, "member"]);
    const done = await prove(wrong);
    expect(done.location?.pathname).toBe(`/company/${company.slug}/members`);
    expect([done.location?.searchParams.get("done"), await roleOf(member)]).toEqual(["role", "admin"]);
  });

  test("makes an admin a member → likewise", async () => {
    const makeMember = async () => {
      const form = formTo(await members(), "/role", ({ fields }) => fields.get("person_id") === member.personId);
      return agent.submit(form, { role: "member" });
    };
    server.tick(11 * MINUTE);
    const asked = await makeMember();
    expect([asksPassword(asked), await roleOf(member)]).toEqual([true, "admin"]);
    await prove(asked);
    expect(await roleOf(member)).toBe("member");
  });

  test.each(["admin", "member"])(
    "invites a new %s → the password first; then the link, for that role",
    async (role) => {
      server.tick(11 * MINUTE);
      const addressee = `new-${role}@example.test`;
      const { partition, companyId } = company;
      const open = () => server.assent.storage.invitations.list({ partition, companyId, now: server.now() });
      const asked = await agent.submit(formWith(await members(), "addressee"), { addressee, role });
      expect(asksPassword(asked)).toBe(true);
      expect((await open()).filter((one) => one.addressee === addressee)).toEqual([]);
      const done = await prove(asked);
      expect(done.text).toContain("/invitation?token=");
      expect((await open()).find((one) => one.addressee === addressee)).toMatchObject({ role });
    },
  );

  const rules = () => server.assent.storage.companyApps.listRules(company);
  /** The form that approves a requested app. */
  async function anApproval() {
    const client = await server.addClient({ scopes: ["read", "write"] });
    await server.assent.storage.companyApps.askApproval({
      ...{ partition: company.partition, companyId: company.companyId, clientId: client.clientId },
      ...{ personId: company.member.personId, scopes: ["read"], reason: "For work", now: server.now() },
      redirectUri: "https://app.test/cb",
    });
    const { personId } = company.member;
    const page = () => agent.get(`/company/${company.slug}/apps/${client.clientId}?request=${personId}`);
    const formNow = async () => formTo(await page(), `/apps/${client.clientId}`, () => true);
    return { client, form: await formNow(), formNow };
  }

  test("approves an app → the password first, on a page that keeps the form; a wrong one → asked again; the right one → done", async () => {
    server.tick(11 * MINUTE);
    const { client, form } = await anApproval();
    const asked = await agent.submit(form, { duration: "86400" });
    expect([asked.status, asksPassword(asked)]).toEqual([200, true]);
    const wrong = await agent.submit(formWith(asked, "current_password"), { current_password: "not it" });
    expect(wrong.text).toContain("That isn’t your current password.");
    const forged = { ...Object.fromEntries(form.fields), duration: "86400", current_password: "not it" };
    expect(asksPassword(await agent.post(form.action, forged))).toBe(true);
    expect(await rules()).toEqual([]);
    const done = await agent.submit(formWith(wrong, "current_password"), { current_password: PASSWORD });
    expect(done.location?.searchParams.get("done")).toBe("decided");
    expect(await rules()).toMatchObject([
      { clientId: client.clientId, rule: "allow", scopes: ["read"], endsAt: expect.any(Number) },
    ]);
    expect((await rules())[0]?.endsAt).toBeLessThanOrEqual(server.now() + 24 * 60 * MINUTE);
  });

  test.each([
    ["members decide", "ask", ["ask"]],
    ["no rule of its own", "default", []],
  ])("takes back a block → the password first; the right one → %s", async (_what, rule, after) => {
    const { client, form, formNow } = await anApproval();
    const of = async () =>
      (await rules()).filter(({ clientId }) => clientId === client.clientId).map((one) => one.rule);
    const decide = async () => ({ ...Object.fromEntries((await formNow()).fields), members: "end", confirmed: "yes" });
    // Blocking an app needs no new sign-in, because it must be fast in an emergency.
    expect(
      (await agent.post(form.action, { ...(await decide()), rule: "block" })).location?.searchParams.get("done"),
    ).toBe("blocked");
    const asked = await agent.post(form.action, { ...(await decide()), rule });
    expect([asksPassword(asked), await of()]).toEqual([true, ["block"]]);
    await agent.submit(formWith(asked, "current_password"), { current_password: PASSWORD });
    expect(await of()).toEqual(after);
  });

  test("changes what holds for other apps, or removes a member → likewise", async () => {
    const removed = await server.addPerson();
    await addMember(server, company, removed);
    const defaults = formTo(await agent.get(`/company/${company.slug}`), "/default");
    const asked = await agent.submit(defaults, { rule: "block" });
    const rule = async () => (await server.assent.storage.companies.find({ slug: company.slug }))?.defaultRule;
    expect([asksPassword(asked), await rule()]).toEqual([true, "ask"]);
    await agent.submit(formWith(asked, "current_password"), { current_password: PASSWORD });
    expect(await rule()).toBe("block");

    const question = await agent.get(`/company/${company.slug}/members/remove?person_id=${removed.personId}`);
    const unsure = await agent.submit(formTo(question, "/members/remove"));
    expect([asksPassword(unsure), await roleOf(removed)]).toEqual([true, "member"]);
    await agent.submit(formWith(unsure, "current_password"), { current_password: PASSWORD });
    expect(await roleOf(removed)).toBeUndefined();
  });

  test("the second step was set up since the sign-in → a sign-in with it first, and back at the page of the form", async () => {
    const other = await addCompany(server);
    const { agent: old } = await somebody(other.admin);
    const form = formTo(await old.get(`/company/${other.slug}`), "/default");
    const invitation = formWith(await old.get(`/company/${other.slug}/members`), "addressee");
    const setup = (await somebody(other.admin)).agent;
    const shown = await setup.get("/account/security/authenticator");
    const app = appOf(shown, server);
    await setup.submit(formWith(shown, "code"), { code: app.code() });
    server.tick(MINUTE);
    const asked = await old.submit(form, { rule: "block", current_password: PASSWORD });
    expect(asked.location?.searchParams.get("to")).toBe(`company-apps/${other.slug}`);
    expect((await server.assent.storage.companies.find({ slug: other.slug }))?.defaultRule).toBe("ask");
    const invited = await old.submit(invitation, { addressee: "new@example.test", role: "admin" });
    expect(invited.location?.searchParams.get("to")).toBe(`company/${other.slug}`);
    const step = await old.follow(await again(old, asked, other.admin));
    const back = await old.submit(formWith(step, "code"), { code: app.code() });
    expect(back.location?.pathname).toBe(`/company/${other.slug}`);
    const now = formTo(await old.get(`/company/${other.slug}`), "/default");
    expect((await old.submit(now, { rule: "block" })).location?.searchParams.get("done")).toBe("defaults");
  });

  test.each(["company/../account", "company/", "company/A b", "https://evil.test", "company/x/y", "company-apps/x/y"])(
    "a place to go back to that is none (%s) → the account's own page",
    async (to) => {
      const page = await agent.get(`/account/confirm?${new URLSearchParams({ to })}`);
      const back = await agent.submit(formWith(page, "password"), {
        username: company.admin.username,
        password: PASSWORD,
      });
      expect(back.location?.href).toBe(`${server.issuer}/account/security`);
    },
  );
});
