/** UP-27: logout tokens that are forged, of another provider, used before, or garbage, at the address for a provider's back-channel logout. */

import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import { formWith, withSecondStep } from "../support/authenticator-app.ts";
import { Agent, signIn, unnumbered } from "../support/http-browser.ts";
import {
  addProvider,
  aSubject,
  ForgingProvider,
  isSignedIn,
  pressProvider,
  startServerForProviders,
} from "../support/sign-in-providers.ts";
import { settle, type TestServer } from "../support/test-server.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const CLIENT_SECRET = "a client secret with at least 32 bytes in it";
let server: TestServer;
let there: ForgingProvider;
let other: ForgingProvider;
let provider: SignInProvider;
let otherProvider: SignInProvider;

beforeAll(async () => {
  server = await startServerForProviders();
  [there, other] = await Promise.all([ForgingProvider.start(server.now), ForgingProvider.start(server.now)]);
  provider = await addProvider(server, there.issuer, { clientSecret: CLIENT_SECRET });
  otherProvider = await addProvider(server, other.issuer, { name: "Other ID" });
});
afterAll(() => Promise.all([server.stop(), there.stop(), other.stop()]));
afterEach(() => {
  there.answering = {};
});

type Claims = Readonly<Record<string, unknown>>;

let made = 0;
function genuine(changes: Claims = {}): Record<string, unknown> {
  made += 1;
  const iat = Math.floor(server.now() / 1000);
  const claims = {
    ...{ iss: there.issuer, aud: provider.clientId, iat, exp: iat + 120, jti: `logout-${made}` },
    events: { [EVENT]: {} },
    ...changes,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

const signed = (claims: Claims, { key = there.key, header = {} }: { key?: KeyObject; header?: object } = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "k1", typ: "logout+jwt", ...header }).sign(key);

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

const postForm = (body: string | undefined, id = provider.id, headers: Record<string, string> = {}) =>
  fetch(`${server.issuer}/login/provider/${id}/backchannel-logout`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    ...(body === undefined ? {} : { body }),
  });
const post = (token: string, id?: string) => postForm(`logout_token=${encodeURIComponent(token)}`, id);

/** A browser that signed in at the provider. */
async function signedInThere(claims: Claims, at = there, by = provider): Promise<Agent> {
  const agent = new Agent(server.issuer);
  const begun = await pressProvider(agent, await agent.get("/login"), by);
  await agent.follow(await agent.get(at.callback(begun, {}, claims)));
  expect(await isSignedIn(agent)).toBe(true);
  return agent;
}

async function expectRefused(answer: Response): Promise<void> {
  expect(answer.status).toBe(400);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(await answer.json()).toMatchObject({ error: "invalid_request" });
}

describe("UP-27 a logout token that is not the provider's, or not for this", () => {
  let agent: Agent;
  let ada: ReturnType<typeof aSubject> & { readonly sid: string };
  beforeAll(async () => {
    ada = { ...aSubject(), sid: "session-there" };
    agent = await signedInThere(ada);
  });

  const { privateKey: stranger } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  test.each<[string, () => Claims]>([
    ["another issuer", () => ({ iss: other.issuer })],
    ["the issuer with a slash", () => ({ iss: `${there.issuer}/` })],
    ["no issuer", () => ({ iss: undefined })],
    ["another audience", () => ({ aud: "another client" })],
    ["another audience beside ours", () => ({ aud: [provider.clientId, "another client"] })],
    ["no audience", () => ({ aud: undefined })],
    ["an empty audience", () => ({ aud: [] })],
    ["an exp that has passed", () => ({ exp: Math.floor(server.now() / 1000) - 61 })],
    ["no exp", () => ({ exp: undefined })],
    ["an exp that is a text", () => ({ exp: "tomorrow" })],
    ["an iat of 11 minutes ago", () => ({ iat: Math.floor(server.now() / 1000) - 660 })],
    ["an iat in 2 minutes", () => ({ iat: Math.floor(server.now() / 1000) + 120 })],
    ["no iat", () => ({ iat: undefined })],
    ["no events", () => ({ events: undefined })],
    ["another event", () => ({ events: { "https://schemas.example/other": {} } })],
    ["an event that is no object", () => ({ events: { [EVENT]: true } })],
    ["events as a list", () => ({ events: [EVENT] })],
    ["a nonce", () => ({ nonce: "n" })],
    ["an empty nonce", () => ({ nonce: "" })],
    ["neither sub nor sid", () => ({ sub: undefined, sid: undefined })],
    ["a sub that is a number", () => ({ sub: 7 })],
    ["a sid that is an object", () => ({ sid: {} })],
    ["a sid of 256 characters", () => ({ sid: "x".repeat(256) })],
    ["no jti", () => ({ jti: undefined })],
    ["a jti of 10,000 characters", () => ({ jti: "x".repeat(10_000) })],
  ])("%s → 400, and nobody is signed out", async (_, changes) => {
    await expectRefused(await post(await signed(genuine({ sub: ada.sub, sid: ada.sid, ...changes() }))));
    expect(await isSignedIn(agent)).toBe(true);
  });

  test.each<[string, () => Promise<string> | string]>([
    ["alg none", () => `${part({ alg: "none" })}.${part(genuine({ sub: ada.sub }))}.`],
    ["alg none with a signature", () => `${part({ alg: "none" })}.${part(genuine({ sub: ada.sub }))}.AAAA`],
    [
      "HS256 with the client secret",
      () => {
        const text = `${part({ alg: "HS256" })}.${part(genuine({ sub: ada.sub }))}`;
        return `${text}.${createHmac("sha256", CLIENT_SECRET).update(text).digest("base64url")}`;
      },
    ],
    ["another key with the same kid", () => signed(genuine({ sub: ada.sub }), { key: stranger })],
    ["an unknown kid", () => signed(genuine({ sub: ada.sub }), { header: { kid: "k2" } })],
    ["the type of an access token", () => signed(genuine({ sub: ada.sub }), { header: { typ: "at+jwt" } })],
    [
      "a critical extension",
      () => signed(genuine({ sub: ada.sub }), { header: { crit: ["x"], x: 1 } }).catch(() => ""),
    ],
    [
      "changed claims under a genuine signature",
      async () => {
        const [header, , signature] = (await signed(genuine({ sub: "somebody else" }))).split(".");
        return `${header}.${part(genuine({ sub: ada.sub }))}.${signature}`;
      },
    ],
    [
      "a name twice",
      () => {
        const claims = JSON.stringify(genuine({ sub: "somebody else" })).replace("{", `{"sub":"${ada.sub}",`);
        return `${part({ alg: "RS256" })}.${Buffer.from(claims).toString("base64url")}.AAAA`;
      },
    ],
    ["an empty text", () => ""],
    ["garbage", () => "garbage"],
    ["dots", () => ".".repeat(8_000)],
    ["60,000 characters", () => "x".repeat(60_000)],
  ])("%s → 400, and nobody is signed out", async (_, token) => {
    await expectRefused(await post(await token()));
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("a genuine token of provider Q at the address of P, and one of P at the address of Q → 400", async () => {
    const ofOther = { iss: other.issuer, aud: otherProvider.clientId, sub: ada.sub };
    await expectRefused(await post(await signed(genuine(ofOther), { key: other.key })));
    await expectRefused(await post(await signed(genuine({ sub: ada.sub })), otherProvider.id));
    // Q names our client at P, and signs itself.
    await expectRefused(await post(await signed(genuine({ sub: ada.sub }), { key: other.key })));
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("the same subject and session at Q, named by Q → P's session stays", async () => {
    const claims = { iss: other.issuer, aud: otherProvider.clientId, sub: ada.sub, sid: ada.sid };
    expect((await post(await signed(genuine(claims), { key: other.key }), otherProvider.id)).status).toBe(200);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("an ID token of this very sign-in → 400", async () => {
    const iat = Math.floor(server.now() / 1000);
    const idToken = { iss: there.issuer, aud: provider.clientId, sub: ada.sub, iat, exp: iat + 300, sid: ada.sid };
    await expectRefused(await post(await signed(idToken, { header: { typ: undefined } })));
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("no token, two tokens, JSON, 1 MB, a GET → refused; an unknown provider → 400", async () => {
    const token = await signed(genuine({ sub: ada.sub }));
    await expectRefused(await postForm(undefined));
    await expectRefused(await postForm(`logout_token=${token}&logout_token=${token}`));
    await expectRefused(
      await fetch(`${server.issuer}/login/provider/${provider.id}/backchannel-logout`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ logout_token: token }),
      }),
    );
    expect((await fetch(`${server.issuer}/login/provider/${provider.id}/backchannel-logout`)).status).toBe(405);
    await expectRefused(await post(token, "p7HOedITz7e8y2dJc36xow"));
    expect(await isSignedIn(agent)).toBe(true);
    // The server closes this connection, so nothing comes behind it on the same one.
    const large = await postForm(`logout_token=${"x".repeat(1_048_576)}`).catch(() => undefined);
    expect([413, undefined]).toContain(large?.status);
  });

  test("a disabled provider → 400 as for an unknown one", async () => {
    const off = await addProvider(server, "http://127.0.0.1:9/nobody", { status: "disabled" });
    const [unknown, disabled] = await Promise.all([
      post(await signed(genuine({ sub: ada.sub })), "unknown"),
      post(await signed(genuine({ iss: off.issuer, aud: off.clientId, sub: ada.sub })), off.id),
    ]);
    expect(disabled.status).toBe(400);
    expect(unnumbered(await disabled.text())).toBe(unnumbered(await unknown.text()));
  });
});

describe("UP-27 a flood", () => {
  test("500 texts that no key is needed to refuse → the provider is not asked once", async () => {
    const fresh = await ForgingProvider.start(server.now);
    const asked: string[] = [];
    const note = (request: IncomingMessage, response: ServerResponse) => {
      asked.push(request.url ?? "");
      response.end();
    };
    fresh.answering = { instead: { "/jwks": note, "/.well-known/openid-configuration": note } };
    const unused = await addProvider(server, fresh.issuer);
    const old = { iss: fresh.issuer, aud: unused.clientId, sub: "x", iat: 1_700_000_000 };
    const tokens = ["garbage", await signed(genuine(old)), await signed(genuine({ aud: unused.clientId, sub: "x" }))];
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, at) => post(tokens[at % tokens.length] ?? "", unused.id)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    expect(asked).toEqual([]);
    await fresh.stop();
  });

  test("100 plausible tokens while the provider is away → it is asked at most a few times; others sign in", async () => {
    const away = await ForgingProvider.start(server.now);
    const asked: string[] = [];
    away.answering = {
      instead: {
        "/.well-known/openid-configuration": (request, response) => {
          asked.push(request.url ?? "");
          response.writeHead(500).end();
        },
      },
    };
    const gone = await addProvider(server, away.issuer);
    const claims = { iss: away.issuer, aud: gone.clientId, sub: "x" };
    for (let round = 0; round < 4; round += 1) {
      const tokens = await Promise.all(Array.from({ length: 25 }, () => signed(genuine(claims))));
      const answers = await Promise.all(tokens.map((token) => post(token, gone.id)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    }
    expect(asked.length).toBeLessThanOrEqual(2);
    await signedInThere(aSubject());
    await away.stop();
  });
});

describe("UP-27 a token that comes twice", () => {
  test("a replay after the person has signed in again → 400, and the new session stays", async () => {
    const bob = aSubject();
    const [first, second] = [await signedInThere(bob), await signedInThere(bob)];
    const token = await signed(genuine({ sub: bob.sub }));
    expect((await post(token)).status).toBe(200);
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, false]);
    const again = await signedInThere(bob);
    await expectRefused(await post(token));
    expect(await isSignedIn(again)).toBe(true);
    // Another token with the same `jti`.
    const { jti } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as { jti: string };
    await expectRefused(await post(await signed(genuine({ sub: bob.sub, jti }))));
    expect(await isSignedIn(again)).toBe(true);
  });

  test("20 at once → each session has ended once, and no answer is an error of the server", async () => {
    const carol = aSubject();
    const agents = await Promise.all([signedInThere(carol), signedInThere(carol)]);
    const token = await signed(genuine({ sub: carol.sub }));
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(token)));
    expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(await Promise.all(agents.map(isSignedIn))).toEqual([false, false]);
    const ends = server.log
      .map((line) => JSON.parse(line) as Claims)
      .filter((line) => line["event"] === "signed_out_elsewhere");
    const sum = ends.slice(-20).filter(({ provider: id }) => id === provider.id);
    expect(sum.length).toBeGreaterThan(0);
  });
});

describe("UP-27 which sessions end", () => {
  test("sid → that one alone; sub → every one of that identity; both → only if they belong together", async () => {
    const dora = aSubject();
    const [laptop, phone] = [
      await signedInThere({ ...dora, sid: "laptop" }),
      await signedInThere({ ...dora, sid: "phone" }),
    ];
    const eve = await signedInThere({ ...aSubject(), sid: "eve" });
    expect((await post(await signed(genuine({ sub: dora.sub, sid: "eve" })))).status).toBe(200);
    expect(await Promise.all([laptop, phone, eve].map(isSignedIn))).toEqual([true, true, true]);
    expect((await post(await signed(genuine({ sid: "laptop" })))).status).toBe(200);
    expect(await Promise.all([laptop, phone, eve].map(isSignedIn))).toEqual([false, true, true]);
    expect((await post(await signed(genuine({ sub: dora.sub })))).status).toBe(200);
    expect(await Promise.all([laptop, phone, eve].map(isSignedIn))).toEqual([false, false, true]);
  });

  test("the same person signed in by password → that session stays; at another provider → that one, too", async () => {
    const frank = { ...aSubject(), sid: "frank" };
    const person = await server.addPerson({ username: `frank-${made}` });
    const { partition, personId } = person;
    for (const [at, by] of [
      [there, provider],
      [other, otherProvider],
    ] as const) {
      const subject = { issuerId: by.id, claim: at.issuer, subject: frank.sub };
      const link = { partition, personId, subject, sole: true, madeBy: "operator", now: server.now() } as const;
      expect((await server.assent.storage.subjectLinks.link(link)).kind).toBe("linked");
    }
    await settle();
    const byPassword = new Agent(server.issuer);
    await signIn(byPassword, person.username);
    const [here, elsewhere] = [await signedInThere(frank), await signedInThere(frank, other, otherProvider)];
    expect((await post(await signed(genuine({ sub: frank.sub })))).status).toBe(200);
    expect(await Promise.all([byPassword, here, elsewhere].map(isSignedIn))).toEqual([true, false, true]);
  });

  test("a second step here after the sign-in there → that session ends, too", async () => {
    const gina = { ...aSubject(), sid: "gina" };
    const { app, person } = await withSecondStep(server, await server.addPerson({ username: `gina-${made}` }));
    const { partition, personId } = person;
    const subject = { issuerId: provider.id, claim: there.issuer, subject: gina.sub };
    const link = { partition, personId, subject, sole: true, madeBy: "operator", now: server.now() } as const;
    expect((await server.assent.storage.subjectLinks.link(link)).kind).toBe("linked");
    const agent = new Agent(server.issuer);
    const begun = await pressProvider(agent, await agent.get("/login"), provider);
    const asked = await agent.follow(await agent.get(there.callback(begun, {}, gina)));
    await agent.follow(await agent.submit(formWith(asked, "code"), { code: app.code() }));
    expect(await isSignedIn(agent)).toBe(true);
    expect((await post(await signed(genuine({ sid: gina.sid })))).status).toBe(200);
    expect(await isSignedIn(agent)).toBe(false);
  });
});
