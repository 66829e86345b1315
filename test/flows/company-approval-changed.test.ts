/** An admin changes an approval while a member's consent page is open: an answer counts for what its page showed. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addCompany, decide, type TestCompany } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, enter, formWith, poll } from "../support/device-actor.ts";
import { atConsent } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const DAY = 86_400_000;
const YEAR = "31536000";
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

let company: TestCompany;
let client: TestClient;
let agent: Agent;
beforeEach(async () => {
  company = await addCompany(server, { defaultRule: "members" });
  client = await server.addClient({ scopes: ["read", "write"] });
  agent = new Agent(server.issuer);
});

const allow = (form: ReturnType<typeof consentForm>) =>
  agent.submit(form, { decision: "allow", owner: company.companyId, duration: YEAR });

/** The ends of the member's grants by scope, the newest grant first. */
async function endsForMember() {
  const { partition, companyId, member } = company;
  const whose = { partition, companyId, personId: member.personId, now: server.now() };
  const grants = await server.assent.storage.companyApps.grantsOfMember(whose);
  return grants.map(({ scopes }) => Object.fromEntries(scopes.map(({ name, expiresAt }) => [name, expiresAt])));
}

const saysChanged = ({ status, text }: Page) => [status, text.includes("What you can allow changed while this page")];

type Approval = { readonly scopes?: readonly string[]; readonly endsAt?: number | null };
const inDays = (days: number) => server.now() + days * DAY;

test.each<[string, () => Approval | undefined, () => Approval | null]>([
  ["lasts longer now", () => ({ endsAt: inDays(1) }), () => ({ endsAt: inDays(30) })],
  ["lasts until revoked now", () => ({ endsAt: inDays(1) }), () => ({ endsAt: null })],
  ["has another permission now", () => ({}), () => ({ scopes: ["read", "write"] })],
  ["was withdrawn, and members decide", () => ({ endsAt: inDays(1) }), () => null],
  ["was made meanwhile, where members decide", () => undefined, () => ({ scopes: ["read", "write"] })],
])(
  "an approval that %s → nothing is given, and the page comes again; the next answer counts",
  async (_, before, after) => {
    const first = before();
    if (first !== undefined) await decide(server, company, client, first);
    const page = await atConsent(agent, authorizeUrl(server, client), company.member.username);
    server.tick(1000);
    await decide(server, company, client, after());
    const again = await allow(consentForm(page));
    expect([...saysChanged(again), again.location]).toEqual([400, true, undefined]);
    expect(await endsForMember()).toEqual([]);
    const silent = await agent.get(authorizeUrl(server, client, { scope: "write", prompt: "none" }));
    expect(silent.location?.searchParams.get("error")).toBe("consent_required");
    const { location } = await allow(consentForm(again));
    expect((await redeem(server, client, location ?? "")).body.scope).toBe("read");
  },
);

test("an approval that expires while the page is open, where members decide → the page again, not a year", async () => {
  await decide(server, company, client, { endsAt: server.now() + 10 * 60_000 });
  const page = await atConsent(agent, authorizeUrl(server, client), company.member.username);
  server.tick(11 * 60_000);
  expect(saysChanged(await allow(consentForm(page)))).toEqual([400, true]);
  expect(await endsForMember()).toEqual([]);
});

test("an approval of another company that changes → the answer counts, until the end that the page named", async () => {
  const other = await addCompany(server);
  await decide(server, other, client, {});
  const end = inDays(1);
  await decide(server, company, client, { endsAt: end });
  const page = await atConsent(agent, authorizeUrl(server, client), company.member.username);
  server.tick(1000);
  await decide(server, other, client, { scopes: ["read", "write"] });
  await allow(consentForm(page));
  expect(await endsForMember()).toEqual([{ read: end }]);
});

test("an approval that lasts longer since the first of two clicks → both get the same code, until the end of the page", async () => {
  const end = inDays(1);
  await decide(server, company, client, { endsAt: end });
  const page = await atConsent(agent, authorizeUrl(server, client), company.member.username);
  const first = await allow(consentForm(page));
  server.tick(1000);
  await decide(server, company, client, { endsAt: inDays(30) });
  const second = await allow(consentForm(page));
  expect(second.location?.searchParams.get("code")).toBe(first.location?.searchParams.get("code"));
  expect(await endsForMember()).toEqual([{ read: end }]);
});

test("a device, and an approval that lasts longer now → the page again, and the device waits; the next answer counts", async () => {
  const tv = await aDeviceClient(server);
  await decide(server, company, tv, { endsAt: inDays(1), hosts: [] });
  const { deviceCode, userCode } = await aDevice(server, tv);
  await signIn(agent, company.member.username);
  const page = await enter(agent, userCode, company.member.username);
  server.tick(1000);
  await decide(server, company, tv, { endsAt: inDays(30), hosts: [] });
  const again = await allow(formWith(page, "decision"));
  expect(saysChanged(again)).toEqual([400, true]);
  expect((await poll(server, tv, deviceCode)).body.error).toBe("authorization_pending");
  server.tick(10_000);
  await allow(formWith(again, "decision"));
  expect((await poll(server, tv, deviceCode)).status).toBe(200);
});
