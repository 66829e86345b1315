/** UP-15, UP-19: nobody goes around the sign-in that the operator demands, and nobody writes an identity for somebody else. */

import { afterAll, describe, expect, test } from "vitest";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { linkSubject } from "../../packages/server/src/admin/subject-links.ts";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import type { Person } from "../../packages/server/src/owners/person.ts";
import { type AdminApi, adminApi } from "../support/admin-api.ts";
import { addCompany, type TestCompany } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, formWith } from "../support/device-actor.ts";
import { Agent, authorizeUrl, formTo, postForm, signIn } from "../support/http-browser.ts";
import { anAccept, PAGE, signInAtPage, type WithPage } from "../support/own-sign-in-page.ts";
import { aPasskeyOf, passkeyOptions } from "../support/recovery-actors.ts";
import {
  addCompanyProvider,
  addProvider,
  aSubject,
  type ForgingProvider,
  isSignedIn,
  pressProvider,
  withForgingProvider,
} from "../support/sign-in-providers.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let there: ForgingProvider;

describe("UP-15 the operator's own page is the only way in, and somebody has other ways from before", () => {
  let at: WithPage;
  let mailbox: TestMailbox;
  let person: Person;
  let provider: SignInProvider;

  withForgingProvider(
    async (made) => {
      ({ server, there } = made);
      at = { server, backEnd: await server.addClient({ clientId: "acme" }) };
      person = await server.addPerson({ emailVerifiedAt: 1 });
      provider = await addProvider(server, there.issuer, { emailDomains: ["corp.test"] });
    },
    async () => {
      mailbox = await startMailbox();
      const externalSignIn = { url: PAGE, name: "Acme", clients: ["acme"] };
      return { host: "localhost" as const, config: { externalSignIn, smtpUrl: smtpTo(mailbox), signUp: true } };
    },
  );
  afterAll(() => mailbox.stop());

  /** A browser at the sign-in page, and the token of its forms. */
  async function visitor() {
    const agent = new Agent(server.issuer);
    const csrf = formTo(await agent.get("/login"), "/login/provider").fields.get("csrf") ?? "";
    return { agent, csrf };
  }

  test("the right password by the form of the old page, by an app's request, or on the way to a device → not signed in", async () => {
    const { userCode } = await aDevice(server, await aDeviceClient(server));
    const { agent, csrf } = await visitor();
    const typed = formWith(await agent.get("/device"), "user_code");
    const device = formTo(await agent.submit(typed, { user_code: userCode }), "/login/provider").fields.get("device");
    const credentials = { csrf, username: person.username, password: PASSWORD };
    for (const waits of [{}, { device: device ?? "" }, { to: "apps" }]) {
      await agent.follow(await agent.post("/login", { ...credentials, ...waits }));
      expect(await isSignedIn(agent), JSON.stringify(waits)).toBe(false);
    }
  });

  test("the password grant → refused, as for a wrong password", async () => {
    const legacy = await server.addClient({ grantTypes: ["password"], responseTypes: [] });
    const ask = (password: string) =>
      postForm(server, "/token", legacy, {
        grant_type: "password",
        username: person.username,
        password,
        scope: "read",
      });
    const [right, wrong] = [await ask(PASSWORD), await ask("wrong")];
    expect([right.status, right.body.error]).toEqual([400, "invalid_grant"]);
    expect(wrong.body.error).toBe("invalid_grant");
  });

  test("a passkey instead of the page → not signed in; as a second step after it → signed in", async () => {
    const agent = new Agent(server.issuer);
    const fields = anAccept(server);
    await signInAtPage(at, agent, await agent.get("/login"), fields);
    const key = await aPasskeyOf(agent, server, "A key");
    const app = await server.addClient();
    const step = formWith(
      await agent.follow(await agent.get(authorizeUrl(server, app, { acr_values: "mfa" }))),
      "credential",
    );
    const page = await agent.follow(await agent.get(authorizeUrl(server, app, { acr_values: "mfa" })));
    const credential = key.get(passkeyOptions(page));
    const session = agent.cookies.get("assent_session") ?? "";
    agent.cookies.delete("assent_session");
    const alone = new URLSearchParams(step.fields);
    alone.delete("partial");
    alone.set("credential", credential);
    await agent.post("/login/passkey", alone);
    expect(await isSignedIn(agent)).toBe(false);
    agent.cookies.set("assent_session", session);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("a step of the page or of a provider without what proves it → not signed in", async () => {
    const { agent, csrf } = await visitor();
    const posts: readonly [string, Record<string, string>][] = [
      ["/login", { csrf, username: "a@corp.test", password: "" }],
      ["/login/provider", { csrf }],
      ["/login/provider", { csrf, provider: "" }],
      ["/login/provider", { csrf, provider: provider.id }],
      [`/login/provider/${provider.id}/callback`, { csrf, code: "x", state: "x" }],
      ["/login/second", { csrf, partial: "", code: "000000" }],
      ["/login/switch", { csrf }],
    ];
    for (const [path, fields] of posts) {
      const page = await agent.post(path, fields);
      expect([page.location?.href.startsWith(there.issuer) ?? false, await isSignedIn(agent)], path).toEqual([
        false,
        false,
      ]);
    }
    for (const path of [
      "/login/external",
      `/login/external?challenge=x&verifier=x`,
      `/login/provider/${provider.id}/callback?code=x`,
    ]) {
      await agent.get(path);
      expect(await isSignedIn(agent), path).toBe(false);
    }
  });

  test("a link by mail → there is none, and no page for one", async () => {
    const { agent, csrf } = await visitor();
    for (const path of ["/recover", "/recover/new", "/sign-up", "/sign-up/account"]) {
      expect((await agent.post(path, { csrf, email: person.email, login: person.email })).status, path).toBe(404);
      expect((await agent.get(`${path}?token=x`)).status, path).toBe(404);
    }
    expect(mailbox.to(person.email)).toEqual([]);
  });
});

describe("UP-19 an identity for somebody else", () => {
  let api: AdminApi;
  let company: TestCompany;
  let provider: SignInProvider;
  let alice: Person;
  const claims = aSubject();

  withForgingProvider(async (made) => {
    ({ server, there } = made);
    api = await adminApi(server);
    company = await addCompany(server);
    provider = await addProvider(server, there.issuer);
    const agent = new Agent(server.issuer);
    const begun = await pressProvider(agent, await agent.get("/login"), provider);
    await agent.follow(await agent.get(there.callback(begun, {}, claims)));
    const found = await server.assent.storage.people.findByName({ name: claims.preferred_username });
    if (found === undefined) throw new Error("no account");
    alice = found;
  });
  const holder = async () =>
    (
      await server.assent.storage.subjectLinks.findPerson({
        subject: { issuerId: provider.id, claim: there.issuer, subject: claims.sub },
      })
    )?.personId;

  test("the admin API with its highest scope: creating and changing people, with fields that name one → 400, nothing is linked", async () => {
    const bob = await server.addPerson();
    const identity = { provider: provider.id, issuer: there.issuer, subject: claims.sub };
    for (const more of [
      { identities: [identity] },
      { links: [identity] },
      { link: { person: bob.personId } },
      { subject: claims.sub, provider: provider.id },
      { person_id: bob.personId },
      { id: bob.personId },
    ]) {
      const named = { username: `new-${Object.keys(more)[0]}`, email: "new@example.com" };
      expect((await api.post("/users", { ...named, ...more })).status, JSON.stringify(more)).toBe(400);
      expect((await api.patch(`/users/${bob.personId}`, { name: "Bob", ...more })).status).toBe(400);
    }
    for (const [method, path, status] of [
      ["POST", `/users/${bob.personId}/identities`, 405],
      ["POST", `/users/${bob.personId}/links`, 404],
      ["PATCH", `/users/${alice.personId}/identities/${claims.sub}`, 405],
      ["POST", "/providers", 400],
    ] as const)
      expect([path, (await api.call(method, path, { body: identity })).status]).toEqual([path, status]);
    expect(await holder()).toBe(alice.personId);
    expect(await server.assent.storage.subjectLinks.ofPerson(bob)).toEqual([]);
  });

  test("the operator's command for links → only of trusted issuers, never of a sign-in provider or of an operator", async () => {
    const admin = adminOf(server.assent.storage, server.issuer, server.now);
    const bob = await server.addPerson();
    for (const issuer of [provider.id, provider.issuer, provider.name, "external"])
      await expect(linkSubject(issuer, claims.sub, bob.username, admin), issuer).rejects.toThrow();
    expect(await holder()).toBe(alice.personId);
  });

  test("a company's admin, by the pages of the company → nothing is linked, and its provider doesn't reach the identity", async () => {
    const agent = new Agent(server.issuer);
    await signIn(agent, company.admin.username);
    const members = await agent.get(`/company/${company.slug}/members`);
    const forged = { provider: provider.id, subject: claims.sub, issuer: there.issuer, person: company.admin.personId };
    for (const form of members.forms.filter(({ action }) => action.includes("/company/")))
      await agent.submit(form, forged);
    await addCompanyProvider(server, company, there.issuer, { domains: ["corp.test"] });
    expect(await holder()).toBe(alice.personId);
    expect(await server.assent.storage.subjectLinks.ofPerson(company.admin)).toEqual([]);
  });

  test("written in the storage for another person → stays where it is", async () => {
    const bob = await server.addPerson();
    const subject = { issuerId: provider.id, claim: there.issuer, subject: claims.sub };
    const asked = { partition: bob.partition, personId: bob.personId, subject, sole: true, now: server.now() };
    for (const madeBy of ["person", "operator", "first use"] as const)
      expect((await server.assent.storage.subjectLinks.link({ ...asked, madeBy })).kind).toBe("taken");
    expect(await holder()).toBe(alice.personId);
  });
});
