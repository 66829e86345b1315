/** Links of messages and invitations that no longer work: the page says why, and leads on. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formWith } from "../support/authenticator-app.ts";
import { addCompany, addMember, type TestCompany } from "../support/company-staff.ts";
import { Agent, linksOf, type Page, signIn } from "../support/http-browser.ts";
import { DAY, decide, recoveryLink } from "../support/recovery-actors.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

const HOUR = 3_600_000;
let server: TestServer;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ config: { smtpUrl: smtpTo(mailbox), signUp: true } });
});
afterAll(async () => {
  await server?.stop();
  await mailbox?.stop();
});

const aBrowser = () => new Agent(server.issuer);
const titleOf = ({ text }: Page) => /<h1[^>]*>([^<]*)</.exec(text)?.[1];
/** Without its last characters, as a program cuts it that breaks long lines. */
const cut = (link: string) => link.slice(0, -7);

describe("a link that recovers an account", () => {
  test("cut, used, too old → each page says so; only after a use it offers the sign-in first", async () => {
    const person = await server.addPerson();
    const link = await recoveryLink(person, server, mailbox);
    const incomplete = await aBrowser().get(cut(link));
    expect([incomplete.status, titleOf(incomplete)]).toEqual([400, "This link is incomplete"]);
    const browser = aBrowser();
    await decide(browser, await browser.get(link));
    const used = await browser.get(link);
    expect([used.status, titleOf(used)]).toEqual([400, "This link was already used"]);
    expect(linksOf(used).some((href) => href.endsWith("/login"))).toBe(true);
    const late = await recoveryLink(person, server, mailbox);
    server.tick(2 * HOUR);
    const expired = await aBrowser().get(late);
    expect([expired.status, titleOf(expired)]).toEqual([400, "This link has expired"]);
    expect(expired.text).toContain("It stopped working <time");
    expect(linksOf(expired).some((href) => href.endsWith("/recover"))).toBe(true);
  });

  test("of somebody whose account was disabled → it says no more than that it no longer works", async () => {
    const person = await server.addPerson();
    const link = await recoveryLink(person, server, mailbox);
    await server.assent.storage.people.setStatus({ ...person, status: "disabled", now: server.now() });
    expect(titleOf(await aBrowser().get(link))).toBe("This link no longer works");
  });
});

describe("a link that changes an address", () => {
  test("ended by a new password → the page says that a change of the account may have ended it", async () => {
    const person = await server.addPerson();
    const browser = aBrowser();
    await signIn(browser, person.username);
    const email = `later-${person.username}@example.test`;
    const profile = formWith(await browser.get("/account/profile"), "email");
    await browser.submit(profile, { email, current_password: PASSWORD });
    const { link } = await mailbox.next(email);
    const form = formWith(await browser.get("/account/security/password"), "again");
    const next = "an entirely other phrase 7";
    await browser.submit(form, { current_password: PASSWORD, password: next, again: next });
    const page = await aBrowser().get(link);
    expect([page.status, titleOf(page)]).toEqual([400, "This link no longer works"]);
    expect(page.text).toContain("or a change of your account ended it, such as a new password");
  });

  test("used → it says so; the address of the account stays the new one", async () => {
    const person = await server.addPerson();
    const browser = aBrowser();
    await signIn(browser, person.username);
    const email = `new-${person.username}@example.test`;
    await browser.submit(formWith(await browser.get("/account/profile"), "email"), {
      email,
      current_password: PASSWORD,
    });
    const { link } = await mailbox.next(email);
    await browser.submit(formWith(await browser.get(link), "link"));
    expect(titleOf(await browser.get(link))).toBe("This link was already used");
    expect((await server.assent.storage.people.get(person))?.email).toBe(email);
  });
});

describe("an invitation", () => {
  async function invited(company: TestCompany, addressee: string): Promise<{ link: string; id: string; admin: Agent }> {
    const admin = aBrowser();
    await signIn(admin, company.admin.username);
    const members = await admin.get(`/company/${company.slug}/members`);
    await admin.submit(formWith(members, "addressee"), { addressee });
    const { link } = await mailbox.next(addressee);
    const { partition, companyId } = company;
    const [open] = await server.assent.storage.invitations.list({ partition, companyId, now: server.now() });
    return { link, id: open?.invitationId ?? "", admin };
  }

  test("cut → it says so, signed in or not, before anybody signs in for it", async () => {
    const company = await addCompany(server);
    const guest = await server.addPerson();
    const { link } = await invited(company, guest.email);
    const page = await aBrowser().get(cut(link));
    expect([page.status, titleOf(page)]).toEqual([404, "This invitation’s link is incomplete"]);
    const browser = aBrowser();
    await signIn(browser, guest.username);
    expect(titleOf(await browser.get(cut(link)))).toBe("This invitation’s link is incomplete");
  });

  test("accepted → the member who accepted it goes to the company; nobody else learns who did", async () => {
    const company = await addCompany(server);
    const [guest, other] = [await server.addPerson(), await server.addPerson()];
    const { link } = await invited(company, guest.email);
    const browser = aBrowser();
    await signIn(browser, guest.username);
    const invitation = formWith(await browser.get(link), "token");
    await browser.submit(invitation);
    const twice = await browser.submit(invitation);
    expect(twice.text).toContain("You used it yourself. You find the company among your companies.");
    const again = await browser.get(link);
    expect([again.status, again.location?.pathname]).toEqual([303, `/company/${company.slug}`]);
    const stranger = aBrowser();
    const signedOut = await stranger.get(link);
    expect(titleOf(signedOut)).toBe("This invitation was already used");
    expect(signedOut.text).toContain("If you used it yourself, sign in to see your companies.");
    expect(linksOf(signedOut).some((href) => href.endsWith("/account/companies"))).toBe(true);
    await signIn(stranger, other.username);
    const page = await stranger.get(link);
    expect(titleOf(page)).toBe("This invitation was already used");
    expect(page.text).not.toContain(guest.username);
    expect(page.text).toContain("Another account used it.");
    // A former member isn't led to a company that they can't see.
    const { partition, companyId } = company;
    await server.assent.storage.members.remove({
      ...{ partition, companyId, person: guest, by: null, mails: [], now: server.now() },
    });
    const former = await browser.get(link);
    expect(titleOf(former)).toBe("This invitation was already used");
    expect(former.text).toContain("You used it yourself, but you no longer belong to the company.");
  });

  test("withdrawn, or replaced by a newer one, or a week old → each page says so", async () => {
    const company = await addCompany(server);
    const guest = await server.addPerson();
    const first = await invited(company, guest.email);
    const second = await invited(company, guest.email);
    const withdrawn = await aBrowser().get(first.link);
    expect(titleOf(withdrawn)).toBe("This invitation was withdrawn");
    expect(withdrawn.text).toContain("or ask an admin of the company");
    expect(withdrawn.text).not.toMatch(/developer|invitation_unknown/);
    const members = await second.admin.get(`/company/${company.slug}/members`);
    await second.admin.submit(formWith(members, "invitation"), { invitation: second.id });
    expect(titleOf(await aBrowser().get(second.link))).toBe("This invitation was withdrawn");
    const third = await invited(company, guest.email);
    server.tick(8 * DAY);
    expect(titleOf(await aBrowser().get(third.link))).toBe("This invitation has expired");
  });

  test("of an admin who is none any more → withdrawn", async () => {
    const company = await addCompany(server);
    const guest = await server.addPerson();
    const { link } = await invited(company, guest.email);
    await addMember(server, company, await server.addPerson(), "admin");
    const { partition, companyId, admin } = company;
    await server.assent.storage.members.setRole({
      ...{ partition, companyId, personId: admin.personId, role: "member", by: null, now: server.now() },
    });
    expect(titleOf(await aBrowser().get(link))).toBe("This invitation was withdrawn");
  });
});
