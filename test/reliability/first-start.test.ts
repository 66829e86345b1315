/** `kill -9` while a server starts for the first time: the next start completes it. */

import { randomInt } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inFull } from "../support/reliability-cycles-and-figures.ts";
import { killDuringStart, startProcess } from "../support/server-process.ts";

/** With other tests on the machine, a start can take three seconds. The limit shows only that it waits for nothing. */
const READY_WITHIN = inFull ? 5_000 : 20_000;

describe("kill -9 during the first start", () => {
  test("at three moments → the next start is ready, with one signing key", { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "assent-first-start-"));
    for (const moment of [300, 550, 800]) {
      const dataDir = join(folder, String(moment));
      mkdirSync(dataDir, { mode: 0o700 });
      await killDuringStart(dataDir, moment + randomInt(100));
      const next = await startProcess(dataDir);
      expect(next.readyAfter).toBeLessThan(READY_WITHIN);
      const keys = (await (await fetch(`${next.url}/jwks`)).json()) as { keys: unknown[] };
      expect(keys.keys).toHaveLength(1);
      await next.end("SIGTERM");
    }
    rmSync(folder, { recursive: true, force: true });
  });
});
