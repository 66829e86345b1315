/** `/account/security/authenticator`: the secret as a QR code and as text, and a field for the code that proves that an app has it. */
import encodeQr from "qr";
import type { Chrome } from "../chrome.ts";
import type { AuthenticatorView, RecoveryCodesView } from "../factor-views.ts";
import { sentences } from "../messages/index.ts";
import { hidden, titled } from "../parts/components.ts";
import { field } from "../parts/fields.ts";
import { html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { cardPage } from "../parts/layout.ts";
import { backFrom, codesReplaced } from "./sign-in-way-names.ts";

export function authenticatorPage(view: AuthenticatorView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { authenticator: said } = words;
  const error = view.fault === null ? null : said[view.fault];
  return cardPage(
    chrome,
    titled(said.setUpTitle, error !== null, words),
    html`<div class="stack">
      <div class="heading">
        <h1>${said.setUpTitle}</h1>
        <p class="soft">${said.scan}</p>
      </div>
      ${qrCode(view.uri, said.qr)}
      ${/* A phone can't scan its own screen. It opens the link in the app that takes such addresses. */ ""}
      <a class="button on-phone" href=${view.uri}>${said.open}</a>
      <p class="small">${said.secret} <code class="secret" dir="ltr">${view.secret.replace(/.{4}/g, "$& ").trim()}</code></p>
      <form class="fields" method="post" action=${`${base}/account/security/authenticator`} novalidate>
        ${hidden({ csrf: view.csrf, sealed: view.sealed, request: view.request })}
        ${field({ name: "code", label: said.code, type: "text", inputmode: "numeric", autocomplete: "one-time-code", error })}
        <button class="button primary" type="submit">${said.submit}</button>
        <a class="button" href=${base + backFrom(view.request)}>${words.cancel}</a>
      </form>
    </div>`,
    { signOut: view.csrf },
  );
}

/** Dark on light in both themes, because many cameras read no other QR codes. The border is part of the code. */
function qrCode(text: string, label: string): Markup {
  const rows = encodeQr(text, "raw", { ecc: "medium", border: 2 });
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return html`<svg class="qr" viewBox=${`0 0 ${rows.length} ${rows.length}`} role="img" aria-label=${label} shape-rendering="crispEdges">
    <rect class="qr-light" width=${rows.length} height=${rows.length} />
    <path class="qr-dark" d=${path} />
  </svg>`;
}

function asTextFile(codes: readonly string[]): string {
  return `data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join("\r\n")}\r\n`)}`;
}

/** The recovery codes. The page shows them only once. */
export function recoveryCodesPage(view: RecoveryCodesView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { recovery } = words;
  return cardPage(
    chrome,
    recovery.newTitle,
    html`<div class="stack">
      <div class="heading">
        <h1>${recovery.newTitle}</h1>
        <p class="soft">${recovery.newIntro}</p>
        ${view.renewed && html`<p class="soft">${sentences(words.language, ...codesReplaced(view.proving, words))}</p>`}
      </div>
      <ol class="codes" dir="ltr">
        ${view.codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ol>
      <div class="buttons">
        ${/* The codes are in the link itself. So no second request asks for them, and no cache can store them. */ ""}
        <a class="button" href=${asTextFile(view.codes)} download="recovery-codes.txt">${icon("receipt")}${recovery.download}</a>
        <a class="button primary" href=${base + view.next}>${recovery.go}</a>
      </div>
    </div>`,
  );
}
