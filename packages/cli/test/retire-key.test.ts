/** `assent key retire` says what ends, for a key that signs, will sign, or signed, and on a server the same. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../../../test/support/test-server.ts";
import { adminOf } from "../../server/src/admin/context.ts";
import { listKeys } from "../../server/src/admin/keys.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";
import { serveWorkspace } from "./support/serve-workspace.ts";

let server: TestServer;
let at: Workspace;
let env: Record<string, string>;

beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  ({ server, remote: env } = await serveWorkspace(at));
});
afterAll(async () => {
  await server.stop();
  at.remove();
});

const DAY = 86_400_000;
const keys = () => listKeys(adminOf(server.assent.storage, server.issuer, server.now));
const newest = async (status: string) => {
  const found = (await keys()).findLast((one) => one.status === status);
  if (found === undefined) throw new Error(`no key is ${status}`);
  return { key: found.key, kid: found.key.kid, until: new Date(found.publishedUntil ?? 0).toISOString() };
};

/** The question, the same on the server's machine and over the network. */
async function question(kid: string, ...flags: readonly string[]): Promise<string> {
  const asked = ["key", "retire", ...flags, "--", kid];
  const [own, remote] = [await at.run(asked), await at.run(asked, { env })];
  expect(own.code).toBe(2);
  expect(remote.stderr.replace(`On ${server.issuer}: `, "")).toBe(own.stderr);
  return own.stderr;
}
const done = async (kid: string, options: { env?: Record<string, string> }, ...flags: readonly string[]) => {
  const { code, stdout, stderr } = await at.run(["key", "retire", "--yes", ...flags, "--", kid], options);
  expect(code).toBe(0);
  return stderr + stdout;
};
const time = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

test("an unknown key, on a server → refused, without a question", async () => {
  const { code, stderr } = await at.run(["key", "retire", "nobody"], { env, terminal: true });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: .*there is no key/)]);
});

test("a key that only verifies → its tokens work until they expire; with --now, when APIs refuse them", async () => {
  for (const options of [{}, { env }]) {
    await at.json(["key", "rotate", "--now"]);
    const { kid, until } = await newest("verifying");
    const plain = await question(kid);
    expect(plain).toContain(
      `Retiring the key ${kid} changes nothing for APIs, because it no longer signs. The key stays published until ${time(until)}, and its tokens work until they expire. To end them sooner, add --now.`,
    );
    const now = await question(kid, "--now");
    expect(now).toContain(
      `Removing the key ${kid}, which no longer signs, ends the tokens that it signed: each API refuses them as soon as it fetches the key set again, usually within minutes. Otherwise they work until they expire, ${time(until)} at the latest.`,
    );
    expect(plain + now).not.toContain("stops its signing");
    expect(await done(kid, options)).toBe(`Retired the key. It stays published until ${time(until)}, as before.\n`);
    expect(await done(kid, options, "--now")).toBe(
      "warning: each API refuses the tokens of this key as soon as it fetches the key set again\nRemoved the key.\n",
    );
  }
});

test("a key that signs later → no token ends; one whose tokens have expired → nothing ends", async () => {
  await at.json(["key", "rotate"]);
  const { kid } = await newest("next");
  for (const flags of [[], ["--now"]])
    expect(await question(kid, ...flags)).toMatch(/keeps it from ever signing\. .* so no token ends\. The present key/);
  expect(await done(kid, {}, "--now")).toBe("Removed the key.\n");
  await at.json(["key", "rotate", "--now"]);
  const { key, kid: old } = await newest("verifying");
  const { keys: stored } = server.assent.storage;
  await stored.remove({ kid: old });
  await stored.add({ key: { ...key, activeFrom: server.now() - 9 * DAY, retiredAt: server.now() - 2 * DAY } });
  expect(await question(old, "--now")).toMatch(/ends nothing: its tokens expired before .* no longer published\./);
  expect(await done(old, { env }, "--now")).toBe("Removed the key.\n");
});

test("a key that was retired before it signed → with --now, nothing ends; without, refused as before", async () => {
  for (const options of [{}, { env }]) {
    await at.json(["key", "rotate"]);
    const { kid } = await newest("next");
    expect(await done(kid, options)).toBe("Retired the key. It signs nothing, and stays published for 25 hours.\n");
    const again = await at.run(["key", "retire", "--", kid], options);
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/^error: .*already retired/)]);
    expect(await question(kid, "--now")).toBe(
      `error: Removing the key ${kid} ends nothing, because the key was retired before it signed a token. You can't undo this. Nothing was changed. To continue, add --yes.\n`,
    );
    expect(await done(kid, options, "--now")).toBe("Removed the key.\n");
  }
});

test("the key that signs → it stops, and its tokens end as before", async () => {
  await at.json(["key", "rotate", "--now"]);
  const { kid } = await newest("signing");
  // Another key of its algorithm can sign.
  expect(await question(kid)).toContain("stops its signing within a second. Another key signs from then on.");
  expect(await question(kid, "--now")).toContain("Each API refuses every token that the key signed");
  expect(await done(kid, {})).toBe(
    "Retired the key. It stays published for 25 hours, until its last token has expired.\n",
  );
});
