import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DerivedCredentials } from "../../src/crypto/derived-credentials.ts";
import { Secrets } from "../../src/crypto/server-secret.ts";
import { mailLinks } from "../../src/mail/mail-links.ts";
import { type MailRequestParts, MailRequests } from "../../src/mail/mail-requests.ts";
import { type AskedMail, answerMailRequest, type MailRequest } from "../../src/owners/mail/answer-mail-request.ts";
import type { MailDraft, Postbox } from "../../src/owners/mail/mail-content.ts";
import { openStorage, type Storage } from "../../src/storage/open.ts";
import { partitionOf } from "../../src/storage/partition.ts";
import { anId, aStoredPerson, DAY, NOW } from "../storage/support/record-builders.ts";

let directory: string;
let storage: Storage;
let now = NOW;
const secrets = new Secrets([Buffer.alloc(32, 7)]);
const drafts: MailDraft[] = [];
const said: Record<string, unknown>[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "assent-requests-"));
  storage = await openStorage({ url: `sqlite:${join(directory, "assent.db")}`, writer: "main" });
  await storage.migrate({ now });
});
afterAll(async () => {
  await storage.close();
  await rm(directory, { recursive: true });
});
beforeEach(() => {
  drafts.length = 0;
  said.length = 0;
  // Moves the clock, so that a test doesn't reach the limits of another.
  now += DAY;
});

/** An outbox that stores messages with their contents. */
const mail: Postbox = {
  enabled: true,
  write: (draft, { partition, cause }) => {
    drafts.push(draft);
    const mailId = [draft.kind, draft.to, ...cause].join();
    return [{ partition, mailId, kind: draft.kind, sealed: Buffer.from(draft.link), uselessAfter: now + DAY }];
  },
  kick: () => undefined,
};
const context = () => ({
  ...{ storage, mail, issuer: "https://login.example.com", partitionOf },
  links: mailLinks({
    credentials: new DerivedCredentials(secrets),
    issuer: "https://login.example.com",
    now: () => now,
  }),
  attemptKey: (...parts: readonly string[]) => parts.join(),
  now: () => now,
  event: (name: string) => void said.push({ event: name }),
});

const asked = (request: MailRequest): AskedMail => ({ request, requestId: anId(), askedAt: now });
/** The waiting messages. */
async function sent(): Promise<readonly string[]> {
  const mails = await storage.mail.claim({ now, limit: 100, until: now + 1000 * DAY });
  return mails.map(({ sealed }) => Buffer.from(sealed).toString());
}

describe("a request that is answered twice, because a process died in between", () => {
  const requests = {
    recover: async () =>
      ({ kind: "recover", login: (await aStoredPerson(storage)).email, language: "en", device: null }) as const,
    signUp: async () => ({ kind: "signUp", email: `new-${anId()}@example.com`.toLowerCase(), language: "en" }) as const,
    "sign-up with a known address": async () =>
      ({ kind: "signUp", email: (await aStoredPerson(storage)).email, language: "en" }) as const,
    change: async () => {
      const { personId, passwordChangedAt } = await aStoredPerson(storage);
      const email = `other-${anId()}@example.com`.toLowerCase();
      return { kind: "change", email, language: "en", personId, passwordChangedAt } as const;
    },
  };

  test.each(Object.entries(requests))("%s → one message", async (_, make) => {
    const one = asked(await make());
    await answerMailRequest(one, context());
    await answerMailRequest(one, context());
    expect(await sent()).toHaveLength(1);
    expect(drafts).toHaveLength(2);
  });

  test("the account was made by the first message → no second message", async () => {
    const one = asked(await requests.signUp());
    await answerMailRequest(one, context());
    expect(await sent()).toHaveLength(1);
    const email = one.request.kind === "signUp" ? one.request.email : "";
    await aStoredPerson(storage, { email, createdAt: now });
    await answerMailRequest(one, context());
    expect(await sent()).toEqual([]);
  });
});

describe("nobody gets a message", () => {
  test.each([
    ["for a login that nobody has", { login: "nobody-at-all" }],
    ["for a login that is none", { login: "\u0000" }],
  ])("%s", async (_, { login }) => {
    await answerMailRequest(asked({ kind: "recover", login, language: "en", device: null }), context());
    expect(await sent()).toEqual([]);
  });

  test("at a new address, asked for with a password that was changed since", async () => {
    const { personId, passwordChangedAt } = await aStoredPerson(storage);
    const request = { kind: "change", email: "later@example.com", language: "en", personId } as const;
    await answerMailRequest(asked({ ...request, passwordChangedAt: (passwordChangedAt ?? 0) - 1 }), context());
    expect(await sent()).toEqual([]);
  });

  test("at a new address of a person who is gone", async () => {
    const request = { kind: "change", email: "gone@example.com", language: "en", personId: anId() } as const;
    await answerMailRequest(asked({ ...request, passwordChangedAt: null }), context());
    expect(await sent()).toEqual([]);
  });
});

describe("the queue", () => {
  const aQueue = (changes: Partial<MailRequestParts> = {}) => {
    const answered: AskedMail[] = [];
    const queue = new MailRequests({
      ...{ storage, secrets, enabled: true, partitionOf, now: () => now },
      answer: async (one) => void answered.push(one),
      failed: (error, fields) => void said.push({ event: "failed", error, ...fields }),
      alarm: (event, fields) => void said.push({ event, ...fields }),
      ...changes,
    });
    return { queue, answered };
  };
  const request: MailRequest = { kind: "recover", login: "ada lovelace", language: "en", device: null };
  const waiting = () => storage.mailRequests.claim({ now, limit: 100, pause: 0 });

  test("what was typed stands sealed in the database, and comes out as it was", async () => {
    const { queue, answered } = aQueue();
    expect(await queue.ask(request, "anybody")).toBe(true);
    const [stored] = await waiting();
    expect(stored?.sealed.length).toBeGreaterThan(40);
    expect(Buffer.from(stored?.sealed ?? []).toString("latin1")).not.toMatch(/lovelace|recover/);
    queue.start();
    await expect.poll(() => answered.length).toBe(1);
    await queue.stop();
    expect(answered[0]).toEqual({ request, requestId: stored?.requestId, askedAt: now });
    expect(await waiting()).toEqual([]);
  });

  test("an answer fails → the request stays, and is answered after the pause", async () => {
    let failures = 0;
    const broken = aQueue({
      answer: async () => {
        failures += 1;
        throw new Error("the database is away");
      },
    });
    await broken.queue.ask(request, "anybody");
    broken.queue.start();
    await expect.poll(() => failures).toBe(1);
    await broken.queue.stop();
    expect(said).toMatchObject([{ event: "failed", tries: 1 }]);
    now += 15_000;
    const { queue, answered } = aQueue();
    queue.start();
    await expect.poll(() => answered.length).toBe(1);
    await queue.stop();
  });

  test("stopped with requests waiting → the next process answers them, two processes at once each of them once", async () => {
    const { queue } = aQueue();
    for (let count = 0; count < 20; count += 1) await queue.ask(request, "anybody");
    const [one, other] = [aQueue(), aQueue()];
    one.queue.start();
    other.queue.start();
    await expect.poll(() => one.answered.length + other.answered.length).toBe(20);
    await Promise.all([one.queue.stop(), other.queue.stop()]);
    const ids = [...one.answered, ...other.answered].map(({ requestId }) => requestId);
    expect(new Set(ids).size).toBe(20);
    expect(await waiting()).toEqual([]);
  });

  test.each([
    ["sealed with a secret that is gone", { secrets: new Secrets([Buffer.alloc(32, 9)]) }, 0],
    ["too late to be of use", {}, DAY],
  ])("%s → given up, and said so", async (fault, changes, later) => {
    await aQueue(changes).queue.ask(request, "anybody");
    now += later;
    const { queue, answered } = aQueue();
    queue.start();
    await expect.poll(() => said.length).toBe(1);
    await queue.stop();
    expect(said).toMatchObject([{ event: "mail_request_dead", fault }]);
    expect(answered).toEqual([]);
    expect(await waiting()).toEqual([]);
  });
});
