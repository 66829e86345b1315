/** What an intruder does with an account in silence, and whether its owner hears of it, sees it, and is rid of it afterwards. */

import { beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import type { Agent } from "../support/browser-like.ts";
import { aPasskeyOf, DAY, decide, recoveryLink, STRANGE_BROWSER } from "../support/recovery.ts";
import { HOUR, isProof, recoveryStage } from "../support/recovery-stage.ts";
import { formWith } from "../support/second-step.ts";
import { PASSWORD, type TestServer } from "../support/server.ts";
import type { TestMailbox } from "../support/smtp.ts";

const DELETE = "/account/profile/delete";
const OTHER_PASSWORD = "a handful of pebbles";

let server: TestServer;
let mailbox: TestMailbox;
const { anOwner, anIntruder, opened, started } = recoveryStage();
beforeAll(() => {
  ({ server, mailbox } = started());
});

async function signInWith(agent: Agent, { username }: Person, password: string): Promise<Agent> {
  await agent.submit(formWith(await agent.get("/login"), "username"), { username, password });
  return agent;
}

const deleteAt = async (person: Person) => (await server.assent.storage.people.get(person))?.deleteAt ?? null;

describe("the end of the account", () => {
  test("asked for again and again while the owner recovers → the account stays, and nothing asks any more", async () => {
    const { person } = await anOwner();
    const intruder = await anIntruder(person);
    const form = formWith(await intruder.get(DELETE), "current_password");
    const { reader, page } = await opened(person);
    let asked = 0;
    const script = async () => {
      for (;;) {
        const { location } = await intruder.submit(form, { current_password: PASSWORD });
        if (location?.pathname === "/login") return;
        asked += 1;
      }
    };
    // Several at once: one of them has its password looked at whenever the recovery commits.
    const all = Promise.all([script(), script(), script()]);
    await expect.poll(() => asked).toBeGreaterThan(0);
    const done = await decide(reader, page);
    expect(done.text).toContain("Your password was changed");
    await all;
    expect(await deleteAt(person)).toBeNull();
  });

  test("asked for → every page of the account says so, and a press keeps it", async () => {
    const { person, owner } = await anOwner();
    expect((await owner.get("/account/security")).text).not.toContain("will be deleted");
    const now = server.now();
    await server.assent.storage.people.setDeletion({
      ...{ partition: person.partition, personId: person.personId, at: now + 14 * DAY, mails: [], now },
      keepSessionId: (await server.assent.storage.sessions.list({ ...person, now }))[0]?.sessionId ?? "",
    });
    for (const path of ["apps", "companies", "history", "security", "profile"]) {
      const page = await owner.get(`/account/${path}`);
      expect(page.text, path).toContain("Your account will be deleted on");
      expect(page.forms.map(({ action }) => action)).toContain("/account/profile/keep");
    }
    const page = await owner.get("/account/apps");
    const keep = page.forms.find(({ action }) => action === "/account/profile/keep");
    if (keep === undefined) throw new Error("no way to keep it");
    await owner.submit(keep);
    expect(await deleteAt(person)).toBeNull();
    expect((await owner.get("/account/apps")).text).not.toContain("will be deleted");
  });
});

describe("a browser that the owner has ended", () => {
  for (const how of ["a new password, everybody signed out", "that session signed out"] as const) {
    test(`by ${how} → it does not go on ageing: what it adds a week later, no recovery demands`, async () => {
      const { person, owner } = await anOwner();
      const intruder = await anIntruder(person);
      server.tick(HOUR);
      await signInWith(owner, person, PASSWORD);
      let password = PASSWORD;
      if (how.startsWith("a new password")) {
        const change = formWith(await owner.get("/account/security/password"), "current_password");
        password = OTHER_PASSWORD;
        const done = await owner.submit(change, { current_password: PASSWORD, password, again: password });
        expect(done.status).toBe(303);
      } else {
        const sessions = await server.assent.storage.sessions.list({ ...person, now: server.now() });
        const theirs = sessions.find(({ userAgent }) => userAgent === STRANGE_BROWSER)?.sessionId ?? "";
        const form = (await owner.get("/account/security")).forms.find(
          ({ fields, buttons }) => fields.get("end") === theirs || buttons.some(([, value]) => value === theirs),
        );
        if (form === undefined) throw new Error("the session is not on the page");
        await owner.submit(form, { end: theirs });
      }
      expect((await intruder.get("/account/apps")).location?.pathname).toBe("/login");
      server.tick(8 * DAY);
      await signInWith(intruder, person, password);
      await aPasskeyOf(intruder, server, "Theirs");
      server.tick(HOUR);
      expect(isProof(await owner.get(await recoveryLink(person, server, mailbox)))).toBe(false);
      // The owner's own browser is as old as before: what it adds counts.
      await signInWith(owner, person, password);
      await aPasskeyOf(owner, server, "Mine");
      const keys = await server.assent.storage.passkeys.list(person);
      expect(keys.map(({ name, added }) => [name, added.vouchedFrom !== null])).toEqual([
        ["Theirs", false],
        ["Mine", true],
      ]);
    });
  }
});
