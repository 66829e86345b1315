/** The published packages as npm would install them, without a registry. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** The folder where a whole run installed the packages (published-setup.ts). */
const installed = process.env["ASSENT_TEST_PUBLISHED"];

/** The launcher of the `assent` command that a test's processes run: the published one, or that of this checkout. */
export const LAUNCHER =
  installed === undefined ? join(root, "packages", "cli", "bin", "assent.js") : launcherIn(installed);

/** The program of this checkout. */
export const SOURCE_MAIN = join(root, "packages", "cli", "src", "main.ts");

/** The program that the launcher starts. */
export const MAIN = installed === undefined ? SOURCE_MAIN : join(dirname(LAUNCHER), "..", "dist", "main.js");

function launcherIn(folder: string): string {
  return join(folder, "app", "node_modules", "assent", "bin", "assent.js");
}

/** Where the packages are installed as `installPackages` does: the whole run's folder, or this new one. */
export async function installedPackages(folder: string): Promise<string> {
  if (installed !== undefined) return installed;
  await installPackages(folder);
  return folder;
}

/**
 * Builds and packs the packages, and unpacks each tarball into `<folder>/app/node_modules`. Of other packages, takes
 * only those that a manifest names, from this checkout. Returns the path of the launcher.
 */
export async function installPackages(folder: string): Promise<string> {
  const modules = join(folder, "app", "node_modules");
  const named = new Set<string>();
  // Most tests need only the paths, not the bundler.
  const { build } = await import("../../scripts/build.ts");
  for (const built of await build(join(folder, "build"))) {
    const tarball = execFileSync("npm", ["pack", "--silent", built], { cwd: folder, encoding: "utf8" }).trim();
    const { name, dependencies } = manifestOf(built);
    mkdirSync(join(modules, name), { recursive: true });
    execFileSync("tar", ["-xzf", join(folder, tarball), "--strip-components=1", "-C", join(modules, name)]);
    for (const one of Object.keys(dependencies)) named.add(one);
  }
  for (const name of named) {
    if (existsSync(join(modules, name))) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  return launcherIn(folder);
}
