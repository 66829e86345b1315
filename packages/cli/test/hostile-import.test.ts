import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
let exported: string;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  await at.json(["scope", "create", "notes", "--description", "Read your notes"]);
  const file = join(at.folder, "own.jsonl");
  await at.json(["export", file]);
  exported = readFileSync(file, "utf8");
});
afterAll(() => at.remove());

/** An archive with one entry, made by tar itself. */
function archive(name: string, flags: readonly string[], entry: string): Buffer {
  const file = join(at.folder, name);
  execFileSync("tar", ["-cf", file, ...flags, entry], { cwd: at.dataDir, stdio: "pipe" });
  return readFileSync(file);
}

/** Without the files that SQLite has while it works. */
const files = () =>
  [at.folder, at.dataDir].map((folder) => readdirSync(folder).filter((one) => !/-(?:wal|shm)$/.test(one)));

const FILES: readonly (readonly [string, () => Uint8Array | string])[] = [
  ["an archive with ../", () => archive("up.tar", ["-P", "--transform", "s,^,../../escaped/,"], "assent.db")],
  ["an archive with an absolute path", () => archive("absolute.tar", ["-P"], join(at.folder, "own.jsonl"))],
  [
    "an archive with a symbolic link",
    () => {
      symlinkSync("/etc/passwd", join(at.dataDir, "link"));
      return archive("link.tar", [], "link");
    },
  ],
  ["a compressed bomb", () => gzipSync(Buffer.alloc(50_000_000))],
  ["an export of a newer format", () => exported.replace('"assent_export":1', '"assent_export":2')],
  ["an export of a newer schema", () => exported.replace('"migrations":[', '"migrations":["9999-later",')],
  ["a file that is cut off", () => exported.slice(0, exported.length / 2)],
];

test.each(FILES)(
  "AP-13 import of %s → 1; nothing beside the database, and the old data stays",
  async (name, content) => {
    const file = join(at.folder, "hostile");
    writeFileSync(file, content());
    const before = files();
    const { code, stdout, stderr } = await at.run(["import", file, "--yes"]);
    expect([code, stdout], name).toEqual([1, ""]);
    expect(stderr).toMatch(/^error: [^\n]{1,500}\n$/);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(files()).toEqual(before);
    expect(existsSync(join(at.folder, "escaped"))).toBe(false);
    expect(JSON.stringify(await at.json(["scope", "list"]))).toContain('"notes"');
  },
);
