/** What another OpenID Connect provider, or somebody in its name, can answer (OpenID Connect Core §3.1.3.7, RFC 9207). */

import { createHash, createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { ServerResponse } from "node:http";
import { exportJWK, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import { Agent, type Page } from "../support/http-browser.ts";
import {
  ACCESS_TOKEN,
  type Answering,
  addProvider,
  aSubject,
  ForgingProvider,
  isSignedIn,
  pressProvider,
  signInThere,
  withForgingProvider,
} from "../support/sign-in-providers.ts";
import type { TestServer } from "../support/test-server.ts";

const CLIENT_SECRET = "the client secret of a test";
let server: TestServer;
let there: ForgingProvider;
let provider: SignInProvider;

withForgingProvider(async (at) => {
  ({ server, there } = at);
  provider = await addProvider(server, there.issuer, { clientSecret: CLIENT_SECRET });
});

const seconds = () => Math.floor(Date.now() / 1000);
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const failures = () =>
  server.log
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === "sign_in_elsewhere_failed");

/** A sign-in at `there`, which answers like that. */
async function signsIn(answering: Answering, changes: Record<string, string | undefined> = {}) {
  there.answering = { ...answering, claims: { ...aSubject(), ...answering.claims } };
  const agent = new Agent(server.issuer);
  const begun = await pressProvider(agent, await agent.get("/login"), provider);
  const page = await agent.follow(await agent.get(there.callback(begun, changes)));
  return { agent, page, signedIn: await isSignedIn(agent) };
}

/** The page of an answer that can't be believed. The log names the provider and the fault. */
async function expectUnverified({ agent, page, signedIn }: { agent: Agent; page: Page; signedIn: boolean }) {
  expect([page.status, page.text]).toEqual([400, expect.stringContaining("couldn’t be verified")]);
  expect(signedIn).toBe(false);
  expect((await agent.get("/account/security")).location?.pathname).toBe("/login");
  expect(failures().at(-1)).toMatchObject({ provider: provider.id, fault: "unverified" });
}

test("the genuine answer → signed in", async () => {
  const { page, signedIn } = await signsIn({});
  expect([page.status, signedIn]).toEqual([200, true]);
});

describe("UP-04 an ID token that was changed", () => {
  test.each([
    ["another issuer", { iss: "https://evil.test" }],
    ["the issuer with a final slash", { iss: "+/" }],
    ["another audience", { aud: "another-client" }],
    ["a further audience without azp", { aud: ["+", "another-client"] }],
    ["a further audience, azp of another client", { aud: ["+", "another-client"], azp: "another-client" }],
    ["azp of another client", { azp: "another-client" }],
    ["expired", { exp: seconds() - 3_600 }],
    ["issued a day ago", { iat: seconds() - 86_400 }],
    ["not valid yet", { nbf: seconds() + 3_600 }],
    ["no nonce", { nonce: undefined }],
    ["another nonce", { nonce: "another-nonce" }],
    ["no sub", { sub: undefined }],
    ["an empty sub", { sub: "" }],
    ["a sub that is a number", { sub: 7 }],
    ["a sub of 300 characters", { sub: "s".repeat(300) }],
    ["a sub with control characters", { sub: "root\u0000\n" }],
    ["a sub with a space at its end", { sub: "root " }],
    ["no exp", { exp: undefined }],
    ["no iat", { iat: undefined }],
  ])("%s → not signed in", async (_, changes) => {
    const clientId = provider.clientId;
    const own = Object.entries(changes).map(([name, value]) => {
      if (value === "+/") return [name, `${there.issuer}/`];
      return [name, Array.isArray(value) ? value.map((one) => (one === "+" ? clientId : one)) : value];
    });
    await expectUnverified(await signsIn({ claims: Object.fromEntries(own) }));
  });

  test("azp of this server's own client, alone and with several audiences → signed in", async () => {
    const { clientId: azp } = provider;
    expect((await signsIn({ claims: { azp } })).signedIn).toBe(true);
    expect((await signsIn({ claims: { azp, aud: [azp, "another-client"] } })).signedIn).toBe(true);
  });

  test.each(["none", "None", "HS256"])("alg %s, also announced → not signed in", async (alg) => {
    for (const announced of [["RS256"], [alg, "RS256"]]) {
      const other = await ForgingProvider.start();
      const own = await addProvider(server, other.issuer, { clientSecret: CLIENT_SECRET });
      other.answering = {
        claims: aSubject(),
        metadata: { id_token_signing_alg_values_supported: announced },
        idToken: (claims) => {
          const signed = `${base64url({ alg, kid: "k1" })}.${base64url(claims)}`;
          const mac = createHmac("sha256", CLIENT_SECRET).update(signed).digest("base64url");
          return `${signed}.${alg === "HS256" ? mac : ""}`;
        },
      };
      const agent = new Agent(server.issuer);
      const page = await signInThere(agent, other, own);
      expect([page.status, await isSignedIn(agent)]).toEqual([400, false]);
      await other.stop();
    }
  });

  test("HS256 with the provider's public key as the secret → not signed in", async () => {
    const idToken = async (claims: Record<string, unknown>) => {
      const signed = `${base64url({ alg: "HS256", kid: "k1" })}.${base64url(claims)}`;
      const { n } = await exportJWK(there.key);
      return `${signed}.${createHmac("sha256", Buffer.from(String(n), "base64url"))
        .update(signed)
        .digest("base64url")}`;
    };
    await expectUnverified(await signsIn({ idToken }));
  });

  test("another key under the same kid, a key in the header, a changed claim → not signed in", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const jwk = await exportJWK(publicKey);
    const byOther = (claims: Record<string, unknown>) =>
      new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "k1" }).sign(privateKey);
    const withKey = (claims: Record<string, unknown>) =>
      new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "k1", jwk }).sign(privateKey);
    const changed = async (claims: Record<string, unknown>, key: KeyObject) => {
      const genuine = await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "k1" }).sign(key);
      const [header, , signature] = genuine.split(".");
      return [header, base64url({ ...claims, sub: "root" }), signature].join(".");
    };
    for (const idToken of [byOther, withKey, changed]) await expectUnverified(await signsIn({ idToken }));
  });

  test("no ID token at all, or an empty one → not signed in", async () => {
    for (const rest of [{}, { id_token: "" }, { id_token: null }, { id_token: "a.b.c" }]) {
      const token = (_: unknown, response: ServerResponse) =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ access_token: ACCESS_TOKEN, token_type: "Bearer", ...rest }));
      await expectUnverified(await signsIn({ instead: { "/token": token } }));
    }
  });
});

describe("UP-05 the hash of the access token", () => {
  const half = (hash: string) => {
    const digest = createHash(hash).update(ACCESS_TOKEN).digest();
    return digest.subarray(0, digest.length / 2).toString("base64url");
  };

  test.each([
    ["of another token", "AAAAAAAAAAAAAAAAAAAAAA"],
    ["of another algorithm", half("sha512")],
    ["of the whole digest", createHash("sha256").update(ACCESS_TOKEN).digest("base64url")],
    ["empty", ""],
    ["null", null],
    ["an array with the right one", [half("sha256")]],
  ])("%s → not signed in", async (_, at_hash) => {
    await expectUnverified(await signsIn({ claims: { at_hash } }));
  });

  test("the right one → signed in", async () => {
    expect((await signsIn({ claims: { at_hash: half("sha256") } })).signedIn).toBe(true);
  });

  test("EdDSA: a wrong one → not signed in; the right one, by SHA-512 → signed in", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const key = { ...(await exportJWK(publicKey)), kid: "e1", alg: "EdDSA", use: "sig" };
    const other = await ForgingProvider.start();
    const own = await addProvider(server, other.issuer);
    for (const [at_hash, expected] of [
      [half("sha256"), false],
      [half("sha512"), true],
    ] as const) {
      other.answering = {
        claims: { ...aSubject(), at_hash },
        metadata: { id_token_signing_alg_values_supported: ["RS256", "EdDSA"] },
        instead: {
          "/jwks": (_, response) =>
            response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ keys: [key] })),
        },
        idToken: (claims) => new SignJWT(claims).setProtectedHeader({ alg: "EdDSA", kid: "e1" }).sign(privateKey),
      };
      const agent = new Agent(server.issuer);
      await signInThere(agent, other, own);
      expect(await isSignedIn(agent), at_hash).toBe(expected);
    }
    await other.stop();
  });

  test("an answer of the hybrid flow, with tokens in the callback → not signed in", async () => {
    await expectUnverified(await signsIn({}, { id_token: "a.b.c", access_token: "one" }));
    await expectUnverified(await signsIn({}, { response: "a.b.c" }));
  });
});

describe("UP-06 UserInfo", () => {
  test("another sub → not signed in; the same sub → signed in", async () => {
    const subject = aSubject();
    const asks = { claims: { ...subject, email: undefined } };
    await expectUnverified(await signsIn({ ...asks, userInfo: { sub: "another", email: subject.email } }));
    await expectUnverified(await signsIn({ ...asks, userInfo: { email: subject.email } }));
    const { signedIn } = await signsIn({ ...asks, userInfo: { sub: subject.sub, email: subject.email } });
    expect(signedIn).toBe(true);
  });

  test("signed with another key → not signed in; with the provider's → signed in", async () => {
    const other = await ForgingProvider.start();
    const own = await addProvider(server, other.issuer);
    const subject = aSubject();
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    for (const [key, expected] of [
      [privateKey, false],
      [other.key, true],
    ] as const) {
      const jwt = await new SignJWT({ ...subject, iss: other.issuer, aud: own.clientId })
        .setProtectedHeader({ alg: "RS256", kid: "k1" })
        .sign(key);
      other.answering = {
        claims: { ...subject, email: undefined },
        metadata: { userinfo_signing_alg_values_supported: ["RS256"] },
        instead: {
          "/userinfo": (_, response) => response.writeHead(200, { "content-type": "application/jwt" }).end(jwt),
        },
      };
      const agent = new Agent(server.issuer);
      await signInThere(agent, other, own);
      expect(await isSignedIn(agent)).toBe(expected);
    }
    await other.stop();
  });

  test("an unverified address, and the ID token calls some address verified → the account has no address", async () => {
    const own = await addProvider(server, there.issuer, { emailDomains: ["corp.test"], trustEmail: true });
    const subject = { ...aSubject(), email: undefined };
    const agent = new Agent(server.issuer);
    there.answering = {
      claims: { ...subject, email_verified: true },
      userInfo: { sub: subject.sub, email: "ceo@corp.test", email_verified: false },
    };
    expect((await signInThere(agent, there, own)).status).toBe(403);
    expect(await isSignedIn(agent)).toBe(false);
  });
});

describe("UP-03 an answer of another server", () => {
  test("the callback's iss is another, or is missing though it was announced → the code is not sent", async () => {
    const other = await ForgingProvider.start();
    const own = await addProvider(server, other.issuer);
    other.answering = { claims: aSubject(), metadata: { authorization_response_iss_parameter_supported: true } };
    for (const iss of [undefined, "https://evil.test", `${other.issuer}/`, ""]) {
      const agent = new Agent(server.issuer);
      const begun = await pressProvider(agent, await agent.get("/login"), own);
      const page = await agent.get(other.callback(begun, { iss }));
      expect([page.status, await isSignedIn(agent)], String(iss)).toEqual([400, false]);
    }
    expect(other.codes).toEqual([]);
    const agent = new Agent(server.issuer);
    const begun = await pressProvider(agent, await agent.get("/login"), own);
    await agent.get(other.callback(begun, { iss: other.issuer }));
    expect([other.codes.length, await isSignedIn(agent)]).toEqual([1, true]);
    await other.stop();
  });

  test("the iss of another provider at one that announces none → the code is not sent", async () => {
    const before = there.codes.length;
    await expectUnverified(await signsIn({}, { iss: "https://evil.test" }));
    expect(there.codes.length).toBe(before);
  });

  test("a sign-in that began at one provider, answered at the callback of another → the code is sent to neither", async () => {
    const evil = await ForgingProvider.start();
    const other = await addProvider(server, evil.issuer);
    const before = there.codes.length;
    for (const [from, begins, to] of [
      [evil, other, provider],
      [there, provider, other],
    ] as const) {
      const agent = new Agent(server.issuer);
      const begun = await pressProvider(agent, await agent.get("/login"), begins);
      const page = await agent.get(from.callback(begun).replace(`/${begins.id}/`, `/${to.id}/`));
      expect([page.status, await isSignedIn(agent)]).toEqual([400, false]);
    }
    expect([there.codes.length, evil.codes.length]).toEqual([before, 0]);
    await evil.stop();
  });

  test("each provider → a redirect URI of its own", async () => {
    const other = await addProvider(server, there.issuer);
    const agent = new Agent(server.issuer);
    const uris = await Promise.all(
      [provider, other].map(async (one) =>
        (await pressProvider(agent, await agent.get("/login"), one)).location?.searchParams.get("redirect_uri"),
      ),
    );
    expect(new Set(uris).size).toBe(2);
  });
});

describe("UP-22 an error of the provider", () => {
  test.each([
    ["markup", { error: "access_denied", error_description: "<script>alert(1)</script>" }, 200],
    ["a URI that is a script", { error: "server_error", error_uri: "javascript:alert(1)" }, 503],
    ["10 kB", { error: "access_denied", error_description: "reflected".repeat(1_100) }, 200],
    ["an unknown error with markup", { error: "<b>bold</b>" }, 400],
  ])("%s → a fixed text, nothing of it on the page, no second try by itself", async (_, error, status) => {
    const { page, signedIn } = await signsIn({}, { code: undefined, ...error });
    expect([page.status, signedIn, page.location]).toEqual([status, false, undefined]);
    for (const reflected of ["<script>alert", "javascript:alert", "reflected", "<b>bold", "access_denied"])
      expect(page.text).not.toContain(reflected);
  });

  test("without state → the sign-in page, and the log has no word of it", async () => {
    const before = failures().length;
    const path = `/login/provider/${provider.id}/callback`;
    const page = await new Agent(server.issuer).get(`${path}?error=access_denied&error_description=without-state`);
    expect([page.status, page.text]).toEqual([400, expect.not.stringContaining("without-state")]);
    expect([failures().length, server.log.join("")]).toEqual([before, expect.not.stringContaining("without-state")]);
  });
});

describe("UP-04 the provider changes its signing key", () => {
  test("without the old one, a moment after a sign-in → the next sign-in works at once, and reads the keys once more", async () => {
    const other = await ForgingProvider.start();
    const own = await addProvider(server, other.issuer);
    const enters = async () => {
      other.answering = { ...other.answering, claims: aSubject() };
      const agent = new Agent(server.issuer);
      const { status } = await signInThere(agent, other, own);
      return (await isSignedIn(agent)) || status;
    };
    expect([await enters(), await enters(), other.keysRead]).toEqual([true, true, 1]);
    other.changeKey();
    expect([await enters(), await enters(), other.keysRead]).toEqual([true, true, 2]);
    // Tokens with keys that are nowhere, one after the other: the keys are not read for each of them.
    const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    let made = 0;
    other.answering = {
      idToken: (claims) => {
        made += 1;
        return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: `none-${made}` }).sign(stranger);
      },
    };
    expect([await enters(), await enters(), await enters()]).toEqual([400, 400, 400]);
    expect(other.keysRead).toBeLessThanOrEqual(3);
    await other.stop();
  });

  test("a key of somebody else under the present kid → not signed in", async () => {
    const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const idToken = (claims: Record<string, unknown>) =>
      new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: there.kid }).sign(stranger);
    await expectUnverified(await signsIn({ idToken }));
  });
});
