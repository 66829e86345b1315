import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createClient,
  createResource,
  createScope,
  deleteResource,
  deleteScope,
  resourceRecord,
  scopeRecord,
  updateResource,
  updateScope,
} from "../../src/admin/index.ts";
import { openTestAdmin, refusal, type TestAdmin } from "./support/open-test-admin.ts";

let admin: TestAdmin;
beforeAll(async () => {
  admin = await openTestAdmin();
});
afterAll(() => admin.close());

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url");
const API = "https://api.test";

describe("resource", () => {
  test.each([
    ["not absolute", { identifier: "api.test" }, "identifier"],
    ["with a fragment", { identifier: "https://api.test/#a" }, "identifier"],
    ["with a space", { identifier: "https://api.test/a b" }, "identifier"],
    ["without a host", { identifier: "https:///a" }, "identifier"],
    ["the issuer itself", { identifier: "https://id.test" }, "identifier"],
    ["the UserInfo endpoint", { identifier: "https://id.test/userinfo" }, "identifier"],
    ["no name", { name: "" }, "name"],
    ["a lifetime of 0", { tokenLifetime: 0 }, "token_lifetime"],
    ["a lifetime of 86,401 s", { tokenLifetime: 86_401 }, "token_lifetime"],
    ["a format that there isn't", { tokenFormat: "paseto" }, "token_format"],
    ["no format", { tokenFormat: "" }, "token_format"],
    ["an alg that there isn't", { alg: "RS512" }, "alg"],
    ["no signature", { alg: "none" }, "alg"],
    ["an alg in other letters", { alg: "es256" }, "alg"],
  ])("%s → refused", async (_, changes, field) => {
    const { kind, problems } = await refusal(createResource({ identifier: API, name: "Photos", ...changes }, admin));
    expect(kind).toBe("invalid");
    expect(problems).toEqual([expect.stringMatching(`^${field}: `)]);
  });

  test("a new one → introspection id and secret, of which the hash is stored; the same again → taken", async () => {
    const { resource, secret } = await createResource({ identifier: API, name: "Photos", tokenLifetime: 60 }, admin);
    expect(secret).toMatch(/^cs_[A-Za-z0-9_-]{43}$/);
    expect(resource.introspectionClientId).toMatch(/^rs_[A-Za-z0-9_-]{22}$/);
    expect(resource.introspectionSecretHash).toBe(sha256(secret));
    expect(resourceRecord(resource, secret)).toMatchObject({ introspection_client_secret: secret, token_lifetime: 60 });
    expect(JSON.stringify(resourceRecord(resource))).not.toMatch(/secret|cs_[\w-]{43}/);
    expect((await refusal(createResource({ identifier: API, name: "Other" }, admin))).kind).toBe("taken");
  });

  test.each(["https://api.test/", "http://127.0.0.1:9402", "urn:example:api", "https://api.test/v1?tenant=a"])(
    "%s → registered",
    async (identifier) => {
      await createResource({ identifier, name: "Other" }, admin);
    },
  );

  test("opaque tokens → no key; another format or alg later → as it says, the rest stays", async () => {
    const identifier = "https://sealed.test";
    const before = (await admin.storage.keys.list()).length;
    await createResource({ identifier, name: "Sealed", tokenFormat: "opaque", alg: "PS256" }, admin);
    expect(await admin.storage.keys.list()).toHaveLength(before);
    expect((await refusal(updateResource(identifier, { alg: "none" }, admin))).problems).toEqual([
      expect.stringMatching("^alg: must be one of ES256"),
    ]);
    const { resource } = await updateResource(identifier, { tokenFormat: "jwt", alg: "EdDSA" }, admin);
    expect(resource).toMatchObject({ name: "Sealed", tokenFormat: "jwt", alg: "EdDSA" });
    expect((await admin.storage.keys.list()).some(({ alg }) => alg === "EdDSA")).toBe(true);
  });

  test.each(["ES384", "EdDSA", "PS256", "RS256"])("%s → its first key is there with the API, and once", async (alg) => {
    for (const one of ["a", "b"])
      await createResource({ identifier: `https://${alg}-${one}.test`, name: "B", alg }, admin);
    expect((await admin.storage.keys.list()).filter((key) => key.alg === alg)).toHaveLength(1);
  });

  test("changed → the rest stays; a new secret only where asked for", async () => {
    const { resource, secret } = await updateResource(API, { name: "Pictures", grantBound: true }, admin);
    expect(secret).toBeNull();
    expect(resource).toMatchObject({ name: "Pictures", grantBound: true, tokenLifetime: 60 });
    const renewed = await updateResource(API, { newSecret: true, tokenLifetime: null }, admin);
    expect(renewed.resource.introspectionSecretHash).toBe(sha256(renewed.secret ?? ""));
    expect(renewed.resource).toMatchObject({ name: "Pictures", tokenLifetime: null });
    expect((await refusal(updateResource("https://nowhere.test", {}, admin))).kind).toBe("unknown");
    expect((await refusal(updateResource(API, { tokenLifetime: 0.5 }, admin))).kind).toBe("invalid");
  });
});

describe("scope", () => {
  test.each([
    ["a name with a space", { name: "a b" }, "name"],
    ["a name with a quote", { name: 'a"b' }, "name"],
    ["a name of 129 characters", { name: "x".repeat(129) }, "name"],
    ["no description", { description: " " }, "description"],
    ["a description with an override", { description: "See \u202ephotos" }, "description"],
    ["a role that doesn't exist", { ownerRole: "root" }, "owner_role"],
  ])("%s → refused", async (_, changes, field) => {
    const { kind, problems } = await refusal(createScope({ name: "new", description: "See", ...changes }, admin));
    expect(kind).toBe("invalid");
    expect(problems).toEqual([expect.stringMatching(`^${field}: `)]);
  });

  test("of an API that isn't there → unknown", async () => {
    const wrong = createScope({ name: "new", description: "See", resource: "https://nowhere.test" }, admin);
    expect(await refusal(wrong)).toMatchObject({
      kind: "unknown",
      problems: [expect.stringMatching(/^resource: there is no API/)],
    });
  });

  test.each([
    ["access that is none", { access: "admin" as "read" }, "access"],
    ["a language that is none", { descriptions: { "de de": "Fotos" } }, "description_lang"],
    ["a translation that hides something", { descriptions: { de: "Fotos\u202E" } }, "description_lang"],
    [
      "too many translations",
      {
        descriptions: Object.fromEntries(
          Array.from({ length: 41 }, (_, at) => [`l${"abcdefghijklmnopqrstuvwxyz"[at % 26]}-${at}`, "x"]),
        ),
      },
      "description_lang",
    ],
  ])("%s → refused", async (_, change, field) => {
    const problem = await refusal(createScope({ name: "photos:new", description: "See", ...change }, admin));
    expect([problem.kind, problem.problems]).toEqual(["invalid", [expect.stringMatching(`^${field}: `)]]);
  });

  test("translations: one is added, one goes, the others stay", async () => {
    const name = "photos:translated";
    await createScope({ name, description: "See", access: "read", descriptions: { de: "Sehen", fr: "Voir" } }, admin);
    const changed = await updateScope(name, { descriptions: { es: "Ver", fr: "" } }, admin);
    expect(scopeRecord(changed)).toMatchObject({ access: "read", "description#de": "Sehen", "description#es": "Ver" });
    expect(scopeRecord(changed)).not.toHaveProperty("description#fr");
  });

  test("a new one → stored; the same again → taken; changed → the rest stays", async () => {
    const scope = await createScope({ name: "photos:read", description: "See your photos", resource: API }, admin);
    expect(scopeRecord(scope)).toEqual({
      name: "photos:read",
      description: "See your photos",
      resource: API,
      access: null,
      optional: false,
      sensitive: false,
      owner_role: null,
      acr: null,
      max_age: null,
    });
    expect((await refusal(createScope({ name: "photos:read", description: "x" }, admin))).kind).toBe("taken");
    const changed = await updateScope("photos:read", { optional: true, ownerRole: "admin" }, admin);
    expect(changed).toMatchObject({ ...scope, optional: true, ownerRole: "admin" });
    for (const wrong of [{ acr: "gold" as "mfa" }, { maxAge: -1 }, { maxAge: 1.5 }, { maxAge: 1_209_601 }]) {
      expect((await refusal(updateScope("photos:read", wrong, admin))).kind).toBe("invalid");
    }
    const stronger = await updateScope("photos:read", { acr: "phr", maxAge: 300 }, admin);
    expect(scopeRecord(stronger)).toMatchObject({ acr: "phr", max_age: 300 });
    expect((await refusal(updateScope("nothing", { optional: true }, admin))).kind).toBe("unknown");
  });

  test("an API with scopes can't be deleted; once they are gone it can", async () => {
    expect((await refusal(deleteResource(API, admin))).problems[0]).toContain("photos:read");
    const metadata = { client_name: "P", redirect_uris: ["https://app.test/cb"], scope: "photos:read" };
    const { client } = await createClient({ type: "public", metadata }, admin);
    expect(await deleteScope("photos:read", admin)).toEqual([client.clientId]);
    await deleteResource(API, admin);
    expect((await refusal(deleteResource(API, admin))).kind).toBe("unknown");
    expect((await refusal(deleteScope("photos:read", admin))).kind).toBe("unknown");
  });
});
