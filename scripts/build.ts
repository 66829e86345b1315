/**
 * Builds the published packages: `node scripts/build.ts [folder]`, by default `build`. Each folder in it is ready for
 * `npm publish`. The software bills of materials are beside them, also that of a checkout: `server.cdx.json`, …,
 * `checkout.cdx.json`.
 *
 * A checkout runs its sources. Below `node_modules` Node does not remove types, and each file costs time at the start.
 * So the modules of a published package are a few JavaScript files. They are not minified, so that people can read them
 * and their stack traces. Other packages stay packages, so that users get their fixes without a release of ours.
 */

import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { type Subject, sbomOf } from "./sbom.ts";

const root = join(import.meta.dirname, "..");

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [other: string]: unknown;
}

interface Published {
  /** The folder below `packages/`. */
  readonly folder: string;
  /** Files that are run but that no `exports` names: their name in `dist`, and their source. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Files that are copied unchanged: their destination, and their source. */
  readonly files?: Readonly<Record<string, string>>;
  /** Our packages that are not published; their modules become part of this package. */
  readonly takesIn?: readonly string[];
  /** True: with declarations for TypeScript. */
  readonly types?: true;
  readonly readme: string;
}

const PUBLISHED: readonly Published[] = [
  {
    folder: "server",
    programs: {
      "writer-thread": "src/storage/sqlite/writer-thread.ts",
      "reader-thread": "src/saml/assertion-reader-thread.ts",
    },
    files: {
      "dist/writer-start.js": "src/storage/sqlite/writer-start.js",
      "dist/common-passwords.bin": "src/crypto/common-passwords.bin",
      "dist/assets": "src/pages/assets",
    },
    types: true,
    readme: "packages/server/README.md",
  },
  { folder: "resource-server", types: true, readme: "packages/resource-server/README.md" },
  {
    folder: "cli",
    programs: { main: "src/main.ts" },
    files: { bin: "bin", assets: "../demo/assets" },
    takesIn: ["demo"],
    readme: "README.md",
  },
];

/** Builds everything into this folder, which is first emptied. Returns the folders of the packages. */
export async function build(into: string): Promise<readonly string[]> {
  rmSync(into, { recursive: true, force: true });
  const declarations = join(into, ".types");
  declare(declarations);
  const made: string[] = [];
  for (const one of PUBLISHED) {
    const folder = await make(one, into, declarations);
    made.push(folder);
    writeSbom(into, one.folder, subjectOf(one, folder));
  }
  rmSync(declarations, { recursive: true });
  writeSbom(into, "checkout", checkout());
  return made;
}

function writeSbom(into: string, name: string, subject: Subject): void {
  writeFileSync(join(into, `${name}.cdx.json`), `${JSON.stringify(sbomOf(subject), undefined, 2)}\n`);
}

/** Builds one package in its published form. */
function subjectOf({ folder, takesIn = [] }: Published, built: string): Subject {
  const manifest = JSON.parse(readFileSync(join(built, "package.json"), "utf8")) as Omit<Subject, "type" | "sources">;
  return {
    ...manifest,
    type: folder === "cli" ? "application" : "library",
    sources: [folder, ...takesIn].map((one) => `packages/${one}`),
    folder: built,
  };
}

/** The packages that `npm ci --omit=dev` installs. */
export function checkout(): Subject {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Omit<Subject, "type" | "sources">;
  const ours = globSync("packages/*/package.json", { cwd: root }).map((file) => manifestOf(file.split("/")[1] ?? ""));
  const dependencies = Object.fromEntries(ours.map(({ name, version }) => [name, String(version)]));
  return { ...manifest, type: "application", dependencies, sources: [""] };
}

async function make(one: Published, into: string, declarations: string): Promise<string> {
  const source = join(root, "packages", one.folder);
  const manifest = manifestOf(one.folder);
  const target = join(into, one.folder);
  const entries = Object.fromEntries(
    Object.entries(manifest.exports ?? {}).map(([name, file]) => [distName(name), join(source, file)]),
  );
  const programs = Object.entries(one.programs ?? {}).map(([name, file]) => [name, join(source, file)]);
  const imports = await bundle(
    { ...entries, ...Object.fromEntries(programs) },
    join(target, "dist"),
    one.takesIn ?? [],
  );
  const published = publishedManifest(one, manifest);
  const undeclared = imports
    .map(packageOf)
    .filter((name) => name !== undefined && published.dependencies[name] === undefined);
  if (undeclared.length > 0)
    throw new Error(`${manifest.name} would import ${undeclared.join(", ")} without naming it`);
  for (const [to, from] of Object.entries(one.files ?? {}))
    cpSync(join(source, from), join(target, to), { recursive: true });
  if (one.types) cpSync(join(declarations, one.folder, "src"), join(target, "dist", "types"), { recursive: true });
  cpSync(join(root, one.readme), join(target, "README.md"));
  cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
  writeFileSync(join(target, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);
  return target;
}

/**
 * Rolldown escapes closing script tags in tagged templates, and then imports this helper. The helper returns the
 * template's strings with their `raw` property.
 */
const TEMPLATES = "@oxc-project/runtime/helpers/taggedTemplateLiteral";
const templates = {
  name: "templates",
  resolveId: (id: string) => (id === TEMPLATES ? `\0${TEMPLATES}` : undefined),
  load: (id: string) =>
    id === `\0${TEMPLATES}`
      ? "export default (strings, raw = strings.slice()) => Object.freeze(Object.defineProperty(strings, 'raw', { value: Object.freeze(raw) }));"
      : undefined,
};

/** Builds one file for each entry, and chunks for shared or rarely loaded modules. Returns their imports. */
async function bundle(
  input: Readonly<Record<string, string>>,
  dir: string,
  takesIn: readonly string[],
): Promise<readonly string[]> {
  const taken = new Set(takesIn.map((folder) => manifestOf(folder).name));
  const built = await rolldown({
    input,
    cwd: root,
    platform: "node",
    // The oldest Node.js that a package supports understands all syntax in our sources.
    transform: { target: "esnext" },
    external: (id) => !/^[./\0]/.test(id) && !taken.has(id) && id !== TEMPLATES,
    plugins: [templates],
    logLevel: "warn",
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  try {
    const { output } = await built.write({
      ...{ dir, format: "esm", entryFileNames: "[name].js", chunkFileNames: "chunk-[name]-[hash].js" },
    });
    return output.flatMap((file) => (file.type === "chunk" ? [...file.imports, ...file.dynamicImports] : []));
  } finally {
    await built.close();
  }
}

/** `.` is `index`, `./admin` is `admin`. */
function distName(exported: string): string {
  return exported === "." ? "index" : exported.slice(2);
}

/** The package that an import names. Undefined: a file of the package itself, or a module of Node. */
function packageOf(specifier: string): string | undefined {
  if (
    specifier.startsWith("node:") ||
    !/^(?:@[^/]+\/)?[^/@.][^/]*(?:\/|$)/.test(specifier) ||
    /^chunk-|\.js$/.test(specifier)
  )
    return undefined;
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as Manifest;
}

function publishedManifest({ folder, files = {}, takesIn = [] }: Published, manifest: Manifest) {
  const { exports = {}, dependencies = {}, ...rest } = manifest;
  const others = takesIn.map(manifestOf);
  const own = new Set(others.map(({ name }) => name));
  const all = Object.entries(
    Object.assign({}, dependencies, ...others.map((one) => one.dependencies)) as Record<string, string>,
  );
  const entries = Object.entries(exports).map(([name, file]) => {
    const types = `./dist/types/${file.replace(/^\.\/src\//, "").replace(/\.ts$/, ".d.ts")}`;
    return [name, { types, default: `./dist/${distName(name)}.js` }];
  });
  return {
    ...rest,
    ...(entries.length === 0 ? {} : { exports: Object.fromEntries(entries) }),
    files: [...new Set(["dist", ...Object.keys(files).map((file) => file.split("/")[0] ?? file)])],
    dependencies: Object.fromEntries(
      all.filter(([name]) => !own.has(name)).sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
    keywords:
      folder === "resource-server" ? ["oauth2", "jwt", "access-token", "rfc9068"] : ["oauth2", "authorization-server"],
  };
}

/** Writes the declarations of all packages. Their imports name the files in `dist`. */
function declare(into: string): void {
  mkdirSync(into, { recursive: true });
  const config = join(into, "tsconfig.json");
  const options = {
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: ".", rootDir: join(root, "packages") },
    ...{ typeRoots: [join(root, "node_modules", "@types")], allowImportingTsExtensions: true },
  };
  const include = PUBLISHED.filter(({ types }) => types).map(({ folder }) => join(root, "packages", folder, "src"));
  writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions: options, include }));
  execFileSync(join(root, "node_modules", ".bin", "tsc"), ["-p", config], { stdio: "inherit" });
  for (const file of globSync("**/*.d.ts", { cwd: into })) {
    const path = join(into, file);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replaceAll(/(["'])(\.{1,2}\/[^"']+)\.ts\1/g, "$1$2.js$1"));
  }
}

if (process.argv[1] === import.meta.filename) {
  const made = await build(process.argv[2] ?? join(root, "build"));
  for (const folder of made) console.log(folder);
  console.log(`Publish with: npm publish ${dirname(made[0] ?? "")}/<folder>`);
}
