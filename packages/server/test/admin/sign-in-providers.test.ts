import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createClient } from "../../src/admin/clients.ts";
import {
  allProviders,
  createProvider,
  deleteProvider,
  diagnose,
  impactOfProvider,
  MAX_PROVIDERS,
  type NewProvider,
  providerOf,
  providerRecord,
  updateProvider,
} from "../../src/admin/index.ts";
import { Secrets } from "../../src/crypto/server-secret.ts";
import { openProviderSecret } from "../../src/crypto/sign-in-provider-secrets.ts";
import { secretOf } from "../../src/data-dir.ts";
import type { SignInProvider } from "../../src/owners/identities/sign-in-provider.ts";
import type { Person } from "../../src/owners/storage.ts";
import { aPasskey, aStoredPerson, NOW } from "../storage/support/record-builders.ts";
import { openTestAdmin, refusal, type TestAdmin } from "./support/open-test-admin.ts";

let admin: TestAdmin;
beforeEach(async () => {
  admin = await openTestAdmin();
});
afterEach(() => admin.close());

const SECRET = "an-upstream-secret-1234";
const given = (changes: Partial<NewProvider> = {}): NewProvider => ({
  name: "Example",
  issuer: "https://accounts.example",
  clientId: "assent-1",
  emailDomains: ["example.com"],
  ...changes,
});
const made = async (changes: Partial<NewProvider> = {}) => (await createProvider(given(changes), admin)).provider;
const opened = ({ id, sealedSecret }: SignInProvider) =>
  sealedSecret === null ? null : openProviderSecret(admin.secrets(), id, sealedSecret);

describe("settings that can't be → refused, and nothing is stored", () => {
  const domains = (count: number) => Array.from({ length: count }, (_, at) => `d${at}.example`);
  test.each([
    ["an empty name", { name: " " }, "name"],
    ["a name of 61 characters", { name: "x".repeat(61) }, "name"],
    ["a name with a line feed", { name: "A\nB" }, "name"],
    ["a name with a hidden direction", { name: "A\u202eB" }, "name"],
    ["a name that mixes alphabets", { name: "Gооgle" }, "name"],
    ["an empty issuer", { issuer: "" }, "issuer"],
    ["an issuer that is no URL", { issuer: "accounts.example" }, "issuer"],
    ["an issuer over http", { issuer: "http://accounts.example" }, "issuer"],
    ["an issuer over http at a name that looks local", { issuer: "http://localhost.example" }, "issuer"],
    ["an issuer with a query", { issuer: "https://accounts.example/?a" }, "issuer"],
    ["an issuer with an empty query", { issuer: "https://accounts.example?" }, "issuer"],
    ["an issuer with a fragment", { issuer: "https://accounts.example/#a" }, "issuer"],
    ["an issuer with a user", { issuer: "https://a:b@accounts.example" }, "issuer"],
    ["an issuer with a backslash", { issuer: "https://accounts.example\\@evil.example" }, "issuer"],
    ["an issuer with a space", { issuer: " https://accounts.example" }, "issuer"],
    ["an issuer with a port above 65535", { issuer: "https://accounts.example:99999" }, "issuer"],
    ["an issuer of another scheme", { issuer: "ftp://accounts.example" }, "issuer"],
    ["an issuer of 1,025 characters", { issuer: `https://accounts.example/${"x".repeat(1000)}` }, "issuer"],
    ["this server's own issuer", { issuer: "https://id.test" }, "issuer"],
    ["this server's own issuer, spelled in another way", { issuer: "https://ID.test:443/" }, "issuer"],
    ["an empty client id", { clientId: "" }, "client_id"],
    ["a client id with a space", { clientId: "a b" }, "client_id"],
    ["a client id of 256 characters", { clientId: "x".repeat(256) }, "client_id"],
    ["a client id beyond ASCII", { clientId: "ä" }, "client_id"],
    ["an empty secret", { clientSecret: "" }, "client_secret"],
    ["a secret with a line feed", { clientSecret: "a\nb" }, "client_secret"],
    ["a secret that ends with a space", { clientSecret: "a " }, "client_secret"],
    ["a secret of 513 characters", { clientSecret: "x".repeat(513) }, "client_secret"],
    ["a scope with a quote", { scopes: ['a"b'] }, "scope"],
    ["a scope with a space", { scopes: ["a b"] }, "scope"],
    ["51 scopes", { scopes: domains(50) }, "scope"],
    ["a domain that is none", { emailDomains: ["exa mple.com"] }, "email_domain"],
    ["an address as a domain", { emailDomains: ["a@example.com"] }, "email_domain"],
    ["201 domains", { emailDomains: domains(201) }, "email_domain"],
    ["addresses trusted without any domain", { emailDomains: [], trustEmail: true }, "trust_email"],
  ] as const)("%s", async (_, changes, field) => {
    const before = await made({ clientId: "before", clientSecret: SECRET });
    for (const work of [
      createProvider(given(changes), admin),
      updateProvider(before.id, { trustEmail: false, ...changes }, admin),
    ]) {
      const { kind, problems } = await refusal(work);
      expect(kind).toBe("invalid");
      expect(problems).toEqual([expect.stringMatching(new RegExp(`^${field}: `))]);
      if ("clientSecret" in changes && changes.clientSecret !== "")
        expect(problems.join()).not.toContain(changes.clientSecret);
    }
    expect(await allProviders(admin)).toEqual([before]);
  });

  test("several at once → all are named", async () => {
    const { problems } = await refusal(createProvider(given({ name: "", issuer: "", clientId: "" }), admin));
    expect(problems.map((one) => one.split(":")[0])).toEqual(["name", "issuer", "client_id"]);
  });

  test("addresses trusted without any domain → the reason is named", async () => {
    const { problems } = await refusal(createProvider(given({ emailDomains: [], trustEmail: true }), admin));
    expect(problems.join()).toContain("could name anybody's address");
  });
});

test.each([
  "http://localhost:9400",
  "http://127.0.0.1:9400/realms/a",
  "http://[::1]:8080",
  "https://accounts.example:8443/tenant/",
])("the issuer %s → stored as it is written", async (issuer) => {
  expect((await made({ issuer })).issuer).toBe(issuer);
});

test("a name in another alphabet, a client id and a secret of the largest length → stored", async () => {
  const provider = await made({ name: "例え", clientId: "x".repeat(255), clientSecret: "x".repeat(512) });
  expect(provider).toMatchObject({ name: "例え", clientId: "x".repeat(255) });
  expect(opened(provider)).toBe("x".repeat(512));
});

test("an unknown provider → unknown, whatever is done with it", async () => {
  for (const work of [
    providerOf("none", admin),
    updateProvider("none", { name: "A" }, admin),
    impactOfProvider("none", admin),
    deleteProvider("none", admin),
  ]) {
    expect(await refusal(work)).toEqual({ kind: "unknown", problems: ['provider: there is no provider "none"'] });
  }
});

test("the same issuer and client id again → taken, at creation and at a change", async () => {
  const first = await made();
  const second = await made({ clientId: "another" });
  expect((await refusal(createProvider(given(), admin))).kind).toBe("taken");
  expect((await refusal(updateProvider(second.id, { clientId: first.clientId }, admin))).kind).toBe("taken");
  expect((await providerOf(second.id, admin)).clientId).toBe("another");
});

test("one more than the most → refused; after a deletion there is room", async () => {
  const [first] = await Promise.all(Array.from({ length: MAX_PROVIDERS }, (_, at) => made({ clientId: `c${at}` })));
  expect((await refusal(createProvider(given(), admin))).kind).toBe("conflict");
  await deleteProvider(first?.id ?? "", admin);
  await made();
});

test("created with the fewest settings → the defaults, and a remark that anybody there gets an account", async () => {
  const { emailDomains: _, ...fewest } = given();
  const { provider, remarks } = await createProvider(fewest, admin);
  expect(provider).toEqual({
    id: expect.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{21}$/),
    ...{ type: "openid", ...fewest, sealedSecret: null, scopes: ["openid", "profile", "email"] },
    ...{ emailDomains: [], trustEmail: false, createPeople: true, status: "active", createdAt: expect.any(Number) },
  });
  expect(remarks).toEqual([
    { field: "email_domain", problem: expect.stringMatching(/^anybody with an account .* gets an account here/) },
  ]);
  expect(
    (await createProvider(given({ clientId: "b", createPeople: false, emailDomains: [] }), admin)).remarks,
  ).toEqual([]);
  expect((await createProvider(given({ clientId: "c" }), admin)).remarks).toEqual([]);
});

test("scopes and domains → openid first, each once; domains in lower case", async () => {
  const provider = await made({
    scopes: ["email", "openid", "email", "groups"],
    emailDomains: ["Example.COM", "@example.com", "ex-ample.org"],
    trustEmail: true,
  });
  expect(provider.scopes).toEqual(["openid", "email", "groups"]);
  expect(provider.emailDomains).toEqual(["example.com", "ex-ample.org"]);
});

test("a secret → sealed, bound to the provider, and not in the record for operators", async () => {
  const [one, other] = [await made({ clientSecret: SECRET }), await made({ clientId: "b", clientSecret: SECRET })];
  expect(JSON.stringify(one)).not.toContain(SECRET);
  expect(opened(one)).toBe(SECRET);
  expect(opened({ ...other, sealedSecret: one.sealedSecret })).toBeUndefined();
  const record = providerRecord(one, "https://id.test/base");
  expect(record).toEqual({
    ...{ id: one.id, type: "openid", name: "Example", issuer: "https://accounts.example", client_id: "assent-1" },
    ...{ company: null, preset: null, required_claims: {}, believe_fresh: false, claims: {}, profile: "first" },
    ...{ has_secret: true, scope: "openid profile email", email_domains: ["example.com"], trust_email: false },
    ...{ create_people: true, status: "active", created_at: new Date(one.createdAt).toISOString() },
    ...{ when_disabled: "keep", change_clients: [], mfa_acr: [], mfa_amr: [], position: null },
    redirect_uri: `https://id.test/base/login/provider/${one.id}/callback`,
    backchannel_logout_uri: `https://id.test/base/login/provider/${one.id}/backchannel-logout`,
  });
});

describe("changes", () => {
  test("no setting named → all stay; named ones → only these change", async () => {
    const before = await made({ clientSecret: SECRET, trustEmail: true });
    expect((await updateProvider(before.id, {}, admin)).provider).toEqual(before);
    const changes = { name: "New", createPeople: false, status: "disabled" } as const;
    expect((await updateProvider(before.id, changes, admin)).provider).toEqual({ ...before, ...changes });
    expect(await providerOf(before.id, admin)).toEqual({ ...before, ...changes });
  });

  test("clients that may tell of changes → they must exist and be confidential; others → refused, nothing changes", async () => {
    const before = await made({});
    for (const changeClients of [["nobody"], Array.from({ length: 11 }, (_, at) => `c${at}`)]) {
      const { kind, problems } = await refusal(updateProvider(before.id, { changeClients }, admin));
      expect([kind, problems]).toEqual(["invalid", [expect.stringMatching(/^change_client: /)]]);
    }
    const metadata = { client_name: "Directory", grant_types: ["client_credentials"] };
    const { client } = await createClient({ type: "confidential", metadata }, admin);
    const changes = { changeClients: [client.clientId], whenDisabled: "pause" } as const;
    expect((await updateProvider(before.id, changes, admin)).provider).toEqual({ ...before, ...changes });
  });

  test("domains added and removed → the others stay; a removed one that isn't there → refused", async () => {
    const { id } = await made({ emailDomains: ["a.example", "b.example"], trustEmail: true });
    const changes = { addEmailDomains: ["C.example", "b.example"], removeEmailDomains: ["A.example"] };
    expect((await updateProvider(id, changes, admin)).provider.emailDomains).toEqual(["b.example", "c.example"]);
    const absent = await refusal(updateProvider(id, { removeEmailDomains: ["a.example"] }, admin));
    expect(absent.problems).toEqual([
      'remove_email_domain: the provider has no "a.example": it has b.example, c.example',
    ]);
    const last = await refusal(updateProvider(id, { emailDomains: [] }, admin));
    expect(last.problems).toEqual([expect.stringMatching(/^trust_email: /)]);
  });

  test.each([
    ["another host", "https://evil.example"],
    ["another port", "https://accounts.example:8443"],
  ])("the issuer at %s → the secret is deleted, and both are remarked", async (_, issuer) => {
    const before = await made({ clientSecret: SECRET });
    const { provider, remarks } = await updateProvider(before.id, { issuer }, admin);
    expect(provider).toEqual({ ...before, issuer, sealedSecret: null });
    expect(remarks.map(({ field }) => field)).toEqual(["issuer", "client_secret"]);
    expect(await providerOf(before.id, admin)).toEqual(provider);
    // The deleted secret doesn't come back with the old issuer.
    expect((await updateProvider(before.id, { issuer: before.issuer }, admin)).provider.sealedSecret).toBeNull();
  });

  test("the issuer at http instead of https → the secret is deleted", async () => {
    const before = await made({ issuer: "https://localhost:9400", clientSecret: SECRET });
    const { provider } = await updateProvider(before.id, { issuer: "http://localhost:9400" }, admin);
    expect(provider.sealedSecret).toBeNull();
  });

  test("the issuer at another host, with a new secret → that one; at the same host → the old one stays", async () => {
    const before = await made({ clientSecret: SECRET });
    const moved = await updateProvider(before.id, { issuer: "https://new.example", clientSecret: "new" }, admin);
    expect(opened(moved.provider)).toBe("new");
    expect(moved.remarks.map(({ field }) => field)).toEqual(["issuer"]);
    const path = await updateProvider(before.id, { issuer: "https://new.example/tenant" }, admin);
    expect(opened(path.provider)).toBe("new");
    expect(path.remarks.map(({ field }) => field)).toEqual(["issuer"]);
    expect((await updateProvider(before.id, { clientSecret: null }, admin)).provider.sealedSecret).toBeNull();
  });
});

describe("a deletion", () => {
  const connect = (person: Person, { id, issuer }: SignInProvider, claim = issuer) =>
    admin.storage.subjectLinks.link({
      ...{ partition: person.partition, personId: person.personId, sole: false, madeBy: "first use" },
      ...{ subject: { issuerId: id, claim, subject: person.personId }, now: admin.now() },
    });

  test("of a provider without people → none, of all", async () => {
    const provider = await made();
    expect(await impactOfProvider(provider.id, admin)).toEqual({ provider, people: 0, stranded: 0, all: true });
  });

  test("→ counts people, and those with neither password, passkey nor another provider; then nobody is connected", async () => {
    const [provider, other, disabled] = [
      await made(),
      await made({ clientId: "b" }),
      await made({ clientId: "c", status: "disabled" }),
    ];
    const person = (passwordHash: string | null) => aStoredPerson(admin.storage, { passwordHash });
    const [password, passkey, both, stranded, moved] = [
      await person("hash"),
      await person(null),
      await person(null),
      await person(null),
      await person(null),
    ];
    expect(await admin.storage.passkeys.add({ passkey: aPasskey(passkey), now: NOW })).toBe("added");
    for (const one of [password, passkey, both, stranded]) await connect(one, provider);
    await connect(both, other);
    await connect(stranded, disabled);
    // A link of the time before the issuer was changed lets nobody in.
    await connect(moved, provider, "https://earlier.example");
    expect(await impactOfProvider(provider.id, admin)).toMatchObject({ people: 4, stranded: 1, all: true });
    await deleteProvider(provider.id, admin);
    // Both were perhaps created within one millisecond, so their order is not judged here.
    expect((await allProviders(admin)).map(({ id }) => id).sort()).toEqual([other.id, disabled.id].sort());
    const links = (of: SignInProvider) => admin.storage.subjectLinks.list({ issuerId: of.id, limit: 9, after: null });
    expect(await links(provider)).toEqual([]);
    expect(await links(other)).toHaveLength(1);
  });
});

describe("doctor", () => {
  const found = async (secret?: readonly Buffer[]) => {
    const config = secret === undefined ? admin.config : { ...admin.config, secret };
    const { findings, ok } = await diagnose(async () => config, "26.12.1", admin.now());
    const about = findings.filter(({ check }) => check === "providers");
    return { ok, about: about.map(({ status, detail }) => `${status}: ${detail}`) };
  };

  test("no provider → nothing is said", async () => {
    expect(await found()).toEqual({ ok: true, about: [] });
  });

  test("secrets that open, and none → ok", async () => {
    await made({ clientSecret: SECRET });
    await made({ clientId: "public" });
    expect(await found()).toEqual({ ok: true, about: ["ok: 2 sign-in providers"] });
  });

  test("another secret of the server, or its file is missing → broken; of a disabled provider → a warning", async () => {
    const provider = await made({ clientSecret: SECRET });
    await made({ clientId: "public" });
    const broken = `broken: Example (${provider.id}): its client secret can't be decrypted`;
    const other = await found([Buffer.alloc(32, 7)]);
    expect(other.ok).toBe(false);
    expect(other.about).toEqual([expect.stringContaining(broken)]);
    rmSync(join(admin.dataDir, "secret"));
    expect((await found()).about).toEqual([expect.stringContaining(broken)]);
    expect(existsSync(join(admin.dataDir, "secret"))).toBe(false);
    await updateProvider(provider.id, { status: "disabled" }, admin);
    const disabled = await found([Buffer.alloc(32, 7)]);
    expect(disabled).toEqual({ ok: true, about: [expect.stringMatching(/^warning: Example .* can't be decrypted/)] });
  });

  test("a new secret of the server in front → says that the provider's is encrypted with the older one", async () => {
    const provider = await made({ clientSecret: SECRET });
    const rotated = [Buffer.alloc(32, 7), ...secretOf(admin.dataDir)];
    expect((await found(rotated)).about).toEqual([
      expect.stringMatching(/^note: Example .* encrypted with an older secret/),
    ]);
    const later = { ...admin, secrets: () => new Secrets(rotated) };
    await updateProvider(provider.id, { clientSecret: SECRET }, later);
    expect((await found(rotated)).about).toEqual(["ok: 1 sign-in provider"]);
  });
});
