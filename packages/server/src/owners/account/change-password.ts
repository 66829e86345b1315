/** A person chooses another password, and what ends with the one before. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import { type NewsContext, newsFor } from "../account-change-mail.ts";
import { type AllAppsContext, allAppsEndIn } from "../apps/remaining-token-lifetime.ts";
import type { FactorChange } from "../change-factors.ts";
import type { HashRequester } from "../password-hash-requester.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";

const HOUR: Millis = 3_600_000;
/** Maximum number of new passwords an hour that one person chooses on the page. Recovery by mail has no such limit. */
export const NEW_PASSWORDS_AN_HOUR = 10;

export interface PasswordContext extends NewsContext, AllAppsContext {
  readonly storage: NewsContext["storage"] & AllAppsContext["storage"] & Uses<OwnerStorage, "people.setPassword">;
  hashPassword(password: string, whose: HashRequester): Promise<string>;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/**
 * When the person may choose a new password on the page again. Undefined: now, and this one is counted. A password that
 * the operator handed out must be changed in any case, and is not counted.
 */
export async function newPasswordsUsedUp(
  { personId, mustChangePassword }: Person,
  { storage, attemptKey, now }: PasswordContext,
): Promise<Millis | undefined> {
  if (mustChangePassword) return undefined;
  const attempts = [{ key: attemptKey("new passwords", personId), limit: NEW_PASSWORDS_AN_HOUR, window: HOUR }];
  const counted = await storage.attempts.count({ attempts, now: now() });
  return counted.kind === "throttled" ? counted.until : undefined;
}

/**
 * `from`: where the person is. The session that asks is replaced in any case, by the caller: a sign-in at a provider
 * goes on only in a session that replaces one that is there.
 */
export interface NewPassword {
  readonly password: string;
  readonly endApps: boolean;
  readonly endSessions: boolean;
  readonly from: Pick<HashRequester, "allocation" | "provider" | "network">;
}

/** The person with their new password; undefined: overtaken by another change, by which the session may have ended. */
export async function changePassword(
  { person, session: { sessionId }, address, news }: FactorChange,
  { password, endApps, endSessions, from }: NewPassword,
  context: PasswordContext,
): Promise<(Person & { readonly passwordChangedAt: Millis }) | undefined> {
  const { partition, personId } = person;
  const ended = endApps ? { appsEnded: true, appsEndIn: await allAppsEndIn(person, context) } : {};
  const told = { ...news, values: { ...news.values, ...ended } };
  const mails = await newsFor(person, "passwordChanged", { ...told, link: "/recover" }, context);
  const passwordHash = await context.hashPassword(password, { ...from, account: personId, known: true });
  const now = context.now();
  const changed = await context.storage.people.setPassword({
    ...{ partition, personId, passwordHash, mails, now },
    replacing: person.passwordChangedAt,
    mustChange: false,
    endGrants: endApps,
    revokeConsents: endApps,
    endSessions,
    keepSessionId: sessionId,
    sessionId,
  });
  if (!changed) return undefined;
  context.mail.kick();
  context.event("password_changed", { owner: personId, address, apps_ended: String(endApps) });
  return { ...person, passwordChangedAt: now };
}
