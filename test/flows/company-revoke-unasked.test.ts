/** The question before an admin revokes an app without a page, which gets access to members' accounts by assertions. */

import { expect, test } from "vitest";
import { aJwtIssuer, claimsFor, JWT_BEARER, jwtOf, present, trust } from "../support/assertion-requests.ts";
import { addCompany, addMember, decide } from "../support/company-staff.ts";
import { Agent, type Page, signIn } from "../support/http-browser.ts";
import { settle, startServer } from "../support/test-server.ts";

const plain = ({ text }: Page) => text.replaceAll(/<\/?bdi[^>]*>/g, "").replaceAll(/<[^>]*>/g, " ");

async function aCompany(defaultRule: "members" | "ask" | "block", isTrusted = true) {
  const server = await startServer();
  const idp = aJwtIssuer("https://acme.idp.test");
  const company = await addCompany(server, { defaultRule });
  const { partition, companyId } = company;
  const domains = { addDomains: ["acme.test"], removeDomains: [] };
  await server.assent.storage.companySignIn.set({
    ...{ partition, companyId, ownProvider: true, now: server.now(), ...domains },
  });
  const member = await server.addPerson({ email: "dan@acme.test", emailVerifiedAt: 1 });
  await addMember(server, company, member);
  const robot = await server.addClient({
    ...{ name: "Robot", grantTypes: [JWT_BEARER], redirectUris: [], scopes: ["read"], verified: true },
  });
  if (isTrusted) {
    await trust(server, {
      ...{ issuer: idp.issuer, type: "id-jag", jwks: idp.jwks, scopes: ["read"], mapSubject: "email" },
      company: companyId,
    });
  }
  await decide(server, company, robot, { scopes: ["read"] });
  const admin = new Agent(server.issuer);
  await signIn(admin, company.admin.username);
  const question = await admin.get(`/company/${company.slug}/revoke?client_id=${robot.clientId}`);
  const revoke = async () => {
    const form = question.forms.find(({ action }) => action.endsWith("/revoke"));
    if (form === undefined) throw new Error(question.text);
    await admin.submit(form, {});
    await settle();
  };
  const use = async () => {
    const claims = {
      ...{ ...claimsFor(server, idp, "00u-dan"), client_id: robot.clientId },
      ...{ email: member.email, email_verified: true },
    };
    const header = { alg: "ES256", kid: "one", typ: "oauth-id-jag+jwt" };
    return (await present(server, robot, JWT_BEARER, jwtOf(idp, claims, header))).status;
  };
  return { server, question: plain(question), revoke, use };
}

test("no identity provider gives it access → the question names no way back", async () => {
  const { server, question } = await aCompany("members", false);
  expect(question).toContain("Robot loses its access in the company’s name");
  expect(question).not.toContain("again");
  await server.stop();
});

test.each(["ask", "block"] as const)(
  "the rule for other apps is %s → an admin has to allow it again, and the next assertion is refused",
  async (rule) => {
    const { server, question, revoke, use } = await aCompany(rule);
    expect(question).not.toContain("connect Robot again");
    expect(question).toContain("Robot gets no new access to members’ accounts until an admin allows it again.");
    expect(await use()).toBe(200);
    await revoke();
    expect(await use()).toBe(400);
    await server.stop();
  },
);

test("members decide about other apps → it can get access again without asking anybody, and the next assertion gets a token", async () => {
  const { server, question, revoke, use } = await aCompany("members");
  expect(question).not.toContain("connect Robot again");
  expect(question).toContain(
    "Acme Corp lets members decide, so Robot can get access to members’ accounts again at once, without asking anybody. To prevent this, block the app.",
  );
  await revoke();
  expect(await use()).toBe(200);
  await server.stop();
});
