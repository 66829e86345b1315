/**
 * Rotation of ASSENT_SECRET: the first secret signs, all verify. Values of a removed secret are refused without an
 * error of the server.
 */

import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import { addSigningKey } from "../../packages/server/src/crypto/signing-keys.ts";
import { ConfigError, configOf, createAssent } from "../../packages/server/src/index.ts";
import {
  anOwner,
  codeOf,
  copyOf,
  expectRefusal,
  logged,
  type Owner,
  restarted,
  tokensOf,
} from "../support/back-channel.ts";
import {
  Agent,
  authorizeUrl,
  consentForm,
  type Form,
  postForm,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { API, settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const OLD = randomBytes(32);
const NEW = randomBytes(32);
let before: TestServer;
let both: TestServer;
let alone: TestServer;
let client: TestClient;
let pub: TestClient;
let owner: Owner;
/** Values made with the old secret: one of each kind for each of the two later servers. */
const made = { codes: [] as string[], kept: "", rotated: [] as { spent: string; live: string }[], access: "" };
/** A consent page that was open during the rotation, and its browser. */
let open: { form: Form; agent: Agent };
let moved: string;

beforeAll(async () => {
  before = await startServer({ config: { secret: [OLD] } });
  // The clock stands still, because two restarts may take longer than the retry window.
  before.stand();
  client = await before.addClient();
  pub = await before.addClient({ type: "public" });
  owner = await anOwner(before);
  const tokens = await tokensOf(before, client, owner);
  made.kept = tokens.refresh;
  made.access = tokens.access;
  for (let round = 0; round < 2; round += 1) {
    const { refresh: spent } = await tokensOf(before, pub, owner);
    made.rotated.push({ spent, live: (await refresh(before, pub, spent)).body.refresh_token ?? "" });
  }
  const agent = new Agent(before.issuer);
  const asked = await agent.follow(await agent.get(authorizeUrl(before, client)));
  open = { form: consentForm(await signIn(agent, (await before.addPerson()).username, asked)), agent };
  for (let round = 0; round < 2; round += 1) made.codes.push(await codeOf(before, client, owner));

  both = await restarted(before, [NEW, OLD]);
  both.stand();
  // With both secrets, a token gets the new secret, and a signing key is encrypted with it.
  moved = (await refresh(both, pub, made.rotated[0]?.live)).body.refresh_token ?? "";
  const { storage } = both.assent;
  await addSigningKey(storage, new Secrets([NEW, OLD]), await storage.keys.list(), both.now(), both.now());
  await settle();
  alone = await restarted(both, [NEW]);
});
afterAll(async () => {
  for (const server of [before, both, alone]) await server?.stop();
});

/** The owner's browser with its cookies, at another server of the same issuer. */
function browser(server: TestServer, { cookies }: Agent): Agent {
  const agent = new Agent(server.issuer);
  for (const [name, value] of cookies) agent.cookies.set(name, value);
  return agent;
}

const introspect = (server: TestServer, token: string) =>
  postForm(server, "/introspect", { clientId: API.id, secret: API.secret }, { token });

describe("the new secret first, the old one behind it", () => {
  test("a code → tokens; its replay is known", async () => {
    expect((await redeem(both, client, made.codes[0] ?? "")).status).toBe(200);
    expectRefusal(await redeem(both, client, made.codes[0] ?? ""), "invalid_grant");
    expect(logged(both, "code_replayed")).toBe(2);
  });

  test("a kept refresh token → 200, the same one", async () => {
    const { status, body } = await refresh(both, client, made.kept);
    expect([status, body.refresh_token]).toEqual([200, made.kept]);
  });

  test("a lost answer from before → a successor that works; the one from before works, too, and it is one line", async () => {
    const { spent, live } = made.rotated[1] ?? { spent: "", live: "" };
    const again = await refresh(both, pub, spent);
    expect(again.status, JSON.stringify(again.body)).toBe(200);
    const one = await refresh(both, pub, live);
    const two = await refresh(both, pub, again.body.refresh_token);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(two.body.refresh_token).toBe(one.body.refresh_token);
  });

  test("a session → signed in; an open page → its answer counts", async () => {
    expect((await browser(both, owner.agent).get("/account/apps")).status).toBe(200);
    const agent = browser(both, open.agent);
    const page = await agent.post("/consent", new URLSearchParams([...open.form.fields, ["decision", "allow"]]));
    expect(page.location?.searchParams.get("code")).toMatch(/^ac_/);
  });

  test("an access token → active until it ends", async () => {
    expect((await introspect(both, made.access)).body["active"]).toBe(true);
  });
});

describe("the new secret alone", () => {
  test("nothing signs that was sealed under it → the start is refused, and says which variable and which command", async () => {
    const dataDir = copyOf(before);
    const start = createAssent(configOf({ dataDir, secret: [NEW] }), { log: pino({ level: "silent" }) });
    await expect(start).rejects.toThrow(ConfigError);
    await expect(start).rejects.toThrow(/ASSENT_SECRET.*assent key rotate --now/);
    rmSync(dataDir, { recursive: true });
  });

  test("codes and refresh tokens under the old one → invalid_grant, no theft, no fault", async () => {
    expectRefusal(await redeem(alone, client, made.codes[1] ?? ""), "invalid_grant");
    for (const token of [made.kept, made.rotated[0]?.live, made.rotated[1]?.spent])
      expectRefusal(await refresh(alone, token === made.kept ? client : pub, token), "invalid_grant");
    expect((await postForm(alone, "/revoke", client, { token: made.kept })).status).toBe(200);
    expect((await introspect(alone, made.kept)).body).toEqual({ active: false });
    expect(logged(alone, "refresh_token_replayed")).toBe(0);
    expect(alone.log.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
  });

  test("a session → asked to sign in, and it works again; an open page → a page that says to start again", async () => {
    const agent = browser(alone, owner.agent);
    const page = await agent.get("/account/apps");
    expect([page.status, page.location?.pathname]).toEqual([303, "/login"]);
    const callback = await signIn(agent, owner.person.username, await agent.follow(page));
    expect([callback.status, callback.location]).toEqual([200, undefined]);
    const stale = await browser(alone, open.agent).post(
      "/consent",
      new URLSearchParams([...open.form.fields, ["decision", "allow"]]),
    );
    expect([stale.status, stale.location]).toEqual([400, undefined]);
  });

  test("a refresh token that moved while both were there → 200", async () => {
    expect((await refresh(alone, pub, moved)).status).toBe(200);
  });

  test("an access token of the key before → active until it ends", async () => {
    expect((await introspect(alone, made.access)).body["active"]).toBe(true);
  });
});
