/**
 * The end of a company's rule about an app, for members who use the app: the rule ends, is shortened, or is extended.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCompany, addMember, decide as decideRule, type TestCompany } from "../support/company-staff.ts";
import { aDevice, DEVICE_GRANT, decide, poll } from "../support/device-actor.ts";
import { Agent, authorizeUrl, type Form, type Page, redeem, refresh, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const DAY = 86_400_000;
const A_DAY = "86400";
const A_WEEK = "604800";
const A_YEAR = "31536000";
type Named = { readonly username: string };
type Fields = Readonly<Record<string, string | readonly string[]>>;

async function as(person: Named): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return agent;
}

function formTo(page: Page, place: string, with_: Record<string, string> = {}): Form {
  const form = page.forms.find(
    ({ action, fields }) =>
      action.endsWith(place) && Object.entries(with_).every(([name, value]) => fields.get(name) === value),
  );
  if (form === undefined) throw new Error(`no form to ${place}: ${page.status} ${page.text.slice(0, 500)}`);
  return form;
}

const appPath = ({ clientId }: TestClient, of: TestCompany, query = "") =>
  `/company/${of.slug}/apps/${clientId}${query}`;
const ruleForm = (page: Page, { clientId }: TestClient) => formTo(page, `/apps/${clientId}`);
const rulesOf = ({ partition, companyId }: TestCompany) =>
  server.assent.storage.companyApps.listRules({ partition, companyId });

/** Submits the admin's form. `members`: the answer to the second page, if there is one. */
async function setRule(app: TestClient, of: TestCompany, fields: Fields, members?: "keep" | "end"): Promise<Page> {
  const agent = await as(of.admin);
  const done = await agent.submit(ruleForm(await agent.get(appPath(app, of)), app), fields);
  if (done.status !== 200) return done;
  await agent.submit(
    formTo(done, `/apps/${app.clientId}`, { confirmed: "yes" }),
    members === undefined ? {} : { members },
  );
  return done;
}

const forAll = (duration: string) => ({ rule: "allow", audience: "everybody", scope: "read", duration });
const forSome = (duration: string, ...members: readonly { readonly personId: string }[]) => ({
  ...{ rule: "allow", audience: "selected", scope: "read", duration },
  member: members.map(({ personId }) => personId),
});

type Tokens = Awaited<ReturnType<typeof redeem>>["body"];

async function connect(person: Named, app: TestClient, of: TestCompany, fields: Fields = {}): Promise<Tokens> {
  const agent = await as(person);
  const page = await agent.get(authorizeUrl(server, app));
  const answer = { decision: "allow", owner: of.companyId, ...fields };
  const { location } = await agent.submit(formTo(page, "/consent"), answer);
  if (location === undefined) throw new Error("no answer to the app");
  return (await redeem(server, app, location)).body;
}

/** Number of days for which the app's refresh token works, at most 30. */
async function daysOf(app: TestClient, first: Tokens): Promise<number> {
  let tokens = first;
  for (let days = 0; days < 30; days += 1) {
    const answer = await refresh(server, app, tokens.refresh_token ?? "");
    if (answer.status !== 200) return days;
    tokens = answer.body;
    server.tick(DAY);
  }
  return 30;
}

async function aTeam(defaultRule: TestCompany["defaultRule"] = "ask") {
  const acme = await addCompany(server, { defaultRule });
  const other = await server.addPerson();
  await addMember(server, acme, other);
  return { acme, other, app: await server.addClient({ verified: true }) };
}

describe("a member's access", () => {
  async function keptAfterAWeek() {
    const { acme, other, app } = await aTeam();
    await setRule(app, acme, forSome(A_WEEK, acme.member, other));
    const tokens = await connect(other, app, acme);
    const question = await setRule(app, acme, { member: acme.member.personId }, "keep");
    expect(question.text).toContain('name="members"');
    return { acme, other, app, tokens };
  }

  test("taken off the rule but kept; the rule is made longer for the others → ends on the day that the page named", async () => {
    const { acme, app, tokens } = await keptAfterAWeek();
    await setRule(app, acme, { duration: A_YEAR });
    expect((await rulesOf(acme))[0]?.selected).toEqual([acme.member.personId]);
    expect(await daysOf(app, tokens)).toBeLessThan(9);
  });

  test("taken off the rule but kept; an admin connects the app and chooses a longer time → likewise", async () => {
    const { acme, app, tokens } = await keptAfterAWeek();
    await connect(acme.admin, app, acme, { "duration:read": A_YEAR });
    expect(await daysOf(app, tokens)).toBeLessThan(9);
  });

  test("for all, then on request but kept, then for another member alone and longer → likewise", async () => {
    const { acme, other, app } = await aTeam();
    await setRule(app, acme, forAll(A_WEEK));
    const tokens = await connect(other, app, acme);
    await setRule(app, acme, { rule: "ask" }, "keep");
    await setRule(app, acme, forSome(A_YEAR, acme.member));
    expect(await daysOf(app, tokens)).toBeLessThan(9);
  });

  test.each([{}, { duration: A_YEAR }])(
    "the member chose a week; an admin saves the rule again (%j) → a week",
    async (again) => {
      const { acme, app } = await aTeam();
      await setRule(app, acme, forAll(A_YEAR));
      const tokens = await connect(acme.member, app, acme, { duration: A_WEEK });
      await setRule(app, acme, again);
      expect(await daysOf(app, tokens)).toBeLessThan(9);
    },
  );

  describe("an admin has connected the app and chosen a longer time", () => {
    async function longer(changes: Partial<TestClient> = {}) {
      const acme = await addCompany(server);
      const app = await server.addClient({ verified: true, ...changes });
      await setRule(app, acme, forAll(A_WEEK));
      return { acme, app, admins: await connect(acme.admin, app, acme, { "duration:read": A_YEAR }) };
    }

    test("a member connects the app then, and again without a page → each access ends with the rule", async () => {
      const { acme, app } = await longer();
      const agent = await as(acme.member);
      const form = formTo(await agent.get(authorizeUrl(server, app)), "/consent");
      const first = await agent.submit(form, { decision: "allow", owner: acme.companyId });
      const again = await agent.get(authorizeUrl(server, app, { prompt: "none" }));
      const [rule] = await rulesOf(acme);
      const asked = await agent.get(authorizeUrl(server, app, { prompt: "consent" }));
      expect(asked.text).toContain(`datetime="${new Date(rule?.endsAt ?? 0).toISOString()}"`);
      const [one, other] = await Promise.all(
        [first, again].map(async ({ location }) => (await redeem(server, app, location ?? "")).body),
      );
      expect(await daysOf(app, one ?? {})).toBe(7);
      expect((await refresh(server, app, other?.refresh_token ?? "")).body.error).toBe("invalid_grant");
    });

    test("a member connects a device then → likewise", async () => {
      const both = { grantTypes: ["authorization_code", "refresh_token", DEVICE_GRANT] };
      const { acme, app } = await longer(both);
      const { deviceCode, userCode } = await aDevice(server, app);
      const { username } = acme.member;
      await decide(new Agent(server.issuer), userCode, username, { owner: acme.companyId });
      const { status, body } = await poll(server, app, deviceCode);
      expect([status, (await daysOf(app, body)) < 9]).toEqual([200, true]);
    });

    test("the admin's own access → lasts as the admin chose", async () => {
      const { app, admins } = await longer();
      expect(await daysOf(app, admins)).toBe(30);
    });
  });

  test("the rule is shortened → ends then", async () => {
    const { acme, app } = await aTeam();
    await setRule(app, acme, forAll(A_YEAR));
    const tokens = await connect(acme.member, app, acme);
    await setRule(app, acme, { duration: A_WEEK });
    expect(await daysOf(app, tokens)).toBeLessThan(9);
  });
});

describe("a rule that has ended", () => {
  const mustAsk = async (person: Named, app: TestClient) =>
    (await (await as(person)).get(authorizeUrl(server, app))).text.includes("an admin has to approve");

  async function ask(person: Named, app: TestClient, of: TestCompany): Promise<void> {
    const agent = await as(person);
    const page = await agent.get(authorizeUrl(server, app));
    const asking = await agent.submit(formTo(page, "/consent"), { decision: "allow", owner: of.companyId });
    await agent.submit(formTo(asking, "/consent/ask"), { reason: "I need it" });
  }

  test("for all → nothing is preselected that gives access, and its end can't be kept; for all again → asks first", async () => {
    const { acme, app } = await aTeam("block");
    await setRule(app, acme, forAll(A_DAY));
    server.tick(3 * DAY);
    const agent = await as(acme.admin);
    const form = ruleForm(await agent.get(appPath(app, acme)), app);
    const [rule] = await rulesOf(acme);
    expect(form.fields.get("seen")).toBe(String(rule?.decidedAt));
    expect(["rule", "audience", "scope", "member"].map((name) => form.fields.get(name))).toEqual([
      ...["default", null, null, null],
    ]);
    const kept = await agent.submit(form, forAll("same"));
    expect([kept.status, kept.text.includes("Choose until when")]).toEqual([400, true]);
    const again = await agent.submit(form, forAll(A_DAY));
    expect([again.status, formTo(again, `/apps/${app.clientId}`).fields.get("confirmed")]).toEqual([200, "yes"]);
    expect(await rulesOf(acme)).toEqual([rule]);
  });

  test("for all; one member asks, and the admin takes the request's form → that member alone may connect the app", async () => {
    const { acme, other, app } = await aTeam();
    await setRule(app, acme, forAll(A_DAY));
    server.tick(3 * DAY);
    await ask(acme.member, app, acme);
    const agent = await as(acme.admin);
    const form = ruleForm(await agent.get(appPath(app, acme, `?request=${acme.member.personId}`)), app);
    expect([form.fields.get("rule"), form.fields.get("audience")]).toEqual(["allow", "selected"]);
    expect((await agent.submit(form, { duration: A_DAY })).status).toBe(303);
    expect([await mustAsk(acme.member, app), await mustAsk(other, app)]).toEqual([false, true]);
  });

  test("for all; another member connected by the default since; now for one → asks about the other's access, and ends it", async () => {
    const { acme, other, app } = await aTeam("members");
    await setRule(app, acme, forAll(A_DAY));
    server.tick(3 * DAY);
    const tokens = await connect(other, app, acme, { duration: A_WEEK });
    const question = await setRule(app, acme, forSome(A_YEAR, acme.member), "end");
    expect(question.text).toContain('name="members"');
    expect(await daysOf(app, tokens)).toBe(0);
  });

  test("for selected members, where members decide → still on request, for those too; the form says so", async () => {
    const { acme, other, app } = await aTeam("members");
    await setRule(app, acme, forSome(A_DAY, acme.member));
    server.tick(3 * DAY);
    expect([await mustAsk(acme.member, app), await mustAsk(other, app)]).toEqual([true, true]);
    const page = await (await as(acme.admin)).get(appPath(app, acme));
    expect(ruleForm(page, app).fields.get("rule")).toBe("ask");
    expect(page.text).toContain('<span class="tag">On request</span>');
  });
});

test("the last seconds of an approval, in which it lets nobody in → the page says that it just ended, not that it will", async () => {
  const company = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient();
  await decideRule(server, company, app, { endsAt: server.now() + 60_000 });
  server.tick(40_000);
  const { text } = await (await as(company.admin)).get(appPath(app, company));
  expect(text.replaceAll(/<[^>]*>/g, "")).toContain(
    "The approval ended just now. Photo Printer follows the rule for other apps: members decide.",
  );
});
