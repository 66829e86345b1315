/**
 * The data with which a flow continues after a sign-in. The browser carries it. Secret parts are sealed and bound to
 * that browser.
 */

import type { Millis } from "../../oauth/model.ts";
import { canonicalSlug } from "../company-rules.ts";

/** An authorization request that has not been answered yet. The server stores nothing for an anonymous visitor. */
export interface RequestContinuation {
  readonly kind: "request";
  /** The request's parameters. The server checks them again each time. */
  readonly query: string;
  readonly startedAt: Millis;
  /** The grant's id derives from this nonce and the owner, so that a double click makes one grant. */
  readonly nonce: string;
  /** The code's salt, so that the second click of a double click gets the same code. */
  readonly codeSalt: string;
  /** What the client looked like on the page that asks, if it describes itself. Absent: no page has asked yet. */
  readonly seen?: string;
  /** The approvals that the page showed. Absent: no page has asked yet, or the person belongs to no company. */
  readonly approvals?: ShownApprovals;
}

/** The marks (`approvalMark`) of approvals, by the company's id. A company without one had no approval in force. */
export type ShownApprovals = Readonly<Record<string, string>>;

/** A device's code that somebody typed (RFC 8628 §3.3). */
export interface DeviceContinuation {
  readonly kind: "device";
  /** The code as typed. */
  readonly userCode: string;
  /** The session of this browser that claimed the request. Null: the code has not been looked up yet. */
  readonly claimedBy: string | null;
  /** The client, once it is known: the page names it after the answer, too. */
  readonly clientId: string | null;
  /** True: the person said that the device is theirs, although it asked from another network. */
  readonly confirmed: boolean;
  /** As of `RequestContinuation`. */
  readonly approvals?: ShownApprovals;
}

/** An invitation to a company. */
export interface InvitationContinuation {
  readonly kind: "invitation";
  /** A credential of its own, so it does not need to be sealed. */
  readonly token: string;
}

/** A page of the person's account that needs a sign-in, perhaps a recent one. */
export interface AccountPageContinuation {
  readonly kind: "account_page";
  readonly page: AccountPage;
  /** The authorization request that waits for this page: the person sets up a factor on the way to an app. */
  readonly behind: RequestContinuation | undefined;
}

export type Continuation = RequestContinuation | DeviceContinuation | InvitationContinuation | AccountPageContinuation;

export const ACCOUNT_PAGES = [
  "security",
  "password",
  "passkeys",
  "authenticator",
  "profile",
  "export",
  "delete",
  "new-company",
  "companies",
  "history",
] as const;

/** One of the account's own pages, or the members, apps, connections or provider page of the company with that slug. */
export type AccountPage =
  | (typeof ACCOUNT_PAGES)[number]
  | `company/${string}`
  | `company-apps/${string}`
  | `company-connections/${string}`
  | `company-provider/${string}`;

/** How long a page of an authorization request may stay open. */
export const REQUEST_TTL: Millis = 3_600_000;

/** Longer than any user code, whatever spaces it has. */
const MAX_TYPED = 100;

export function newDevice(typed: string): DeviceContinuation {
  return { kind: "device", userCode: typed.slice(0, MAX_TYPED), claimedBy: null, clientId: null, confirmed: false };
}

/** The authorization request of a continuation. Undefined: it has none. */
export function requestOf(continuation: Continuation | undefined): RequestContinuation | undefined {
  if (continuation?.kind === "request") return continuation;
  return continuation?.kind === "account_page" ? continuation.behind : undefined;
}

type SealedFor = "authorization request" | "device request" | "continuation by mail";

/** Seals texts for one browser, and opens them. */
export interface Sealer {
  seal(purpose: SealedFor, browser: string, text: string): string;
  /** Undefined: the text is not from this server, was changed, or belongs to another browser. */
  open(purpose: SealedFor, browser: string, sealed: string): string | undefined;
}

export interface CarrierContext {
  readonly sealer: Sealer;
  readonly credentials: { read(kind: "invitation", token: string): unknown };
}

/** The fields of a form or link that carry a continuation. Absent: the continuation is of another kind. */
export interface Carried {
  readonly request?: string;
  readonly device?: string;
  readonly invitation?: string;
  readonly to?: string;
}

/** `browser`: the nonce of the browser that carries it. */
export function carried(
  continuation: Continuation | undefined,
  browser: string,
  { sealer }: Pick<CarrierContext, "sealer">,
): Carried {
  switch (continuation?.kind) {
    case undefined:
      return {};
    case "request":
      return { request: sealRequest(continuation, browser, sealer) };
    case "device": {
      const { userCode, claimedBy, clientId, confirmed, approvals } = continuation;
      const facts = [userCode, claimedBy, clientId, confirmed, ...(approvals === undefined ? [] : [approvals])];
      return { device: sealer.seal("device request", browser, JSON.stringify(facts)) };
    }
    case "invitation":
      return { invitation: continuation.token };
    case "account_page": {
      const { page, behind } = continuation;
      return { to: page, ...(behind === undefined ? {} : { request: sealRequest(behind, browser, sealer) }) };
    }
  }
}

function sealRequest(
  { query, startedAt, nonce, codeSalt, seen, approvals }: RequestContinuation,
  browser: string,
  sealer: Sealer,
) {
  const shown = approvals === undefined ? [] : [approvals];
  const facts = [
    query,
    startedAt,
    nonce,
    codeSalt,
    ...(seen === undefined && shown.length === 0 ? [] : [seen]),
    ...shown,
  ];
  return sealer.seal("authorization request", browser, JSON.stringify(facts));
}

/**
 * The continuation that a form or link carries. Undefined: none. `unknown`: it is not from this server, was changed, or
 * belongs to another browser. The code that continues a request checks its age. A device's continuation is valid while
 * the device waits.
 */
export function opened(
  field: (name: keyof Carried) => string | null,
  browser: string,
  context: CarrierContext,
): Continuation | undefined | "unknown" {
  const sealed = field("request");
  const behind = sealed === null ? undefined : openRequest(sealed, browser, context.sealer);
  if (sealed !== null && behind === undefined) return "unknown";
  const page = accountPage(field("to"));
  if (page !== undefined) return { kind: "account_page", page, behind };
  if (behind !== undefined) return behind;
  const device = field("device");
  if (device !== null) return openDevice(device, browser, context.sealer) ?? "unknown";
  const token = field("invitation");
  if (token === null || context.credentials.read("invitation", token) === undefined) return undefined;
  return { kind: "invitation", token };
}

const SEALED = /^[A-Za-z0-9_-]+$/;

export function openRequest(sealed: string, browser: string, sealer: Sealer): RequestContinuation | undefined {
  if (sealed.length > 32_768 || !SEALED.test(sealed)) return undefined;
  const text = sealer.open("authorization request", browser, sealed);
  if (text === undefined) return undefined;
  const [query, startedAt, nonce, codeSalt, seen, approvals] = JSON.parse(text) as [
    ...[string, Millis, string, string],
    ...[(string | null)?, ShownApprovals?],
  ];
  const shown = { ...(seen == null ? {} : { seen }), ...(approvals === undefined ? {} : { approvals }) };
  return { kind: "request", query, startedAt, nonce, codeSalt, ...shown };
}

export function openDevice(sealed: string, browser: string, sealer: Sealer): DeviceContinuation | undefined {
  if (sealed.length > 8192 || !SEALED.test(sealed)) return undefined;
  const text = sealer.open("device request", browser, sealed);
  if (text === undefined) return undefined;
  const [userCode, claimedBy, clientId, confirmed, approvals] = JSON.parse(text) as [
    ...[string, string | null, string | null, boolean],
    ShownApprovals?,
  ];
  const shown = approvals === undefined ? {} : { approvals };
  return { kind: "device", userCode, claimedBy, clientId, confirmed, ...shown };
}

/** The page of that name. Undefined: there is none, so nobody can send a person to another address. */
export function accountPage(name: string | null): AccountPage | undefined {
  for (const kind of ["company", "company-apps", "company-connections", "company-provider"] as const) {
    const slug = name?.startsWith(`${kind}/`) ? name.slice(kind.length + 1) : undefined;
    if (slug !== undefined) return canonicalSlug(slug) === slug ? `${kind}/${slug}` : undefined;
  }
  return ACCOUNT_PAGES.find((page) => page === name);
}
