/** `/account/security/password`: a new password, by choice or because one is required. */

import { isCommonPassword } from "../../crypto/common-passwords.ts";
import { changePassword, newPasswordsUsedUp, type PasswordContext } from "../../owners/account/change-password.ts";
import type { KeepingApplication } from "../../owners/identities/password-keeper.ts";
import { passwordProblem } from "../../owners/new-password.ts";
import { knowsPassword } from "../../owners/person.ts";
import { afterNewPassword } from "../../owners/session-lifetime-and-level.ts";
import type { Person } from "../../owners/storage.ts";
import { changePasswordPage, keptPasswordPage } from "../../pages/index.ts";
import type { PasswordFault } from "../../pages/security/views.ts";
import { type SessionTools, startSession } from "../browser-of-request.ts";
import { originOf } from "../connections/client-address.ts";
import { factorChange } from "../factor-change-input.ts";
import { formToken } from "../form-token.ts";
import { type Answer, formOf, page, redirect, waitUntil } from "../http-message.ts";
import { hasPassword, isFresh, type PasswordUse, type ProofTools, proofFault } from "../reauthentication.ts";
import { signedInAs } from "./client-and-person-views.ts";
import { type Account, type AccountTools, signedIn } from "./require-sign-in.ts";
import { confirmFirst } from "./security.ts";

interface ShowTools extends AccountTools {
  readonly config: PasswordUse;
}

interface PasswordTools extends AccountTools, ProofTools {
  readonly credentials: SessionTools["credentials"];
  readonly account: PasswordContext;
}

export const showChangePassword = signedIn(async (account, tools: ShowTools) => {
  const { person, keptBy } = account;
  if (keptBy !== undefined) return keptAnswer(account, keptBy, tools);
  if (needsLink(person)) return redirect(303, `${tools.issuer}/account/security`, account.visitor.cookies);
  // Without a password, a recent sign-in is the proof. It is asked for before anybody types a new password.
  if (!hasPassword(person, tools.config) && !person.mustChangePassword && !(await isFresh(account, tools)))
    return confirmFirst("password", account, tools);
  return formAnswer(account, new URLSearchParams(account.http.query), null, tools);
}, "before a new password");

export const submitChangePassword = signedIn(async (account, tools: PasswordTools) => {
  const { person, session, http, visitor, keptBy } = account;
  if (keptBy !== undefined) return keptAnswer(account, keptBy, tools);
  const form = formOf(http);
  const again = (fault: PasswordFault) => formAnswer(account, form, fault, tools);
  const current = form.get("current_password") ?? "";
  const password = form.get("password") ?? "";
  const fault = newPasswordFault(password, form.get("again") ?? "", person, tools);
  if (fault !== undefined) return again(fault);
  if (password === current) return again({ kind: "same" });
  const unproved = await proofFault(account, current, tools);
  if (unproved?.kind === "stale" && mayConfirm(account)) return confirmFirst("password", account, tools);
  if (unproved !== undefined) return again(unproved);
  const until = await newPasswordsUsedUp(person, tools.account);
  if (until !== undefined) return again({ kind: "throttled", minutes: waitUntil(until, tools.now()).minutes });

  const chosen = {
    password,
    endApps: form.get("end_apps") === "yes",
    endSessions: form.get("end_sessions") === "yes",
    from: originOf(http.address),
  };
  const changed = await changePassword(factorChange(account, tools), chosen, tools.account);
  if (changed === undefined) return redirect(303, `${tools.issuer}/login`, visitor.cookies);
  // With the password, the browser's cookies change, too.
  const by = afterNewPassword(session, person, changed.passwordChangedAt);
  const cookies = [...visitor.cookies, ...(await startSession(changed, by, visitor, http, tools, { quietly: true }))];
  return redirect(303, tools.issuer + onward(form, chosen.endApps), cookies);
}, "before a new password");

/** Nobody knows their password: the page about security says how they get a new one. */
function needsLink(person: Person): boolean {
  return person.passwordHash !== null && !knowsPassword(person) && !person.mustChangePassword;
}

function keptAnswer(
  { session, http, visitor }: Account,
  { name, changePassword: address }: KeepingApplication,
  tools: AccountTools,
): Answer {
  const view = { csrf: formToken(session, tools), keeper: { name, address } };
  return page(200, keptPasswordPage(view, tools.chrome(http)), "here", visitor.cookies);
}

/** Somebody who must choose a new password, or on whom a device or an invitation waits, can't go to that page first. */
function mayConfirm({ person, http }: Account): boolean {
  const form = formOf(http);
  return !person.mustChangePassword && form.get("device") === null && form.get("invitation") === null;
}

/** What is wrong with a password that is typed twice. Undefined: nothing. */
export function newPasswordFault(
  password: string,
  again: string,
  { username, email }: Pick<Person, "username" | "email">,
  { issuer }: Pick<AccountTools, "issuer">,
): PasswordFault | undefined {
  if (password === "") return { kind: "missing" };
  const [service = ""] = new URL(issuer).hostname.split(".");
  const kind = passwordProblem(password, {
    names: [username, email],
    isCommon: (one, words) => isCommonPassword(one, [...words, service, "assent"]),
  });
  if (kind !== undefined) return { kind };
  return password === again ? undefined : { kind: "differ" };
}

/** Back to the page that waits: it opens and checks the continuation again. */
function onward(form: URLSearchParams, appsEnded: boolean): string {
  const request = form.get("request");
  const device = form.get("device");
  if (request !== null) return `/consent?${new URLSearchParams({ request })}`;
  const invitation = form.get("invitation");
  if (invitation !== null) return `/invitation?${new URLSearchParams({ token: invitation })}`;
  if (device !== null) return `/device/consent?${new URLSearchParams({ device })}`;
  return `/account/security?done=${appsEnded ? "password-and-apps" : "password"}`;
}

function formAnswer(
  { person, session, http, visitor }: Account,
  given: URLSearchParams,
  fault: PasswordFault | null,
  tools: ShowTools,
): Answer {
  const sent = http.method === "POST";
  const has = hasPassword(person, tools.config);
  const view = {
    csrf: formToken(session, tools),
    person: signedInAs(person),
    has,
    must: person.mustChangePassword,
    request: given.get("request"),
    device: given.get("device"),
    invitation: given.get("invitation"),
    fault,
    endSessions: !sent || given.get("end_sessions") === "yes",
    // A first password, and one that somebody else must replace, give no reason to doubt the apps.
    endApps: sent ? given.get("end_apps") === "yes" : has && !person.mustChangePassword,
  };
  const status = fault?.kind === "throttled" ? 429 : 200;
  // The next redirect may lead to a client, and a form that may lead here only would block it.
  const leads = view.request === null ? "here" : "to a client";
  return page(status, changePasswordPage(view, tools.chrome(http)), leads, visitor.cookies);
}
