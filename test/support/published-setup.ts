/**
 * Vitest's global set-up of a whole run: builds and installs the published packages once. package.test.ts checks them,
 * and processes that tests start run them: a few JavaScript files need half the processor time of the sources to start.
 * In other runs, such processes run the sources, so that nothing is built first.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPackages } from "./published-packages.ts";

/** Each project loads this file anew; what they share is here. */
const shared = globalThis as { assentTestPublished?: { readonly ready: Promise<string>; users: number } };

export default async function setup(): Promise<() => void> {
  if (process.env["ASSENT_TEST_WHOLE"] === undefined) return () => undefined;
  shared.assentTestPublished ??= { ready: install(), users: 0 };
  const published = shared.assentTestPublished;
  published.users += 1;
  const folder = await published.ready;
  return () => {
    published.users -= 1;
    if (published.users > 0) return;
    delete process.env["ASSENT_TEST_PUBLISHED"];
    rmSync(folder, { recursive: true, force: true });
  };
}

async function install(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "assent-published-"));
  try {
    await installPackages(folder);
    // Workers inherit it.
    process.env["ASSENT_TEST_PUBLISHED"] = folder;
  } catch {
    // package.test.ts builds again, and fails with the reason. The other tests run the sources.
  }
  return folder;
}
