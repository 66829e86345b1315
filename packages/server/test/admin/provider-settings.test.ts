import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  allProviders,
  createProvider,
  type NewProvider,
  providerRecord,
  updateProvider,
} from "../../src/admin/index.ts";
import { openProviderSecret } from "../../src/crypto/sign-in-provider-secrets.ts";
import { activeProviders } from "../../src/owners/identities/sign-in-elsewhere.ts";
import { openTestAdmin, refusal, type TestAdmin } from "./support/open-test-admin.ts";

let admin: TestAdmin;
beforeEach(async () => {
  admin = await openTestAdmin();
});
afterEach(() => admin.close());

const pem = (curve: string) =>
  String(generateKeyPairSync("ec", { namedCurve: curve }).privateKey.export({ type: "pkcs8", format: "pem" }));
const KEY = pem("P-256");
const domain = { emailDomains: ["example.com"] };
const openid: NewProvider = { name: "A", issuer: "https://a.example", clientId: "a", ...domain };
const oauth: NewProvider = {
  ...{ ...openid, type: "oauth", userEndpoint: "https://api.a.example/me" },
  ...{ authorizationEndpoint: "https://a.example/authorize", tokenEndpoint: "https://a.example/token" },
};
const apple: NewProvider = {
  ...{ preset: "apple", clientId: "com.example", teamId: "ABCDE12345", keyId: "FGHIJ67890", clientSecret: KEY },
  ...domain,
};
const github: NewProvider = { preset: "github", clientId: "a", clientSecret: "secret", ...domain };

describe("settings that can't be → refused, and nothing is stored", () => {
  test.each([
    ["OpenID Connect with an endpoint", { ...openid, tokenEndpoint: "https://a.example/token" }, "token_endpoint"],
    ["oauth without a user endpoint", { ...oauth, userEndpoint: "" }, "user_endpoint"],
    ["an endpoint over http", { ...oauth, tokenEndpoint: "http://a.example/token" }, "token_endpoint"],
    ["an endpoint with a user", { ...oauth, userEndpoint: "https://a:b@a.example/me" }, "user_endpoint"],
    ["an endpoint with a fragment", { ...oauth, userEndpoint: "https://a.example/me#a" }, "user_endpoint"],
    ["an endpoint that is a script", { ...oauth, authorizationEndpoint: "javascript:1" }, "authorization_endpoint"],
    ["oauth with a level", { ...oauth, mfaAcr: ["mfa"] }, "mfa_acr"],
    ["an unknown field", { ...openid, claims: { operator: "admin" } }, "claim"],
    ["the prototype as a field", { ...openid, claims: { constructor: "admin" } }, "claim"],
    ["another subject of OpenID Connect", { ...openid, claims: { subject: "email" } }, "claim"],
    ["another subject of GitHub", { ...github, claims: { subject: "login" } }, "claim"],
    ["no subject", { ...oauth, claims: { subject: "" } }, "claim"],
    ["a claim with a space", { ...openid, claims: { name: "a b" } }, "claim"],
    ["a level with a space", { ...openid, mfaAcr: ["a b"] }, "mfa_acr"],
    ["an empty level", { ...openid, mfaAmr: [""] }, "mfa_amr"],
    ["21 levels", { ...openid, mfaAmr: Array.from({ length: 21 }, (_, at) => `a${at}`) }, "mfa_amr"],
    ["a position below 0", { ...openid, position: -1 }, "position"],
    ["a position of 1,001", { ...openid, position: 1_001 }, "position"],
    ["a team without Apple", { ...openid, teamId: "ABCDE12345" }, "team_id"],
    ["Apple without a team", { ...apple, teamId: "" }, "team_id"],
    ["Apple with a short key ID", { ...apple, keyId: "FGHIJ" }, "key_id"],
    ["Apple with a secret that is no key", { ...apple, clientSecret: "a secret" }, "client_secret"],
    ["Apple with a key of another curve", { ...apple, clientSecret: pem("P-384") }, "client_secret"],
    ["Apple without a key", { ...apple, clientSecret: null }, "client_secret"],
    ["Apple trusted for any domain", { ...apple, trustEmail: true }, "trust_email"],
    ["GitHub trusted for a domain", { ...github, trustEmail: true }, "trust_email"],
    ["GitHub at another issuer", { ...github, issuer: "https://a.example" }, "issuer"],
    ["a host that is none", { ...github, host: "https://a.example" }, "host"],
  ] satisfies readonly (readonly [string, NewProvider, string])[])("%s", async (_, input, field) => {
    const { kind, problems } = await refusal(createProvider(input, admin));
    expect([kind, problems]).toEqual(["invalid", [expect.stringMatching(new RegExp(`^${field}: `))]]);
    expect(problems.join()).not.toContain(KEY.split("\n")[1]);
    expect(await allProviders(admin)).toEqual([]);
  });

  test("Apple's key is deleted, or replaced by a text → refused, and the old one stays", async () => {
    const { provider } = await createProvider(apple, admin);
    for (const clientSecret of [null, "a secret"])
      expect((await refusal(updateProvider(provider.id, { clientSecret }, admin))).kind).toBe("invalid");
    expect(await allProviders(admin)).toEqual([provider]);
  });
});

test("Apple → its issuer, the key sealed and not in the record for operators", async () => {
  const { provider } = await createProvider(apple, admin);
  expect(provider).toMatchObject({ issuer: "https://appleid.apple.com", scopes: ["openid", "name", "email"] });
  expect(openProviderSecret(admin.secrets(), provider.id, provider.sealedSecret ?? "")).toBe(KEY);
  const record = providerRecord(provider, admin.issuer);
  expect(record).toMatchObject({ team_id: "ABCDE12345", key_id: "FGHIJ67890", has_secret: true });
  expect(JSON.stringify([provider, record])).not.toContain(KEY.split("\n")[1]);
});

test.each([
  [undefined, "https://github.com", "https://api.github.com/user"],
  ["corp.ghe.com", "https://corp.ghe.com", "https://api.corp.ghe.com/user"],
  ["git.example", "https://git.example", "https://git.example/api/v3/user"],
])("GitHub at %s → its endpoints, the number as the subject, no logout URI", async (host, issuer, userEndpoint) => {
  const { provider, remarks } = await createProvider({ ...github, ...(host === undefined ? {} : { host }) }, admin);
  expect(provider).toMatchObject({
    type: "oauth",
    issuer,
    scopes: ["read:user", "user:email"],
    oauth: { userEndpoint },
  });
  const { provider: mapped } = await updateProvider(provider.id, { claims: { name: "bio" } }, admin);
  expect(mapped.claims).toMatchObject({ subject: "id", username: "login", name: "bio" });
  expect(providerRecord(provider, admin.issuer)["backchannel_logout_uri"]).toBeNull();
  expect(remarks.map(({ field }) => field)).toEqual(["believe_fresh"]);
});

test("a token endpoint at another host → the stored secret is deleted, and a remark says so", async () => {
  const { provider } = await createProvider({ ...oauth, clientSecret: "secret" }, admin);
  const same = await updateProvider(provider.id, { tokenEndpoint: "https://a.example/other" }, admin);
  expect(same.provider.sealedSecret).not.toBeNull();
  const { provider: moved, remarks } = await updateProvider(
    provider.id,
    { tokenEndpoint: "https://b.example/t" },
    admin,
  );
  expect([moved.sealedSecret, remarks.map(({ field }) => field)]).toEqual([null, ["client_secret"]]);
});

test("claims, levels, profile and position → stored, changed, and taken back", async () => {
  const further = {
    claims: { username: "upn" },
    mfaAcr: ["urn:a"],
    mfaAmr: ["mfa"],
    profile: "follow",
    position: 3,
  } as const;
  const { provider } = await createProvider({ ...openid, ...further }, admin);
  expect(provider).toMatchObject(further);
  expect((await updateProvider(provider.id, { name: "B" }, admin)).provider).toEqual({ ...provider, name: "B" });
  const none = { claims: {}, mfaAcr: [], mfaAmr: [], profile: "first", position: null } as const;
  const { provider: back } = await updateProvider(provider.id, none, admin);
  for (const name of Object.keys(none)) expect(back).not.toHaveProperty(name);
});

test("the buttons → by position, then by name", async () => {
  for (const [clientId, name, position] of [
    ["a", "Zeta", 1],
    ["b", "Alpha", null],
    ["c", "Beta", null],
    ["d", "Omega", 0],
  ] as const)
    await createProvider({ ...openid, clientId, name, position }, admin);
  const all = new Map((await allProviders(admin)).map((one) => [one.id, one]));
  const names = (await activeProviders({ providers: () => all })).map(({ name }) => name);
  expect(names).toEqual(["Omega", "Zeta", "Alpha", "Beta"]);
});
