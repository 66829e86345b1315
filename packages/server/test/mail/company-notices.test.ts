import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DecisionAnswer, Notice } from "../../src/owners/mail/company-notice-kinds.ts";
import { type NoticeContext, noticeLetters } from "../../src/owners/mail/company-notice-mail.ts";
import type { MailDraft, Postbox } from "../../src/owners/mail/mail-content.ts";
import { openStorage, type Storage } from "../../src/storage/open.ts";
import { partitionOf } from "../../src/storage/partition.ts";
import { aStaffedCompany, join as joins } from "../storage/support/company-builders.ts";
import { aScope, aStoredPerson, DAY, NOW } from "../storage/support/record-builders.ts";

let directory: string;
let storage: Storage;
const written: MailDraft[] = [];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "assent-notices-"));
  storage = await openStorage({ url: `sqlite:${join(directory, "assent.db")}`, writer: "main" });
  await storage.migrate({ now: NOW });
});
afterAll(async () => {
  await storage.close();
  await rm(directory, { recursive: true });
});

const mail: Postbox = {
  enabled: true,
  write: (draft, { partition, cause }) => {
    written.push(draft);
    const mailId = [draft.to, ...cause].join();
    return [{ partition, mailId, kind: draft.kind, sealed: new Uint8Array(1), uselessAfter: NOW + DAY }];
  },
  kick: () => undefined,
};
const read = aScope({ name: "read", descriptions: { ja: "写真を見る" } });
const context = (): NoticeContext => ({
  catalog: { scopes: async () => new Map([["read", read]]) },
  ...{ storage, mail, issuer: "https://login.example.com", partitionOf, now: () => NOW },
  attemptKey: (...parts) => parts.join(),
});

async function lettersFor(notice: Notice): Promise<MailDraft[]> {
  written.length = 0;
  await noticeLetters(notice, context());
  return [...written];
}

test("a member's request → to the admins alone, each in their language, but not to an address that nobody vouched for", async () => {
  const { company, admin, member } = await aStaffedCompany(storage);
  const doubtful = await aStoredPerson(storage, { emailVerifiedAt: null });
  const french = await aStoredPerson(storage, { language: "fr" });
  for (const one of [doubtful, french]) await joins(storage, company, one, "admin");
  const letters = await lettersFor({
    ...{ kind: "company_request", company, client: { clientId: "c", name: "Photo Printer", host: null }, by: member },
    reason: "for the catalogue",
  });
  expect(letters.map(({ to, language }) => [to, language]).sort()).toEqual(
    [
      [admin.email, "en"],
      [french.email, "fr"],
    ].sort(),
  );
  expect(letters[0]).toMatchObject({
    link: `https://login.example.com/company/${company.slug}`,
    values: { app: "Photo Printer", by: member.username, reason: "for the catalogue" },
  });
});

test("a decision → to the member who asked, in their language, with what is allowed and what not; a person without a proved address hears nothing", async () => {
  const { company, admin } = await aStaffedCompany(storage);
  const nothing: DecisionAnswer = { allowed: [], until: null, refused: [], waiting: [], blocked: false };
  const decide = (askedBy: string, approved: boolean, answer: Partial<DecisionAnswer>) =>
    lettersFor({
      ...{ kind: "company_decision", company, client: { clientId: "c", name: "Photo Printer", host: null }, by: admin },
      ...{ askedBy, approved, answer: { ...nothing, ...answer } },
    });
  const member = await aStoredPerson(storage, { language: "ja" });
  const doubtful = await aStoredPerson(storage, { emailVerifiedAt: null });
  const inFull = { allowed: ["read"], until: NOW + DAY };
  expect(await decide(doubtful.personId, true, inFull)).toEqual([]);
  expect(await decide(member.personId, true, inFull)).toMatchObject([
    {
      kind: "companyApproved",
      to: member.email,
      language: "ja",
      values: { app: "Photo Printer", company: company.name, answer: { allowed: ["写真を見る"], until: NOW + DAY } },
    },
  ]);
  const kindOf = async (answer: Partial<DecisionAnswer>) => (await decide(member.personId, false, answer))[0]?.kind;
  expect(await kindOf({ ...inFull, waiting: ["write"] })).toBe("companyPartlyApproved");
  expect(await kindOf({ ...inFull, refused: ["write"] })).toBe("companyRefused");
  expect(await kindOf({ refused: ["read"], blocked: true })).toBe("companyBlocked");
});

test("an answer to somebody who is an admin by now → the message says so; one to a member, or to a former member, does not", async () => {
  const { company, admin, member } = await aStaffedCompany(storage);
  const promoted = await aStoredPerson(storage);
  await joins(storage, company, promoted, "admin");
  const former = await aStoredPerson(storage);
  const adminIn = async (askedBy: string) => {
    const answer: DecisionAnswer = { allowed: [], until: null, refused: ["read"], waiting: [], blocked: false };
    const [letter] = await lettersFor({
      ...{ kind: "company_decision", company, client: { clientId: "c", name: "Photo Printer", host: null }, by: admin },
      ...{ askedBy, approved: false, answer },
    });
    return letter?.values.answer?.admin;
  };
  expect(await adminIn(member.personId)).toBeUndefined();
  expect(await adminIn(former.personId)).toBeUndefined();
  expect(await adminIn(promoted.personId)).toBe(true);
});

test("an invitation → to the mailbox of the username, or to the address; ten an hour, whoever invites", async () => {
  const { company, admin } = await aStaffedCompany(storage);
  const guest = await aStoredPerson(storage);
  const invite = (addressee: string) =>
    lettersFor({
      ...{ kind: "company_invitation", company, addressee, role: "member", by: admin },
      ...{ link: "https://login.example.com/invitation?x", expiresAt: NOW + DAY },
    });
  expect((await invite(guest.username)).map(({ to }) => to)).toEqual([guest.email]);
  expect(await invite("no-such-user")).toEqual([]);
  for (let count = 0; count < 10; count += 1) expect(await invite("guest@example.com")).toHaveLength(1);
  expect(await invite("guest@example.com")).toEqual([]);
});
