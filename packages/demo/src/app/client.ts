/** The app as an OAuth client. openid-client implements the protocol (RFC 6749, 7636, 8414, 9207). The app records each step for the timeline. */

import { AsyncLocalStorage } from "node:async_hooks";
import * as oauth from "openid-client";
import type { Photo } from "../api/photos.ts";
import { CALLBACK, SCOPES } from "../demo-names-and-texts.ts";
import { explainedJwt } from "./explain-token.ts";
import { browserRequest, type Exchange, forged, recordExchange } from "./recorded-exchange.ts";
import { addStep, type Notice, type Session } from "./sessions.ts";
import { type Step, type StepText, stepOf, TEXTS } from "./timeline-steps.ts";

export interface ClientFacts {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The app's own URL. */
  readonly url: string;
  readonly apiUrl: string;
}

/** The app's calls to the server and the API. Each call adds its steps to the session. */
export interface PhotoClient {
  /** Returns the URL to which the app sends the browser. */
  begin(session: Session): Promise<URL>;
  /** Handles the callback. `query` is the callback's query. If it contains a valid code, the session gets tokens. */
  finish(session: Session, query: string): Promise<void>;
  callApi(session: Session): Promise<void>;
  refresh(session: Session): Promise<void>;
  tryForged(session: Session): Promise<void>;
  /** Deletes the first photo, whether the scope was granted or not. The API decides. */
  tryDelete(session: Session): Promise<void>;
  /** Revokes the refresh token (RFC 7009). */
  leave(session: Session): Promise<void>;
}

interface Parts {
  readonly config: oauth.Configuration;
  readonly facts: ClientFacts;
  readonly discovered: Exchange;
}

/** The exchanges of the current call. */
const recording = new AsyncLocalStorage<Exchange[]>();

const recordingFetch: oauth.CustomFetch = async (url, options) => {
  const started = performance.now();
  const answer = await fetch(url, options as RequestInit);
  const took = performance.now() - started;
  recording.getStore()?.push(await recordExchange(url, options, answer, took));
  return answer;
};

/** The exchanges of a call, and its result or its error. */
type Recorded<T> = { readonly exchanges: readonly Exchange[] } & (
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }
);

async function record<T>(call: () => Promise<T>): Promise<Recorded<T>> {
  const exchanges: Exchange[] = [];
  try {
    return { exchanges, ok: true, value: await recording.run(exchanges, call) };
  } catch (error) {
    return { exchanges, ok: false, error };
  }
}

/** Reads the server's metadata (RFC 8414). Throws if no server answers at the issuer's address. */
export async function createClient(facts: ClientFacts): Promise<PhotoClient> {
  const { issuer, clientId, clientSecret } = facts;
  const found = await record(() =>
    oauth.discovery(new URL(issuer), clientId, undefined, oauth.ClientSecretPost(clientSecret), {
      algorithm: "oauth2",
      execute: [oauth.allowInsecureRequests],
      [oauth.customFetch]: recordingFetch,
      timeout: 10,
    }),
  );
  const [discovered] = found.exchanges;
  if (!found.ok) throw found.error;
  if (discovered === undefined) throw new Error("the server's metadata came from nowhere");
  const parts: Parts = { config: found.value, facts, discovered };
  return {
    begin: (session) => begin(parts, session),
    finish: (session, query) => finish(parts, session, query),
    callApi: (session) => callApi(parts, session),
    refresh: (session) => refresh(parts, session),
    tryForged: (session) => tryForged(parts, session),
    tryDelete: (session) => tryDelete(parts, session),
    leave: (session) => leave(parts, session),
  };
}

async function begin({ config, facts, discovered }: Parts, session: Session): Promise<URL> {
  const verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  // The server keeps a declined scope until the owner decides again. Without a prompt it would answer the same, without a question.
  const isDeclined = session.tokens !== null && SCOPES.some(({ name }) => !session.tokens?.scopes.includes(name));
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: `${facts.url}${CALLBACK}`,
    scope: SCOPES.map(({ name }) => name).join(" "),
    ...(isDeclined ? { prompt: "consent" } : {}),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  session.pending = { state, verifier };
  session.seen = session.steps.length;
  if (session.steps.length === 0) addStep(session, stepOf(TEXTS.discovery, discovered));
  addStep(session, {
    ...TEXTS.authorization,
    outcome: "done",
    request: browserRequest(url),
    answer: [],
    status: 302,
    errorUri: null,
    decoded: [],
  });
  return url;
}

async function finish(parts: Parts, session: Session, query: string): Promise<void> {
  const { config, facts } = parts;
  const { pending } = session;
  const url = new URL(`${facts.url}${CALLBACK}${query}`);
  session.pending = null;
  if (pending === null) return stray(session, url, "No request of this browser is waiting for an answer.");
  const checks = { expectedState: pending.state, pkceCodeVerifier: pending.verifier };
  const granted = await record(() => oauth.authorizationCodeGrant(config, url, checks));
  const [exchange] = granted.exchanges;
  if (granted.ok && exchange !== undefined) {
    addStep(session, arrival(TEXTS.callback, url));
    keep(session, granted.value, null);
    const all = session.tokens?.scopes.length === SCOPES.length;
    const text = all ? TEXTS.token : TEXTS.tokenWithLess;
    addStep(session, stepOf(text, exchange, { decoded: shownToken(session, facts) }));
    session.ended = false;
    session.notice = null;
    await fetchProfile(parts, session);
    await fetchPhotos(parts, session);
    return;
  }
  const error = granted.ok ? undefined : granted.error;
  if (exchange !== undefined) {
    addStep(session, arrival(TEXTS.callback, url));
    addStep(session, stepOf(TEXTS.tokenRefused, exchange, { outcome: "refused" }));
    session.notice = { tone: "bad", title: "That didn’t work", text: reasonOf(error) };
    return;
  }
  // The app sent no request. The authorization response contained an error, or it failed the checks.
  if (!(error instanceof oauth.AuthorizationResponseError)) return stray(session, url, reasonOf(error));
  addStep(session, arrival(TEXTS.denied, url));
  session.notice =
    error.error === "access_denied" ? DENIED : { tone: "bad", title: "That didn’t work", text: reasonOf(error) };
}

function stray(session: Session, url: URL, reason: string): void {
  addStep(session, arrival(TEXTS.mismatch, url));
  session.notice = { tone: "bad", title: "The app dropped an answer", text: reason };
}

/** The step in which the browser arrives at the callback. */
function arrival(text: StepText, url: URL): Omit<Step, "number" | "at"> {
  return {
    ...text,
    outcome: text === TEXTS.callback ? "done" : "refused",
    request: browserRequest(url),
    answer: [],
    status: null,
    errorUri: url.searchParams.get("error_uri"),
    decoded: [],
  };
}

const DENIED = {
  tone: "plain",
  title: "You didn’t allow it",
  text: "The app got “access_denied” and no token. To decide again, press “Connect with Assent”.",
} as const;

/** `before`: the refresh token to keep if the response contains no new one (RFC 6749 §6). */
function keep(session: Session, answer: oauth.TokenEndpointResponse, before: string | null): void {
  session.tokens = {
    access: answer.access_token,
    refresh: answer.refresh_token ?? before,
    scopes: (answer.scope ?? SCOPES.map(({ name }) => name).join(" ")).split(" "),
    expiresAt: Date.now() + (answer.expires_in ?? 0) * 1000,
  };
}

function shownToken(session: Session, facts: ClientFacts) {
  return session.tokens === null ? [] : explainedJwt(session.tokens.access, facts);
}

async function ask(parts: Parts, token: string, method: string, path: string) {
  const url = new URL(path, parts.facts.apiUrl);
  // A refusal with a challenge throws. The exchange contains the response anyway.
  const answer = await record(() => oauth.fetchProtectedResource(parts.config, token, url, method));
  const [exchange] = answer.exchanges;
  return { exchange, json: answer.ok && answer.value.ok ? await answer.value.json().catch(() => null) : null };
}

async function fetchProfile(parts: Parts, session: Session): Promise<void> {
  const { tokens } = session;
  if (tokens === null) return;
  const { exchange, json } = await ask(parts, tokens.access, "GET", "/profile");
  if (exchange === undefined) return addFailure(session);
  addStep(session, stepOf(TEXTS.profile, exchange));
  session.profile = json as Session["profile"];
}

/** Returns the status of the response. Undefined if there was no response. */
async function fetchPhotos(parts: Parts, session: Session): Promise<number | undefined> {
  const { tokens } = session;
  if (tokens === null) return undefined;
  const { exchange, json } = await ask(parts, tokens.access, "GET", "/photos");
  if (exchange === undefined) {
    addFailure(session);
    return undefined;
  }
  addStep(session, stepOf(photosText(exchange.status, session.ended), exchange));
  if (json !== null) session.photos = (json as { photos: Photo[] }).photos;
  return exchange.status;
}

function photosText(status: number, ended: boolean): StepText {
  if (status === 401) return TEXTS.expired;
  if (status === 403) return TEXTS.narrowed;
  return ended && status === 200 ? TEXTS.afterRevoked : TEXTS.photos;
}

async function callApi(parts: Parts, session: Session): Promise<void> {
  const status = await fetchPhotos(parts, session);
  if (status !== undefined) session.notice = callNotice(status, session);
}

function callNotice(status: number, { ended, photos }: Session): Notice {
  switch (status) {
    case 200:
      return ended
        ? { tone: "plain", title: "Still let in", text: "The access token from before is valid until it expires." }
        : { tone: "good", title: "200, come in", text: `The API sent ${count(photos.length)}.` };
    case 401:
      return {
        tone: "bad",
        title: "401, the token is no longer good",
        text: ended
          ? "It has timed out, and there is no renewing it. Only you can let the app in again."
          : "It has timed out. Refresh the token, and the API lets the app in again.",
      };
    case 403:
      return { tone: "bad", title: "403, not with this token", text: "You took that permission out of it." };
    default:
      return { tone: "bad", title: `${status}, no photos`, text: "See the last step for what the API says." };
  }
}

function count(photos: number): string {
  return photos === 1 ? "1 photo" : `${photos} photos`;
}

async function refresh(parts: Parts, session: Session): Promise<void> {
  const { tokens } = session;
  const token = tokens?.refresh;
  if (!tokens || !token) return;
  const renewed = await record(() => oauth.refreshTokenGrant(parts.config, token));
  const [exchange] = renewed.exchanges;
  if (exchange === undefined) return addFailure(session);
  if (renewed.ok) {
    keep(session, renewed.value, token);
    addStep(session, stepOf(TEXTS.refresh, exchange, { decoded: shownToken(session, parts.facts) }));
    const less = (session.tokens?.scopes.length ?? 0) < tokens.scopes.length;
    session.notice = less
      ? {
          tone: "plain",
          title: "Renewed, with less in it",
          text: "You took something out at Assent: the new token shows it.",
        }
      : { tone: "good", title: "Renewed", text: "The app has a new access token; the clock starts anew." };
    return;
  }
  addStep(session, stepOf(TEXTS.refreshRefused, exchange, { outcome: "refused" }));
  const ended = renewed.error instanceof oauth.ResponseBodyError && renewed.error.error === "invalid_grant";
  if (!ended) {
    session.notice = { tone: "bad", title: "Not renewed", text: reasonOf(renewed.error) };
    return;
  }
  session.ended = true;
  session.tokens = { ...tokens, refresh: null };
  session.notice = null;
}

async function tryForged(parts: Parts, session: Session): Promise<void> {
  const { tokens } = session;
  if (tokens === null) return;
  const later = Math.floor(Date.now() / 1000) + 365 * 86_400;
  const token = forged(tokens.access, { exp: later });
  const { exchange } = await ask(parts, token, "GET", "/photos");
  if (exchange === undefined) return addFailure(session);
  addStep(session, stepOf(TEXTS.forged, exchange, { decoded: explainedJwt(token, parts.facts) }));
  session.notice = {
    tone: "bad",
    title: `${exchange.status}, nice try`,
    text: "One changed claim, and the signature is void. Nobody who holds a token can make it say more.",
  };
}

async function tryDelete(parts: Parts, session: Session): Promise<void> {
  const [photo] = session.photos;
  const { tokens } = session;
  if (tokens === null) return;
  const { exchange } = await ask(parts, tokens.access, "DELETE", `/photos/${photo?.id ?? "1"}`);
  if (exchange === undefined) return addFailure(session);
  const { status } = exchange;
  const text = status === 403 ? TEXTS.beyond : status === 401 ? TEXTS.expired : TEXTS.removed;
  addStep(session, stepOf(text, exchange));
  if (status === 204 && photo !== undefined) {
    session.photos = session.photos.filter(({ id }) => id !== photo.id);
    session.notice = { tone: "plain", title: `“${photo.title}” is gone`, text: "You allowed the app to do that." };
  } else if (status === 403) {
    const why = "You left out “Delete your photos”, and the API keeps to it: insufficient_scope.";
    session.notice = { tone: "bad", title: "403, not with this token", text: why };
  } else {
    session.notice = { tone: "bad", title: `${status}, nothing deleted`, text: "See the last step for the reason." };
  }
}

async function leave({ config }: Parts, session: Session): Promise<void> {
  const token = session.tokens?.refresh;
  // The app forgets the token in any case, even if the server can't be reached.
  if (token) await record(() => oauth.tokenRevocation(config, token, { token_type_hint: "refresh_token" }));
}

function addFailure(session: Session): void {
  const rest = { outcome: "refused", request: [], answer: [], status: null, errorUri: null, decoded: [] } as const;
  addStep(session, { ...TEXTS.failed, ...rest });
  const text = "The server or the API gave no answer. Are they running?";
  session.notice = { tone: "bad", title: "Nobody answered", text };
}

function reasonOf(error: unknown): string {
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError)
    return `${error.error}: ${error.error_description ?? "no description"}`;
  return error instanceof Error ? `${error.message}.` : "The reason is unknown.";
}
