import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { smtpTo, startMailbox, type TestMailbox } from "../../../../test/support/smtp-server.ts";
import { Secrets } from "../../src/crypto/server-secret.ts";
import { Outbox, type OutboxParts } from "../../src/mail/outbox.ts";
import { type SmtpServer, smtpTransport } from "../../src/mail/smtp.ts";
import type { MailDraft } from "../../src/owners/mail/mail-content.ts";
import { OURS } from "../../src/pages/branding.ts";
import { openStorage, type Storage } from "../../src/storage/open.ts";
import { NOW } from "../storage/support/record-builders.ts";

let directory: string;
let storage: Storage;
let mailbox: TestMailbox;
let now = NOW;
const said: Record<string, unknown>[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "assent-mail-"));
  storage = await openStorage({ url: `sqlite:${join(directory, "assent.db")}`, writer: "main" });
  await storage.migrate({ now });
  mailbox = await startMailbox();
});
afterAll(async () => {
  await storage.close();
  await mailbox.stop();
  await rm(directory, { recursive: true });
});

const anOutbox = (server: Partial<SmtpServer> = {}, changes: Partial<OutboxParts> = {}) =>
  new Outbox({
    storage,
    secrets: new Secrets([Buffer.alloc(32, 7)]),
    issuer: "https://login.example.com",
    from: "no-reply@login.example.com",
    transport: smtpTransport({ ...smtpTo(mailbox), ...server }),
    brand: OURS,
    now: () => now,
    event: (event, fields) => void said.push({ event, ...fields }),
    alarm: (event, fields, text) => void said.push({ event, ...fields, text }),
    ...changes,
  });

let serial = 0;
const aDraft = (changes: Partial<MailDraft> = {}): MailDraft => {
  serial += 1;
  return {
    kind: "recover",
    to: `reader-${serial}@example.com`,
    language: "en",
    link: `https://login.example.com/recover/new?link=ml_secret${serial}`,
    values: { person: "ada" },
    ...changes,
  };
};

async function posted(outbox: Outbox, draft: MailDraft, cause = ["once"], uselessAfter = now + 900_000) {
  await storage.mail.post({ mails: outbox.write(draft, { partition: 5, cause, uselessAfter }), now });
}

/** Runs an outbox until the condition holds or some time has passed. */
async function running(outbox: Outbox, until: () => boolean): Promise<void> {
  outbox.start();
  outbox.kick();
  await expect.poll(until, { timeout: 8000, interval: 20 }).toBe(true);
  await outbox.stop();
}

const saidOf = (event: string) => said.filter((one) => one["event"] === event);

describe("a message", () => {
  test("text and HTML say the same, in the reader's language, with our headers", async () => {
    const draft = aDraft({ language: "de", values: { person: "ada <b>" } });
    const outbox = anOutbox();
    await posted(outbox, draft);
    await running(outbox, () => mailbox.to(draft.to).length === 1);
    const message = await mailbox.next(draft.to);
    expect(message.subject).toBe("Wählen Sie ein neues Passwort");
    expect(message.from).toMatchObject({ name: "Assent", address: "no-reply@login.example.com" });
    expect(message.link).toBe(draft.link);
    expect(message.text).toContain("ada <b>");
    expect(message.html).toContain("ada &lt;b>");
    expect(message.html).toContain('lang="de"');
    expect(message.html).toContain(`href="${draft.link}"`);
    expect(message.html).not.toMatch(/<script|<img|src=/);
    const headers = new Map(message.headers.map(({ key, value }) => [key, value]));
    expect(headers.get("auto-submitted")).toBe("auto-generated");
    expect(headers.get("content-language")).toBe("de");
    expect(headers.get("message-id")).toMatch(/^<[\w-]{22}@login\.example\.com>$/);
  });

  test("the operator's name for the service → its sender and its last line", async () => {
    const draft = aDraft();
    const outbox = anOutbox({}, { brand: { ...OURS, name: "Acme Konto" } });
    await posted(outbox, draft);
    await running(outbox, () => mailbox.to(draft.to).length === 1);
    const message = await mailbox.next(draft.to);
    expect(message.from?.name).toBe("Acme Konto");
    expect(message.text).toContain("Acme Konto at login.example.com sent this message");
  });

  test.each(["Acme\r\nBcc: thief@evil.test", "Acme\nSubject: Hello", "Acme\u2028Bcc: thief@evil.test", "\u202eemcA"])(
    "a name like %j → stays in its line, no header and no recipient more",
    async (company) => {
      const draft = aDraft({ kind: "companyRequest", values: { company, by: "ada", app: "X", reason: company } });
      const outbox = anOutbox();
      await posted(outbox, draft);
      await running(outbox, () => mailbox.to(draft.to).length === 1);
      const message = await mailbox.next(draft.to);
      expect(message.recipients).toEqual([draft.to]);
      expect(message.headers.map(({ key }) => key)).not.toContain("bcc");
      expect(message.subject).toContain("asks for an app at");
      expect(message.subject).not.toMatch(/[\r\n\u2028\u202e]/);
    },
  );

  test("is sealed in the database, and forgotten once it is sent", async () => {
    // A long name, because random bytes contain any three letters now and then.
    const draft = aDraft({ values: { person: "ada lovelace" } });
    const outbox = anOutbox();
    const [stored] = outbox.write(draft, { partition: 5, cause: ["a"], uselessAfter: now + 1 });
    expect(Buffer.from(stored?.sealed ?? []).toString("latin1")).not.toMatch(/reader|ml_secret|lovelace/);
    expect(JSON.stringify(said)).not.toMatch(/reader|ml_secret/);
  });

  test("written twice for one cause, by two processes at once → sent once", async () => {
    const draft = aDraft();
    const [one, other] = [anOutbox(), anOutbox()];
    await posted(one, draft);
    await posted(other, draft);
    one.start();
    await running(other, () => mailbox.to(draft.to).length === 1);
    await one.stop();
    await posted(one, draft);
    const third = aDraft();
    await posted(one, third);
    await running(anOutbox(), () => mailbox.to(third.to).length === 1);
    expect(mailbox.to(draft.to)).toHaveLength(1);
  });
});

describe("a server that", () => {
  test("says not now → tried again, later and later; then it arrives", async () => {
    const draft = aDraft({ kind: "signIn" });
    mailbox.refusals.push(451);
    await posted(anOutbox(), draft, ["x"], now + 86_400_000);
    said.length = 0;
    await running(anOutbox(), () => saidOf("mail_delayed").length === 1);
    expect(saidOf("mail_delayed")).toMatchObject([{ tries: 1, fault: "EMESSAGE 451" }]);
    now += 29_000;
    expect(await storage.mail.claim({ now, limit: 9, until: now })).toEqual([]);
    now += 1_000;
    await running(anOutbox(), () => mailbox.to(draft.to).length === 1);
  });

  test("says never → given up at once, and said so", async () => {
    mailbox.refusals.push(550);
    await posted(anOutbox(), aDraft());
    said.length = 0;
    await running(anOutbox(), () => saidOf("mail_dead").length === 1);
    expect(saidOf("mail_dead")).toMatchObject([{ tries: 1, fault: "EMESSAGE 550" }]);
    expect(mailbox.refusals).toEqual([]);
  });

  test("isn't there → eight tries, then given up", async () => {
    await posted(anOutbox(), aDraft({ kind: "signIn" }), ["y"], now + 10 * 86_400_000);
    said.length = 0;
    for (let tries = 1; tries <= 8; tries += 1) {
      const outbox = anOutbox({ port: 1 });
      await running(
        outbox,
        () => saidOf(tries === 8 ? "mail_dead" : "mail_delayed").length === (tries === 8 ? 1 : tries),
      );
      now += 12 * 3_600_000;
    }
    expect(saidOf("mail_dead")).toMatchObject([{ tries: 8, fault: "ESOCKET" }]);
  });

  test("comes back after the link has run out → the message is given up, nobody gets a dead link", async () => {
    const draft = aDraft();
    await posted(anOutbox(), draft);
    now += 900_000;
    said.length = 0;
    await running(anOutbox(), () => saidOf("mail_dead").length === 1);
    expect(mailbox.to(draft.to)).toEqual([]);
  });

  test("offers no TLS, and isn't on this machine → it gets nothing, above all no password", async () => {
    const logins: unknown[] = [];
    const plain = await startMailbox({
      onAuth: (auth, _session, done) => {
        logins.push(auth);
        done(null, { user: "x" });
      },
    });
    const draft = aDraft();
    await posted(anOutbox(), draft);
    said.length = 0;
    const remote = { port: plain.port, loopback: false, user: "assent", password: "a secret of the relay" };
    await running(anOutbox(remote), () => saidOf("mail_delayed").length === 1);
    expect(saidOf("mail_delayed")).toMatchObject([{ fault: "ETLS 500" }]);
    expect([plain.messages, logins]).toEqual([[], []]);
    expect(JSON.stringify(said)).not.toMatch(/secret|reader/);
    await plain.stop();
  });

  test("offers TLS with a certificate of its own making, and isn't on this machine → it gets nothing", async () => {
    const selfSigned = await startMailbox({ disabledCommands: [] });
    await posted(anOutbox(), aDraft());
    said.length = 0;
    await running(anOutbox({ port: selfSigned.port, loopback: false }), () => saidOf("mail_delayed").length === 1);
    expect(selfSigned.messages).toEqual([]);
    await selfSigned.stop();
  });
});

test("sealed with a secret that is gone → given up, and said so", async () => {
  await posted(anOutbox({}, { secrets: new Secrets([Buffer.alloc(32, 9)]) }), aDraft());
  said.length = 0;
  await running(anOutbox(), () => saidOf("mail_dead").length === 1);
  expect(saidOf("mail_dead")).toMatchObject([{ fault: "sealed with a secret that is gone" }]);
});

test("no server → nothing is written", () => {
  const outbox = anOutbox({}, { transport: null });
  expect(outbox.enabled).toBe(false);
  expect(outbox.write(aDraft(), { partition: 1, cause: [] })).toEqual([]);
});
