import { expect, test } from "vitest";
import { backends, onEveryBackend } from "../support/backends.ts";
import {
  aClient,
  aDirectGrant,
  aGrant,
  aKey,
  aLiveGrant,
  anApproval,
  aPerson,
  aRefresh,
  aResource,
  aScope,
  aStoredPerson,
  expectIssued,
  MINUTE,
  NOW,
  statusOf,
} from "../support/record-builders.ts";

onEveryBackend("clients", (storage) => {
  test("that aren't there → undefined; deleting one → false", async () => {
    expect(await storage().clients.get({ clientId: "nobody" })).toBeUndefined();
    expect(await storage().clients.delete({ clientId: "nobody", now: NOW })).toBe(false);
  });

  test("expected to be new, but there; expected to be there, but new or changed → conflict", async () => {
    const client = aClient();
    expect(await storage().clients.put({ client, expect: 1 })).toEqual({ kind: "conflict" });
    const first = await storage().clients.put({ client, expect: 0 });
    if (first.kind !== "stored") throw new Error("not stored");
    expect(await storage().clients.put({ client, expect: 0 })).toEqual({ kind: "conflict" });
    const second = await storage().clients.put({ client: { ...client, name: "New" }, expect: first.version });
    expect(second.kind).toBe("stored");
    expect(await storage().clients.put({ client, expect: first.version })).toEqual({ kind: "conflict" });
    expect((await storage().clients.get(client))?.record.name).toBe("New");
    expect((await storage().clients.put({ client, expect: null })).kind).toBe("stored");
  });

  test("stored → read as they were; each change raises the version and names the client", async () => {
    const client = aClient();
    const before = (await storage().catalog.versions()).clients;
    const stored = await storage().clients.put({ client, expect: 0 });
    expect(stored).toEqual({ kind: "stored", version: before + 1 });
    expect(await storage().clients.get(client)).toEqual({ record: client, version: before + 1 });
    expect((await storage().catalog.versions()).clients).toBe(before + 1);
    expect(await storage().clients.changedSince({ version: before })).toEqual([client.clientId]);
    expect(await storage().clients.changedSince({ version: before + 1 })).toEqual([]);
  });

  test("stored as disabled → its grants end, its consents and others' grants don't", async () => {
    const { grant } = await aLiveGrant(storage(), { clientId: "client-3" });
    const other = await aLiveGrant(storage(), { clientId: "client-4" });
    const client = aClient({ clientId: "client-3", status: "disabled", updatedAt: NOW });
    await storage().clients.put({ client, expect: 0 });
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual({ kind: "ended", status: "client_ended" });
    expect(await storage().consents.find({ ...grant })).toMatchObject({ status: "active" });
    expect((await storage().grants.refresh(aRefresh(other.grant))).kind).toMatch(/rotated|kept/);
  });

  test.each(["disabled", "deleted"])(
    "%s between the catalogue's look and the grant → none is made, by page or without",
    async (how) => {
      const person = aPerson();
      await storage().people.create({ person, now: NOW });
      const client = aClient();
      await storage().clients.put({ client, expect: 0 });
      const { clientId } = client;
      expectIssued(await storage().grants.approve(anApproval(aGrant(person, { clientId }))));
      if (how === "deleted") await storage().clients.delete({ clientId, now: NOW });
      else await storage().clients.put({ client: { ...client, status: "disabled", updatedAt: NOW }, expect: null });
      const no = { kind: "no_consent" };
      expect(await storage().grants.approve(anApproval(aGrant(person, { clientId })))).toEqual(no);
      expect(await storage().grants.issue({ grant: aGrant(person, { clientId }), now: NOW })).toEqual(no);
      expect(await storage().grants.issueWithoutCode(aDirectGrant(person, {}, { clientId }))).toEqual({
        kind: "no_owner",
      });
    },
  );

  test("deleted → gone, its change is seen, its grants and consents end, others' don't", async () => {
    const { grant, person } = await aLiveGrant(storage());
    const client = aClient({ clientId: "client-1" });
    const other = await aLiveGrant(storage(), { clientId: "client-2" });
    await storage().clients.put({ client, expect: 0 });
    const { clients } = await storage().catalog.versions();
    expect(await storage().clients.delete({ clientId: "client-1", now: NOW + MINUTE })).toBe(true);
    expect(await storage().clients.delete({ clientId: "client-1", now: NOW + MINUTE })).toBe(false);
    expect(await storage().clients.get(client)).toBeUndefined();
    expect(await storage().clients.changedSince({ version: clients })).toEqual(["client-1"]);
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual({ kind: "ended", status: "client_ended" });
    expect(await storage().consents.find({ ...grant })).toMatchObject({
      status: "revoked",
      revokedAt: NOW + MINUTE,
      revokedBy: null,
    });
    expect(await storage().grants.issue({ grant: aGrant(person), now: NOW })).toEqual({
      kind: "no_consent",
    });
    expect(await statusOf(storage(), other.grant)).toMatchObject({ status: "active" });
  });

  test("listed by id, page by page, without the deleted", async () => {
    for (const clientId of ["zz-3", "zz-1", "zz-2", "zz-4"])
      await storage().clients.put({ client: aClient({ clientId }), expect: 0 });
    await storage().clients.delete({ clientId: "zz-2", now: NOW });
    const ids = async (limit: number, after: string | null) =>
      (await storage().clients.list({ limit, after })).map((each) => each.clientId);
    expect(await ids(10, "zz")).toEqual(["zz-1", "zz-3", "zz-4"]);
    expect(await ids(1, "zz-1")).toEqual(["zz-3"]);
    expect((await ids(1, null)).length).toBe(1);
  });

  test("20 at once, all expecting a new one → one is stored", async () => {
    const client = aClient();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => storage().clients.put({ client, expect: 0 })));
    expect(outcomes.filter(({ kind }) => kind === "stored")).toHaveLength(1);
  });
});

onEveryBackend("scopes and resources", (storage) => {
  test("a scope of an API that isn't there → unknown_resource; an API with scopes can't go", async () => {
    const resource = aResource();
    const scope = aScope({ resource: resource.identifier });
    expect(await storage().scopes.put({ scope, create: true })).toEqual({ kind: "unknown_resource" });
    expect(await storage().resources.put({ resource, create: true })).toEqual({ kind: "stored", version: 1 });
    expect(await storage().resources.put({ resource, create: true })).toEqual({ kind: "conflict" });
    expect(await storage().scopes.put({ scope, create: true })).toEqual({ kind: "stored", version: 1 });
    expect(await storage().scopes.put({ scope, create: true })).toEqual({ kind: "conflict" });
    expect(await storage().resources.delete({ identifier: resource.identifier })).toBe("in_use");
    expect(await storage().resources.list()).toEqual([resource]);
    expect(await storage().scopes.list()).toEqual([scope]);

    expect(await storage().scopes.put({ scope: { ...scope, description: "Look" }, create: false })).toEqual({
      kind: "stored",
      version: 2,
    });
    expect(await storage().catalog.versions()).toMatchObject({ scopes: 2, resources: 1, scopesReducedAt: null });
    expect(await storage().scopes.delete({ name: "read", now: NOW })).toBe(true);
    expect(await storage().scopes.delete({ name: "read", now: NOW + 1 })).toBe(false);
    expect(await storage().catalog.versions()).toMatchObject({ scopes: 3, scopesReducedAt: NOW });
    expect(await storage().resources.delete({ identifier: resource.identifier })).toBe("deleted");
    expect(await storage().resources.delete({ identifier: resource.identifier })).toBe("unknown");
    expect(await storage().catalog.versions()).toMatchObject({ resources: 2 });
  });

  test("→ scopes by name, resources by identifier; an update replaces", async () => {
    for (const name of ["b", "a", "c"]) await storage().scopes.put({ scope: aScope({ name }), create: true });
    for (const identifier of ["https://z.example", "https://y.example"]) {
      await storage().resources.put({ resource: aResource({ identifier }), create: false });
      await storage().resources.put({ resource: aResource({ identifier, name: "New" }), create: false });
    }
    expect((await storage().scopes.list()).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect((await storage().resources.list()).map(({ identifier, name }) => [identifier, name])).toEqual([
      ["https://y.example", "New"],
      ["https://z.example", "New"],
    ]);
  });
});

onEveryBackend("signing keys and logos", (storage) => {
  test("20 nodes that make the same serial at once → one key", async () => {
    const added = await Promise.all(Array.from({ length: 20 }, () => storage().keys.add({ key: aKey() })));
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await storage().keys.list()).toHaveLength(1);
    expect((await storage().catalog.versions()).keys).toBe(1);
  });

  test("→ read as they were, retired once, removed once, each a change", async () => {
    const key = aKey({ alg: "EdDSA", serial: 3, activeFrom: NOW + MINUTE });
    await storage().keys.add({ key });
    expect((await storage().keys.list()).find(({ kid }) => kid === key.kid)).toEqual({
      ...key,
      sealedPrivate: new Uint8Array(key.sealedPrivate),
    });
    const { keys } = await storage().catalog.versions();
    expect(await storage().keys.retire({ kid: key.kid, now: NOW })).toBe(true);
    expect(await storage().keys.retire({ kid: key.kid, now: NOW + 1 })).toBe(false);
    expect(await storage().keys.retire({ kid: "nothing", now: NOW })).toBe(false);
    expect((await storage().keys.list()).find(({ kid }) => kid === key.kid)?.retiredAt).toBe(NOW);
    expect(await storage().keys.remove({ kid: key.kid })).toBe(true);
    expect(await storage().keys.remove({ kid: key.kid })).toBe(false);
    expect((await storage().catalog.versions()).keys).toBe(keys + 2);
  });

  test("a logo → its bytes, once for the same hash; unknown → undefined", async () => {
    const logo = { hash: "h1", type: "image/png", bytes: Buffer.from("not really a picture"), now: NOW };
    await storage().logos.put(logo);
    await storage().logos.put({ ...logo, type: "image/webp" });
    expect(await storage().logos.get({ hash: "h1" })).toEqual({ type: "image/png", bytes: new Uint8Array(logo.bytes) });
    expect(await storage().logos.get({ hash: "h2" })).toBeUndefined();
  });
});

test.each(backends)("an empty database answers a ping, and holds nothing: $name", async (backend) => {
  const { storage, remove } = await backend.create();
  await storage.catalog.ping();
  expect(await storage.catalog.versions()).toEqual({
    clients: 0,
    scopes: 0,
    resources: 0,
    keys: 0,
    issuers: 0,
    providers: 0,
    scopesReducedAt: null,
  });
  expect(await storage.keys.list()).toEqual([]);
  await aStoredPerson(storage);
  await remove();
});
