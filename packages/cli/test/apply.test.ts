import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blocksOf } from "../../../test/support/markdown-code-blocks.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

const SECRET = "kZ9vQ2mX7pL4tR8wY1sD6fG3hJ5nB0cA";
const PAGE = join(import.meta.dirname, "../../../docs/operate/configuration-as-code.md");

let at: Workspace;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
});
afterAll(() => at.remove());

const env = { PHOTO_PRINTER_SECRET: SECRET };
const path = (name: string) => join(at.folder, name);
const write = (name: string, text: string) => {
  writeFileSync(path(name), text);
  return path(name);
};
const apply = (file: string, ...flags: readonly string[]) => at.run(["apply", "-f", file, ...flags], { env });

const SMALL = "version: 1\nname: small\nscopes:\n  notes:\n    description: Read your notes\n";

describe("files that can't be read → 1 with the name, at once", () => {
  test.each([
    ["is not there", () => path("nowhere.yaml"), "there is no file"],
    ["is a folder", () => at.folder, "is not a file"],
    ["is empty", () => write("empty.yaml", ""), "the file has no configuration"],
    ["has two documents", () => write("two.yaml", `${SMALL}---\n${SMALL}`), "second document"],
    ["is not UTF-8", () => write("latin.yaml", SMALL).replace(/$/, ""), ""],
  ])("%s", async (name, file, wanted) => {
    const named = file();
    if (name === "is not UTF-8") writeFileSync(named, Buffer.from([0xff, 0xfe, 0x41]));
    const { code, stdout, stderr } = await apply(named);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(wanted === "" ? "is not text in UTF-8" : wanted);
    expect(stderr).toContain(named);
  });

  test("is a pipe that nobody writes to", async () => {
    execFileSync("mkfifo", [path("pipe.yaml")]);
    const { code, stderr } = await apply(path("pipe.yaml"));
    expect([code, stderr]).toEqual([
      1,
      `error: ${path("pipe.yaml")} is not a file; to read standard input, use -f -\n`,
    ]);
  });

  test("has 100 MB", async () => {
    truncateSync(write("large.yaml", SMALL), 100_000_000);
    const { code, stderr } = await apply(path("large.yaml"));
    expect([code, stderr]).toEqual([1, `error: ${path("large.yaml")} is larger than 1024 KiB, which is the most\n`]);
  });
});

test("without a file, with --schema and a file, an unknown option → 2", async () => {
  expect((await at.run(["apply"])).code).toBe(2);
  expect((await at.run(["apply", "--schema", "-f", "x"])).code).toBe(2);
  expect((await at.run(["apply", "-f", "x", "--force"])).code).toBe(2);
});

test("AP-02 plan with changes → 3; without → 0; with an error → 1; nothing is written", async () => {
  const file = write("small.yaml", SMALL);
  const plan = await apply(file, "--plan");
  expect([plan.code, plan.stdout]).toEqual([
    3,
    "+ scope notes\n    description: Read your notes\n1 to create, 0 to change, 0 to delete, 0 unchanged.\n",
  ]);
  expect(await at.json(["apply", "-f", write("none.yaml", "version: 1\nname: small\n"), "--plan"])).toMatchObject({
    changes: [],
  });
  const wrong = await apply(write("wrong.yaml", SMALL.replace("description", "descripton")), "--plan");
  expect([wrong.code, wrong.stdout]).toEqual([1, ""]);
  expect(wrong.stderr).toBe(
    `error: ${path("wrong.yaml")}:5:5: scopes.notes.descripton: is unknown: did you mean description?\n` +
      `error: ${path("wrong.yaml")}:4:3: scopes.notes.description: is missing\n`,
  );
  expect(
    (await at.json<{ scopes: unknown[] }[]>(["scope", "list"])).filter((one) => JSON.stringify(one).includes("notes")),
  ).toEqual([]);
});

test("AP-02 apply → 0 with what was done; again → 0, no changes; by standard input and from a read-only folder → the same", async () => {
  const first = await apply(path("small.yaml"));
  expect([first.code, first.stdout]).toEqual([
    0,
    expect.stringMatching(/^\+ scope notes\n[\s\S]*1 created, 0 changed, 0 deleted, 0 unchanged\.\n$/),
  ]);
  const none = "No changes. 1 record as the file says.\n";
  expect(await apply(path("small.yaml"), "--plan")).toEqual({ code: 0, stdout: none, stderr: "" });
  expect(await at.run(["apply", "-f", "-"], { input: SMALL })).toEqual({ code: 0, stdout: none, stderr: "" });
  mkdirSync(path("locked"));
  writeFileSync(path("locked/small.yaml"), SMALL);
  chmodSync(path("locked"), 0o500);
  expect((await apply(path("locked/small.yaml"))).stdout).toBe(none);
});

test("prune: asks on a terminal, needs --yes elsewhere, says what ends; no → nothing is deleted", async () => {
  const file = write("less.yaml", "version: 1\nname: small\n");
  expect((await apply(file)).stdout).toContain("scopes/notes is not in the file any more, and stays");
  const script = await apply(file, "--prune");
  expect(script.code).toBe(2);
  expect(script.stderr).toMatch(/^- scope notes[\s\S]*Deleting scope notes ends no access\.[\s\S]*add --yes/);
  const no = await at.run(["apply", "-f", file, "--prune"], { terminal: true, input: "n\n" });
  expect(no.code).toBe(1);
  expect(JSON.stringify(await at.json(["scope", "list"]))).toContain('"notes"');
  const yes = await at.run(["apply", "-f", file, "--prune"], { terminal: true, input: "y\n" });
  expect([yes.code, yes.stdout]).toEqual([0, "0 created, 0 changed, 1 deleted, 0 unchanged.\n"]);
  expect(JSON.stringify(await at.json(["scope", "list"]))).not.toContain('"notes"');
});

test("a redirect URI on a new host → the plan, its JSON and the command warn as client update does", async () => {
  const web = (host: string) =>
    `version: 1\nname: hosts\nclients:\n  moved:\n    client_name: Moved\n    type: public\n    scope: openid\n    redirect_uris: [https://${host}/]\n`;
  await apply(write("hosts.yaml", web("old.test")));
  const file = write("hosts.yaml", web("new.test"));
  const plan = await apply(file, "--plan");
  const told =
    "new.test: the server asks owners again before it sends a response there; companies that approved this client for all members must approve it again";
  expect([plan.code, plan.stderr]).toEqual([3, `warning: client moved: redirect_uris: ${told}\n`]);
  expect(JSON.parse((await apply(file, "--plan", "--json")).stdout)).toMatchObject({
    warnings: [`client moved: redirect_uris: ${told}`],
  });
  expect((await apply(file)).stderr).toBe(plan.stderr);
  expect((await at.run(["client", "update", "moved", "--redirect-uri", "https://old.test/"])).stderr).toContain(
    `warning: --redirect-uri: ${told.replace("new.test", "old.test")}\n`,
  );
});

describe("AP-07 secrets by reference", () => {
  const clientWith = (reference: string) =>
    `version: 1\nname: secrets\nclients:\n  web-app:\n    client_name: Web\n    type: confidential\n    client_secret: ${reference}\n    redirect_uris: [https://a.test/]\n`;

  test.each([
    ["a variable that is not set", "{env: MISSING_SECRET}", "the environment variable MISSING_SECRET is not set"],
    ["a file outside of the folder", "{file: ../x}", "leads out of its folder"],
    ["a file that is not there", "{file: nowhere}", "there is no file"],
    ["a folder", "{file: /}", "is not a file"],
    ["the secret itself", SECRET, "a secret can't be in the file"],
  ])("%s → 1 with the key and what to do, never a value", async (_, reference, wanted) => {
    const { code, stdout, stderr } = await apply(write("secret.yaml", clientWith(reference)));
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("clients.web-app.client_secret");
    expect(stderr).toContain(wanted);
    expect(stderr).not.toContain(SECRET);
  });

  test("a file beside the configuration → the client's secret; plan, JSON and export never show it", async () => {
    write("printer.secret", `${SECRET}\n`);
    const file = write("secret.yaml", clientWith("{file: printer.secret}"));
    const outputs = [
      await apply(file, "--plan", "--json"),
      await apply(file),
      await at.run(["export", "--format", "yaml"]),
    ];
    expect(outputs.map(({ code }) => code)).toEqual([3, 0, 0]);
    for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain(SECRET);
    expect(JSON.parse(outputs[0]?.stdout ?? "")).toMatchObject({
      applied: false,
      changes: [{ key: "web-app", action: "create" }],
    });
    write("printer.secret", SECRET.split("").reverse().join(""));
    expect((await apply(file)).stdout).toContain("client_secret: (secret) → (secret)");
  });
});

test("AP-14 export --format yaml into a file → mode 0600, never over another file; --name; wrong flags → 2", async () => {
  const file = path("out.yaml");
  expect((await at.run(["export", "--format", "yaml", "--name", "mine", file])).code).toBe(0);
  expect(readFileSync(file, "utf8")).toContain("\nname: mine\n");
  expect((await at.run(["export", "--format", "yaml", file])).code).toBe(1);
  expect((await at.run(["export", "--format", "yaml", "--name", "No Name"])).code).toBe(2);
  expect((await at.run(["export", "--name", "x", "y"])).code).toBe(2);
  expect((await at.run(["export"])).code).toBe(2);
});

test("the docs page, word for word: plan → 3, apply → done, again and the export → no changes", async () => {
  const server = await aWorkspaceWithDatabase();
  try {
    const blocks = blocksOf(readFileSync(PAGE, "utf8"));
    const [file] = blocks.filter(({ language }) => language === "yaml");
    const shown = blocks.find(({ language }) => language === "text")?.text ?? "";
    writeFileSync(join(server.folder, "assent.yaml"), file?.text ?? "");
    const commands = blocks
      .filter(({ language }) => language === "sh")
      .flatMap(({ text }) => text.trimEnd().split("\n"))
      .filter((line) => line.startsWith("npx assent "))
      .map((line) =>
        line
          .replace(/ > .*$/, "")
          .split(" ")
          .slice(2),
      );
    const codes: (number | null)[] = [];
    const outputs: string[] = [];
    for (const command of commands) {
      const { code, stdout } = await server.run(command, { env });
      codes.push(code);
      outputs.push(stdout);
    }
    // plan, apply, apply again, export, plan of the export, plan as JSON, schema.
    expect(codes).toEqual([3, 0, 0, 0, 0, 0, 0]);
    expect(outputs[2]).toBe(shown);
    expect(outputs[4]).toBe(shown);
    expect(existsSync(join(server.folder, "current.yaml"))).toBe(true);
    expect(JSON.parse(outputs[6] ?? "")).toMatchObject({ title: "Assent configuration" });
  } finally {
    server.remove();
  }
});
