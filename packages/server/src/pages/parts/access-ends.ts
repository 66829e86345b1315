/** When access ends: of an app after it was revoked, and of single permissions. */
import type { Chrome } from "../chrome.ts";
import { hostWords } from "../client-host.ts";
import { fill, type Messages, plural, rich } from "../messages/index.ts";
import { shownTime, timeElement } from "../shown-time.ts";
import { name, visible } from "../untrusted-text.ts";
import { type Child, html, type Markup } from "./html.ts";

/** Maximum number of an app's addresses shown. */
const OPEN_HOSTS = 3;

/** Says when access ends, in minutes from now. Below 1: at once. */
export function accessEnds(stopsIn: number, { words }: Chrome): string {
  if (stopsIn < 1) return words.apps.stopsAtOnce;
  return fill(plural(words.language, words.apps.stopsSoon, stopsIn), { count: stopsIn });
}

/** The same of permissions that apps lost. Null: at once. */
export function permissionsEnd(stopsIn: number, { words }: Chrome): string | null {
  if (stopsIn < 1) return null;
  return fill(plural(words.language, words.takeBack.lostSoon, stopsIn), { count: stopsIn });
}

/** Says which name the owner allowed, if the app has another one now. */
export function formerName(app: { readonly formerName: string | null }, { apps }: Messages): Child {
  return (
    app.formerName !== null && html`<p class="soft small">${rich(apps.formerName, { name: name(app.formerName) })}</p>`
  );
}

/** An app that gets no new access, with access that it already has. `until`: epoch milliseconds. */
export interface EndedApp {
  readonly name: string;
  readonly until: number;
}

/** What a page says about access that has ended. */
export interface EndedAccess {
  /** The apps that get no new access, but hold a token that still works. */
  readonly ended: readonly EndedApp[];
  /**
   * A restore from a backup, while tokens that the database does not know may still work. Absent: there was none, or they
   * have expired. Epoch milliseconds.
   */
  readonly restored?: { readonly at: number; readonly until: number };
}

/** True: some app holds a token that still works, or may hold one. */
export function mayHoldAccess({ ended, restored }: EndedAccess): boolean {
  return ended.length > 0 || restored !== undefined;
}

/** The apps that get no new access, each with the end of what it can still use. */
export function endedApps(view: EndedAccess & { readonly now: number }, words: Messages): Child {
  const { ended, restored, now } = view;
  const { endedTitle, endedText, restored: restoredText } = words.apps;
  return (
    mayHoldAccess(view) &&
    html`<section class="unused">
      <h2>${endedTitle}</h2>
      ${ended.length > 0 && html`<p class="soft">${endedText}</p>`}
      ${ended.length > 0 && lastAccess(ended, now, words)}
      ${restored !== undefined && html`<p class="soft">${rich(restoredText, { when: timeElement(words, restored.at, now), time: shownTime(words, restored.until, "clock") })}</p>`}
    </section>`
  );
}

/** The apps, each with the end of what it can still use. */
export function lastAccess(apps: readonly EndedApp[], now: number, words: Messages): Markup {
  return html`<div class="card app">
    ${apps.map((app) => html`<p>${name(app.name)} <span class="soft small">${scopeEnd(app.until, now, words)}</span></p>`)}
  </div>`;
}

interface Hosts {
  readonly hosts: readonly string[];
  readonly hostEnds?: Readonly<Record<string, number>>;
}

/** The addresses of an app. Beside one whose access ends sooner than that of others, its end. */
export function hostLines({ hosts, hostEnds = {} }: Hosts, now: number, words: Messages): Child {
  const until = (host: string): Child => {
    const end = Object.hasOwn(hostEnds, host) ? hostEnds[host] : undefined;
    return end !== undefined && [" · ", rich(words.apps.until, { when: timeElement(words, end, now) })];
  };
  const more = hosts.length - OPEN_HOSTS;
  return [
    hosts.slice(0, OPEN_HOSTS).map((host) => html`<p class="soft small">${hostWords(host, words)}${until(host)}</p>`),
    more > 0 && html`<p class="soft small">${fill(plural(words.language, words.apps.more, more), { count: more })}</p>`,
  ];
}

/** True: the app gets no access now, because its owner paused it or the operator turned it off. */
export function isHalted({ pausedAt, off }: { readonly pausedAt: number | null; readonly off: boolean }): boolean {
  return pausedAt !== null || off;
}

/** The term of the end of an app's access, or of its last permission. An app that is paused or turned off has none now. */
export function endsTerm(
  app: { readonly pausedAt: number | null; readonly off: boolean },
  { agents, apps }: Messages,
  isLast: boolean,
): string {
  if (!isHalted(app)) return isLast ? apps.endsLast : apps.ends;
  if (app.pausedAt === null) return isLast ? agents.lastOn : agents.endsOn;
  return isLast ? agents.lastResumed : agents.endsResumed;
}

/** A permission that was allowed. `gone`: the operator no longer offers it, so no new token has it. */
interface Offered {
  readonly gone?: boolean;
}

/** Marks a permission that gives nothing new. */
export function goneTag({ gone = false }: Offered, { apps }: Messages): Child {
  return gone && [" ", html`<span class="tag">${apps.scopeGone}</span>`];
}

/** Says what such a permission still means, below a list that has one. */
export function goneHint(scopes: readonly Offered[], { apps }: Messages): Child {
  return scopes.some(({ gone = false }) => gone) && html`<p class="soft small">${apps.scopeGoneHint}</p>`;
}

/** When one permission ends, if the permissions of an app end at different times. `never`: what to say if it has no end. */
export function scopeEnd(
  expiresAt: number | null,
  now: number,
  words: Messages,
  never: string = words.consent.endsNever,
): Child {
  return expiresAt === null ? never : rich(words.apps.until, { when: timeElement(words, expiresAt, now) });
}

/** The ends of a permission that a request asks for, in epoch milliseconds. */
export interface ScopeEnds {
  /** Present end of the scope if the owner granted it before, for any address. Null: it lasts until revoked. Absent: the scope is new. */
  readonly endsAt?: number | null;
  /** Until when the client has the scope from an earlier answer that was for once. Absent: it has none. */
  readonly onceUntil?: number;
  /** The same, of other access that the answer leaves as it is. Null: it has no end. */
  readonly keptUntil?: number | null;
  /** True: what the owner chooses here ends no later than that. Absent: false. */
  readonly keptLimits?: boolean;
  /** As `onceUntil`, of refresh tokens from before the client asked for `offline_access`. The answer replaces them. */
  readonly awayUntil?: number | null;
  /** True: the app has the scope by the operator's policy until the owner revokes it, however long they allow it here. */
  readonly byPolicy?: boolean;
}

/** A permission of the app, in a list without boxes. */
export interface HeldPermission {
  /** In words for owners. */
  readonly text: string;
  /** Its latest end in epoch milliseconds. Null: until revoked. */
  readonly endsAt: number | null;
}

/** The end of several permissions: one for all, or the first of several. */
export function endsTogether(scopes: readonly ScopeEnds[], now: number, words: Messages): Child {
  const { consent } = words;
  const ends = new Set(scopes.map(({ endsAt = null }) => endsAt));
  const first = Math.min(...[...ends].filter((end) => end !== null));
  if (!Number.isFinite(first)) return consent.grantedNoEnd;
  const text = ends.size > 1 ? consent.grantedEnds : consent.grantedEnd;
  return rich(text, { when: timeElement(words, first, now) });
}

/** On the consent page, a scope's present end, or that of older access. Null if the scope is new. */
export function presentEnd(
  { endsAt, onceUntil, keptUntil, keptLimits = false, awayUntil, byPolicy = false }: ScopeEnds,
  { now, pausedAt, never }: { readonly now: number; readonly pausedAt?: number; readonly never: string },
  words: Messages,
): Child {
  if (byPolicy) {
    const text = pausedAt === undefined ? words.consent.policyNever : words.agents.backNever;
    return html`<span class="soft small">${text}</span>`;
  }
  if (onceUntil !== undefined) {
    const text = rich(words.consent.onceBefore, { when: timeElement(words, onceUntil, now) });
    return html`<span class="soft small">${text}</span>`;
  }
  const held = keptUntil !== undefined ? keptUntil : awayUntil;
  if (held !== undefined) {
    const { keptEnds, keptEndsHere, keptNever, awayEnds, awayNever } = words.consent;
    const { backEnds, backNever } = words.agents;
    const kept =
      pausedAt === undefined
        ? ([keptLimits ? keptEndsHere : keptEnds, keptNever] as const)
        : ([backEnds, backNever] as const);
    const [withEnd, without] = keptUntil !== undefined ? kept : [awayEnds, awayNever];
    const text = held === null ? without : rich(withEnd, { when: timeElement(words, held, now) });
    return html`<span class="soft small">${text}</span>`;
  }
  return endsAt === undefined ? null : html`<span class="soft small">${scopeEnd(endsAt, now, words, never)}</span>`;
}

/** Names permissions in a sentence, each with its end. Null: there are none. */
export function withEnds(
  permissions: readonly HeldPermission[],
  now: number,
  words: Messages,
  never?: string,
): readonly Child[] | null {
  if (permissions.length === 0) return null;
  return permissions.map(({ text, endsAt }, at) => [
    at > 0 && "\u00a0· ",
    html`<span class="held"><bdi>${visible(text)}</bdi> (${scopeEnd(endsAt, now, words, never)})</span>`,
  ]);
}
