/** AD-03, AD-25: clients whose word the server takes about people, in the hands of a caller with `admin:clients:write`. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminApi } from "../support/admin-api.ts";
import { addCompany } from "../support/company-staff.ts";
import { startWithPage } from "../support/own-sign-in-page.ts";
import { addCompanyProvider, addProvider } from "../support/sign-in-providers.ts";
import { settle, type TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  const people = { find: () => null, changes: { name: "Shop", clients: ["shop"] } };
  ({ server } = await startWithPage({ builtIn: "beside" }, { config: { people } }));
  for (const clientId of ["shop", "directory", "company-directory", "plain"]) await server.addClient({ clientId });
  await addProvider(server, "https://id.test", { changeClients: ["directory"] });
  const company = await addCompany(server);
  await addCompanyProvider(server, company, "https://corp.test", {
    ...{ domains: ["corp.test"], changeClients: ["company-directory"] },
  });
  await settle();
});
afterAll(() => server.stop());

describe("AD-03, AD-25: a narrow token at a client that answers for people", () => {
  // With a new secret of `acme`, a caller would accept a challenge in the name of an operator.
  test.each([
    ["of the own sign-in page", "acme"],
    ["that tells of the application's people", "shop"],
    ["that tells of a provider's people", "directory"],
    ["that tells of a company provider's people", "company-directory"],
  ])("%s → 403 for each change; with the scope admin → done", async (_, clientId) => {
    const narrow = await adminApi(server, "admin:clients:write");
    const path = `/clients/${clientId}`;
    const refusals = [
      await narrow.post(`${path}/rotate-secret`, {}),
      await narrow.patch(path, { jwks_uri: "https://evil.test/jwks", token_endpoint_auth_method: "private_key_jwt" }),
      await narrow.post(`${path}/disable`),
      await narrow.call("PUT", `${path}/logo`, { raw: "x", headers: { "content-type": "image/png" } }),
      await narrow.call("DELETE", path),
    ];
    expect(refusals.map(({ status, body }) => [status, body?.["code"]])).toEqual(
      refusals.map(() => [403, "admin_authority_exceeded"]),
    );
    const full = await adminApi(server);
    expect((await full.post(`${path}/rotate-secret`, { overlap: 3600 })).status).toBe(200);
  });

  test("an initial access token whose clients count as reviewed → 403; with the scope admin → made", async () => {
    const asked = { reviewed: true, require_pkce: false, token_endpoint_audience: true };
    const narrow = await (await adminApi(server, "admin:clients:write")).post("/registration_tokens", asked);
    expect([narrow.status, narrow.body?.["code"]]).toEqual([403, "admin_authority_exceeded"]);
    const full = await (await adminApi(server)).post("/registration_tokens", asked);
    expect([full.status, full.body]).toEqual([201, expect.objectContaining(asked)]);
  });

  test("any other client → its secret is changed", async () => {
    const narrow = await adminApi(server, "admin:clients:write");
    expect((await narrow.post("/clients/plain/rotate-secret", {})).status).toBe(200);
  });
});
