import { decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Notice } from "../../packages/server/src/owners/mail/company-notice-kinds.ts";
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
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let company: TestCompany;
const notices: Notice[] = [];

beforeAll(async () => {
  server = await startServer({ notify: (notice) => notices.push(notice) });
  client = await server.addClient({ name: "Photo <b>Printer</b>" });
  company = await addCompany(server);
});
afterAll(() => server.stop());

async function as(person: { readonly username: string }): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return agent;
}

const path = (place = "", of = company) => `/company/${of.slug}${place}`;

function formTo(page: Page, place: string, with_: Record<string, string> = {}): Form {
  const form = page.forms.find(
    ({ action, fields }) =>
      action.endsWith(place) && Object.entries(with_).every(([name, value]) => fields.get(name) === value),
  );
  if (form === undefined) throw new Error(`no form to ${place}: ${page.status} ${page.text.slice(0, 500)}`);
  return form;
}

/** The form on the page that asks for confirmation, after a button was pressed. */
async function asked(agent: Agent, page: Page, place: string, with_: Record<string, string> = {}): Promise<Form> {
  const question = await agent.submit(formTo(page, place, with_));
  return formTo(question, place, with_);
}

const appPath = ({ clientId }: TestClient, of: TestCompany) => path(`/apps/${clientId}`, of);

/** The path of a redirect. */
const pathOf = ({ location }: Page) => location?.href.slice(server.issuer.length);

/** Every form of a company's pages: its path and its fields. */
const POSTS: readonly (readonly [string, Record<string, string>])[] = [
  ["/apps/c", { rule: "block" }],
  ["/revoke", { client_id: "c" }],
  ["/refuse", { client_id: "c", person_id: "p" }],
  ["/default", { rule: "members" }],
  ["/members/role", { person_id: "p", role: "admin" }],
  ["/members/remove", { person_id: "p" }],
  ["/members/invite", { addressee: "x@example.com", role: "admin" }],
  ["/members/withdraw", { invitation: "i" }],
];
const csrfOf = async (agent: Agent) =>
  formTo(await agent.get("/account/companies"), "/sign-out").fields.get("csrf") ?? "";

describe("who sees a company", () => {
  test("nobody is signed in → sign-in, for any slug", async () => {
    for (const [place, to] of [
      ["", "company-apps"],
      ["/members", "company"],
      ["/history", "company-apps"],
    ]) {
      for (const slug of [company.slug, "nobody"]) {
        const page = await new Agent(server.issuer).get(`/company/${slug}${place}`);
        expect(pathOf(page)).toBe(`/login?to=${to}/${slug}`);
      }
    }
  });

  test("a stranger → the same bytes as for an unknown slug, except the request's number", async () => {
    const agent = await as(await server.addPerson());
    const plain = ({ status, text }: Page) => [
      status,
      unnumbered(text).replaceAll(/\/company\/[^"]*|%2Fcompany%2F[^"]*/g, ""),
    ];
    for (const place of ["", "/members", "/history"]) {
      const [here, nowhere] = [await agent.get(path(place)), await agent.get(`/company/nobody${place}`)];
      expect(here.status).toBe(404);
      expect(plain(here)).toEqual(plain(nowhere));
    }
  });

  test("a stranger, or another company's admin, posts any form with a valid token → 404, nothing changed", async () => {
    const other = await addCompany(server);
    for (const person of [await server.addPerson(), other.admin]) {
      const agent = await as(person);
      const csrf = await csrfOf(agent);
      for (const [place, fields] of [...POSTS, ["/opt-out", { client_id: "c", out: "yes" }], ["/leave", {}]] as const) {
        expect([place, (await agent.post(path(place), { csrf, ...fields })).status]).toEqual([place, 404]);
      }
    }
    const { partition, companyId } = company;
    expect(await server.assent.storage.companies.get({ partition, companyId })).toMatchObject({ defaultRule: "ask" });
  });

  test("a member → only their own apps; admins' pages and forms → 404", async () => {
    const agent = await as(company.member);
    const page = await agent.get(path());
    expect(page.status).toBe(200);
    expect(page.text).toContain("Apps that you use for the company");
    expect(page.text).not.toContain("Other apps");
    for (const place of ["/members", "/history"]) expect((await agent.get(path(place))).status).toBe(404);
    const csrf = await csrfOf(agent);
    for (const [place, fields] of POSTS) {
      expect([place, (await agent.post(path(place), { csrf, ...fields })).status]).toEqual([place, 404]);
    }
  });

  test("a member → their own open request, not those of others; which apps are blocked, and no other rule", async () => {
    const acme = await addCompany(server);
    const other = await server.addPerson();
    await addMember(server, acme, other);
    const [wanted, blocked, later] = [
      await server.addClient({ name: "Fair Planner" }),
      await server.addClient({ name: "Data Sucker" }),
      await server.addClient({ name: "Later Perhaps" }),
    ];
    await decide(server, acme, blocked, { rule: "block", scopes: [] });
    await decide(server, acme, later, { rule: "ask", scopes: [] });
    const members = await as(acme.member);
    const consent = formTo(await members.get(authorizeUrl(server, wanted)), "/consent");
    const asked = await members.submit(consent, { decision: "allow", owner: acme.companyId });
    await members.submit(formTo(asked, "/consent/ask"), { reason: "For the fair" });
    const { text } = await members.get(path("", acme));
    expect(text).toMatch(/Your open requests[\s\S]*Fair Planner[\s\S]*You asked the admins[\s\S]*For the fair/);
    expect(text).toMatch(/Blocked apps[\s\S]*Data Sucker/);
    expect(text).not.toContain("Later Perhaps");
    expect(text).not.toMatch(/\/refuse|\/apps\//);
    const theirs = await (await as(other)).get(path("", acme));
    expect(theirs.text).not.toContain("Fair Planner");
  });

  test.each(["no", "a forged", "another session's"])(
    "%s form token → 403 on every form, nothing changed",
    async (which) => {
      const agent = await as(company.admin);
      const csrf = which === "no" ? "" : which === "a forged" ? "forged" : await csrfOf(await as(company.admin));
      for (const [place, fields] of [...POSTS, ["/opt-out", {}], ["/leave", {}]] as const) {
        expect([place, (await agent.post(path(place), { csrf, ...fields })).status]).toEqual([place, 403]);
      }
      expect((await agent.post("/invitation", { csrf, token: "x" })).status).toBe(403);
    },
  );

  test("a disabled company → 404 for everybody", async () => {
    const { partition, companyId, slug, admin } = await addCompany(server);
    await server.assent.storage.companies.setStatus({ partition, companyId, status: "disabled", now: server.now() });
    expect((await (await as(admin)).get(`/company/${slug}`)).status).toBe(404);
  });

  test("the list of one's companies → each with the role; none → says so", async () => {
    expect((await (await as(company.admin)).get("/account/companies")).text).toMatch(/Acme Corp[\s\S]*Admin/);
    expect((await (await as(await server.addPerson())).get("/account/companies")).text).toContain(
      "You don’t belong to a company",
    );
  });
});

describe("apps", () => {
  async function granted(of: TestCompany, app: TestClient) {
    const agent = await as(of.admin);
    const callback = await authorize(agent, authorizeUrl(server, app), of.admin.username, { owner: of.companyId });
    return { agent, tokens: (await redeem(server, app, callback)).body };
  }

  test("an app with access in the company's name → shown with its users; revoked for everyone → refresh fails at once", async () => {
    const acme = await addCompany(server);
    const { agent, tokens } = await granted(acme, client);
    const list = await agent.get(path("", acme));
    expect(list.text).toContain(`data-client-id="${client.clientId}"`);
    expect(list.text).toContain(`href="${appPath(client, acme)}"`);
    expect(list.text).toContain("Photo &lt;b>Printer");
    expect(list.text).toContain("1 member");
    const page = await agent.get(appPath(client, acme));
    expect(page.text).toContain(acme.admin.username);
    const question = await agent.submit(formTo(page, "/revoke"));
    expect(question.text).toContain('Revoke <bdi class="name">Photo &lt;b>Printer&lt;/b></bdi> for everyone?');
    expect(question.text).toContain("1 member");
    expect(question.text).toContain("Access ends within 10 minutes");
    const yes = formTo(question, "/revoke");
    const done = await agent.submit(yes);
    expect([done.status, pathOf(done)]).toEqual([
      303,
      `${path("", acme)}?done=revoked&app=${encodeURIComponent(client.clientId)}`,
    ]);
    const after = await agent.follow(done);
    expect(after.text).toContain("revoked for everyone");
    expect(after.text.replaceAll(/<[^>]*>/g, "")).toMatch(/Its access ends by .* within 10 minutes/);
    expect((await refresh(server, client, tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect(pathOf(await agent.submit(yes))).toBe(`${path("", acme)}?done=gone`);
    expect(pathOf(await agent.submit(formTo(page, "/revoke")))).toBe(`${path("", acme)}?done=gone`);
  });

  test("an unknown notice in the address → no notice", async () => {
    const agent = await as(company.admin);
    for (const done of ["x", "constructor", "<script>"]) {
      expect((await agent.get(path(`?done=${encodeURIComponent(done)}`))).text).not.toMatch(/class="notice/);
    }
  });

  test("a member asks, an admin approves for all, the member's app gets its answer; the admin blocks the app → refused", async () => {
    const acme = await addCompany(server);
    const app = await server.addClient();
    const { partition, companyId, member } = acme;
    const wish = { partition, companyId, clientId: app.clientId, personId: member.personId, scopes: ["read"] };
    await server.assent.storage.companyApps.askApproval({ ...wish, reason: "<i>fair</i>", now: server.now() });
    const agent = await as(acme.admin);
    const page = await agent.get(path("", acme));
    expect(page.text).toContain("&lt;i>fair&lt;/i>");
    const review = await agent.submit(formTo(page, `/apps/${app.clientId}`, { request: member.personId }));
    const rule = formTo(review, `/apps/${app.clientId}`);
    // The form is filled in from the request, with only the person who asked.
    expect(Object.fromEntries(rule.fields)).toMatchObject({
      ...{ rule: "allow", audience: "selected", member: member.personId, scope: "read" },
    });
    const open = await agent.submit(rule, { audience: "everybody" });
    expect(open.text).toMatch(/All members of .* can connect/);
    const saved = await agent.submit(formTo(open, `/apps/${app.clientId}`));
    expect(pathOf(saved)).toBe(`${appPath(app, acme)}?done=decided`);
    const members = await as(member);
    const choose = async () => {
      const form = formTo(await members.get(authorizeUrl(server, app)), "/consent");
      return members.submit(form, { decision: "allow", owner: companyId });
    };
    const callback = await choose();
    const { body } = await redeem(server, app, callback.location ?? "");
    expect(body.refresh_token).toBeTruthy();

    const own = await members.get(path("", acme));
    const stopped = await members.submit(formTo(own, "/opt-out", { out: "yes" }));
    expect(pathOf(stopped)).toBe(`${path("", acme)}?done=stopped&app=${app.clientId}`);
    const stoppedPage = (await members.follow(stopped)).text.replaceAll(/<[^>]*>/g, "");
    expect(stoppedPage).toMatch(/It gets no new access here\. .* can act for you until .*, for 10 minutes at most\./);
    expect(stoppedPage).toContain("Stopped by you");
    expect(stoppedPage).not.toContain("Ends");
    expect((await refresh(server, app, body.refresh_token)).body.error).toBe("invalid_grant");
    expect((await members.get(authorizeUrl(server, app))).status).toBe(200);
    const again = await members.get(path("", acme));
    await members.submit(formTo(again, "/opt-out", { out: "no" }));
    // A member who stopped the app must choose the company again.
    expect((await choose()).location?.searchParams.get("code")).toBeTruthy();
    expect((await members.get(authorizeUrl(server, app))).location?.searchParams.get("code")).toBeTruthy();

    const now = await agent.get(appPath(app, acme));
    const question = await agent.submit(formTo(now, `/apps/${app.clientId}`), { rule: "block" });
    expect(question.text).toContain("until an admin changes the rule");
    expect(question.text).toContain("<dt>Members affected</dt><dd>1</dd>");
    const blocked = await agent.submit(formTo(question, `/apps/${app.clientId}`, { confirmed: "yes" }));
    expect(pathOf(blocked)).toBe(`${appPath(app, acme)}?done=blocked`);
    // The member's last token works until it expires, so the page does not say that access has ended.
    const told = (await agent.follow(blocked)).text.replaceAll(/<[^>]*>/g, "");
    expect(told).toMatch(/The app is blocked\. It gets no new access\. Its access ends by .*, within 10 minutes\./);
    expect((await members.get(authorizeUrl(server, app))).text).toContain("doesn’t let this app in");
  });

  test("a request is refused → no longer in the list; refused again → says that it is gone", async () => {
    const acme = await addCompany(server);
    const { partition, companyId, member } = acme;
    const wish = { partition, companyId, clientId: client.clientId, personId: member.personId, scopes: ["read"] };
    await server.assent.storage.companyApps.askApproval({ ...wish, reason: "r", now: server.now() });
    const agent = await as(acme.admin);
    const form = formTo(await agent.get(path("", acme)), "/refuse");
    expect(pathOf(await agent.submit(form))).toBe(`${path("", acme)}?done=refused`);
    expect(pathOf(await agent.submit(form))).toBe(`${path("", acme)}?done=gone`);
  });

  test("the rule for other apps: an invalid value → no change; members decide → saved", async () => {
    const acme = await addCompany(server);
    const agent = await as(acme.admin);
    const form = formTo(await agent.get(path("", acme)), "/default");
    expect(pathOf(await agent.submit(form, { rule: "all" }))).toBe(`${path("", acme)}?done=nothing`);
    expect(pathOf(await agent.submit(form, { rule: "members" }))).toBe(`${path("", acme)}?done=defaults`);
    const callback = await authorize(await as(acme.member), authorizeUrl(server, client), "", {
      owner: acme.companyId,
    });
    expect(callback.searchParams.get("code")).toBeTruthy();
  });

  test("the history → shows what was allowed and revoked, and by whom", async () => {
    const acme = await addCompany(server);
    const { agent } = await granted(acme, client);
    await agent.submit(await asked(agent, await agent.get(appPath(client, acme)), "/revoke"));
    const { text } = await agent.get(path("/history", acme));
    expect(text).toMatch(/was revoked for everyone[\s\S]*connected/);
    expect(text).toContain(acme.admin.username);
    expect((await agent.get(path("/history?before=x", acme))).status).toBe(404);
    await decide(server, acme, client, {});
    const after = (await agent.get(path("/history", acme))).text;
    expect(after).toContain("was approved for all members");
    expect(after).toContain("the operator");
  });

  test("the receipt of an entry → signed, about the company; for members and another company's admin → 404", async () => {
    const acme = await addCompany(server);
    const { agent } = await granted(acme, client);
    const link = /href="([^"]*\/history\/receipt\?entry=[^"]+)"/.exec(
      (await agent.get(path("/history", acme))).text,
    )?.[1];
    const { text, headers, status } = await agent.get(link ?? "/", { accept: "application/json" });
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    const { receipt, content } = JSON.parse(text) as { receipt: string; content: Record<string, unknown> };
    expect(content).toMatchObject({ sub: acme.companyId, event: "allowed", by: acme.admin.personId });
    expect(decodeProtectedHeader(receipt).typ).toBe("consent-receipt+jwt");
    const entry = link?.split("?")[1];
    for (const [who, place] of [
      [acme.member, path(`/history/receipt?${entry}`, acme)],
      [company.admin, path(`/history/receipt?${entry}`)],
      [company.admin, path(`/history/receipt?${entry}`, acme)],
      [company.admin, `/account/history/receipt?${entry}`],
      [acme.admin, `/account/history/receipt?${entry}`],
    ] as const) {
      expect([place, (await (await as(who)).get(place)).status]).toEqual([place, 404]);
    }
  });
});

describe("members", () => {
  test("the last admin → can't step down, with the reason; from an older page → refused with the reason", async () => {
    const acme = await addCompany(server);
    const agent = await as(acme.admin);
    const place = path("/members", acme);
    const fields = { person_id: acme.member.personId };
    const self = { person_id: acme.admin.personId };
    const alone = await agent.get(place);
    expect(alone.text).toContain("You are the only admin. Before you leave, make another member an admin.");
    const offered = ({ forms }: Page) => forms.filter((form) => form.fields.get("person_id") === self.person_id).length;
    expect(offered(alone)).toBe(0);
    await agent.submit(formTo(alone, "/members/role", fields), { role: "admin" });
    const two = await agent.get(place);
    expect([offered(two), two.text.includes("You are the only admin")]).toEqual([2, false]);
    await agent.submit(formTo(two, "/members/role", fields), { role: "member" });
    expect(pathOf(await agent.submit(formTo(two, "/members/role", self)))).toBe(`${place}?done=lastAdmin`);
    const yes = await asked(agent, two, "/members/remove", self);
    expect(pathOf(await agent.submit(yes))).toBe(`${place}?done=lastAdmin`);
  });

  test("another role, then removed → saved", async () => {
    const acme = await addCompany(server);
    const agent = await as(acme.admin);
    const page = await agent.get(path("/members", acme));
    const { personId: person_id } = acme.member;
    const submit = async (place: string, id: string, fields = {}) =>
      pathOf(await agent.submit(formTo(page, place, { person_id: id }), fields));
    const at = path("/members", acme);
    expect(await submit("/members/role", person_id, { role: "owner" })).toBe(`${at}?done=nothing`);
    expect(await submit("/members/role", person_id, { role: "admin" })).toBe(`${at}?done=role`);
    const form = await asked(agent, page, "/members/remove", { person_id });
    const question = await agent.get(`${at}/remove?person_id=${person_id}`);
    expect(question.text).toMatch(/Open invitations to .* are withdrawn. Their open requests for apps are withdrawn/);
    expect(pathOf(await agent.submit(form))).toBe(`${at}?done=removed`);
    expect((await agent.get(`${at}?done=removed`)).text).not.toContain("was revoked");
    expect(pathOf(await agent.submit(form))).toBe(`${at}?done=gone`);
    expect(await submit("/members/remove", person_id)).toBe(`${at}?done=gone`);
    expect((await (await as(acme.member)).get(path("", acme))).status).toBe(404);
  });

  test("ids of another company's people, or unknown ids → gone, nothing changed", async () => {
    const acme = await addCompany(server);
    const agent = await as(acme.admin);
    const csrf = await csrfOf(agent);
    for (const person_id of [company.member.personId, company.admin.personId, "", "x", "AAAA", "%00", "\0", "a\0b"]) {
      for (const place of ["/members/remove", "/members/role"]) {
        const done = await agent.post(path(place, acme), { csrf, person_id, role: "member" });
        expect([person_id, place, pathOf(done)]).toEqual([person_id, place, `${path("/members", acme)}?done=gone`]);
      }
    }
    expect((await (await as(company.member)).get(path())).status).toBe(200);
  });

  test("a member leaves → no longer a member", async () => {
    const acme = await addCompany(server);
    const agent = await as(acme.member);
    const left = await agent.submit(await asked(agent, await agent.get(path("", acme)), "/leave"));
    expect(pathOf(left)).toBe("/account/companies?done=left");
    expect((await agent.get(path("", acme))).status).toBe(404);
  });
});

describe("invitations", () => {
  /** Ids can contain the start of a secret by chance, so this matches its whole length. */
  const SECRET = /iv_[\w-]{23}/;

  async function invited(addressee: string, role = "member") {
    const agent = await as(company.admin);
    const mark = server.log.length;
    const page = await agent.submit(formTo(await agent.get(path("/members")), "/members/invite"), { addressee, role });
    const link = /<code class="secret-link"[^>]*>([^<]*)</.exec(page.text)?.[1] ?? "";
    expect(server.log.slice(mark).join("")).not.toMatch(SECRET);
    return { agent, page, link };
  }

  test("neither an address nor a username → the form again with the input", async () => {
    const { page, link } = await invited("not an address <b>");
    expect([page.status, link]).toEqual([400, ""]);
    expect(page.text).toContain("neither an e-mail address nor a username");
    expect(page.text).toContain('value="not an address &lt;b>"');
  });

  test("to a username that no account has → the page says that nobody can use the link", async () => {
    const { page } = await invited("nobody.at.all");
    expect(page.text.replaceAll(/<[^>]*>/g, "")).toContain(
      "If no account has the username nobody.at.all, nobody can use the link: check the spelling.",
    );
  });

  test("→ only this page shows the link, and the operator's program gets it in a notice", async () => {
    const guest = await server.addPerson();
    const earlier = await invited(guest.email, "admin");
    const { agent, page, link } = await invited(guest.email.toUpperCase());
    expect(page.text.replaceAll(/<[^>]*>/g, "")).toContain(
      `If there was an earlier invitation to ${guest.email}, it no longer works.`,
    );
    expect((await agent.get(new URL(earlier.link).pathname + new URL(earlier.link).search)).status).toBe(404);
    expect(link).toMatch(/\/invitation\?token=iv_[\w-]{119}$/);
    expect(page.text).not.toContain("on its way");
    expect((await agent.get(path("/members"))).text).not.toMatch(SECRET);
    expect(notices.at(-1)).toMatchObject({ kind: "company_invitation", addressee: guest.email, link, role: "member" });
  });

  test("opened by another person → refused, and still valid for the invited person; accepted once; then the link is spent", async () => {
    const guest = await server.addPerson();
    const { link } = await invited(guest.username, "admin");
    const wrong = await (await as(company.member)).get(link);
    expect([wrong.status, wrong.text.includes("is for somebody else")]).toEqual([403, true]);
    const agent = await as(guest);
    const page = await agent.get(link);
    expect(page.text).toContain("As an admin, you decide");
    const form = formTo(page, "/invitation");
    const stolen = await (await as(company.member)).post("/invitation", {
      token: form.fields.get("token") ?? "",
      csrf: await csrfOf(await as(company.member)),
    });
    expect(stolen.status).toBe(403);
    const joined = await agent.submit(form);
    expect(pathOf(joined)).toBe(`${path()}?done=joined`);
    expect((await agent.get(path("/members"))).status).toBe(200);
    expect((await agent.submit(form)).status).toBe(404);
    // Its member comes to the company.
    expect(pathOf(await agent.get(link))).toBe(path());
  });

  test("opened without a session → sign-in, with a wrong password once, then the invitation; an invalid token → not kept", async () => {
    const guest = await server.addPerson();
    const { link } = await invited(guest.email);
    const agent = new Agent(server.issuer);
    const page = await agent.get(link);
    const wrong = await agent.submit(formTo(page, "/login"), { username: guest.username, password: "wrong" });
    const shown = await signIn(agent, guest.username, wrong);
    expect(shown.text).toContain("invites you");
    for (const token of ["", "iv_x", "//evil.test", "https://evil.test/"]) {
      const other = new Agent(server.issuer);
      const form = formTo(await other.get("/login"), "/login");
      const done = await other.submit(form, { username: guest.username, password: PASSWORD, invitation: token });
      expect(pathOf(done)).toBe("/account/apps");
    }
  });

  test("a token that is invalid, of another kind, withdrawn, or a week old → 404", async () => {
    const guest = await server.addPerson();
    const agent = await as(guest);
    for (const token of ["", "iv_", `iv_${"A".repeat(119)}`, agent.cookies.get("assent_session") ?? ""]) {
      expect((await agent.get(`/invitation?token=${token}`)).status).toBe(404);
    }
    const { link, agent: admin } = await invited(guest.email);
    const open = await admin.get(path("/members"));
    const invitation = /name="invitation" value="([^"]*)"/.exec(open.text)?.[1] ?? "";
    expect(pathOf(await admin.submit(formTo(open, "/members/withdraw", { invitation })))).toBe(
      `${path("/members")}?done=withdrawn`,
    );
    expect((await agent.get(link)).status).toBe(404);
    const late = await invited(guest.email);
    server.tick(7 * 86_400_000);
    expect((await (await as(guest)).get(late.link)).status).toBe(404);
    server.tick(-7 * 86_400_000);
  });

  test("an admin of two companies → the list of companies has both", async () => {
    const second = await addCompany(server);
    await addMember(server, second, company.admin, "admin");
    const agent = await as(company.admin);
    expect((await agent.get("/account/companies")).text.match(/href="\/company\//g)?.length).toBeGreaterThanOrEqual(2);
  });
});
