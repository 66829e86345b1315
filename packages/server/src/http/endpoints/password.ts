/** `/account/security/password`: another password, by choice or because there must be one. */

import { isCommonPassword } from "../../crypto/common-passwords.ts";
import { hashPassword } from "../../crypto/password.ts";
import { passwordProblem } from "../../owners/new-password.ts";
import { afterNewPassword } from "../../owners/session.ts";
import type { Person } from "../../owners/storage.ts";
import { changePasswordPage } from "../../pages/index.ts";
import type { PasswordFault } from "../../pages/security/views.ts";
import type { Assent } from "../../server-parts.ts";
import { originOf } from "../connections/client-address.ts";
import { formToken } from "../forms.ts";
import { factorNews } from "../mail-links.ts";
import { type Answer, formOf, page, redirect } from "../message.ts";
import { proofFault } from "../reauthentication.ts";
import { startSession } from "../visitor.ts";
import { type Account, signedIn } from "./account.ts";
import { signedInAs } from "./cards.ts";

export const showChangePassword = signedIn(
  async (account, assent: Assent) => formAnswer(account, new URLSearchParams(account.http.query), null, assent),
  "before a new password",
);

export const submitChangePassword = signedIn(async (account, assent: Assent) => {
  const { person, session, http, visitor } = account;
  const form = formOf(http);
  const again = (fault: PasswordFault) => formAnswer(account, form, fault, assent);
  const current = form.get("current_password") ?? "";
  const password = form.get("password") ?? "";
  const fault = newPasswordFault(password, form.get("again") ?? "", person, assent);
  if (fault !== undefined) return again(fault);
  if (password === current) return again({ kind: "same" });
  const unproved = await proofFault(account, current, assent);
  if (unproved !== undefined) return again(unproved);

  const { partition, personId } = person;
  const endApps = form.get("end_apps") === "yes";
  const endSessions = form.get("end_sessions") === "yes";
  const mails = await factorNews(person, "passwordChanged", http, assent);
  const passwordHash = await hashPassword(password, { ...originOf(http.address), account: personId, known: true });
  const now = assent.now();
  const changed = await assent.storage.people.setPassword({
    partition,
    personId,
    passwordHash,
    replacing: person.passwordChangedAt,
    mustChange: false,
    endGrants: endApps,
    endSessions,
    keepSessionId: null,
    sessionId: session.sessionId,
    mails,
    now,
  });
  // Overtaken by another change, by which this session may have ended.
  if (!changed) return redirect(303, `${assent.issuer}/login`, visitor.cookies);
  assent.mail.kick();
  assent.event("password_changed", { owner: personId, address: http.address, apps_ended: String(endApps) });
  // What this browser is known by changes with the password.
  const changedPerson = { ...person, passwordChangedAt: now };
  const by = afterNewPassword(session, person, now);
  const cookies = [...visitor.cookies, ...(await startSession(changedPerson, by, visitor, http, assent, "quietly"))];
  return redirect(303, assent.issuer + onward(form), cookies);
}, "before a new password");

/** What is wrong with a password that is typed twice; undefined: nothing. */
export function newPasswordFault(
  password: string,
  again: string,
  { username, email }: Pick<Person, "username" | "email">,
  { issuer }: Assent,
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

/** Back to what waited: both are opened and checked anew there. */
function onward(form: URLSearchParams): string {
  const request = form.get("request");
  const device = form.get("device");
  if (request !== null) return `/consent?${new URLSearchParams({ request })}`;
  if (device !== null) return `/device/consent?${new URLSearchParams({ device })}`;
  return "/account/security?done=password";
}

function formAnswer(
  { person, session, http, visitor }: Account,
  given: URLSearchParams,
  fault: PasswordFault | null,
  assent: Assent,
): Answer {
  const sent = http.method === "POST";
  const view = {
    csrf: formToken(assent.secrets, `session:${session.sessionId}`),
    person: signedInAs(person),
    has: person.passwordHash !== null,
    must: person.mustChangePassword,
    request: given.get("request"),
    device: given.get("device"),
    fault,
    endSessions: !sent || given.get("end_sessions") === "yes",
    endApps: sent ? given.get("end_apps") === "yes" : !person.mustChangePassword,
  };
  const status = fault?.kind === "throttled" ? 429 : 200;
  // The way on may lead to a client: its redirect would be refused by a form that leads here alone.
  const leads = view.request === null ? "here" : "to a client";
  return page(status, changePasswordPage(view, assent.chrome(http)), leads, visitor.cookies);
}
