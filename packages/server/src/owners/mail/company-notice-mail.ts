/** Messages about companies: recipients, language, content. */

import type { Millis } from "../../oauth/model.ts";
import type { Catalog } from "../../oauth/storage.ts";
import type { Uses } from "../../storage-subset.ts";
import { canonicalEmail } from "../canonical-login.ts";
import type { CompanyStorage, Role } from "../company-storage.ts";
import { descriptionOf } from "../scope-texts.ts";
import type { Attempt, OwnerStorage, Person } from "../storage.ts";
import type { Notice } from "./company-notice-kinds.ts";
import type { MailDraft, Postbox } from "./mail-content.ts";
import type { StoredMail } from "./storage.ts";

export interface NoticeContext {
  readonly storage: Uses<OwnerStorage, "people.get" | "people.findByName" | "attempts.count"> &
    Uses<CompanyStorage, "members.list" | "members.findActing">;
  readonly mail: Postbox;
  readonly catalog: Pick<Catalog, "scopes">;
  readonly issuer: string;
  partitionOf(id: string): number;
  attemptKey(...parts: readonly string[]): string;
  now(): Millis;
}

/** Maximum number of a company's admins who get a message about one request. */
const ADMINS_TOLD = 20;
const MEMBERS_READ = 500;
const DAY: Millis = 86_400_000;
const HOUR: Millis = 3_600_000;
/** Maximum number of notices to one mailbox a day, whatever their cause. */
const NOTICES_A_DAY = 50;
const INVITATIONS_AN_HOUR = 10;

/** The messages of a notice, for the transaction of its event in the company's partition. */
export async function noticeLetters(notice: Notice, context: NoticeContext): Promise<readonly StoredMail[]> {
  if (!context.mail.enabled) return [];
  const partition = context.partitionOf(notice.company.companyId);
  const mails: StoredMail[] = [];
  for (const { draft, cause, uselessAfter } of await lettersOf(notice, context)) {
    if (!(await mayWrite(notice, draft.to, context))) continue;
    const until = uselessAfter === undefined ? {} : { uselessAfter };
    mails.push(...context.mail.write(draft, { partition, cause, ...until }));
  }
  return mails;
}

interface Addressed {
  readonly draft: MailDraft;
  readonly cause: readonly string[];
  readonly uselessAfter?: Millis;
}

async function lettersOf(notice: Notice, context: NoticeContext): Promise<readonly Addressed[]> {
  const { issuer, now } = context;
  const { company, by } = notice;
  const names = { by: by.username, byName: by.name };
  switch (notice.kind) {
    case "company_invitation": {
      const { addressee } = notice;
      const known = await context.storage.people.findByName({ name: addressee });
      const to = mailbox(known) ?? canonicalEmail(addressee);
      if (to === undefined) {
        await mayWrite(notice, addressee, context);
        return [];
      }
      const was = await roleOf(known, by.personId, company.companyId, context);
      const values = { company: company.name, ...names, role: notice.role, ...was, at: notice.expiresAt };
      const draft = {
        kind: "companyInvitation",
        to,
        language: known?.language ?? "en",
        link: notice.link,
        values,
      } as const;
      return [{ draft, cause: [notice.link], uselessAfter: notice.expiresAt }];
    }
    case "company_decision": {
      const { askedBy: personId, client, answer } = notice;
      const person = await context.storage.people.get({ partition: context.partitionOf(personId), personId });
      const to = mailbox(person);
      if (to === undefined) return [];
      const language = person?.language ?? "en";
      const known = await context.catalog.scopes();
      const say = (names: readonly string[]) =>
        names.map((name) => {
          const scope = known.get(name);
          return scope === undefined ? name : descriptionOf(scope, language);
        });
      const { allowed, refused, waiting, until, paused } = answer;
      const lists = { allowed: say(allowed), refused: say(refused), waiting: say(waiting) };
      const isAdmin = (await roleIn(company.companyId, personId, context)) === "admin";
      const said = { ...lists, until, ...(paused === true && { paused }), ...(isAdmin && { admin: true as const }) };
      // A block is for all addresses.
      const host = answer.blocked ? null : client.host;
      const values = { company: company.name, app: client.name, host, answer: said };
      const link = `${issuer}/company/${company.slug}`;
      const draft = { kind: kindOf(notice), to, language, link, values } as const;
      return [{ draft, cause: [company.companyId, client.clientId, String(now())] }];
    }
    case "company_removal": {
      const { personId, returnsBy } = notice;
      const person = await context.storage.people.get({ partition: context.partitionOf(personId), personId });
      const to = mailbox(person);
      if (to === undefined) return [];
      const at = now();
      const values = { company: company.name, at, ...(returnsBy !== null && { app: returnsBy }) };
      const language = person?.language ?? "en";
      const draft = { kind: "companyRemoved", to, language, link: `${issuer}/account/companies`, values } as const;
      return [{ draft, cause: [company.companyId, personId, String(at)] }];
    }
    case "company_sign_in": {
      const at = now();
      const values = { company: company.name, ...names, app: notice.provider, at };
      const link = `${issuer}/company/${company.slug}/history`;
      const admins = await adminsOf(company.companyId, context);
      return admins.map((admin) => ({
        draft: { kind: "companySignIn", to: admin.email, language: admin.language ?? "en", link, values },
        cause: [company.companyId, "sign-in", by.personId, String(at)],
      }));
    }
    case "company_request": {
      const values = {
        company: company.name,
        ...names,
        app: notice.client.name,
        host: notice.client.host,
        reason: notice.reason,
      };
      const link = `${issuer}/company/${company.slug}`;
      const admins = await adminsOf(company.companyId, context);
      return admins.map((admin) => ({
        draft: { kind: "companyRequest", to: admin.email, language: admin.language ?? "en", link, values },
        cause: [company.companyId, notice.client.clientId, by.personId, String(now())],
      }));
    }
  }
}

/**
 * The role of the invited person in the company, if their mailbox is proved to be theirs. Reads somebody's role in any
 * case, so that the time doesn't tell who has an account.
 */
async function roleOf(
  known: Person | undefined,
  other: string,
  companyId: string,
  context: NoticeContext,
): Promise<Pick<MailDraft["values"], "was">> {
  const isKnown = mailbox(known) !== undefined;
  const personId = known !== undefined && isKnown ? known.personId : other;
  const was = await roleIn(companyId, personId, context);
  return isKnown && was !== undefined ? { was } : {};
}

/** Undefined: the person is no member. */
async function roleIn(
  companyId: string,
  personId: string,
  { storage, partitionOf }: NoticeContext,
): Promise<Role | undefined> {
  const key = { partition: partitionOf(companyId), companyId, personId, clientId: null };
  return (await storage.members.findActing(key))?.member.role;
}

function kindOf({ approved, answer }: Extract<Notice, { readonly kind: "company_decision" }>): MailDraft["kind"] {
  if (approved) return "companyApproved";
  if (answer.blocked) return "companyBlocked";
  return answer.waiting.length > 0 ? "companyPartlyApproved" : "companyRefused";
}

/** Only an address that is proved to be the person's. */
function mailbox(person: Person | undefined): string | undefined {
  return person?.status === "active" && person.emailVerifiedAt !== null ? person.email : undefined;
}

async function adminsOf(companyId: string, { storage, partitionOf }: NoticeContext): Promise<readonly Person[]> {
  const key = { partition: partitionOf(companyId), companyId };
  const members = await storage.members.list({ ...key, limit: MEMBERS_READ, after: null });
  const admins = members
    .filter(({ role, accountStatus }) => role === "admin" && accountStatus === "active")
    .slice(0, ADMINS_TOLD);
  const people = await Promise.all(
    admins.map(({ personId }) => storage.people.get({ partition: partitionOf(personId), personId })),
  );
  return people.filter((person) => mailbox(person) !== undefined).filter((person) => person !== undefined);
}

async function mayWrite(notice: Notice, to: string, { storage, attemptKey, now }: NoticeContext): Promise<boolean> {
  const attempts: Attempt[] = [{ key: attemptKey("notice", to), limit: NOTICES_A_DAY, window: DAY }];
  if (notice.kind === "company_invitation")
    attempts.push({ key: attemptKey("invitation", to), limit: INVITATIONS_AN_HOUR, window: HOUR });
  return (await storage.attempts.count({ attempts, now: now() })).kind === "allowed";
}
