import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { cliPage } from "../../../scripts/docs-cli.ts";
import manifest from "../package.json" with { type: "json" };
import { buildProgram } from "../src/command-tree.ts";
import { aWorkspace } from "./support/run-command.ts";

const at = aWorkspace();
afterAll(() => at.remove());

describe("wrong usage → one line, exit code 2", () => {
  test.concurrent.each([
    ["an unknown noun", ["clint", "list"], "unknown command 'clint' (Did you mean client?)"],
    ["an unknown verb", ["client", "craete"], "unknown command 'craete' (Did you mean create?)"],
    ["an unknown option", ["client", "list", "--jsno"], "unknown option '--jsno' (Did you mean --json?)"],
    [
      "an option that is needed",
      ["client", "create", "--type", "public"],
      "required option '--name <text>' not specified",
    ],
    [
      "a value that isn't a choice",
      ["client", "create", "--name", "P", "--type", "secret"],
      "Allowed choices are confidential, public.",
    ],
    ["an option without its value", ["client", "create", "--name"], "option '--name <text>' argument missing"],
    ["an argument that is needed", ["user", "show"], "missing required argument 'user'"],
    ["an argument too many", ["client", "list", "more"], "too many arguments"],
    [
      "seconds that are no number",
      ["client", "rotate-secret", "x", "--overlap", "1h"],
      "Use a whole number of seconds.",
    ],
    ["a limit of 0", ["client", "list", "--limit", "0"], "Use a whole number, 1 or more."],
    ["an update of nothing", ["client", "update", "x"], "no settings to change"],
    ["a user's update of nothing", ["user", "update", "x"], "no settings to change"],
    ["a scope's update of nothing", ["scope", "update", "x"], "no settings to change"],
    ["an API's update of nothing", ["resource", "update", "x"], "no settings to change"],
    ["a logo without a file", ["client", "logo", "x"], "name a picture file, or use --remove"],
    [
      "an id that begins with a dash",
      ["key", "retire", `-${"a".repeat(42)}`],
      "': if this is an ID, put two dashes before it (-- -abc)",
    ],
    ["no session and no user", ["session", "revoke"], "name one session, or use --user"],
    [
      "a password from nowhere",
      ["user", "create", "--username", "a", "--email", "a@x.test"],
      "--password-stdin or --generate-password",
    ],
    [
      "a password from two places",
      ["user", "set-password", "a", "--password-stdin", "--generate-password"],
      "cannot be used with",
    ],
  ])("%s", async (_, args, words) => {
    const { code, stdout, stderr } = await at.run(args);
    expect(stderr).toContain(words);
    expect(stderr).toMatch(/^error: [^\n]*\n$/);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  test.each([
    [["--password=hunter2'hunter2\nx"], "unknown option '--password'"],
    [["--password", "hunter2"], "unknown option '--password'"],
    [["hunter2", "--password-stdin"], "too many arguments for 'set-password'"],
  ])("a password on the command line, %j → refused, and not repeated", async (args, words) => {
    const { code, stderr } = await at.run(["user", "set-password", "alice", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain("hunter2");
  });

  test("nothing at all, or a noun alone → the help on stderr", async () => {
    for (const args of [[], ["client"]]) {
      const { code, stdout, stderr } = await at.run(args);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^Usage: assent /);
    }
  });
});

test("no option takes a secret as its value", async () => {
  const program = await buildProgram();
  const options = program.commands.flatMap((noun) => [noun, ...noun.commands]).flatMap(({ options }) => options);
  const secrets = options.filter(({ long }) => /password|secret/.test(long ?? ""));
  expect(secrets.map(({ flags }) => flags).sort()).toEqual([
    ...["--client-secret-stdin", "--client-secret-stdin"],
    ...[
      "--generate-password",
      "--generate-password",
      "--new-secret",
      "--no-client-secret",
      "--password-stdin",
      "--password-stdin",
    ],
  ]);
});

test("--help → on stdout, exit code 0, every noun and verb explained", async () => {
  const { code, stdout } = await at.run(["--help"]);
  expect(code).toBe(0);
  for (const noun of [
    "serve",
    "demo",
    "doctor",
    "client",
    "user",
    "scope",
    "resource",
    "consent",
    "session",
    "key",
    "db",
  ]) {
    expect(stdout).toMatch(new RegExp(`^  ${noun} .*[a-z]{3}`, "m"));
  }
  const create = (await at.run(["client", "create", "--help"])).stdout;
  expect(create).toContain("--redirect-uri <uri>");
  expect(create).toMatch(/--name <text> .*\(required\)/);
  expect((await at.run(["help", "client"])).stdout).toContain("rotate-secret");
});

test("--version → the package's", async () => {
  expect(await at.run(["--version"])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

test("the manual → what the commands say of themselves", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/operate/cli.md"), "utf8");
  expect(page, "run: node scripts/docs-cli.ts").toBe(await cliPage());
});

describe("a configuration that is wrong", () => {
  test("→ each problem on a line of its own, exit code 1, a secret's value never", async () => {
    const env = { ASSENT_ISSUER: "ftp://x", ASSENT_LISTNE: "x", ASSENT_SECRET: "tooshortsecret" };
    for (const args of [["client", "list"], ["serve"], ["db", "status"]]) {
      const { code, stderr } = await at.run(args, { env });
      expect(code).toBe(1);
      const lines = stderr.trim().split("\n");
      expect(lines).toHaveLength(3);
      for (const name of Object.keys(env)) {
        expect(lines.some((line) => line.startsWith(`error: ${name}: `))).toBe(true);
      }
      expect(stderr).not.toContain("tooshortsecret");
    }
  });
});
