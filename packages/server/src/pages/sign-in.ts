/** The sign-in page: username, password, and the app that asks. */
import type { Chrome } from "./chrome.ts";
import { clientHost } from "./client-host.ts";
import { fill, type Messages, plural, rich, sentences } from "./messages/index.ts";
import { notice, outsideLink, passwordScript, secrets, tile, titled } from "./parts/components.ts";
import { type Attributes, type Child, html, type Markup } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { cardPage } from "./parts/layout.ts";
import { bothNames } from "./parts/person-names.ts";
import { carriedQuery, elsewhereNotice, invitedLine } from "./parts/what-waits.ts";
import { passkeyForm } from "./passkey-form.ts";
import { noWayText, providerButtons } from "./provider-buttons.ts";
import { NAME_LENGTH, name, visible } from "./untrusted-text.ts";
import type { FormSecrets, SignInView } from "./views.ts";

const ERROR_ID = "sign-in-error";

/** Renders `GET /login` and every response of `POST /login` that isn't a redirect. */
export function signInPage(view: SignInView, chrome: Chrome): string {
  const { words } = chrome;
  const { asksPassword = true } = view;
  const aboutFields = view.problem?.kind === "wrong" || view.problem?.kind === "missing";
  return cardPage(
    chrome,
    titled(documentTitle(view, words), view.problem !== null, words),
    html`<div class="stack">
      ${heading(view, chrome)} ${stays(view, chrome)} ${noWay(view, chrome)} ${elsewhereNotice(view.waiting ?? null, chrome)} ${view.problem !== null && !aboutFields && notice("danger", problemText(view, words), { id: ERROR_ID, ...(asksPassword ? {} : { focus: true }) })}
      ${
        asksPassword &&
        html`<form class="fields" method="post" action=${`${chrome.base}/login`} novalidate>
        ${secrets(view.form)} ${fields(view, words)}
        ${
          aboutFields &&
          html`<p class="field-error" id=${ERROR_ID} role="alert">${icon("circleAlert")}<span>${problemText(view, words)}</span></p>`
        }
        <button class="button primary" type="submit">${words.signIn.submit}</button>
      </form>`
      }
      ${view.passkey !== null && passkeyForm(view.passkey, view.form, null, chrome)}
      ${providerSection(view, chrome)}
      ${view.workAddress === true && asksPassword && html`<p class="soft small">${words.elsewhere.workAddress}</p>`}
      ${another(view.choose ?? view.other, chrome)} ${ways(view, chrome)} ${asksPassword && passwordScript(chrome)}
    </div>`,
  );
}

/** The providers, below the other ways. */
function providerSection(
  { providers = [], form, asksPassword = true, passkey }: SignInView,
  chrome: Chrome,
): readonly Child[] {
  if (providers.length === 0) return [];
  const only = !asksPassword && passkey === null;
  return [
    !only && html`<p class="divider"><span>${chrome.words.elsewhere.or}</span></p>`,
    providerButtons({ providers, form, primary: only && providers.length === 1 }, chrome),
  ];
}

/** Says who is signed in until another account is, with a link back. */
function stays(view: SignInView, { words, base }: Chrome): Markup | null {
  if (view.stays === null) return null;
  const { person, back } = view.stays;
  const stay = html`<a href=${base + back}>${words.signIn.stay}</a>`;
  return notice("plain", sentences(words.language, rich(words.signIn.stays, { person: bothNames(person) }), stay));
}

/** Says why the signed-in person can't sign in again, with the way that is left. Nobody has to stay on that page. */
function noWay({ noWay: none, form, client, choose, other }: SignInView, { words, base }: Chrome): readonly Child[] {
  if (none === undefined) return [];
  const mail = html`<a class="button primary" href=${`${base}/recover${carriedQuery(form)}`}>${words.security.passwordSet}</a>`;
  const leave = html`<a class="button" href=${`${base}/account/apps`}>${words.device.apps}</a>`;
  const byMail = none.how === "by mail";
  return [
    notice("warning", noWayText(none, words, false)),
    byMail && mail,
    client === null && (choose ?? other) === undefined && leave,
  ];
}

/** The button to sign in as another person for the same request. */
function another(form: FormSecrets | undefined, { words, base }: Chrome): Markup | null {
  if (form === undefined) return null;
  return html`<form class="other-ways" method="post" action=${`${base}/login/switch`}>
    ${secrets(form)}<button class="link" type="submit">${words.consent.switch}</button>
  </form>`;
}

function ways({ ways: open, again, form }: SignInView, { words, base }: Chrome): Markup | null {
  const signUp = again === null ? (open?.signUp ?? false) : false;
  if (open?.recover !== true && signUp === false) return null;
  const query = carriedQuery(form);
  return html`<p class="other-ways">
    ${open?.recover === true && html`<a href=${`${base}/recover${query}`}>${words.recover.link}</a>`}
    ${signUp === true && html`<a href=${`${base}/sign-up${query}`}>${words.signUp.link}</a>`}
    ${typeof signUp === "string" && outsideLink(words, signUp, words.signUp.link)}
  </p>`;
}

function documentTitle(view: SignInView, words: Messages): string {
  if (view.device === true) return words.device.signIn;
  if (view.invited !== undefined)
    return fill(words.waiting.signInTitle, { company: visible(view.invited.company, NAME_LENGTH) });
  if (view.company !== undefined)
    return fill(words.companySignIn.signInTitle, { company: visible(view.company, NAME_LENGTH) });
  if (view.client === null) return view.again === null ? words.signIn.title : words.signIn.titleAgain;
  return fill(view.choose === undefined ? words.signIn.titleFor : words.signIn.chooseFor, {
    app: visible(view.client.name, NAME_LENGTH),
  });
}

function heading(view: SignInView, chrome: Chrome): Markup {
  const { words } = chrome;
  const { client, again } = view;
  const intro =
    again !== null
      ? rich(introAgain(view, words), { person: bothNames(again) })
      : client !== null
        ? view.asksPassword !== false && words.signIn.introFor
        : words.signIn.introAlone;
  if (view.device === true) {
    return html`<div class="heading">
      <h1>${words.device.signIn}</h1>
      <p class="soft">${words.device.signInIntro}</p>
    </div>`;
  }
  if (view.invited !== undefined) {
    return html`<div class="heading">
      <span class="sign plain">${icon("building")}</span>
      <h1>${rich(words.waiting.signInTitle, { company: name(view.invited.company) })}</h1>
      <p>${invitedLine(view.invited, words)}</p>
      <p class="soft">${words.waiting.invitedOnly}</p>
    </div>`;
  }
  if (view.company !== undefined) {
    return html`<div class="heading">
      <span class="sign plain">${icon("building")}</span>
      <h1>${rich(words.companySignIn.signInTitle, { company: name(view.company) })}</h1>
      ${view.stays !== null && html`<p class="soft">${rich(words.companySignIn.notOfCompany, { company: name(view.company) })}</p>`}
    </div>`;
  }
  if (client === null) {
    return html`<div class="heading">
      <h1>${again === null ? words.signIn.title : words.signIn.titleAgain}</h1>
      <p class="soft">${intro}</p>
    </div>`;
  }
  return html`<div class="heading">
    ${tile(client, "large", chrome.base)}
    <h1>${rich(view.choose === undefined ? words.signIn.titleFor : words.signIn.chooseFor, { app: name(client.name) })}</h1>
    ${clientHost(client.host, words)}
    ${intro !== false && html`<p class="soft">${intro}</p>`}
  </div>`;
}

/** Nobody is asked for a password that they don't have, or to sign in again if they can't. */
function introAgain({ choose, noPassword, unexpected, noWay: none }: SignInView, words: Messages) {
  if (unexpected === true) return words.signIn.introOther;
  if (none !== undefined && choose === undefined) return words.apps.signedIn;
  if (noPassword === true) return choose === undefined ? words.elsewhere.introAgain : words.elsewhere.chooseIntro;
  return choose === undefined ? words.signIn.introAgain : words.signIn.chooseIntro;
}

function fields(view: SignInView, words: Messages): readonly Markup[] {
  const kind = view.problem?.kind;
  const noUsername = view.username === "";
  const described: Attributes = view.problem === null ? {} : { "aria-describedby": ERROR_ID };
  const invalid = (wrong: boolean): Attributes => ({ ...described, ...(wrong ? { "aria-invalid": "true" } : {}) });
  return [
    html`<div class="field">
      <label for="username">${words.signIn.username}</label>
      <input id="username" name="username" type="text" value=${view.username} autocomplete=${view.passkey === null ? "username" : "username webauthn"} autocapitalize="none"
        autocorrect="off" spellcheck="false" required autofocus=${noUsername}
        ...${invalid(kind === "wrong" || (kind === "missing" && noUsername))} />
    </div>`,
    html`<div class="field">
      <label for="password">${words.signIn.password}</label>
      <input id="password" name="password" type="password" autocomplete="current-password" required
        autofocus=${!noUsername} ...${invalid(kind === "wrong" || kind === "missing")} />
    </div>`,
  ];
}

/** Nobody is told of another way where there is none. */
function elsewhereText({ why, only }: Extract<SignInView["problem"], { kind: "elsewhere" }>, { elsewhere }: Messages) {
  const { problem, onlyHere } = elsewhere;
  return only === true && Object.hasOwn(onlyHere, why) ? onlyHere[why as keyof typeof onlyHere] : problem[why];
}

function problemText(view: SignInView, words: Messages): Child {
  const { problem } = view;
  switch (problem?.kind) {
    case "wrong":
      return words.signIn.wrong;
    case "missing":
      return view.username === "" ? words.signIn.missing : words.signIn.missingPassword;
    case "throttled": {
      const count = Math.max(1, Math.ceil(problem.minutes));
      return fill(plural(words.language, words.signIn.throttled, count), { count });
    }
    case "passkey":
      return words.passkey.failed;
    case "unchecked":
      return words.kept.unchecked;
    case "stale":
      return words.signIn.stale;
    case "elsewhere":
      return rich(elsewhereText(problem, words), { provider: name(problem.provider) });
    case undefined:
      return "";
  }
}
