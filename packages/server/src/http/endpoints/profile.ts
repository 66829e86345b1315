/** `/account/profile`: who one is here, all that is kept about one, and the way out. */

import { displayTextProblem } from "../../oauth/names/display-name.ts";
import { newsFor } from "../../owners/account-news.ts";
import { mayAskForAddress, mayProve } from "../../owners/mail/limits.ts";
import { CONFIRM_TTL, DELETION_DELAY } from "../../owners/mail/mail.ts";
import { sendLink } from "../../owners/mail/requests.ts";
import { newEmail } from "../../owners/new-names.ts";
import { deletePage, profilePage } from "../../pages/index.ts";
import type { DeleteView, ProfileView } from "../../pages/security/views.ts";
import type { Assent } from "../../server-parts.ts";
import { formToken } from "../forms.ts";
import { languageFor } from "../mail-links.ts";
import { type Answer, formOf, page, redirect } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { proofFault } from "../reauthentication.ts";
import { type Account, signedIn } from "./account.ts";
import { QUEUE_RETRY } from "./ask-mail.ts";
import { signedInAs } from "./cards.ts";
import { confirmFirst } from "./security.ts";

const MAX_NAME = 120;

const UNTOUCHED = { nameWrong: false, typed: "", fault: null, notice: null } as const;
type Shown = Pick<ProfileView, "nameWrong" | "typed" | "fault" | "notice"> & { readonly name?: string };

export const showProfile = signedIn(async (account, assent: Assent) => {
  const done = new URLSearchParams(account.http.query).get("done");
  const notice = done === "name" || done === "kept" ? ({ kind: done } as const) : null;
  return answer(account, { ...UNTOUCHED, notice }, assent);
});

export const saveName = signedIn(async (account, assent: Assent) => {
  const { person, session, http, visitor } = account;
  const name = formOf(http).get("name")?.trim() ?? "";
  if (name !== "" && displayTextProblem(name, MAX_NAME, person.name) !== undefined)
    return answer(account, { ...UNTOUCHED, name: name.slice(0, 500), nameWrong: true }, assent);
  const { partition, personId } = person;
  const { sessionId } = session;
  const changes = { name: name === "" ? null : name.normalize("NFC") };
  await assent.storage.people.update({ partition, personId, sessionId, changes, now: assent.now() });
  return redirect(303, `${assent.issuer}/account/profile?done=name`, visitor.cookies);
});

export const askVerification = signedIn(async (account, assent: Assent) => {
  const { person, http } = account;
  if (!assent.mail.enabled || person.emailVerifiedAt !== null) return answer(account, UNTOUCHED, assent);
  const { partition, personId, email, username } = person;
  if (!(await mayProve(personId, assent.signIn)))
    return answer(account, { ...UNTOUCHED, notice: { kind: "tooMany" } }, assent);
  const about = { partition, personId, purpose: "verify", address: email, ttl: CONFIRM_TTL } as const;
  const made = assent.links.make(about, "/confirm/verify");
  const values = { person: username, email };
  await sendLink(made, { kind: "verify", to: email, language: languageFor(http, assent), values }, assent);
  return answer(account, { ...UNTOUCHED, notice: { kind: "verify", email } }, assent);
});

/** The new address is written to; whether another account has it, only that mailbox hears. */
export const askNewEmail = signedIn(async (account, assent: Assent) => {
  const { person, http } = account;
  if (!assent.mail.enabled) return problemAnswer("not_found", http, assent);
  const form = formOf(http);
  const typed = form.get("email")?.trim().slice(0, 254) ?? "";
  const email = newEmail(typed, person.email);
  const again = (fault: ProfileView["fault"], status = 200) =>
    answer(account, { ...UNTOUCHED, typed, fault }, assent, status);
  if (email === undefined) return again({ kind: "wrongEmail" });
  if (email === person.email) return again({ kind: "sameEmail" });
  const unproved = await proofFault(account, form.get("current_password") ?? "", assent);
  if (unproved?.kind === "stale") return confirmFirst("profile", account, assent);
  if (unproved !== undefined) return again(unproved, unproved.kind === "throttled" ? 429 : 200);
  if (!(await mayAskForAddress(person.personId, assent.signIn)))
    return answer(account, { ...UNTOUCHED, typed, notice: { kind: "tooMany" } }, assent, 429);
  const { personId, passwordChangedAt } = person;
  const request = { kind: "change", email, language: languageFor(http, assent), personId, passwordChangedAt } as const;
  if (!(await assent.mailDesk.ask(request, "a known device"))) return full(account, typed, assent);
  return answer(account, { ...UNTOUCHED, notice: { kind: "change", email } }, assent);
});

/** Too much mail waits: nothing was taken, and the page says so. */
async function full(account: Account, typed: string, assent: Assent): Promise<Answer> {
  const said = answer(account, { ...UNTOUCHED, typed, notice: { kind: "full" } }, assent, 503);
  return { ...said, headers: { ...said.headers, "retry-after": QUEUE_RETRY } };
}

function answer(account: Account, { name, ...shown }: Shown, assent: Assent, status = 200): Answer {
  const { person, session, http, visitor } = account;
  const view: ProfileView = {
    csrf: formToken(assent.secrets, `session:${session.sessionId}`),
    person: signedInAs(person),
    now: assent.now(),
    name: name ?? person.name ?? "",
    email: person.email,
    verified: person.emailVerifiedAt !== null,
    mail: assent.mail.enabled,
    hasPassword: person.passwordHash !== null,
    ...shown,
  };
  const chrome = assent.chrome(http, { here: "/account/profile" });
  return page(status, profilePage(view, chrome), "here", visitor.cookies);
}

export const showDelete = signedIn(async (account, assent: Assent) => deleteAnswer(account, null, assent));

/** In two weeks, unless they sign in and keep it; what others could do in their name ends now. */
export const submitDelete = signedIn(async (account, assent: Assent) => {
  const { person, session, http, visitor } = account;
  const { partition, personId } = person;
  if ((await assent.storage.people.soleAdminOf({ partition, personId })).length > 0)
    return deleteAnswer(account, null, assent);
  const unproved = await proofFault(account, formOf(http).get("current_password") ?? "", assent);
  if (unproved?.kind === "stale") return confirmFirst("delete", account, assent);
  if (unproved !== undefined) return deleteAnswer(account, unproved, assent);
  const now = assent.now();
  const at = now + DELETION_DELAY;
  const news = {
    link: "/account/profile",
    language: languageFor(http, assent),
    values: { person: person.username, at },
  };
  const mails = await newsFor(person, "deletion", news, assent.sessions);
  const { sessionId } = session;
  const asked = { sessionId, passwordChangedAt: person.passwordChangedAt };
  const key = { partition, personId, keepSessionId: sessionId };
  // Overtaken by a recovery, which ends this session and keeps the account.
  if (!(await assent.storage.people.setDeletion({ ...key, ...asked, at, mails, now })))
    return redirect(303, `${assent.issuer}/login`, visitor.cookies);
  assent.mail.kick();
  assent.event("deletion_asked", { owner: personId, address: http.address });
  return redirect(303, `${assent.issuer}/account/profile`, visitor.cookies);
});

export const keepAccount = signedIn(async ({ person, session, http, visitor }, assent: Assent) => {
  const { partition, personId } = person;
  const kept = await assent.storage.people.setDeletion({
    ...{ partition, personId, sessionId: session.sessionId },
    at: null,
    keepSessionId: null,
    mails: [],
    now: assent.now(),
  });
  if (!kept) return redirect(303, `${assent.issuer}/login`, visitor.cookies);
  assent.event("deletion_withdrawn", { owner: personId, address: http.address });
  return redirect(303, `${assent.issuer}/account/profile?done=kept`, visitor.cookies);
});

async function deleteAnswer(account: Account, fault: DeleteView["fault"], assent: Assent): Promise<Answer> {
  const { person, session, http, visitor } = account;
  const { partition, personId } = person;
  const companies = await assent.storage.people.soleAdminOf({ partition, personId });
  const view: DeleteView = {
    csrf: formToken(assent.secrets, `session:${session.sessionId}`),
    at: assent.now() + DELETION_DELAY,
    hasPassword: person.passwordHash !== null,
    fault,
    soleAdminOf: companies.map(({ name }) => name),
  };
  const status = fault?.kind === "throttled" ? 429 : 200;
  return page(
    status,
    deletePage(view, assent.chrome(http, { here: "/account/profile/delete" })),
    "here",
    visitor.cookies,
  );
}
