/** Tells clients that a session has ended (OpenID Connect Back-Channel Logout §2.5): any process, until the client has it. */

import { derivedId } from "./crypto/ids.ts";
import { PeriodicWork } from "./mail/periodic-work.ts";
import type { Millis } from "./oauth/model.ts";
import type { OpenId } from "./oauth/ports.ts";
import type { Catalog } from "./oauth/storage.ts";
import type { GuardedFetcher } from "./outbound/guarded-fetch.ts";
import type { DueNotice, LogoutNoticeStorage } from "./owners/logout-notice-storage.ts";
import type { Uses } from "./storage-subset.ts";

const SECOND: Millis = 1000;
const MINUTE: Millis = 60 * SECOND;
const HOUR: Millis = 60 * MINUTE;

/** After this time, another process can take a notice whose process has died. */
const CLAIM: Millis = 30 * SECOND;
const AT_ONCE = 16;
/** The pause after each failed try; the last one repeats. */
const PAUSES: readonly Millis[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR];
const GIVEN_UP_AFTER: Millis = 24 * HOUR;

export interface TellAppsParts {
  readonly storage: Uses<
    LogoutNoticeStorage,
    "logoutNotices.claim" | "logoutNotices.remove" | "logoutNotices.postpone"
  >;
  readonly catalog: Pick<Catalog, "client">;
  readonly openId: Pick<OpenId, "logoutToken">;
  readonly fetcher: Pick<GuardedFetcher, "fetch">;
  readonly now: () => Millis;
  readonly event: (name: string, fields: Readonly<Record<string, string | number | null>>) => void;
}

export function tellAppsOfLogout(parts: TellAppsParts): PeriodicWork {
  return new PeriodicWork(
    () => round(parts),
    (error) => parts.event("logout_notices_unreachable", { fault: error instanceof Error ? error.name : "unknown" }),
  );
}

async function round(parts: TellAppsParts): Promise<number> {
  const now = parts.now();
  const claimed = await parts.storage.logoutNotices.claim({ now, limit: AT_ONCE, until: now + CLAIM });
  await Promise.all(claimed.map((notice) => tell(notice, parts)));
  return claimed.length;
}

async function tell(
  notice: DueNotice,
  { storage, catalog, openId, fetcher, now, event }: TellAppsParts,
): Promise<void> {
  const { partition, sid, clientId, personId, tries, endedAt } = notice;
  const client = await catalog.client(clientId);
  if (client?.status !== "active" || client.backchannelLogoutUri == null) {
    await storage.logoutNotices.remove(notice);
    return;
  }
  const jti = derivedId(partition, "logout", sid, clientId);
  const form = `logout_token=${await openId.logoutToken({ personId, sid, jti }, client)}`;
  const answer = await fetcher.fetch(client.backchannelLogoutUri, { form });
  const fields = { client_id: clientId, owner: personId, tries };
  if (answer.kind === "fetched") {
    await storage.logoutNotices.remove(notice);
    event("logout_delivered", fields);
    return;
  }
  const pause = PAUSES[Math.min(tries, PAUSES.length) - 1] ?? HOUR;
  const at = now() + pause;
  const isOver = at >= endedAt + GIVEN_UP_AFTER;
  event("logout_failed", { ...fields, fault: answer.fault, detail: answer.detail, again: isOver ? "no" : "yes" });
  if (isOver) await storage.logoutNotices.remove(notice);
  else await storage.logoutNotices.postpone({ ...notice, at });
}
