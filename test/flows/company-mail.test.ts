/** The messages to people of a company: invitations, members' requests, admins' answers. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCompany, addMember, decide as decideRule } from "../support/company-staff.ts";
import { Agent, authorizeUrl, consentForm, type Form, type Page, signIn } from "../support/http-browser.ts";
import { addCompanyProvider } from "../support/sign-in-providers.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ config: { smtpUrl: smtpTo(mailbox) } });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

/** Signs in, and takes the message about it. */
async function as({ username, email }: { readonly username: string; readonly email: string }): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await signIn(agent, username);
  await mailbox.next(email);
  return agent;
}

function formTo(page: Page, place: string, fields: Record<string, string> = {}): Form {
  const form = page.forms.find(
    (one) =>
      one.action.endsWith(place) && Object.entries(fields).every(([name, value]) => one.fields.get(name) === value),
  );
  if (form === undefined) throw new Error(`no form to ${place}: ${page.status} ${page.text.slice(0, 300)}`);
  return form;
}

test("an invitation → the link in the message is the invitation, and stands in no line of the log", async () => {
  const acme = await addCompany(server);
  const guest = await server.addPerson({ language: "fr" });
  const agent = await as(acme.admin);
  const page = await agent.get(`/company/${acme.slug}/members`);
  const made = await agent.submit(formTo(page, "/members/invite"), { addressee: guest.email, role: "member" });
  expect(made.text).toContain("An invitation is on its way to");
  const message = await mailbox.next(guest.email);
  expect(message.subject).toBe("Invitation à Acme Corp");
  expect(message.text?.replaceAll("\n", " ")).toContain(
    `Alice Example (${acme.admin.username}) vous a invité à rejoindre Acme Corp en tant que membre.`,
  );
  const own = new Agent(server.issuer);
  expect((await signIn(own, guest.username, await own.get(message.link))).text).toContain("Acme Corp");
  expect(server.log.join()).not.toContain(message.link.slice(-40));
});

const plain = ({ text }: Page) =>
  text
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[.,)])/g, "")
    .replaceAll("( ", "(");

describe("an invitation to a member", () => {
  async function inviting(role: "member" | "admin") {
    const acme = await addCompany(server);
    const agent = await as(acme.admin);
    const send = async (addressee: string) =>
      agent.submit(formTo(await agent.get(`/company/${acme.slug}/members`), "/members/invite"), { addressee, role });
    return { acme, agent, send };
  }
  test("by the username, which admins see → the page says so; nothing is sent", async () => {
    const { acme, send } = await inviting("admin");
    const { username } = acme.member;
    const page = await send(username.toUpperCase());
    expect(page.status).toBe(400);
    expect(plain(page)).toContain("is a member already. You can change the role in the list of members.");
    const { partition, companyId } = acme;
    expect(await server.assent.storage.invitations.list({ partition, companyId, now: server.now() })).toEqual([]);
  });

  test("to be an admin → mail, page and button say what changes; accepted → said, also in the history", async () => {
    const { acme, agent, send } = await inviting("admin");
    const { admin, member, name, slug } = acme;
    // Admins don't see addresses, so they don't learn whose this one is.
    const own = await as(member);
    expect((await send(member.email)).text).toContain("An invitation is on its way to");
    const offer = `Alice Example (${admin.username}) invites you to become an admin of ${name}, where you are a member.`;
    const message = await mailbox.next(member.email);
    expect(message.text?.replaceAll("\n", " ")).toContain(offer);
    const page = await own.get(message.link);
    expect(plain(page)).toContain(`You’re a member of ${name} already`);
    expect(plain(page)).toContain(`${offer} If you accept, your role changes from member to admin.`);
    expect(plain(page)).not.toContain("Join as");
    expect(page.text).toContain(">Become an admin</button>");
    const done = await own.follow(await own.submit(formTo(page, "/invitation")));
    expect(plain(done)).toContain("You’re an admin of the company now.");
    const history = plain(await agent.get(`/company/${slug}/history`));
    expect(history).toContain(`${member.username} accepted an invitation and became an admin`);
  });

  test("opened before the person became a member → the form changes nothing, and the page says what it would change", async () => {
    const { acme, send } = await inviting("admin");
    const guest = await server.addPerson();
    const own = await as(guest);
    await send(guest.email);
    const page = await own.get((await mailbox.next(guest.email)).link);
    await addMember(server, acme, guest, "member");
    const again = await own.follow(await own.submit(formTo(page, "/invitation")));
    expect(plain(again)).toContain("If you accept, your role changes from member to admin.");
    const { partition, companyId } = acme;
    const key = { partition, companyId, personId: guest.personId, clientId: null };
    expect((await server.assent.storage.members.findActing(key))?.member.role).toBe("member");
  });

  test("to be what they are, or less → mail and page say that it changes nothing", async () => {
    const { acme, send } = await inviting("member");
    for (const [person, title] of [
      [acme.member, "You’re a member of"],
      [acme.admin, "You’re an admin of"],
    ] as const) {
      const own = await as(person);
      await send(person.email);
      const message = await mailbox.next(person.email);
      expect(message.text?.replaceAll("\n", " ")).toContain(
        "but you belong to it already. This invitation changes nothing.",
      );
      const page = await own.get(message.link);
      expect(plain(page)).toContain(`${title} ${acme.name} already`);
      expect(page.forms.some(({ action }) => action.endsWith("/invitation"))).toBe(false);
    }
  });
});

test("a removed member whom the company's own provider signs in → the message says how they become a member again", async () => {
  const acme = await addCompany(server);
  const provider = await addCompanyProvider(server, acme, "https://login.acme.test", { domains: [] });
  const removedAs = async (madeBy: "first use" | "person") => {
    const person = await server.addPerson();
    await addMember(server, acme, person);
    const { partition, personId } = person;
    const subject = { issuerId: provider.id, claim: provider.issuer, subject: personId };
    await server.assent.storage.subjectLinks.link({
      ...{ partition, personId, subject, sole: true, madeBy, now: server.now() },
    });
    const agent = await as(acme.admin);
    const question = await agent.get(`/company/${acme.slug}/members/remove?person_id=${personId}`);
    await agent.submit(formTo(question, "/members/remove"));
    const message = await mailbox.next(person.email);
    expect(message.subject).toBe("You no longer belong to Acme Corp");
    return message.text?.replaceAll("\n", " ");
  };
  const again = "If Acme ID still lets you sign in, your next sign-in there makes you a member again.";
  expect(await removedAs("first use")).toContain(again);
  expect(await removedAs("person")).not.toContain(again);
});

test("an invitation to a username → the page doesn't tell whether somebody got a message", async () => {
  const acme = await addCompany(server);
  const guest = await server.addPerson();
  const agent = await as(acme.admin);
  for (const addressee of [guest.username, "nobody.at.all"]) {
    const page = await agent.get(`/company/${acme.slug}/members`);
    const made = await agent.submit(formTo(page, "/members/invite"), { addressee, role: "member" });
    expect(made.text).toContain("this link</h2>");
    expect(made.text.replaceAll(/<[^>]*>/g, "")).toContain(
      `If an account has the username ${addressee} and a verified e-mail address, we also send the link there. If no account has it, nobody can use the link: check the spelling.`,
    );
  }
});

test("a request that is refused, and one that is approved → the member hears which", async () => {
  const acme = await addCompany(server);
  const { partition, companyId, member } = acme;
  const agent = await as(acme.admin);
  for (const [place, subject] of [
    ["/refuse", "Your request for Paper & Ink at Acme Corp was refused"],
    ["/apps/", "Paper & Ink may be used at Acme Corp"],
  ] as const) {
    const { clientId } = await server.addClient({ name: "Paper & Ink" });
    const wish = { partition, companyId, clientId, personId: member.personId, scopes: ["read"] };
    await server.assent.storage.companyApps.askApproval({ ...wish, reason: "for the fair", now: server.now() });
    const page = await agent.get(`/company/${acme.slug}`);
    if (place === "/refuse") await agent.submit(formTo(page, place, { client_id: clientId }));
    else {
      const review = await agent.submit(formTo(page, `/apps/${clientId}`, { request: member.personId }));
      await agent.submit(formTo(review, `/apps/${clientId}`));
    }
    const message = await mailbox.next(member.email);
    expect(message.subject).toBe(subject);
    expect(message.text).toContain(`Go to Acme Corp:\n${server.issuer}/company/${acme.slug}`);
    server.tick(1000);
  }
});

test("a request that is approved while the app is paused → the message says so, not to start again now", async () => {
  const acme = await addCompany(server);
  const { partition, companyId, member, slug } = acme;
  const agent = await as(acme.admin);
  const client = await server.addClient({ name: "Paper & Ink", scopes: ["read", "write"] });
  const { clientId } = client;
  const { companyApps } = server.assent.storage;
  await decideRule(server, acme, client, { scopes: ["read"] });
  await companyApps.setPaused({ partition, companyId, clientId, paused: true, by: null, now: server.now() });
  const wish = { partition, companyId, clientId, personId: member.personId, scopes: ["read", "write"] };
  await companyApps.askApproval({ ...wish, reason: "for the fair", now: server.now() });
  let page = await agent.get(`/company/${slug}`);
  for (const fields of [{ request: member.personId }, {}, {}])
    page = await agent.submit(formTo(page, `/apps/${clientId}`, fields));
  const { subject, text = "" } = await mailbox.next(member.email);
  expect(subject).toBe("Paper & Ink was approved at Acme Corp, but it is paused");
  const said = text.replaceAll(/\s+/g, " ");
  expect(said).toContain("An admin of Acme Corp paused this app. Only an admin can resume it.");
  expect(said).toContain("You can use the app for Acme Corp once an admin resumes it.");
  expect(said).not.toContain("Go back to the app and start again.");
});

test("a request answered in part, then refused, then for a blocked app → each message says what is allowed, until when, and what not", async () => {
  const acme = await addCompany(server);
  const { partition, companyId, member } = acme;
  const agent = await as(acme.admin);
  const { clientId } = await server.addClient({ name: "Paper & Ink", scopes: ["read", "write"], verified: true });
  const ask = async () => {
    server.tick(1000);
    const wish = { partition, companyId, clientId, personId: member.personId, scopes: ["read", "write"] };
    await server.assent.storage.companyApps.askApproval({ ...wish, reason: "for the fair", now: server.now() });
  };
  const next = async () => {
    const { subject, text = "" } = await mailbox.next(member.email);
    return { subject, text: text.replaceAll(/\s+/g, " ") };
  };
  const decide = async (fields: Record<string, string>) => {
    const form = formTo(await agent.get(`/company/${acme.slug}/apps/${clientId}`), `/apps/${clientId}`);
    const done = await agent.submit(form, fields);
    if (done.status === 200) await agent.submit(formTo(done, `/apps/${clientId}`));
  };
  const allow = { rule: "allow", audience: "everybody", scope: "read", duration: "86400" };
  await ask();
  await decide(allow);
  const day = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" }).format(server.now() + 86_400_000);
  const part = await next();
  expect(part.subject).toBe("Paper & Ink may be used at Acme Corp in part");
  expect(part.text).toContain("has approved a part of your request for Paper & Ink.");
  expect(part.text).toContain(`Allowed: See your photos Until when: ${day}`);
  expect(part.text).toContain("Waiting for an answer: Change your photos");
  // Nothing is decided by saving the same rule again.
  await decide({ ...allow, duration: "same" });
  const page = await agent.get(`/company/${acme.slug}`);
  await agent.submit(formTo(page, "/refuse", { client_id: clientId }));
  const refused = await next();
  expect(refused.subject).toBe("Your request for Paper & Ink at Acme Corp was refused");
  expect(refused.text).toMatch(/Allowed: See your photos Until when: .* Not approved: Change your photos/);
  await ask();
  await decide({ rule: "block" });
  const blocked = await next();
  expect(blocked.subject).toBe("Paper & Ink is blocked at Acme Corp");
  expect(blocked.text).toContain("Not approved: See your photos and Change your photos");
  expect(blocked.text).not.toContain("stays allowed");
});

test("a request from a new address of an approved app → page, cards and messages name it; refused is no approval", async () => {
  const acme = await addCompany(server);
  const [old, added] = ["https://app.test/cb", "https://new.app.test/cb"];
  const scopes = ["read", "write"];
  const client = await server.addClient({ name: "Paper & Ink", redirectUris: [old, added], scopes });
  const { clientId } = client;
  await decideRule(server, acme, client, { scopes });
  const [admin, member] = [await as(acme.admin), await as(acme.member)];
  const ask = async (reason: string) => {
    server.tick(1000);
    const asked = authorizeUrl(server, client, { scope: "read write", redirect_uri: added });
    const page = await member.follow(await member.get(asked));
    const answer = { decision: "allow", owner: acme.companyId, duration: "forever" };
    const form = await member.submit(consentForm(page), answer);
    expect(plain(form)).toContain("new.app.test");
    return member.submit(formTo(form, "/consent/ask"), { decision: "ask", reason });
  };
  expect((await ask("it moved")).text).toContain("have been asked");
  const asked = await mailbox.next(acme.admin.email);
  expect(asked.text).toContain("Address of the app: new.app.test");
  const home = plain(await admin.get(`/company/${acme.slug}`));
  expect(home).toContain("New address new.app.test");
  expect(home).not.toContain("Approved already:");
  expect(plain(await admin.get(`/company/${acme.slug}/apps/${clientId}`))).toContain("New address new.app.test");
  const own = plain(await member.get(`/company/${acme.slug}`));
  expect(own).toContain("New address new.app.test");
  expect(own).toContain("None has answered yet.");
  const page = await admin.get(`/company/${acme.slug}`);
  await admin.submit(formTo(page, "/refuse", { client_id: clientId }));
  const refused = await mailbox.next(acme.member.email);
  expect(refused.subject).toBe("Your request for Paper & Ink at Acme Corp was refused");
  expect(refused.text).toContain("Not approved: See your photos and Change your photos");
  expect(refused.text).toContain("Address of the app: new.app.test");
  expect(refused.text).not.toContain("Allowed:");

  await ask("it really moved");
  await mailbox.next(acme.admin.email);
  const review = await admin.get(`/company/${acme.slug}/apps/${clientId}?request=${acme.member.personId}`);
  const done = await admin.submit(formTo(review, `/apps/${clientId}`));
  if (done.status === 200) await admin.submit(formTo(done, `/apps/${clientId}`));
  const approved = await mailbox.next(acme.member.email);
  expect(approved.subject).toBe("Paper & Ink may be used at Acme Corp");
  expect(approved.text).toContain("Allowed: See your photos and Change your photos");
  expect(approved.text).toContain("Address of the app: new.app.test");
});

test("removed by an admin → told so, once; who leaves is not", async () => {
  const acme = await addCompany(server);
  const agent = await as(acme.admin);
  const { personId: person_id, email } = acme.member;
  const page = await agent.get(`/company/${acme.slug}/members`);
  const question = await agent.submit(formTo(page, "/members/remove", { person_id }));
  const form = formTo(question, "/members/remove");
  for (let press = 0; press < 2; press++) await agent.submit(form);
  const message = await mailbox.next(email);
  expect([message.subject, message.link]).toEqual([
    "You no longer belong to Acme Corp",
    `${server.issuer}/account/companies`,
  ]);
  const other = await addCompany(server);
  const leaver = await as(other.member);
  const leave = await leaver.submit(formTo(await leaver.get(`/company/${other.slug}`), "/leave"));
  const left = await leaver.follow(await leaver.submit(formTo(leave, "/leave")));
  expect(left.text).toContain("You left the company.");
  expect((await leaver.get("/account/companies")).text).not.toContain("You left the company.");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect([mailbox.to(email).length, mailbox.to(other.member.email).length]).toEqual([1, 1]);
});
