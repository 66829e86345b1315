/** What an operator reads about a refused assertion: the cause, and the command that mends it. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { TrustedIssuer } from "../../packages/server/src/oauth/trusted-issuer.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { aJwtIssuer, claimsFor, JWT_BEARER, jwtOf, present, trust } from "../support/assertion-requests.ts";
import { storedRefusal } from "../support/stored-refusal.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const idp = aJwtIssuer("https://idp.test");
let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  await server.addScope({ name: "manage", description: "Manage", ownerRole: "admin" });
  client = await server.addClient({
    ...{ grantTypes: [JWT_BEARER], redirectUris: [], scopes: ["read", "write", "manage"] },
  });
});
afterAll(() => server.stop());

const trusted = (changes: Partial<TrustedIssuer> = {}) =>
  trust(server, { issuer: idp.issuer, type: "jwt", jwks: idp.jwks, scopes: ["read"], ...changes });

async function refusal({ username }: Person, scope: string) {
  const refused = await present(server, client, JWT_BEARER, jwtOf(idp, claimsFor(server, idp, username)), { scope });
  expect(refused.status).toBe(400);
  return storedRefusal(server, refused);
}

test("a scope for which the client is not registered → the command adds it to the client", async () => {
  await trusted();
  const { condition, commands } = await refusal(await server.addPerson(), "profile");
  expect(condition).toBe("scope_not_allowed");
  expect(commands).toContain(`assent client update ${client.clientId} --add-scope SCOPE`);
});

test("a scope that the issuer may not request, or no scope of the client's → the command adds it to the issuer", async () => {
  const owner = await server.addPerson();
  for (const [scopes, scope] of [
    [["read"], "read write"],
    [["profile"], ""],
  ] as const) {
    await trusted({ scopes });
    const { condition, explanation, commands } = await refusal(owner, scope);
    expect(condition).toBe("scope_not_allowed");
    expect(explanation).toContain("a scope that the trusted issuer of the assertion may not request");
    expect(explanation).not.toContain("Registered");
    expect(commands).toEqual(["assent issuer list", "assent issuer update ISSUER --add-scope SCOPE"]);
  }
});

test("a scope that needs an operator's role → no command adds it", async () => {
  await trusted({ scopes: ["read", "manage"] });
  const { explanation, commands } = await refusal(await server.addPerson(), "manage");
  expect(explanation).toContain("only a person who signs in can give");
  expect(commands).toEqual(["assent scope list"]);
});

test("a subject that the issuer's record doesn't list → the command adds it; an operator → they sign in themselves", async () => {
  await trusted({ subjects: ["somebody"] });
  const outside = await refusal(await server.addPerson(), "read");
  expect(outside.condition).toBe("assertion_subject_not_allowed");
  expect(outside.explanation).toContain("lists the subjects that its assertions may name");
  expect(outside.commands).toContain("assent issuer update ISSUER --add-subject NAME");
  await trusted();
  const operator = await refusal(await server.addPerson({ operator: ["read"] }), "read");
  expect(operator.condition).toBe("assertion_subject_not_allowed");
  expect(operator.explanation).toContain("The subject of the assertion is an operator of this server.");
  expect(operator.commands).toEqual([]);
});
