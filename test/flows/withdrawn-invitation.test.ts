/** An invitation is withdrawn: while somebody makes the account with which they want to accept it, or its sender is an admin no more. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany, type TestCompany } from "../support/company-staff.ts";
import { formWith } from "../support/device-actor.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  linksOf,
  type Page,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

const PASSWORDS = { password: "seven green umbrellas", again: "seven green umbrellas" };
const INVALID = "The invitation to Acme Corp isn’t valid any more.";

let server: TestServer;
let mailbox: TestMailbox;
let company: TestCompany;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ config: { smtpUrl: smtpTo(mailbox), signUp: true } });
  company = await addCompany(server);
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

const textOf = ({ text }: Page) =>
  text
    .replace(/^[\s\S]*<main[^>]*>/, "")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+/g, " ");

let people = 0;
/** Somebody without an account, in a browser of their own, with the link to make one. */
async function invited() {
  people += 1;
  const username = `guest${people}`;
  const addressee = `${username}@example.test`;
  const admin = new Agent(server.issuer);
  await signIn(admin, company.admin.username);
  const path = `/company/${company.slug}/members`;
  await admin.submit(formWith(await admin.get(path), "addressee"), { addressee, role: "member" });
  const agent = new Agent(server.issuer);
  const first = await agent.get((await mailbox.next(addressee)).link);
  const signUp = linksOf(first).find((href) => href.includes("/sign-up?"));
  await agent.submit(formWith(await agent.get(signUp ?? ""), "email"), { email: addressee });
  const { link } = await mailbox.next(addressee);
  const withdraw = async () => {
    const { forms } = await admin.get(path);
    for (const form of forms.filter(({ action }) => action.endsWith("/withdraw"))) await admin.submit(form);
  };
  const makesAccount = async (browser: Agent, form: Page) =>
    browser.follow(await browser.submit(formWith(form, "username"), { username, ...PASSWORDS }));
  return { agent, link, withdraw, makesAccount };
}

test.each(["this browser", "another browser"])(
  "the link in %s → said before and after the account is made",
  async (at) => {
    const { agent, link, withdraw, makesAccount } = await invited();
    await withdraw();
    const browser = at === "this browser" ? agent : new Agent(server.issuer);
    const form = await browser.get(link);
    expect(textOf(form)).toContain(`${INVALID} You can still create your account.`);
    expect(textOf(form)).not.toContain("invited you to join");
    const done = textOf(await makesAccount(browser, form));
    expect(done).toContain("Your account is ready");
    expect(done).toContain(INVALID);
    expect(done).not.toContain("To join Acme Corp, go back");
  },
);

test("while the form is open → the account is ready, the invitation isn't valid", async () => {
  const { agent, link, withdraw, makesAccount } = await invited();
  const form = await agent.get(link);
  await withdraw();
  const done = textOf(await makesAccount(agent, form));
  expect(done).toContain("Your account is ready");
  expect(done).toContain(INVALID);
});

test("accepted, and the link opened once more → nothing about an invalid invitation", async () => {
  const { agent, link, makesAccount } = await invited();
  const invitation = await makesAccount(agent, await agent.get(link));
  const join = invitation.forms.find(({ action }) => action.endsWith("/invitation"));
  if (join === undefined) throw new Error(`no form: ${invitation.text.slice(0, 400)}`);
  expect((await agent.submit(join)).location?.pathname).toBe(`/company/${company.slug}`);
  expect(textOf(await agent.get(link))).not.toContain(INVALID);
});

test("an admin becomes a member → the page says that their open invitations were withdrawn; the other way round it doesn't", async () => {
  const acme = await addCompany(server);
  const [agent, other] = [new Agent(server.issuer), new Agent(server.issuer)];
  await Promise.all([signIn(agent, acme.admin.username), signIn(other, acme.member.username)]);
  const path = `/company/${acme.slug}/members`;
  const change = async (role: "admin" | "member") => {
    const page = await agent.get(path);
    const form = page.forms.find(
      ({ action, fields }) => action.endsWith("/role") && fields.get("person_id") === acme.member.personId,
    );
    if (form === undefined) throw new Error("no form for the role");
    return textOf(await agent.follow(await agent.submit(form, { role })));
  };
  const withdrawn = "Open invitations from this member and to this member were withdrawn.";
  const promoted = await change("admin");
  expect([promoted.includes("The role was changed."), promoted.includes(withdrawn)]).toEqual([true, false]);
  await other.submit(formWith(await other.get(path), "addressee"), { addressee: "kim@example.test", role: "member" });
  const { link } = await mailbox.next("kim@example.test");
  expect(await change("member")).toContain(
    `The role was changed. ${withdrawn} Apps that this member connected as an admin keep their access.`,
  );
  expect((await agent.get(link)).status).toBe(404);
});

test("an admin becomes a member → what they connected as an admin keeps its access, and only that", async () => {
  const acme = await addCompany(server, { defaultRule: "block" });
  const app = await server.addClient({ scopes: ["read"] });
  const { companyId, partition, admin } = acme;
  const agent = new Agent(server.issuer);
  const callback = await authorize(agent, authorizeUrl(server, app), admin.username, { owner: companyId });
  const { body } = await redeem(server, app, callback);
  const { personId } = admin;
  const change = { partition, companyId, personId, role: "member", by: null, now: server.now() } as const;
  expect(
    (await server.assent.storage.members.setRole({ ...change, personId: acme.member.personId, role: "admin" })).kind,
  ).toBe("done");
  expect((await server.assent.storage.members.setRole(change)).kind).toBe("done");
  expect((await refresh(server, app, body.refresh_token)).status).toBe(200);
  const other = await server.addClient({ scopes: ["read"] });
  const page = await agent.follow(await agent.get(authorizeUrl(server, other)));
  const answer = await agent.submit(consentForm(page), { decision: "allow", owner: companyId });
  expect(answer.location).toBeUndefined();
});
