import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { memoryFolder } from "./test/support/memory-folder.ts";
import { Sequencer } from "./test/support/test-file-order.ts";

/** Programs that tests start compile a third of a second less: what one has compiled, the next one finds. */
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules", ".cache", "assent-compiled");

const tests = ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"];
const browserTests = ["packages/*/test/**/*.browser.test.ts", "test/**/*.browser.test.ts"];

/** More than `npm test` has time for. */
const inReliability = process.env["ASSENT_TEST_RELIABILITY"] !== undefined;

/** Reliability tests are about disks, too, so they use one. */
const memory = inReliability || process.env["TMPDIR"] !== undefined ? undefined : memoryFolder();
if (memory !== undefined) process.env["TMPDIR"] = memory;

/** The coordinator of a cluster is known. Otherwise the project `citus` says why it skips its tests. */
const onCitusCluster = (process.env["ASSENT_TEST_CITUS"] ?? "") !== "";

/** What also runs on PostgreSQL as a whole server; the storage's own tests run on both databases by themselves. */
const postgresTests = [
  ...[
    "flows/authorization-code",
    "flows/refresh",
    "flows/device",
    "flows/openid/offline-access",
    "flows/jwt-bearer",
    "flows/cross-app-access",
    "flows/saml2-bearer",
    "flows/revocation",
    "flows/consent-ceiling",
    "flows/consent-ends",
    "flows/consent-later",
    "flows/consent-declined",
    "flows/companies",
    "flows/company-answers",
    "flows/company-live-grants",
    "flows/company-choice",
    "flows/company-kept-end",
    "flows/company-unanswered",
    "flows/own-sign-in-page",
    "flows/recovery",
    "flows/forgotten-password",
    "flows/second-step",
    "flows/history",
    "flows/apps",
    "attacks/admin-api",
    "attacks/admin-api-flood",
    "attacks/injection",
    "attacks/races",
    "reliability/races-between-processes",
    "reliability/single-use-of-assertions",
    "reliability/upgrade",
    "reliability/kill",
    "reliability/mail-requests",
  ],
  // Of these PostgreSQL does nothing that the storage's tests, or those above, don't ask of it.
  ...(inReliability
    ? [
        "reliability/sign-in-model",
        "attacks/hostile-text",
        "flows/refusal-log",
        "flows/identities",
        "flows/recovery-silence",
        "flows/recovery-edges",
        "flows/recovery-younger-address",
        "flows/recovery-addresses",
        "flows/recovery-links",
        "flows/continue-after-mail",
        "flows/change-password",
        "flows/company-app-page",
        "flows/company-consent",
        "flows/company-rule-ends",
        "flows/consent-hosts",
        "flows/what-still-works",
        "flows/fresh-sign-in",
        "flows/recovery-intruder",
        "flows/recovery-removal",
        "flows/mail-requests",
        "flows/step-up",
        "flows/auth-time",
        "flows/company-pages",
        "flows/company-mail",
        "flows/elsewhere/people-of-company-provider",
        "flows/elsewhere/ways-together",
        "attacks/own-sign-in-page",
        "attacks/company-provider",
        "attacks/only-way-in",
        "attacks/recovery-flood",
        "attacks/unknown-tokens",
        "attacks/known-devices",
        "attacks/look-alikes",
      ]
    : []),
].map((file) => `test/${file}.test.ts`);

/** What only a cluster has: workers and shards. */
const clusterTest = "test/reliability/citus.test.ts";

/** What a run on a Citus cluster tests: the storage's contract, the main flows and the races. */
const citusTests = [
  "packages/server/test/storage/contract/*.test.ts",
  ...[
    "flows/authorization-code",
    "flows/refresh",
    "flows/device",
    "flows/jwt-bearer",
    "flows/saml2-bearer",
    "flows/revocation",
    "flows/consent-ceiling",
    "flows/consent-ends",
    "flows/consent-later",
    "flows/companies",
    "flows/company-app-page",
    "flows/change-password",
    "flows/recovery",
    "flows/second-step",
    "flows/history",
    "flows/identities",
    "flows/apps",
    "attacks/races",
    "reliability/races-between-processes",
    "reliability/single-use-of-assertions",
  ].map((file) => `test/${file}.test.ts`),
];

/** Apps in other languages fetch and build packages, which takes longer than `npm test` has time for. */
const librariesTests = ["test/libraries/**/*.test.ts"];
const withLibraries = process.env["ASSENT_TEST_LIBRARIES"] !== undefined;

/** People's stories, again on PostgreSQL: in one look each, with a browser. */
const postgresBrowserTests = (inReliability ? ["owner", "company", "device", "stories"] : ["owner"]).map(
  (story) => `test/browser/${story}.browser.test.ts`,
);

/** Files that change modules of Node.js itself: each runs in a process that nothing else has run in. */
const alone = ["test/attacks/randomness.test.ts"];

/** Much of the time tests wait: for a process to start, a timer, a disk. So there are more of them at a time than processors. */
const common = {
  pool: "forks",
  maxWorkers: 4,
  // A worker keeps what it has loaded and compiled: most files need the whole server. What a file changes for all that comes after, it puts back.
  isolate: false,
  setupFiles: ["test/support/setup-each-file.ts"],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // What is waited for comes in a moment, but for a machine that is busy with the other tests: vitest's own second is short.
  expect: { poll: { timeout: 10_000 } },
  globalSetup: ["test/support/published-setup.ts", "test/support/postgres-setup.ts"],
  // Node.js runs the sources, tests included, as it runs the server: what it has compiled is kept, and nothing is
  // transformed. Half the processor time of a single file, and each worker loads the server at a third of the cost.
  experimental: { viteModuleRunner: false, nodeLoader: false },
} as const;

const withBrowser = {
  globalSetup: ["test/support/chromium-setup.ts", ...common.globalSetup],
  // One browser keeps two processors busy: a group of its own, after the others, with fewer at a time.
  maxWorkers: 3,
  sequence: { groupOrder: 1 },
};

export default defineConfig({
  test: {
    maxWorkers: common.maxWorkers,
    sequence: { sequencer: Sequencer },
    projects: [
      {
        test: {
          ...common,
          name: "node",
          include: tests,
          exclude: [...browserTests, ...alone, ...librariesTests, clusterTest],
        },
      },
      { test: { ...common, name: "alone", include: alone, isolate: true } },
      ...(withLibraries ? [{ test: { ...common, name: "libraries", include: librariesTests } }] : []),
      { test: { ...common, name: "postgres", include: postgresTests, env: { ASSENT_TEST_DATABASE: "postgres" } } },
      {
        test: {
          ...common,
          name: "citus",
          // Housekeeping asks every worker about every table, and one test runs it for each minute of a day.
          testTimeout: 600_000,
          include: [clusterTest, ...(onCitusCluster ? citusTests : [])],
          env: { ASSENT_TEST_DATABASE: "citus" },
        },
      },
      { test: { ...common, ...withBrowser, name: "browser", include: browserTests } },
      {
        test: {
          ...common,
          ...withBrowser,
          name: "postgres-browser",
          include: postgresBrowserTests,
          env: { ASSENT_TEST_DATABASE: "postgres" },
        },
      },
    ],
  },
});
