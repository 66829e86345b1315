/** The Node.js that runs this process: where it comes from, and known faults of its version. */

import { sep } from "node:path";

/** The npm packages with a Node.js, among the checkout's other packages. */
const BUNDLED = /^node-(?:linux|darwin|win)-[a-z0-9]+$/;

/** Whether an npm package brought an executable, and which one, or the machine. */
export function nodeOrigin(execPath: string): { readonly bundled: string | null; readonly text: string } {
  const parts = execPath.split(sep);
  const name = parts[parts.lastIndexOf("node_modules") + 1] ?? "";
  return parts.includes("node_modules") && BUNDLED.test(name)
    ? { bundled: name, text: `bundled, npm package ${name}` }
    : { bundled: null, text: `the system's, ${execPath}` };
}

/**
 * The first version of each major line whose Brotli decoder is fixed (CVE-2026-111497). Lines below 27 that are not
 * listed were never fixed.
 */
const BROTLI_MENDED: ReadonlyMap<number, readonly [minor: number, patch: number]> = new Map([
  [22, [23, 4]],
  [24, [22, 1]],
  [26, [12, 1]],
]);

/** Known faults of a version of Node.js ("26.10.0"), one sentence each. */
export function nodeFaults(version: string): readonly string[] {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const mended = BROTLI_MENDED.get(major);
  const safe = mended === undefined ? major > 26 : minor > mended[0] || (minor === mended[0] && patch >= mended[1]);
  return safe
    ? []
    : [
        `Node.js ${version} has a Brotli vulnerability that lets an attacker run code (CVE-2026-111497): use 22.23.4, 24.22.1, 26.12.1 or newer. This server never decodes Brotli, but your own code does if it calls fetch()`,
      ];
}
