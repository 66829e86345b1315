/**
 * The page of one app of a company: the rule, the people that it covers, confirmations before a change, and the search.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCompany, addMember, decide, type TestCompany } from "../support/company-staff.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  type Form,
  type Page,
  redeem,
  refresh,
  signIn,
  unnumbered,
} from "../support/http-browser.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const DAY = 86_400_000;
let server: TestServer;
let company: TestCompany;

beforeAll(async () => {
  server = await startServer();
  company = await addCompany(server);
});
afterAll(() => server.stop());

async function as(person: { readonly username: string }): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return agent;
}

const path = (place: string, of: TestCompany) => `/company/${of.slug}${place}`;
const appPath = ({ clientId }: TestClient, of: TestCompany) => path(`/apps/${clientId}`, of);
const pathOf = ({ location }: Page) => location?.href.slice(server.issuer.length);

function formTo(page: Page, place: string, with_: Record<string, string> = {}): Form {
  const form = page.forms.find(
    ({ action, fields }) =>
      action.endsWith(place) && Object.entries(with_).every(([name, value]) => fields.get(name) === value),
  );
  if (form === undefined) throw new Error(`no form to ${place}: ${page.status} ${page.text.slice(0, 500)}`);
  return form;
}

const csrfOf = async (agent: Agent) =>
  formTo(await agent.get("/account/companies"), "/sign-out").fields.get("csrf") ?? "";

/** Submits the form about an app, and confirms if a page asks. */
async function setRule(agent: Agent, app: TestClient, of: TestCompany, fields: Record<string, string>): Promise<Page> {
  const page = await agent.get(appPath(app, of));
  const done = await agent.submit(formTo(page, `/apps/${app.clientId}`), fields);
  return done.status === 303 ? done : agent.submit(formTo(done, `/apps/${app.clientId}`, { confirmed: "yes" }));
}

describe("what an admin and a member read", () => {
  const allowed = { rule: "allow", audience: "everybody", scope: "read", duration: "86400" };

  test("an app is paused for everyone → its page, the list and the member's page say so, until it goes on", async () => {
    const acme = await addCompany(server);
    const app = await server.addClient({ verified: true });
    const agent = await as(acme.admin);
    await setRule(agent, app, acme, allowed);
    const pause = (paused: boolean) =>
      server.assent.storage.companyApps.setPaused({
        ...{ partition: acme.partition, companyId: acme.companyId, clientId: app.clientId },
        ...{ paused, by: null, now: server.now() },
      });
    const member = await as(acme.member);
    const read = async () =>
      (await Promise.all([agent.get(appPath(app, acme)), agent.get(path("", acme)), member.get(path("", acme))])).map(
        ({ text }) => /Paused/.test(text),
      );
    expect(await read()).toEqual([false, false, false]);
    expect((await pause(true)).kind).toBe("changed");
    expect(await read()).toEqual([true, true, true]);
    expect((await member.get(path("", acme))).text).toMatch(/gets no new access until an admin resumes it/);
    await pause(false);
    expect(await read()).toEqual([false, false, false]);
  });

  test("a request of which a part is approved → the admin sees what still waits, and what is approved", async () => {
    const acme = await addCompany(server);
    const app = await server.addClient({ verified: true });
    await server.assent.storage.companyApps.askApproval({
      ...{ partition: acme.partition, companyId: acme.companyId, clientId: app.clientId },
      ...{ personId: acme.member.personId, scopes: ["read", "write"], reason: "for slides", now: server.now() },
    });
    const agent = await as(acme.admin);
    const pages = async () => [await agent.get(path("", acme)), await agent.get(appPath(app, acme))];
    for (const { text } of await pages()) expect(text).not.toContain("Approved already");
    await setRule(agent, app, acme, allowed);
    for (const { text } of await pages()) {
      expect(text).toContain("for slides");
      expect(text.indexOf("Waiting for an answer")).toBeGreaterThan(0);
      expect(text.indexOf("Approved already")).toBeGreaterThan(text.indexOf("Waiting for an answer"));
    }
  });
});

describe("the rule about an app", () => {
  test.each([
    ["86400", "1 day"],
    ["forever", "Until an admin ends it"],
  ])("opened to everybody for %s → the question says until when: %s", async (duration, says) => {
    const acme = await addCompany(server);
    const app = await server.addClient({ verified: true });
    const agent = await as(acme.admin);
    const form = formTo(await agent.get(appPath(app, acme)), `/apps/${app.clientId}`);
    const fields = { rule: "allow", audience: "everybody", scope: "read", duration };
    const question = (await agent.submit(form, fields)).text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
    expect(question).toMatch(new RegExp(`Save this rule for .* Until when ${says} `));
  });

  test("its permissions → sensitive and required ones are marked, and the page says what leaving out a required one does", async () => {
    const acme = await addCompany(server);
    const { storage } = server.assent;
    const scope = (await storage.scopes.list()).find(({ name }) => name === "write");
    if (scope === undefined) throw new Error("no scope");
    const erase = { ...scope, name: "erase", optional: true, sensitive: true };
    await storage.scopes.put({ scope: erase, create: true });
    const app = await server.addClient({ verified: true, scopes: ["read", "erase"] });
    await settle();
    const { text } = await (await as(acme.admin)).get(appPath(app, acme));
    const labels = [...text.matchAll(/<label class="choice">\s*<input type="checkbox" name="scope".*?<\/label>/gs)];
    const marks = labels.map(([label]) =>
      ["Sensitive", "Required", "Requested"].filter((mark) => label.includes(mark)),
    );
    expect(marks).toEqual([["Required"], ["Sensitive"]]);
    expect(text).toContain("If an app asks for a required permission that you leave out, members can’t connect it.");
  });

  test("a rule: none chosen, for nobody, for a stranger, nothing ticked, a duration that isn't offered → the form again, nothing changed", async () => {
    const acme = await addCompany(server);
    const app = await server.addClient({ verified: true });
    const agent = await as(acme.admin);
    const { fields, action } = formTo(await agent.get(appPath(app, acme)), `/apps/${app.clientId}`);
    const own = { csrf: fields.get("csrf") ?? "", seen: "", host: fields.get("host") ?? "" };
    const good = { ...own, rule: "allow", audience: "everybody", scope: "read", duration: "86400" };
    const bad: readonly (readonly [Record<string, string>, string])[] = [
      [{ rule: "" }, "Choose a rule"],
      [{ rule: "own" }, "Choose a rule"],
      [{ audience: "" }, "Choose who may use the app"],
      [{ audience: "selected" }, "Choose at least one member"],
      [{ audience: "selected", others: "nobody.at.all" }, "is not a member of this company"],
      [{ audience: "selected", others: company.admin.username }, "is not a member of this company"],
      [{ scope: "admin" }, "Choose at least one permission"],
      [{ scope: "" }, "Choose at least one permission"],
      [{ duration: "once" }, "Choose until when"],
      [{ duration: "7" }, "Choose until when"],
      [{ duration: "same" }, "Choose until when"],
    ];
    const { partition, companyId } = acme;
    const rules = () => server.assent.storage.companyApps.listRules({ partition, companyId });
    for (const [change, said] of bad) {
      const page = await agent.post(action, { ...good, ...change });
      expect([change, page.status, page.text.includes(said)]).toEqual([change, 400, true]);
    }
    expect(await rules()).toEqual([]);
    const question = await agent.post(action, good);
    expect(question.status).toBe(200);
    expect(await rules()).toEqual([]);
    expect(pathOf(await agent.submit(formTo(question, `/apps/${app.clientId}`)))).toBe(
      `${appPath(app, acme)}?done=decided`,
    );
    expect(await rules()).toMatchObject([{ scopes: ["read"] }]);
    expect(pathOf(await setRule(agent, app, acme, { rule: "default" }))).toBe(`${appPath(app, acme)}?done=decided`);
    expect(await rules()).toEqual([]);
  });

  test("hosts that the form names → only those that the app has; hosts that it does not name, as registered since → not covered", async () => {
    const acme = await addCompany(server);
    const redirectUris = ["https://shown.test/cb", "https://since.test/cb"];
    const app = await server.addClient({ verified: true, redirectUris });
    const agent = await as(acme.admin);
    const page = await agent.get(appPath(app, acme));
    expect(["shown", "since"].filter((host) => page.text.includes(`value="https://${host}.test"`))).toHaveLength(2);
    const done = await agent.submit(formTo(page, `/apps/${app.clientId}`), {
      ...{ rule: "allow", audience: "selected", member: acme.member.personId, scope: "read", duration: "86400" },
      host: ["https://shown.test", "https://other.test"],
    });
    expect(pathOf(done)).toBe(`${appPath(app, acme)}?done=decided`);
    const { partition, companyId } = acme;
    const rules = await server.assent.storage.companyApps.listRules({ partition, companyId });
    expect(rules).toMatchObject([{ hosts: ["https://shown.test"] }]);
    const text = (await (await as(acme.member)).get(authorizeUrl(server, app, { redirect_uri: redirectUris[1] }))).text;
    expect(text).toContain("an admin has to approve");
  });

  test("another system disabled a member → the page marks their access as paused, until they are enabled", async () => {
    const acme = await addCompany(server);
    const app = await server.addClient({ verified: true });
    await decide(server, acme, app, {});
    const url = authorizeUrl(server, app);
    const { partition, personId, username } = acme.member;
    await authorize(new Agent(server.issuer), url, username, { owner: acme.companyId });
    await authorize(new Agent(server.issuer), url, acme.admin.username, { owner: acme.companyId });
    const subject = { issuerId: "directory", claim: null, subject: personId };
    const { people, subjectLinks } = server.assent.storage;
    const now = server.now();
    await subjectLinks.link({ partition, personId, subject, sole: false, madeBy: "operator", now });
    const say = (change: "disabled" | "enabled") =>
      people.upstreamChanged({
        ...{ partition, personId, subject, change, whenDisabled: "pause", name: "Acme", wholePerson: false, now },
      });
    const agent = await as(acme.admin);
    const marked = async () => {
      const { text } = await agent.get(appPath(app, acme));
      const rows = [...text.matchAll(/<li class="user">([\s\S]*?)<\/li>/g)].map(([, row = ""]) => row);
      return [rows.filter((row) => row.includes("Paused")).length, text.includes("another system disabled this")];
    };
    expect(await marked()).toEqual([0, false]);
    await say("disabled");
    expect(await marked()).toEqual([1, true]);
    await say("enabled");
    expect(await marked()).toEqual([0, false]);
  });

  test("a member who left, or somebody else's id, in the form → nothing changed, said so", async () => {
    const acme = await addCompany(server);
    const app = await server.addClient({ verified: true });
    const agent = await as(acme.admin);
    const { fields, action } = formTo(await agent.get(appPath(app, acme)), `/apps/${app.clientId}`);
    const good = { csrf: fields.get("csrf") ?? "", seen: "", rule: "allow", audience: "selected", scope: "read" };
    for (const member of [company.member.personId, "A".repeat(22)]) {
      const done = await agent.post(action, { ...good, member, duration: "86400" });
      expect(pathOf(done)).toBe(`${appPath(app, acme)}?done=changed`);
    }
    const { partition, companyId } = acme;
    expect(await server.assent.storage.companyApps.listRules({ partition, companyId })).toEqual([]);
  });

  test("for selected members → they need no admin, the others ask; one more by username; saved unchanged → the same end", async () => {
    const acme = await addCompany(server);
    const other = await server.addPerson();
    await addMember(server, acme, other);
    const app = await server.addClient({ verified: true });
    const agent = await as(acme.admin);
    const done = await setRule(agent, app, acme, {
      ...{ rule: "allow", audience: "selected", member: acme.member.personId, scope: "read", duration: "86400" },
    });
    expect(pathOf(done)).toBe(`${appPath(app, acme)}?done=decided`);
    const consents = async (person: { readonly username: string }) =>
      (await (await as(person)).get(authorizeUrl(server, app))).text;
    expect(await consents(acme.member)).not.toContain("an admin has to approve");
    expect(await consents(other)).toContain("an admin has to approve");
    const { partition, companyId } = acme;
    const rule = async () => (await server.assent.storage.companyApps.listRules({ partition, companyId }))[0];
    const before = await rule();
    server.tick(60_000);
    const form = (await agent.get(appPath(app, acme))).text;
    // The company's admins end it, not the person who reads this. Its date alone fits a phone.
    expect(form).toContain('<option value="forever">Until an admin ends it</option>');
    expect(form).toMatch(/<option value="same" selected[^>]*>Until \w+ \d+, \d{4}, as now</);
    expect(form).toContain("Access that members already have keeps its end.");
    expect(form.replaceAll(/<[^>]*>/g, "")).toContain(`Alice Example (${acme.member.username})`);
    await setRule(agent, app, acme, {});
    expect(await rule()).toMatchObject({ endsAt: before?.endsAt, selected: [acme.member.personId] });
    await setRule(agent, app, acme, { others: ` ${other.username.toUpperCase()}, ` });
    expect((await rule())?.selected.toSorted()).toEqual([acme.member.personId, other.personId].toSorted());
  });

  test.each([
    ["all members", "everybody", "members", "the rule for other apps holds: members decide", "members decide."],
    [
      "all members",
      "everybody",
      "block",
      "the rule for other apps holds: only admins can connect it",
      "only admins can",
    ],
    ["selected members", "selected", "members", "all members ask an admin", "Now all members ask an admin."],
    [
      "selected members",
      "selected",
      "ask",
      "the rule for other apps holds: members ask an admin",
      "members ask an admin.",
    ],
  ] as const)(
    "an approval for %s (%s) that ends, default %s → form, question and page say what holds after it; then, that it ended",
    async (_what, audience, defaultRule, after, now) => {
      const acme = await addCompany(server, { defaultRule });
      const app = await server.addClient({ verified: true });
      const agent = await as(acme.admin);
      const plain = ({ text }: Page) =>
        text
          .replaceAll(/<[^>]*>/g, " ")
          .replaceAll(/\s+/g, " ")
          .replaceAll(/ (?=[.,:])/g, "");
      const page = () => agent.get(appPath(app, acme));
      const form = formTo(await page(), `/apps/${app.clientId}`);
      expect(plain(await page())).toContain("After the end, the rule for other apps holds:");
      const fields = { rule: "allow", audience, member: acme.member.personId, scope: "read", duration: "3600" };
      let done = await agent.submit(form, fields);
      if (done.location === undefined) {
        expect(plain(done)).toContain(`After the end, ${after}`);
        done = await agent.submit(formTo(done, `/apps/${app.clientId}`));
      }
      expect(pathOf(done)).toBe(`${appPath(app, acme)}?done=decided`);
      expect(plain(await page())).toMatch(new RegExp(`It holds until [^.]*\\. After the end, ${after}`));
      server.tick(2 * 3_600_000);
      const ended = plain(await page());
      expect(ended).toContain(`The approval that ${acme.admin.username} gave ended`);
      expect(ended).toContain(now);
      expect(ended).not.toContain("set this rule");
    },
  );

  test("two admins at once → the second one's form is out of date, and the first one's rule holds", async () => {
    const acme = await addCompany(server);
    const app = await server.addClient({ verified: true });
    const second = await server.addPerson();
    await addMember(server, acme, second, "admin");
    const [one, two] = [await as(acme.admin), await as(second)];
    const stale = formTo(await two.get(appPath(app, acme)), `/apps/${app.clientId}`);
    await setRule(one, app, acme, { rule: "block" });
    const late = await two.submit(stale, { rule: "ask" });
    expect(pathOf(late)).toBe(`${appPath(app, acme)}?done=changed`);
    expect((await two.follow(late)).text).toContain("Somebody changed this rule in the meantime");
    const { partition, companyId } = acme;
    expect(await server.assent.storage.companyApps.listRules({ partition, companyId })).toMatchObject([
      { rule: "block", decidedBy: acme.admin.personId },
    ]);
  });

  test("narrowed → asked first with the numbers; cancelled, nothing changed; said yes → the permission is gone", async () => {
    const acme = await addCompany(server);
    const app = await server.addClient({ name: "Fair Copy" });
    await decide(server, acme, app, { scopes: ["read", "write"], endsAt: server.now() + 100 * 86_400_000 });
    const members = await as(acme.member);
    const url = authorizeUrl(server, app, { scope: "read write" });
    const answer = { decision: "allow", scope: ["read", "write"], owner: acme.companyId };
    const { location } = await members.submit(formTo(await members.get(url), "/consent"), answer);
    const { body } = await redeem(server, app, location ?? "");
    const agent = await as(acme.admin);
    const page = await agent.get(appPath(app, acme));
    const fields = { scope: "read", duration: "86400" };
    const question = await agent.submit(formTo(page, `/apps/${app.clientId}`), fields);
    const said = question.text.replaceAll(/<[^>]*>/g, " ");
    expect(said).toMatch(/loses these permissions for members[\s\S]*Members affected\s+1\s+Permissions affected\s+1/);
    expect(said).toMatch(
      /With this rule, these permissions end on .* at the latest[\s\S]*See your photos\s+ends\s+in 3 months/,
    );
    expect((await refresh(server, app, body.refresh_token)).body.scope).toBe("read write");
    await agent.submit(formTo(question, `/apps/${app.clientId}`));
    expect((await refresh(server, app, body.refresh_token)).body.scope).toBe("read");
  });

  test("a member chose a sooner end than the rule → the page shows that end, and a longer or withdrawn rule says it", async () => {
    const acme = await addCompany(server);
    const app = await server.addClient({ name: "Fair Copy" });
    await decide(server, acme, app, { endsAt: server.now() + 300 * DAY });
    const members = await as(acme.member);
    const answer = { decision: "allow", owner: acme.companyId, duration: String(7 * 86_400) };
    await members.submit(formTo(await members.get(authorizeUrl(server, app)), "/consent"), answer);
    const agent = await as(acme.admin);
    const page = await agent.get(appPath(app, acme));
    const endsOn = ({ text }: { text: string }) => {
      const shown = /The app may<\/p>[\s\S]*?ends <time datetime="([^"]*)"/.exec(text)?.[1] ?? "";
      return Math.round((Date.parse(shown) - server.now()) / DAY);
    };
    expect(endsOn(page)).toBe(7);
    const asked = await agent.submit(formTo(page, `/apps/${app.clientId}`), { rule: "ask" });
    const said = asked.text.replaceAll(/<[^>]*>/g, " ");
    expect(said).toMatch(/until the end that each of them chose,/);
    expect(said).toContain(new Date(server.now() + 7 * DAY).toISOString().slice(0, 4));
    // Nobody's access ends sooner by a rule that ends after it: nothing is asked.
    const longer = await agent.submit(formTo(page, `/apps/${app.clientId}`), { duration: String(30 * 86_400) });
    expect(longer.text).not.toContain("instead of");
    await decide(server, acme, app, { endsAt: server.now() + 365 * DAY });
    expect(endsOn(await agent.get(appPath(app, acme)))).toBe(7);
  });

  test("which apps are found → by name; one that the company doesn't know only if it is verified; else as if it didn't exist", async () => {
    const acme = await addCompany(server);
    const mark = `Zed${acme.slug.slice(-8)}`;
    const [known, verified, secret, off] = await Promise.all([
      server.addClient({ name: `${mark} Known` }),
      server.addClient({ name: `My ${mark} Verified`, verified: true }),
      server.addClient({ name: `${mark} Secret` }),
      server.addClient({ name: `${mark} Off`, verified: true, status: "disabled" }),
    ]);
    await decide(server, acme, known, { rule: "ask" });
    const agent = await as(acme.admin);
    const search = async (q: string) => (await agent.get(path(`?q=${encodeURIComponent(q)}`, acme))).text;
    for (const q of [mark, mark.toUpperCase(), ` ${mark.slice(0, 9)} `]) {
      const text = await search(q);
      expect([q, text.includes(known.clientId), text.includes(verified.clientId)]).toEqual([q, true, true]);
      for (const { clientId } of [secret, off]) expect(text).not.toContain(clientId);
    }
    // The search matches the beginning of a word. It doesn't match other parts of a word, a single letter or an id.
    for (const q of [mark.slice(2), "M", verified.clientId, "%", "_", "' OR 1=1 --", "\0"])
      expect((await search(q)).includes(`data-client-id="${verified.clientId}"`)).toBe(false);
    expect((await search("nothing like it")).includes("the operator of this service has verified")).toBe(true);
    expect((await agent.get(appPath(verified, acme))).status).toBe(200);
    const plain = ({ status, text }: Page) => [
      status,
      unnumbered(text).replaceAll(/\/company\/[^"]*|%2Fcompany%2F[^"]*/g, ""),
    ];
    const unknown = plain(await agent.get(path("/apps/c-none", acme)));
    for (const app of [secret, off]) expect(plain(await agent.get(appPath(app, acme)))).toEqual(unknown);
    const csrf = await csrfOf(agent);
    expect((await agent.post(appPath(secret, acme), { csrf, rule: "block", seen: "" })).status).toBe(404);
    for (const id of ["%00", "a%2Fb", "..", "%E0%A4%A", "x".repeat(300)])
      expect([400, 404]).toContain((await agent.get(path(`/apps/${id}`, acme))).status);
    // Rules of another company are not shown.
    expect((await (await as(company.admin)).get(appPath(known, company))).status).toBe(404);
    expect((await (await as(acme.member)).get(appPath(known, acme))).status).toBe(404);
    expect((await (await as(acme.member)).get(path(`?q=${mark}`, acme))).text).not.toContain(verified.clientId);
  });
});
