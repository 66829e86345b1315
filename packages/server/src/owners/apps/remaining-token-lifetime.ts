/** How long what an app holds still works once it gets nothing new: access tokens aren't revoked, they time out (RFC 7009 §2, RFC 6750 §5.3). */

import { accessTokenTtl, longestAccessTtl } from "../../oauth/issue-access-token.ts";
import type { EarlierLifetime, Millis, Resource } from "../../oauth/model.ts";
import type { OAuthContext } from "../../oauth/ports.ts";
import { USE_RECORDED_EVERY } from "../../oauth/storage.ts";
import type { Delegation } from "../../oauth/token-exchange/storage.ts";
import type { Uses } from "../../storage-subset.ts";
import type { CompanyStorage } from "../company-storage.ts";
import type { LastIssue, OwnerStorage } from "../storage.ts";

export interface TokenExpiryContext {
  readonly storage: Uses<OwnerStorage, "consents.lastIssues">;
  readonly oauth: Pick<OAuthContext, "catalog" | "policy" | "issuer" | "restoredAt">;
  now(): Millis;
}

/** Whose tokens: all of an owner's, or those that one person made in a company's name. */
interface Whose {
  readonly partition: number;
  readonly ownerId: string;
  readonly personId?: string;
}

/** What becomes of a token: its grant ended, or yields less from now on. An API that is told of the end isn't told of less. */
export type Change = "ended" | "narrowed";

/**
 * When the last access token ends that each of an owner's apps holds of the time up to `at`, by the app's id; an app that holds none isn't there.
 * Grants that have ended count, too: a token outlives them at every API that verifies by itself.
 */
export async function outstanding(
  whose: Whose,
  at: Millis,
  change: Change,
  context: TokenExpiryContext,
): Promise<ReadonlyMap<string, Millis>> {
  const longest = await longestAccessTtl(context.oauth);
  const since = at - (await longestLifetime(at, context.oauth)) - USE_RECORDED_EVERY;
  const { restoredAt } = context.oauth;
  const personId = whose.personId ?? null;
  const issues = await context.storage.consents.lastIssues({ ...whose, personId, since, restoredAt });
  const until = new Map<string, Millis>();
  for (const issue of issues) {
    const end = await endOf(issue, at, change, longest, context);
    if (end > context.now()) until.set(issue.clientId, Math.max(end, until.get(issue.clientId) ?? 0));
  }
  return until;
}

export interface AllAppsContext extends TokenExpiryContext {
  readonly storage: TokenExpiryContext["storage"] & Uses<CompanyStorage, "members.companiesOf">;
}

/**
 * In how many minutes the last access token expires that any app holds of a person, or of a company in the person's
 * name, if all these grants end now, or have ended. 0: no app holds one.
 */
export async function allAppsEndIn(
  { partition, personId }: { readonly partition: number; readonly personId: string },
  context: AllAppsContext,
): Promise<number> {
  const now = context.now();
  const acting = await context.storage.members.companiesOf({ partition, personId, clientId: null, now });
  const companies = acting.map(({ company }) => ({
    partition: company.partition,
    ownerId: company.companyId,
    personId,
  }));
  const held = await Promise.all(
    [{ partition, ownerId: personId }, ...companies].map((whose) => outstanding(whose, now, "ended", context)),
  );
  const lost = await lostTokensUntil(context);
  const ends = [...held.flatMap((one) => [...one.values()]), ...(lost === undefined ? [] : [lost])];
  return minutesLeft(ends.length === 0 ? undefined : Math.max(...ends), now);
}

async function endOf(
  { clientId, audience, refreshable, lastUsedAt, openUntil }: LastIssue,
  at: Millis,
  change: Change,
  longest: Millis,
  { oauth }: TokenExpiryContext,
): Promise<Millis> {
  const resource = audience === null ? undefined : (await oauth.catalog.resources()).get(audience);
  // Nobody but this server reads such a token, and it answers for it as for its grant.
  if (change === "ended" && resource?.tokenFormat === "opaque" && resource.grantBound) return 0;
  // For several APIs, or for one that is gone since: none lives longer.
  const known = resource !== undefined || audience === oauth.issuer;
  const ttl = known ? accessTokenTtl(resource, oauth.policy.accessTtl) : longest;
  const lag = refreshable ? await lagOf(clientId, oauth) : 0;
  const issuedAt = Math.min(at, openUntil, lastUsedAt + lag);
  const before = (known ? earlierOf(resource, oauth.policy) : await earlierLifetimes(oauth)).map(
    (earlier) => Math.min(issuedAt, earlier.changedAt + NOTICED) + earlier.ttl,
  );
  return Math.max(issuedAt + ttl, ...before);
}

/** The longest lifetime of a token that may still be alive at a time, earlier lifetimes included. */
export async function longestLifetime(at: Millis, oauth: TokenExpiryContext["oauth"]): Promise<Millis> {
  const alive = (await earlierLifetimes(oauth)).filter(({ ttl, changedAt }) => changedAt + NOTICED + ttl > at);
  return Math.max(await longestAccessTtl(oauth), ...alive.map(({ ttl }) => ttl));
}

/**
 * When the last token ends, at the latest, that the server issued between a backup and its restore. The database does not
 * know these tokens, and not the apps that were connected in that time. Undefined: none works any more.
 */
export async function lostTokensUntil({
  oauth,
  now,
}: Pick<TokenExpiryContext, "oauth" | "now">): Promise<Millis | undefined> {
  const { restoredAt } = oauth;
  if (restoredAt === 0) return undefined;
  const until = restoredAt + (await longestLifetime(restoredAt, oauth));
  return until > now() ? until : undefined;
}

/**
 * When the last token ends, at the latest, that a client got through other apps (RFC 8693). Undefined: none works any more.
 * The uses are recorded once a minute.
 */
export async function heldThrough(
  uses: readonly Delegation[],
  { oauth, now }: Pick<TokenExpiryContext, "oauth" | "now">,
): Promise<Millis | undefined> {
  const longest = (await longestLifetime(now(), oauth)) + USE_RECORDED_EVERY;
  const ends = uses.map(({ lastUsedAt }) => lastUsedAt + longest).filter((end) => end > now());
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** How long servers may go on with a lifetime after it was changed: until they have all been started again. */
const NOTICED: Millis = 600_000;

/** The lifetimes that an API's tokens had before, in place of the present one. */
function earlierOf(
  resource: Resource | undefined,
  { accessTtl, earlierAccessTtl: server }: OAuthContext["policy"],
): readonly EarlierLifetime[] {
  const own = resource?.earlierLifetime;
  const usesDefault = resource?.tokenLifetime == null || own?.lifetime === null;
  return [
    ...(own === undefined
      ? []
      : [{ ttl: own.lifetime === null ? accessTtl : own.lifetime * 1000, changedAt: own.changedAt }]),
    ...(server == null || !usesDefault ? [] : [server]),
  ];
}

async function earlierLifetimes({ catalog, policy }: TokenExpiryContext["oauth"]): Promise<readonly EarlierLifetime[]> {
  const resources = [...(await catalog.resources()).values()];
  return [undefined, ...resources].flatMap((resource) => earlierOf(resource, policy));
}

/** How much later than written the last token may have been made: not each use of a kept refresh token is written, nor the retry of a rotation. */
async function lagOf(clientId: string, { catalog, policy }: TokenExpiryContext["oauth"]): Promise<Millis> {
  const client = await catalog.client(clientId);
  if (client?.type === "public") return policy.retryWindowPublic;
  return client?.refresh === "rotate" ? policy.retryWindow : USE_RECORDED_EVERY;
}

/** The same in minutes from now, for a page; 0: nothing is held. */
export function minutesLeft(until: Millis | undefined, now: Millis): number {
  return until === undefined ? 0 : Math.max(0, Math.ceil((until - now) / 60_000));
}
