/** Connections and issuers that are for one company: a file names it by its slug, and can name it by its id. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { exportConfiguration } from "../../src/configuration/index.ts";
import { aDatabase, apply, planOf, problems, steps, type TestDatabase } from "./support/test-configuration.ts";

const CLIENT = (connection: string) => `  wiki:
    client_name: Wiki
    type: confidential
    token_endpoint_auth_method: private_key_jwt
    jwks_uri: https://wiki.example/jwks
    redirect_uris: [https://wiki.example/cb]
    scope: openid
    grant_types: [authorization_code, "urn:ietf:params:oauth:grant-type:token-exchange"]
${connection}`;
const CONNECTED = (company: string, scope = "chat:read chat:write") =>
  CLIENT(`    token_exchange:
      connections: [{audience: "https://as.chat.example", company: ${company}, client_id: there, scope: "${scope}"}]
`);
const ISSUER = (company: string) => `issuers:
  https://idp.example:
    type: id-jag
    jwks_uri: https://idp.example/jwks
    map_subject: link
    scope: chat:open
    company: ${company}
`;
const HEAD = "version: 1\nname: production\nscopes:\n  chat:open:\n    description: Open\n";
const ACME = "companies:\n  acme:\n    name: Acme\n";
const file = (company: string, scope?: string) =>
  `${HEAD}clients:\n${CONNECTED(company, scope)}${ISSUER(company)}${ACME}`;

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  let at: TestDatabase;
  beforeEach(async () => {
    at = await aDatabase(kind);
  });
  afterEach(() => at.close());
  const stored = async () => {
    const { storage } = at.admin;
    const id = (await storage.companies.find({ slug: "acme" }))?.companyId;
    const connection = (await storage.clients.get({ clientId: "wiki" }))?.record.tokenExchange?.connections?.[0];
    return { id, connection: connection?.company, issuer: (await storage.issuers.list())[0]?.company };
  };

  test("a company that doesn't exist → refused at the field, and nothing is made", async () => {
    const refused = await problems(apply(file("nosuch"), at.admin));
    expect(refused).toEqual([expect.stringMatching(/clients\.wiki\.token_exchange.*there is no such company/)]);
    expect((await stored()).id).toBeUndefined();
  });

  test("new company, client and issuer in one file → connected; the export has the slug, and changes nothing", async () => {
    await apply(file("acme"), at.admin);
    const { id, connection, issuer } = await stored();
    expect([connection, issuer]).toEqual([id, id]);
    const text = await exportConfiguration(at.admin);
    expect(text.match(/company: acme$/gm)).toHaveLength(2);
    expect(text).not.toContain(String(id));
    for (const same of [text, file("acme"), file(String(id))])
      expect(await planOf(same, at.admin)).toMatchObject({ changes: [], notes: [] });
  });

  test("a client that exists, and a new company → connected in one change", async () => {
    await apply(`${HEAD}clients:\n${CLIENT("")}`, at.admin);
    const plan = await apply(`${HEAD}clients:\n${CONNECTED("acme")}${ACME}`, at.admin);
    expect(steps(plan).toSorted()).toEqual(["create companies acme", "update clients wiki"]);
    const { id, connection } = await stored();
    expect(connection).toBe(id);
  });

  test.each(["slug", "id"])(
    "a narrower connection of a company, named by its %s → counted as one that is left",
    async (by) => {
      await apply(file("acme"), at.admin);
      const named = by === "slug" ? "acme" : String((await stored()).id);
      const plan = await planOf(file(named, "chat:read"), at.admin);
      expect(plan.changes).toMatchObject([{ key: "wiki", ends: { connection_permissions: 1 } }]);
      expect(JSON.stringify(plan.changes)).not.toContain(String((await stored()).id));
    },
  );
});
