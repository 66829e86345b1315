import { defineConfig } from "vitest/config";

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
    "consent-ends",
    "companies",
    "change-password",
    "recovery",
    "second-step",
    "step-up",
    "company-pages",
    "company-mail",
    "history",
    "apps",
  ].map((flow) => `test/flows/${flow}.test.ts`),
  ...["hostile-text", "injection", "races"].map((attack) => `test/attacks/${attack}.test.ts`),
  "test/reliability/race.test.ts",
  "test/reliability/once.test.ts",
  "test/reliability/upgrade.test.ts",
  "test/reliability/kill.test.ts",
];

/** People's stories, again on PostgreSQL: in one look each, with a browser. */
const postgresBrowserTests = ["owner", "company", "device", "stories"].map(
  (story) => `test/browser/${story}.browser.test.ts`,
);

const common = { pool: "forks", testTimeout: 60_000, hookTimeout: 60_000 } as const;

/** Tests with a browser run after all others and one file at a time: Chromium alone keeps two cores busy. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: "node",
          include: tests,
          exclude: browserTests,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          globalSetup: ["test/support/postgres-setup.ts"],
        },
      },
      {
        test: {
          ...common,
          name: "postgres",
          include: postgresTests,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          globalSetup: ["test/support/postgres-setup.ts"],
          env: { ASSENT_TEST_DATABASE: "postgres" },
        },
      },
      {
        test: {
          ...common,
          name: "browser",
          include: browserTests,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          globalSetup: ["test/support/browser-setup.ts", "test/support/postgres-setup.ts"],
        },
      },
      {
        test: {
          ...common,
          name: "postgres-browser",
          include: postgresBrowserTests,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          globalSetup: ["test/support/browser-setup.ts", "test/support/postgres-setup.ts"],
          env: { ASSENT_TEST_DATABASE: "postgres" },
        },
      },
    ],
  },
});
