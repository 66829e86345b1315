import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { openAdmin } from "../../src/admin/index.ts";
import { type Config, ConfigError, configOf } from "../../src/config.ts";
import { prepareDataDir, secretOf } from "../../src/data-dir.ts";
import { createAssent } from "../../src/index.ts";

const root = mkdtempSync(join(tmpdir(), "assent-data-dir-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function aConfig(values: Partial<Config> = {}): Config {
  return configOf({ dataDir: join(mkdtempSync(join(root, "one-")), "deep", "data"), logLevel: "silent", ...values });
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("what others can reach", () => {
  test.each([
    ["data directory", ".", 0o755, "700"],
    ["secret", "secret", 0o640, "600"],
    ["database", "assent.db", 0o644, "600"],
    ["log of the database", "assent.db-wal", 0o604, "600"],
  ])("%s → server and operator refuse, with the chmod to run", async (_, name, mode, wanted) => {
    const config = aConfig();
    prepareDataDir(config);
    writeFileSync(join(config.dataDir, "assent.db"), "something", { mode: 0o600 });
    const path = join(config.dataDir, name);
    if (!existsSync(path)) writeFileSync(path, Buffer.alloc(44, 65).toString());
    if (name === ".") writeFileSync(join(path, "something"), "");
    chmodSync(path, mode);
    for (const open of [openAdmin, createAssent]) {
      const error = await open(config).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ConfigError);
      expect((error as ConfigError).problems).toEqual([expect.stringContaining(`chmod ${wanted} ${path}`)]);
      expect((error as Error).message).not.toContain("QUFB");
    }
  });

  test("an empty data directory of ours, as mkdir or a volume makes it → made narrow, and used", async () => {
    const config = aConfig();
    mkdirSync(config.dataDir, { recursive: true, mode: 0o755 });
    chmodSync(config.dataDir, 0o755);
    prepareDataDir(config);
    expect(modeOf(config.dataDir)).toBe(0o700);
  });

  test("a directory that holds neither database nor secret → of no interest", () => {
    const dataDir = mkdtempSync(join(root, "open-"));
    chmodSync(dataDir, 0o755);
    const inside = join(root, "elsewhere", "a.db");
    prepareDataDir(aConfig({ dataDir, databaseUrl: `sqlite:${inside}`, secret: [Buffer.alloc(32, 1)] }));
    expect(modeOf(join(root, "elsewhere"))).toBe(0o700);
  });
});

describe("a first start", () => {
  test("→ directory 0700, files 0600", async () => {
    const config = aConfig();
    const assent = await createAssent(config);
    const modes = readdirSync(config.dataDir).map((name) => modeOf(join(config.dataDir, name)));
    expect(modes.length).toBeGreaterThanOrEqual(2);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    expect(modeOf(config.dataDir)).toBe(0o700);
    await assent.close();
  });

  test("eight processes at once → one secret, whole", async () => {
    const dataDir = mkdtempSync(join(root, "race-"));
    const module = join(import.meta.dirname, "..", "..", "src", "data-dir.ts");
    const program = `import(${JSON.stringify(module)}).then(({ secretOf }) => console.log(secretOf(${JSON.stringify(dataDir)})[0].toString("hex")))`;
    const seen = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
        const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
        return output;
      }),
    );
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toMatch(/^[0-9a-f]{64}\n$/);
    expect(readdirSync(dataDir)).toEqual(["secret"]);
  });

  test("a secret of too few bytes → refused without its value", () => {
    const dataDir = join(root, "short");
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(join(dataDir, "secret"), "c2hvcnQ=\n", { mode: 0o600 });
    expect(() => secretOf(dataDir)).toThrow(/wanted 32 or more random bytes/);
    expect(() => secretOf(dataDir)).not.toThrow(/c2hvcnQ/);
  });
});
