/**
 * `/recover/new` and `/undo`: the pages of two mail links. One recovers an account; the other undoes a change of the
 * e-mail address.
 */

import { hashes } from "../../crypto/node-hashes.ts";
import { hashPassword } from "../../crypto/password-hashing.ts";
import type { Millis } from "../../oauth/model.ts";
import type { AppsContext } from "../../owners/apps/context.ts";
import { minutesLeft } from "../../owners/apps/remaining-token-lifetime.ts";
import type { FollowedLink } from "../../owners/mail/open-mail-link.ts";
import { type Shown, showRecovery, type TakenBack, takeBack } from "../../owners/recovery/recover-account.ts";
import {
  type Choice,
  type Decided,
  type FoundFactor,
  MOST_APPS,
  type Proof,
  type Review,
  suggested,
} from "../../owners/recovery/review-factors-and-apps.ts";
import { activePerson } from "../../owners/sessions.ts";
import { takeBackPage, takenBackPage } from "../../pages/index.ts";
import type { NamedWay, TakeBackView, TakeBackWhat } from "../../pages/security/recover-account-views.ts";
import type { PasswordFault } from "../../pages/security/views.ts";
import { formSecrets } from "../authorization/continuation-in-forms.ts";
import { behindLink, signInPath } from "../authorization/continue-after-mail.ts";
import { type Visitor, visitorOf } from "../browser-of-request.ts";
import { coarse, originOf } from "../connections/client-address.ts";
import { presentedBy, rememberDevice } from "../device-cookie.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { formToken, isFormToken } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest, page } from "../http-message.ts";
import { type RecoveryTools, recoveryContext, TAKE_BACK_PATHS } from "../recovery-context.ts";
import { openProof } from "../recovery-proof.ts";
import { browserName, deviceOf, userAgentOf } from "../user-agent.ts";
import { doneAnswer, followBack, goneBackAnswer } from "./ask-recovery.ts";
import { newPasswordFault } from "./change-password.ts";
import { nameOf } from "./client-and-person-views.ts";
import { proveAnswer } from "./prove-before-recovery.ts";

/** Maximum number of apps of one company that the page names. */
const MOST_NAMED = 8;

interface TakeBackTools extends RecoveryTools, FlowTools {
  readonly credentials: RecoveryTools["credentials"];
  readonly apps: Pick<AppsContext, "oauth">;
}

/** The person who opened the link, and the proof that they gave. */
interface Arrived {
  readonly what: TakeBackWhat;
  readonly token: string;
  readonly followed: FollowedLink;
  readonly sealed: string | null;
  readonly proof: Proof | undefined;
  readonly visitor: Visitor;
  readonly http: HttpRequest;
}

export function showTakeBack(what: TakeBackWhat): (http: HttpRequest, tools: TakeBackTools) => Promise<Answer> {
  return async (http, tools) => {
    const query = new URLSearchParams(http.query);
    const arrived = await arrive(what, query, http, tools);
    if ("status" in arrived) return arrived;
    const found = await showRecovery(arrived.followed, arrived.proof, recoveryContext(tools));
    if (!found.proved) return proveAnswer(arrived, found.ways, null, tools);
    return formAnswer(arrived, found, { choice: suggested(found), fault: null, problem: null }, tools);
  };
}

/** Compares the submitted decision with the current factors and apps of the person. */
export function submitTakeBack(what: TakeBackWhat): (http: HttpRequest, tools: TakeBackTools) => Promise<Answer> {
  return async (http, tools) => {
    const form = formOf(http);
    const arrived = await arrive(what, form, http, tools);
    if ("status" in arrived) return arrived;
    const { followed, visitor, proof } = arrived;
    const found = await showRecovery(followed, proof, recoveryContext(tools));
    if (!found.proved) return proveAnswer(arrived, found.ways, { kind: "stale" }, tools);
    const shown = shownIn(form);
    const choose = (now: Review) => choiceOf(form, now, shown);
    const choice = choose(found);
    const again = (fault: PasswordFault | null, problem: TakeBackView["problem"]) =>
      formAnswer(arrived, found, { choice, fault, problem }, tools);
    if (!isFormToken(form, visitor, tools)) return { ...(await again(null, "stale")), status: 403 };
    if (shown === undefined) return changedAnswer(arrived, found, choice, tools);
    const password = form.get("password") ?? "";
    const fault = newPasswordFault(password, form.get("again") ?? "", followed.person, tools);
    if (fault !== undefined) return again(fault, null);
    // The link proves as much as a known device does, so guesses of strangers don't block this hash.
    const whose = { ...originOf(http.address), account: followed.person.personId, known: true };
    const decision = {
      ...{ proof, choose, shownAt: shown.at },
      passwordHash: await hashPassword(password, whose),
      ...{ language: tools.chrome(http).words.language, address: http.address },
      browser: browserName(userAgentOf(http)),
      device: presentedBy(followed.person.personId, http, tools),
    };
    const outcome = await takeBack(followed, decision, recoveryContext(tools));
    switch (outcome.kind) {
      case "taken":
        return doneAnswer({ what: "taken" }, http, tools, visitor);
      case "unknown":
        return goneBackAnswer(what, arrived.token, arrived, tools);
      case "unproved":
      case "changed": {
        const now = await showRecovery(followed, proof, recoveryContext(tools));
        if (!now.proved) return proveAnswer(arrived, now.ways, { kind: "stale" }, tools);
        return changedAnswer(arrived, now, choice, tools);
      }
      case "done":
        return takenBackAnswer(arrived, outcome, tools);
    }
  };
}

async function arrive(
  what: TakeBackWhat,
  fields: URLSearchParams,
  http: HttpRequest,
  tools: TakeBackTools,
): Promise<Arrived | Answer> {
  const token = fields.get("link") ?? "";
  const visitor = await visitorOf(http, tools);
  const followed = await followBack(token, { what, http, visitor }, tools);
  if ("status" in followed) return followed;
  const sealed = fields.get("proof");
  const proof = openProof(sealed, followed, visitor, tools);
  return { what, token, followed, sealed: proof === undefined ? null : sealed, proof, visitor, http };
}

/** Asks again. The page preselects the person's choice, and the suggestion for everything that is new. */
function changedAnswer(arrived: Arrived, found: Shown, choice: Choice, tools: TakeBackTools): Promise<Answer> {
  const fresh = suggested(found);
  const both = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])];
  const merged = {
    factors: both(choice.factors, fresh.factors),
    apps: both(choice.apps, fresh.apps),
    companies: both(choice.companies, fresh.companies),
  };
  return formAnswer(arrived, found, { choice: merged, fault: null, problem: "changed" }, tools);
}

/** The value of a factor, app or company in the form. It has a fixed short length, whatever the length of the id. */
function formValue(id: string): string {
  return hashes.sha256(id).slice(0, 16);
}

/**
 * The choice of the form, and factors that the page didn't show because somebody added them since. Such a factor may
 * replace one that the person keeps. Of these added factors, only doubtful ones are removed.
 */
function choiceOf(
  form: URLSearchParams,
  { factors, apps, companies }: Review,
  shown: ShownFactors | undefined,
): Choice {
  const chosen = (field: string, ids: readonly string[]) => {
    const values = new Set(form.getAll(field));
    return ids.filter((id) => values.has(formValue(id)));
  };
  return {
    factors: [
      ...chosen(
        "remove",
        factors.map(({ id }) => id),
      ),
      ...factors.filter((one) => one.doubtful && shown?.marks.has(markOf(one)) === false).map(({ id }) => id),
    ],
    apps: chosen(
      "app",
      apps.map(({ clientId }) => clientId),
    ),
    companies: chosen(
      "company",
      companies.map(({ companyId }) => companyId),
    ),
  };
}

/** Which factors a page showed, and when. */
interface ShownFactors {
  readonly at: Millis;
  readonly marks: ReadonlySet<string>;
}

/** Changes if another factor takes the place of this one. */
function markOf({ kind, id, addedAt }: FoundFactor): string {
  return formValue(JSON.stringify([kind, id, addedAt]));
}

function shownOf({ factors }: Review, at: Millis): string {
  return [at, ...factors.map(markOf)].join(".");
}

/** Undefined: the form doesn't come from this page, or comes from another version of it. */
function shownIn(form: URLSearchParams): ShownFactors | undefined {
  const [, at = "", marks = ""] = /^(\d{1,15})((?:\.[\w-]{16})*)$/.exec(form.get("shown") ?? "") ?? [];
  return at === "" ? undefined : { at: Number(at), marks: new Set(marks.split(".").slice(1)) };
}

async function formAnswer(
  { what, token, followed, sealed, visitor, http }: Arrived,
  found: Shown,
  { choice, fault, problem }: { readonly choice: Choice } & Pick<TakeBackView, "fault" | "problem">,
  tools: TakeBackTools,
): Promise<Answer> {
  const here = `${TAKE_BACK_PATHS[what]}?${new URLSearchParams({ link: token, ...(sealed === null ? {} : { proof: sealed }) })}`;
  const chrome = tools.chrome(http, { here });
  const { language } = chrome.words;
  const now = tools.now();
  const apps = found.apps.slice(0, MOST_APPS);
  const view: TakeBackView = {
    ...{ what, fault, problem, link: token, proof: sealed, shown: shownOf(found, now), now, since: found.moment },
    ...{ person: followed.person.username, email: followed.link.address, hidden: found.apps.length - apps.length },
    csrf: formToken(visitor, tools),
    leavesAt: followed.person.deleteAt ?? null,
    endsIn: minutesLeft(found.heldUntil, now),
    waiting: (await behindLink(aboutOf(what, followed), visitor, language, tools)).waiting,
    ways: found.factors.map(({ id, added, bringsBack, ...factor }) => ({
      ...{ ...factor, value: formValue(id), chosen: choice.factors.includes(id), bringsBack: bringsBack.length > 0 },
      ...{ ...deviceOf(added.userAgent), place: coarse(added.address) },
    })),
    apps: await Promise.all(
      apps.map(async ({ clientId, name, ...app }) => ({
        ...{ ...app, value: formValue(clientId), chosen: choice.apps.includes(clientId) },
        name: await appName(clientId, name, language, tools),
      })),
    ),
    companies: await Promise.all(
      found.companies.map(async ({ companyId, name, paused, apps: all }) => ({
        ...{ value: formValue(companyId), name, paused, chosen: choice.companies.includes(companyId) },
        apps: await Promise.all(
          all.slice(0, MOST_NAMED).map(async ({ clientId, ...app }) => ({
            ...app,
            name: await appName(clientId, clientId, language, tools),
          })),
        ),
        hidden: Math.max(0, all.length - MOST_NAMED),
      })),
    ),
    browsers: found.browsers.map(({ userAgent, address, appearedAt }) => ({
      ...{ ...deviceOf(userAgent), place: coarse(address), since: appearedAt },
    })),
  };
  return page(200, takeBackPage(view, chrome), "here", visitor.cookies);
}

/** The value that ties a recovery link to the browser that asked for it. Other links use `about` for something else. */
function aboutOf(what: TakeBackWhat, { link }: FollowedLink): string | null {
  return what === "recover" ? link.about : null;
}

async function appName(clientId: string, shown: string, language: string, tools: TakeBackTools): Promise<string> {
  const client = await tools.apps.oauth.catalog.client(clientId);
  return client === undefined ? shown : nameOf(client, language);
}

async function takenBackAnswer(
  { what, followed, visitor, http }: Arrived,
  { decided, heldUntil }: Extract<TakenBack, { kind: "done" }>,
  tools: TakeBackTools,
): Promise<Answer> {
  const { person, link } = followed;
  tools.recovery.mail.kick();
  const counted = { removed: decided.removed.length, apps_ended: decided.endApps.length };
  const event = what === "recover" ? "password_recovered" : "email_change_undone";
  tools.event(event, { owner: person.personId, address: http.address, ...counted });
  const ways = (all: Decided["kept"]): readonly NamedWay[] => all.map(({ kind, name }) => ({ kind, name }));
  const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
  const chrome = { ...tools.chrome(http), here: null };
  const { language } = chrome.words;
  const { continuation, waiting } = await behindLink(aboutOf(what, followed), visitor, language, tools);
  // If another person is signed in in this browser, they must not continue the flow of this account's owner.
  const other = visitor.signedIn?.person.personId === person.personId ? undefined : visitor.signedIn;
  const isOther = other !== undefined && continuation !== undefined;
  const view = {
    ...{
      what,
      email: link.address,
      removed: ways(decided.removed),
      back: decided.back,
      kept: ways(decided.kept),
      waiting,
    },
    signIn: signInPath(continuation, visitor, tools),
    switch: isOther ? formSecrets(continuation, visitor, tools, other.session) : null,
    ...{ ended: names(decided.endApps), endedFor: names(decided.endCompanies) },
    endsIn: minutesLeft(heldUntil, tools.now()),
    ...{ apps: names(decided.keepApps), keptFor: names(decided.keepCompanies) },
    stays: (person.deleteAt ?? null) !== null,
    ...{ paused: names(decided.pausedApps), pausedFor: names(decided.pausedCompanies) },
  };
  // Guesses may have used up the limit for unknown devices. This browser becomes a known device, so that the owner can
  // sign in now.
  const after = await activePerson(person, tools.sessions);
  const cookies = [...visitor.cookies, ...(after === undefined ? [] : await rememberDevice(after, http, tools))];
  return page(200, takenBackPage(view, chrome), isOther ? "to a client" : "here", cookies);
}
