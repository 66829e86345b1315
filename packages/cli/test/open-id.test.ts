/** OpenID Connect by commands: built-in scopes, the algorithm of ID tokens, and the details of people. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../../test/support/free-port.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  await at.json(["resource", "create", "--identifier", "https://api.test", "--name", "Photos"]);
});
afterAll(() => at.remove());

test("a scope of OpenID Connect → listed, never an API's; changed by a scope of the same name", async () => {
  const listed = await at.json<{ name: string; built_in: boolean }[]>(["scope", "list"]);
  expect(listed.filter(({ built_in }) => built_in).map(({ name }) => name)).toEqual(
    expect.arrayContaining(["openid", "email"]),
  );
  const ofApi = ["scope", "create", "openid", "--description", "Open", "--resource", "https://api.test"];
  expect((await at.run(ofApi)).stderr).toMatch(/^error: --resource: openid is a scope of OpenID Connect/);
  const missing = await at.run(["scope", "update", "email", "--description", "Read your address"]);
  expect(missing.stderr).toContain("email is built into the server");
  await at.json(["scope", "create", "email", "--description", "Read your address"]);
  const after = await at.json<{ name: string; built_in: boolean; description: string }[]>(["scope", "list"]);
  expect(after.filter(({ name }) => name === "email")).toMatchObject([
    { built_in: false, description: "Read your address" },
  ]);
  await at.json(["scope", "delete", "email", "--yes"]);
});

test.each(["none", "HS256", "ES256K"])("OI-08, OI-09 ID tokens with %s → refused, and nothing is made", async (alg) => {
  const flags = ["--type", "confidential", "--redirect-uri", "https://app.test/cb", "--scope", "openid"];
  const { stderr, code } = await at.run(["client", "create", "--name", "Signer", ...flags, "--id-token-alg", alg]);
  expect(stderr).toContain(`"${alg}" is not one of RS256, ES256, ES384, EdDSA, PS256`);
  expect(code).toBe(1);
});

test("a person's details → shown, changed and removed; only --phone-verified verifies a number", async () => {
  const create = ["user", "create", "--username", "dora", "--email", "d@x.test", "--generate-password"];
  const update = (...more: string[]) => at.json(["user", "update", "dora", ...more]);
  expect(await at.json([...create, "--nickname", "Do"])).toMatchObject({ nickname: "Do" });
  const stored = { nickname: "Do", birthdate: "1990-02-28", phone_number: "+4930123456" };
  const changed = await update("--birthdate", "1990-02-28", "--phone-number", "+49 (30) 123456");
  expect(changed).toMatchObject({ ...stored, phone_number_verified: false });
  expect(await update("--phone-verified")).toMatchObject({ ...stored, phone_number_verified: true });
  expect(await at.json(["user", "show", "dora"])).toMatchObject({ ...stored, phone_number_verified: true });
  const moved = await update("--phone-number", "+4930123457", "--nickname", "");
  expect(moved).toMatchObject({ phone_number: "+4930123457", phone_number_verified: false });
  expect(moved).not.toHaveProperty("nickname");
  const more = ["--middle-name", "Ann", "--gender", "female", "--website", "https://dora.test"];
  expect(await update(...more, "--profile-url", "https://social.test/@dora")).toMatchObject({
    ...{ middle_name: "Ann", gender: "female", website: "https://dora.test/" },
    profile_url: "https://social.test/@dora",
  });
  const removed = await update("--middle-name", "", "--gender", "", "--website", "", "--profile-url", "");
  for (const name of ["middle_name", "gender", "website", "profile_url"]) expect(removed).not.toHaveProperty(name);
  const script = await at.run(["user", "update", "dora", "--website", "javascript:x()", "--profile-url", "dora.test"]);
  expect(script.stderr).toContain('--website: "javascript:x()" is not a URL');
  expect(script.stderr).toContain('--profile-url: "dora.test" is not a URL');
  const { stderr } = await at.run(["user", "update", "dora", "--phone-number", "030 123456", "--zoneinfo", "Mars"]);
  expect(stderr).toContain('--zoneinfo: "Mars" is not the name of a time zone');
  expect(stderr).toContain('--phone-number: "030 123456" is not a phone number');
  expect((await at.run([...create, "--phone-verified"])).stderr).toContain(
    "--phone-verified: there is no phone number",
  );
});

test("a person's picture → its address, another one, none; a file that is none is refused", async () => {
  const update = (...more: string[]) => at.run(["user", "update", "paula", ...more, "--json"]);
  await at.run(["user", "create", "--username", "paula", "--email", "p@x.test", "--generate-password"]);
  const file = join(at.folder, "paula.png");
  writeFileSync(file, "<svg/>");
  expect((await update("--picture", file)).stderr).toBe(
    "error: --picture: the file is not a PNG, JPEG, WebP or GIF picture\n",
  );
  expect((await update("--picture", join(at.folder, "nowhere.png"))).stderr).toContain("can't be read");
  writeFileSync(file, Buffer.alloc(8_388_609));
  expect((await update("--picture", file)).stderr).toContain("larger than 8388608 bytes (8 MiB)");
  const red = { r: 200, g: 0, b: 0 };
  writeFileSync(
    file,
    await sharp({ create: { width: 9, height: 9, channels: 3, background: red } })
      .png()
      .toBuffer(),
  );
  const { picture } = JSON.parse((await update("--picture", file, "--name", "Paula")).stdout);
  expect(picture).toMatch(/^http:\/\/localhost:9400\/pictures\/[A-Za-z0-9_-]{22}\.webp$/);
  const next = JSON.parse((await update("--picture", file)).stdout);
  expect([next.name, next.picture === picture]).toEqual(["Paula", false]);
  expect(await at.json(["user", "show", "paula"])).toHaveProperty("picture", next.picture);
  expect(JSON.parse((await update("--no-picture")).stdout)).not.toHaveProperty("picture");
});

test("claims of one's own in assent.config.ts → the server announces them; wrong ones stop every command, by name", async () => {
  const file = (claim: string) =>
    `export default { customClaims: [{ scope: "team", claims: ["${claim}"], give: async () => ({}) }] };`;
  writeFileSync(join(at.folder, "claims.config.ts"), file("team"));
  const port = await freePort();
  const env = { ASSENT_CONFIG: "claims.config.ts", ASSENT_ISSUER: `http://127.0.0.1:${port}` };
  const server = at.start(["serve"], { env: { ...env, ASSENT_LISTEN: `127.0.0.1:${port}` } });
  await server.event("started");
  const metadata = await fetch(`${env.ASSENT_ISSUER}/.well-known/openid-configuration`);
  expect(((await metadata.json()) as { claims_supported: string[] }).claims_supported).toContain("team");
  server.child.kill();
  await server.ended();

  writeFileSync(join(at.folder, "wrong.config.ts"), file("email"));
  const wrong = await at.run(["client", "list"], { env: { ASSENT_CONFIG: "wrong.config.ts" } });
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    "error: customClaims[0].claims: email is reserved, or there already\n",
  ]);
});
