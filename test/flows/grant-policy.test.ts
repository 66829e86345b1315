/**
 * Grant types that the operator disabled for the whole server, even for clients that are registered for them (RFC 8414
 * §2, RFC 9700 §2.1.2, §2.4).
 */

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diagnose } from "../../packages/server/src/admin/index.ts";
import { ConfigError, configOf, createAssent, loadConfig } from "../../packages/server/src/index.ts";
import { grantRegistry, grantTypeNames } from "../../packages/server/src/oauth/grants/registry.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { copyOf, tokensOf } from "../support/back-channel.ts";
import { aDeviceClient, DEVICE_GRANT } from "../support/device-actor.ts";
import { Agent, authorize, authorizeUrl, postForm, redeem } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { aClientFor, flows, OUR_GRANTS, type OurGrant, prepare } from "../support/walk-every-grant.ts";

/** A server with all grant types. The servers below use copies of its data, so they have the same registrations. */
let all: TestServer;
let client: TestClient;
let person: Person;

beforeAll(async () => {
  all = await startServer();
  person = await prepare(all);
  client = await aClientFor(all);
});
afterAll(() => all.stop());

async function serving(grantTypes: readonly string[], work: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer({ dataDir: copyOf(all), config: { grantTypes } });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

const without = (grant: string) => OUR_GRANTS.filter((one) => one !== grant);
test("the names that a configuration is checked against → those that there are", () => {
  expect(grantRegistry().known).toEqual(grantTypeNames);
});

const metadataOf = async ({ issuer }: TestServer) =>
  (await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()) as Record<string, unknown>;

test.each(OUR_GRANTS)("%s, with everything on → works", async (grant) => {
  expect(await flows[grant](all, client, person)).toEqual({ token: expect.any(String), error: undefined });
});

describe.each(OUR_GRANTS)("GR-01 GR-06 %s switched off", (grant: OurGrant) => {
  test("→ refused as unsupported; the metadata list the others, which are still there", async () => {
    await serving(without(grant), async (server) => {
      const { error, token } = await flows[grant](server, client, person);
      const byRedirect = grant === "implicit" || grant === "authorization_code";
      expect([error, token]).toEqual([byRedirect ? "unsupported_response_type" : "unsupported_grant_type", undefined]);
      expect((await metadataOf(server))["grant_types_supported"]).toEqual(without(grant));
      for (const other of without(grant)) {
        if (other === "implicit") continue;
        const { body } = await postForm(server, "/token", client, { grant_type: other });
        expect([other, body.error]).not.toEqual([other, "unsupported_grant_type"]);
      }
    });
  });
});

describe("what goes with a grant type goes with it", () => {
  test("devices off → 404 at the endpoint and its pages, and in no document", async () => {
    await serving(without(DEVICE_GRANT), async (server) => {
      const tv = await aDeviceClient(server);
      expect((await postForm(server, "/device_authorization", tv, { scope: "read" })).status).toBe(404);
      for (const path of ["/device", "/device/consent", "/device/elsewhere"]) {
        for (const method of ["GET", "POST"]) {
          expect([path, (await fetch(server.issuer + path, { method })).status]).toEqual([path, 404]);
        }
      }
      expect(await metadataOf(server)).not.toHaveProperty("device_authorization_endpoint");
    });
  });

  test("implicit off → no response type token, no answer in a fragment; code as before", async () => {
    await serving(without("implicit"), async (server) => {
      expect(await metadataOf(server)).toMatchObject({
        response_types_supported: ["code"],
        response_modes_supported: ["query", "form_post"],
      });
      expect((await flows.authorization_code(server, client, person)).token).toEqual(expect.any(String));
    });
  });

  test("codes off → no response type code, no PKCE; token as before", async () => {
    await serving(without("authorization_code"), async (server) => {
      const document = await metadataOf(server);
      expect(document).toMatchObject({
        response_types_supported: ["token"],
        response_modes_supported: ["fragment", "form_post"],
      });
      expect(document).not.toHaveProperty("code_challenge_methods_supported");
      expect((await flows.implicit(server, client, person)).token).toEqual(expect.any(String));
    });
  });

  test("codes and implicit off → no authorization endpoint, no consent page; people still sign in and see their apps", async () => {
    await serving(["client_credentials"], async (server) => {
      const document = await metadataOf(server);
      expect(document["response_types_supported"]).toEqual([]);
      for (const member of ["authorization_endpoint", "response_modes_supported", "prompt_values_supported"]) {
        expect(document).not.toHaveProperty(member);
      }
      for (const path of ["/authorize", "/consent"]) {
        expect((await fetch(server.issuer + path, { redirect: "manual" })).status).toBe(404);
      }
      const agent = new Agent(server.issuer);
      const form = (await agent.get("/login")).forms[0];
      if (form === undefined) throw new Error("no sign-in form");
      const page = await agent.follow(
        await agent.submit(form, { username: person.username, password: "correct horse battery staple" }),
      );
      expect(page.status).toBe(200);
    });
  });

  test("nothing but implicit on → no token endpoint (RFC 8414 §2)", async () => {
    await serving(["implicit"], async (server) => {
      expect(await metadataOf(server)).not.toHaveProperty("token_endpoint");
      expect((await postForm(server, "/token", client, { grant_type: "client_credentials" })).status).toBe(404);
      expect((await flows.implicit(server, client, person)).token).toEqual(expect.any(String));
    });
  });

  test("refresh tokens off → none is given out, not even for a grant from before", async () => {
    const callback = await authorize(new Agent(all.issuer), authorizeUrl(all, client), person.username);
    const before = await tokensOf(all, client, { person, agent: new Agent(all.issuer) });
    await serving(without("refresh_token"), async (server) => {
      const old = await redeem(server, client, callback);
      expect([old.status, old.body.refresh_token]).toEqual([200, undefined]);
      const fresh = await authorize(new Agent(server.issuer), authorizeUrl(server, client), person.username);
      expect((await redeem(server, client, fresh)).body.refresh_token).toBeUndefined();
      const { body } = await postForm(server, "/token", client, {
        grant_type: "refresh_token",
        refresh_token: before.refresh,
      });
      expect(body.error).toBe("unsupported_grant_type");
    });
    // After the grant type is enabled again, the refused token still works.
    const { status } = await postForm(all, "/token", client, {
      grant_type: "refresh_token",
      refresh_token: before.refresh,
    });
    expect(status).toBe(200);
  });

  test("a request under way when implicit is switched off → refused when its page comes back", async () => {
    const agent = new Agent(all.issuer);
    const page = await agent.follow(await agent.get(authorizeUrl(all, client, { response_type: "token" })));
    const form = page.forms.find(({ fields }) => fields.has("username"));
    await serving(without("implicit"), async (server) => {
      const there = new Agent(server.issuer);
      for (const [name, value] of agent.cookies) there.cookies.set(name, value);
      if (form === undefined) throw new Error("no sign-in form");
      const fields = { username: person.username, password: "correct horse battery staple" };
      const next = await there.follow(await there.submit(form, fields));
      const answer = new URLSearchParams(next.location?.hash.slice(1));
      expect([answer.get("error"), answer.has("access_token")]).toEqual(["unsupported_response_type", false]);
    });
  });
});

test("doctor → names each client that is registered for what is off", async () => {
  await serving(without("password"), async (server) => {
    const { findings } = await diagnose(async () => server.assent.config, "26.12.1", Date.now());
    const told = findings.filter(({ check }) => check === "clients").map(({ detail }) => detail);
    expect(told.filter((detail) => detail.includes("password is switched off"))).toHaveLength(1);
    expect(told.join("\n")).toContain(client.clientId);
  });
});

describe("the setting", () => {
  const cwd = mkdtempSync(join(tmpdir(), "assent-policy-"));
  const problems = (value: string) =>
    loadConfig({ ASSENT_GRANT_TYPES: value }, cwd).then(
      () => [],
      (error: unknown) => (error instanceof ConfigError ? error.problems : [String(error)]),
    );

  test.each([
    ["an unknown name", "authorization_code,pasword", '"pasword"'],
    ["the short name of a URN", "device_code", '"device_code"'],
    ["an empty entry", "authorization_code,,password", "comma-separated"],
    ["spaces in place of commas", "authorization_code password", "comma-separated"],
  ])("%s → refused, with what there is", async (_, value, found) => {
    const [line, ...others] = await problems(value);
    expect(others).toEqual([]);
    expect(line).toContain("ASSENT_GRANT_TYPES");
    expect(line).toContain(found);
  });

  test("a list with an empty or unknown name in an embedder's configuration → refused, and nothing is opened", async () => {
    for (const grantTypes of [[], ["nope"]]) {
      expect(() => configOf({ grantTypes })).toThrow(ConfigError);
      await expect(createAssent({ ...configOf({ dataDir: cwd }), grantTypes })).rejects.toThrow(/ASSENT_GRANT_TYPES/);
    }
  });

  test("nothing set → all; a list → those", async () => {
    expect((await loadConfig({}, cwd)).grantTypes).toBeNull();
    const { grantTypes } = await loadConfig({ ASSENT_GRANT_TYPES: "refresh_token, authorization_code" }, cwd);
    expect(grantTypes).toEqual(["refresh_token", "authorization_code"]);
  });
});
