/** REL-31: `kill -9` right after a page said that a message was sent: the message comes after the restart, with one link. */

import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent } from "../support/http-browser.ts";
import { cyclesOf, figure } from "../support/reliability-cycles-and-figures.ts";
import { Nodes } from "../support/server-nodes.ts";
import { type Prepared, prepareData } from "../support/server-process.ts";
import { startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { onPostgres, postgresOf } from "../support/test-server.ts";

const CYCLES = cyclesOf(12, 4);

describe("kill -9 right after the page", () => {
  let data: Prepared<never>;
  let mailbox: TestMailbox;
  let nodes: Nodes;
  const people: Person[] = [];

  beforeAll(async () => {
    mailbox = await startMailbox();
    data = await prepareData({}, async (server) => {
      for (let at = 0; at < CYCLES; at += 1) people.push(await server.addPerson());
    });
    nodes = new Nodes(data.dataDir, {
      ASSENT_SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
      ASSENT_SIGN_UP: "true",
      ASSENT_TRUST_PROXY: "127.0.0.1",
    });
    await nodes.start(1);
  });
  afterAll(async () => {
    await nodes.end("SIGKILL");
    await mailbox.stop();
    rmSync(dirname(data.dataDir), { recursive: true });
  });

  test("recovery and sign-up were said to be sent → each message comes, with one link", {
    timeout: 120_000 + CYCLES * 6_000,
  }, async () => {
    const told: string[] = [];
    for (const [at, { email }] of people.entries()) {
      const recovers = at % 2 === 0;
      const to = recovers ? email : `new-${email}`;
      const agent = new Agent(nodes.url(), { "x-forwarded-for": `10.0.${at}.1` });
      const form = formWith(await agent.get(recovers ? "/recover" : "/sign-up"), recovers ? "login" : "email");
      const page = await agent.submit(form, recovers ? { login: to } : { email: to });
      const { again } = await nodes.killOne();
      if (page.text.includes("Check your inbox")) told.push(to);
      await again();
    }
    expect(told).toHaveLength(CYCLES);
    // A killed process holds its messages for two minutes. This ends the two minutes at once.
    await nodes.end("SIGKILL");
    await byHand(
      postgresOf(data.dataDir) ?? `sqlite:${join(data.dataDir, "assent.db")}`,
      ["UPDATE mail_requests SET due_at = 0"],
      ["UPDATE outbox SET due_at = 0 WHERE status = 'waiting'"],
    );
    await nodes.start(1);
    await expect.poll(() => told.filter((to) => mailbox.to(to).length === 0), { timeout: 60_000 }).toEqual([]);
    const links = new Set(told.flatMap((to) => mailbox.to(to).map(({ link }) => link)));
    expect(links.size).toBe(CYCLES);
    // After a kill between the SMTP server's answer and our record of it, the message is sent again with the same id.
    for (const to of told) expect(new Set(mailbox.to(to).map(({ messageId }) => messageId)).size).toBe(1);
    figure("REL-31", `mail asked for, kill -9 right after the page, ${onPostgres ? "PostgreSQL" : "SQLite"}`, {
      "pages that said sent": told.length,
      "messages that never came": 0,
      "messages that came twice": told.filter((to) => mailbox.to(to).length > 1).length,
    });
  });
});
