/** The page "Create a company" for a member of a company whose identity provider speaks for its members alone. */

import { expect, test } from "vitest";
import { aJwtIssuer, trust } from "../support/assertion-requests.ts";
import { addCompany, addMember } from "../support/company-staff.ts";
import { Agent, signIn } from "../support/http-browser.ts";
import { startServer } from "../support/test-server.ts";

test("no company, a provider that is off or another company's, two companies → no warning; the only company's provider → named", async () => {
  const server = await startServer({ config: { companies: "anyone" } });
  const [acme, other] = [await addCompany(server), await addCompany(server, { name: "Beta" })];
  const idp = aJwtIssuer("https://acme.idp.test");
  const idJag = { issuer: idp.issuer, type: "id-jag", jwks: idp.jwks, mapSubject: "link" } as const;
  const stranger = await server.addPerson();
  const warns = async ({ username }: { readonly username: string }) => {
    const agent = new Agent(server.issuer);
    await signIn(agent, username);
    const { text } = await agent.get("/account/companies/new");
    expect(text).toContain("Create company");
    const plain = text.replaceAll(/<[^>]*>/g, "");
    return plain.includes(
      "acme.idp.test can give apps access to your account, because Acme Corp is your only company. Once you create another one, acme.idp.test can’t give them new access.",
    );
  };
  await trust(server, { ...idJag, company: acme.companyId, status: "disabled" });
  expect(await warns(acme.member)).toBe(false);
  await trust(server, { ...idJag, company: acme.companyId });
  expect(await warns(stranger)).toBe(false);
  expect(await warns(other.member)).toBe(false);
  expect(await warns(acme.member)).toBe(true);
  await addMember(server, other, acme.member);
  expect(await warns(acme.member)).toBe(false);
  await server.stop();
});
