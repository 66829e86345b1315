/** The pages for answering a device: its code, the confirmation, and the result (RFC 8628 §3.3). */
import type { Chrome } from "./chrome.ts";
import { fill, type Messages, plural, rich } from "./messages/index.ts";
import { localTimes, notice, secrets, tile, titled } from "./parts/components.ts";
import { type Attributes, html, type Markup } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { cardPage } from "./parts/layout.ts";
import { timeElement } from "./shown-time.ts";
import { hostText, NAME_LENGTH, name, visible } from "./untrusted-text.ts";
import type { DeviceCodeView, DeviceDoneView, DeviceElsewhereView, DeviceFacts } from "./views.ts";

const HINT_ID = "user-code-hint";
const ERROR_ID = "user-code-error";

/** Renders `GET /device` and every response of `POST /device` that stays on that page. */
export function deviceCodePage(view: DeviceCodeView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { problem } = view;
  const aboutField = problem?.kind === "unknown" || problem?.kind === "missing";
  const compare = view.linked && problem === null;
  return cardPage(
    chrome,
    titled(words.device.title, problem !== null, words),
    html`<div class="stack">
      <div class="heading">
        <span class="sign plain">${icon("tv")}</span>
        <h1>${words.device.title}</h1>
        <p class="soft">${compare ? words.device.compare : words.device.intro}</p>
      </div>
      ${problem !== null && !aboutField && notice("danger", problemText(problem, words), { id: ERROR_ID })}
      <form class="fields" method="post" action=${`${base}/device`} novalidate>
        ${secrets(view.form)} ${codeField(view, words)}
        ${
          problem !== null &&
          aboutField &&
          html`<p class="field-error" id=${ERROR_ID} role="alert">${icon("circleAlert")}<span>${problemText(problem, words)}</span></p>`
        }
        <button class="button primary" type="submit">${words.device.submit}</button>
      </form>
    </div>`,
  );
}

function codeField({ problem, linked, userCode }: DeviceCodeView, words: Messages): Markup {
  const wrong = problem?.kind === "unknown" || problem?.kind === "missing";
  const described: Attributes = {
    "aria-describedby": problem === null ? HINT_ID : `${HINT_ID} ${ERROR_ID}`,
    "aria-invalid": wrong ? "true" : null,
  };
  return html`<div class="field">
    <label for="user_code">${words.device.code}</label>
    <input id="user_code" name="user_code" class="user-code" type="text" dir="ltr" value=${userCode} autocomplete="off" autocapitalize="characters"
      autocorrect="off" spellcheck="false" required autofocus=${!linked || problem !== null} ...${described} />
    <p class="soft small" id=${HINT_ID}>${words.device.hint}</p>
  </div>`;
}

function problemText(problem: NonNullable<DeviceCodeView["problem"]>, words: Messages): string {
  if (problem.kind !== "throttled") return words.device[problem.kind];
  const count = Math.max(1, Math.ceil(problem.minutes));
  return fill(plural(words.language, words.device.throttled, count), { count });
}

/**
 * The facts that the owner compares before they answer: the code, the place and time of the request, and the warning.
 * `refuse`: the label of the button that refuses.
 */
export function deviceFacts(facts: DeviceFacts, chrome: Chrome, refuse: string): Markup {
  const { words } = chrome;
  const { device } = words;
  const place = facts.sameNetwork ? device.fromHere : device.fromElsewhere;
  const from = facts.address === null ? device.fromUnknown : rich(place, { address: hostText(facts.address) });
  return html`<div class="device-facts">
    <dl class="facts">
      <div><dt>${device.itsCode}</dt><dd class="user-code"><bdi dir="ltr">${visible(facts.userCode)}</bdi></dd></div>
      <div><dt>${device.itsAddress}</dt><dd>${from}</dd></div>
      <div><dt>${device.when}</dt><dd>${timeElement(words, facts.askedAt, facts.now)}</dd></div>
    </dl>
    ${notice("warning", fill(device.warning, { refuse }))} ${localTimes(chrome)}
  </div>`;
}

/** Renders the first question if the device asked from another network. */
export function deviceElsewherePage(view: DeviceElsewhereView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { device } = words;
  return cardPage(
    chrome,
    device.elsewhereTitle,
    html`<div class="stack">
      <div class="heading asking">
        ${tile(view.client, "small", base)}
        <h1>${device.elsewhereTitle}</h1>
        <p class="soft">${rich(device.elsewhereText, { app: name(view.client.name) })}</p>
      </div>
      <form class="consent" method="post" action=${`${base}/device/elsewhere`}>
        ${secrets(view.form)} ${deviceFacts(view.device, chrome, device.elsewhereNo)}
        <div class="decision">
          <button class="button" type="submit" name="decision" value="go_on">${icon("check")}${device.elsewhereYes}</button>
          <button class="button" type="submit" name="decision" value="deny">${icon("x")}${device.elsewhereNo}</button>
        </div>
      </form>
    </div>`,
  );
}

/** Renders the page after the answer. The device continues or stops without this browser. */
export function deviceDonePage(view: DeviceDoneView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { device } = words;
  const allowed = view.outcome === "allowed" || view.outcome === "allowed_before";
  const keeps = view.outcome === "denied_keeps";
  const title = allowed ? device.allowedTitle : keeps ? device.deniedKeepsTitle : device.deniedTitle;
  const { allowedText, allowedBefore, deniedText, nothingText } = device;
  const kept =
    view.company === undefined ? device.deniedKeeps : rich(device.deniedKeepsFor, { company: name(view.company) });
  const denied = { denied: deniedText, denied_keeps: kept, nothing: nothingText };
  const texts = { allowed: allowedText, allowed_before: allowedBefore, ...denied };
  return cardPage(
    chrome,
    fill(title, { app: visible(view.client.name, NAME_LENGTH) }),
    html`<div class="stack">
      <div class="heading">
        <span class=${allowed ? "sign done" : "sign"}>${icon(allowed ? "check" : "x")}</span>
        <h1>${rich(title, { app: name(view.client.name) })}</h1>
        <p class="soft">${texts[view.outcome]}</p>
      </div>
      <a class="button" href=${`${base}/account/apps`}>${device.apps}</a>
    </div>`,
  );
}
