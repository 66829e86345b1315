/**
 * Attacks on an authorization request between its link and its answer: state, use by another person, changes, prompt
 * (RFC 6749 §§4.1.1, 10.12).
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signedInPerson } from "../support/back-channel.ts";
import {
  atConsent,
  expectGoesOn,
  expectPage400,
  expectRedirectError,
  inputValue,
  logSince,
  rowCounts,
  send,
} from "../support/front-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  type Form,
  type Page,
  redeem,
  signIn,
} from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
});
afterAll(() => server.stop());

const signedIn = () => signedInPerson(server);

const signInForm = (page: Page): Form => {
  const form = page.forms.find(({ fields }) => fields.has("password"));
  if (form === undefined) throw new Error(`no sign-in form: ${page.status} ${page.location}`);
  return form;
};

describe("SS-01 state comes back as it was sent", () => {
  const states: readonly (readonly [string, string])[] = [
    ["unicode", "é ü 日本 \u{1F600} \u202e \u0301"],
    ["2 kB", "x".repeat(2048)],
    ["4,096 characters", "y".repeat(4096)],
    ["plus", "a+b++c"],
    ["percent", "100% %41 %2B %25 %00 %zz"],
    ["quotes", `"'\`<script>alert(1)</script>\\`],
    ["semicolons, ampersands, hashes", "a;b=c&code=evil#fragment?x=y"],
    ["blanks at its ends", "  a  "],
    ["line feeds", "a\r\nSet-Cookie: x=1\r\n\r\n<html>"],
    ["a URL", "https://app.test/cb?code=evil&state=x"],
    ["JSON", '{"a":["b"],"__proto__":{"c":1}}'],
    ["names of objects", "__proto__"],
    ["zero", "0"],
  ];

  test.each(states)("%s → equal on error, on success, and through the pages", async (_, state) => {
    const agent = new Agent(server.issuer);
    expectRedirectError(
      await agent.get(authorizeUrl(server, client, { state, prompt: "none" })),
      server,
      "login_required",
      { state },
    );
    const { username } = await server.addPerson();
    const callback = await authorize(agent, authorizeUrl(server, client, { state }), username);
    expect(callback.searchParams.getAll("state")).toEqual([state]);
    expect([...callback.searchParams.keys()]).toEqual(["code", "state", "iss"]);
    expect(callback.hash).toBe("");
    // IN-07: the header is one line of printable characters.
    const { headers } = await agent.get(authorizeUrl(server, client, { state }));
    expect(headers.get("location")).toMatch(/^[\x21-\x7e]+$/);
    expect(headers.get("set-cookie")).toBeNull();
  });

  test.each(states.filter(([what]) => what !== "line feeds"))(
    "%s → equal in a form that posts it",
    async (_, state) => {
      const url = authorizeUrl(server, client, { state, prompt: "none", response_mode: "form_post" });
      const page = await new Agent(server.issuer).get(url);
      expect(inputValue(page, "state")).toBe(state);
      expect(page.text).not.toContain("<script>alert");
    },
  );

  test("none, or an empty one → none comes back", async () => {
    for (const state of [undefined, ""]) {
      const page = await new Agent(server.issuer).get(authorizeUrl(server, client, { state, prompt: "none" }));
      expectRedirectError(page, server, "login_required", { state: null });
    }
  });

  test("two, or one with NUL → invalid_request, and neither comes back", async () => {
    const url = authorizeUrl(server, client, { state: undefined });
    for (const query of ["&state=a&state=b", "&state=a%00b", "&state=%ff", `&state=${"x".repeat(4097)}`])
      expectRedirectError(await new Agent(server.issuer).get(url + query), server, "invalid_request", { state: null });
  });

  test("SS-02 64 kB by GET → refused by its length; by POST → 413; 8 kB of others → 400 page", async () => {
    const long = new URL(authorizeUrl(server, client, { state: "x".repeat(65_536) }));
    const got = await send(server.issuer, { path: long.pathname + long.search }).catch((error: Error) => error);
    if (!(got instanceof Error)) expect([413, 414, 431]).toContain(got.status);
    expect((await new Agent(server.issuer).post("/authorize", long.searchParams)).status).toBe(413);
    const page = await new Agent(server.issuer).get(authorizeUrl(server, client, { state: "é".repeat(1500) }));
    expectPage400(page);
    expectGoesOn(await new Agent(server.issuer).get(authorizeUrl(server, client)));
  });

  test("as much as is taken → also through sign-in and consent, whose links carry it sealed", async () => {
    const { username } = await server.addPerson();
    const scope = "read write";
    const state = "s".repeat(4096);
    const extra = { scope, state, login_hint: "h".repeat(2000), ui_locales: "u".repeat(1500) };
    const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, client, extra), username);
    expect(callback.searchParams.get("state")).toBe(state);
  });
});

describe("SS-09 a request of another browser", () => {
  test("its sign-in page, link and consent page in a victim's browser, signed in or not → 400 page, no code", async () => {
    const attacker = await signedIn();
    const consent = await attacker.agent.get(authorizeUrl(server, client));
    const fresh = new Agent(server.issuer);
    const login = signInForm(await fresh.get(authorizeUrl(server, client)));
    const sealed = [consentForm(consent).fields.get("request") ?? "", login.fields.get("request") ?? ""];
    const victim = await signedIn();
    await authorize(victim.agent, authorizeUrl(server, client), victim.username);
    const own = (await victim.agent.get("/account/apps")).forms[0]?.fields.get("csrf") ?? "";
    for (const request of sealed) {
      for (const agent of [victim.agent, new Agent(server.issuer)]) {
        for (const path of ["/consent", "/login"])
          expectPage400(await agent.get(`${path}?${new URLSearchParams({ request })}`), "interaction_unknown");
        for (const csrf of [own, consentForm(consent).fields.get("csrf") ?? "", login.fields.get("csrf") ?? ""]) {
          const fields = { request, csrf, decision: "allow", username: victim.username, password: PASSWORD };
          for (const path of ["/consent", "/login", "/login/switch"])
            expectPage400(await agent.post(path, fields), "interaction_unknown");
        }
      }
    }
    // The attacker's tab gained nothing: it still shows the consent page for the attacker.
    expect(
      (await attacker.agent.submit(consentForm(consent), { decision: "deny" })).location?.searchParams.get("error"),
    ).toBe("access_denied");
  });

  test("the victim's own, in the victim's browser → goes on", async () => {
    const { agent } = await signedIn();
    const { fields } = consentForm(await agent.get(authorizeUrl(server, client)));
    const page = await agent.get(`/consent?${new URLSearchParams({ request: fields.get("request") ?? "" })}`);
    expect((await agent.submit(consentForm(page), { decision: "allow" })).status).toBe(302);
  });
});

test("SS-10 an answered request whose code is spent: link and form again → 400 page, the tokens live on", async () => {
  const { agent } = await signedIn();
  const form = consentForm(await agent.get(authorizeUrl(server, client)));
  const callback = (await agent.submit(form, { decision: "allow" })).location ?? "";
  expect((await redeem(server, client, callback)).status).toBe(200);
  const request = form.fields.get("request") ?? "";
  for (const page of [
    await agent.submit(form, { decision: "allow" }),
    await agent.get(`/consent?${new URLSearchParams({ request })}`),
  ])
    expectPage400(page, "interaction_finished");
});

describe("SS-12 two requests in one browser", () => {
  test("of two clients, finished in reverse order → each answer has its own client, scope, redirect and state", async () => {
    const other = await server.addClient({ name: "Other", redirectUris: ["https://other.test/cb"] });
    const { agent } = await signedIn();
    const first = await agent.get(authorizeUrl(server, client, { scope: "read", state: "one" }));
    const second = await agent.get(authorizeUrl(server, other, { scope: "profile", state: "two" }));
    const answers = [];
    for (const page of [second, first])
      answers.push((await agent.submit(consentForm(page), { decision: "allow" })).location ?? "");
    const [two, one] = answers.map((answer) => new URL(answer));
    expect([two?.origin, two?.searchParams.get("state")]).toEqual(["https://other.test", "two"]);
    expect([one?.origin, one?.searchParams.get("state")]).toEqual(["https://app.test", "one"]);
    expect((await redeem(server, other, one ?? "")).body.error).toBe("invalid_grant");
    expect((await redeem(server, other, two ?? "")).body.scope).toBe("profile");
    expect((await redeem(server, client, one ?? "")).body.scope).toBe("read");
  });

  test("fields of one form in the other → what is sealed counts, not what stands beside it", async () => {
    const other = await server.addClient({ redirectUris: ["https://other.test/cb"] });
    const { agent } = await signedIn();
    const form = consentForm(await agent.get(authorizeUrl(server, client)));
    // A form may name the owner. If this person can't act for that owner, the server refuses.
    expect((await agent.submit(form, { decision: "allow", owner: "somebody" })).status).toBe(400);
    const answer = await agent.submit(form, {
      decision: "allow",
      client_id: other.clientId,
      redirect_uri: "https://other.test/cb",
      scope: ["profile", "write", "admin"],
      state: "evil",
      response_mode: "form_post",
    });
    expect(answer.location?.href.startsWith("https://app.test/cb?code=")).toBe(true);
    expect(answer.location?.searchParams.get("state")).toBe("a state");
    expect((await redeem(server, client, answer.location ?? "")).body.scope).toBe("read");
  });
});

describe("SS-23 the sealed request", () => {
  test("changed in any place, cut, joined, another one's parts → 400 page", async () => {
    const { agent } = await signedIn();
    const form = consentForm(await agent.get(authorizeUrl(server, client)));
    const sealed = form.fields.get("request") ?? "";
    const second =
      consentForm(await agent.get(authorizeUrl(server, client, { scope: "read write" }))).fields.get("request") ?? "";
    const step = Math.max(1, Math.floor(sealed.length / 60));
    const bent: string[] = [];
    for (let at = 0; at < sealed.length; at += step)
      bent.push(sealed.slice(0, at) + (sealed[at] === "A" ? "B" : "A") + sealed.slice(at + 1));
    bent.push(
      "",
      "A",
      sealed.slice(1),
      sealed.slice(0, -4),
      sealed + sealed,
      sealed.slice(0, 60) + second.slice(60),
      `${sealed}=`,
      "A".repeat(40_000),
    );
    bent.push(
      Buffer.from(JSON.stringify([authorizeUrl(server, client), server.now(), "x", "y"])).toString("base64url"),
    );
    for (const request of bent) {
      expectPage400(await agent.submit(form, { request, decision: "allow" }), "interaction_unknown");
      if (request.length < 8000) expectPage400(await agent.get(`/consent?${new URLSearchParams({ request })}`));
    }
    expect((await agent.submit(form, { decision: "allow" })).status).toBe(302);
  });

  test("without its form: no request, or two → 400 page, or the first alone", async () => {
    const { agent } = await signedIn();
    for (const path of ["/consent", "/login/switch"])
      expectPage400(await agent.post(path, { decision: "allow" }), "interaction_unknown");
    expectPage400(await agent.get("/consent"), "interaction_unknown");
  });
});

describe("SS-19 prompt=login or max_age=0 with a session", () => {
  test.each([{ prompt: "login" }, { max_age: "0" }, { prompt: "select_account" }, { prompt: "login consent" }])(
    "%j → no way to a code without the password; left alone, the session stays and no code exists",
    async (extra) => {
      const { agent, username } = await signedIn();
      await authorize(agent, authorizeUrl(server, client), username);
      server.tick(5);
      const before = (await rowCounts(server.dataDir))["grants"];
      const page = await agent.get(authorizeUrl(server, client, extra));
      const request = signInForm(page).fields.get("request") ?? "";
      const csrf = (await agent.get("/account/apps")).forms[0]?.fields.get("csrf") ?? "";
      // Every page that needs a session asks for the password again.
      for (const again of [
        await agent.get(`/consent?${new URLSearchParams({ request })}`),
        await agent.get(`/login?${new URLSearchParams({ request })}`),
        await agent.post("/consent", { request, csrf, decision: "allow", duration: "forever" }),
        await agent.submit(signInForm(page), { username, password: "wrong" }),
        await agent.submit(signInForm(page), { username, password: "" }),
      ]) {
        expect([again.status, again.location]).toEqual([200, undefined]);
        signInForm(again);
      }
      expect((await rowCounts(server.dataDir))["grants"]).toBe(before);
      expect((await agent.get("/account/apps")).status).toBe(200);
    },
  );

  test("deny without the password → asked to sign in, no answer in the owner's name", async () => {
    const { agent } = await signedIn();
    server.tick(5);
    const request =
      signInForm(await agent.get(authorizeUrl(server, client, { prompt: "login" }))).fields.get("request") ?? "";
    const csrf = (await agent.get("/account/apps")).forms[0]?.fields.get("csrf") ?? "";
    signInForm(await agent.post("/consent", { request, csrf, decision: "deny" }));
  });
});

describe("SS-20 prompt=none never shows a page", () => {
  const none = (extra: Record<string, string> = {}) => authorizeUrl(server, client, { prompt: "none", ...extra });

  test("no session → login_required; a session without consent → consent_required; both → the code", async () => {
    expectRedirectError(await new Agent(server.issuer).get(none()), server, "login_required");
    const { agent, username } = await signedIn();
    expectRedirectError(await agent.get(none()), server, "consent_required");
    await authorize(agent, authorizeUrl(server, client), username);
    expect((await agent.get(none())).location?.searchParams.get("code")).toMatch(/^ac_/);
    expectRedirectError(await agent.get(none({ scope: "read write" })), server, "consent_required");
    server.tick(2000);
    expectRedirectError(await agent.get(none({ max_age: "1" })), server, "login_required");
  });

  test.each(["none login", "none consent", "login none", "none none", "None", "nothing", "login  consent", " none"])(
    "%j → invalid_request",
    async (prompt) => {
      const { agent } = await signedIn();
      expectRedirectError(await agent.get(authorizeUrl(server, client, { prompt })), server, "invalid_request");
    },
  );

  test("a public client at a redirect that anybody on the device may claim → consent_required, whatever was allowed", async () => {
    const native = await server.addClient({
      type: "public",
      redirectUris: ["com.example.app:/cb"],
      requirePkce: false,
    });
    const fields = { code_challenge: "A".repeat(43), code_challenge_method: "S256" };
    const { agent, username } = await signedIn();
    await authorize(agent, authorizeUrl(server, native, fields), username);
    const page = await agent.get(authorizeUrl(server, native, { ...fields, prompt: "none" }));
    expectRedirectError(page, server, "consent_required", { redirectUri: "com.example.app:/cb" });
  });
});

describe("SS-26 login_hint", () => {
  test.each([
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'",
    "</title><script>alert(1)</script>",
    "{{7*7}}",
    "\u202egnp.exe",
    "&quot;&lt;",
  ])("%j → the field's value, nothing else; not in the log", async (login_hint) => {
    const mark = server.log.length;
    const page = await new Agent(server.issuer).get(authorizeUrl(server, client, { login_hint }));
    expect(inputValue(page, "username")).toBe(login_hint);
    expect(page.text).not.toContain("<img");
    expect(page.text).not.toContain("<script>");
    expect(logSince(server, mark)).not.toContain("alert");
  });

  test("a long one → cut to what a name may have", async () => {
    const page = await new Agent(server.issuer).get(authorizeUrl(server, client, { login_hint: "x".repeat(2048) }));
    expect(signInForm(page).fields.get("username")).toHaveLength(254);
  });
});

test("signing in with somebody else's consent page open → asked again as the new person, no grant of theirs", async () => {
  const { agent } = await signedIn();
  const open = await atConsent(agent, authorizeUrl(server, client), "");
  const { username, partition, personId } = await server.addPerson();
  await signIn(agent, username, await agent.get(authorizeUrl(server, client, { prompt: "login" })));
  const stale = await agent.submit(consentForm(open), { decision: "allow" });
  expect([stale.status, stale.location]).toEqual([403, undefined]);
  expect(stale.text).toContain(username);
  expect(await server.assent.storage.consents.list({ partition, ownerId: personId, now: server.now() })).toEqual([]);
  expect((await agent.submit(consentForm(stale), { decision: "allow" })).status).toBe(302);
});
