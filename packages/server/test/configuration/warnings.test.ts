/** A plan prints the warnings of the commands that make the same change alone. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aDatabase, apply, planOf, type TestDatabase } from "./support/test-configuration.ts";

const FILE = `version: 1
name: small
scopes:
  photos:view:
    description: See your photos
clients:
  web:
    client_name: Web App
    type: confidential
    client_secret: {env: SECRET}
    redirect_uris: [https://web.example.com/callback]
    scope: photos:view
`;
const LEGACY = `${FILE}  legacy:
    client_name: Web App
    type: confidential
    client_secret: {env: SECRET}
    redirect_uris: [https://old.example.com/callback]
    grant_types: [authorization_code, implicit, password]
    response_types: [token]
    scope: photos:view
    first_party: true
`;
const WORKER = `${FILE}  worker:
    client_name: Worker
    type: confidential
    client_secret: {env: OTHER}
    grant_types: [client_credentials]
    own_scope: photos:view
`;
const ISSUER = `${FILE}issuers:
  https://idp.example.com:
    type: jwt
    jwks_uri: https://idp.example.com/jwks
    scope: photos:view
    create_owners: true
`;

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  let at: TestDatabase;
  beforeAll(async () => {
    at = await aDatabase(kind);
    await apply(FILE, at.admin);
  });
  afterAll(() => at.close());

  test("a redirect URI on another host → owners and companies are asked again", async () => {
    const moved = FILE.replace("https://web.example.com", "https://new.example.com");
    expect((await planOf(moved, at.admin)).warnings).toEqual([
      "client web: redirect_uris: new.example.com: the server asks owners again before it sends a response there; companies that approved this client for all members must approve it again",
    ]);
  });

  test("a new client with weak grant types, without consent and with a name like another → each is named", async () => {
    const { warnings } = await planOf(LEGACY, at.admin);
    expect(warnings).toEqual([
      expect.stringMatching("^client legacy: grant_types: with implicit, "),
      expect.stringMatching("^client legacy: grant_types: with password, "),
      "client legacy: first_party: the server does not ask owners for consent to this client",
      "client legacy: client_name: owners may confuse this client with another one that has the same or a similar name: web (Web App)",
    ]);
  });

  test("two new clients with one name → both are named", async () => {
    const twins = WORKER.replace("  web:\n", "  web1:\n").replaceAll(/client_name: .*/g, "client_name: Twin");
    const told = (await planOf(twins, at.admin)).warnings;
    expect(told).toEqual([
      expect.stringMatching(/^client web1: client_name: .* name: worker \(Twin\)$/),
      expect.stringMatching(/^client worker: client_name: .* name: web1 \(Twin\)$/),
    ]);
  });

  test("another method with a secret → the client has it, or the plan says that there is none", async () => {
    const signed = FILE.replace("    type: conf", "    token_endpoint_auth_method: client_secret_jwt\n    type: conf");
    const without = signed.replace("    client_secret: {env: SECRET}\n", "");
    expect((await planOf(without, at.admin)).warnings).toEqual([
      "client web: this client has no secret: to create one, run assent client rotate-secret",
    ]);
    for (const text of [signed, FILE]) {
      expect((await apply(text, at.admin)).warnings).toEqual([]);
      expect((await planOf(text, at.admin)).changes).toEqual([]);
    }
  });

  test("an issuer that creates owners without limits → each field is named as in the file", async () => {
    expect((await planOf(ISSUER, at.admin)).warnings).toEqual([
      expect.stringMatching("^issuer https://idp.example.com: subjects: this issuer can create owners with any name"),
      expect.stringMatching("^issuer https://idp.example.com: email_domains: this issuer's new owners get any address"),
    ]);
  });

  test("lists that limit an issuer are taken out → notes, and the operator must agree; another value → neither", async () => {
    const limited = (fields: string) => ISSUER.replace("    create_owners: true\n", fields);
    const all = "    clients: [web]\n    subjects: [dan]\n    email_domains: [corp.example]\n";
    const opened = async (fields: string) => {
      const { changes, notes } = await planOf(limited(fields), at.admin);
      const { question = "" } = changes[0] ?? {};
      const told = notes.map((one) => one.replace("issuer https://idp.example.com: ", ""));
      expect(question).toBe(told.length === 0 ? "" : `takes away a limit. ${told.join(" ").replace(/\.$/, "")}`);
      return told;
    };
    expect(await opened(all)).toEqual([]);
    await apply(limited(all), at.admin);
    expect(await opened(all.replace("dan", "eve"))).toEqual([]);
    expect(await opened("    scope: photos:view\n".replace(/.*\n/, ""))).toEqual([
      "Without a list of clients, any client with the grant type can use the issuer's assertions.",
      "Without a list of subjects, the issuer's assertions can be about anybody.",
      "Without a list of e-mail domains, the issuer's assertions can name addresses of any domain.",
    ]);
    expect(await opened(all.replace(/.*dan.*\n/, ""))).toHaveLength(1);
    await apply(FILE, at.admin, { prune: true });
  });

  test("implicit without response types → applied; again → no change", async () => {
    const text = LEGACY.replace("[authorization_code, implicit, password]", "[implicit, password]").replace(
      "    response_types: [token]\n",
      "",
    );
    await apply(text, at.admin);
    expect((await planOf(text, at.admin)).changes).toEqual([]);
    await apply(FILE, at.admin, { prune: true });
  });

  test("a new client → the plan has grant types and response types that are no defaults", async () => {
    const fields = async (text: string, key: string) =>
      (await planOf(text, at.admin)).changes.find((one) => one.key === key)?.fields.map(({ field }) => field) ?? [];
    const legacy = (await planOf(LEGACY, at.admin)).changes[0]?.fields;
    expect(legacy).toContainEqual({
      field: "grant_types",
      before: null,
      after: ["authorization_code", "implicit", "password"],
    });
    expect(legacy).toContainEqual({ field: "response_types", before: null, after: ["token"] });
    expect(await fields(WORKER, "worker")).toContain("grant_types");
    expect(await fields(WORKER, "worker")).not.toContain("response_types");
    expect(await fields(FILE.replace("  web:\n", "  web1:\n"), "web1")).not.toContain("grant_types");
  });
});
