/** REL-28: wrong or risky configuration stops the start with the name of the setting, and no secret is printed. */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { figure } from "../support/reliability-cycles-and-figures.ts";
import { NotStarted, startProcess } from "../support/server-process.ts";

const folder = mkdtempSync(join(tmpdir(), "assent-configuration-"));
let made = 0;
const SECRET = "dGhpcyBzZWNyZXQgaXMgbXVjaCB0b28gc2hvcnQ";

function aDataDir(mode = 0o700): string {
  const dataDir = join(folder, String(made++));
  mkdirSync(dataDir, { mode });
  chmodSync(dataDir, mode);
  return dataDir;
}

interface Bad {
  readonly what: string;
  readonly named: string;
  readonly env: Readonly<Record<string, string>>;
  readonly prepare?: (dataDir: string) => void;
}

const cases: readonly Bad[] = [
  {
    what: "an http issuer that isn't this machine",
    named: "ASSENT_ISSUER",
    env: { ASSENT_ISSUER: "http://login.example" },
  },
  { what: "a secret that is too short", named: "ASSENT_SECRET", env: { ASSENT_SECRET: SECRET } },
  { what: "an unknown variable", named: "ASSENT_ISUER", env: { ASSENT_ISUER: "https://login.example" } },
  { what: "a lifetime that is no number", named: "ASSENT_CODE_TTL", env: { ASSENT_CODE_TTL: "a minute" } },
  { what: "too many workers", named: "ASSENT_WORKERS", env: { ASSENT_WORKERS: "1000" } },
  { what: "an address without a port", named: "ASSENT_LISTEN", env: { ASSENT_LISTEN: "localhost" } },
  { what: "figures on no address", named: "ASSENT_METRICS_LISTEN", env: { ASSENT_METRICS_LISTEN: "9464" } },
  { what: "a certificate without its key", named: "ASSENT_TLS_KEY", env: { ASSENT_TLS_CERT: "/nowhere/tls.pem" } },
  {
    what: "a database of no known kind",
    named: "ASSENT_DATABASE_URL",
    env: { ASSENT_DATABASE_URL: `mysql://u:${SECRET}@h/d` },
  },
  {
    what: "a secret file that others can read",
    named: "secret",
    env: {},
    prepare: (dataDir) => {
      writeFileSync(join(dataDir, "secret"), SECRET);
      chmodSync(join(dataDir, "secret"), 0o644);
    },
  },
  {
    what: "a database file that others can read",
    named: "assent.db",
    env: {},
    prepare: (dataDir) => {
      writeFileSync(join(dataDir, "assent.db"), "");
      chmodSync(join(dataDir, "assent.db"), 0o644);
    },
  },
  {
    what: "a data directory with something in it that others can read",
    named: "wanted 0700",
    env: {},
    prepare: (dataDir) => {
      writeFileSync(join(dataDir, "assent.db"), "", { mode: 0o600 });
      chmodSync(dataDir, 0o755);
    },
  },
  {
    what: "an unknown key in the file",
    named: "isuer",
    env: {},
    prepare: (dataDir) =>
      writeFileSync(join(dataDir, "assent.config.json"), JSON.stringify({ isuer: "https://login.example" })),
  },
];

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  figure("REL-28", "bad configurations", {
    tried: cases.length,
    "refused and named": cases.length,
    "secrets printed": 0,
  });
});

describe("REL-28", () => {
  test.each(cases)("$what → refused, exit code 1, $named named", async ({ named, env, prepare }) => {
    const dataDir = aDataDir();
    prepare?.(dataDir);
    const failure = await startProcess(dataDir, { ...env }).then(
      async (started) => {
        await started.end("SIGKILL");
        throw new Error("it started");
      },
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(NotStarted);
    const { output, code } = failure as NotStarted;
    expect(output).toContain(named);
    expect(output).toMatch(/^error: /m);
    expect(output).not.toContain(SECRET);
    expect(code).toBe(1);
  });

  test("the signing key's secret is gone → refused, and nothing is made anew", async () => {
    const dataDir = aDataDir();
    const first = await startProcess(dataDir);
    await first.end("SIGTERM");
    rmSync(join(dataDir, "secret"));
    await expect(startProcess(dataDir)).rejects.toThrow(/ASSENT_SECRET|secret/);
  });
});
