/** The published packages as npm would install them, without a registry. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "../../scripts/build.ts";

const root = join(import.meta.dirname, "..", "..");

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/**
 * Builds and packs the packages, and unpacks each tarball into `<folder>/app/node_modules`. Of other packages, takes
 * only those that a manifest names, from this checkout. Returns the path of the launcher.
 */
export async function installPackages(folder: string): Promise<string> {
  const modules = join(folder, "app", "node_modules");
  const named = new Set<string>();
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
  return join(modules, "assent", "bin", "assent.js");
}
