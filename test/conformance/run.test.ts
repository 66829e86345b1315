/** The program that runs the conformance suite: without a suite, and how it judges and records results. */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { aCertificate } from "../support/make-certificates.ts";
import { type PlanRun, resultsPage, unexplained } from "./results-page.ts";

const root = join(import.meta.dirname, "..", "..");

/** Exit code and stderr. */
function run(...args: readonly string[]): Promise<readonly [number, string]> {
  return new Promise((resolve) => {
    const program = join(import.meta.dirname, "run.ts");
    const child = execFile(process.execPath, [program, ...args], (_error, _stdout, stderr) =>
      resolve([child.exitCode ?? -1, stderr]),
    );
  });
}

describe("no suite", () => {
  test("nothing listens there → says what to do, exit code 2", async () => {
    const [code, stderr] = await run("--suite", `https://localhost:${await freePort()}`);
    expect(stderr).toMatch(/^No conformance suite answers at https:\/\/localhost:\d+ \(.*ECONNREFUSED/);
    expect(stderr).toContain("Start the suite on this machine first");
    expect(code).toBe(2);
  });

  test("another program answers → the same", async () => {
    const { cert, key } = aCertificate({ subject: "/CN=localhost", names: "DNS:localhost" });
    const other = createServer({ cert, key }, (_, response) => response.end("{}")).listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const [code, stderr] = await run("--suite", `https://localhost:${(other.address() as AddressInfo).port}`);
    other.close();
    expect(stderr).toContain("No conformance suite answers");
    expect(code).toBe(2);
  });

  test.each([
    ["an address without TLS", ["--suite", "http://localhost:8443"], "--suite wants an https URL"],
    ["a plan that doesn't exist", ["--plan", "hybrid"], "no plan has “hybrid” in its name"],
  ])("%s → refused, exit code 2", async (_, args, message) => {
    const [code, stderr] = await run(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe("results", () => {
  const plan = { name: "oidcc-basic-certification-test-plan", variant: { response_type: "code" } };
  const module = (
    testModule: string,
    result: PlanRun["modules"][number]["result"],
    ...warnings: readonly string[]
  ) => ({
    testModule,
    result,
    log: warnings.map((src) => ({ src, result: "WARNING" })),
  });
  const discovery = "oidcc-discovery-endpoint-verification";

  test.each([
    ["a failure", module(discovery, "FAILED")],
    [
      "a warning of a condition that nothing explains",
      module(discovery, "WARNING", "CheckForUnexpectedParametersInServerMetadata", "Other"),
    ],
    ["a review of a module that nothing explains", module("oidcc-server", "REVIEW")],
    ["a review with a warning", module("oidcc-prompt-login", "REVIEW", "Other")],
  ])("%s → unexplained, and the page says so", (_, one) => {
    const runs = [{ plan, modules: [one, module("oidcc-userinfo-get", "PASSED")] }];
    expect(runs.flatMap(unexplained)).toEqual([one.testModule]);
    expect(resultsPage(runs, { assent: "1", suite: "2", date: "2026-01-02" })).toContain("**No explanation yet.**");
  });

  test("a warning with its reason, a module that passed → counted, and the reason is on the page", () => {
    const modules = [
      module(discovery, "WARNING", "CheckForUnexpectedParametersInServerMetadata"),
      module("oidcc-userinfo-get", "PASSED"),
    ];
    expect(unexplained({ plan, modules })).toEqual([]);
    const page = resultsPage([{ plan, modules }], { assent: "0.1.0 (abc)", suite: "5.2.4", date: "2026-01-02" });
    expect(page).toContain("| `oidcc-basic-certification-test-plan` | `response_type=code` | 2 | 1 | 1 | 0 | 0 | 0 |");
    expect(page).toContain("| `oidcc-discovery-endpoint-verification` | basic | warning | The suite does not know");
    expect(page).toContain("5.2.4, with Assent 0.1.0 (abc), on 2026-01-02");
  });

  test("a module that is not run → its reason is on the page", () => {
    const without = { "oidcc-userinfo-rs256": "UserInfo responses are not signed." };
    const versions = { assent: "1", suite: "2", date: "2026-01-02" };
    const page = resultsPage([{ plan: { ...plan, without }, modules: [] }], versions);
    expect(page).toContain("| `oidcc-userinfo-rs256` | basic | UserInfo responses are not signed. |");
    expect(resultsPage([{ plan, modules: [] }], versions)).toContain("## Modules that were not run\n\nNone.");
  });

  test("the recorded page → nine plans, no failure, everything explained", () => {
    const page = readFileSync(join(root, "docs", "reference", "conformance.md"), "utf8");
    expect(page.match(/^\| `oidcc-\S+-test-plan` .* \| 0 \|$/gm)).toHaveLength(9);
    expect(page).not.toContain("No explanation yet");
  });
});
