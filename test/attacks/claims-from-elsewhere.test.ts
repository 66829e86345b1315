/** What a provider says of a person: which claim becomes what, what is refused, and what it never decides. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import type { Person } from "../../packages/server/src/owners/person.ts";
import { AUTHENTICATOR, appOf, formWith } from "../support/authenticator-app.ts";
import { aDevice, aDeviceClient } from "../support/device-actor.ts";
import { Agent, authorizeUrl, consentForm, formTo, type Page, redeem } from "../support/http-browser.ts";
import {
  addProvider,
  aSubject,
  type ForgingProvider,
  isSignedIn,
  pressProvider,
  withForgingProvider,
} from "../support/sign-in-providers.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let there: ForgingProvider;
withForgingProvider((at) => {
  ({ server, there } = at);
});

const made = (changes: Partial<SignInProvider> = {}) => addProvider(server, there.issuer, changes);

/** Signs in there as somebody of whom it says these claims. */
async function enters(provider: SignInProvider, claims: Readonly<Record<string, unknown>>) {
  const agent = new Agent(server.issuer);
  const begun = await pressProvider(agent, await agent.get("/login"), provider);
  const page = await agent.get(there.callback(begun, {}, claims));
  return { agent, page, person: await personAt(provider, claims["sub"]) };
}

async function personAt(provider: SignInProvider, sub: unknown): Promise<Person | undefined> {
  const links = await server.assent.storage.subjectLinks.list({ issuerId: provider.id, limit: 999, after: null });
  const link = links.find(({ subject, claim }) => subject === sub && claim === there.issuer);
  return link && server.assent.storage.people.get({ partition: link.partition, personId: link.ownerId });
}

describe("UP-16 a new account's profile", () => {
  test("the usual claims → name, names and language; nothing else of their life", async () => {
    const claims = {
      ...{ ...aSubject(), name: "Ada Lovelace", given_name: "Ada", family_name: "Lovelace", locale: "en-gb" },
      ...{ birthdate: "1815-12-10", gender: "female", phone_number: "+441234567890", website: "https://ada.test/" },
    };
    const { person } = await enters(await made(), claims);
    expect(person).toMatchObject({ name: "Ada Lovelace", username: claims.preferred_username });
    expect(person?.details).toEqual({ givenName: "Ada", familyName: "Lovelace", locale: "en-GB" });
  });

  test("claims that the operator named → these instead; an empty one → none", async () => {
    const provider = await made({
      claims: { username: "upn", name: "https://corp.test/cn", locale: "", birthdate: "born", given_name: "first" },
    });
    const claims = {
      ...{ ...aSubject(), upn: "mapped.name", "https://corp.test/cn": "Mapped Name", name: "Not This", locale: "de" },
      ...{ born: "1815-12-10", first: "Map", given_name: "No" },
    };
    const { person } = await enters(provider, claims);
    expect(person).toMatchObject({ username: "mapped.name", name: "Mapped Name" });
    expect(person?.details).toEqual({ birthdate: "1815-12-10", givenName: "Map" });
  });

  test("a named claim that only UserInfo has → taken from there; of another subject → not signed in", async () => {
    const provider = await made({ claims: { name: "cn" } });
    const claims = aSubject();
    there.answering = { userInfo: { sub: claims.sub, cn: "From UserInfo" } };
    expect((await enters(provider, claims)).person?.name).toBe("From UserInfo");
    there.answering = { userInfo: { sub: "somebody-else", cn: "Mallory" } };
    const other = await enters(provider, aSubject());
    expect([other.page.status, await isSignedIn(other.agent)]).toEqual([400, false]);
  });

  test.each([
    ["a text of 10 kB", "x".repeat(10_000)],
    ["control characters", "A\u0000\u202eda"],
    ["an object", { first: "Ada" }],
    ["a list", ["Ada"]],
    ["a number", 7],
    ["null", null],
    ["empty", ""],
    ["markup that a page shows as text", "<b>"],
  ])("each field is %s → signed in, and nothing that can't be stored", async (_, value) => {
    const fields = ["name", "given_name", "family_name", "middle_name", "nickname", "birthdate", "gender"] as const;
    const more = ["locale", "zoneinfo", "website", "phone_number", "picture", "username"] as const;
    const provider = await made({ claims: Object.fromEntries([...fields, ...more].map((one) => [one, one])) });
    const sub = `odd-${Math.random()}`;
    const { agent, person } = await enters(provider, {
      ...Object.fromEntries([...fields, ...more].map((one) => [one, value])),
      sub,
    });
    expect(await isSignedIn(agent)).toBe(true);
    const stored = Object.values({ ...person?.details, name: person?.name ?? "" });
    expect(stored.filter((one) => !["", "<b>"].includes(String(one)))).toEqual([]);
    for (const field of ["birthdate", "locale", "zoneinfo", "website", "phoneNumber"])
      expect(person?.details ?? {}).not.toHaveProperty(field);
  });
});

describe("UP-17 an address that the operator named", () => {
  const corp = { emailDomains: ["corp.test"], trustEmail: true };

  test("email_verified speaks of email, not of it → refused; the claim that the operator names for it → counts", async () => {
    await server.addPerson({ email: "boss@corp.test", emailVerifiedAt: 1 });
    const claims = { ...aSubject(), email: "me@corp.test", email_verified: true, upn: "boss@corp.test" };
    const alone = await made({ ...corp, claims: { email: "upn" } });
    expect((await enters(alone, claims)).page.status).toBe(403);
    const entra = await made({ ...corp, claims: { email: "upn" }, preset: "entra" });
    expect((await enters(entra, { ...claims, xms_edov: true })).page.status).toBe(403);
    const both = await made({ ...corp, claims: { email: "upn", email_verified: "upn_verified" } });
    expect((await enters(both, { ...claims, upn_verified: "yes" })).page.status).toBe(403);
    expect((await enters(both, { ...claims, upn_verified: true })).page.status).toBe(303);
  });
});

describe("UP-12, UP-13 the next sign-in", () => {
  const first = { name: "First Name", given_name: "First", locale: "de" };
  const next = { name: "Next Name", given_name: "Next", family_name: "Added", locale: undefined };

  test("the profile is filled once → what the person typed stays; follows → renewed, and what isn't said stays", async () => {
    for (const profile of [undefined, "follow"] as const) {
      const provider = await made(profile && { profile });
      const claims = aSubject();
      const { person } = await enters(provider, { ...claims, ...first });
      if (person === undefined) throw new Error("no account");
      const typed = { name: "Typed", details: { nickname: "Typed" } };
      await server.assent.storage.people.update({ ...person, changes: typed, now: server.now() });
      const again = (await enters(provider, { ...claims, ...next, preferred_username: "other", email: "o@x.test" }))
        .person;
      expect(again).toMatchObject({ username: person.username, email: person.email, emailVerifiedAt: null });
      expect([again?.name, again?.details]).toEqual(
        profile === undefined
          ? ["Typed", { givenName: "First", locale: "de", nickname: "Typed" }]
          : ["Next Name", { givenName: "Next", familyName: "Added", locale: "de", nickname: "Typed" }],
      );
    }
  });

  test("somebody who is disabled here → refused, and the profile does not follow", async () => {
    const provider = await made({ profile: "follow" });
    const claims = aSubject();
    const { person } = await enters(provider, { ...claims, ...first });
    if (person === undefined) throw new Error("no account");
    await server.assent.storage.people.setStatus({ ...person, status: "disabled", now: server.now() });
    const { page, person: after } = await enters(provider, { ...claims, ...next });
    expect([page.status, after?.name, after?.status]).toEqual([403, "First Name", "disabled"]);
  });
});

describe("UP-26 a picture", () => {
  const json = () => server.log.map((line) => JSON.parse(line) as Record<string, unknown>);

  /** A host of pictures. `asked`: the paths. */
  async function host(bytes: Buffer, type = "image/png", wait = 0) {
    const asked: string[] = [];
    const files = createServer((request, response) => {
      asked.push(request.url ?? "");
      setTimeout(() => response.writeHead(200, { "content-type": type }).end(bytes), wait);
    });
    await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
    const stop = () => {
      files.closeAllConnections();
      return new Promise((resolve) => files.close(resolve));
    };
    return { asked, stop, at: `http://127.0.0.1:${(files.address() as AddressInfo).port}/me` };
  }

  async function until<T>(read: () => Promise<T | undefined> | T | undefined): Promise<T> {
    for (let left = 400; left > 0; left -= 1) {
      const found = await read();
      if (found !== undefined) return found;
      await sleep(20);
    }
    throw new Error("it did not come true");
  }
  const pictureOf = (person: Person | undefined) =>
    person && server.assent.storage.pictures.ofPerson({ partition: person.partition, personId: person.personId });
  const failureOf = (person: Person | undefined) =>
    json().find((one) => one["event"] === "picture_from_elsewhere_failed" && one["owner"] === person?.personId);
  const png = () =>
    sharp({ create: { width: 300, height: 200, channels: 3, background: "red" } })
      .withExif({ IFD0: { Copyright: "secret place" } })
      .png()
      .toBuffer();

  test("the operator named no claim for it → nothing is fetched", async () => {
    const files = await host(await png());
    await enters(await made(), { ...aSubject(), picture: files.at });
    await sleep(200);
    expect(files.asked).toEqual([]);
    await files.stop();
  });

  test("a host that answers late → the sign-in doesn't wait; then the picture is there, made anew and without metadata", async () => {
    const files = await host(await png(), "image/png", 1_500);
    const { person, page } = await enters(await made({ claims: { picture: "picture" } }), {
      ...{ ...aSubject(), picture: files.at },
    });
    expect([page.status, await pictureOf(person)]).toEqual([303, undefined]);
    const picture = await until(() => pictureOf(person));
    const { width, format, exif } = await sharp(picture.bytes).metadata();
    expect([picture.type, width, format, exif]).toEqual(["image/webp", 200, "webp", undefined]);
    await files.stop();
  });

  test.each([
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'), "image/svg+xml"],
    ["2 MB", Buffer.alloc(2_000_000, 1), "image/png"],
    ["markup", Buffer.from("<html></html>"), "text/html"],
  ])("%s → none, and the log says why", async (_, bytes, type) => {
    const files = await host(bytes, type);
    const { person, agent } = await enters(await made({ claims: { picture: "picture" } }), {
      ...{ ...aSubject(), picture: files.at },
    });
    await until(() => failureOf(person));
    expect([await pictureOf(person), await isSignedIn(agent)]).toEqual([undefined, true]);
    await files.stop();
  });

  test.each([
    "http://10.0.0.1/x",
    "https://169.254.169.254/latest/meta-data",
    "https://[::ffff:10.0.0.1]/x",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:image/png;base64,iVBORw0KGgo=",
  ])("%s → not fetched", async (picture) => {
    const { person } = await enters(await made({ claims: { picture: "picture" } }), { ...aSubject(), picture });
    expect(String((await until(() => failureOf(person)))["detail"])).toMatch(/^refused/);
  });
});

describe("UP-25 how strong the sign-in there was", () => {
  const levels = { mfaAcr: ["urn:corp:strong"], mfaAmr: ["mfa"] };

  /** A request of an app that needs two factors, after the sign-in there. */
  async function asked(provider: SignInProvider, claims: Readonly<Record<string, unknown>>) {
    const app = await server.addClient({ scopes: ["openid"] });
    const agent = new Agent(server.issuer);
    const url = authorizeUrl(server, app, { scope: "openid", acr_values: "mfa" });
    const begun = await pressProvider(agent, await agent.follow(await agent.get(url)), provider);
    const page = await agent.follow(await agent.get(there.callback(begun, {}, claims)));
    const tokens = async () => {
      const answered = await agent.submit(consentForm(page), { decision: "allow" });
      const { body } = await redeem(server, app, answered.location ?? new URL(server.issuer));
      const [, payload = ""] = String(body["id_token"]).split(".");
      return JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
    };
    return { agent, begun, page, tokens };
  }
  const textOf = ({ text }: Page) => text.replaceAll(/<[^>]*>/g, "");
  const asksConsent = ({ forms }: Page) => forms.some(({ action }) => action.endsWith("/consent"));

  test.each([
    ["a lower acr", { acr: "urn:corp:weak" }],
    ["none", {}],
    ["the value with a suffix", { acr: "urn:corp:stronger" }],
    ["a list with the value", { acr: ["urn:corp:strong"] }],
    ["several values in one text", { acr: "urn:corp:weak urn:corp:strong" }],
    ["our own word", { acr: "mfa" }],
    ["amr as a text", { amr: "mfa" }],
    ["another amr", { amr: ["pwd", "otp"] }],
  ])("it says %s → this server's own second factor is asked for", async (_, claims) => {
    const { page, agent } = await asked(await made(levels), { ...aSubject(), ...claims });
    expect([asksConsent(page), await isSignedIn(agent)]).toEqual([false, true]);
    expect(page.text).toContain("/account/security/authenticator");
  });

  test("it says the operator's acr, or amr → the consent; the token claims that and no more", async () => {
    for (const claims of [{ acr: "urn:corp:strong" }, { amr: ["pwd", "mfa"] }]) {
      const { begun, tokens } = await asked(await made(levels), { ...aSubject(), ...claims });
      expect(begun.location?.searchParams.get("acr_values")).toBe("urn:corp:strong");
      expect(await tokens()).toMatchObject({ acr: "mfa", amr: ["fed", "mfa"] });
    }
  });

  test("the operator said nothing, or UserInfo says it → not believed", async () => {
    const strong = { acr: "urn:corp:strong", amr: ["mfa"] };
    expect(asksConsent((await asked(await made(), { ...aSubject(), ...strong })).page)).toBe(false);
    const claims = aSubject();
    there.answering = { userInfo: { sub: claims.sub, ...strong, cn: "Ada" } };
    const { page } = await asked(await made({ ...levels, claims: { name: "cn" } }), claims);
    expect(asksConsent(page)).toBe(false);
  });

  test("no app needs it → acr_values is not sent", async () => {
    const [provider, agent] = [await made(levels), new Agent(server.issuer)];
    const begun = await pressProvider(agent, await agent.get("/login"), provider);
    expect(begun.location?.searchParams.get("acr_values")).toBeNull();
  });

  test("somebody who is signed in with one factor → the page offers their provider, which proves the second one", async () => {
    const provider = await made(levels);
    const claims = aSubject();
    const { page, agent } = await asked(provider, claims);
    expect(textOf(page)).toContain("Example ID didn’t ask you for a second step.");
    const begun = await pressProvider(agent, page, provider);
    const parameters = begun.location?.searchParams;
    expect([parameters?.get("acr_values"), parameters?.get("prompt")]).toEqual(["urn:corp:strong", null]);
    const weak = await agent.follow(await agent.get(there.callback(begun, {}, claims)));
    expect(textOf(weak)).toContain("Example ID didn’t ask you for a second step.");
    expect(weak.text).toContain("/account/security/authenticator");
    const again = await pressProvider(agent, weak, provider);
    const strong = await agent.follow(await agent.get(there.callback(again, {}, { ...claims, ...{ amr: ["mfa"] } })));
    expect(asksConsent(strong)).toBe(true);
  });

  test("they signed in before the app asked → the page doesn't say yet that their provider asked for no second step", async () => {
    const { agent } = await enters(await made(levels), aSubject());
    const app = await server.addClient({ scopes: ["openid"] });
    server.tick(1);
    const page = await agent.get(authorizeUrl(server, app, { scope: "openid", acr_values: "mfa" }));
    expect(page.text).toContain("/account/security/authenticator");
    expect(textOf(page)).not.toContain("didn’t ask you for a second step");
  });

  test("on the way to a device → the page offers their provider, too, and the device's question comes after it", async () => {
    const provider = await made(levels);
    const claims = aSubject();
    const { agent } = await enters(provider, claims);
    await server.addScope({ name: "pay", description: "Pay", resource: "https://api.test", acr: "mfa" });
    const { userCode } = await aDevice(server, await aDeviceClient(server, { scopes: ["pay"] }), { scope: "pay" });
    const typed = formWith(await agent.get("/device"), "user_code");
    const page = await agent.follow(await agent.submit(typed, { user_code: userCode }));
    // The form leads to the provider.
    expect(page.headers.get("content-security-policy")).not.toContain("form-action");
    const begun = await pressProvider(agent, page, provider);
    const parameters = begun.location?.searchParams;
    expect([parameters?.get("acr_values"), parameters?.get("prompt")]).toEqual(["urn:corp:strong", null]);
    const weak = await agent.follow(await agent.get(there.callback(begun, {}, claims)));
    expect(textOf(weak)).toContain("Example ID didn’t ask you for a second step.");
    expect(weak.text).not.toContain(userCode);
    const again = await pressProvider(agent, weak, provider);
    const strong = await agent.follow(await agent.get(there.callback(again, {}, { ...claims, amr: ["mfa"] })));
    expect(strong.text).toContain(userCode);
  });

  const cancelled = { code: undefined, error: "access_denied" };
  test.each([
    ["they cancel", cancelled, {}, "You stopped the sign-in at Example ID"],
    ["they are somebody else there", {}, aSubject(), "isn’t connected to the account that you use here"],
    ["it asks for none", {}, {}, "Example ID didn’t ask you for a second step."],
    ["it has an error", { code: undefined, error: "server_error" }, {}, "Example ID isn’t answering at the moment."],
  ])(
    "a second step there, and %s → the page of the second step says so; the request can still be declined",
    async (_, changes, other, said) => {
      const provider = await made(levels);
      const claims = aSubject();
      const { page, agent } = await asked(provider, claims);
      const begun = await pressProvider(agent, page, provider);
      const failed = await agent.follow(await agent.get(there.callback(begun, changes, { ...claims, ...other })));
      expect(textOf(failed)).toContain(said);
      expect(failed.text).toContain("/account/security/authenticator");
      expect(failed.text).not.toContain('name="password"');
      const denied = await agent.submit(formTo(failed, "/login/stronger"), { decision: "deny" });
      expect(denied.location?.searchParams.get("error")).toBe("unmet_authentication_requirements");
    },
  );

  test("the provider is disabled while the page of the second step is open → that page says so", async () => {
    const provider = await made(levels);
    const { page, agent } = await asked(provider, aSubject());
    const begun = await pressProvider(agent, page, provider);
    await made({ ...provider, status: "disabled" });
    for (const answer of [await pressProvider(agent, page, provider), await agent.get(there.callback(begun))]) {
      expect(textOf(answer)).toContain("You can’t sign in with Example ID here at the moment.");
      expect(answer.text).toContain("/account/security/authenticator");
    }
  });

  test("a wrong code of their authenticator app → their provider is still offered, and proves the second factor", async () => {
    const provider = await made(levels);
    const claims = aSubject();
    const { page, agent } = await asked(provider, claims);
    const other = await enters(provider, claims);
    const setUp = await other.agent.get(AUTHENTICATOR);
    await other.agent.submit(formWith(setUp, "code"), { code: appOf(setUp, server).code() });
    const url = /name="request" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const step = await agent.follow(await agent.get(`/consent?request=${url}`));
    const wrong = await agent.submit(formWith(step, "code"), { code: "000000" });
    expect(wrong.text).toContain('aria-invalid="true"');
    const given = await pressProvider(agent, wrong, provider);
    const refused = await agent.get(there.callback(given, cancelled));
    expect(textOf(refused)).toContain("You stopped the sign-in at Example ID");
    expect(formWith(refused, "code").fields.has("partial")).toBe(true);
    const weak = await agent.get(there.callback(await pressProvider(agent, refused, provider), {}, claims));
    expect(textOf(weak)).toContain("Example ID didn’t ask you for a second step.");
    expect(formWith(weak, "code").fields.has("partial")).toBe(true);
    const begun = await pressProvider(agent, wrong, provider);
    const strong = await agent.follow(await agent.get(there.callback(begun, {}, { ...claims, amr: ["mfa"] })));
    expect(asksConsent(strong)).toBe(true);
  });

  test("not signed in yet, and a wrong code → no way around the code", async () => {
    const provider = await made(levels);
    const claims = aSubject();
    const { agent } = await enters(provider, claims);
    const setUp = await agent.get(AUTHENTICATOR);
    await agent.submit(formWith(setUp, "code"), { code: appOf(setUp, server).code() });
    const { agent: stranger, page } = await enters(provider, claims);
    const wrong = await stranger.submit(formWith(page, "code"), { code: "000000" });
    expect(wrong.text).not.toContain(provider.id);
  });

  test("that page, and somebody else's strong identity → 403; they stay who they are", async () => {
    const provider = await made(levels);
    const { page, agent } = await asked(provider, aSubject());
    const begun = await pressProvider(agent, page, provider);
    const other = await agent.get(there.callback(begun, {}, { ...aSubject(), amr: ["mfa"] }));
    expect([other.status, asksConsent(other)]).toEqual([403, false]);
  });

  test("somebody with an authenticator app here → its code is asked for, unless the provider proves a second factor", async () => {
    const provider = await made(levels);
    const claims = aSubject();
    const { agent } = await enters(provider, claims);
    const setUp = await agent.get(AUTHENTICATOR);
    await agent.submit(formWith(setUp, "code"), { code: appOf(setUp, server).code() });
    const weak = await enters(provider, claims);
    expect([weak.page.status, weak.page.text]).toEqual([200, expect.stringContaining('name="code"')]);
    expect(await isSignedIn(weak.agent)).toBe(false);
    expect(await isSignedIn((await enters(provider, { ...claims, amr: ["mfa"] })).agent)).toBe(true);
  });
});
