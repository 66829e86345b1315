/** `/account/security`: how one signs in, and where one is signed in. */

import { relyingPartyOf } from "../../crypto/passkeys.ts";
import { type AccountPage, requestOf } from "../../owners/authorization/continuation.ts";
import type { AddedFrom } from "../../owners/factor-storage.ts";
import { endSessions as endSessionsOf, waysAndSessionsOf } from "../../owners/sessions.ts";
import type { FactorSections, SeenFrom } from "../../pages/factor-views.ts";
import { securityPage, signedOutPage } from "../../pages/index.ts";
import { SECURITY_NOTICES, type SecurityView } from "../../pages/security/views.ts";
import type { Assent } from "../../server-parts.ts";
import { arrivalOf, isAnswer } from "../authorization/arrival.ts";
import { coarse } from "../connections/client-address.ts";
import { formToken } from "../forms.ts";
import { type Answer, formOf, page, redirect } from "../message.ts";
import { isFresh } from "../reauthentication.ts";
import { deviceOf } from "../user-agent.ts";
import { type Account, type AccountEndpoint, signedIn } from "./account.ts";
import { signedInAs } from "./cards.ts";
import { FIRST, signInAnswer } from "./sign-in-page.ts";

export const showSecurity = signedIn(async (account, assent) => {
  const { person, session, http, visitor } = account;
  const done = new URLSearchParams(http.query).get("done");
  const view: SecurityView = {
    csrf: formToken(assent.secrets, `session:${session.sessionId}`),
    person: signedInAs(person),
    now: assent.now(),
    notice: (Object.keys(SECURITY_NOTICES) as (keyof typeof SECURITY_NOTICES)[]).find((one) => one === done) ?? null,
    password: { set: person.passwordHash !== null, changedAt: person.passwordChangedAt },
    ...(await factorsOf(account, assent)),
  };
  return page(200, securityPage(view, assent.chrome(http)), "here", visitor.cookies);
});

async function factorsOf({ person, session }: Account, assent: Assent): Promise<FactorSections> {
  const { passkeys, factor, sessions } = await waysAndSessionsOf(person, assent.sessions);
  const entries = passkeys.map(({ credentialId, backupEligible, added, ...entry }) => ({
    ...{ id: credentialId, name: entry.name, synced: backupEligible, ...seenFrom(added) },
    ...{ createdAt: entry.createdAt, lastUsedAt: entry.lastUsedAt },
  }));
  return {
    passkeys: { available: relyingPartyOf(assent.issuer) !== undefined, entries },
    authenticator:
      factor === undefined
        ? null
        : {
            ...{ since: factor.createdAt, ...seenFrom(factor.added), earlier: factor.earlier !== null },
            codes: { since: factor.codesAt, left: factor.codesLeft, ...seenFrom(factor.codesAdded) },
          },
    sessions: sessions
      .slice(0, MOST_SHOWN)
      .map(({ sessionId, userAgent, address, createdAt, lastSeenAt }) => ({
        ...{ id: sessionId, here: sessionId === session.sessionId, ...seenFrom({ userAgent, address }) },
        ...{ since: createdAt, seenAt: lastSeenAt },
      }))
      .sort((one, other) => Number(other.here) - Number(one.here)),
  };
}

function seenFrom({ userAgent, address }: Pick<AddedFrom, "userAgent" | "address">): SeenFrom {
  return { ...deviceOf(userAgent), place: coarse(address) };
}

/** "Everywhere else" ends those, too, that aren't shown. */
const MOST_SHOWN = 50;

/** Ends sessions; what apps may do goes on. */
export const endSessions = signedIn(async ({ person, session, http, visitor }, assent) => {
  const by = { person, session, address: http.address };
  switch (await endSessionsOf(formOf(http).get("end") ?? "", by, assent.sessions)) {
    case "all": {
      const cookies = [...visitor.cookies, assent.cookies.clear("session")];
      return page(200, signedOutPage({ signIn: "/login" }, assent.chrome(http)), "here", cookies);
    }
    case "others":
      return securityAfter("others-ended", visitor.cookies, assent);
    case "one":
      return securityAfter("session-ended", visitor.cookies, assent);
    case "unknown":
      return redirect(303, `${assent.issuer}/account/security`, visitor.cookies);
  }
});

/** Back to the page about security, which says what was done. */
export function securityAfter(done: keyof typeof SECURITY_NOTICES, cookies: readonly string[], { issuer }: Assent) {
  return redirect(303, `${issuer}/account/security?done=${done}`, cookies);
}

/**
 * A page that a borrowed browser must not use: it takes a sign-in of the last ten minutes, with all its steps. Others sign in once more, and come
 * back to it.
 */
export function freshly(to: AccountPage, show: AccountEndpoint): ReturnType<typeof signedIn> {
  return signedIn(async (account, assent) =>
    (await isFresh(account, assent)) ? show(account, assent) : confirmFirst(to, account, assent),
  );
}

/** To the sign-in once more, and then to that place. */
export function confirmFirst(to: AccountPage, { http, visitor }: Account, { issuer }: Assent): Answer {
  const request = (http.method === "GET" ? new URLSearchParams(http.query) : formOf(http)).get("request");
  const query = new URLSearchParams({ to, ...(request === null ? {} : { request }) });
  return redirect(303, `${issuer}/account/confirm?${query}`, visitor.cookies);
}

/** The sign-in once more, on the way to one of those pages. */
export const showConfirm = signedIn(async ({ person, http }, assent) => {
  const arrival = await arrivalOf(http, assent, new URLSearchParams(http.query));
  if (isAnswer(arrival)) return arrival;
  const { continuation: waits } = arrival;
  const continuation =
    waits?.kind === "account_page"
      ? waits
      : ({ kind: "account_page", page: "security", behind: requestOf(waits) } as const);
  return signInAnswer({ ...arrival, continuation }, assent, { ...FIRST, username: person.username });
});
