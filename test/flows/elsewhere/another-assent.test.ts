/** Sign-in at another Assent, set up by the commands of docs/operate/another-assent.md. */

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AUTHENTICATOR, appOf, formWith } from "../../support/authenticator-app.ts";
import { addCompany, addMember, claimsOf } from "../../support/company-staff.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem, signIn } from "../../support/http-browser.ts";
import { aLogoutReceiver, type LogoutReceiver } from "../../support/logout-receiver.ts";
import { blocksOf } from "../../support/markdown-code-blocks.ts";
import { aReader, type Reader } from "../../support/run-commands-of-example.ts";
import { isSignedIn, pressProvider, startServerForProviders } from "../../support/sign-in-providers.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../../support/smtp-server.ts";
import { SoftAuthenticator } from "../../support/soft-webauthn-authenticator.ts";
import type { TestServer } from "../../support/test-server.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/operate/another-assent.md"), "utf8");
/** The commands of the page, in order. */
const [createProvider, createClient, storeSecret, createTeller, allowTeller, disable, tell] = blocksOf(
  page.replaceAll(/^ {3}/gm, ""),
)
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) =>
    text
      .trim()
      .replaceAll(/ \\\n +/g, " ")
      .split("\n"),
  ) as [...[string, string, string, string, string, string, string]];

let there: TestServer;
let here: TestServer;
let atThere: Reader;
let atHere: Reader;
let provider: { readonly id: string };
let receiver: LogoutReceiver;
let mailbox: TestMailbox;

/** Types a command of the page at one of the two servers. What it prints is known at both. */
async function type(reader: Reader, command: string): Promise<string> {
  const typed = command
    .replaceAll("https://id.example.com", there.issuer)
    .replaceAll("https://shop.example.com", here.issuer)
    .replaceAll("| assent", "| npx assent")
    .replace(/^assent/, "npx assent");
  const said = await reader.run(typed);
  for (const [name, value] of reader.printed) for (const { printed } of [atThere, atHere]) printed.set(name, value);
  return said;
}

const readerOf = ({ issuer, dataDir, assent }: TestServer) =>
  aReader(
    {
      ...{ ASSENT_ISSUER: issuer, ASSENT_DATA_DIR: dataDir, ASSENT_DATABASE_URL: assent.config.databaseUrl },
      ...{ ASSENT_SECRET: (assent.config.secret ?? []).map((one) => Buffer.from(one).toString("base64")).join(",") },
      ASSENT_OUTBOUND_ALLOW: "127.0.0.0/8",
    },
    new Set(),
  );

beforeAll(async () => {
  mailbox = await startMailbox();
  const secret = [randomBytes(32)];
  [there, here, receiver] = await Promise.all([
    startServerForProviders(),
    startServerForProviders({ host: "localhost", config: { secret, smtpUrl: smtpTo(mailbox) } }),
    aLogoutReceiver(),
  ]);
  [atThere, atHere] = [readerOf(there), readerOf(here)];
  await type(atHere, createProvider);
  for (const reader of [atThere, atHere]) reader.printed.set("provider", reader.printed.get("id") ?? "");
  provider = { id: atHere.printed.get("id") ?? "" };
  await type(atThere, createClient);
  await type(atHere, storeSecret);
  // The first sign-in loads the client of providers, which can take longer than a provider may on a busy machine.
  const first = new Agent(here.issuer);
  await pressProvider(first, await first.get("/login"), provider);
  await here.addScope({ name: "pay", description: "Pay", resource: "https://api.test", acr: "mfa" });
}, 120_000);
afterAll(async () => {
  await Promise.all([atThere.leave(), atHere.leave()]);
  await Promise.all([there.stop(), here.stop(), receiver.stop()]);
  await mailbox.stop();
});

/** Goes through the pages there, with one browser for both. Returns the page here where the sign-in ended. */
async function through(agentHere: Agent, agentThere: Agent, begun: Page, username: string): Promise<Page> {
  if (begun.location === undefined) throw new Error(`no redirect: ${begun.status} ${begun.text.slice(0, 2000)}`);
  let asked = await agentThere.follow(await agentThere.get(begun.location.href));
  if (asked.forms.some(({ fields }) => fields.has("password"))) asked = await signIn(agentThere, username, asked);
  const allowed =
    asked.location === undefined ? await agentThere.submit(consentForm(asked), { decision: "allow" }) : asked;
  return agentHere.follow(await agentHere.get(allowed.location?.href ?? ""));
}

async function throughProvider(username: string, from = "/login") {
  const [agentThere, agentHere] = [new Agent(there.issuer), new Agent(here.issuer)];
  const begun = await pressProvider(agentHere, await agentHere.follow(await agentHere.get(from)), provider);
  return { agentThere, agentHere, page: await through(agentHere, agentThere, begun, username) };
}

/** Somebody there who has signed in here. */
async function federated(from?: string) {
  const person = await there.addPerson();
  const at = await throughProvider(person.username, from);
  const local = await here.assent.storage.people.findByName({ name: person.username });
  if (local === undefined) throw new Error(`no account: ${at.page.status} ${at.page.text.slice(0, 300)}`);
  return { ...at, person, local };
}

async function tokensAt(agent: Agent, asked: Page, app: Awaited<ReturnType<TestServer["addClient"]>>, answer = {}) {
  const callback = await agent.submit(consentForm(asked), { decision: "allow", ...answer });
  return (await redeem(here, app, callback.location ?? "")).body;
}

test("an address that the provider knows → the message asks whether it is theirs; nobody asked for a change", async () => {
  const { agentHere, person, local } = await federated();
  const { subject, text, link } = await mailbox.next(person.email);
  expect(subject).toBe("Is this your e-mail address?");
  expect(text).not.toContain("You asked");
  const page = await agentHere.get(link);
  expect(page.text).toContain("Is this your e‑mail address?");
  expect(page.text).not.toContain("will become");
  await agentHere.submit(formWith(page, "link"), {});
  const after = await here.assent.storage.people.get(local);
  expect([after?.email, after?.emailVerifiedAt]).toEqual([person.email, expect.any(Number)]);
});

test("consent → the app's tokens, whose sign-in was elsewhere", async () => {
  const app = await here.addClient({ scopes: ["openid", "read"] });
  const { agentHere, page: consent, local } = await federated(authorizeUrl(here, app, { scope: "openid read" }));
  const { id_token } = await tokensAt(agentHere, consent, app);
  expect(decodeJwt(String(id_token))).toMatchObject({ sub: local.personId, amr: ["fed"], acr: "1fa" });
});

test("a member of a company → allows in the company's name", async () => {
  const { agentHere, local } = await federated();
  const company = await addCompany(here);
  await addMember(here, company, local, "admin");
  const app = await here.addClient();
  const asked = await agentHere.follow(await agentHere.get(authorizeUrl(here, app)));
  const { access_token } = await tokensAt(agentHere, asked, app, { owner: company.companyId });
  expect(claimsOf(access_token)).toMatchObject({ sub: company.companyId });
});

describe("step-up", () => {
  test("a recent sign-in → asked for the password there again, although there is a session", async () => {
    const { agentHere, agentThere, person } = await federated();
    const app = await here.addClient({ scopes: ["openid", "read"] });
    here.tick(60_000);
    there.tick(60_000);
    const asked = authorizeUrl(here, app, { scope: "openid read", prompt: "login" });
    const confirm = await agentHere.follow(await agentHere.get(asked));
    const begun = await pressProvider(agentHere, confirm, provider);
    const shown = await agentThere.follow(await agentThere.get(begun.location?.href ?? ""));
    expect(formWith(shown, "password")).toBeDefined();
    const before = Math.floor(here.now() / 1000) - 1;
    const consent = await through(agentHere, agentThere, begun, person.username);
    const { id_token } = await tokensAt(agentHere, consent, app);
    expect(decodeJwt(String(id_token))["auth_time"]).toBeGreaterThanOrEqual(before);
  });

  test("two factors → the code of an authenticator app here", async () => {
    const { agentHere, local } = await federated();
    const setup = await agentHere.get(AUTHENTICATOR);
    const codes = appOf(setup, here);
    await agentHere.submit(formWith(setup, "code"), { code: codes.code() });
    here.tick(31_000);
    const second = await throughProvider(local.username);
    const app = await here.addClient({ scopes: ["pay"] });
    await second.agentHere.submit(formWith(second.page, "code"), { code: codes.code() });
    const consent = await second.agentHere.follow(
      await second.agentHere.get(authorizeUrl(here, app, { scope: "pay" })),
    );
    const { access_token } = await tokensAt(second.agentHere, consent, app);
    expect(claimsOf(access_token)).toMatchObject({ acr: "mfa", amr: expect.arrayContaining(["fed", "otp"]) });
  });
});

test("linking → a person here connects their account there, is told by mail, and signs in with it", async () => {
  const person = await there.addPerson();
  const local = await here.addPerson({ email: `linked-${person.username}@here.test`, emailVerifiedAt: 1 });
  const [agentHere, agentThere] = [new Agent(here.issuer), new Agent(there.issuer)];
  await signIn(agentHere, local.username);
  const begun = await pressProvider(agentHere, await agentHere.get("/account/security"), provider);
  const question = await through(agentHere, agentThere, begun, person.username);
  expect(question.text).toContain("Connect this account?");
  const form = question.forms.find(({ action }) => action.endsWith("/account/security/connect"));
  if (form === undefined) throw new Error("no question");
  expect((await agentHere.follow(await agentHere.submit(form))).text).toContain("The account is connected.");
  const again = await throughProvider(person.username);
  expect((await again.agentHere.get("/account/profile")).text).toContain(local.username);
  const mails = [await mailbox.next(local.email), await mailbox.next(local.email)];
  expect(mails.map(({ text }) => text).join()).toContain("Example ID");
});

test("signed out here → the apps here are told, and the session there goes on", async () => {
  const app = await here.addClient({ scopes: ["openid", "read"], backchannelLogoutUri: receiver.uri });
  const { agentHere, agentThere, page: consent } = await federated(authorizeUrl(here, app, { scope: "openid read" }));
  await tokensAt(agentHere, consent, app);
  const [form] = (await agentHere.get("/account/sign-out")).forms.slice(-1);
  if (form === undefined) throw new Error("no form");
  await agentHere.submit(form, { sign_out: "sign_out" });
  expect(await receiver.until(1)).toHaveLength(1);
  expect([await isSignedIn(agentHere), await isSignedIn(agentThere)]).toEqual([false, true]);
});

test("signed out there → signed out here", async () => {
  const { agentHere, agentThere } = await federated();
  const [form] = (await agentThere.get("/account/sign-out")).forms.slice(-1);
  if (form === undefined) throw new Error("no form");
  await agentThere.submit(form, { sign_out: "sign_out" });
  await expect.poll(() => isSignedIn(agentHere), { timeout: 10_000 }).toBe(false);
});

test("key rotate --now there → at most one sign-in fails, the next one works", async () => {
  const { person } = await federated();
  await type(atThere, "assent key rotate --now --alg RS256");
  const [first, second] = [await throughProvider(person.username), await throughProvider(person.username)];
  expect(await isSignedIn(second.agentHere)).toBe(true);
  if (!(await isSignedIn(first.agentHere))) expect(first.page.text).toContain("couldn’t be verified. Try again");
});

test("disabled there, by the page's commands → signed out and refused here; enabled → signed in", async ({ skip }) => {
  try {
    execFileSync("curl", ["--version"]);
  } catch {
    return skip("there is no curl on this machine");
  }
  const { agentHere, person, local } = await federated();
  await type(atHere, createTeller);
  const teller = atHere.printed.get("client_id") ?? "";
  await type(atHere, allowTeller);
  for (const { printed } of [atThere, atHere]) printed.set("client_id", teller);
  for (const reader of [atThere, atHere]) reader.printed.set("subject", person.personId).set("name", person.username);
  await type(atThere, disable);
  expect(JSON.parse(await type(atThere, tell))).toMatchObject({ result: "changed" });
  expect(await isSignedIn(agentHere)).toBe(false);
  expect(await here.assent.storage.people.get(local)).toMatchObject({ status: "disabled" });
  await type(atThere, disable.replace("disable", "enable").replace(" --yes", ""));
  expect(JSON.parse(await type(atThere, tell.replace("=disabled", "=enabled")))).toMatchObject({ result: "changed" });
  expect(await isSignedIn((await throughProvider(person.username)).agentHere)).toBe(true);
});

test("UP-23 the server there is away → 503 that keeps the app's request; a password and a passkey sign in", async () => {
  const person = await here.addPerson();
  const owner = new Agent(here.issuer);
  await signIn(owner, person.username);
  const key = new SoftAuthenticator(here.issuer);
  const optionsOf = ({ text }: Page) =>
    JSON.parse((/data-options="([^"]*)"/.exec(text)?.[1] ?? "{}").replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
  const add = await owner.get("/account/security/passkeys");
  await owner.submit(formWith(add, "credential"), { name: "A key", credential: key.create(optionsOf(add)) });
  const app = await here.addClient();
  const { agentHere, agentThere } = { agentHere: new Agent(here.issuer), agentThere: new Agent(there.issuer) };
  const asked = await agentHere.follow(await agentHere.get(authorizeUrl(here, app)));
  const begun = await pressProvider(agentHere, asked, provider);
  const shown = await agentThere.follow(await agentThere.get(begun.location?.href ?? ""));
  const { username } = await there.addPerson();
  const consent = await signIn(agentThere, username, shown);
  const allowed = await agentThere.submit(consentForm(consent), { decision: "allow" });
  await there.stop();
  const failed = await agentHere.get(allowed.location?.href ?? "");
  expect([failed.status, failed.text]).toEqual([503, expect.stringContaining("isn’t answering at the moment")]);
  consentForm(await signIn(agentHere, person.username, failed));
  const other = new Agent(here.issuer);
  const login = await other.get("/login");
  await other.submit(formWith(login, "credential"), { credential: key.get(optionsOf(login)) });
  expect(await isSignedIn(other)).toBe(true);
});
