/** The owner's own pages: what they granted, and taking it back (`/account/apps`, `/account/sign-out`). */

import type { Assent } from "../../assent.ts";
import { longestAccessTtl } from "../../oauth/access-token.ts";
import type { Millis } from "../../oauth/model.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import { USE_RECORDED_EVERY } from "../../oauth/storage.ts";
import type { ConsentWithGrants, Person, Session } from "../../owners/storage.ts";
import { appsPage, signedOutPage, signOutPage } from "../../pages/index.ts";
import type { AppEntry, AppsView } from "../../pages/views.ts";
import { formToken, isFormToken } from "../forms.ts";
import { type Answer, formOf, type HttpRequest, page, redirect } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { type Visitor, visitorOf } from "../visitor.ts";
import { logoPath, signedInAs } from "./cards.ts";

/** What every page here needs: somebody who is signed in. */
export interface Account {
  readonly visitor: Visitor;
  readonly person: Person;
  readonly session: Session;
  readonly http: HttpRequest;
}

type AccountPage = (account: Account, assent: Assent) => Promise<Answer>;

/**
 * Others are asked to sign in first, and those to choose a new password who must, unless the page is `allowed` before that. A form's token belongs to
 * the session.
 */
export function signedIn(
  show: AccountPage,
  ...allowed: readonly "before a new password"[]
): (http: HttpRequest, assent: Assent) => Promise<Answer> {
  return async (http, assent) => {
    const visitor = await visitorOf(http, assent);
    if (visitor.signedIn === undefined) return redirect(303, `${assent.issuer}/login`, visitor.cookies);
    const { person, session } = visitor.signedIn;
    if (person.mustChangePassword && !allowed.includes("before a new password")) {
      return redirect(303, `${assent.issuer}/account/security/password`, visitor.cookies);
    }
    if (
      http.method === "POST" &&
      !isFormToken(assent.secrets, `session:${session.sessionId}`, formOf(http).get("csrf"))
    ) {
      return problemAnswer("form_token_invalid", http, assent);
    }
    return show({ visitor, person, session, http }, assent);
  };
}

export const showApps = signedIn((account, assent) => appsAnswer(account, assent, null));

export const revokeApp = signedIn(async (account, assent) => {
  const { person, http } = account;
  const clientId = formOf(http).get("client_id") ?? "";
  const app = await appName(clientId, assent);
  const now = assent.now();
  const outcome = await assent.storage.revokeConsent({
    partition: person.partition,
    ownerId: person.personId,
    clientId,
    revokedBy: person.personId,
    now,
  });
  if (outcome.kind === "unknown") return appsAnswer(account, assent, { kind: "gone" });
  assent.event("consent_revoked", { owner: person.personId, client_id: clientId, grants_ended: outcome.grantsEnded });
  const minutes = await minutesLeft(outcome.lastUsedAt, now, assent);
  return appsAnswer(account, assent, { kind: "revoked", app, minutes });
});

export const narrowApp = signedIn(async (account, assent) => {
  const { person, http } = account;
  const form = formOf(http);
  const key = { partition: person.partition, ownerId: person.personId, clientId: form.get("client_id") ?? "" };
  const app = await appName(key.clientId, assent);
  const keep = new Set(form.getAll("keep"));
  const entry = (await entries(person, assent)).find(({ clientId }) => clientId === key.clientId);
  const remove = (entry?.scopes ?? []).map(({ name }) => name).filter((name) => !keep.has(name));
  if (entry === undefined) return appsAnswer(account, assent, { kind: "gone" });
  if (remove.length === 0) return appsAnswer(account, assent, null);
  const now = assent.now();
  const outcome = await assent.storage.narrowConsent({ ...key, remove, by: person.personId, now });
  if (outcome.kind === "unknown") return appsAnswer(account, assent, { kind: "gone" });
  assent.event("consent_narrowed", { owner: person.personId, client_id: key.clientId, removed: remove.join(" ") });
  const minutes = await minutesLeft(entry.lastUsedAt, now, assent);
  return appsAnswer(account, assent, { kind: outcome.kind, app, minutes });
});

async function appName(clientId: string, assent: Assent): Promise<string> {
  return (await assent.oauth.catalog.client(clientId))?.name ?? clientId;
}

/** How long an access token that is out may still be used: it isn't revoked, it times out. */
async function minutesLeft(lastUsedAt: Millis | null, now: Millis, assent: Assent): Promise<number> {
  if (lastUsedAt === null) return 0;
  const longest = await longestAccessTtl(assent.oauth);
  // The last use may have been later than what is written of it.
  const until = Math.min(now, lastUsedAt + USE_RECORDED_EVERY) + longest;
  return Math.max(0, Math.ceil((until - now) / 60_000));
}

async function appsAnswer(
  { person, session, http, visitor }: Account,
  assent: Assent,
  notice: AppsView["notice"],
): Promise<Answer> {
  const view: AppsView = {
    csrf: formToken(assent.secrets, `session:${session.sessionId}`),
    person: signedInAs(person),
    apps: await entries(person, assent),
    now: assent.now(),
    notice,
  };
  return page(200, appsPage(view, assent.chrome(http)), "here", visitor.cookies);
}

async function entries(person: Person, assent: Assent): Promise<AppEntry[]> {
  const now = assent.now();
  const consents = await assent.storage.listConsents({ partition: person.partition, ownerId: person.personId, now });
  return Promise.all(consents.map((consent) => entryOf(consent, assent)));
}

async function entryOf({ consent, grants }: ConsentWithGrants, assent: Assent): Promise<AppEntry> {
  const client = await assent.oauth.catalog.client(consent.clientId);
  const known = await assent.oauth.catalog.scopes();
  const live = grants.filter(({ status }) => status === "active");
  const ends = new Map(
    [...live.flatMap(({ scopes }) => scopes), ...consent.scopes].map(({ name, expiresAt }) => [name, expiresAt]),
  );
  const uses = [consent.lastUsedAt, ...grants.map(({ lastUsedAt }) => lastUsedAt)].filter((at) => at !== null);
  const thefts = grants
    .filter(({ status }) => status === "theft" || status === "replayed")
    .map(({ endedAt }) => endedAt ?? 0);
  const [firstRedirect] = client?.redirectUris ?? [];
  return {
    clientId: consent.clientId,
    name: client?.name ?? consent.shown.clientName,
    logo: client === undefined ? null : logoPath(client),
    host: firstRedirect === undefined ? null : redirectHost(firstRedirect),
    scopes: [...ends].map(([name, expiresAt]) => ({
      name,
      description: known.get(name)?.description ?? name,
      expiresAt,
      removable: true,
    })),
    grantedAt: consent.createdAt,
    lastUsedAt: uses.length === 0 ? null : Math.max(...uses),
    expiresAt: consent.expiresAt,
    theftAt: thefts.length === 0 ? null : Math.max(...thefts),
  };
}

export const showSignOut = signedIn(async ({ person, session, http, visitor }, assent) => {
  const view = { csrf: formToken(assent.secrets, `session:${session.sessionId}`), person: signedInAs(person) };
  return page(200, signOutPage(view, assent.chrome(http)), "here", visitor.cookies);
}, "before a new password");

export const submitSignOut = signedIn(async ({ session, http, person, visitor }, assent) => {
  await assent.storage.endSession({ partition: session.partition, sessionId: session.sessionId });
  assent.event("signed_out", { owner: person.personId });
  const cookies = [...visitor.cookies, assent.cookies.clear("session")];
  return page(200, signedOutPage({ signIn: "/login" }, assent.chrome(http)), "here", cookies);
}, "before a new password");
