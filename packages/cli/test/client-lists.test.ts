/**
 * An update of a client must not remove a redirect URI, a scope or a grant type by mistake. An update that adds values
 * keeps the others. An update that replaces a list prints the removed values.
 */

import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
let id: string;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  for (const name of ["read", "write", "manage"]) await at.json(["scope", "create", name, "--description", "May"]);
});
afterAll(() => at.remove());

beforeEach(async () => {
  const made = await at.json([
    ...["client", "create", "--name", `Printer ${Math.random()}`, "--type", "confidential", "--own-scope", "read"],
    ...["--redirect-uri", "https://a.test/cb", "--scope", "read write", "--optional-scope", "write"],
  ]);
  id = String(made["client_id"]);
});

const update = (...flags: readonly string[]) => at.run(["client", "update", id, ...flags, "--json"]);
const shown = () => at.json(["client", "show", id]);

test.each([
  [
    ["--redirect-uri", "https://b.test/cb", "--add-redirect-uri", "https://c.test/cb"],
    "--redirect-uri replaces the whole list",
  ],
  [["--scope", "read", "--remove-scope", "write"], "--scope replaces the whole list"],
  [["--add-scope", "manage", "--remove-scope", "manage"], "--add-scope and --remove-scope both name manage"],
  [
    ["--add-grant-type", "device_code", "--remove-grant-type", "urn:ietf:params:oauth:grant-type:device_code"],
    "both name",
  ],
])("%j → wrong usage, nothing is changed", async (flags, words) => {
  const before = await shown();
  const { code, stdout, stderr } = await update(...flags);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(words);
  expect(await shown()).toEqual(before);
});

test.each([
  [
    ["--remove-redirect-uri", "https://b.test/cb"],
    /^error: --remove-redirect-uri: .*"https:\/\/b.test\/cb": it has https:\/\/a.test\/cb\n$/,
  ],
  [
    ["--remove-scope", "manage", "--remove-own-scope", "write"],
    /--remove-scope: .*"manage".*\n.*--remove-own-scope: .*"write"/,
  ],
  [["--add-scope", "nothing"], /--scope: "nothing": there is no such scope/],
  [["--add-redirect-uri", "http://b.test/cb"], /--redirect-uri: /],
  [["--add-grant-type", "nothing"], /--grant-type: /],
  [["--remove-redirect-uri", "https://a.test/cb"], /--redirect-uri: /],
])("%j → refused, nothing is changed", async (flags, problem) => {
  const before = await shown();
  const { code, stderr } = await update(...flags);
  expect([code, stderr]).toEqual([1, expect.stringMatching(problem)]);
  expect(await shown()).toEqual(before);
});

test("single values added and removed → the other values stay, no warning", async () => {
  const { code, stderr } = await update(
    ...["--add-redirect-uri", "https://a.test/cb2", "--add-redirect-uri", "https://a.test/cb"],
    ...["--add-scope", "manage read", "--remove-scope", "write", "--add-own-scope", "manage"],
    ...["--add-grant-type", "device_code", "--remove-grant-type", "refresh_token"],
  );
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("dropped")]);
  expect(await shown()).toMatchObject({
    redirect_uris: ["https://a.test/cb", "https://a.test/cb2"],
    scope: "read manage",
    own_scope: "read manage",
    grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
  });
  expect((await shown())["optional_scope"] ?? "").toBe("");
  await update("--add-optional-scope", "manage", "--remove-own-scope", "read manage", "--add-response-type", "code");
  expect(await shown()).toMatchObject({ optional_scope: "manage", own_scope: "", response_types: ["code"] });
});

test("URIs for after sign-out → added, removed, and replaced with a warning", async () => {
  await update("--post-logout-redirect-uri", "https://a.test/bye", "--post-logout-redirect-uri", "https://a.test/end");
  await update("--add-post-logout-redirect-uri", "https://a.test/out", "--scope", "read write");
  await update("--remove-post-logout-redirect-uri", "https://a.test/end");
  expect((await shown())["post_logout_redirect_uris"]).toEqual(["https://a.test/bye", "https://a.test/out"]);
  const { stderr } = await update("--post-logout-redirect-uri", "https://a.test/out");
  expect(stderr).toContain("--post-logout-redirect-uri: the new list no longer has https://a.test/bye");
  const refused = await update("--add-post-logout-redirect-uri", "http://a.test/bye");
  expect(refused.stderr).toContain("--post-logout-redirect-uri: ");
});

test("an address for logout tokens → set, refused unless it is https, and removed", async () => {
  await update("--backchannel-logout-uri", "https://a.test/logout");
  expect(await shown()).toMatchObject({ backchannel_logout_uri: "https://a.test/logout" });
  await update("--backchannel-logout-session-required");
  expect(await shown()).toMatchObject({ backchannel_logout_session_required: true });
  await update("--no-backchannel-logout-session-required");
  expect(await shown()).not.toHaveProperty("backchannel_logout_session_required");
  const refused = await update("--backchannel-logout-uri", "http://a.test/logout");
  expect(refused.stderr).toContain("--backchannel-logout-uri: ");
  await update("--backchannel-logout-session-required");
  await update("--no-backchannel-logout-uri");
  expect(await shown()).not.toHaveProperty("backchannel_logout_session_required");
  const alone = await update("--backchannel-logout-session-required");
  expect(alone.stderr).toContain("--backchannel-logout-session-required: needs a backchannel_logout_uri");
  expect(await shown()).not.toHaveProperty("backchannel_logout_uri");
});

test("concurrent additions → all are stored", { timeout: 30_000 }, async () => {
  const add = (uri: string) => at.run(["client", "update", id, "--add-redirect-uri", uri], { alone: true });
  const codes = await Promise.all(["https://a.test/1", "https://a.test/2", "https://a.test/3"].map(add));
  expect(codes.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect((await shown())["redirect_uris"]).toHaveLength(4);
});

test("a list is replaced → the output names the removed values and how to add; nothing removed → no warning", async () => {
  const { code, stderr } = await update(
    "--redirect-uri",
    "https://a.test/new",
    "--scope",
    "read",
    "--own-scope",
    "read write",
  );
  expect(code).toBe(0);
  expect(stderr).toContain(
    "warning: --redirect-uri: the new list no longer has https://a.test/cb; to add to the list instead, use --add-redirect-uri",
  );
  expect(stderr).toContain(
    "warning: --scope: the new list no longer has write; to add to the list instead, use --add-scope",
  );
  expect(stderr).not.toContain("--own-scope:");
});

test("--grant-type with short names → registered with the full names", async () => {
  const made = ["client", "create", "--name", "Short", "--type", "confidential", "--scope", "read"];
  const { grant_types } = await at.json([
    ...made,
    "--grant-type",
    "device_code jwt-bearer",
    "--grant-type",
    "saml2-bearer",
  ]);
  expect(grant_types).toEqual(
    ["device_code", "jwt-bearer", "saml2-bearer"].map((name) => `urn:ietf:params:oauth:grant-type:${name}`),
  );
});

test("a list on a terminal → each client in one line of it; to a pipe and with --json everything", async () => {
  const scopes = Array.from({ length: 12 }, (_, count) => `photos:album-${count}`);
  for (const name of scopes) await at.json(["scope", "create", name, "--description", "May"]);
  const name = "The Wonderful Photo Printing and Calendar Company";
  const to = ["--type", "public", "--redirect-uri", "https://a.test/cb"];
  await at.json(["client", "create", "--name", name, ...to, "--scope", scopes.join(" ")]);
  const stdout = stripVTControlCharacters((await at.run(["client", "list"], { columns: 80 })).stdout);
  const lines = stdout.trimEnd().split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(stdout).toMatch(/The Wonderful P… {2}public {8}active {2}photos:albu… \+11$/m);
  expect((await at.run(["client", "list"], { columns: 1000 })).stdout).toContain(scopes.join(" "));
  const piped = await at.run(["client", "list"]);
  for (const whole of [name, scopes.join(" ")]) expect(piped.stdout).toContain(whole);
  const [found] = await at.json<{ scope: string }[]>(["client", "list", "--filter", `name=${name}`]);
  expect(found?.scope.split(" ")).toHaveLength(12);
});
