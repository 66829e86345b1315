/** The pages that ask for a link by e-mail, and the pages that such a link opens. */
import type { Chrome } from "../chrome.ts";
import { fill, type Messages, rich, sentences } from "../messages/index.ts";
import {
  hidden,
  localTimes,
  notice,
  outsideLink,
  passwordScript,
  secrets,
  signInAsAnother,
  titled,
} from "../parts/components.ts";
import { field } from "../parts/fields.ts";
import { type Child, html } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { cardPage } from "../parts/layout.ts";
import { beforeLine, elsewhereLine, elsewhereNotice, nextLine, onwardLine, sentLine } from "../parts/what-waits.ts";
import { timeElement } from "../shown-time.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import { faultText, newPasswordFields } from "./password-fields.ts";
import type {
  AccountReadyView,
  AskView,
  ConfirmView,
  CreateAccountView,
  DoneView,
  GoneLinkView,
  LinkEnded,
  PasswordPlace,
  SentView,
} from "./views.ts";

const GENERAL_ERROR = "general-error";

/** `/recover` and `/sign-up`: asks for the address that gets the link. */
export function askPage(view: AskView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { recover, signUp } = words;
  const fault = view.fault;
  const own = fault?.kind === "missing" ? (view.what === "recover" ? recover.missing : signUp.emailWrong) : null;
  const general = generalFault(fault, words);
  const said = words[view.what];
  return cardPage(
    chrome,
    titled(said.title, fault !== null, words),
    html`<div class="stack">
      <div class="heading">
        <h1>${said.title}</h1>
        ${view.keeper === undefined ? html`<p class="soft">${said.intro}</p>` : atKeeper(view, view.keeper, words)}
        ${nextLine(view.waiting, chrome, view.what === "recover" ? "login" : "email")}
      </div>
      ${general !== null && notice("danger", general, { id: GENERAL_ERROR })}
      ${
        view.mail === false
          ? html`<div class="buttons">
              ${view.keeper !== undefined && outsideLink(words, view.keeper.address, newPasswordThere(view.keeper, words), "button primary")}
              <a class="button" href=${base + view.back}>${words.sent.back}</a>
            </div>`
          : html`<form class="fields" method="post" action=${base + (view.what === "recover" ? "/recover" : "/sign-up")} novalidate>
        ${secrets(view.form)}
        ${
          view.what === "recover"
            ? field({
                name: "login",
                label: recover.login,
                type: "text",
                autocomplete: "username",
                value: view.typed,
                error: own,
                describedBy: general === null ? null : GENERAL_ERROR,
                autofocus: true,
              })
            : field({
                name: "email",
                label: signUp.email,
                type: "email",
                autocomplete: "email",
                value: view.typed,
                error: own,
                describedBy: general === null ? null : GENERAL_ERROR,
                autofocus: true,
              })
        }
        <button class="button primary" type="submit">${said.submit}</button>
        <a class="button" href=${base + view.back}>${words.sent.back}</a>
      </form>`
      }
    </div>`,
  );
}

/** Where people of the operator's application get a new password. Other people use the form. */
function atKeeper({ mail = true }: AskView, place: PasswordPlace, words: Messages): Child {
  const { kept } = words;
  const { name: called, address } = place;
  const link = newPasswordThere(place, words);
  return [
    html`<p>${rich(kept.forgot, { application: name(called) })}</p>`,
    mail && html`<p>${outsideLink(words, address, link, "alone")}</p>`,
    mail && html`<p class="soft">${kept.here}</p>`,
  ];
}

function newPasswordThere({ name: called }: PasswordPlace, { kept }: Messages): string {
  return fill(kept.forgotLink, { application: visible(called, NAME_LENGTH) });
}

function generalFault(fault: AskView["fault"], words: Messages): string | null {
  switch (fault?.kind) {
    case "throttled":
      return faultText(fault, words);
    case "stale":
      return words.recover.stale;
    case "full":
      return words.sent.full;
    default:
      return null;
  }
}

/** The page after asking. It is the same whether an account exists or not. */
export function sentPage(view: SentView, chrome: Chrome): string {
  const { words } = chrome;
  const [text, hint] =
    view.email === null
      ? [words.sent.recover, fill(words.sent.recoverHint, { product: chrome.product })]
      : [rich(words.sent.signUp, { email: name(view.email) }), words.sent.hint];
  return statement(
    words.sent.title,
    [text, sentLine(view.waiting, chrome), hint],
    { href: view.back, label: words.sent.back },
    chrome,
    "sent",
  );
}

/** The page that the link of a sign-up opens. */
export function createAccountPage(view: CreateAccountView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { signUp } = words;
  const { fault } = view;
  const password = fault !== null && "password" in fault ? fault.password : null;
  const usernameError =
    fault === null || !("username" in fault)
      ? null
      : fault.username === "taken"
        ? signUp.usernameTaken
        : signUp.usernameWrong;
  return cardPage(
    chrome,
    titled(signUp.title, fault !== null, words),
    html`<div class="stack">
      <div class="heading">
        <h1>${signUp.title}</h1>
        <p class="soft">${rich(signUp.newText, { email: name(view.email) })}</p>
        ${nextLine(view.waiting, chrome, null)}
      </div>
      ${beforeLine(view.waiting, chrome)}
      ${fault !== null && "stale" in fault && notice("danger", words.recover.stale, { focus: true })}
      <form class="fields" method="post" action=${`${base}/sign-up/account`} novalidate>
        ${secrets(view.form)} ${hidden({ link: view.link })}
        ${field({ name: "username", label: signUp.username, type: "text", autocomplete: "username", value: view.username, hint: signUp.usernameHint, error: usernameError, autofocus: fault === null })}
        ${field({ name: "name", label: signUp.name, type: "text", autocomplete: "name", value: view.name, hint: signUp.nameHint, error: fault !== null && "name" in fault ? signUp.nameWrong : null, optional: true })}
        ${newPasswordFields(password, words, { new: words.signIn.password, again: signUp.again })}
        <button class="button primary" type="submit">${signUp.create}</button>
      </form>
      ${passwordScript(chrome)}
    </div>`,
  );
}

/** The page after an account was made from which nothing goes on here: the person started in another browser, or too long ago. */
export function accountReadyPage({ person, waiting }: AccountReadyView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { readyTitle, readyText } = words.waiting;
  return cardPage(
    chrome,
    readyTitle,
    html`<div class="stack">
      <div class="heading">
        <span class="sign done">${icon("check")}</span>
        <h1>${readyTitle}</h1>
        <p>${elsewhereLine(waiting, chrome)}</p>
        <p class="soft">${rich(readyText, { person: name(person) })}</p>
      </div>
      ${
        waiting.state === "expired"
          ? html`<a class="button primary" href=${base + waiting.startAgain}>${words.problems.startAgain}</a>`
          : html`<a class="button" href=${`${base}/account/apps`}>${words.problems.apps}</a>`
      }
    </div>`,
  );
}

/** The page that the link for verifying an address opens. Opening the link changes nothing, because mail scanners open links too. */
export function confirmPage(view: ConfirmView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { confirm } = words;
  const [title, text] =
    view.what === "verify" || view.first === true
      ? [confirm.verifyTitle, confirm.verifyText]
      : [confirm.changeTitle, confirm.changeText];
  return cardPage(
    chrome,
    titled(title, view.stale, words),
    html`<div class="stack">
      <div class="heading">
        <h1>${title}</h1>
        <p>${rich(text, { email: name(view.email), person: name(view.person) })}</p>
      </div>
      ${view.stale && notice("danger", words.recover.stale, { focus: true })}
      <form class="buttons" method="post" action=${`${base}/confirm/${view.what}`}>
        ${hidden({ csrf: view.csrf, link: view.link })}
        <button class="button primary" type="submit">${confirm.yes}</button>
        <a class="button" href=${`${base}/account/profile`}>${words.cancel}</a>
      </form>
    </div>`,
  );
}

/** The page after a link was used, or was refused. */
export function donePage(view: DoneView, chrome: Chrome): string {
  const { words } = chrome;
  const { confirm, link } = words;
  switch (view.what) {
    case "confirmed": {
      const text = rich(confirm.doneText, { email: name(view.email), person: name(view.person) });
      const account = { href: "/account/profile", label: link.account };
      return statement(confirm.doneTitle, [text], account, chrome, "done");
    }
    case "taken":
      return statement(link.takenTitle, [link.takenText], { href: "/account/profile", label: link.account }, chrome);
    case "anotherBrowser": {
      const text = rich(link.anotherBrowserText, { product: chrome.product });
      return statement(link.anotherBrowserTitle, [text], { href: "/login", label: words.sent.back }, chrome);
    }
    case "gone": {
      const { title, text } = endedText(view, words);
      const restores = view.restores === true;
      const door =
        view.again === null
          ? { href: "/account/profile", label: link.account }
          : { href: view.again, label: restores ? words.recover.link : link.again };
      // Most people who open a used link have done what it was for.
      const done = view.end.kind === "used" && view.again !== null;
      const enter =
        view.signedIn === true
          ? { href: "/account/apps", label: link.account }
          : { href: "/login", label: words.signIn.submit };
      const first = done ? enter : null;
      const texts = [
        view.end.kind === "expired" ? [text, localTimes(chrome)] : text,
        view.again !== null && !done && !restores && words.waiting.gone,
      ];
      return statement(title, texts, door, chrome, "fault", first);
    }
  }
}

/** Why a link is not valid, and what to do about it. */
function endedText(
  { end, now, restores = false }: { readonly end: LinkEnded; readonly now: number; readonly restores?: boolean },
  { link, ...words }: Messages,
): { readonly title: string; readonly text: Child } {
  const { title, text } = link[end.kind];
  const expired = restores ? words.takeBack.restoreExpired : link.expired.text;
  return {
    title,
    text: end.kind === "expired" ? rich(expired, { when: timeElement({ link, ...words }, end.at, now) }) : text,
  };
}

/** Renders the page of a link to make or to recover an account that was used or has expired. */
export function goneLinkPage(view: GoneLinkView, chrome: Chrome): string {
  const { end, waiting, signIn, signedIn, carried } = view;
  const { words, base } = chrome;
  const { link } = words;
  const used = end.kind === "used";
  const { title, text } = endedText(view, words);
  const query = new URLSearchParams(carried);
  const again = `${base}${view.what === "signUp" ? "/sign-up" : "/recover"}${query.size === 0 ? "" : `?${query}`}`;
  const expired = waiting?.state === "expired" ? waiting : undefined;
  const enter = expired === undefined ? base + signIn : base + expired.startAgain;
  const account = html`<a class="button" href=${`${base}/account/apps`}>${link.account}</a>`;
  const door = usedDoor(view, enter, chrome);
  const own = used && signedIn?.own === true && view.switch === null;
  const readyLine =
    signedIn !== null && html`<p class="soft">${rich(words.waiting.readyText, { person: name(signedIn.person) })}</p>`;
  return cardPage(
    chrome,
    title,
    html`<div class="stack">
      <div class="heading">
        <span class="sign fault">${icon("circleAlert")}</span>
        <h1>${title}</h1>
        <p class="soft">${used && view.what === "signUp" ? usedText(view, words) : text}</p>
        ${own && readyLine}
        ${waiting === null ? !used && html`<p class="soft">${words.waiting.gone}</p>` : own ? onwardLine(waiting, chrome) : nextLine(waiting, chrome, "login")}
        ${!own && readyLine}
      </div>
      ${end.kind === "expired" && localTimes(chrome)}
      ${elsewhereNotice(waiting, chrome)}
      ${
        used || expired !== undefined
          ? [
              door,
              view.what === "recover" &&
                expired === undefined &&
                html`<a class="button" href=${again}>${link.again}</a>`,
            ]
          : [
              html`<a class="button primary" href=${again}>${link.again}</a>`,
              signedIn === null ? html`<a class="button" href=${enter}>${words.sent.back}</a>` : account,
            ]
      }
    </div>`,
  );
}

function usedText({ signedIn, waiting, ...view }: GoneLinkView, { link, language }: Messages): Child {
  if (signedIn === null || view.switch !== null) {
    // Who has to start again doesn't sign in here first.
    return sentences(language, link.usedSignUp, waiting?.state !== "expired" && link.usedEnter);
  }
  return signedIn.own ? link.usedByYou : link.usedByAnother;
}

/** Where the person goes on from a used link, or from a request that has expired meanwhile. */
function usedDoor({ signedIn, waiting, carried, ...view }: GoneLinkView, enter: string, chrome: Chrome): Child {
  const { words, base } = chrome;
  const primary = (href: string, label: string) => html`<a class="button primary" href=${href}>${label}</a>`;
  if (waiting?.state === "expired") return primary(enter, words.problems.startAgain);
  if (view.switch !== null) return signInAsAnother(view.switch, "button primary", chrome);
  if (signedIn === null) return primary(enter, words.signIn.submit);
  if (!signedIn.own && view.what === "signUp") return primary(`${base}/account/sign-out`, words.signOut.button);
  const waits = Object.keys(carried).length > 0;
  return waits ? primary(enter, words.secondStep.submit) : primary(`${base}/account/apps`, words.link.account);
}

const signs = { done: "check", sent: "mail", fault: "circleAlert" } as const;

function statement(
  title: string,
  lines: readonly Child[],
  door: { readonly href: string; readonly label: string },
  chrome: Chrome,
  kind: keyof typeof signs = "fault",
  first: { readonly href: string; readonly label: string } | null = null,
): string {
  return cardPage(
    chrome,
    title,
    html`<div class="stack">
      <div class="heading">
        <span class=${`sign ${kind}`}>${icon(signs[kind])}</span>
        <h1>${title}</h1>
        ${lines.map((line) => line !== null && line !== false && html`<p class="soft">${line}</p>`)}
      </div>
      ${first && html`<a class="button primary" href=${chrome.base + first.href}>${first.label}</a>`}
      <a class="button" href=${chrome.base + door.href}>${door.label}</a>
    </div>`,
  );
}
