/** CN-13, EN-04: a new name that looks like another (UTS #39) is refused; existing accounts and clients keep theirs. */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminOf, createClient, updateClient, updateScope } from "../../packages/server/src/admin/index.ts";
import type { TrustedIssuer } from "../../packages/server/src/oauth/trusted-issuer.ts";
import { aJwtIssuer, claimsFor, JWT_BEARER, jwtOf, present, trust } from "../support/assertion-requests.ts";
import { Agent, authorize, authorizeUrl, signIn } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const random = () => randomBytes(4).toString("hex");
const admin = () => adminOf(server.assent.storage, server.issuer);

const DECEIVING = [
  "Pay\u200dPal",
  "Раураl",
  "Pay\u3164Pal",
  `e${"\u0301".repeat(110)}`,
  "ООО Roga",
  "𝗣𝗮𝘆𝗣𝗮𝗹",
  "App ١2",
];

describe("a name on one's profile", () => {
  const saved = async (agent: Agent, name: string) => {
    const page = await agent.get("/account/profile");
    const form = page.forms.find(({ fields }) => fields.has("name"));
    if (form === undefined) throw new Error("no form for the name");
    return agent.submit(form, { name });
  };

  test.each(DECEIVING)("%j → refused, the one before stays", async (name) => {
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    expect((await saved(agent, name)).text).toContain("in one alphabet");
    expect((await server.assent.storage.people.get(person))?.name).toBe("Alice Example");
  });

  test("that was stored before it became wrong → kept as it is, and changed to a right one", async () => {
    const person = await server.addPerson({ name: "Раураl" });
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    expect((await saved(agent, "Раураl")).location?.search).toBe("?done=name");
    expect((await saved(agent, "Паша")).location?.search).toBe("?done=name");
    expect((await server.assent.storage.people.get(person))?.name).toBe("Паша");
  });
});

test("a username of before, in letters of two alphabets → signs in and grants", async () => {
  const person = await server.addPerson({ username: `раураl-${random()}` });
  const client = await server.addClient();
  const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, client), person.username);
  expect(callback.searchParams.get("code")).toBeTruthy();
});

describe("a client", () => {
  const metadata = (name: string) => ({ client_name: name, redirect_uris: ["https://app.test/cb"], scope: "read" });

  test.each(DECEIVING)("with the name %j, or that in one language → refused", async (name) => {
    await expect(createClient({ type: "public", metadata: metadata(name) }, admin())).rejects.toThrow("client_name");
    const translated = { ...metadata("App"), "client_name#de": name };
    await expect(createClient({ type: "public", metadata: translated }, admin())).rejects.toThrow("client_name#de");
    const published = { type: "public", metadata: metadata("App"), publisher: name } as const;
    await expect(createClient(published, admin())).rejects.toThrow("publisher");
  });

  test("that has such names already → its other fields change, the names to better ones alone", async () => {
    const had = { name: "Раураl", names: { de: "Pay\u200dPal" }, publisher: "ООО Roga" };
    const { clientId } = await server.addClient(had);
    await updateClient(clientId, { metadata: { policy_uri: "https://app.test/policy" } }, admin());
    await updateClient(clientId, { verified: true, metadata: { client_name: had.name } }, admin());
    await expect(updateClient(clientId, { metadata: { client_name: "Раураl 2" } }, admin())).rejects.toThrow(
      "alphabet",
    );
    await expect(updateClient(clientId, { publisher: "ООО Rogа" }, admin())).rejects.toThrow("alphabet");
    const changed = await updateClient(clientId, { metadata: { client_name: "Printer" }, publisher: "Roga" }, admin());
    expect(changed).toMatchObject({ name: "Printer", names: had.names, publisher: "Roga", verified: true });
  });
});

test("a scope that has such a description already → its other fields change", async () => {
  const name = `scope-${random()}`;
  await server.addScope({ name, description: "Раураl", descriptions: { de: "Pay\u200dPal" } });
  expect(await updateScope(name, { sensitive: true }, admin())).toMatchObject({
    sensitive: true,
    description: "Раураl",
  });
  await expect(updateScope(name, { descriptions: { fr: "Раураl" } }, admin())).rejects.toThrow("fr");
});

describe("an owner made of an assertion", () => {
  const idp = aJwtIssuer("https://idp.test");
  const asserted = async (sub: string) => {
    const client = await server.addClient({ grantTypes: [JWT_BEARER], redirectUris: [] });
    const issuer = `https://${random()}.test`;
    const record: Partial<TrustedIssuer> = { type: "jwt", jwks: idp.jwks, mapSubject: "username", createOwners: true };
    await trust(server, { ...record, issuer } as TrustedIssuer);
    return present(server, client, JWT_BEARER, jwtOf(idp, claimsFor(server, { issuer }, sub)));
  };

  test("whose username mixes alphabets, or looks like another's → refused, and nobody is made", async () => {
    // Eight random Latin letters for which Cyrillic has look-alikes.
    const latin = [...randomBytes(16)].map((byte) => "aceopxy"[byte % 7]).join("");
    const cyrillic = latin.replace(/./g, (one) => "асеорху"["aceopxy".indexOf(one)] ?? one);
    await server.addPerson({ username: latin });
    for (const name of [cyrillic, `m${cyrillic}`, `pa\u034f${latin}`]) {
      expect((await asserted(name)).status, name).toBe(400);
      expect(await server.assent.storage.people.findByName({ name }), name).toBeUndefined();
    }
  });

  test("whose username is in one alphabet → made", async () => {
    expect((await asserted(`иван-${random().replace(/[a-f]/g, "0")}`)).status).toBe(200);
  });
});
