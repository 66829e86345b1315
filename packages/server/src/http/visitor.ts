/** The browser at the other end: its nonce, its session, the devices it is known as. */

import { type DerivedCredentials, sha256 } from "../crypto/credential.ts";
import { newId } from "../crypto/id.ts";
import { randomBytes, randomText } from "../crypto/random.ts";
import { boundDevice } from "../owners/known-device.ts";
import { vouchByUse } from "../owners/recovery/vouch.ts";
import {
  SESSION_ABSOLUTE,
  SESSION_IDLE,
  type SessionContext,
  type SignedInBy,
  sessionOfCredential,
} from "../owners/session.ts";
import type { Person, Session } from "../owners/storage.ts";
import type { Assent } from "../server-parts.ts";
import type { Cookies } from "./cookies.ts";
import { deviceCookie, deviceOf } from "./device-cookie.ts";
import { newsFor } from "./mail-links.ts";
import type { HttpRequest } from "./message.ts";
import { browserName } from "./user-agent.ts";

/** What looking at a browser takes. */
export interface VisitorContext {
  readonly cookies: Cookies;
  readonly credentials: Pick<DerivedCredentials, "read">;
  readonly sessions: SessionContext;
}

export interface Visitor {
  /** What ties a request under way to this browser. */
  readonly nonce: string;
  /** Cookies that the answer must set. */
  readonly cookies: readonly string[];
  readonly signedIn: { readonly session: Session; readonly person: Person } | undefined;
}

const YEAR = 31_536_000;

/** Looks the browser up; a new one gets its nonce with this answer. */
export async function visitorOf(request: HttpRequest, context: VisitorContext): Promise<Visitor> {
  const sent = context.cookies.read(request, "browser");
  const known = sent !== undefined && /^[A-Za-z0-9_-]{22}$/.test(sent);
  const nonce = known ? sent : randomText(16);
  // A form on another site posts without our cookies; the answer must not replace them, or it would end what other tabs have under way.
  const foreign = request.method === "POST" && request.header("sec-fetch-site") === "cross-site";
  return {
    nonce,
    cookies: known || foreign ? [] : [context.cookies.set("browser", nonce, YEAR)],
    signedIn: await sessionOf(request, context),
  };
}

async function sessionOf(request: HttpRequest, context: VisitorContext): Promise<Visitor["signedIn"]> {
  const cookie = context.cookies.read(request, "session");
  const credential = cookie === undefined ? undefined : context.credentials.read("session", cookie);
  return credential === undefined ? undefined : sessionOfCredential(credential, context.sessions);
}

/**
 * A new session for a person who has just signed in; the one that this browser had ends with it. The person hears of a browser that is new with them,
 * unless `quietly`: they have just made the account, or shown that it is them.
 */
export async function startSession(
  person: Person,
  { acr, amr, authTime, used }: SignedInBy,
  visitor: Visitor,
  request: HttpRequest,
  assent: Assent,
  quietly?: "quietly",
): Promise<readonly string[]> {
  const sessionId = newId(person.partition);
  const salt = randomBytes(32);
  const now = assent.now();
  const old = visitor.signedIn?.session;
  const presented = deviceCookie(request, assent);
  const device = deviceOf(person.personId, presented, assent);
  const { language } = assent.chrome(request).words;
  const userAgent = request.header("user-agent")?.slice(0, 300) ?? null;
  const values = { browser: browserName(userAgent), address: request.address };
  const news = { link: "/account/security", language, values };
  const known = presented?.personId === person.personId && (await boundDevice(presented, assent.storage)) !== undefined;
  const mails = known || quietly !== undefined ? [] : await newsFor(person, "signIn", news, assent);
  const seen = await assent.storage.sessions.create({
    partition: person.partition,
    sessionId,
    personId: person.personId,
    authTime,
    acr,
    amr,
    idleUntil: now + SESSION_IDLE,
    // A session that takes the place of another one is no reason to sign in later than the other would have.
    absoluteUntil: authTime + SESSION_ABSOLUTE,
    userAgent,
    language,
    mails,
    address: request.address,
    device: device.sighting,
    secretHash: sha256(salt),
    passwordChangedAt: person.passwordChangedAt,
    now,
    replaces: old === undefined ? null : { partition: old.partition, sessionId: old.sessionId },
  });
  const cookies = [assent.cookies.set("session", assent.credentials.make("session", sessionId, 0, salt))];
  if (mails.length > 0) assent.mail.kick();
  // Undefined: the sign-in was overtaken, and the session was not made.
  if (seen !== undefined) cookies.push(device.cookie(seen));
  if (seen !== undefined && used !== undefined) await vouchByUse(person, used, seen.deviceId, assent);
  return cookies;
}
