/** Who uses the app: its own sessions, by a cookie of its own, in memory. */

import { randomBytes } from "node:crypto";
import type { Photo } from "../api/photos.ts";
import type { Step } from "./steps.ts";

/** An authorization request that waits for its answer. */
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
  profile: { readonly name: string; readonly album: string } | null;
  photos: readonly Photo[];
  /** What happened last, in a sentence or two. */
  notice: Notice | null;
  /** The owner took back what they had granted: a refresh was refused. */
  ended: boolean;
  /** All that went over the wire, the oldest first. */
  steps: Step[];
  /** How many steps there were before the last click. */
  seen: number;
}

export interface Notice {
  readonly tone: "good" | "bad" | "plain";
  readonly title: string;
  readonly text: string;
}

export const COOKIE = "paperlight_session";
const SESSIONS = 500;
/** More clicks than anybody needs; the oldest steps go. */
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

/** Sessions by id; the one not used for longest makes room. */
export class Sessions {
  readonly #byId = new Map<string, Session>();

  find(id: string | undefined): Session | undefined {
    const session = id === undefined ? undefined : this.#byId.get(id);
    if (id === undefined || session === undefined) return undefined;
    this.#byId.delete(id);
    this.#byId.set(id, session);
    return session;
  }

  /** Puts a session under a new id, which it gives. */
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

/** Lax: it comes along when Assent sends the browser back, and with no form of another site. */
export function cookieOf(id: string): string {
  return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax`;
}

export const NO_COOKIE = `${COOKIE}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`;
