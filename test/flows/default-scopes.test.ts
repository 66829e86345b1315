/** A request without `scope` gets the operator's default scopes, or is refused (RFC 6749 §3.3). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../../packages/server/src/oauth/model.ts";
import { aDevice, DEVICE_GRANT, decide, poll } from "../support/device-actor.ts";
import { changeClient, expectRedirectError } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, consentForm, postForm, redeem, signIn } from "../support/http-browser.ts";
import { settle, startServer, type TestServer } from "../support/test-server.ts";

const PHOTOS = "https://api.test";
const FILES = "https://files.test";
const BARE = "https://bare.test";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.addResource({ identifier: PHOTOS, name: "Photos" });
  await server.addResource({ identifier: FILES, name: "Files", defaultScopes: ["files:read", "files:admin"] });
  await server.addResource({ identifier: BARE, name: "Bare" });
  for (const name of ["files:read", "files:write", "files:admin"]) await server.addScope({ name, resource: FILES });
  await server.addScope({ name: "bare", resource: BARE });
});
afterAll(() => server.stop());

const SCOPES = ["openid", "read", "write", "files:read", "files:write", "bare"];
const aClient = (changes: Partial<Client> = {}) => server.addClient({ scopes: SCOPES, ...changes });

/** The scopes of a new authorization without `scope`, or its error. */
async function authorized(client: Awaited<ReturnType<typeof aClient>>, ask: Record<string, string | undefined> = {}) {
  const agent = new Agent(server.issuer);
  const { username } = await server.addPerson();
  await signIn(agent, username);
  const url = authorizeUrl(server, client, { scope: undefined, ...ask });
  const first = await agent.follow(await agent.get(url));
  if (first.location !== undefined) return first.location.searchParams.get("error");
  const { location } = await agent.submit(consentForm(first), { decision: "allow", scope: SCOPES });
  return (await redeem(server, client, location ?? "")).body.scope;
}

describe("at the authorization endpoint", () => {
  test.each<readonly [string, Partial<Client>, string | undefined]>([
    ["no default", {}, undefined],
    ["an empty default", { defaultScopes: [] }, undefined],
    ["a default of the API, which the request doesn't name", { scopes: ["files:read"] }, undefined],
    ["a default that the client may no longer request", { defaultScopes: ["admin"] }, undefined],
    ["a default that was deleted", { scopes: ["gone"], defaultScopes: ["gone"] }, undefined],
    ["a default of an API, although another one is named", { defaultScopes: ["read"] }, BARE],
    ["a default about the person alone, although an API is named", { defaultScopes: ["openid"] }, BARE],
    ["an API whose default the client may not request", { scopes: ["read", "files:write"] }, FILES],
  ])("CN-17 %s → invalid_scope, by redirect", async (_, changes, resource) => {
    const client = await aClient(changes);
    const url = authorizeUrl(server, client, { scope: undefined, resource });
    expectRedirectError(await new Agent(server.issuer).get(url), server, "invalid_scope");
  });

  test.each<readonly [string, Partial<Client>, string | undefined, string]>([
    ["the client's default", { defaultScopes: ["read"] }, undefined, "read"],
    [
      "… without scopes that were deleted",
      { scopes: ["read", "gone"], defaultScopes: ["gone", "read"] },
      undefined,
      "read",
    ],
    ["the API's, without scopes that the client may not request", {}, FILES, "files:read"],
    ["the client's own for that API first", { defaultScopes: ["files:write", "read"] }, FILES, "files:write"],
    ["the API's beside the client's of another API", { defaultScopes: ["read"] }, FILES, "files:read"],
    ["the client's about the person with each API", { defaultScopes: ["openid", "read"] }, FILES, "openid files:read"],
    ["the client's about the person alone", { defaultScopes: ["openid"] }, undefined, "openid"],
  ])("%s → these", async (_, changes, resource, expected) => {
    expect(await authorized(await aClient(changes), { resource })).toBe(expected);
  });

  test("an empty parameter scope → as if it were absent; a wrong one → no default helps", async () => {
    const client = await aClient({ defaultScopes: ["read"] });
    expect(await authorized(client, { scope: "" })).toBe("read");
    for (const scope of ["nothing", "read  write", " "])
      expect(await authorized(client, { scope })).toBe("invalid_scope");
  });

  test("scopes of several APIs with response_type=token → invalid_scope; of one → the token has them", async () => {
    const implicit = { grantTypes: ["implicit"], responseTypes: ["token"], type: "public" } as const;
    const answer = async (defaultScopes: readonly string[]) => {
      const client = await aClient({ ...implicit, defaultScopes });
      const url = authorizeUrl(server, client, { scope: undefined, response_type: "token" });
      const { username } = await server.addPerson();
      return new URLSearchParams((await authorize(new Agent(server.issuer), url, username)).hash.slice(1));
    };
    const url = authorizeUrl(server, await aClient({ ...implicit, defaultScopes: ["read", "files:read"] }), {
      ...{ scope: undefined, response_type: "token" },
    });
    expect((await new Agent(server.issuer).get(url)).location?.hash).toContain("error=invalid_scope");
    expect((await answer(["read"])).get("scope")).toBe("read");
  });

  test("the default grows while the consent page is open → the owner's answer gives what the page showed", async () => {
    const client = await aClient({ defaultScopes: ["read"] });
    const agent = new Agent(server.issuer);
    await signIn(agent, (await server.addPerson()).username);
    const page = await agent.get(authorizeUrl(server, client, { scope: undefined }));
    await changeClient(server, client, { defaultScopes: ["read", "write"] });
    const { location } = await agent.submit(consentForm(page), { decision: "allow", scope: SCOPES });
    expect((await redeem(server, client, location ?? "")).body.scope).toBe("read");
  });
});

describe("at the device authorization endpoint", () => {
  const aDeviceClient = (changes: Partial<Client>) =>
    aClient({ grantTypes: [DEVICE_GRANT], responseTypes: [], ...changes });

  test("no default → invalid_scope; the client's, or that of the named API → these", async () => {
    const [plain, own] = [await aDeviceClient({}), await aDeviceClient({ defaultScopes: ["read"] })];
    const ask = (client: typeof plain, fields: Record<string, string>) =>
      postForm(server, "/device_authorization", client, fields);
    expect((await ask(plain, {})).body.error).toBe("invalid_scope");
    expect((await ask(plain, { resource: BARE })).body.error).toBe("invalid_scope");
    expect((await ask(plain, { resource: "https://unknown.test" })).body.error).toBe("invalid_scope");
    expect((await ask(plain, { resource: FILES })).status).toBe(200);
    const { deviceCode, userCode } = await aDevice(server, own, { scope: "" });
    await decide(new Agent(server.issuer), userCode, (await server.addPerson()).username);
    expect((await poll(server, own, deviceCode)).body.scope).toBe("read");
  });
});

describe("with client credentials", () => {
  const aService = (changes: Partial<Client> = {}) =>
    aClient({
      ...{ grantTypes: ["client_credentials"], responseTypes: [], scopes: [] },
      ...{ ownScopes: ["files:read", "files:write"], ...changes },
    });
  const asked = async (client: Awaited<ReturnType<typeof aService>>, fields: Record<string, string> = {}) => {
    const { body } = await postForm(server, "/token", client, { grant_type: "client_credentials", ...fields });
    return body.error ?? body.scope;
  };

  test("no default → all scopes of its own, as ever; with one → that; of the named API → that", async () => {
    expect(await asked(await aService())).toBe("files:read files:write");
    const service = await aService({ defaultScopes: ["files:write"] });
    expect(await asked(service)).toBe("files:write");
    expect(await asked(service, { scope: "files:read" })).toBe("files:read");
    expect(await asked(await aService(), { resource: FILES })).toBe("files:read");
  });

  test("a default that it may no longer get, or that was deleted → never all of its scopes instead", async () => {
    await server.addScope({ name: "soon-gone", resource: FILES });
    const service = await aService({ ownScopes: ["files:read", "soon-gone"], defaultScopes: ["soon-gone"] });
    expect(await asked(service)).toBe("soon-gone");
    await server.assent.storage.scopes.delete({ name: "soon-gone", now: server.now() });
    await settle();
    expect(await asked(service)).toBe("invalid_scope");
    expect(await asked(await aService({ defaultScopes: ["files:read"] }), { resource: BARE })).toBe("invalid_scope");
    // A default for requests to owners isn't about the client itself.
    const both = { scopes: ["read"], defaultScopes: ["read"] };
    expect(await asked(await aService(both))).toBe("files:read files:write");
  });

  test("the default has scopes of several APIs → one must be named", async () => {
    const ownScopes = ["files:read", "bare"];
    const service = await aService({ ownScopes, defaultScopes: ownScopes });
    expect(await asked(service)).toBe("invalid_target");
    expect(await asked(service, { resource: BARE })).toBe("bare");
  });
});
