import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Authority } from "../../src/admin/api-access/authority.ts";
import {
  allowLogin,
  createClient,
  createScope,
  deleteScope,
  updateClient,
  updateScope,
} from "../../src/admin/index.ts";
import { exportConfiguration, prepare, readConfiguration } from "../../src/configuration/index.ts";
import { aLiveCompanyGrant, aStoredCompany, join } from "../storage/support/company-builders.ts";
import { aLiveGrant, aStoredPerson, statusOf } from "../storage/support/record-builders.ts";
import {
  aDatabase,
  apply,
  planOf,
  problems,
  resolve,
  steps,
  type TestDatabase,
  VALUES,
  WHOLE,
} from "./support/test-configuration.ts";

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  let at: TestDatabase;
  let empty: TestDatabase;
  beforeAll(async () => {
    [at, empty] = await Promise.all([aDatabase(kind), aDatabase(kind)]);
  });
  afterAll(async () => {
    await Promise.all([at.close(), empty.close()]);
  });

  const clientNamed = async (clientId: string) => (await at.admin.storage.clients.get({ clientId }))?.record;

  test("AP-02 a plan of everything → each record, no secret; nothing is written", async () => {
    const plan = await planOf(WHOLE, at.admin);
    expect(steps(plan)).toEqual([
      "create resources https://photos.example.com",
      ...["photos:view", "photos:delete"].map((one) => `create scopes ${one}`),
      ...["web", "phone", "backup", "worker"].map((one) => `create clients ${one}`),
      ...["create issuers https://idp.example.com", "create companies acme"],
      ...["create policies acme/web", "create policies acme/phone"],
      ...["create providers okta", "create providers microsoft", "create webhooks crm"],
    ]);
    for (const value of Object.values(VALUES)) expect(JSON.stringify(plan)).not.toContain(value);
    expect(await at.admin.storage.scopes.list()).toEqual([]);
    expect(await clientNamed("web")).toBeUndefined();
    expect(await at.admin.storage.companies.find({ slug: "acme" })).toBeUndefined();
    expect((await at.admin.storage.events.waiting({ limit: 100 })).events).toEqual([]);
  });

  test("AP-01 applied, and again → the second changes nothing", async () => {
    await apply(WHOLE, at.admin);
    const web = await clientNamed("web");
    expect(web).toMatchObject({
      name: "Web App",
      names: { de: "Web-App" },
      requirePkce: true,
      secrets: [{ expiresAt: null }],
    });
    const events = (await at.admin.storage.events.waiting({ limit: 100 })).events.length;
    expect(events).toBeGreaterThan(10);
    const again = await apply(WHOLE, at.admin);
    expect([again.changes, again.adopted, again.left]).toEqual([[], [], []]);
    expect(again.unchanged).toBe(14);
    expect(await clientNamed("web")).toEqual(web);
    expect((await at.admin.storage.events.waiting({ limit: 100 })).events).toHaveLength(events);
  });

  test("AP-01 AP-14 export → applies without a change, also without marks; on an empty server it gives the same", async () => {
    const text = await exportConfiguration(at.admin);
    for (const value of Object.values(VALUES)) expect(text).not.toContain(value);
    expect(text).toContain("# client_secret: {env: WEB_SECRET}");
    expect(text).not.toMatch(/hash|sealed|BEGIN/i);
    expect((await planOf(text, at.admin)).changes).toEqual([]);
    await apply(text, empty.admin);
    // Nobody has given the provider its secret yet.
    const again = await exportConfiguration(empty.admin);
    expect(again).toBe(text.replace(/ +# client_secret: \{env: OKTA_SECRET\}\n/, ""));
    expect((await planOf(again, empty.admin)).changes).toEqual([]);
  });

  test("operators may sign in with assent login → the export opens that door on no other server", async () => {
    await allowLogin(at.admin);
    expect(await exportConfiguration(at.admin)).not.toContain("assent-cli");
  });

  test("changed fields → changed alone; left-out fields → their defaults; the secret → the old one works for a day", async () => {
    const changed = WHOLE.replace("client_name: Web App", "client_name: Web App 2")
      .replace("    require_pkce: true\n", "")
      .replace("client_secret: {env: SECRET}\n    redirect", "client_secret: {env: OTHER}\n    redirect")
      .replace("photos:view photos:delete\n    optional_scope: photos:delete", "photos:view");
    const before = await clientNamed("web");
    const plan = await apply(changed, at.admin);
    expect(steps(plan)).toEqual(["update clients web"]);
    expect(plan.changes[0]?.fields).toEqual(
      expect.arrayContaining([
        { field: "client_name", before: "Web App", after: "Web App 2" },
        { field: "scope", before: "photos:view photos:delete", after: "photos:view" },
        { field: "require_pkce", before: true, after: false },
        { field: "client_secret", before: "(secret)", after: "(secret)" },
      ]),
    );
    const after = await clientNamed("web");
    expect(after?.secrets).toMatchObject([
      { hash: before?.secrets[0]?.hash, expiresAt: expect.any(Number) },
      { expiresAt: null },
    ]);
    expect(steps(await apply(WHOLE, at.admin))).toEqual(["update clients web"]);
  });

  test("a webhook's URL, kinds and secret change → the same webhook; both secrets sign for a day; a wrong secret → refused", async () => {
    const hooks = async () => (await at.admin.storage.webhooks.list()).map(({ webhook }) => webhook);
    const [before] = await hooks();
    const changed = WHOLE.replace("hooks.example.com/assent", "other.example.com/hook")
      .replace('["user.*", consent.revoked]', '["*"]')
      .replace("{env: HOOK}", "{env: HOOK2}");
    expect(steps(await apply(changed, at.admin))).toEqual(["update webhooks crm"]);
    const [after, ...others] = await hooks();
    expect(others).toEqual([]);
    expect(after).toMatchObject({ id: before?.id, url: "https://other.example.com/hook", kinds: ["*"] });
    expect(after?.secrets.map(({ until }) => until === null)).toEqual([true, false]);
    expect(await problems(apply(WHOLE.replace("{env: HOOK}", "{env: SECRET}"), at.admin))).toEqual([
      expect.stringContaining("webhooks.crm.secret: must be whsec_"),
    ]);
    expect(steps(await apply(WHOLE, at.admin))).toEqual(["update webhooks crm"]);
  });

  test("a value in another form than the stored one → no change", async () => {
    const other = WHOLE.replace("email_domains: [staff.example]", "email_domains: [STAFF.example]").replace(
      "scope: photos:view photos:delete",
      "scope: photos:view photos:delete photos:view",
    );
    expect((await apply(other, at.admin)).changes).toEqual([]);
  });

  test("domains in another order → no change", async () => {
    const domains = (...named: readonly string[]) =>
      WHOLE.replaceAll("email_domains: [staff.example]", `email_domains: [${named.join(", ")}]`);
    expect((await apply(domains("staff.example", "a.example"), at.admin)).changes).toHaveLength(1);
    expect((await apply(domains("a.example", "staff.example"), at.admin)).changes).toEqual([]);
    expect((await apply(WHOLE, at.admin)).changes).toHaveLength(1);
  });

  test("AP-09 item 4 of 5 is refused → nothing is written, and the message has its place", async () => {
    const wrong = WHOLE.replace("name: Photos", "name: Pictures").replace(
      "redirect_uris: [https://web.example.com/callback]",
      "redirect_uris: [https://web.example.com/callback#top]",
    );
    expect(await problems(apply(wrong, at.admin))).toEqual([
      expect.stringMatching(/^2[0-9]:5 clients\.web\.redirect_uris: .*fragment/),
    ]);
    expect((await at.admin.storage.resources.list())[0]?.name).toBe("Photos");
  });

  test("AP-09 another operator changes a record after the plan → refused, and their change stays", async () => {
    const file = await readConfiguration(WHOLE.replace("client_name: Phone App", "client_name: Phone"), resolve);
    const prepared = await prepare(file, at.admin);
    await updateClient("phone", { metadata: { client_name: "Theirs" } }, at.admin);
    expect(await problems(prepared.perform())).toEqual([
      expect.stringMatching(/^clients\/phone: somebody changed this meanwhile/),
    ]);
    expect((await clientNamed("phone"))?.name).toBe("Theirs");
    await updateClient("phone", { metadata: { client_name: "Phone App" } }, at.admin);
  });

  test("AP-09 two applies at once → one is done, the other one is refused, whole", async () => {
    const texts = ["One", "Two"].map((name) =>
      WHOLE.replace("client_name: Phone App", `client_name: ${name}`).replace("name: Acme", `name: ${name}`),
    );
    const prepared = await Promise.all(
      texts.map(async (text) => prepare(await readConfiguration(text, resolve), at.admin)),
    );
    const outcomes = await Promise.allSettled(prepared.map((one) => one.perform()));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const winner = outcomes[0]?.status === "fulfilled" ? "One" : "Two";
    expect((await clientNamed("phone"))?.name).toBe(winner);
    expect((await at.admin.storage.companies.find({ slug: "acme" }))?.name).toBe(winner);
    await apply(WHOLE, at.admin);
  });

  test.each([
    ["first_party", "    first_party: true\n", /clients\.web\.first_party/],
    ["verified", "    verified: true\n", /clients\.web\.verified/],
    ["an admin scope", "    own_scope: admin\n", /clients\.web\.(own_)?scope/],
  ])("AP-08 a token for clients alone: %s → refused, nothing is written", async (_, line, wanted) => {
    const text = WHOLE.replace("    require_pkce: true\n", line);
    const authority = new Authority("token:t", ["admin:clients:write"]);
    expect(await problems(apply(text, at.admin, { authority }))).toEqual([expect.stringMatching(wanted)]);
    expect(await clientNamed("web")).toMatchObject({ firstParty: false, ownScopes: [] });
  });

  test("AP-08 a token for clients alone: an issuer, a company, an id that it chooses → refused; a client's name → done", async () => {
    const authority = new Authority("token:t", ["admin:clients:write"]);
    const refused = async (from: string, to: string) =>
      (await problems(apply(WHOLE.replace(from, to), at.admin, { authority })))[0];
    expect(await refused("jwks_uri: https://idp.example.com/jwks", "jwks_uri: https://idp.example.com/keys")).toMatch(
      /issuers\..*admin:issuers:write/,
    );
    expect(await refused("name: Acme", "name: Acme Inc")).toMatch(/companies\.acme: .*admin:companies:write/);
    expect(await refused("  backup:", "  other:")).toMatch(/clients\.other\.client_id: .*scope admin/);
    expect(await refused("Nightly backup", "Weekly backup")).toMatch(/clients\.backup\.token_exchange: .*scope admin/);
    await apply(WHOLE.replace("client_name: Worker", "client_name: Batch worker"), at.admin, { authority });
    expect((await clientNamed("worker"))?.name).toBe("Batch worker");
    await apply(WHOLE, at.admin);
  });

  test("a key that was taken out → told and kept; with prune → deleted; a record of nobody's file → never", async () => {
    await createClient(
      { clientId: "by-hand", type: "public", metadata: { client_name: "Hand", redirect_uris: ["https://h.test/"] } },
      at.admin,
    );
    const less = WHOLE.replace(/ {2}phone:\n[\s\S]*? {2}backup:/, "  backup:").replace(
      "    phone: {rule: block}\n",
      "",
    );
    const kept = await apply(less, at.admin);
    expect([kept.changes, kept.left]).toEqual([[], ["clients/phone", "policies/acme/phone"]]);
    const pruned = await apply(less, at.admin, { prune: true });
    expect(steps(pruned)).toEqual(["delete clients phone", "delete policies acme/phone"]);
    expect(pruned.changes[0]?.ends).toEqual({ grants: 0, consents: 0, approvals: 0 });
    expect(await clientNamed("phone")).toBeUndefined();
    expect(await clientNamed("by-hand")).toBeDefined();
    expect((await apply(less, at.admin, { prune: true })).changes).toEqual([]);
    await apply(WHOLE, at.admin);
  });

  test("a record that was deleted and made again by hand → belongs to nobody's file, so prune leaves it", async () => {
    const more = WHOLE.replace("scopes:\n", "scopes:\n  temporary:\n    description: For a while\n");
    await apply(more, at.admin);
    await deleteScope("temporary", at.admin);
    await createScope({ name: "temporary", description: "By hand" }, at.admin);
    expect((await apply(WHOLE, at.admin, { prune: true })).changes).toEqual([]);
    await deleteScope("temporary", at.admin);
  });

  test("a record that another file describes → refused by its name", async () => {
    const other = "version: 1\nname: staging\nscopes:\n  photos:view:\n    description: Mine\n";
    expect(await problems(apply(other, at.admin))).toEqual([
      "4:3 scopes.photos:view: the configuration production describes this scope: take it out of one of the two files",
    ]);
  });

  test("a record that was there before → adopted without a change, and from then on deleted by prune", async () => {
    await createScope({ name: "mine", description: "Mine" }, at.admin);
    const text = "version: 1\nname: small\nscopes:\n  mine:\n    description: Mine\n";
    const plan = await apply(text, at.admin);
    expect([plan.changes, plan.adopted]).toEqual([[], ["scopes/mine"]]);
    expect((await apply(text, at.admin)).adopted).toEqual([]);
    const gone = await apply("version: 1\nname: small\n", at.admin, { prune: true });
    expect(steps(gone)).toEqual(["delete scopes mine"]);
  });

  test("a renamed key → the new client is created, the old one stays until prune; a renamed client → changed", async () => {
    const renamed = WHOLE.replaceAll("backup:", "nightly:");
    const plan = await planOf(renamed, at.admin, { prune: true });
    expect(steps(plan)).toEqual(["create clients nightly", "delete clients backup"]);
    expect(steps(await planOf(WHOLE.replace("Nightly backup", "Backup"), at.admin))).toEqual(["update clients backup"]);
  });

  test("a type can't be changed → refused with what to do", async () => {
    const text = WHOLE.replace("type: public\n", "type: confidential\n");
    expect(await problems(planOf(text, at.admin))).toEqual([
      expect.stringMatching(/clients\.phone\.type: can't be changed from public to confidential/),
    ]);
  });

  test("disabled in the file → the client is disabled, and the plan says what ends; taken out again → enabled", async () => {
    const text = WHOLE.replace("    client_name: Phone App\n", "    client_name: Phone App\n    status: disabled\n");
    const plan = await apply(text, at.admin);
    expect(plan.changes).toMatchObject([{ key: "phone", fields: [{ field: "status" }], ends: { grants: 0 } }]);
    expect((await clientNamed("phone"))?.status).toBe("disabled");
    await apply(WHOLE, at.admin);
    expect((await clientNamed("phone"))?.status).toBe("active");
  });

  test("a connection is taken out of the file, or paused → the plan says what ends; added → nothing", async () => {
    const without = WHOLE.replace(/ {6}connections: .*\n/, "");
    const paused = WHOLE.replace('scope: "chat:read"}', 'scope: "chat:read", status: paused}');
    const ends = { app_connections: 1, connected_companies: 0 };
    expect((await planOf(paused, at.admin)).changes).toMatchObject([{ key: "backup", ends }]);
    expect((await apply(without, at.admin)).changes).toMatchObject([{ key: "backup", ends }]);
    const { changes } = await apply(WHOLE, at.admin);
    expect(changes).toMatchObject([{ key: "backup" }]);
    expect(changes[0]).not.toHaveProperty("ends");
  });

  test("a connection or an offer gives less → the plan says what ends of it; more → nothing", async () => {
    const { storage, now } = at.admin;
    const audience = "https://as.example.com";
    const there = `{audience: "${audience}", client_id: backup-there, scope: "chat:read"}`;
    const changed = async (fields: string) => {
      const text = WHOLE.replace(there, `{audience: "${audience}", client_id: backup-there, ${fields}}`);
      expect(text === WHOLE).toBe(fields === 'scope: "chat:read"');
      return text;
    };
    const endsOf = async (fields: string) => (await planOf(await changed(fields), at.admin)).changes[0]?.ends;
    const two = "resources: [https://a.test, https://b.test]";
    await apply(await changed(`scope: "chat:read chat:write", ${two}`), at.admin);
    expect(await endsOf(`scope: "chat:read", ${two}`)).toEqual({ connection_permissions: 1 });
    expect(await endsOf('scope: "chat:read", resources: [https://b.test]')).toEqual({
      ...{ connection_permissions: 1, connection_apis: 1 },
    });
    expect(await endsOf(`scope: "chat:read chat:write chat:all", ${two}`)).toBeUndefined();
    const all = await planOf(await changed('scope: "chat:read chat:write"'), at.admin);
    expect(all.changes[0]?.ends).toBeUndefined();
    expect(all.notes).toEqual([
      `client backup: At ${audience}, the connection was only for https://a.test, https://b.test. Without resources, it is for every API there.`,
    ]);
    await apply(await changed('scope: "chat:read chat:write"'), at.admin);
    expect(await endsOf(`scope: "chat:read chat:write", ${two}`)).toEqual({ unlimited_connections: 1 });
    // At another server, it is another connection.
    const moved = WHOLE.replace(there, there.replace(audience, "https://as.other.example"));
    expect((await planOf(moved, at.admin)).changes[0]?.ends).toEqual({ app_connections: 1, connected_companies: 0 });

    const offered = "status: offered, name: Chat";
    await apply(await changed(`scope: "chat:read chat:write", ${offered}`), at.admin);
    expect(await endsOf(`scope: "chat:read", ${offered}`)).toBeUndefined();
    const company = await aStoredCompany(storage);
    const admin = await aStoredPerson(storage);
    await join(storage, company, admin, "admin");
    const record = { clientIdThere: "backup-there", scopes: ["chat:read", "chat:write"], resources: [] };
    const names = { clientName: "Backup", serverName: "Chat", texts: {} };
    await storage.companyConnections.put({
      ...{ partition: company.partition, companyId: company.companyId, clientId: "backup", audience },
      ...{ record: { ...record, ...names }, endsAt: now() + 1e9, seen: null, by: admin.personId, now: now() },
    });
    expect(await endsOf(`scope: "chat:read", ${offered}`)).toEqual({ connection_permissions: 1 });
    const reader = await aStoredCompany(storage);
    await storage.companyConnections.put({
      ...{ partition: reader.partition, companyId: reader.companyId, clientId: "backup", audience },
      ...{ record: { ...record, scopes: ["chat:read"], ...names }, endsAt: now() + 1e9 },
      ...{ seen: null, by: null, now: now() },
    });
    // The offer stays, with nothing left of what the second company's admins chose.
    expect(await endsOf(`scope: "chat:write", ${offered}`)).toEqual({
      ...{ connection_permissions: 1, connected_companies: 1 },
    });
    expect(await endsOf(`scope: "chat:admin", ${offered}`)).toEqual({ app_connections: 1, connected_companies: 2 });
    await apply(WHOLE, at.admin);
  });

  test("a company's connection is taken out, and its admins connected an offer → the plan says that theirs counts, and ends nothing of the company", async () => {
    const { storage, now } = at.admin;
    const audience = "https://as.own.example.com";
    const company = await storage.companies.find({ slug: "acme" });
    if (company === undefined) throw new Error("no company");
    const { partition, companyId } = company;
    const offer = `{audience: "${audience}", client_id: there, scope: "mail:read", status: offered, name: Mail}`;
    const forAcme = `{audience: "${audience}", client_id: there-2, scope: "mail:send", company: ${companyId}}`;
    const withAll = (...all: readonly string[]) => WHOLE.replace(/(connections: \[\{.*\})\]/, `$1, ${all.join(", ")}]`);
    await apply(withAll(offer), at.admin);
    const put = await storage.companyConnections.put({
      ...{ partition, companyId, clientId: "backup", audience, endsAt: now() + 1e9, seen: null, by: null, now: now() },
      record: {
        ...{ clientIdThere: "there", scopes: ["mail:read"], resources: [], texts: {} },
        ...{ clientName: "Backup", serverName: "Mail" },
      },
    });
    expect(put).toBe("stored");
    const replaced = await apply(withAll(offer, forAcme), at.admin);
    expect(replaced.notes).toEqual([
      expect.stringMatching(
        /^client backup: At https:\/\/as\.own\.example\.com, the connection for .* \(acme\) counts instead of the one that its admins made: mail:read\./,
      ),
    ]);
    expect(replaced.changes[0]).not.toHaveProperty("ends");
    const back = await apply(withAll(offer), at.admin);
    expect(back.changes).toMatchObject([{ key: "backup", ends: { app_connections: 1, connected_companies: 0 } }]);
    expect(back.notes).toEqual([
      expect.stringMatching(/the connection that admins of .* made counts again: mail:read\./),
    ]);
    await apply(WHOLE, at.admin);
  });

  test("AP-09 a client with grants is disabled, then deleted → the plan counts them, the plan ends none, apply ends all", async () => {
    const changes = { clientId: "phone" };
    const [one, two] = [await aLiveGrant(at.admin.storage, changes), await aLiveGrant(at.admin.storage, changes)];
    const status = async () => (await statusOf(at.admin.storage, one.grant))?.status;
    const disabled = WHOLE.replace(
      "    client_name: Phone App\n",
      "    client_name: Phone App\n    status: disabled\n",
    );
    expect((await planOf(disabled, at.admin)).changes).toMatchObject([{ key: "phone", ends: { grants: 2 } }]);
    expect(await status()).toBe("active");
    await apply(disabled, at.admin);
    expect(await status()).toBe("client_ended");
    expect((await statusOf(at.admin.storage, two.grant))?.status).toBe("client_ended");
    const without = WHOLE.replace(/ {2}phone:\n[\s\S]*? {2}backup:/, "  backup:").replace(
      "    phone: {rule: block}\n",
      "",
    );
    const pruned = await apply(without, at.admin, { prune: true });
    expect(pruned.changes[0]).toMatchObject({ action: "delete", key: "phone", ends: { grants: 0, consents: 2 } });
    const { partition, ownerId } = one.grant;
    expect((await at.admin.storage.consents.find({ partition, ownerId, clientId: "phone" }))?.status).toBe("revoked");
    await apply(WHOLE, at.admin);
    expect((await clientNamed("phone"))?.status).toBe("active");
  });

  test("a new rule that blocks an app → the plan counts who loses it, if anybody does; a rule that is deleted ends nothing", async () => {
    const { storage } = at.admin;
    const acme = await storage.companies.find({ slug: "acme" });
    if (acme === undefined) throw new Error("acme is not there");
    const blocked = WHOLE.replace(
      "    phone: {rule: block}\n",
      "    phone: {rule: block}\n    backup: {rule: block}\n",
    );
    const [unused] = (await planOf(blocked, at.admin)).changes;
    expect(unused).toMatchObject({ action: "create", key: "acme/backup" });
    expect(unused).not.toHaveProperty("ends");
    const admin = await aStoredPerson(storage);
    await join(storage, acme, admin, "admin");
    await aLiveCompanyGrant(storage, acme, admin, { clientId: "backup" });
    const [web] = [await aLiveCompanyGrant(storage, acme, admin, { clientId: "web" })];
    expect((await apply(blocked, at.admin)).changes).toMatchObject([
      { key: "acme/backup", ends: { members_of_app: 1 } },
    ]);
    const without = WHOLE.replace(/ {4}web: \{?rule: allow[^\n]*\n/, "");
    expect(without).not.toBe(WHOLE);
    const pruned = await apply(without, at.admin, { prune: true });
    expect(steps(pruned)).toEqual(["delete policies acme/backup", "delete policies acme/web"]);
    expect(pruned.changes.map(({ ends }) => ends)).toEqual([{}, {}]);
    expect((await statusOf(storage, web))?.status).toBe("active");
    expect(pruned.notes.at(-1)).toMatch(/^policy acme\/web: The app still acts for 1 person/);
    await apply(WHOLE, at.admin);
    const noClient = without.replace(/ {2}web:\n[\s\S]*?(?= {2}phone:)/, "").replace("clients: [web]", "clients: []");
    const plan = await planOf(noClient, at.admin, { prune: true });
    expect(steps(plan)).toContain("delete policies acme/web");
    expect(plan.notes.filter((note) => note.startsWith("policy acme/web"))).toEqual([]);
    const offClient = without.replace(/ {2}web:\n/, "  web:\n    status: disabled\n");
    const offCompany = without.replace(/ {2}acme:\n/, "  acme:\n    status: disabled\n");
    for (const text of [offClient, offCompany]) {
      expect(text).not.toBe(without);
      const off = await planOf(text, at.admin, { prune: true });
      expect(steps(off)).toContain("delete policies acme/web");
      expect(off.notes.filter((note) => note.startsWith("policy acme/web"))).toEqual([]);
    }
    const noCompany = without
      .replace(/companies:\n[\s\S]*?(?=policies:)/, "")
      .replace(/policies:\n[\s\S]*?(?=\nproviders:)/, "");
    expect(noCompany).not.toContain("name: Acme");
    const gone = await planOf(noCompany, at.admin, { prune: true });
    expect(steps(gone)).toEqual(expect.arrayContaining(["delete companies acme", "delete policies acme/web"]));
    expect(gone.notes.filter((note) => note.startsWith("policy acme/web"))).toEqual([]);
  });

  test("two new webhooks with one address → each keeps its key", async () => {
    const hook = (label: string, kind: string) =>
      `  ${label}:\n    url: https://two.example.com/\n    kinds: [${kind}]\n`;
    const text = `version: 1\nname: hooks\nwebhooks:\n${hook("one", "user.*")}${hook("two", "company.*")}`;
    await apply(text, at.admin);
    expect((await apply(text, at.admin)).changes).toEqual([]);
    const gone = await apply(text.replace(hook("one", "user.*"), ""), at.admin, { prune: true });
    expect(steps(gone)).toEqual(["delete webhooks one"]);
    await apply("version: 1\nname: hooks\n", at.admin, { prune: true });
  });

  test("a change outside of the file → the plan undoes it", async () => {
    await updateScope("photos:view", { description: "Something else" }, at.admin);
    const plan = await apply(WHOLE, at.admin);
    expect(plan.changes).toMatchObject([
      { key: "photos:view", fields: [{ field: "description", before: "Something else", after: "See your photos" }] },
    ]);
  });

  test("AP-07 a secret that people could guess → refused, without the value", async () => {
    const [line = ""] = await problems(
      apply(
        WHOLE.replace("client_secret: {env: SECRET}\n    redirect", "client_secret: {env: SHORT}\n    redirect"),
        at.admin,
      ),
    );
    expect(line).toMatch(/clients\.web\.client_secret: must be 32 to 200 random/);
    expect(line).not.toContain("hunter2");
  });
});
