/** The way back from another provider: whose callback it is, how often it counts, and a provider that is slow or hostile. */

import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import { Agent, type Page, signIn } from "../support/http-browser.ts";
import {
  ACCESS_TOKEN,
  addProvider,
  aSubject,
  ForgingProvider,
  isSignedIn,
  pressProvider,
  signInThere,
  withForgingProvider,
} from "../support/sign-in-providers.ts";
import type { TestServer } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

const CLIENT_SECRET = "the client secret of a test";
let server: TestServer;
let there: ForgingProvider;
let provider: SignInProvider;

withForgingProvider(async (at) => {
  ({ server, there } = at);
  provider = await addProvider(server, there.issuer, { clientSecret: CLIENT_SECRET });
});

/** A browser that is at the provider, and a genuine callback for it. */
async function atProvider(claims = aSubject()) {
  const agent = new Agent(server.issuer);
  const begun = await pressProvider(agent, await agent.get("/login"), provider);
  return { agent, begun, callback: there.callback(begun, {}, claims), claims };
}

const withState = (callback: string, change: (state: string) => string) => {
  const url = new URL(callback);
  url.searchParams.set("state", change(url.searchParams.get("state") ?? ""));
  return url.href;
};

/** The same bytes in another spelling: the last character of base64url can have bits that no byte has. */
const respelled = (text: string) => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const others = [...alphabet].map((last) => text.slice(0, -1) + last).filter((one) => one !== text);
  const bytes = Buffer.from(text, "base64url");
  return others.find((one) => Buffer.from(one, "base64url").equals(bytes)) ?? text;
};

/** Who is signed in, as the page says. */
const personOf = async (agent: Agent) =>
  /Signed in as <bdi class="name">([^<]*)</.exec((await agent.get("/account/apps")).text)?.[1] ?? null;

describe("UP-20 a callback that is not this browser's, or not the first", () => {
  /** Refused without a question to the provider. The browser can start again on that page. */
  async function expectStale(agent: Agent, callback: string, method = "GET") {
    const before = there.codes.length;
    const page = await agent.request(method, callback);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining("Start again.")]);
    expect(page.forms.some(({ action }) => action.endsWith("/login/provider"))).toBe(true);
    expect([there.codes.length, await isSignedIn(agent)]).toEqual([before, false]);
  }

  test("the state is altered, cut, empty, missing, doubled, or of 10 kB → the code is not sent", async () => {
    const { agent, callback } = await atProvider();
    const flipped = (state: string) => (state.startsWith("A") ? "B" : "A") + state.slice(1);
    for (const changed of [
      withState(callback, flipped),
      withState(callback, (state) => state.slice(0, -4)),
      withState(callback, () => ""),
      withState(callback, () => "a state"),
      withState(callback, (state) => state + "A".repeat(10_000 - state.length)),
      callback.replace(/&state=[^&]*/, ""),
      `${callback}&state=${new URL(callback).searchParams.get("state")}`,
    ])
      await expectStale(agent, changed);
    expect((await agent.get(callback)).status).toBe(303);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("older than 10 minutes → the code is not sent; at 10 minutes → signed in", async () => {
    const stands = server.stand();
    const [old, justInTime] = [await atProvider(), await atProvider()];
    server.tick(600_000);
    expect((await justInTime.agent.get(justInTime.callback)).status).toBe(303);
    server.tick(1);
    await expectStale(old.agent, old.callback);
    stands();
  });

  test("opened in another browser, as by somebody who reads a log → the code is not sent; its own still counts", async () => {
    const { agent, callback } = await atProvider();
    await expectStale(new Agent(server.issuer), callback);
    const thief = new Agent(server.issuer);
    await thief.get("/login");
    await expectStale(thief, callback);
    await agent.get(callback);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("mallory's callback opened in alice's browser → alice stays who she is", async () => {
    const mallory = await atProvider();
    const alice = await server.addPerson();
    const agent = new Agent(server.issuer);
    await expectStale(agent, mallory.callback);
    await signIn(agent, alice.username);
    expect((await agent.get(mallory.callback)).status).toBe(400);
    expect(await personOf(agent)).toBe(alice.name);
  });

  test("alice's callback with mallory's code → no session: the nonce is another", async () => {
    const [mallory, alice] = [await atProvider(), await atProvider()];
    const code = new URL(mallory.callback).searchParams.get("code") ?? "";
    const url = new URL(alice.callback);
    url.searchParams.set("code", code);
    expect((await alice.agent.get(url.href)).status).toBe(400);
    expect(await isSignedIn(alice.agent)).toBe(false);
  });

  test("by POST, HEAD, PUT → 405 or nothing; the code is not sent", async () => {
    const { agent, callback } = await atProvider();
    const before = there.codes.length;
    expect((await agent.request("POST", callback)).status).toBe(405);
    expect((await agent.request("POST", callback.split("?", 1)[0] ?? "", new URL(callback).searchParams)).status).toBe(
      405,
    );
    expect((await agent.request("PUT", callback)).status).toBe(405);
    expect([there.codes.length, await isSignedIn(agent)]).toEqual([before, false]);
  });

  test("opened again, and respelled → the code was sent once; the signed-in browser goes on", async () => {
    const { agent, callback } = await atProvider();
    const before = there.codes.length;
    await agent.get(callback);
    expect((await agent.get(callback)).location?.pathname).toBe("/account/apps");
    expect((await agent.get(withState(callback, respelled))).status).toBe(303);
    const copy = new Agent(server.issuer);
    for (const [name, value] of agent.cookies) if (!name.includes("session")) copy.cookies.set(name, value);
    await expectStale(copy, callback);
    await expectStale(copy, withState(callback, respelled));
    expect(there.codes.length).toBe(before + 1);
  });

  test("20 times at once → the code is sent once, and there is one session", async () => {
    const { agent, callback } = await atProvider();
    const before = there.codes.length;
    const pages = await Promise.all(Array.from({ length: 20 }, () => agent.get(callback)));
    const started = pages.filter(({ headers }) => headers.getSetCookie().some((one) => /session=[^;]/.test(one)));
    expect([there.codes.length - before, started.length]).toEqual([1, 1]);
  });

  test("two codes → neither is sent", async () => {
    const { agent, callback } = await atProvider();
    const before = there.codes.length;
    expect((await agent.get(`${callback}&code=another`)).status).toBe(400);
    expect([there.codes.length, await isSignedIn(agent)]).toEqual([before, false]);
  });
});

describe("UP-21 many at once", () => {
  test("100 people through two providers → each has their own account, at the first or a further try", async () => {
    const other = await ForgingProvider.start(server.now);
    const second = await addProvider(server, other.issuer);
    const people = Array.from({ length: 100 }, aSubject);
    const agents = await Promise.all(
      people.map(async (claims, at) => {
        const agent = new Agent(server.issuer);
        const [from, own] = at % 2 === 0 ? [there, provider] : [other, second];
        // Both providers use the same subjects: a subject belongs to its provider.
        const sub = people[at - (at % 2)]?.sub;
        let page = await agent.get("/login");
        // A busy machine can be too slow for 100 at once. The page of that has the button again.
        for (let tries = 0; tries < 5 && page.status !== 303; tries += 1) {
          const begun = await pressProvider(agent, page, own);
          page = begun.location === undefined ? begun : await agent.get(from.callback(begun, {}, { ...claims, sub }));
          if (page.status !== 303) await sleep(500);
        }
        return { agent, claims, page };
      }),
    );
    expect(agents.map(({ page }) => page.status)).toEqual(people.map(() => 303));
    const names = await Promise.all(agents.map(({ agent }) => personOf(agent)));
    expect(names).toEqual(people.map(({ preferred_username }) => preferred_username));
    await other.stop();
  });

  test(
    "8 people, and 2 of them get no answer from the provider → a page with the button, and a second try gives each their own account",
    byTheClock,
    async () => {
      const other = await ForgingProvider.start(server.now);
      const own = await addProvider(server, other.issuer);
      let left = 2;
      const genuine = (request: IncomingMessage, response: ServerResponse) => {
        left -= 1;
        if (left >= 0) return;
        other.answering = {};
        void other.answer(request, response);
      };
      other.answering = { instead: { "/token": genuine } };
      const people = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const claims = aSubject();
          const agent = new Agent(server.issuer);
          const begun = await pressProvider(agent, await agent.get("/login"), own);
          return { agent, claims, page: await agent.get(other.callback(begun, {}, claims)) };
        }),
      );
      const without = people.filter(({ page }) => page.status === 503);
      expect(without).toHaveLength(2);
      for (const { agent, claims, page } of without) {
        expect(page.text).toContain("isn’t answering at the moment");
        const begun = await pressProvider(agent, page, own);
        expect((await agent.get(other.callback(begun, {}, claims))).status).toBe(303);
      }
      const names = await Promise.all(people.map(({ agent }) => personOf(agent)));
      expect(names).toEqual(people.map(({ claims }) => claims.preferred_username));
      await other.stop();
    },
  );

  test("10 first sign-ins of one subject at once → one account, and everybody is in it", async () => {
    const claims = aSubject();
    const begun = await Promise.all(Array.from({ length: 10 }, () => atProvider(claims)));
    const pages = await Promise.all(begun.map(({ agent, callback }) => agent.get(callback)));
    expect(pages.map(({ status }) => status)).toEqual(begun.map(() => 303));
    const links = await server.assent.storage.subjectLinks.list({ issuerId: provider.id, limit: 1_000, after: null });
    expect(links.filter(({ subject }) => subject === claims.sub)).toHaveLength(1);
    for (const { agent } of begun) expect(await personOf(agent)).toBe(claims.preferred_username);
  });
});

describe("UP-23 a provider that is slow, or answers what nobody asked", () => {
  const never = () => undefined;
  const json = (body: unknown) => (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));

  /** The last page of a sign-in at a provider that answers like that, and what the log says. */
  async function signInAtOther(answering: (other: ForgingProvider) => ForgingProvider["answering"]) {
    const other = await ForgingProvider.start(server.now);
    const own = await addProvider(server, other.issuer);
    other.answering = { claims: aSubject(), ...answering(other) };
    const agent = new Agent(server.issuer);
    const begun = await pressProvider(agent, await agent.get("/login"), own);
    const page = begun.location === undefined ? begun : await agent.get(other.callback(begun));
    const events = server.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    const event = events.find((one) => one["event"] === "sign_in_elsewhere_failed" && one["provider"] === own.id);
    const signedIn = await isSignedIn(agent);
    await other.stop();
    return { page, event, signedIn };
  }

  const expectUnreachable = ({ page, signedIn }: { page: Page; signedIn: boolean }) => {
    expect([page.status, page.headers.get("retry-after"), signedIn]).toEqual([503, "60", false]);
    expect(page.text).toContain("isn’t answering at the moment");
    expect(page.forms.some(({ fields }) => fields.has("password"))).toBe(true);
  };

  test(
    "no answer to the first question, for a token, for keys → a page that says so, and people with a password sign in meanwhile",
    byTheClock,
    async () => {
      const began = performance.now();
      const paths = ["/.well-known/openid-configuration", "/token", "/jwks"];
      const waits = Promise.all(paths.map((path) => signInAtOther(() => ({ instead: { [path]: never } }))));
      const person = await server.addPerson();
      const agent = new Agent(server.issuer);
      await signIn(agent, person.username);
      expect(await isSignedIn(agent)).toBe(true);
      for (const outcome of await waits) expectUnreachable(outcome);
      expect(performance.now() - began).toBeLessThan(15_000);
    },
  );

  test(
    "40 people wait for it at once → all get that page, then it is left alone, and another provider works",
    byTheClock,
    async () => {
      const other = await ForgingProvider.start(server.now);
      const own = await addProvider(server, other.issuer);
      const begun = await Promise.all(
        Array.from({ length: 40 }, async () => {
          const agent = new Agent(server.issuer);
          return { agent, at: await pressProvider(agent, await agent.get("/login"), own) };
        }),
      );
      other.answering = { instead: { "/token": never } };
      const pages = Promise.all(begun.map(({ agent, at }) => agent.get(other.callback(at))));
      expect(await isSignedIn((await atProviderAndBack()).agent)).toBe(true);
      expect((await pages).map(({ status }) => status)).toEqual(begun.map(() => 503));
      const late = new Agent(server.issuer);
      const began = performance.now();
      expect((await late.get(other.callback(await pressProvider(late, await late.get("/login"), own)))).status).toBe(
        503,
      );
      expect(performance.now() - began).toBeLessThan(3_000);
      await other.stop();
    },
  );

  async function atProviderAndBack() {
    const one = await atProvider();
    await one.agent.get(one.callback);
    return one;
  }

  test.each([
    ...["/.well-known/openid-configuration", "/token", "/jwks", "/userinfo"].map((path) => [path, 500] as const),
    ["/token", 503] as const,
  ])("%s answers %i → a page that says that the provider doesn't answer", async (path, status) => {
    const broken = (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(status, { "content-type": "application/json" }).end('{"error":"internal"}');
    const claims = path === "/userinfo" ? { ...aSubject(), email: undefined } : aSubject();
    const outcome = await signInAtOther(() => ({ claims, instead: { [path]: broken } }));
    expectUnreachable(outcome);
    expect(outcome.event).toMatchObject({ fault: "unreachable", detail: `${path}: status ${status}` });
  });

  test.each(["server_error", "temporarily_unavailable"])(
    "the callback says %j → a page that says that the provider doesn't answer",
    async (error) => {
      const { agent, begun } = await atProvider();
      const page = await agent.get(there.callback(begun, { code: undefined, error }));
      expectUnreachable({ page, signedIn: await isSignedIn(agent) });
      const event = server.log.findLast((line) => line.includes("sign_in_elsewhere_failed")) ?? "{}";
      expect(JSON.parse(event)).toMatchObject({ fault: "unreachable", detail: expect.stringContaining(error) });
    },
  );

  test("keys that fail with 500, and are there a moment later → the next sign-in works", async () => {
    const other = await ForgingProvider.start(server.now);
    const own = await addProvider(server, other.issuer);
    other.answering = {
      claims: aSubject(),
      instead: { "/jwks": (_, response) => void response.writeHead(500).end("{}") },
    };
    expect((await signInThere(new Agent(server.issuer), other, own)).status).toBe(503);
    other.answering = { claims: aSubject() };
    expect((await signInThere(new Agent(server.issuer), other, own)).status).toBe(200);
    await other.stop();
  });

  test.each(["/.well-known/openid-configuration", "/token", "/jwks", "/userinfo"])(
    "10 MB from %s → not read, not signed in",
    async (path) => {
      const large = (_: IncomingMessage, response: ServerResponse) => {
        response.on("error", never);
        response.writeHead(200, { "content-type": "application/json" });
        response.end(Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(10_000_000, 97), Buffer.from('"}')]));
      };
      const claims = path === "/userinfo" ? { ...aSubject(), email: undefined } : aSubject();
      const outcome = await signInAtOther(() => ({ claims, instead: { [path]: large } }));
      expectUnreachable(outcome);
      expect(outcome.event).toMatchObject({ fault: "unreachable", detail: expect.stringContaining("bad_answer") });
    },
  );

  test("metadata of another issuer, or of the same one with a slash → the browser is not sent there", async () => {
    for (const issuer of ["https://accounts.example.com", "+/"]) {
      const { page, event } = await signInAtOther((other) => ({
        metadata: { issuer: issuer === "+/" ? `${other.issuer}/` : issuer },
      }));
      expect([page.status, page.location, event]).toMatchObject([400, undefined, { fault: "unverified" }]);
    }
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/authorize", ""])(
    "an authorization endpoint %j → the browser is not sent there",
    async (authorization_endpoint) => {
      const { page } = await signInAtOther(() => ({ metadata: { authorization_endpoint } }));
      expect([page.status, page.location]).toEqual([400, undefined]);
    },
  );

  test.each([
    "http://10.0.0.1/token",
    "https://10.0.0.1/token",
    "http://169.254.169.254/latest/meta-data",
    "https://[::ffff:192.168.0.1]/token",
    "https://0x0a000001/token",
    "file:///etc/passwd",
  ])("a token endpoint %s → no request", async (token_endpoint) => {
    const { event, signedIn } = await signInAtOther(() => ({ metadata: { token_endpoint } }));
    expect([event?.["detail"], signedIn]).toEqual([expect.stringMatching(/refused|REQUEST_PROTOCOL_FORBIDDEN/), false]);
  });

  test.each(["jwks_uri", "userinfo_endpoint"])("a private address as %s → no request", async (name) => {
    const { event, signedIn } = await signInAtOther(() => ({
      claims: { ...aSubject(), email: undefined },
      metadata: { [name]: "https://10.0.0.1/here" },
    }));
    expect([event?.["detail"], signedIn]).toEqual([expect.stringContaining("refused"), false]);
  });

  test.each([301, 302, 307, 308])(
    "the token endpoint redirects with %i → not followed, not signed in",
    async (status) => {
      const followed: string[] = [];
      const { signedIn, page } = await signInAtOther((other) => ({
        instead: {
          "/token": (_, response) => void response.writeHead(status, { location: `${other.issuer}/elsewhere` }).end(),
          "/elsewhere": (request, response) => {
            followed.push(request.method ?? "");
            json({ access_token: ACCESS_TOKEN })(request, response);
          },
        },
      }));
      expect([page.status, signedIn, followed]).toEqual([400, false, []]);
    },
  );
});

describe("what stays secret", () => {
  test("sign-ins that succeed and fail → no line of the log has the code, a token, the state or the client secret", async () => {
    const good = await atProvider();
    await good.agent.get(good.callback);
    const bad = await atProvider();
    there.answering = { claims: { nonce: "another" } };
    await bad.agent.get(bad.callback);
    const odd = await atProvider();
    there.answering = {
      instead: {
        "/token": (request, response) => {
          let body = "";
          request.on("data", (part) => {
            body += String(part);
          });
          request.on("end", () => {
            const basic = Buffer.from(request.headers.authorization?.split(" ")[1] ?? "", "base64").toString();
            const said = { error: `${body} ${basic}`, error_description: body };
            response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(said));
          });
        },
      },
    };
    await odd.agent.get(odd.callback);
    const stale = await atProvider();
    await new Agent(server.issuer).get(stale.callback);
    // A signed checkpoint of the log of events is for everybody.
    const log = server.log.filter((line) => !line.includes('"event":"event_checkpoint"')).join("\n");
    expect(log).toContain(provider.id);
    for (const { callback } of [good, bad, odd, stale]) {
      const { searchParams } = new URL(callback);
      for (const name of ["code", "state"]) expect(log).not.toContain(searchParams.get(name));
    }
    const nonces = [good, bad, odd].map(({ begun }) => begun.location?.searchParams.get("nonce") ?? "");
    const form = encodeURIComponent(CLIENT_SECRET).replaceAll("%20", "+");
    for (const secret of [ACCESS_TOKEN, CLIENT_SECRET, form, "eyJ", "code_verifier", ...nonces])
      expect(log).not.toContain(secret);
  });

  test("the redirects and pages with the state in their address → no Referer, not stored", async () => {
    const { agent, begun, callback } = await atProvider();
    const back = await agent.get(callback);
    const again = await new Agent(server.issuer).get(callback);
    for (const { headers } of [begun, back, again])
      expect([headers.get("referrer-policy"), headers.get("cache-control")]).toEqual(["no-referrer", "no-store"]);
  });

  test("what the browser carries to the provider → says nothing of the person, and the challenge fits no state", async () => {
    const { begun } = await atProvider();
    const asked = begun.location?.searchParams;
    expect([asked?.get("code_challenge_method"), asked?.get("response_type")]).toEqual(["S256", "code"]);
    const state = Buffer.from(asked?.get("state") ?? "", "base64url").toString("latin1");
    expect(state).not.toContain(provider.id);
    expect(
      createHash("sha256")
        .update(asked?.get("nonce") ?? "")
        .digest("base64url"),
    ).not.toBe(asked?.get("code_challenge"));
  });
});
