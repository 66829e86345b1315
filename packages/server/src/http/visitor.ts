/** The browser at the other end: its nonce, its session, the devices it is known as. */

import { type DerivedCredentials, sha256 } from "../crypto/credential.ts";
import { randomBytes, randomText } from "../crypto/random.ts";
import type { SignedInBy } from "../owners/session.ts";
import { beginSession, type SessionContext, sessionOfCredential } from "../owners/sessions.ts";
import type { Person, Session } from "../owners/storage.ts";
import type { Chrome } from "../pages/index.ts";
import type { Cookies } from "./cookies.ts";
import { type DeviceTools, deviceCookie, deviceOf } from "./device-cookie.ts";
import type { Answer, HttpRequest } from "./message.ts";
import { browserName } from "./user-agent.ts";

/** What looking at a browser takes. */
export interface VisitorContext {
  readonly cookies: Cookies;
  readonly credentials: Pick<DerivedCredentials, "read">;
  readonly sessions: SessionContext;
}

/** What a new session takes. */
export interface SessionTools extends VisitorContext {
  readonly credentials: DeviceTools["credentials"];
  chrome(request: HttpRequest): Chrome;
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

/** An endpoint whose visitor is looked up before it begins. */
export function forVisitor<Tools extends VisitorContext>(
  endpoint: (visitor: Visitor, http: HttpRequest, tools: Tools) => Answer | Promise<Answer>,
): (http: HttpRequest, tools: Tools) => Promise<Answer> {
  return async (http, tools) => endpoint(await visitorOf(http, tools), http, tools);
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
  by: SignedInBy,
  visitor: Visitor,
  request: HttpRequest,
  tools: SessionTools,
  quietly?: "quietly",
): Promise<readonly string[]> {
  const salt = randomBytes(32);
  const presented = deviceCookie(request, tools);
  const device = deviceOf(person.personId, presented, tools);
  const userAgent = request.header("user-agent")?.slice(0, 300) ?? null;
  const at = {
    ...{ presented, sighting: device.sighting, userAgent, browserName: browserName(userAgent) },
    ...{ address: request.address, language: tools.chrome(request).words.language },
    ...{ replaces: visitor.signedIn?.session, secretHash: sha256(salt), quietly: quietly !== undefined },
  };
  const { sessionId, seen } = await beginSession(person, by, at, tools.sessions);
  const cookies = [tools.cookies.set("session", tools.credentials.make("session", sessionId, 0, salt))];
  // Undefined: the sign-in was overtaken, and the session was not made.
  if (seen !== undefined) cookies.push(device.cookie(seen));
  return cookies;
}
