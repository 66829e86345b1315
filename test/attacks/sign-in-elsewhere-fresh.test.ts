/** Who confirms at a provider that it's them: when they did so, and that nobody else takes their place. */

import { describe, expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem, signIn } from "../support/http-browser.ts";
import {
  addProvider,
  aSubject,
  type ForgingProvider,
  isSignedIn,
  pressProvider,
  signInThere,
  withForgingProvider,
} from "../support/sign-in-providers.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let there: ForgingProvider;
withForgingProvider((at) => {
  ({ server, there } = at);
});

const NEVER_DATED = { auth_time: undefined };
/** The page of an app's request, or its redirect. */
const asked = async (agent: Agent, changes: Record<string, string> = {}, scope = "openid") =>
  agent.follow(
    await agent.get(authorizeUrl(server, await server.addClient({ scopes: ["openid"] }), { scope, ...changes })),
  );
const personIn = async (agent: Agent) =>
  /Signed in as <bdi class="name">([^<]*)</.exec((await agent.get("/account/apps")).text)?.[1] ?? null;

/** Signs in at the provider from this page, as somebody of whom it says these claims. */
async function comesBack(
  agent: Agent,
  page: Page,
  provider: SignInProvider,
  claims: Readonly<Record<string, unknown>>,
): Promise<Page> {
  const begun = await pressProvider(agent, page, provider);
  return agent.follow(await agent.get(there.callback(begun, {}, claims)));
}

describe("UP-25 the provider doesn't say when the person signed in there", () => {
  test.each([{ prompt: "login" }, { max_age: "60" }, { prompt: "login select_account" }])(
    "an app demands %j → 403 that says what to do, nobody is signed in; a password still serves",
    async (demand) => {
      const provider = await addProvider(server, there.issuer);
      const { username } = await server.addPerson();
      const agent = new Agent(server.issuer);
      const page = await comesBack(agent, await asked(agent, demand), provider, { ...aSubject(), ...NEVER_DATED });
      expect([page.status, page.text]).toEqual([403, expect.stringContaining("Sign in another way")]);
      expect(await isSignedIn(agent)).toBe(false);
      consentForm(await signIn(agent, username, page));
    },
  );

  test("the operator has said --believe-fresh → it counts", async () => {
    const provider = await addProvider(server, there.issuer, { believeFresh: true });
    const agent = new Agent(server.issuer);
    const page = await asked(agent, { prompt: "login" });
    consentForm(await comesBack(agent, page, provider, { ...aSubject(), ...NEVER_DATED }));
  });

  test("believed, and it says that the sign-in is an hour old → 400", async () => {
    const provider = await addProvider(server, there.issuer, { believeFresh: true });
    const agent = new Agent(server.issuer);
    const claims = { ...aSubject(), auth_time: Math.floor(server.now() / 1000) - 3_600 };
    expect((await comesBack(agent, await asked(agent, { prompt: "login" }), provider, claims)).status).toBe(400);
  });

  test("signed out and in again without a demand → no recent sign-in for the account's pages, nor in a token", async () => {
    const provider = await addProvider(server, there.issuer);
    const claims = { ...aSubject(), ...NEVER_DATED };
    await signInThere(new Agent(server.issuer), withClaims(claims), provider);
    const agent = new Agent(server.issuer);
    const app = await server.addClient({ scopes: ["openid"] });
    const page = await agent.follow(await agent.get(authorizeUrl(server, app, { scope: "openid" })));
    const consent = consentForm(await comesBack(agent, page, provider, claims));
    const { body } = await redeem(
      server,
      app,
      (await agent.submit(consent, { decision: "allow" })).location ?? new URL(server.issuer),
    );
    const [, payload = ""] = String(body["id_token"]).split(".");
    const { auth_time: told } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { auth_time: number };
    expect(told * 1000).toBeLessThanOrEqual(server.now() - 7 * 86_400_000);
    expect((await agent.get("/account/profile/export")).location?.pathname).toBe("/account/confirm");
  });

  test("the first sign-in of a new person → recent, so that they can add another way in", async () => {
    const provider = await addProvider(server, there.issuer);
    const agent = new Agent(server.issuer);
    await comesBack(agent, await agent.get("/login"), provider, { ...aSubject(), ...NEVER_DATED });
    expect((await agent.get("/account/security/password")).status).toBe(200);
  });

  test("an app asks to choose an account → the provider is asked the same, and a sign-in of yesterday is enough", async () => {
    const provider = await addProvider(server, there.issuer);
    const agent = new Agent(server.issuer);
    const page = await asked(agent, { prompt: "select_account" });
    const begun = await pressProvider(agent, page, provider);
    expect(begun.location?.searchParams.get("prompt")).toBe("select_account");
    const claims = { ...aSubject(), auth_time: Math.floor(server.now() / 1000) - 86_400 };
    consentForm(await agent.follow(await agent.get(there.callback(begun, {}, claims))));
  });
});

function withClaims(claims: Readonly<Record<string, unknown>>): ForgingProvider {
  there.answering = { claims };
  return there;
}

describe("another identity than the one of the person who is signed in", () => {
  /** Somebody with a password and an identity, signed in. */
  async function alice(provider: SignInProvider) {
    const claims = aSubject();
    const agent = new Agent(server.issuer);
    await comesBack(agent, await agent.get("/login"), provider, claims);
    return { agent, claims, name: await personIn(agent) };
  }

  const accountsAt = async ({ id }: SignInProvider) =>
    (await server.assent.storage.subjectLinks.list({ issuerId: id, limit: 9, after: null })).length;

  test("an app asks alice to sign in again, and mallory's identity comes back → 403, alice stays, no account is made", async () => {
    const provider = await addProvider(server, there.issuer);
    const { agent, name } = await alice(provider);
    const page = await comesBack(agent, await asked(agent, { prompt: "login" }), provider, aSubject());
    expect([page.status, page.text]).toEqual([403, expect.stringContaining("still signed in to the same account")]);
    expect([await personIn(agent), await accountsAt(provider)]).toEqual([name, 1]);
  });

  test("on that page she chooses to switch → the other person, with the app's request", async () => {
    const provider = await addProvider(server, there.issuer);
    const { agent, name } = await alice(provider);
    const other = aSubject();
    const refused = await comesBack(agent, await asked(agent, { prompt: "login" }), provider, other);
    const form = refused.forms.find(({ action }) => action.endsWith("/login/switch"));
    if (form === undefined) throw new Error("no way to the other account");
    const page = await comesBack(agent, await agent.submit(form), provider, other);
    expect(consentForm(page)).toBeDefined();
    expect([name, await personIn(agent)]).toEqual([name, other.preferred_username]);
  });

  test("her own identity → the app's request goes on", async () => {
    const provider = await addProvider(server, there.issuer);
    const { agent, claims } = await alice(provider);
    consentForm(await comesBack(agent, await asked(agent, { prompt: "login" }), provider, claims));
  });

  test("a sign-in page from before, and somebody has signed in meanwhile in another tab → that person stays", async () => {
    const provider = await addProvider(server, there.issuer);
    const agent = new Agent(server.issuer);
    const { username, name } = await server.addPerson();
    const begun = await pressProvider(agent, await agent.get("/login"), provider);
    await signIn(agent, username);
    const page = await agent.get(there.callback(begun, {}, aSubject()));
    expect([page.status, await personIn(agent)]).toEqual([403, name]);
  });

  test("the app expects alice (id_token_hint), nobody is signed in, and mallory's identity comes back → 403, no session", async () => {
    const provider = await addProvider(server, there.issuer);
    const claims = aSubject();
    const app = await server.addClient({ scopes: ["openid"] });
    const first = new Agent(server.issuer);
    const shown = await first.follow(await first.get(authorizeUrl(server, app, { scope: "openid" })));
    const allowed = await first.submit(consentForm(await comesBack(first, shown, provider, claims)), {
      decision: "allow",
    });
    const hint = String((await redeem(server, app, allowed.location ?? new URL(server.issuer))).body["id_token"]);
    const agent = new Agent(server.issuer);
    const url = authorizeUrl(server, app, { scope: "openid", id_token_hint: hint });
    const refused = await comesBack(agent, await agent.follow(await agent.get(url)), provider, aSubject());
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("for a different account")]);
    expect([await isSignedIn(agent), await accountsAt(provider)]).toEqual([false, 1]);
    await comesBack(agent, refused, provider, claims);
    expect(await personIn(agent)).toBe(claims.preferred_username);
  });
});

describe("UP-22 the provider refuses a request that lets the person choose an account", () => {
  const refusal = { code: undefined, error: "invalid_request" };
  const atChooser = async (provider: SignInProvider) => {
    const agent = new Agent(server.issuer);
    const begun = await pressProvider(agent, await asked(agent, { prompt: "select_account" }), provider);
    return { agent, begun };
  };

  test("→ asked once more, for a new sign-in; refused again → 400, and nobody is sent there a third time", async () => {
    const [provider, another] = [await addProvider(server, there.issuer), await addProvider(server, there.issuer)];
    const { agent, begun } = await atChooser(provider);
    const refused = there.callback(begun, refusal);
    const again = await agent.get(refused);
    const [first, second] = [begun.location?.searchParams, again.location?.searchParams];
    expect([second?.get("prompt"), second?.get("state") === first?.get("state")]).toEqual(["login", false]);
    const last = await agent.get(there.callback(again, refusal));
    expect([last.status, last.location]).toEqual([400, undefined]);
    expect((await agent.get(refused)).location).toBeUndefined();
    consentForm(await comesBack(agent, last, another, aSubject()));
  });

  test.each(["access_denied", "server_error", "login_required", "invalid_request "])(
    "%j → not asked again",
    async (error) => {
      const { agent, begun } = await atChooser(await addProvider(server, there.issuer));
      expect((await agent.get(there.callback(begun, { ...refusal, error }))).location).toBeUndefined();
    },
  );

  test("nobody was to choose → not asked again", async () => {
    const provider = await addProvider(server, there.issuer);
    const agent = new Agent(server.issuer);
    const begun = await pressProvider(agent, await asked(agent), provider);
    expect((await agent.get(there.callback(begun, refusal))).location).toBeUndefined();
  });

  test("its metadata don't have it → a new sign-in at once; the other account replaces the present one", async () => {
    there.answering = { metadata: { prompt_values_supported: ["none", "login"] } };
    const provider = await addProvider(server, there.issuer);
    const agent = new Agent(server.issuer);
    const [alice, bob] = [aSubject(), aSubject()];
    await comesBack(agent, await agent.get("/login"), provider, alice);
    const begun = await pressProvider(agent, await asked(agent, { prompt: "select_account" }), provider);
    expect(begun.location?.searchParams.get("prompt")).toBe("login");
    consentForm(await agent.follow(await agent.get(there.callback(begun, {}, bob))));
    expect(await personIn(agent)).toBe(bob.preferred_username);
  });

  test("the other account's sign-in was eight days ago → asked for a new one, and it still replaces the present one", async () => {
    const provider = await addProvider(server, there.issuer);
    const agent = new Agent(server.issuer);
    const [alice, bob] = [aSubject(), aSubject()];
    await comesBack(agent, await agent.get("/login"), provider, alice);
    const begun = await pressProvider(agent, await asked(agent, { prompt: "select_account" }), provider);
    const old = Math.floor(server.now() / 1000) - 8 * 86_400;
    const again = await agent.get(there.callback(begun, {}, { ...bob, auth_time: old }));
    expect(again.location?.searchParams.get("max_age")).toBe("0");
    consentForm(await agent.follow(await agent.get(there.callback(again, {}, bob))));
    expect(await personIn(agent)).toBe(bob.preferred_username);
  });
});
