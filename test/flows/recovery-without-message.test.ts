/** Accounts that get no message: what the page of a forgotten password says, and the profile before the address is verified. */

import { beforeAll, expect, test } from "vitest";
import { formWith } from "../support/authenticator-app.ts";
import { Agent, signIn } from "../support/http-browser.ts";
import { NEW_PASSWORD } from "../support/recovery-actors.ts";
import { recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

const SAID =
  "If there is an account with a password and a verified e-mail address, we’ve sent a link by e-mail. The link works once, for 15 minutes.";

async function ask(login: string) {
  const agent = new Agent(server.issuer);
  return (await agent.submit(formWith(await agent.get("/recover"), "login"), { login })).text;
}

test("no password, or an unverified address → no message, and the page says which accounts get one and who helps", async () => {
  const known = await server.addPerson();
  const none = await server.addPerson({ passwordHash: null, passwordChangedAt: null });
  const unverified = await server.addPerson({ emailVerifiedAt: null });
  for (const { email } of [none, unverified, known]) {
    const page = await ask(email);
    expect(page).toContain(SAID);
    expect(page).toMatch(/If none comes, ask the people who run [^<]+ for help\./);
  }
  await mailbox.next(known.email);
  for (const { email } of [none, unverified]) expect(mailbox.to(email)).toEqual([]);
});

test("the profile: an unverified address → what doesn't work until then; a verified one → nothing of it", async () => {
  const text = "Until it is verified, we can’t send you a link if you forget your password";
  for (const emailVerifiedAt of [null, server.now()]) {
    const agent = new Agent(server.issuer);
    await signIn(agent, (await server.addPerson({ emailVerifiedAt })).username);
    expect((await agent.get("/account/profile")).text.includes(text)).toBe(emailVerifiedAt === null);
  }
});

test("an unverified address → no message about a new password; a verified one → one", async () => {
  const people = await Promise.all(
    [null, server.now()].map((emailVerifiedAt) => server.addPerson({ emailVerifiedAt })),
  );
  for (const { username } of people) {
    const agent = new Agent(server.issuer);
    await signIn(agent, username);
    const form = formWith(await agent.get("/account/security/password"), "current_password");
    const fields = { current_password: PASSWORD, password: NEW_PASSWORD, again: NEW_PASSWORD };
    await agent.submit(form, fields);
  }
  const [unverified, verified] = people;
  await mailbox.next(verified?.email ?? "");
  expect(mailbox.to(unverified?.email ?? "")).toEqual([]);
});
