import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { OLDEST_MAJOR } from "../packages/cli/bin/runtime.js";
import * as tidy from "./support/tidy-rules.ts";

const root = join(import.meta.dirname, "..");

/**
 * Allowed imports of each folder, besides its own files. An npm package is behind one folder, so that replacing it
 * changes one folder. `oauth/` imports nothing at all.
 */
const IMPORTS: tidy.ImportTable = {
  "packages/server/src/oauth": [],
  "packages/server/src/owners": ["oauth", "storage-subset.ts", "least-recently-used.ts", "lru-cache"],
  "packages/server/src/admin": [
    ...[
      "oauth",
      "storage-subset.ts",
      "events",
      "owners",
      "crypto",
      "saml/identity-provider-metadata.ts",
      // The lines of an import come from programs of others.
      "jose/strict-json.ts",
      // For the contrast of a client's colours.
      "pages/branding.ts",
      "storage",
      "config.ts",
      "setting-kinds.ts",
      "config-settings.ts",
      "data-dir.ts",
      "configured-grant-types.ts",
      "node-runtime.ts",
      "pictures",
      "webhooks",
      // Whether an address is public; logos of reviewed clients.
      "outbound",
    ],
    ...[
      "node:crypto",
      "node:fs",
      "node:http",
      "node:https",
      "node:net",
      "node:path",
      "node:timers/promises",
      "node:util",
    ],
  ],
  // Configuration as code: the operations of the admin API, in this process.
  "packages/server/src/configuration": [
    ...[
      "admin",
      "http/admin-api",
      "config.ts",
      "events/event.ts",
      "oauth/model.ts",
      "oauth/trusted-issuer.ts",
      "owners",
      "storage-subset.ts",
    ],
    ...["crypto/server-secret.ts", "crypto/signing-keys.ts", "crypto/sign-in-provider-secrets.ts"],
    ...["node:crypto", "node:util", "yaml"],
  ],
  // Decodes pictures of strangers.
  "packages/server/src/pictures": ["sharp"],
  "packages/server/src/crypto": [
    ...["oauth/model.ts", "oauth/ports.ts", "oauth/user-code.ts"],
    ...["owners/authorization/continuation.ts", "owners/factor-storage.ts"],
    ...["owners/password-hash-requester.ts", "owners/person.ts", "owners/storage.ts"],
    "storage-subset.ts",
    "admin/storage.ts",
    ...[
      "node:buffer",
      "node:crypto",
      "node:fs",
      "node:net",
      "node:os",
      "node:path",
      "node:util",
      "@node-rs/argon2",
      "@node-rs/bcrypt",
      "@simplewebauthn/server",
      "lru-cache",
    ],
  ],
  // Code that reads signed or published documents of others.
  "packages/server/src/jose": ["oauth/ports.ts", "oauth/foreign-jwk-set.ts", "jose", "lru-cache"],
  "packages/server/src/saml": [
    ...[
      "oauth/saml-assertion-model.ts",
      "oauth/model.ts",
      "node:crypto",
      "node:worker_threads",
      "@xmldom/xmldom",
      "xml-crypto",
    ],
  ],
  "packages/server/src/outbound": ["oauth/model.ts", "node:dns", "node:http", "node:https", "node:net", "lru-cache"],
  // Clients that describe themselves.
  "packages/server/src/client-documents": [
    ...["oauth", "outbound/guarded-fetch.ts", "jose/strict-json.ts", "admin/storage.ts", "storage-subset.ts"],
    ...["crypto/client-appearance.ts", "node:crypto", "node:http", "least-recently-used.ts"],
  ],
  // Clients that register themselves.
  "packages/server/src/client-registration": [
    ...["oauth", "admin", "crypto", "owners/storage.ts", "storage-subset.ts", "least-recently-used.ts"],
  ],
  // This server as a client of other OpenID Connect providers.
  "packages/server/src/upstream": [
    ...[
      "oauth/model.ts",
      "outbound",
      "owners/identities/sign-in-provider.ts",
      "owners/identities/claim-names.ts",
      "owners/identities/provider-presets.ts",
      "owners/identities/upstream-identity.ts",
    ],
    ...["node:crypto", "lru-cache", "openid-client"],
  ],
  // The log of events for operators.
  "packages/server/src/events": [
    ...["storage-subset.ts", "oauth/model.ts", "admin/storage.ts", "crypto/server-secret.ts"],
    ...["node:crypto"],
  ],
  // Tells servers of others of events.
  "packages/server/src/webhooks": [
    ...["storage-subset.ts", "oauth/model.ts", "events", "outbound/guarded-fetch.ts"],
    ...["crypto/server-secret.ts", "crypto/webhook-secrets.ts", "standardwebhooks"],
  ],
  "packages/server/src/storage": [
    ...[
      "storage-subset.ts",
      "events/event.ts",
      "events/kinds.ts",
      "events/storage.ts",
      "webhooks/webhook.ts",
      "webhooks/storage.ts",
      "oauth/consent-reach.ts",
      "oauth/model.ts",
      "oauth/trusted-issuer.ts",
      "oauth/scope.ts",
      "oauth/storage.ts",
      "oauth/token-exchange/storage.ts",
      "owners/person.ts",
      "owners/storage.ts",
      "owners/subject-link-storage.ts",
      "owners/upstream-change-storage.ts",
      "owners/account/picture-storage.ts",
      "owners/change-conditions.ts",
      "owners/company-storage.ts",
      "owners/last-company.ts",
      "owners/company-connection-storage.ts",
      "owners/company-sign-in-storage.ts",
      "owners/answered-hosts.ts",
      "owners/company-rules.ts",
      "owners/factor-storage.ts",
      "owners/excess-known-devices.ts",
      "owners/known-device-storage.ts",
      "owners/logout-notice-storage.ts",
      "owners/identities/company-provider.ts",
      "owners/identities/external-answer-storage.ts",
      "owners/identities/sign-in-provider.ts",
      "owners/consent-after-decision.ts",
      "owners/consent-without-page.ts",
      "owners/identities/sign-in-provider.ts",
      "owners/mail/storage.ts",
      "owners/recovery/factor-fingerprints.ts",
      "owners/recovery/storage.ts",
      "owners/recovery/factor-trust.ts",
      "admin/storage.ts",
    ],
    ...["node:crypto", "node:fs", "node:fs/promises", "node:module", "node:os", "node:path", "node:sqlite"],
    ...["node:net", "node:timers/promises", "node:tls", "node:url", "node:worker_threads", "lru-cache", "pg"],
  ],
  // Sends messages to people.
  "packages/server/src/mail": [
    ...[
      "storage-subset.ts",
      "oauth/model.ts",
      "owners/mail/mail-content.ts",
      "owners/mail/answer-mail-request.ts",
      "owners/mail/storage.ts",
      "crypto",
      "pages",
    ],
    ...["node:timers/promises", "nodemailer"],
  ],
  // A view is plain data. The view of a message is the content that its writer defines.
  "packages/server/src/pages": [
    "owners/mail/mail-content.ts",
    "node:crypto",
    "node:fs",
    "htm",
    "preact",
    "preact-render-to-string",
    "qr",
  ],
  "packages/server/src/http": [
    ...[
      "oauth",
      "storage-subset.ts",
      "events",
      "owners",
      "admin",
      "client-registration",
      "crypto",
      "pictures",
      "metrics",
      "pages",
      "storage/errors.ts",
      "server-parts.ts",
      "config.ts",
      "jose/strict-json.ts",
    ],
    // The admin API's schemas.
    "typebox",
    ...["node:buffer", "node:crypto", "node:http", "node:https", "node:net", "node:stream", "node:tls", "node:url"],
    ...["node:zlib", "least-recently-used.ts"],
  ],
  // Measurements that operators read from a running server.
  "packages/server/src/metrics": ["node:http", "node:net", "node:perf_hooks"],
  "packages/server/src/workers": ["metrics", "log.ts", "node:cluster", "node:net"],
  // The files that assemble the parts.
  "packages/server/src": ["node:*", "lru-cache", "pino", "pino-pretty"],
  "packages/resource-server/src": ["node:http", "node:https", "jose"],
  "packages/demo/src": [
    ...["node:*", "@assent/resource-server", "@assent/server"],
    ...["fastify", "htm", "openid-client", "preact", "preact-render-to-string"],
  ],
  "packages/cli/src": ["node:*", "package.json", "@assent/demo", "@assent/server", "@clack/prompts", "commander", "qr"],
};

/** Files that still import each other in a circle. */
const CIRCLES: readonly string[] = [];

/** Files of http/ that use the whole server, with the reason. */
const WHOLE_SERVER_IN_HTTP: Readonly<Record<string, string>> = {
  "packages/server/src/http/connections/request-handler.ts": "it gives each endpoint of the table what that asks for",
  "packages/server/src/http/lazy-pages.ts": "the type of an endpoint in the table of routes",
};

/** Packages that several folders of a package may use, with the reason. */
const SHARED_PACKAGES: Readonly<Record<string, string>> = {
  "lru-cache": "a bounded map, as plain as an array",
};

const LONGEST_FILE = 500;
/** Longer files, with the reason. */
const LONG_FILES: Readonly<Record<string, string>> = {
  "packages/server/src/oauth/errors.ts": "the catalogue of all refusals: data, read by searching",
  "test/tidy.test.ts": "half of it is the table of allowed imports: data, a line for each folder and package",
  "test/support/crawl-every-page.ts": "one world in which every page has something to show, built step by step",
};

/** Files of oauth/ without a section of an RFC, with the reason. */
const WITHOUT_SECTION: Readonly<Record<string, string>> = {
  "packages/server/src/oauth/storage.ts": "the port to the database, about which the RFCs are silent",
};

/** Files that may use Math.random, with the purpose. */
const DICE: Readonly<Record<string, string>> = {
  "packages/server/src/storage/sqlite/engine.ts": "processes that wait for one lock don't ask in step",
  "packages/server/src/storage/postgres/engine.ts": "transactions that met don't meet again in step",
  "packages/server/src/storage/postgres/connect-to-writable-host.ts":
    "processes that look for the database don't do so in step",
};

/** Files that compare something secret by `===`, with the reason why that is safe. */
const PLAIN_COMPARISONS: Readonly<Record<string, string>> = {
  "packages/demo/src/register-demo-data.ts": "the demo compares hashes of its own records as it starts",
  "packages/resource-server/src/client-certificate.ts": "a certificate and its thumbprint are public",
  "packages/server/src/admin/client-secrets.ts": "an operator's command matches its own records, before it writes them",
  "packages/server/src/http/endpoints/change-password.ts": "both values come from one form of one person",
  "packages/server/src/admin/events.ts": "the hashes of the log of events are no secret",
  "packages/server/src/events/chain.ts": "the hashes of the log of events are no secret",
  "packages/server/src/storage/move/import.ts": "the checksum of an import, in the operator's own file",
};

const scripts = tidy.filesOf(root, /\.(?:ts|js)$/);
const sources = scripts.filter(({ path }) => /^packages\/[^/]+\/src\//.test(path));
/** The rules and this file contain samples of what the rules find. */
const isRule = ({ path }: tidy.SourceFile) => path === "test/tidy.test.ts" || path === "test/support/tidy-rules.ts";
const tests = scripts.filter(({ path }) => path.endsWith(".test.ts"));
const everything = tidy
  .filesOf(root, /./)
  .filter(({ path }) => !/\.(?:png|jpe?g|webp|gif|ico|woff2|db|bin)$/.test(path));
const below = (folder: string) => sources.filter(({ path }) => path.startsWith(`packages/server/src/${folder}/`));

interface Manifest {
  readonly name: string;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const manifests = everything
  .filter(({ path }) => /^(?:packages\/[^/]+\/)?package\.json$/.test(path))
  .map(({ path, text }) => ({ folder: path.replace(/\/?package\.json$/, ""), manifest: JSON.parse(text) as Manifest }));

/** A file to check with one rule. */
const aFile = (text: string, path = "packages/server/src/oauth/sample.ts") => ({ path, text });

describe("each rule finds what it is for", () => {
  test.each([
    ["a package", 'import fastify from "fastify";'],
    ["a part of Node", 'import { readFileSync } from "node:fs";'],
    ["a sibling folder", 'import type { Person } from "../owners/storage.ts";'],
    ["a file above", 'export { config } from "../config.ts";'],
    ["a late import", 'const { x } = await import("../storage/sql.ts");'],
    ["a bare import", 'import "jose";'],
  ])("oauth/ imports %s → refused", (_, text) => {
    expect(tidy.strayImports(aFile(text), IMPORTS)).toHaveLength(1);
  });

  test("a folder without a row → refused", () => {
    expect(tidy.strayImports(aFile("", "packages/new/src/index.ts"), IMPORTS)[0]).toMatch("no row");
  });

  test("two files that import each other, one of them late or for a type → one circle; a chain → none", () => {
    const one = aFile('import type { b } from "./two.ts";', "packages/a/one.ts");
    const two = aFile('const a = await import("./one.ts");', "packages/a/two.ts");
    const three = aFile('import "./one.ts";', "packages/a/three.ts");
    expect(tidy.importCycles([one, two, three])).toEqual(["packages/a/one.ts ↔ packages/a/two.ts"]);
    expect(tidy.importCycles([one, three])).toEqual([]);
  });

  test("the file beside, one of a row, one that a comment names → allowed", () => {
    const text = 'import { a } from "../owners/a.ts";\nimport { Type } from "typebox";\n// from "express"\n';
    expect(tidy.strayImports(aFile(text, "packages/server/src/http/sample.ts"), IMPORTS)).toEqual([]);
  });

  test.each([
    ["any", tidy.evasions, "const a = b as any;"],
    ["a hidden type error", tidy.evasions, "// @ts-expect-error\nfoo();"],
    ["a lint rule put aside without a reason", tidy.evasions, "// biome-ignore lint/style/x:\n"],
    ["Math.random", tidy.unfitRandomness, "const id = Math.random();"],
    ["a clock", tidy.impurities, "const now = Date.now();"],
    ["a timer", tidy.impurities, "setTimeout(work, 1);"],
    ["a secret compared by ===", tidy.hastyComparisons, "if (sha256(given) === client.secretHash) enter();"],
    ["a hash compared by equals", tidy.hastyComparisons, "return wantedHash.equals(given);"],
    ["a MAC compared by !==", tidy.hastyComparisons, "if (made !== token.mac) return;"],
    ["SQL put together", tidy.looseSql, "db.exec(`UPDATE grants SET a = $" + "{value}`);"],
    ["SQL in a string", tidy.looseSql, 'db.exec("SELECT * FROM grants WHERE id = " + id);'],
    ["somebody's folder", tidy.machineTraces, `const path = "${["", "home", "ann", "assent"].join("/")}";`],
    ["a registry", tidy.machineTraces, `see https://${["registry", "example", "com"].join(".")}/fastify`],
    ["an endpoint that asks the database", tidy.storageMentions, "await tools.storage.people.get(key);"],
    ["a test put aside", tidy.silentSkips, `test.${"skip"}("later", () => {});`],
    ["a test put aside within", tidy.silentSkips, "if (!docker) return skip();"],
    ["a title without a section", (file: tidy.SourceFile) => tidy.untitled(file, /RFC \d/), "/** Scopes. */"],
  ])("%s → one finding", (_, rule, text) => {
    expect(rule(aFile(text))).toHaveLength(1);
  });

  test("an endpoint imports the type of the whole server → found", () => {
    expect(tidy.takesWholeServer(aFile('import type { Assent } from "../../server-parts.ts";'))).toBe(true);
    expect(tidy.takesWholeServer(aFile('import type { Endpoint, Served } from "../lazy-pages.ts";'))).toBe(true);
    expect(tidy.takesWholeServer(aFile('import type { Endpoint } from "../lazy-pages.ts";'))).toBe(false);
  });

  test.each([
    ["any in prose", tidy.evasions, '// null: any age\nconst text = "as any other: any";'],
    ["a lint rule put aside with its reason", tidy.evasions, "// biome-ignore lint/style/x: it is what we look for.\n"],
    [
      "a secret that is absent",
      tidy.hastyComparisons,
      'if (secret === undefined || person.passwordHash !== null || password === "") no();',
    ],
    ["hashes compared in constant time", tidy.hastyComparisons, "return timingSafeEqual(hash, wantedHash);"],
    ["SQL under the tag", tidy.looseSql, "const q = sql`SELECT a FROM grants WHERE id = :id`;"],
    ["a test put aside with its reason", tidy.silentSkips, 'if (!old) return skip("this machine has no older Node");'],
  ])("%s → nothing", (_, rule, text) => {
    expect(rule(aFile(text))).toEqual([]);
  });

  test("links of a Markdown file → only those that lead nowhere", () => {
    const text = "[a](LICENSE) [b](nowhere.md#x) [c](https://example.com) [d](#here) `[e](gone.md)`\n";
    expect(tidy.deadLinks(root, aFile(text, "README.md"))).toEqual(["README.md: leads nowhere: nowhere.md#x"]);
  });
});

describe("imports", () => {
  test("every folder imports only what its row allows", () => {
    expect(sources.flatMap((file) => tidy.strayImports(file, IMPORTS))).toEqual([]);
  });

  test("an npm package stands in one row of each package", () => {
    const npmPackages = new Set(manifests.flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {})));
    const rows = Object.entries(IMPORTS).flatMap(([folder, allowed]) =>
      allowed
        .filter((name) => npmPackages.has(name) && !name.startsWith("@assent/"))
        .map((name) => `${folder.split("/src")[0]} ${name}`),
    );
    const twice = rows.filter((row, at) => rows.indexOf(row) !== at);
    expect(twice.filter((row) => !Object.keys(SHARED_PACKAGES).some((name) => row.endsWith(` ${name}`)))).toEqual([]);
  });

  test("no circle of imports anywhere, type imports included, but those that are named", () => {
    const circles = tidy.importCycles(sources).map((circle) => circle.replaceAll("packages/server/src/", ""));
    expect(circles).toEqual(CIRCLES);
  });

  test("http/ calls use-cases: no file names storage, and only those that are listed take the whole server", () => {
    const http = below("http");
    expect(http.flatMap(tidy.storageMentions)).toEqual([]);
    const wholeServer = http.filter(tidy.takesWholeServer).map(({ path }) => path);
    expect(wholeServer).toEqual(Object.keys(WHOLE_SERVER_IN_HTTP));
  });

  test("a package imports what its manifest names, and names nothing that it leaves unused", () => {
    const problems = manifests.flatMap(({ folder, manifest }) => {
      if (folder === "") return [];
      const own = sources.filter(({ path }) => path.startsWith(`${folder}/`));
      const used = new Set(own.flatMap(tidy.importsOf).map(tidy.packageOf));
      const named = Object.keys(manifest.dependencies ?? {});
      const undeclared = [...used].filter((name) => name !== undefined && !named.includes(name));
      const mentioned = (name: string) => used.has(name) || own.some(({ text }) => text.includes(`"${name}"`));
      return [
        ...undeclared.map((name) => `${folder} imports ${name} without naming it`),
        ...named.filter((name) => !mentioned(name)).map((name) => `${folder} names ${name} without using it`),
      ];
    });
    expect(problems).toEqual([]);
  });

  test("every version is exact, and every manifest wants the Node that the launcher looks for", () => {
    const ranges = manifests.flatMap(({ manifest: { name, dependencies, devDependencies, optionalDependencies } }) =>
      Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
        .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
        .map(([dependency, version]) => `${name}: ${dependency} ${version}`),
    );
    expect(ranges).toEqual([]);
    const engines = manifests.map(({ manifest }) => manifest).filter(({ name }) => name !== "@assent/resource-server");
    expect(new Set(engines.map(({ engines }) => engines?.node))).toEqual(new Set([`>=${OLDEST_MAJOR}`]));
  });
});

describe("dependencies", () => {
  test("each stands on a decision page with its version", () => {
    const lines = everything
      .filter(({ path }) => path.startsWith("docs/decisions/"))
      .flatMap(({ text }) => text.split("\n"));
    const missing = manifests.flatMap(({ manifest: { dependencies, devDependencies, optionalDependencies } }) =>
      Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
        .filter(([name]) => !name.startsWith("@assent/"))
        .filter(([name, version]) => !lines.some((line) => line.includes(name) && line.includes(version)))
        .map(([name, version]) => `${name} ${version}`),
    );
    expect(missing).toEqual([]);
  });

  test("the lockfile holds the optional packages of every platform, without which npm ci refuses it", () => {
    const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
      packages: Record<string, Manifest>;
    };
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`])
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

describe("files", () => {
  test(`none has more than ${LONGEST_FILE} lines`, () => {
    const ordinary = scripts.filter(({ path }) => LONG_FILES[path] === undefined);
    expect(ordinary.flatMap((file) => tidy.tooLong(file, LONGEST_FILE))).toEqual([]);
  });

  test("each source file begins with its title, in oauth/ with its section of an RFC", () => {
    const protocol = below("oauth").filter(({ path }) => WITHOUT_SECTION[path] === undefined);
    expect([
      ...sources.filter(({ path }) => path.endsWith(".ts")).flatMap((file) => tidy.untitled(file)),
      ...protocol.flatMap((file) => tidy.untitled(file, /^\/\*\* .*\b(?:RFC \d{4}\b|OpenID Connect [A-Z][\w -]+ §)/)),
    ]).toEqual([]);
  });

  test("each exception is for a file that exists", () => {
    const paths = new Set(scripts.map(({ path }) => path));
    const excepted = Object.keys({ ...LONG_FILES, ...WITHOUT_SECTION, ...DICE, ...PLAIN_COMPARISONS });
    expect(excepted.filter((path) => !paths.has(path))).toEqual([]);
  });
});

describe("code", () => {
  test("no way around the type checker or the linter", () => {
    expect(scripts.filter((file) => !isRule(file)).flatMap(tidy.evasions)).toEqual([]);
  });

  test("KY-12 no guessable randomness in what is shipped", () => {
    expect(sources.filter(({ path }) => DICE[path] === undefined).flatMap(tidy.unfitRandomness)).toEqual([]);
  });

  test("PK-21, AD-21 secrets and their hashes are compared in constant time", () => {
    const shipped = sources.filter(({ path }) => PLAIN_COMPARISONS[path] === undefined);
    expect(shipped.flatMap(tidy.hastyComparisons)).toEqual([]);
  });

  test("oauth/ and owners/ are given time and randomness", () => {
    expect([...below("oauth"), ...below("owners")].flatMap(tidy.impurities)).toEqual([]);
  });

  test("SQL is written with the sql tag alone", () => {
    expect(sources.flatMap(tidy.looseSql)).toEqual([]);
  });

  test("no test is put aside without a reason", () => {
    expect(tests.filter((file) => !isRule(file)).flatMap(tidy.silentSkips)).toEqual([]);
  });

  test("tests with a browser say so in their names", () => {
    expect(tests.flatMap((file) => tidy.misnamedBrowserTests(root, file))).toEqual([]);
  });
});

describe("what is published", () => {
  test("no path of one machine, no host of a registry", () => {
    expect(everything.filter((file) => !isRule(file)).flatMap(tidy.machineTraces)).toEqual([]);
  });

  test("links in Markdown lead to files that exist", () => {
    const pages = everything.filter(({ path }) => path.endsWith(".md"));
    expect(pages.flatMap((page) => tidy.deadLinks(root, page))).toEqual([]);
  });

  test("the licence is the one that every manifest names", () => {
    expect(readFileSync(join(root, "LICENSE"), "utf8")).toMatch(/Apache License\s+Version 2\.0, January 2004/);
    const licences = everything
      .filter(({ path }) => path.endsWith("package.json"))
      .map(({ text }) => JSON.parse(text).license);
    expect(new Set(licences)).toEqual(new Set(["Apache-2.0"]));
  });
});
