import { afterAll, beforeAll, expect, test } from "vitest";
import { formWith } from "../../../test/support/device-actor.ts";
import { Agent } from "../../../test/support/http-browser.ts";
import { type RunningDemo, removeDataDirs, startDemo } from "../../demo/test/support/demo.ts";
import { aWorkspace, type Running, type Workspace } from "./support/run-command.ts";

let workspace: Workspace;
let demo: RunningDemo;

beforeAll(async () => {
  workspace = aWorkspace();
  demo = await startDemo({ deviceInterval: 1000 });
});
afterAll(async () => {
  await demo?.stop();
  workspace?.remove();
  removeDataDirs();
});

/** Starts the command, and resolves when it shows its code. */
async function started(): Promise<{ running: Running; userCode: string }> {
  const running = workspace.start(["demo", "device"], { env: { ASSENT_DATA_DIR: demo.dataDir } });
  for (;;) {
    const userCode = /[B-Z]{4}-[B-Z]{4}/.exec(running.stdout())?.[0];
    if (userCode !== undefined) return { running, userCode };
    if (running.child.exitCode !== null) throw new Error(running.stderr());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Signs in as the demo's owner, and answers. */
async function answer(userCode: string, decision: string): Promise<void> {
  const agent = new Agent(demo.json.issuer);
  const field = formWith(await agent.get("/device"), "user_code");
  const atSignIn = await agent.submit(field, { user_code: userCode });
  const { username, password } = demo.json;
  const asked = await agent.follow(await agent.submit(formWith(atSignIn, "username"), { username, password }));
  await agent.submit(formWith(asked, "decision"), { decision });
}

test("no demo in this directory → an error that says how to start one, exit code 1", async () => {
  const { code, stderr } = await workspace.run(["demo", "device"]);
  expect([code, stderr]).toEqual([1, "error: there is no demo here: run assent demo, and keep it running\n"]);
});

test("the owner refuses → says so, exit code 1", async () => {
  const { running, userCode } = await started();
  await answer(userCode, "deny");
  const { code, stderr } = await running.ended();
  expect([code, stderr]).toEqual([1, "error: the person didn't allow the device\n"]);
});

test("the owner allows → prints a picture, a code and an address, then the API's answer", async () => {
  const { running, userCode } = await started();
  expect(running.stdout()).toContain(`${demo.json.issuer}/device`);
  expect(running.stdout()).toMatch(/[█▀▄]{8}/);
  await answer(userCode, "allow");
  const { code, stdout, stderr } = await running.ended();
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("Connected: this device may photos:read profile:read.");
  expect(stdout).toContain('/photos answers: {"photos":[');
});
