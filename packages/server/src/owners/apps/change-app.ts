/** A person revokes an app, takes some of its scopes away, or changes when it ends; and what they are told of it afterwards. */

import { ceilingOf } from "../../oauth/consent-reach.ts";
import type { Millis } from "../../oauth/model.ts";
import { durationsFor } from "../authorization/consent-answer.ts";
import type { SignedIn } from "../authorization/context.ts";
import { endOf } from "../consent-after-decision.ts";
import { readDuration } from "../consent-needed.ts";
import type { Person } from "../person.ts";
import type { HistoryEntry } from "../storage.ts";
import { allowedApps } from "./allowed-apps.ts";
import type { AppsContext } from "./context.ts";
import { historyEntryOf } from "./history-page.ts";
import { outstanding } from "./remaining-token-lifetime.ts";

/** `entryId`: of the entry of the history that tells of it. `asks_again`: the app may ask for what was declined. `asks_for_whom`: its next request asks for whom. `unchanged`: the answer asks for nothing new. `gone`: the app is allowed nothing any more. */
export type AppChanged =
  | { readonly kind: "changed"; readonly entryId: string }
  | { readonly kind: "asks_again" | "asks_for_whom"; readonly clientId: string }
  | { readonly kind: "unchanged" }
  | { readonly kind: "gone" };

const GONE = { kind: "gone" } as const;
const UNCHANGED = { kind: "unchanged" } as const;

function keyOf({ person, session }: SignedIn, clientId: string) {
  return { partition: person.partition, ownerId: person.personId, clientId, sessionId: session.sessionId };
}

export async function revokeApp(by: SignedIn, clientId: string, context: AppsContext): Promise<AppChanged> {
  const { storage, event, now } = context;
  const { personId } = by.person;
  const outcome = await storage.consents.revoke({ ...keyOf(by, clientId), revokedBy: personId, now: now() });
  if (outcome.kind === "unknown") return GONE;
  event("consent_revoked", { owner: personId, client_id: clientId, grants_ended: outcome.grantsEnded });
  return { kind: "changed", entryId: outcome.entryId };
}

/** `keep`: names of the scopes that stay. */
export async function narrowApp(
  by: SignedIn,
  clientId: string,
  keep: ReadonlySet<string>,
  context: AppsContext,
): Promise<AppChanged> {
  const { storage, event, now } = context;
  const { personId } = by.person;
  const app = (await allowedApps(by.person, context)).find(({ consent }) => consent.clientId === clientId);
  if (app === undefined) return GONE;
  const remove = app.scopes.map(({ name }) => name).filter((name) => !keep.has(name));
  if (remove.length === 0) return UNCHANGED;
  const outcome = await storage.consents.narrow({ ...keyOf(by, clientId), remove, by: personId, now: now() });
  if (outcome.kind === "unknown") return GONE;
  event("consent_narrowed", { owner: personId, client_id: clientId, removed: remove.join(" ") });
  return { kind: "changed", entryId: outcome.entryId };
}

/** `typed`: a length of time as the form names it, from now on; null: none. */
export async function changeAppEnd(
  by: SignedIn,
  clientId: string,
  typed: string | null,
  context: AppsContext,
): Promise<AppChanged> {
  const { storage, oauth, event } = context;
  const { personId } = by.person;
  const now = context.now();
  const client = await oauth.catalog.client(clientId);
  if (client === undefined) return GONE;
  const duration = readDuration(typed ?? undefined, durationsFor(client, context));
  if (duration === undefined || duration === "once") return UNCHANGED;
  const end = endOf(duration, now, now);
  const ceiling = ceilingOf(client, oauth.policy);
  const outcome = await storage.consents.changeEnd({ ...keyOf(by, clientId), end, ceiling, by: personId, now });
  if (outcome.kind === "unknown") return GONE;
  event("consent_end_changed", { owner: personId, client_id: clientId });
  return { kind: "changed", entryId: outcome.entryId };
}

/** Stops the app for a while, or lets it go on. Nothing that the person allowed changes. */
export async function setAppPaused(
  by: SignedIn,
  clientId: string,
  paused: boolean,
  context: AppsContext,
): Promise<AppChanged> {
  const { storage, event, oauth, now } = context;
  const { personId } = by.person;
  const client = await oauth.catalog.client(clientId);
  const ceiling = client && ceilingOf(client, oauth.policy);
  const key = keyOf(by, clientId);
  const outcome = await storage.consents.setPaused({ ...key, paused, ceiling, by: personId, now: now() });
  if (outcome.kind === "unknown") return GONE;
  if (outcome.kind === "unchanged") return UNCHANGED;
  event(paused ? "consent_paused" : "consent_resumed", { owner: personId, client_id: clientId });
  return { kind: "changed", entryId: outcome.entryId };
}

/** The app may ask again for what was declined. */
export async function letAppAskAgain(by: SignedIn, clientId: string, context: AppsContext): Promise<AppChanged> {
  const { storage, event, now } = context;
  const outcome = await storage.consents.forgetDeclined({ ...keyOf(by, clientId), now: now() });
  if (outcome.kind === "unknown") return GONE;
  event("consent_declines_forgotten", { owner: by.person.personId, client_id: clientId });
  return { kind: "asks_again", clientId };
}

/** For so long a page tells of what was done, should it be loaded again. */
const TOLD: Millis = 86_400_000;

/** What was done to an app, as it stands now. `heldUntil`: when the last token ends that the app holds of the time before; null: it holds none, or none that outlives its new end. */
export interface RecentChange {
  readonly entry: HistoryEntry;
  /** As the app calls itself. */
  readonly app: string;
  readonly heldUntil: Millis | null;
}

/** Told from the history, so that no link can make it up. Undefined: it is no change of this person's, or not of the last day. */
export async function recentChange(
  { partition, personId }: Person,
  entryId: string,
  context: AppsContext,
): Promise<RecentChange | undefined> {
  const entry = await historyEntryOf(personId, entryId, context);
  if (entry === undefined || entry.at < context.now() - TOLD) return undefined;
  const { kind, at, record, clientId } = entry;
  const app = (await context.oauth.catalog.client(clientId))?.name ?? record.clientName ?? clientId;
  if (kind !== "revoked" && kind !== "narrowed" && kind !== "paused" && kind !== "end_changed") {
    return { entry, app, heldUntil: null };
  }
  const change = kind === "narrowed" || kind === "end_changed" ? "narrowed" : "ended";
  const held = (await outstanding({ partition, ownerId: personId }, at, change, context)).get(clientId) ?? null;
  // Tokens from before a new end can outlive it.
  const isInTime = kind === "end_changed" && (record.expiresAt === null || (held ?? 0) <= record.expiresAt);
  return { entry, app, heldUntil: isInTime ? null : held };
}
