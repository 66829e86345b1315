import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
});
afterAll(() => at.remove());

const SECRET = "an-upstream-secret-1234";
const CREATE = ["provider", "create", "--name", "Example", "--issuer", "https://accounts.example"];
const made = (clientId: string, args: readonly string[] = [], input = "") =>
  at.json([...CREATE, "--client-id", clientId, ...args], { input });

describe("wrong command lines → one line, and nothing is stored", () => {
  test.each([
    ["no client id", CREATE, 2, "'--client-id <id>'"],
    ["another type", [...CREATE, "--client-id", "a", "--type", "saml"], 2, "--type"],
    [
      "an issuer over http",
      [...CREATE, "--client-id", "a", "--issuer", "http://a.example"],
      1,
      "error: --issuer: must",
    ],
    [
      "an empty secret",
      [...CREATE, "--client-id", "a", "--client-secret-stdin"],
      1,
      "error: --client-secret-stdin: must",
    ],
    ["a domain that is none", [...CREATE, "--client-id", "a", "--email-domain", "@"], 1, "error: --email-domain: "],
    ["trust without a domain", [...CREATE, "--client-id", "a", "--trust-email"], 1, "error: --trust-email: name the"],
    ["a claim without a field", [...CREATE, "--client-id", "a", "--claim", "upn"], 2, "--claim"],
    ["a position that is none", [...CREATE, "--client-id", "a", "--position", "first"], 2, "--position"],
    ["a profile that is none", [...CREATE, "--client-id", "a", "--profile", "never"], 2, "--profile"],
    [
      "oauth without a user endpoint",
      [
        ...[...CREATE, "--client-id", "a", "--type", "oauth", "--token-endpoint", "https://a.example/token"],
        ...["--authorization-endpoint", "https://a.example/authorize"],
      ],
      1,
      "the type oauth needs it",
    ],
    ["nothing to change", ["provider", "update", "none"], 2, "error: no settings to change"],
    [
      "an unknown provider",
      ["provider", "update", "none", "--name", "A"],
      1,
      'error: provider: there is no provider "none"',
    ],
    ["an unknown provider, shown", ["provider", "show", "none"], 1, "there is no provider"],
    ["an unknown provider, deleted", ["provider", "delete", "none", "--yes"], 1, "there is no provider"],
    [
      "two lists of domains",
      ["provider", "update", "none", "--email-domain", "a.example", "--add-email-domain", "b.example"],
      2,
      "error: --email-domain replaces the whole list",
    ],
    [
      "a secret and none",
      ["provider", "update", "none", "--client-secret-stdin", "--no-client-secret"],
      2,
      "error: use only one of --client-secret-stdin and --no-client-secret",
    ],
  ])("%s", async (_, args, wanted, words) => {
    const { code, stdout, stderr } = await at.run(args);
    expect(stderr).toContain(words);
    expect([code, stdout, stderr.trimEnd().split("\n").length]).toEqual([wanted, "", 1]);
    expect(await at.json(["provider", "list"])).toEqual([]);
  });

  test("a secret that can't be → not repeated", async () => {
    const { code, stderr } = await at.run([...CREATE, "--client-id", "a", "--client-secret-stdin"], {
      input: `${SECRET}\nsecond line`,
    });
    expect(code).toBe(1);
    expect(stderr).not.toContain(SECRET);
  });
});

test("created → the redirect URI to register, and no secret; the line end of the input isn't part of the secret", async () => {
  const args = [...CREATE, "--client-id", "plain", "--email-domain", "example.com", "--client-secret-stdin"];
  const { code, stdout, stderr } = await at.run(args, { input: `${SECRET}\n` });
  expect(code, stderr).toBe(0);
  const id = /^id +(\S+)$/m.exec(stdout)?.[1];
  expect(stdout).toMatch(/^has_secret +yes$/m);
  expect(stdout).toMatch(new RegExp(`^redirect_uri +http\\S+/login/provider/${id}/callback$`, "m"));
  const [redirect, logout, end] = stderr.split("\n");
  expect(redirect).toMatch(new RegExp(`^Next step: register this redirect URI at the provider: \\S+/${id}/callback$`));
  expect(logout).toMatch(new RegExp(`^If the provider supports back-channel logout, .*/${id}/backchannel-logout$`));
  expect(end).toBe("");
  expect(`${stdout}${stderr}`).not.toContain(SECRET);
  await at.json(["provider", "delete", String(id), "--yes"]);
});

test("anybody there gets an account → a warning; with --no-create-people none", async () => {
  const anybody = await at.run([...CREATE, "--client-id", "anybody", "--json"]);
  expect(anybody.stderr).toMatch(/^warning: --email-domain: anybody with an account .*\n$/);
  const nobody = await at.run([...CREATE, "--client-id", "nobody", "--no-create-people", "--json"]);
  expect([nobody.code, nobody.stderr]).toEqual([0, ""]);
  expect(JSON.parse(nobody.stdout)).toMatchObject({ create_people: false });
  for (const { stdout } of [anybody, nobody]) await at.json(["provider", "delete", JSON.parse(stdout).id, "--yes"]);
});

test("--believe-fresh → stored with a warning that says the risk; --no-believe-fresh → taken back", async () => {
  const { stdout, stderr } = await at.run([
    ...[...CREATE, "--client-id", "fresh", "--email-domain", "a.example", "--believe-fresh", "--json"],
  ]);
  expect(stderr).toMatch(/^warning: --believe-fresh: .* can confirm here that they are that person\n$/);
  const { id, believe_fresh } = JSON.parse(stdout) as { id: string; believe_fresh: boolean };
  expect(believe_fresh).toBe(true);
  expect(await at.json(["provider", "update", id, "--no-believe-fresh"])).toMatchObject({ believe_fresh: false });
  await at.json(["provider", "delete", id, "--yes"]);
});

test("Apple's key on standard input, with its lines → stored; claims, levels and position in the record", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
  const args = [
    ...["provider", "create", "--preset", "apple", "--client-id", "com.example", "--team-id", "ABCDE12345"],
    ...["--key-id", "FGHIJ67890", "--client-secret-stdin", "--email-domain", "example.com", "--position", "2"],
    ...["--claim", "name=nickname", "--claim", "locale=", "--mfa-acr", "a", "--mfa-amr", "mfa", "--profile", "follow"],
  ];
  const record = await at.json(args, { input: pem });
  expect(record).toMatchObject({
    ...{ name: "Apple", preset: "apple", team_id: "ABCDE12345", has_secret: true, position: 2, profile: "follow" },
    ...{ claims: { name: "nickname", locale: "" }, mfa_acr: ["a"], mfa_amr: ["mfa"] },
  });
  const id = String(record["id"]);
  expect(
    await at.json(["provider", "update", id, "--no-position", "--claim", "", "--mfa-acr", "", "--profile", "first"]),
  ).toMatchObject({ position: null, claims: {}, mfa_acr: [], mfa_amr: ["mfa"], profile: "first" });
  await at.json(["provider", "delete", id, "--yes"]);
});

test("created, listed, shown, changed, deleted", async () => {
  const first = await made("one", ["--email-domain", "example.com", "--client-secret-stdin"], SECRET);
  const id = String(first["id"]);
  expect(first).toMatchObject({
    ...{ type: "openid", name: "Example", issuer: "https://accounts.example", client_id: "one", has_secret: true },
    ...{ scope: "openid profile email", email_domains: ["example.com"], trust_email: false, create_people: true },
    status: "active",
  });
  expect(await at.json(["provider", "show", id])).toEqual(first);
  expect(await at.json(["provider", "list"])).toEqual([first]);
  expect((await at.run([...CREATE, "--client-id", "one"])).stderr).toContain("error: --client-id: there is a provider");
  const update = (...args: readonly string[]) => at.json(["provider", "update", id, ...args]);
  expect(await update("--trust-email", "--scope", "email groups", "--add-email-domain", "b.example")).toEqual({
    ...first,
    ...{ trust_email: true, scope: "openid email groups", email_domains: ["example.com", "b.example"] },
  });
  expect(await update("--name", "New", "--no-create-people", "--status", "disabled")).toMatchObject({
    ...{ name: "New", create_people: false, status: "disabled", trust_email: true, has_secret: true },
  });
  expect(await update("--no-trust-email", "--create-people", "--remove-email-domain", "b.example")).toMatchObject({
    ...{ trust_email: false, create_people: true, email_domains: ["example.com"], status: "disabled" },
  });
  expect(await update("--no-client-secret")).toMatchObject({ has_secret: false });
  await at.json(["provider", "update", id, "--client-secret-stdin"], { input: SECRET });
  const moved = await at.run(["provider", "update", id, "--issuer", "https://new.example", "--json"]);
  expect(JSON.parse(moved.stdout)).toMatchObject({ issuer: "https://new.example", has_secret: false });
  expect(moved.stderr).toMatch(
    /^warning: --issuer: .*\nwarning: --client-secret-stdin: the stored secret is deleted.*\n$/,
  );
  const asked = await at.run(["provider", "delete", id]);
  expect([asked.code, asked.stdout]).toEqual([2, ""]);
  expect(asked.stderr).toContain("Deleting the provider New disconnects 0 people.");
  expect(await at.json(["provider", "list"])).toHaveLength(1);
  expect(await at.json(["provider", "delete", id, "--yes"])).toEqual({ id, deleted: true });
  expect(await at.json(["provider", "list"])).toEqual([]);
});

describe("a company's own provider", () => {
  const create = (company: string, clientId: string, ...args: string[]) => {
    const named = ["--name", "Acme ID", "--issuer", "https://id.acme.example", "--client-id", clientId];
    return ["provider", "create", "--company", company, ...named, ...args];
  };
  beforeAll(async () => {
    await at.json(["company", "create", "--name", "Acme", "--slug", "acme"]);
    await at.json(["company", "create", "--name", "Other", "--slug", "other"]);
  });

  test("without a confirmed domain, for an unknown company, with settings that only the operator's have → refused", async () => {
    for (const [args, words] of [
      [create("nobody", "a"), 'no company "nobody"'],
      [create("acme", "a"), "first confirm one with assent company update acme --add-email-domain"],
      [create("acme", "a", "--claim", "username=upn"), "must be field=claim"],
      [create("acme", "a", "--trust-email"), "with --company, there is no --trust-email"],
      [create("acme", "a", "--email-domain", "acme.example"), "assent company update --add-email-domain"],
      [create("acme", "a", "--no-create-people"), "there is no --no-create-people"],
    ] as const) {
      const { code, stderr } = await at.run(args);
      expect([code !== 0, stderr]).toEqual([true, expect.stringContaining(words)]);
    }
  });

  test("domains: no domain, another company's → refused; else shown with the company", async () => {
    const update = (slug: string, ...args: string[]) => at.run(["company", "update", slug, ...args]);
    expect((await update("acme", "--add-email-domain", "@")).stderr).toContain("is not a domain");
    expect((await update("acme", "--own-provider", "allow", "--add-email-domain", "ACME.example")).code).toBe(0);
    expect((await update("other", "--add-email-domain", "acme.example")).stderr).toContain(
      "belongs to another company",
    );
    expect((await update("acme", "--remove-email-domain", "x.example")).stderr).toContain("the company has no");
    expect(await at.json(["company", "show", "acme"])).toMatchObject({
      ...{ own_provider: true, email_domains: ["acme.example"], provider: null },
    });
  });

  test("created, listed, changed, deleted → with the company, without the secret", async () => {
    const roles = ["--admin-group", "heads", "--member-group", "staff"];
    const { stdout, code } = await at.run([...create("acme", "own-1", "--client-secret-stdin", ...roles), "--json"], {
      input: SECRET,
    });
    const made_ = JSON.parse(stdout) as { id: string };
    expect([code, made_]).toEqual([
      0,
      expect.objectContaining({
        ...{ company: "acme", email_domains: ["acme.example"], status: "active", trust_email: false, has_secret: true },
        roles: { claim: "groups", admin: ["heads"], member: ["staff"], others: "refuse" },
      }),
    ]);
    expect(stdout).not.toContain(SECRET);
    expect((await at.run(create("acme", "own-2"))).stderr).toContain("has the provider");
    const listed = await at.json<{ id: string; company: string | null }[]>(["provider", "list"]);
    expect(listed.find(({ id }) => id === made_.id)?.company).toBe("acme");
    expect(await at.json(["provider", "update", made_.id, "--no-roles", "--status", "disabled"])).toMatchObject({
      ...{ roles: null, status: "disabled", issuer: "https://id.acme.example" },
    });
    const named = ["provider", "update", made_.id, "--claim", "email_verified=xms_edov", "--profile", "follow"];
    const theirs = { claims: { email_verified: "xms_edov" }, profile: "follow", scope: "openid profile email" };
    expect(await at.json(named)).toMatchObject(theirs);
    expect(await at.json(["provider", "update", made_.id, "--name", "Other"])).toMatchObject(theirs);
    const without = await at.json(["provider", "update", made_.id, "--claim", "", "--profile", "first"]);
    expect(without).toMatchObject({ claims: {}, profile: "first", name: "Other" });
    const { stderr } = await at.run(["provider", "update", made_.id, "--issuer", "https://b.example"]);
    expect(stderr).toContain("for another issuer, delete it");
    expect(await at.json(["provider", "delete", made_.id, "--yes"])).toMatchObject({ deleted: true });
    expect(await at.json(["company", "show", "acme"])).toMatchObject({ provider: null });
  });
});
