import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aJwtIssuer } from "../../../test/support/assertion-requests.ts";
import { anIdentityProvider } from "../../../test/support/saml-idp.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
const idp = anIdentityProvider("https://idp.test/saml");
const jwt = aJwtIssuer("https://idp.test");
const file = (name: string, text: string) => {
  writeFileSync(join(at.folder, name), text);
  return name;
};

beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  await at.json(["scope", "create", "read", "--description", "Read"]);
});
afterAll(() => at.remove());

test.each([
  ["no keys", [], 1, "error: --jwks: missing"],
  ["two kinds of keys", ["--jwks", "a", "--jwks-uri", "https://b.test"], 2, "error: use only one of --jwks"],
  ["a file that isn't there", ["--jwks", "gone.json"], 1, "error: gone.json: the file can't be read"],
  ["an address without TLS", ["--jwks-uri", "http://idp.test/jwks"], 1, "error: --jwks-uri: must be an https URL"],
])("%s → one line, and nothing is stored", async (_, args, wanted, words) => {
  const { code, stderr } = await at.run(["issuer", "create", "--type", "jwt", "--issuer", "https://x.test", ...args]);
  expect(stderr).toContain(words);
  expect(code).toBe(wanted);
  expect(await at.json(["issuer", "list"])).toEqual([]);
});

test("SA-20 metadata without a signing certificate → refused", async () => {
  const metadata = file(
    "bare.xml",
    `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${idp.entityId}"/>`,
  );
  const args = ["issuer", "create", "--type", "saml", "--issuer", idp.entityId, "--saml-metadata", metadata];
  const { code, stderr } = await at.run(args);
  expect(stderr).toBe("error: --saml-metadata: it has no signing certificate of an identity provider\n");
  expect(code).toBe(1);
});

test("created, listed, changed, deleted", async () => {
  const jwks = file("jwks.json", jwt.jwks);
  const made = await at.json([
    ...["issuer", "create", "--type", "jwt", "--issuer", jwt.issuer, "--jwks", jwks, "--scope", "read"],
    ...["--max-lifetime", "600", "--map-subject", "email", "--create-owners", "--subject", "@example.test"],
  ]);
  expect(made).toMatchObject({
    issuer: jwt.issuer,
    type: "jwt",
    status: "active",
    scope: "read",
    max_lifetime: 600,
    map_subject: "email",
    subjects: ["@example.test"],
    create_owners: true,
    audience: null,
  });
  const one = file("one.pem", idp.certificate);
  const saml = await at.json<{ certificates: string[] }>([
    ...["issuer", "create", "--type", "saml", "--issuer", idp.entityId, "--certificate", one, "--certificate", one],
    ...["--scope", "read"],
  ]);
  expect(saml.certificates).toHaveLength(2);
  expect((await at.json<unknown[]>(["issuer", "list"])).length).toBe(2);
  const update = ["issuer", "update", jwt.issuer, "--audience", "urn:us", "--no-create-owners", "--status", "disabled"];
  expect(await at.json(update)).toMatchObject({
    audience: "urn:us",
    create_owners: false,
    status: "disabled",
    scope: "read",
  });
  expect(await at.json(["issuer", "update", jwt.issuer, "--no-audience"])).toMatchObject({ audience: null });
  const claimed = ["--subject-claim", "upn", "--email-domain", "example.com", "--email-domain", "example.org"];
  expect(await at.json(["issuer", "update", jwt.issuer, ...claimed])).toMatchObject({
    subject_claim: "upn",
    email_domains: ["example.com", "example.org"],
  });
  expect(await at.json(["issuer", "update", jwt.issuer, "--no-subject-claim"])).toMatchObject({ subject_claim: null });
  expect(await at.json(["issuer", "update", idp.entityId, "--subject-attribute", "uid"])).toMatchObject({
    subject_attribute: "uid",
  });
  await at.json(["issuer", "delete", jwt.issuer, "--yes"]);
  expect((await at.run(["issuer", "delete", jwt.issuer, "--yes"])).code).toBe(1);
});

test("linked, listed, unlinked", async () => {
  const issuer = "https://links.test";
  const jwks = file("links.json", jwt.jwks);
  await at.json(["issuer", "create", "--type", "jwt", "--issuer", issuer, "--jwks", jwks, "--map-subject", "link"]);
  const user = ["user", "create", "--username", "alice", "--email", "a@x.test", "--generate-password"];
  const { id } = await at.json<{ id: string }>(user);
  const nobody = await at.run(["issuer", "link", issuer, "00u1", "--user", "bob"]);
  expect([nobody.code, nobody.stderr]).toEqual([1, 'error: username: there is no user "bob"\n']);
  const linked = { issuer, claim: null, subject: "00u1", user_id: id, username: "alice" };
  expect(await at.json(["issuer", "link", issuer, "00u1", "--user", "a@x.test"])).toEqual(linked);
  expect(await at.json(["issuer", "links", issuer])).toEqual([
    { ...linked, made_by: "operator", created_at: expect.any(String) },
  ]);
  expect((await at.run(["issuer", "links", issuer])).stdout).toMatch(/00u1 +.*alice +operator /);
  expect((await at.run(["issuer", "unlink", issuer, "00u1", "--claim", "oid"])).code).toBe(1);
  expect(await at.json(["issuer", "unlink", issuer, "00u1"])).toEqual({
    issuer,
    claim: null,
    subject: "00u1",
    unlinked: true,
  });
  expect((await at.run(["issuer", "unlink", issuer, "00u1"])).stderr).toBe('error: subject: "00u1" is not linked\n');
  expect(await at.json(["issuer", "links", issuer])).toEqual([]);
});

test.each([
  ["an attribute of a JWT", "jwt", ["--subject-attribute", "uid"]],
  ["a claim of a SAML assertion", "saml", ["--subject-claim", "upn"]],
  ["both", "jwt", ["--subject-claim", "upn", "--subject-attribute", "uid"]],
])("%s → wrong usage", async (_, type, args) => {
  const { code } = await at.run(["issuer", "create", "--type", type, "--issuer", "https://y.test", ...args]);
  expect(code).toBe(2);
});
