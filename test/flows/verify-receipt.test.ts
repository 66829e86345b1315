/**
 * `/receipts/verify` must never call a text genuine that this server didn't sign as a receipt, or a changed one. Its
 * page also says what a genuine receipt doesn't prove.
 */

import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, authorize, authorizeUrl, formTo, postForm, redeem } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
/** The receipt's file, as the owner downloads it. */
let file: string;
let jws: string;
let content: Record<string, unknown>;
let accessToken: string;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ name: "<b>Photo\u202e Printer</b>" });
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const callback = await authorize(agent, authorizeUrl(server, client), username);
  accessToken = (await redeem(server, client, callback)).body.access_token ?? "";
  const { text } = await agent.get("/account/history");
  expect(text).toContain('href="/receipts/verify"');
  const link = /href="(\/account\/history\/receipt\?entry=[^"]+)"/.exec(text)?.[1] ?? "";
  file = (await agent.get(link, { accept: "application/json" })).text;
  ({ receipt: jws, content } = JSON.parse(file));
});
afterAll(() => server.stop());

/** A stranger without an account pastes the text. */
async function pasted(receipt: string) {
  const agent = new Agent(server.issuer);
  const form = (await agent.get("/receipts/verify")).forms.find(({ action }) => action.endsWith("/receipts/verify"));
  if (form === undefined) throw new Error("no form");
  return agent.submit(form, { receipt });
}

const GENUINE = "This receipt is genuine";
const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");
const headerOf = (text: string) => JSON.parse(Buffer.from(text.split(".")[0] ?? "", "base64url").toString());

/** A JWT that is signed with another key. */
function forged(header: Record<string, unknown>, claims: Record<string, unknown>): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const input = `${encoded({ ...headerOf(jws), ...header })}.${encoded({ ...content, ...claims })}`;
  const key = createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" }));
  return `${input}.${sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

const flipped = (text: string, at: number) => text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);

describe("not shown as genuine, with the reason", () => {
  const parts = () => jws.split(".") as [string, string, string];
  test.each<[string, () => string, RegExp]>([
    ["nothing", () => "", /Paste a receipt/],
    ["spaces", () => " \n\t ", /Paste a receipt/],
    ["too long", () => "a".repeat(60_001), /too long/],
    ["some text", () => "my receipt", /not a receipt, or a part is missing/],
    ["JSON without a receipt", () => JSON.stringify({ content }), /a part is missing/],
    ["half of the file", () => file.slice(0, file.length / 2), /a part is missing/],
    ["two parts", () => parts().slice(0, 2).join("."), /a part is missing/],
    ["four parts", () => `${jws}.x`, /a part is missing/],
    ["an access token of this server", () => accessToken, /key to somebody’s account/],
    ["an access token in the file", () => JSON.stringify({ receipt: accessToken }), /key to somebody’s account/],
    ["no typ", () => forged({ typ: undefined }, {}), /key to somebody’s account/],
    ["an extension", () => forged({ crit: ["exp"], exp: 1 }, {}), /not a receipt/],
    [
      "another issuer's",
      () => forged({ kid: "x" }, { iss: "https://other.test" }),
      /not from Assent.*https:\/\/other\.test/,
    ],
    ["a key that is not published", () => forged({ kid: "x" }, {}), /doesn’t publish the key/],
    ["signed with another key under our kid", () => forged({}, {}), /Don’t rely/],
    ["another issuer's, under our kid", () => forged({}, { iss: "https://other.test" }), /Don’t rely/],
    ["no signature, alg none", () => `${encoded({ ...headerOf(jws), alg: "none" })}.${parts()[1]}.`, /Don’t rely/],
    [
      "an HMAC's alg",
      () => `${encoded({ ...headerOf(jws), alg: "HS256" })}.${parts().slice(1).join(".")}`,
      /Don’t rely/,
    ],
    [
      "an altered fact",
      () => [parts()[0], encoded({ ...content, until: null, by: "client" }), parts()[2]].join("."),
      /Don’t rely/,
    ],
    ["an altered byte of the signature", () => flipped(jws, jws.length - 10), /Don’t rely/],
    ["a readable part that was altered", () => file.replace('"via": "browser"', '"via": "device"'), /Don’t rely/],
  ])("%s", async (_, text, reason) => {
    const page = await pasted(text());
    expect(page.status).toBe(200);
    expect(page.text).not.toContain(GENUINE);
    expect(page.text.match(/role="alert".*?<p>(.*?)<\/p>/s)?.[1]?.replace(/<[^>]+>/g, "")).toMatch(reason);
  });

  test("any altered byte, one after the other → never genuine", async () => {
    const agent = new Agent(server.issuer);
    const [form] = (await agent.get("/receipts/verify")).forms;
    if (form === undefined) throw new Error("no form");
    for (let at = 0; at < jws.length; at += 17) {
      expect([at, (await agent.submit(form, { receipt: flipped(jws, at) })).text.includes(GENUINE)]).toEqual([
        at,
        false,
      ]);
    }
  });

  test("a body beyond the limit → 413; hostile text stays text", async () => {
    expect((await pasted("%".repeat(30_000))).status).toBe(413);
    const issuer = "https://evil.test/<script>alert(1)</script>\u202e";
    const { text } = await pasted(forged({ kid: "x" }, { iss: issuer }));
    expect(text).not.toContain("<script>alert");
    expect(text).not.toMatch(/href="https:\/\/evil/);
    expect((await pasted("</textarea><script>alert(1)</script>")).text).not.toContain("<script>alert");
  });

  test("an old form → 403, and the text is kept", async () => {
    const page = await new Agent(server.issuer).post("/receipts/verify", { receipt: jws, csrf: "x" });
    expect([page.status, page.text.includes(jws), page.text.includes(GENUINE)]).toEqual([403, true, false]);
  });
});

/** The sentences about the owner's newest entries, as the page of a receipt says them to anybody. */
async function saidOf(agent: Agent, entries: number): Promise<string[]> {
  const { text } = await agent.get("/account/history");
  const links = [...text.matchAll(/href="(\/account\/history\/receipt\?entry=[^"]+)"/g)].slice(0, entries);
  return Promise.all(
    links.map(async ([, link = ""]) => {
      const receipt = await agent.get(link, { accept: "application/json" });
      return (await pasted(receipt.text)).text.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
    }),
  );
}

test("a person pauses and resumes an app, which then gives its access up → nobody else is named, and the app is", async () => {
  const app = await server.addClient({ name: "Mail Sorter" });
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const { body } = await redeem(server, app, await authorize(agent, authorizeUrl(server, app), username));
  for (const what of ["pause", "resume"])
    await agent.submit(formTo(await agent.get("/account/agents"), `/account/agents/${what}`));
  await postForm(server, "/revoke", app, { token: body.refresh_token });
  const [givenUp, resumed, paused] = await saidOf(agent, 3);
  expect(paused).toContain("Mail Sorter was paused ");
  expect(resumed).toContain("Mail Sorter was resumed ");
  expect(`${paused}${resumed}`).not.toContain("everyone");
  expect(givenUp).toMatch(/App name Mail Sorter /);
});

describe("genuine", () => {
  test.each<[string, () => string]>([
    ["the file", () => file],
    [
      "the file with its members in another order",
      () => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(file)).reverse())),
    ],
    ["the JWS alone", () => jws],
    ["the JWS, wrapped by a mail program", () => jws.replace(/(.{60})/g, "$1\r\n  ")],
  ])("%s → each fact in words, and what it doesn't prove", async (_, text) => {
    const page = await pasted(text());
    const said = page.text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
    expect(said).toContain(GENUINE);
    expect(said).toContain("was allowed");
    expect(said).toContain(`Account ${content["sub"]}`);
    expect(said).toContain("Decided by The owner of the account");
    expect(said).toContain("How On the page that asks for permission");
    expect(said).toMatch(/It can until .*? See your photos/);
    expect(said).toContain("Returns to");
    expect(said).toMatch(/doesn’t prove That the app still has access/);
    // The app chose its own name, so the page escapes it.
    expect(page.text).toContain("&lt;b>Photo\u{FFFD} Printer&lt;/b>");
    expect(page.text).not.toContain("\u202e");
  });

  test("the file names the page; its key left the keys of tokens long ago → genuine still", async () => {
    expect(JSON.parse(file)["verify"]).toBe(`${server.issuer}/receipts/verify`);
    const { kid } = headerOf(jws);
    await server.assent.storage.keys.retire({ kid, now: server.now() });
    await server.assent.storage.keys.remove({ kid });
    expect((await pasted(file)).text).toContain(GENUINE);
  });
});
