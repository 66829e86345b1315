import { afterAll, beforeAll, expect, test } from "vitest";
import { openStorage } from "../../server/src/storage/open.ts";
import { partitionOf } from "../../server/src/storage/partition.ts";
import {
  aGrant,
  anApproval,
  aPasskey,
  aSession,
  FROM_OWNER,
} from "../../server/test/storage/support/record-builders.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
let sessionId: string;

/** Stores a person with a session and a consent, as a server does. */
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  const { id } = await at.json<{ id: string }>([
    ...["user", "create", "--username", "alice", "--email", "a@x.test", "--generate-password"],
  ]);
  const storage = await openStorage({ url: `sqlite:${at.dataDir}/assent.db`, writer: "main" });
  const now = Date.now();
  const person = await storage.people.get({ partition: partitionOf(id), personId: id });
  if (person === undefined) throw new Error("the person isn't there");
  const until = now + 3_600_000;
  const userAgent = "Browser\u001b]0;owned\u0007 1.0";
  const session = aSession(person, { now, authTime: now, idleUntil: until, absoluteUntil: until, userAgent });
  sessionId = session.sessionId;
  await storage.sessions.create(session);
  const grant = aGrant(person, { authTime: now, codeUntil: now + 60_000, scopes: ["read", "write"] });
  await storage.grants.approve(anApproval(grant, { now, declined: ["delete"] }));
  await storage.close();
});
afterAll(() => at.remove());

test("user create and update → who vouches for the address", async () => {
  const create = ["user", "create", "--username", "vera", "--email", "v@x.test", "--generate-password"];
  const update = (...more: string[]) => at.json(["user", "update", "vera", ...more]);
  expect(await at.json([...create, "--no-email-verified"])).toMatchObject({ email_verified: false });
  expect(await update("--name", "Vera")).toMatchObject({ email_verified: false });
  expect(await update("--email-verified")).toMatchObject({ email_verified: true });
  expect(await update("--email", "w@x.test")).toMatchObject({ email_verified: true });
  expect(await update("--email", "x@x.test", "--no-email-verified")).toMatchObject({ email_verified: false });
  expect(await at.json(["user", "delete", "vera", "--yes"])).toMatchObject({ deleted: true });
  expect(await at.json(["user", "show", "alice"])).toMatchObject({ email_verified: true });
});

test("session list → where a person is signed in; what the browser sent can't steer the terminal", async () => {
  const [session] = await at.json<Record<string, unknown>[]>(["session", "list", "alice"]);
  expect(session).toMatchObject({ id: sessionId, address: expect.any(String), amr: ["pwd"] });
  expect(JSON.stringify(session)).not.toMatch(/hash|secret/);
  const { stdout } = await at.run(["session", "list", "alice"]);
  expect(stdout).toContain("Browser�]0;owned� 1.0");
  expect(stdout).not.toContain("\u001b");
});

test("user reset-second-factor → app, codes, passkeys if named, and sessions are gone; nobody → refused", async () => {
  await at.json(["user", "create", "--username", "lena", "--email", "l@x.test", "--generate-password"]);
  const storage = await openStorage({ url: `sqlite:${at.dataDir}/assent.db`, writer: "main" });
  const person = await storage.people.findByName({ name: "lena" });
  if (person === undefined) throw new Error("the person isn't there");
  const now = Date.now();
  await storage.secondFactors.set({
    ...person,
    sealedSecret: Buffer.from("x"),
    step: 1,
    codes: ["a"],
    added: FROM_OWNER,
    now,
  });
  await storage.passkeys.add({ passkey: aPasskey(person), now });
  const until = now + 3_600_000;
  await storage.sessions.create(aSession(person, { now, authTime: now, idleUntil: until, absoluteUntil: until }));
  await storage.close();
  const reset = ["user", "reset-second-factor", "lena"];
  expect(await at.json(reset)).toMatchObject({
    ...{ username: "lena", second_factor_removed: true, passkeys_removed: 0, sessions_ended: 1 },
  });
  expect(await at.json([...reset, "--passkeys"])).toMatchObject({ second_factor_removed: false, passkeys_removed: 1 });
  expect((await at.run(["user", "reset-second-factor", "nobody"])).stderr).toContain('there is no user "nobody"');
  await at.json(["user", "delete", "lena", "--yes"]);
});

test("session revoke → gone; again → refused", async () => {
  expect(await at.json(["session", "revoke", sessionId])).toEqual({ id: sessionId, sessions_ended: 1 });
  expect(await at.json<unknown[]>(["session", "list", "alice"])).toEqual([]);
  expect((await at.run(["session", "revoke", sessionId])).code).toBe(1);
});

test("consent list → by person, by client, as a table", async () => {
  const all = await at.json<Record<string, unknown>[]>(["consent", "list"]);
  expect(all).toEqual([
    expect.objectContaining({
      client_id: "client-1",
      client_name: "Photo Printer",
      status: "active",
      scopes: [
        { name: "read", granted_at: expect.any(String), expires_at: null, redirect_hosts: ["https://app.example"] },
        { name: "write", granted_at: expect.any(String), expires_at: null, redirect_hosts: ["https://app.example"] },
      ],
      taken_back: ["delete"],
    }),
  ]);
  expect(await at.json(["consent", "list", "--user", "alice", "--client", "client-1"])).toEqual(all);
  expect(await at.json(["consent", "list", "--client", "client-2"])).toEqual([]);
  expect((await at.run(["consent", "list", "--user", "nobody"])).stderr).toBe(
    'error: username: there is no user "nobody"\n',
  );
  const { stdout } = await at.run(["consent", "list", "--limit", "1"]);
  expect(stdout).toMatch(/client-1 +Photo Printer +active +read write /);
});

test("consent revoke → the consent and its grant end", async () => {
  const revoked = { username: "alice", client_id: "client-1", revoked: true, grants_ended: 1 };
  expect(await at.json(["consent", "revoke", "alice", "client-1"])).toEqual(revoked);
  expect(await at.json(["consent", "list"])).toEqual([
    expect.objectContaining({ status: "revoked", revoked_by: "operator" }),
  ]);
});
