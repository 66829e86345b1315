import { defineConfig } from "vitest/config";

const tests = ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"];
const browserTests = ["packages/*/test/**/*.browser.test.ts", "test/**/*.browser.test.ts"];

const common = { pool: "forks", testTimeout: 20_000, hookTimeout: 60_000 } as const;

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
          name: "browser",
          include: browserTests,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          globalSetup: ["test/support/browser-setup.ts", "test/support/postgres-setup.ts"],
        },
      },
    ],
  },
});
