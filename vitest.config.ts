import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { Sequencer } from "./test/support/sequencer.ts";

/** Programs that tests start compile a third of a second less: what one has compiled, the next one finds. */
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules", ".cache", "assent-compiled");

const tests = ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"];
const browserTests = ["packages/*/test/**/*.browser.test.ts", "test/**/*.browser.test.ts"];

/** What also runs on PostgreSQL as a whole server; the storage's own tests run on both databases by themselves. */
const postgresTests = [
  ...[
    "authorization-code",
    "refresh",
    "device",
    "jwt-bearer",
    "saml2-bearer",
    "revocation",
    "consent-ceiling",
    "consent-ends",
    "consent-hosts",
    "companies",
    "change-password",
    "recovery",
    "fresh-sign-in",
    "recovery-intruder",
    "recovery-removal",
    "recovery-links",
    "recovery-addresses",
    "mail-requests",
    "second-step",
    "step-up",
    "auth-time",
    "company-pages",
    "company-mail",
    "history",
    "apps",
  ].map((flow) => `test/flows/${flow}.test.ts`),
  ...["hostile-text", "injection", "races", "recovery-flood", "token-misses", "known-devices"].map(
    (attack) => `test/attacks/${attack}.test.ts`,
  ),
  "test/attacks/look-alikes.test.ts",
  "test/reliability/race.test.ts",
  "test/reliability/sign-in-model.test.ts",
  "test/reliability/once.test.ts",
  "test/reliability/upgrade.test.ts",
  "test/reliability/kill.test.ts",
  "test/reliability/mail-requests.test.ts",
];

/** People's stories, again on PostgreSQL: in one look each, with a browser. */
const postgresBrowserTests = ["owner", "company", "device", "stories"].map(
  (story) => `test/browser/${story}.browser.test.ts`,
);

/** Much of the time tests wait: for a process to start, a timer, a disk. So there are more of them at a time than processors. */
const common = {
  pool: "forks",
  maxWorkers: 3,
  // A worker keeps what it has loaded and compiled: most files need the whole server. What a file changes for all that comes after, it puts back.
  isolate: false,
  setupFiles: ["test/support/setup.ts"],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // What is waited for comes in a moment, but for a machine that is busy with the other tests: vitest's own second is short.
  expect: { poll: { timeout: 10_000 } },
  globalSetup: ["test/support/postgres-setup.ts"],
} as const;

const withBrowser = { globalSetup: ["test/support/browser-setup.ts", ...common.globalSetup] };

export default defineConfig({
  test: {
    maxWorkers: common.maxWorkers,
    sequence: { sequencer: Sequencer },
    projects: [
      { test: { ...common, name: "node", include: tests, exclude: browserTests } },
      { test: { ...common, name: "postgres", include: postgresTests, env: { ASSENT_TEST_DATABASE: "postgres" } } },
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
