/**
 * The web apps of examples/sign-in that run on Node.js: a person signs in at a real server. Those in other languages:
 * test/libraries/sign-in.test.ts.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../packages/server/src/owners/person.ts";
import { freePort } from "./support/free-port.ts";
import { Agent, authorize, authorizeUrl, pkce, redeem } from "./support/http-browser.ts";
import { aReader, commandsOf, type Reader } from "./support/run-commands-of-example.ts";
import { signInAtApp } from "./support/sign-in-at-app.ts";
import { startServer, type TestServer } from "./support/test-server.ts";

let server: TestServer;
let reader: Reader;
let person: Person;

beforeAll(async () => {
  server = await startServer({ config: { outboundAllow: ["127.0.0.1/32"] } });
  person = await server.addPerson({
    ...{ username: "demo", name: "Dana Moor", email: "demo@example.test", emailVerifiedAt: server.now() },
  });
  reader = aReader({ ISSUER: server.issuer, ASSENT_ISSUER: server.issuer, ASSENT_DATA_DIR: server.dataDir }, new Set());
});
afterAll(async () => {
  await reader.leave();
  await server.stop();
});

/** Registers the example's client and starts the app. Returns the app's address. */
async function started(example: string): Promise<string> {
  const port = await freePort();
  const [create = "", start = ""] = commandsOf(`examples/sign-in/${example}`).map((command) =>
    command.replaceAll("4000", `${port}`),
  );
  await reader.run(create);
  await reader.start(start, /App on/);
  return `http://127.0.0.1:${port}`;
}

const known = () => ({ sub: person.personId, name: "Dana Moor", email: "demo@example.test", email_verified: true });

test.each(["express.ts", "auth-js.ts"])(
  "%s without its variables → an error that names them, exit code 2",
  async (name) => {
    const stderr = expect.stringContaining("CLIENT_ID");
    await expect(reader.run(`node examples/sign-in/${name}`)).rejects.toMatchObject({ code: 2, stderr });
  },
);

test("auth-js.ts → the same id at each sign-in, name and address", async () => {
  const app = await started("auth-js.ts");
  for (const _ of [1, 2]) {
    const { claims } = await signInAtApp(app, server.issuer, "demo");
    expect(claims).toEqual({ id: person.personId, name: "Dana Moor", email: "demo@example.test" });
  }
});

describe("express.ts", () => {
  let app: string;
  beforeAll(async () => {
    app = await started("express.ts");
  });
  const isSignedIn = async (visitor: Agent) => (await visitor.get("/")).status === 200;

  test("a callback that began in another browser → a new sign-in, and nobody is signed in", async () => {
    const stranger = new Agent(app);
    const page = await stranger.get("/callback?code=x&state=y");
    expect(page.location?.href).toBe(`${app}/sign-in`);
    expect(await isSignedIn(stranger)).toBe(false);
  });

  test("a sign-in, then a sign-out → the claims, then neither the app nor Assent knows the browser", async () => {
    const { visitor, owner, claims } = await signInAtApp(app, server.issuer, "demo");
    expect(claims).toMatchObject({ ...known(), sid: expect.any(String) });
    const leaving = await visitor.get("/sign-out");
    const back = await owner.follow(await owner.get(leaving.location?.href ?? ""));
    expect(back.location?.href).toBe(`${app}/goodbye`);
    expect((await visitor.get("/goodbye")).text).toBe("You are signed out.");
    expect(await isSignedIn(visitor)).toBe(false);
    expect((await owner.get("/account/apps")).location?.pathname).toBe("/login");
  });

  test("a sign-out at Assent → the app ends that browser's session alone", async () => {
    const one = await signInAtApp(app, server.issuer, "demo");
    const other = await signInAtApp(app, server.issuer, "demo");
    await signOut(one.owner);
    await expect.poll(() => isSignedIn(one.visitor)).toBe(false);
    expect(await isSignedIn(other.visitor)).toBe(true);
  });

  test("a logout token that is none → 400, and nobody is signed out", async () => {
    const { visitor } = await signInAtApp(app, server.issuer, "demo");
    const idToken = await idTokenOf(app);
    for (const fields of [{}, { logout_token: "x" }, { logout_token: idToken }]) {
      expect((await new Agent(app).post("/backchannel-logout", fields)).status).toBe(400);
    }
    expect(await isSignedIn(visitor)).toBe(true);
  });
});

/** An ID token for the app that was registered last. */
async function idTokenOf(app: string): Promise<string> {
  const [clientId = "", secret = ""] = ["client_id", "client_secret"].map((name) => reader.printed.get(name));
  const client = { clientId, secret, redirectUris: [`${app}/callback`] };
  const { verifier, challenge } = pkce();
  const link = authorizeUrl(server, client, {
    ...{ scope: "openid", code_challenge: challenge, code_challenge_method: "S256" },
  });
  const callback = await authorize(new Agent(server.issuer), link, "demo");
  const { body } = await redeem(server, client, callback, { code_verifier: verifier });
  return String(body["id_token"]);
}

async function signOut(owner: Agent): Promise<void> {
  const [form] = (await owner.get("/account/sign-out")).forms.slice(-1);
  if (form === undefined) throw new Error("no form");
  await owner.submit(form, { sign_out: "sign_out" });
}
