/** A provider says that a sign-in there is over: the sessions here that began with it end, too. */

import { refuse } from "../../oauth/errors.ts";
import { type LogoutToken, readLogoutToken } from "../../oauth/openid/received-logout-token.ts";
import type { OAuthContext } from "../../oauth/ports.ts";
import { foreignSubject } from "../canonical-login.ts";
import type { SessionContext } from "../sessions.ts";
import type { Elsewhere } from "./sign-in-elsewhere.ts";
import type { SignInProvider } from "./sign-in-provider.ts";

export interface ReceiveLogoutContext {
  readonly elsewhere: Pick<Elsewhere, "providers" | "keysAt" | "useOnce">;
  readonly sessions: Pick<SessionContext, "storage" | "tellApps" | "event" | "now">;
  readonly oauth: Pick<OAuthContext, "foreignJwts" | "hashes" | "now">;
}

/** Throws `logout_token_invalid`: also if the keys can't be had now, because a logout that failed is a 400 (§2.8). */
export async function receiveLogout(providerId: string, text: string, context: ReceiveLogoutContext): Promise<void> {
  const provider = (await context.elsewhere.providers()).get(providerId);
  if (provider?.status !== "active") return refuse("logout_token_invalid", "no such provider, or it is disabled");
  const token = await readLogoutToken(text, provider, () => keysOf(provider, context), context.oauth);
  if (await isReplay(token, provider, context)) refuse("logout_token_invalid", "jti: it was used before");
  await endSessionsOf(token, provider, context);
  await useUp(token, provider, DONE, context);
}

async function keysOf(provider: SignInProvider, { elsewhere }: ReceiveLogoutContext): Promise<string> {
  const found = await elsewhere.keysAt(provider);
  return found.kind === "found" ? found.uri : refuse("logout_token_invalid", `${found.fault}: ${found.detail}`);
}

/**
 * A token is marked as begun and, after the sessions have ended, as done. Without the second mark, the first try failed
 * in between, and the provider may try again. Two tries at the same moment end the same sessions.
 */
const [BEGUN, DONE] = ["logout token begun", "logout token done"] as const;

async function isReplay(token: LogoutToken, provider: SignInProvider, context: ReceiveLogoutContext): Promise<boolean> {
  return !(await useUp(token, provider, BEGUN, context)) && !(await useUp(token, provider, DONE, context));
}

function useUp(
  { jti, until }: LogoutToken,
  { id, issuer }: SignInProvider,
  kind: typeof BEGUN | typeof DONE,
  { elsewhere, oauth }: ReceiveLogoutContext,
): Promise<boolean> {
  const key = oauth.hashes.sha256(JSON.stringify([id, issuer, jti]));
  return elsewhere.useOnce({ kind, key, until, now: oauth.now() });
}

async function endSessionsOf(
  { sub, sid }: LogoutToken,
  { id, name, issuer }: SignInProvider,
  { sessions: { storage, event, tellApps, now } }: ReceiveLogoutContext,
): Promise<void> {
  const at = { issuerId: id, claim: issuer };
  const text = sub === null ? undefined : foreignSubject(sub);
  // Nobody signs in here with a subject that can't be linked.
  if (sub !== null && text === undefined) return;
  const subject = text === undefined ? null : { ...at, subject: text };
  const there = sid === null ? null : { ...at, subject: sid };
  const ended = await storage.sessions.endUpstream({ name, subject, sid: there, now: now() });
  for (const { personId, ended: count } of ended)
    event("signed_out_elsewhere", { owner: personId, provider: id, ended: count });
  if (ended.length > 0) tellApps();
}
