import { afterEach, beforeEach, expect, test } from "vitest";
import { createProvider, type NewProvider, updateProvider } from "../../src/admin/index.ts";
import { openTestAdmin, refusal, type TestAdmin } from "./support/open-test-admin.ts";

let admin: TestAdmin;
beforeEach(async () => {
  admin = await openTestAdmin();
});
afterEach(() => admin.close());

const TENANT = "0b6a1f2e-93c4-4a50-8d7e-5a1c2b3d4e5f";
const made = async (input: Omit<NewProvider, "clientId">) =>
  (await createProvider({ clientId: "assent-1", ...input }, admin)).provider;

test.each<readonly [string, Omit<NewProvider, "clientId">, string]>([
  ["Entra ID without a tenant", { preset: "entra" }, "tenant"],
  ["all tenants", { preset: "entra", tenant: "common" }, "tenant"],
  ["another issuer at Google", { preset: "google", issuer: "https://accounts.example" }, "issuer"],
  ["a host at Google", { preset: "google", host: "google.example" }, "host"],
  ["a URL as the host", { preset: "gitlab", host: "https://gitlab.example" }, "host"],
  ["a host with a path", { preset: "gitlab", host: "gitlab.example/a" }, "host"],
  ["Keycloak without a realm", { preset: "keycloak", host: "k.example", name: "K" }, "realm"],
  ["a realm with a slash", { preset: "keycloak", host: "k.example", realm: "a/b", name: "K" }, "realm"],
  ["a host beside an issuer", { preset: "gitlab", host: "g.example", issuer: "https://g.example" }, "host"],
  ["no name", { preset: "assent", host: "id.example" }, "name"],
  ["an organization at GitLab", { preset: "gitlab", hostedDomain: "example.com" }, "hosted_domain"],
  ["an organization that is no domain", { preset: "google", hostedDomain: "a b" }, "hosted_domain"],
  ["trust at Google", { preset: "google", emailDomains: ["example.com"], trustEmail: true }, "trust_email"],
])("%s → refused", async (_, input, field) => {
  const { kind, problems } = await refusal(made(input));
  expect([kind, problems]).toEqual(["invalid", [expect.stringMatching(new RegExp(`^${field}: `))]]);
});

test.each<readonly [Omit<NewProvider, "clientId">, string, string]>([
  [{ preset: "google" }, "Google", "https://accounts.google.com"],
  [{ preset: "entra", tenant: TENANT }, "Microsoft", `https://login.microsoftonline.com/${TENANT}/v2.0`],
  [{ preset: "gitlab" }, "GitLab", "https://gitlab.com"],
  [{ preset: "gitlab", host: "gitlab.example" }, "GitLab", "https://gitlab.example"],
  [{ preset: "keycloak", host: "k.example", realm: "Staff 1", name: "K" }, "K", "https://k.example/realms/Staff%201"],
  [
    { preset: "keycloak", issuer: "https://k.example/auth/realms/a", name: "K" },
    "K",
    "https://k.example/auth/realms/a",
  ],
  [{ preset: "assent", host: "id.example:8443", name: "Partner" }, "Partner", "https://id.example:8443"],
])("%j → its name and issuer", async (input, name, issuer) => {
  expect(await made(input)).toMatchObject({ preset: input.preset, name, issuer });
});

test("Entra ID → the tenant is required, also in capitals; a changed issuer → refused", async () => {
  const { id, requiredClaims } = await made({ preset: "entra", tenant: TENANT.toUpperCase() });
  expect(requiredClaims).toEqual({ tid: TENANT });
  const { problems } = await refusal(updateProvider(id, { issuer: "https://accounts.example" }, admin));
  expect(problems).toEqual([expect.stringMatching(/^issuer: /)]);
});

test("an organization at Google → required; without it → trusted addresses are refused", async () => {
  const trusted = { emailDomains: ["example.com"], trustEmail: true };
  const { id, requiredClaims } = await made({ preset: "google", hostedDomain: "Example.com", ...trusted });
  expect(requiredClaims).toEqual({ hd: "example.com" });
  expect((await refusal(updateProvider(id, { hostedDomain: null }, admin))).problems.join()).toMatch(/^trust_email: /);
  const { provider } = await updateProvider(id, { hostedDomain: null, trustEmail: false }, admin);
  expect(provider.requiredClaims).toBeUndefined();
  await made({ preset: "google", clientId: "two", emailDomains: ["gmail.com"], trustEmail: true } as NewProvider);
});
