/** UP-18: what a company's admins still have after they signed in as somebody with the company's provider. */

import { describe, expect, test } from "vitest";
import { addMember as addByOperator, removeMember, updateCompany } from "../../packages/server/src/admin/companies.ts";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { updateUser } from "../../packages/server/src/admin/people.ts";
import type { Person } from "../../packages/server/src/owners/person.ts";
import { addCompany, addMember, type TestCompany } from "../support/company-staff.ts";
import { Agent, signIn } from "../support/http-browser.ts";
import {
  addCompanyProvider,
  aSubject,
  type ForgingProvider,
  isSignedIn,
  typeWorkAddress,
  withForgingProvider,
} from "../support/sign-in-providers.ts";
import { settle, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let there: ForgingProvider;
withForgingProvider((at) => {
  ({ server, there } = at);
});

let companies = 0;

/** A member who connected their account, and a browser in which an admin signed in as them. */
async function aHeldPerson() {
  companies += 1;
  const domain = `held${companies}.test`;
  const company = await addCompany(server);
  const provider = await addCompanyProvider(server, company, there.issuer, { domains: [domain] });
  const person = await server.addPerson();
  await addMember(server, company, person);
  const { partition, personId } = person;
  const { sub } = aSubject();
  const subject = { issuerId: provider.id, claim: provider.issuer, subject: sub };
  const { storage } = server.assent;
  await storage.subjectLinks.link({ partition, personId, subject, sole: true, madeBy: "person", now: server.now() });
  there.answering = { claims: { ...aSubject(), sub }, userInfo: { sub } };
  const intruder = new Agent(server.issuer);
  await intruder.follow(await intruder.get(there.callback(await typeWorkAddress(intruder, `any@${domain}`))));
  expect(await isSignedIn(intruder)).toBe(true);
  const own = new Agent(server.issuer);
  await signIn(own, person.username);
  return { company, person, intruder, own };
}

type Held = { readonly company: TestCompany; readonly person: Person; readonly own: Agent };

const admin = () => adminOf(server.assent.storage, server.issuer, server.now);

describe("UP-18: a session that a company's provider began, after", () => {
  test.each<[string, (held: Held) => Promise<unknown>]>([
    [
      "the company removed the member",
      ({ company, person }) => removeMember(company.slug, { id: person.personId }, admin()),
    ],
    [
      "the member left",
      ({ company: { partition, companyId }, person }) =>
        server.assent.storage.members.remove({ partition, companyId, person, by: person.personId, now: server.now() }),
    ],
    [
      "the operator added the person to another company",
      async ({ person }) => addByOperator((await addCompany(server)).slug, { id: person.personId }, "member", admin()),
    ],
    [
      "the operator disabled the company",
      ({ company }) => updateCompany(company.slug, { status: "disabled" }, admin()),
    ],
    [
      "the person became an operator",
      ({ person }) => updateUser({ id: person.personId }, { operator: ["read"] }, admin()),
    ],
  ])("%s → ended; their own session stays", async (_, happens) => {
    const { intruder, ...held } = await aHeldPerson();
    await happens(held);
    await settle();
    expect([await isSignedIn(intruder), await isSignedIn(held.own)]).toEqual([false, true]);
  });

  test("the person disconnected the account → ended; their own session stays", async () => {
    const { person, intruder, own } = await aHeldPerson();
    const { partition, personId } = person;
    const { storage } = server.assent;
    const [identity] = await storage.subjectLinks.ofPerson({ partition, personId });
    const sessions = await storage.sessions.list({ partition, personId, now: server.now() });
    const mine = sessions.find(({ amr }) => amr.includes("pwd"));
    const removal = { partition, personId, link: identity?.link ?? "", sessionId: mine?.sessionId ?? "" };
    const outcome = await storage.subjectLinks.remove({ ...removal, waysIn: [], mails: [], now: server.now() });
    expect(outcome).toBe("removed");
    expect([await isSignedIn(intruder), await isSignedIn(own)]).toEqual([false, true]);
  });

  test("another member left, or the person got another profile → it stays", async () => {
    const { company, person, intruder } = await aHeldPerson();
    await removeMember(company.slug, { id: company.member.personId }, admin());
    await updateUser({ id: person.personId }, { name: "Another" }, admin());
    expect(await isSignedIn(intruder)).toBe(true);
  });
});
