/** The browser of a request: its nonce, its session, its device cookie. */

import { type DerivedCredentials, sha256 } from "../crypto/derived-credentials.ts";
import { randomBytes, randomText } from "../crypto/random.ts";
import type { SignedInBy } from "../owners/session-lifetime-and-level.ts";
import { beginSession, type SessionContext, type SigningIn, sessionOfCredential } from "../owners/sessions.ts";
import type { Person, Session } from "../owners/storage.ts";
import type { Chrome } from "../pages/index.ts";
import type { Cookies } from "./cookies.ts";
import { type DeviceTools, deviceCookie, deviceOf } from "./device-cookie.ts";
import type { Answer, HttpRequest } from "./http-message.ts";
import { browserName, userAgentOf } from "./user-agent.ts";

/** The dependencies of recognizing a browser. */
export interface VisitorContext {
  readonly cookies: Cookies;
  readonly credentials: Pick<DerivedCredentials, "read">;
  readonly sessions: SessionContext;
}

/** The dependencies of a new session. */
export interface SessionTools extends VisitorContext {
  readonly credentials: DeviceTools["credentials"];
  chrome(request: HttpRequest): Chrome;
}

export interface Visitor {
  /** The nonce that binds a request to this browser. */
  readonly nonce: string;
  /** Cookies that the response must set. */
  readonly cookies: readonly string[];
  readonly signedIn: { readonly session: Session; readonly person: Person } | undefined;
}

const YEAR = 31_536_000;

/** Recognizes the browser. A new one gets its nonce with this response. */
export async function visitorOf(request: HttpRequest, context: VisitorContext): Promise<Visitor> {
  const sent = context.cookies.read(request, "browser");
  const known = sent !== undefined && /^[A-Za-z0-9_-]{22}$/.test(sent);
  const nonce = known ? sent : randomText(16);
  // A form on another site posts without this server's cookies. The response must not replace them, because that would
  // end the flows of other tabs.
  const foreign = request.method === "POST" && request.header("sec-fetch-site") === "cross-site";
  return {
    nonce,
    cookies: known || foreign ? [] : [context.cookies.set("browser", nonce, YEAR)],
    signedIn: await sessionOf(request, context),
  };
}

/** An endpoint that gets its visitor. */
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
 * Begins a session for a person who has just signed in, and ends the browser's previous one. The person gets a message
 * about a new browser, unless `quietly`: they have just made the account, or proved who they are. `begins`: absent if the
 * session continues another one.
 */
export async function startSession(
  person: Person,
  by: SignedInBy,
  visitor: Visitor,
  request: HttpRequest,
  tools: SessionTools,
  { quietly = false, begins }: { readonly quietly?: boolean; readonly begins?: SigningIn["begins"] },
): Promise<readonly string[]> {
  const salt = randomBytes(32);
  const presented = deviceCookie(request, tools);
  const device = deviceOf(person.personId, presented, tools);
  const userAgent = userAgentOf(request);
  const at = {
    ...{ presented, sighting: device.sighting, userAgent, browserName: browserName(userAgent) },
    ...{ address: request.address, language: tools.chrome(request).words.language },
    ...{ replaces: visitor.signedIn?.session, secretHash: sha256(salt), quietly },
    ...(begins && { begins }),
  };
  const { sessionId, seen } = await beginSession(person, by, at, tools.sessions);
  const cookies = [tools.cookies.set("session", tools.credentials.make("session", sessionId, 0, salt))];
  // Undefined: the account changed meanwhile, and the session was not made.
  if (seen !== undefined) cookies.push(device.cookie(seen));
  return cookies;
}
