/** Asking for a passkey: a form that a script fills (Web Authentication Level 3), and what is said where there is none. */
import type { Chrome } from "./chrome.ts";
import { hidden, secrets } from "./components.ts";
import type { PasskeyOffer } from "./factor-views.ts";
import { type Child, html } from "./html.ts";
import { icon } from "./icons.ts";
import type { FormSecrets } from "./views.ts";

/**
 * The form with the button. It is shown by the script alone: without one it could do nothing. `partial`: the first step of this sign-in; null: this
 * is all of it, and the browser may offer passkeys where the username is typed.
 */
export function passkeyForm(
  offer: PasskeyOffer,
  form: FormSecrets,
  partial: string | null,
  { words, base, passkeyScript }: Chrome,
): readonly Child[] {
  const { passkey } = words;
  return [
    html`<form class="passkey" method="post" action=${`${base}/login/passkey`} hidden data-passkey="get"
      data-conditional=${partial === null ? "yes" : null}
      data-options=${JSON.stringify({ challenge: offer.challenge, rpId: offer.rpId, userVerification: "required", timeout: 300_000 })}>
      ${secrets(form)} ${hidden({ partial, challenge: offer.sealed, credential: "" })}
      <button class="button" type="submit">${icon("key")}<span>${passkey.use}</span></button>
      <p class="field-error" role="alert" hidden data-passkey-problem>${icon("circleAlert")}<span>${passkey.cancelled}</span></p>
    </form>`,
    html`<p class="soft small" data-passkey-without>${partial === null ? passkey.noScript : passkey.noScriptSecond}</p>`,
    html`<script src=${passkeyScript} defer></script>`,
  ];
}
