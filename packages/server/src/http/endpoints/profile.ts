/** `/account/profile`: the person's data, the download of it, and the deletion of the account. */

import { displayTextProblem } from "../../oauth/names/display-name.ts";
import { readDetail } from "../../owners/account/check-details.ts";
import {
  askForDeletion,
  type DeletionContext,
  deletionOf,
  keepAccount as keep,
} from "../../owners/account/deletion.ts";
import {
  askForNewEmail,
  changeDetails,
  changeName,
  type ProfileContext,
  sendVerification,
} from "../../owners/account/profile.ts";
import type { AppsContext } from "../../owners/apps/context.ts";
import { longestLifetime } from "../../owners/apps/remaining-token-lifetime.ts";
import { isAddressOfNobody } from "../../owners/canonical-login.ts";
import type { Postbox } from "../../owners/mail/mail-content.ts";
import { newEmail } from "../../owners/new-username-and-email.ts";
import { knowsPassword } from "../../owners/person.ts";
import { DETAIL_NAMES, wireName } from "../../owners/person-details.ts";
import { lastMoved, type MovedContext } from "../../owners/recovery/undo-address-link.ts";
import { deletePage, profilePage } from "../../pages/index.ts";
import type { DeleteView, ProfileView } from "../../pages/security/views.ts";
import { problemAnswer } from "../error-page.ts";
import { formToken } from "../form-token.ts";
import { type Answer, formOf, later, page, redirect } from "../http-message.ts";
import { PICTURE_PROBLEMS } from "../pictures/picture.ts";
import { hasPassword, type ProofTools, proofFault } from "../reauthentication.ts";
import { QUEUE_RETRY } from "./ask-for-mail-form.ts";
import { signedInAs } from "./client-and-person-views.ts";
import { type Account, type AccountTools, signedIn } from "./require-sign-in.ts";
import { confirmFirst } from "./security.ts";

const MAX_NAME = 120;

const UNTOUCHED = {
  nameWrong: false,
  pictureWrong: null,
  detailsWrong: [],
  typed: "",
  fault: null,
  notice: null,
} as const;
const DONE = ["name", "details", "picture", "no_picture", "kept"] as const;
const TOO_MANY = { kind: "tooMany" } as const;
type Shown = Pick<ProfileView, "nameWrong" | "pictureWrong" | "detailsWrong" | "typed" | "fault" | "notice"> &
  Partial<Pick<ProfileView, "name" | "details">>;

interface ProfileTools extends AccountTools, ProofTools {
  readonly account: ProfileContext & DeletionContext & MovedContext;
  readonly mail: Pick<Postbox, "enabled">;
  readonly apps: Pick<AppsContext, "oauth">;
}

export const showProfile = signedIn(async (account, tools: ProfileTools) => {
  const query = new URLSearchParams(account.http.query);
  const done = DONE.find((one) => one === query.get("done"));
  const pictureWrong = PICTURE_PROBLEMS.find((one) => one === query.get("picture")) ?? null;
  return answer(account, { ...UNTOUCHED, pictureWrong, notice: done === undefined ? null : { kind: done } }, tools);
});

export const saveName = signedIn(async (account, tools: ProfileTools) => {
  const { person, http, visitor } = account;
  const name = formOf(http).get("name")?.trim() ?? "";
  if (name !== "" && displayTextProblem(name, MAX_NAME, person.name) !== undefined)
    return answer(account, { ...UNTOUCHED, name: name.slice(0, 500), nameWrong: true }, tools);
  await changeName(account, name, tools.account);
  return redirect(303, `${tools.issuer}/account/profile?done=name`, visitor.cookies);
});

/** An empty field removes the detail; other fields of the form have no effect. */
export const saveDetails = signedIn(async (account, tools: ProfileTools) => {
  const { person, http, visitor } = account;
  const form = formOf(http);
  const sent = DETAIL_NAMES.filter((detail) => form.has(wireName(detail)));
  const typed = sent.map((detail) => [detail, form.get(wireName(detail)) ?? ""] as const);
  const read = typed.map(
    ([detail, text]) => [detail, readDetail(detail, text, person.details ?? null, tools.now())] as const,
  );
  const detailsWrong = read.flatMap(([detail, value]) => (value === undefined ? [detail] : []));
  if (detailsWrong.length > 0) {
    // Longer than any detail, so that a text that was too long remains too long.
    const details = Object.fromEntries(typed.map(([detail, text]) => [detail, text.slice(0, 600)]));
    return answer(account, { ...UNTOUCHED, detailsWrong, details }, tools);
  }
  await changeDetails(account, Object.fromEntries(read), tools.account);
  return redirect(303, `${tools.issuer}/account/profile?done=details`, visitor.cookies);
});

export const askVerification = signedIn(async (account, tools: ProfileTools) => {
  const { person, http } = account;
  const language = tools.chrome(http).words.language;
  const outcome = await sendVerification(person, language, tools.account);
  if (outcome === "not_needed") return answer(account, UNTOUCHED, tools);
  const notice = outcome === "sent" ? ({ kind: "verify", email: person.email } as const) : TOO_MANY;
  return answer(account, { ...UNTOUCHED, notice }, tools);
});

/** Sends a message to the new address. Only that mailbox learns whether another account has the address. */
export const askNewEmail = signedIn(async (account, tools: ProfileTools) => {
  const { person, http } = account;
  const kept = account.keptBy !== undefined && !isAddressOfNobody(person.email);
  if (!tools.mail.enabled || kept) return problemAnswer("not_found", http, tools);
  const form = formOf(http);
  const typed = form.get("email")?.trim().slice(0, 254) ?? "";
  const email = newEmail(typed, person.email);
  const again = (fault: ProfileView["fault"], status = 200) =>
    answer(account, { ...UNTOUCHED, typed, fault }, tools, status);
  if (email === undefined) return again({ kind: "wrongEmail" });
  if (email === person.email) return again({ kind: "sameEmail" });
  const unproved = await proofFault(account, form.get("current_password") ?? "", tools);
  if (unproved?.kind === "stale") return confirmFirst("profile", account, tools);
  if (unproved !== undefined) return again(unproved, unproved.kind === "throttled" ? 429 : 200);
  const asked = await askForNewEmail(person, email, tools.chrome(http).words.language, tools.account);
  if (asked === "too_many") return answer(account, { ...UNTOUCHED, typed, notice: TOO_MANY }, tools, 429);
  if (asked === "full") return full(account, typed, tools);
  return answer(account, { ...UNTOUCHED, notice: { kind: "change", email } }, tools);
});

/** Too much mail waits: the server has not accepted the request, and the page says so. */
async function full(account: Account, typed: string, tools: ProfileTools): Promise<Answer> {
  return later(await answer(account, { ...UNTOUCHED, typed, notice: { kind: "full" } }, tools, 503), QUEUE_RETRY);
}

async function answer(
  account: Account,
  { name, details, ...shown }: Shown,
  tools: ProfileTools,
  status = 200,
): Promise<Answer> {
  const { person, session, http, visitor, keptBy } = account;
  // Without a password that somebody knows, the person can't change the address here.
  const lost = tools.mail.enabled && hasPassword(person, tools.config) && !knowsPassword(person);
  const movedAt = lost ? await lastMoved(person, tools.account) : null;
  const view: ProfileView = {
    ...(keptBy === undefined ? {} : { keeper: keptBy.name }),
    csrf: formToken(session, tools),
    person: signedInAs(person),
    now: tools.now(),
    name: name ?? person.name ?? "",
    details: details ?? person.details ?? {},
    phoneVerified: person.details?.phoneVerified ?? false,
    email: isAddressOfNobody(person.email) ? null : person.email,
    verified: person.emailVerifiedAt !== null,
    mail: tools.mail.enabled,
    hasPassword: hasPassword(person, tools.config),
    ...(movedAt !== null && { movedAt }),
    ...shown,
  };
  const chrome = tools.chrome(http, { here: "/account/profile" });
  return page(status, profilePage(view, chrome), "here", visitor.cookies);
}

export const showDelete = signedIn(async (account, tools: ProfileTools) => deleteAnswer(account, null, tools));

export const submitDelete = signedIn(async (account, tools: ProfileTools) => {
  const { person, http, visitor } = account;
  const { soleAdminOf } = await deletionOf(person, tools.account);
  if (soleAdminOf.length > 0) return deleteAnswer(account, null, tools);
  const unproved = await proofFault(account, formOf(http).get("current_password") ?? "", tools);
  if (unproved?.kind === "stale") return confirmFirst("delete", account, tools);
  if (unproved !== undefined) return deleteAnswer(account, unproved, tools);
  const from = { address: http.address, language: tools.chrome(http).words.language };
  if (!(await askForDeletion(account, from, tools.account)))
    return redirect(303, `${tools.issuer}/login`, visitor.cookies);
  return redirect(303, `${tools.issuer}/account/profile`, visitor.cookies);
});

export const keepAccount = signedIn(async (account, tools: ProfileTools) => {
  const { http, visitor } = account;
  if (!(await keep(account, http.address, tools.account)))
    return redirect(303, `${tools.issuer}/login`, visitor.cookies);
  return redirect(303, `${tools.issuer}/account/profile?done=kept`, visitor.cookies);
});

async function deleteAnswer(account: Account, fault: DeleteView["fault"], tools: ProfileTools): Promise<Answer> {
  const { person, session, http, visitor } = account;
  const view: DeleteView = {
    csrf: formToken(session, tools),
    ...(await deletionOf(person, tools.account)),
    hasPassword: hasPassword(person, tools.config),
    stopsIn: Math.ceil((await longestLifetime(tools.now(), tools.apps.oauth)) / 60_000),
    fault,
  };
  const status = fault?.kind === "throttled" ? 429 : 200;
  return page(
    status,
    deletePage(view, tools.chrome(http, { here: "/account/profile/delete" })),
    "here",
    visitor.cookies,
  );
}
