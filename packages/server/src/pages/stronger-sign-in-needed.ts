/** The page if an app requires a stronger sign-in than this account has: how to set one up, and the link back (RFC 9470 §5). */
import type { Chrome } from "./chrome.ts";
import { clientHost } from "./client-host.ts";
import type { StrongerView } from "./factor-views.ts";
import { rich } from "./messages/index.ts";
import { notice, secrets, tile, titled } from "./parts/components.ts";
import { html } from "./parts/html.ts";
import { cardPage } from "./parts/layout.ts";
import { providerButtons, secondStepProblem } from "./provider-buttons.ts";
import { name } from "./untrusted-text.ts";

export function strongerPage(view: StrongerView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { stronger } = words;
  const { client, wanted } = view;
  const query = view.request === null ? "" : `?${new URLSearchParams({ request: view.request })}`;
  const text = wanted === "phr" ? stronger.introPasskey : stronger.intro;
  return cardPage(
    chrome,
    titled(stronger.title, view.problem !== null, words),
    html`<div class="stack">
      <div class="heading">
        ${tile(client, "large", base)}
        <h1>${stronger.title}</h1>
        ${clientHost(client.host, words)}
        <p class="soft">${rich(text, { app: name(client.name) })}</p>
      </div>
      ${view.problem !== null && notice("danger", secondStepProblem(view.problem, words), { focus: true })}
      <div class="buttons">
        ${view.passkeys && html`<a class="button primary" href=${`${base}/account/security/passkeys${query}`}>${stronger.passkey}</a>`}
        ${
          wanted === "mfa" &&
          html`<a class=${view.passkeys ? "button" : "button primary"} href=${`${base}/account/security/authenticator${query}`}>${stronger.authenticator}</a>`
        }
      </div>
      ${
        view.elsewhere !== undefined &&
        html`<div class="stack"><p class="soft">${stronger.elsewhere}</p>${providerButtons({ ...view.elsewhere, only: "second-factor" }, chrome)}</div>`
      }
      ${
        view.form !== null &&
        html`<form class="buttons" method="post" action=${`${base}/login/stronger`}>
          ${secrets(view.form)}
          <button class="button" type="submit" name="decision" value="deny">${stronger.deny}</button>
        </form>`
      }
    </div>`,
  );
}
