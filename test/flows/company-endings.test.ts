/**
 * Actions in a company that end other people's access: the page says so before, asks if there are two meanings, and
 * tells the people afterwards.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { listEvents } from "../../packages/server/src/admin/events.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { addCompany, decide, type TestCompany } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, decide as decideDevice } from "../support/device-actor.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  type Form,
  type Page,
  postForm,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ name: "Photo <b>Printer</b>" });
});
afterAll(() => server.stop());

async function as(person: Pick<Person, "username">): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return agent;
}

const path = (place: string, { slug }: TestCompany) => `/company/${slug}${place}`;
const pathOf = ({ location }: Page) => location?.href.slice(server.issuer.length);

function formTo(page: Page, place: string, with_: Record<string, string> = {}): Form {
  const form = page.forms.find(
    ({ action, fields }) =>
      action.endsWith(place) && Object.entries(with_).every(([name, value]) => fields.get(name) === value),
  );
  if (form === undefined) throw new Error(`no form to ${place}: ${page.status} ${page.text.slice(0, 500)}`);
  return form;
}

describe("an approval that members use, taken back", () => {
  async function used() {
    const acme = await addCompany(server);
    const app = await server.addClient({ name: "Fair Copy", scopes: ["read"] });
    await decide(server, acme, app, {});
    const tokensOf = async (who: typeof acme.admin) => {
      const agent = await as(who);
      const callback = await authorize(agent, authorizeUrl(server, app), "", { owner: acme.companyId });
      return (await redeem(server, app, callback)).body.refresh_token;
    };
    const tokens = { admin: await tokensOf(acme.admin), member: await tokensOf(acme.member) };
    const agent = await as(acme.admin);
    const place = `/apps/${app.clientId}`;
    const decision = formTo(await agent.get(path(place, acme)), place);
    return { acme, app, tokens, agent, decision };
  }

  test.each(["ask", "default"])(
    "%s → asked what becomes of them, and nothing is changed until that is said",
    async (rule) => {
      const { acme, app, tokens, agent, decision } = await used();
      for (const fields of [{ rule }, { rule, confirmed: "yes" }, { rule, confirmed: "yes", members: "x" }]) {
        const question = await agent.submit(decision, fields);
        expect([question.status, question.location]).toEqual([200, undefined]);
        expect(question.text).toContain("What happens to the access of members whom the rule doesn’t cover?");
        expect(question.text).toContain("<dt>Members affected</dt><dd>1</dd>");
      }
      expect(await server.assent.storage.companyApps.listRules(acme)).toMatchObject([
        { clientId: app.clientId, rule: "allow" },
      ]);
      expect((await refresh(server, app, tokens.member)).status).toBe(200);
    },
  );

  test("keep → they go on until it ends; nobody connects that way any more", async () => {
    const { acme, app, tokens, agent, decision } = await used();
    const question = await agent.submit(decision, { rule: "ask" });
    expect(pathOf(await agent.submit(formTo(question, `/apps/${app.clientId}`)))).toBe(
      `${path(`/apps/${app.clientId}`, acme)}?done=decided`,
    );
    expect((await refresh(server, app, tokens.member)).status).toBe(200);
    const member = await as(acme.member);
    const page = await member.get(authorizeUrl(server, app));
    expect(page.text).toContain("an admin has to approve");
    const asking = await member.submit(consentForm(page), { decision: "allow", owner: acme.companyId });
    expect(asking.text.replaceAll(/<[^>]*>/g, "")).toContain(
      "Fair Copy keeps the access that you gave it for Acme Corp. Before it gets new access, an admin has to approve it.",
    );
  });

  test("end → over for members at once, not for admins; the history says why", async () => {
    const { acme, app, tokens, agent, decision } = await used();
    const question = await agent.submit(decision, { rule: "ask" });
    await agent.submit(formTo(question, `/apps/${app.clientId}`), { members: "end" });
    expect((await refresh(server, app, tokens.member)).body.error).toBe("invalid_grant");
    expect((await refresh(server, app, tokens.admin)).status).toBe(200);
    expect((await agent.get(path("/history", acme))).text).toContain(
      "for the members for whom it is no longer approved",
    );
  });
});

test("removed → what stops is said before; the history says who, with a receipt; what ended names them, too", async () => {
  const acme = await addCompany(server);
  await decide(server, acme, client, {});
  const theirs = await as(acme.member);
  const callback = await authorize(theirs, authorizeUrl(server, client), "", { owner: acme.companyId });
  const tokens = (await redeem(server, client, callback)).body;
  const agent = await as(acme.admin);
  const { personId: person_id, username } = acme.member;
  const page = await agent.get(path("/members", acme));
  const question = await agent.submit(formTo(page, "/members/remove", { person_id }));
  for (const said of [
    `Remove <bdi class="name">${username}</bdi>`,
    "Photo &lt;b>Printer",
    "Access ends within 10 minutes",
  ])
    expect(question.text).toContain(said);
  expect((await refresh(server, client, tokens.refresh_token)).status).toBe(200);
  await agent.submit(formTo(question, "/members/remove"));
  expect((await refresh(server, client, tokens.refresh_token)).body.error).toBe("invalid_grant");
  const { text } = await agent.get(path("/history", acme));
  const plain = text.replaceAll(/<[^>]*>/g, "");
  expect(plain).toContain(`${username} was removed`);
  expect(plain.indexOf(`${username} was added`)).toBeGreaterThan(plain.indexOf(`${username} was removed`));
  expect(plain).toMatch(new RegExp(`was disconnected for ${username}, who was removed from the company`));
  const { partition, companyId: ownerId } = acme;
  const entries = await server.assent.storage.history.list({ partition, ownerId, before: null, limit: 20 });
  const left = entries.find(({ kind }) => kind === "member_left");
  const link = path(`/history/receipt?entry=${left?.entryId}`, acme);
  const { content } = JSON.parse((await agent.get(link, { accept: "application/json" })).text) as {
    content: Record<string, unknown>;
  };
  expect(content).toMatchObject({ event: "member_left", member: person_id, by: acme.admin.personId, app: null });
  const { personId } = acme.member;
  await server.assent.storage.people.delete({ ...acme.member, personId, now: server.now() });
  const later = (await agent.get(path("/history", acme))).text;
  expect(later).not.toContain(username);
  expect(later).toContain("a former member");
});

test("an account with a membership is deleted → the history and the event of the company say that the person left, once", async () => {
  const acme = await addCompany(server);
  const { partition, companyId: ownerId, member } = acme;
  await server.assent.storage.people.delete({ ...member, now: server.now() });
  await server.assent.storage.membershipOutbox.deliver({ now: server.now(), limit: 9 });
  const entries = await server.assent.storage.history.list({ partition, ownerId, before: null, limit: 20 });
  const left = entries.filter(({ kind }) => kind === "member_left");
  expect(left.map(({ record }) => [record.personId, record.by, record.cause])).toEqual([
    [member.personId, "server", "member_deleted"],
  ]);
  const agent = await as(acme.admin);
  const { text } = await agent.get(path("/history", acme));
  const [, entry = ""] = text.split('<div class="event">');
  expect(entry.replaceAll(/<[^>]*>/g, "").trim()).toMatch(/^a former member left because their account was deleted/);
  const link = path(`/history/receipt?entry=${left[0]?.entryId}`, acme);
  const { content } = JSON.parse((await agent.get(link, { accept: "application/json" })).text);
  expect(content).toMatchObject({ event: "member_left", member: member.personId });
  const events = () =>
    listEvents(
      { kind: "company.member_left", subject: ownerId, limit: 9 },
      adminOf(server.assent.storage, server.issuer, server.now),
    );
  await expect.poll(events, { timeout: 10_000 }).toMatchObject([
    {
      actor: "server",
      details: { person: member.personId, cause: "member_deleted" },
    },
  ]);
});

test("a member and an admin each connect an app → history and receipts say so, each with their own end", async () => {
  const acme = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient({ name: "Solo Planner" });
  const connect = async ({ username }: typeof acme.admin, duration: string) => {
    server.tick(1000);
    const url = authorizeUrl(server, app, { prompt: "consent" });
    const location = await authorize(new Agent(server.issuer), url, username, { owner: acme.companyId, duration });
    return redeem(server, app, location);
  };
  await connect(acme.member, "2592000");
  await connect(acme.admin, "604800");
  const entries = await server.assent.storage.history.list({
    ...{ partition: acme.partition, ownerId: acme.companyId, before: null, limit: 9 },
  });
  const days = (end: number | null) => Math.round(((end ?? 0) - server.now()) / 86_400_000);
  const answers = entries.filter(({ kind }) => kind === "allowed");
  expect(answers.map(({ record }) => [record.personId, days(record.expiresAt)])).toEqual([
    [acme.admin.personId, 7],
    [acme.member.personId, 30],
  ]);
  const agent = await as(acme.admin);
  const { text } = await agent.get(`/company/${acme.slug}/history`);
  const told = [...text.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, line = ""]) => line.replaceAll(/<[^>]*>/g, ""));
  expect(told.slice(0, 2)).toEqual([
    `${acme.admin.username} connected Solo Planner`,
    `${acme.member.username} connected Solo Planner`,
  ]);
  const link = /href="([^"]*\/history\/receipt\?entry=[^"]+)"/.exec(text)?.[1] ?? "/";
  const file = await agent.get(link, { accept: "application/json" });
  const { content } = JSON.parse(file.text) as { readonly content: Record<string, unknown> };
  expect(content).toMatchObject({ event: "allowed", by: acme.admin.personId, member: acme.admin.personId });
  expect(days(Number(content["until"]) * 1000)).toBe(7);
  const genuine = await agent.submit(formTo(await agent.get("/receipts/verify"), "/receipts/verify"), {
    receipt: file.text,
  });
  expect(genuine.text.replaceAll(/<[^>]*>/g, "")).toContain(`Account ${acme.admin.personId} connected Solo Planner`);
});

test("a member connects an approved app, stops it, connects it again → each is told, with the member and a receipt", async () => {
  const acme = await addCompany(server);
  const app = await server.addClient({ name: "Fair Planner" });
  // Entries of one millisecond have no order.
  server.tick(1000);
  await decide(server, acme, app, {});
  server.tick(1000);
  const members = await as(acme.member);
  const connect = async () => {
    const form = consentForm(await members.get(authorizeUrl(server, app)));
    const answer = { decision: "allow", owner: acme.companyId };
    return redeem(server, app, (await members.submit(form, answer)).location ?? "");
  };
  await connect();
  server.tick(1000);
  await members.submit(formTo(await members.get(`/company/${acme.slug}`), "/opt-out", { out: "yes" }));
  server.tick(1000);
  const { body } = await connect();
  server.tick(1000);
  await postForm(server, "/revoke", app, { token: body.refresh_token });
  const { text } = await (await as(acme.admin)).get(`/company/${acme.slug}/history`);
  const told = [...text.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, line = ""]) => line.replaceAll(/<[^>]*>/g, ""));
  const { username } = acme.member;
  expect(told.slice(0, 5)).toEqual([
    `Fair Planner gave up its access for ${username}`,
    `${username} connected Fair Planner`,
    `Fair Planner was disconnected for ${username} at their request`,
    `${username} connected Fair Planner`,
    "Fair Planner was approved for all members",
  ]);
  const entries = await server.assent.storage.history.list({
    ...{ partition: acme.partition, ownerId: acme.companyId, before: null, limit: 9 },
  });
  const connected = entries.filter(({ kind }) => kind === "connected");
  expect(connected).toMatchObject([
    {
      record: { via: "browser", personId: acme.member.personId, scopes: [{ name: "read" }], shown: { locale: "en" } },
    },
    { record: { via: "browser" } },
  ]);
  const tv = await aDeviceClient(server);
  await decide(server, acme, tv, {});
  server.tick(1000);
  const { userCode } = await aDevice(server, tv);
  await decideDevice(members, userCode, acme.member.username, { owner: acme.companyId, duration: "3600" });
  const [onDevice] = await server.assent.storage.history.list({
    ...{ partition: acme.partition, ownerId: acme.companyId, before: null, limit: 1 },
  });
  expect(onDevice).toMatchObject({ kind: "connected", record: { via: "device", scopes: [{ name: "read" }] } });
  expect((onDevice?.record.scopes[0]?.expiresAt ?? 0) - server.now()).toBeLessThanOrEqual(3_600_000);
  // The member's own history says where all this is.
  const own = (await members.get("/account/history")).text;
  expect(own).toContain("Nothing has happened yet");
  expect(own).toContain("What you allow for a company is in that company’s history");
  const receipt = await (await as(acme.admin)).get(
    `/company/${acme.slug}/history/receipt?entry=${connected[0]?.entryId}`,
  );
  expect(JSON.parse(receipt.text).content).toMatchObject({ event: "connected", member: acme.member.personId });
});

test.each([
  [
    "members",
    "Acme Corp lets members decide, so they can connect Fair Copy again at once. To prevent this, block the app.",
  ],
  ["ask", "Members ask an admin before they connect Fair Copy again."],
  ["block", "Only admins can connect Fair Copy again."],
] as const)(
  "revoked for everyone where the default is “%s” → the page says who can connect it again",
  async (defaultRule, said) => {
    const acme = await addCompany(server, { defaultRule });
    const app = await server.addClient({ name: "Fair Copy", scopes: ["read"] });
    const agent = await as(acme.admin);
    await authorize(agent, authorizeUrl(server, app), "", { owner: acme.companyId });
    const { text } = await agent.get(path(`/revoke?client_id=${app.clientId}`, acme));
    expect(text.replaceAll(/<[^>]*>/g, "")).toContain(said);
  },
);

test("a member stops an app, lets it connect again, then leaves → each page speaks to them, and says what the last token can do", async () => {
  const acme = await addCompany(server);
  await decide(server, acme, client, {});
  const theirs = await as(acme.member);
  const tokensFor = async () => {
    const callback = await authorize(theirs, authorizeUrl(server, client), "", { owner: acme.companyId });
    return (await redeem(server, client, callback)).body;
  };
  const first = await tokensFor();
  await theirs.submit(formTo(await theirs.get(path("", acme)), "/opt-out"));
  const resumed = await theirs.follow(await theirs.submit(formTo(await theirs.get(path("", acme)), "/opt-out")));
  expect(resumed.text).toContain("It gets no new access until you connect it again: open the app.");
  expect((await refresh(server, client, first.refresh_token)).body.error).toBe("invalid_grant");
  await tokensFor();
  const question = await theirs.get(path("/leave", acme));
  expect(question.text).toContain("These apps lose the access that you gave them for the company");
});

test("other members are selected, and earlier access stays → a member's list of apps has the app until it ends, and says that it asks", async () => {
  const acme = await addCompany(server);
  await decide(server, acme, client, {});
  const theirs = await as(acme.member);
  const callback = await authorize(theirs, authorizeUrl(server, client), "", { owner: acme.companyId });
  const tokens = (await redeem(server, client, callback)).body;
  await decide(server, acme, client, { selected: [acme.admin.personId] });
  expect((await refresh(server, client, tokens.refresh_token)).status).toBe(200);
  const { partition, companyId } = acme;
  const list = async () => (await theirs.get("/account/apps")).text.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");
  expect(await list()).toMatch(/For your companies.*Next time, this app asks you for whom it acts/);
  const by = { by: null, now: server.now() };
  await server.assent.storage.companyApps.revokeForAll({ partition, companyId, clientId: client.clientId, ...by });
  expect(await list()).not.toContain("For your companies");
});
