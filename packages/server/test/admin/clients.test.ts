import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newClientId } from "../../src/admin/generated-secrets.ts";
import {
  type AdminContext,
  allClients,
  clientOf,
  clientRecord,
  clientRemarks,
  createClient,
  createScope,
  DEFAULT_OVERLAP,
  deleteClient,
  deleteScope,
  type NewClient,
  redirectRemarks,
  rotateSecret,
  surroundings,
  updateClient,
} from "../../src/admin/index.ts";
import { grantRegistry } from "../../src/oauth/grants/registry.ts";
import type { Client } from "../../src/oauth/model.ts";
import { partitionOf } from "../../src/storage/partition.ts";
import { collected, openTestAdmin, refusal, type TestAdmin } from "./support/open-test-admin.ts";

let admin: TestAdmin;
beforeAll(async () => {
  admin = await openTestAdmin();
  for (const name of ["read", "write"]) await createScope({ name, description: `May ${name}` }, admin);
});
afterAll(() => admin.close());

function aNewClient({ metadata, ...changes }: Partial<NewClient> = {}): NewClient {
  const basics = { client_name: "Photo Printer", redirect_uris: ["https://app.test/cb"], scope: "read write" };
  return { type: "confidential", ...changes, metadata: { ...basics, ...metadata } };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url");

describe("create", () => {
  test("several things wrong → all told at once, nothing stored", async () => {
    const wrong = aNewClient({ metadata: { client_name: "", redirect_uris: ["http://x.test/"] } });
    const { kind, problems } = await refusal(createClient(wrong, admin));
    expect(kind).toBe("invalid");
    expect(problems.map((line) => line.split(":")[0])).toEqual(["client_name", "redirect_uris"]);
    expect(await collected(allClients(admin))).toEqual([]);
  });

  test("a scope that doesn't exist, to ask for or to hold → refused by name", async () => {
    const { problems } = await refusal(
      createClient(aNewClient({ metadata: { scope: "read raed" }, ownScopes: ["admni"] }), admin),
    );
    expect(problems).toEqual([
      'scope: "raed": there is no such scope; create it first',
      'own_scope: "admni": there is no such scope; create it first',
    ]);
  });

  test.each([
    [
      "a public client with a secret method",
      { type: "public", metadata: { token_endpoint_auth_method: "client_secret_post" } },
      "token_endpoint_auth_method",
    ],
    [
      "a confidential client without authentication",
      { metadata: { token_endpoint_auth_method: "none" } },
      "token_endpoint_auth_method",
    ],
    ["a public client that keeps its refresh tokens", { type: "public", refresh: "keep" }, "refresh"],
    ["a public client with scopes of its own", { type: "public", ownScopes: ["read"] }, "own_scope"],
  ] as const)("%s → refused", async (_, changes, field) => {
    const { problems } = await refusal(createClient(aNewClient(changes), admin));
    expect(problems).toEqual([expect.stringMatching(`^${field}: `)]);
  });

  test("confidential → id of 128 bits, secret of 256 bits, of which the files hold the hash alone", async () => {
    const { client, secret } = await createClient(aNewClient(), admin);
    expect(client.clientId).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{21}$/);
    expect(secret).toMatch(/^cs_[A-Za-z0-9_-]{43}$/);
    expect(client.secrets).toEqual([{ hash: sha256(secret ?? ""), createdAt: client.createdAt, expiresAt: null }]);
    expect(client).toMatchObject({
      grantTypes: ["authorization_code", "refresh_token"],
      authMethod: "client_secret_basic",
      refresh: "keep",
      requirePkce: false,
      firstParty: false,
    });
    const files = readdirSync(admin.dataDir).map((name) => readFileSync(join(admin.dataDir, name), "latin1"));
    expect(files.some((text) => text.includes(sha256(secret ?? "")))).toBe(true);
    expect(files.some((text) => text.includes(secret ?? ""))).toBe(false);
    expect(JSON.stringify(clientRecord(client, admin.issuer))).not.toMatch(/cs_[\w-]{43}|"[^"]*hash[^"]*":/i);
  });

  test("public → no secret, authorization_code alone, rotates", async () => {
    const { client, secret } = await createClient(aNewClient({ type: "public" }), admin);
    expect(secret).toBeNull();
    expect(client).toMatchObject({
      secrets: [],
      grantTypes: ["authorization_code"],
      authMethod: "none",
      refresh: "rotate",
    });
  });

  test("1,000 ids → all different, none of an owner's shape or with a dash in front", () => {
    const ids = Array.from({ length: 1000 }, () => newClientId(admin));
    expect(new Set(ids).size).toBe(1000);
    expect(ids.filter((id) => partitionOf(id) !== -1 || id.startsWith("-"))).toEqual([]);
  });

  test("an id that random bytes make like an owner's → drawn again", () => {
    const draws = [new Uint8Array(16), new Uint8Array(16).fill(0xf8), new Uint8Array(16).fill(0x20)];
    const id = newClientId({ randomBytes: () => draws.shift() ?? new Uint8Array(16) });
    expect(id).toBe(Buffer.alloc(16, 0x20).toString("base64url"));
  });
});

describe("grant types that the operator switched off", () => {
  const without = (name: string): AdminContext => {
    const { known } = admin.grants;
    return {
      ...admin,
      grants: grantRegistry(
        [],
        known.filter((one) => one !== name),
      ),
    };
  };

  test("asked for → refused, with the setting that says so", async () => {
    const metadata = { grant_types: ["password"], redirect_uris: [] };
    const { problems } = await refusal(createClient(aNewClient({ metadata }), without("password")));
    expect(problems).toEqual(['grant_types: "password" is switched off on this server (ASSENT_GRANT_TYPES)']);
  });

  test("the kind that nobody knows → refused, with those that are offered", async () => {
    const metadata = { grant_types: ["urn:example:other"] };
    const { problems } = await refusal(createClient(aNewClient({ metadata }), without("password")));
    expect(problems[0]).toMatch(/^grant_types: "urn:example:other" is not one of authorization_code, /);
    expect(problems[0]).not.toMatch(/ password\b/);
  });

  test("none named → the defaults that are left; none left that leads anywhere → said so", async () => {
    const { grant_types: _, ...metadata } = aNewClient().metadata;
    const made = await createClient({ type: "confidential", metadata }, without("refresh_token"));
    expect(made.client.grantTypes).toEqual(["authorization_code"]);
    for (const type of ["public", "confidential"] as const) {
      const { problems } = await refusal(createClient({ type, metadata }, without("authorization_code")));
      expect(problems).toEqual([
        expect.stringMatching(/^grant_types: missing, .* switched off .*: name one or more of refresh_token, /),
      ]);
    }
  });

  test("a client that had it → may be changed otherwise, and is remarked on", async () => {
    const { client } = await createClient(
      aNewClient({ metadata: { grant_types: ["authorization_code", "password"] } }),
      admin,
    );
    const off = without("authorization_code");
    const changed = await updateClient(client.clientId, { metadata: { client_name: "Renamed" } }, off);
    expect(changed.grantTypes).toEqual(["authorization_code", "password"]);
    const told = clientRemarks(changed, await surroundings(off)).map(({ problem }) => problem);
    expect(told[0]).toBe(
      "authorization_code is switched off on this server (ASSENT_GRANT_TYPES), so this client can't use it",
    );
    const gone = clientRemarks({ ...changed, grantTypes: ["urn:example:gone"] }, await surroundings(off));
    expect(gone[0]?.problem).toBe("urn:example:gone is unknown to this server, so this client can't use it");
  });
});

describe("an accent of its own", () => {
  test.each(["red", "#12345", "#ffff00", "#8a2be2,#8a2be2", "#8a2be2,#d0a8ff,#ffffff", "#8a2be2;}"])(
    "%s, which isn't one or can't be read → refused",
    async (accent) => {
      const { problems } = await refusal(createClient(aNewClient({ accent }), admin));
      expect(problems.join()).toContain("accent");
    },
  );

  test("one colour → kept with the one for dark ground; changed in other things it stays; null takes it away", async () => {
    const { client } = await createClient(aNewClient({ accent: "#8A2BE2" }), admin);
    expect(client.accent).toMatch(/^#8a2be2,#[0-9a-f]{6}$/);
    const renamed = await updateClient(client.clientId, { metadata: { client_name: "Other" } }, admin);
    expect(renamed.accent).toBe(client.accent);
    expect((await updateClient(client.clientId, { accent: "#8a2be2,#d0a8ff" }, admin)).accent).toBe("#8a2be2,#d0a8ff");
    expect((await updateClient(client.clientId, { accent: null }, admin)).accent).toBeNull();
  });
});

describe("remarks", () => {
  const remarksOn = async (client: Client) => clientRemarks(client, await surroundings(admin));
  test("a scope of its own that only people with a role may grant → one", async () => {
    await createScope({ name: "reports", description: "Read reports", ownerRole: "admin" }, admin);
    const { client } = await createClient(
      aNewClient({ ownScopes: ["reports"], metadata: { grant_types: ["client_credentials"], redirect_uris: [] } }),
      admin,
    );
    expect(await remarksOn(client)).toEqual([
      { field: "own_scope", problem: expect.stringMatching(/^reports \(admin\): only people/) },
    ]);
  });

  test.each([
    ["no scope", { metadata: { scope: "" } }, "scope"],
    ["a redirect to localhost", { metadata: { redirect_uris: ["http://localhost:3000/cb"] } }, "redirect_uris"],
    ["first party", { firstParty: true }, "first_party"],
    ["plain challenges", { allowPlainPkce: true }, "allow_plain_pkce"],
  ] as const)("%s → one", async (_, changes, field) => {
    const { client } = await createClient(aNewClient(changes), admin);
    expect((await remarksOn(client)).map((remark) => remark.field)).toEqual([field]);
  });

  test("refresh_token beside an assertion alone, registered before that was refused → one; it can be changed in other things", async () => {
    const { client } = await createClient(aNewClient(), admin);
    const grantTypes = ["urn:ietf:params:oauth:grant-type:jwt-bearer", "refresh_token"];
    const old = { ...client, grantTypes, responseTypes: [], redirectUris: [] };
    await admin.storage.clients.put({ client: old, expect: null });
    expect((await remarksOn(old)).map(({ problem }) => problem)).toEqual([
      expect.stringMatching(/^refresh_token has no effect/),
    ]);
    const renamed = await updateClient(client.clientId, { metadata: { client_name: "Other" } }, admin);
    expect([renamed.name, renamed.grantTypes]).toEqual(["Other", grantTypes]);
  });

  test("an ordinary client → none", async () => {
    expect(await remarksOn((await createClient(aNewClient(), admin)).client)).toEqual([]);
  });
});

describe("a change of redirect URIs", () => {
  const change = async (before: Partial<NewClient>, uris: readonly string[]) => {
    const { client } = await createClient(aNewClient(before), admin);
    const after = await updateClient(client.clientId, { metadata: { redirect_uris: uris } }, admin);
    return redirectRemarks(client, after).map(({ field, problem }) => `${field} ${problem}`);
  };

  test("a new host → one remark, which names it and says who is asked again", async () => {
    const told = await change({}, ["https://app.test/cb", "https://new.test/cb", "com.example.app:/cb"]);
    expect(told).toEqual([
      expect.stringMatching(/^redirect_uris new\.test, com\.example\.app:: the server asks owners again/),
    ]);
  });

  test("another path, another port of this device, a host taken away, a first-party client → none", async () => {
    expect(await change({}, ["https://app.test/other"])).toEqual([]);
    const local = { metadata: { redirect_uris: ["http://127.0.0.1:1/cb", "https://app.test/cb"] } };
    expect(await change(local, ["http://127.0.0.1:2/cb"])).toEqual([]);
    expect(await change({ firstParty: true }, ["https://new.test/cb"])).toEqual([]);
  });
});

describe("update", () => {
  test("an unknown client → unknown", async () => {
    expect(await refusal(updateClient("nobody", {}, admin))).toEqual({
      kind: "unknown",
      problems: ['client_id: there is no client "nobody"'],
    });
  });

  test("a change that makes the whole invalid → refused, the record as it was", async () => {
    const { client } = await createClient(aNewClient(), admin);
    await refusal(updateClient(client.clientId, { metadata: { redirect_uris: [] } }, admin));
    await refusal(updateClient(client.clientId, { metadata: { token_endpoint_auth_method: "none" } }, admin));
    expect(await clientOf(client.clientId, admin)).toEqual(client);
  });

  test("one member → that alone differs", async () => {
    const { client } = await createClient(aNewClient(), admin);
    const after = await updateClient(
      client.clientId,
      { metadata: { client_name: "Printer" }, requirePkce: true },
      admin,
    );
    expect(after).toEqual({ ...client, name: "Printer", requirePkce: true, updatedAt: after.updatedAt });
    expect(await clientOf(client.clientId, admin)).toEqual(after);
  });

  test("a scope or grant type taken away → reducedAt; given → not", async () => {
    const { client } = await createClient(aNewClient({ metadata: { scope: "read" } }), admin);
    const wider = await updateClient(client.clientId, { metadata: { scope: "read write" } }, admin);
    expect(wider.reducedAt).toBeNull();
    admin.tick(1000);
    const narrower = await updateClient(client.clientId, { metadata: { scope: "write" } }, admin);
    expect(narrower.reducedAt).toBe(narrower.updatedAt);
    const { client: other } = await createClient(aNewClient(), admin);
    const less = await updateClient(other.clientId, { metadata: { grant_types: ["authorization_code"] } }, admin);
    expect(less.reducedAt).toBe(less.updatedAt);
  });

  test("a scope that was deleted since → stands in no other change's way", async () => {
    await createScope({ name: "passing", description: "Soon gone" }, admin);
    const { client } = await createClient(aNewClient({ metadata: { scope: "read passing" } }), admin);
    expect(await deleteScope("passing", admin)).toEqual([client.clientId]);
    const after = await updateClient(client.clientId, { metadata: { client_name: "Still here" } }, admin);
    expect(after.scopes).toEqual(["read", "passing"]);
  });

  test("two operators at once → both changes are there", async () => {
    const { client } = await createClient(aNewClient(), admin);
    await Promise.all([
      updateClient(client.clientId, { requirePkce: true }, admin),
      updateClient(client.clientId, { metadata: { client_name: "Printer" } }, admin),
      updateClient(client.clientId, { status: "disabled" }, admin),
    ]);
    expect(await clientOf(client.clientId, admin)).toMatchObject({
      requirePkce: true,
      name: "Printer",
      status: "disabled",
    });
  });
});

describe("rotateSecret", () => {
  test("a public client, an unknown one, 31 days of overlap → refused", async () => {
    const { client } = await createClient(aNewClient({ type: "public" }), admin);
    expect((await refusal(rotateSecret(client.clientId, 0, admin))).problems).toEqual([
      "null: a public client has no secret",
    ]);
    expect((await refusal(rotateSecret("nobody", 0, admin))).kind).toBe("unknown");
    expect((await refusal(rotateSecret("nobody", 31 * 86_400_000, admin))).kind).toBe("invalid");
  });

  test("overlap 0 → the new hash alone", async () => {
    const { client } = await createClient(aNewClient(), admin);
    const { client: after, secret } = await rotateSecret(client.clientId, 0, admin);
    expect(after.secrets.map(({ hash }) => hash)).toEqual([sha256(secret)]);
  });

  test("an overlap → the old one ends with it; a second rotation doesn't prolong it", async () => {
    const { client, secret: first } = await createClient(aNewClient(), admin);
    const { oldUntil, secret: second } = await rotateSecret(client.clientId, 1000, admin);
    const { client: after, secret: third } = await rotateSecret(client.clientId, DEFAULT_OVERLAP, admin);
    expect(after.secrets.map(({ hash }) => hash)).toEqual([first ?? "", second, third].map(sha256));
    expect(after.secrets[0]?.expiresAt).toBe(oldUntil);
    expect(after.secrets.at(-1)?.expiresAt).toBeNull();
  });

  test("ten rotations in a row → at most four secrets at a time", async () => {
    const { client } = await createClient(aNewClient(), admin);
    for (let round = 0; round < 10; round += 1) await rotateSecret(client.clientId, DEFAULT_OVERLAP, admin);
    expect((await clientOf(client.clientId, admin)).secrets).toHaveLength(4);
  });
});

test("delete → gone; again → unknown", async () => {
  const { client } = await createClient(aNewClient(), admin);
  await deleteClient(client.clientId, admin);
  expect((await refusal(clientOf(client.clientId, admin))).kind).toBe("unknown");
  expect((await refusal(deleteClient(client.clientId, admin))).kind).toBe("unknown");
});

test("450 clients → all of them, page by page, in order", async () => {
  const { client } = await createClient(aNewClient(), admin);
  const before = (await collected(allClients(admin))).length;
  await Promise.all(
    Array.from({ length: 450 - before }, () =>
      admin.storage.clients.put({ client: { ...client, clientId: newClientId(admin) }, expect: 0 }),
    ),
  );
  const ids = (await collected(allClients(admin))).map(({ clientId }) => clientId);
  expect(ids).toHaveLength(450);
  expect(ids).toEqual([...new Set(ids)].sort());
});
