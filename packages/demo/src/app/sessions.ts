/** The users of the app: the app's own sessions in memory, found by a cookie. */

import { randomBytes } from "node:crypto";
import type { Photo } from "../api/photos.ts";
import type { Step } from "./timeline-steps.ts";

/** An authorization request that waits for its response. */
export interface Pending {
  readonly state: string;
  readonly verifier: string;
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string | null;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface Session {
  pending: Pending | null;
  tokens: Tokens | null;
  profile: { readonly name: string | null; readonly album: string } | null;
  photos: readonly Photo[];
  /** The result of the last action, in one or two sentences. */
  notice: Notice | null;
  /** True if the owner revoked access: the server refused a refresh. */
  ended: boolean;
  /** All recorded steps. The oldest comes first. */
  steps: Step[];
  /** The number of steps before the last click. */
  seen: number;
}

export interface Notice {
  readonly tone: "good" | "bad" | "plain";
  readonly title: string;
  readonly text: string;
}

export const COOKIE = "paperlight_session";
const SESSIONS = 500;
/** Maximum number of steps in a session. When there are more, the oldest is deleted. */
const STEPS = 60;

export function newSession(): Session {
  return {
    pending: null,
    tokens: null,
    profile: null,
    photos: [],
    notice: null,
    ended: false,
    steps: [],
    seen: 0,
  };
}

export function addStep(session: Session, step: Omit<Step, "number" | "at">): void {
  const number = (session.steps.at(-1)?.number ?? 0) + 1;
  session.steps.push({ ...step, number, at: Date.now() });
  if (session.steps.length > STEPS) session.steps.shift();
}

/** Sessions by id. If there are too many, the one that was unused for longest is deleted. */
export class Sessions {
  readonly #byId = new Map<string, Session>();

  find(id: string | undefined): Session | undefined {
    const session = id === undefined ? undefined : this.#byId.get(id);
    if (id === undefined || session === undefined) return undefined;
    this.#byId.delete(id);
    this.#byId.set(id, session);
    return session;
  }

  /** Stores a session under a new id. Returns the id. */
  add(session: Session): string {
    const id = randomBytes(32).toString("base64url");
    this.#byId.set(id, session);
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > SESSIONS && oldest !== undefined) this.#byId.delete(oldest);
    return id;
  }

  end(id: string): void {
    this.#byId.delete(id);
  }
}

export function sessionIdOf(cookieHeader: string | undefined): string | undefined {
  const pair = cookieHeader
    ?.split(";")
    .map((one) => one.trim())
    .find((one) => one.startsWith(`${COOKIE}=`));
  return pair?.slice(COOKIE.length + 1);
}

/** With SameSite=Lax, the browser sends the cookie when Assent redirects back, but not with a form from another site. */
export function cookieOf(id: string): string {
  return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax`;
}

export const NO_COOKIE = `${COOKIE}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`;
