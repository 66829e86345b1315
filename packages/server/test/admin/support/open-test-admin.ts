/** An operator's context on a real database file, with a clock that the test moves. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { AdminError, migrateDatabase, type OpenedAdmin, openAdmin } from "../../../src/admin/index.ts";
import { configOf } from "../../../src/config.ts";

export interface TestAdmin extends OpenedAdmin {
  readonly dataDir: string;
  tick(milliseconds: number): void;
}

export async function openTestAdmin(): Promise<TestAdmin> {
  const dataDir = mkdtempSync(join(tmpdir(), "assent-admin-"));
  let offset = 0;
  const config = configOf({ dataDir, issuer: "https://id.test" });
  await migrateDatabase(config, Date.now(), "expand");
  const admin = await openAdmin(config, () => Date.now() + offset);
  return {
    ...admin,
    dataDir,
    tick: (milliseconds) => {
      offset += milliseconds;
    },
    async close() {
      await admin.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Waits for the refusal, and returns its `kind` and its `field: problem` lines. */
export async function refusal(work: Promise<unknown>): Promise<{ kind: string; problems: string[] }> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AdminError);
  const { kind, problems } = error as AdminError;
  return { kind, problems: problems.map(({ field, problem }) => `${field}: ${problem}`) };
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
