/** A person chooses another password, and what ends with the one before. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../uses.ts";
import { type NewsContext, newsFor } from "../account-news.ts";
import type { FactorChange } from "../factors.ts";
import type { HashRequester } from "../hash-requester.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";

export interface PasswordContext extends NewsContext {
  readonly storage: NewsContext["storage"] & Uses<OwnerStorage, "people.setPassword">;
  hashPassword(password: string, whose: HashRequester): Promise<string>;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** `from`: where the person is. The session that asks ends in any case: the browser gets a new one. */
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
  const mails = await newsFor(person, "passwordChanged", { ...news, link: "/recover" }, context);
  const passwordHash = await context.hashPassword(password, { ...from, account: personId, known: true });
  const now = context.now();
  const changed = await context.storage.people.setPassword({
    ...{ partition, personId, passwordHash, mails, now },
    replacing: person.passwordChangedAt,
    mustChange: false,
    endGrants: endApps,
    endSessions,
    keepSessionId: null,
    sessionId,
  });
  if (!changed) return undefined;
  context.mail.kick();
  context.event("password_changed", { owner: personId, address, apps_ended: String(endApps) });
  return { ...person, passwordChangedAt: now };
}
