/** Asks for a passkey: a form that a script fills (Web Authentication Level 3), and a text for browsers without scripts. */
import type { Chrome } from "./chrome.ts";
import { hidden, secrets } from "./parts/components.ts";
import { type Child, html } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import type { FormSecrets, PasskeyOffer } from "./views.ts";

/**
 * A passkey button on a page that is not a sign-in page. `action` and `fields`: the form's target and hidden fields. `without`: the text if scripts
 * are off.
 */
export function passkeyButton(
  offer: PasskeyOffer,
  {
    action,
    fields,
    label,
    without,
    primary = false,
  }: {
    readonly action: string;
    readonly fields: Readonly<Record<string, string>>;
    readonly label: string;
    readonly without: string;
    /** The page has no other way. */
    readonly primary?: boolean;
  },
  chrome: Chrome,
): readonly Child[] {
  return askFor(offer, { action, fields: hidden(fields), label, without, primary, conditional: false }, chrome);
}

/**
 * The form with the button. Only a script shows it, because the form needs the script. `partial`: the first step of this sign-in. If it is null,
 * the passkey is the whole sign-in, and the browser may offer passkeys in the username field. `primary`: the page has no other way.
 */
export function passkeyForm(
  offer: PasskeyOffer,
  form: FormSecrets,
  partial: string | null,
  chrome: Chrome,
  primary = false,
): readonly Child[] {
  const { passkey } = chrome.words;
  const how = {
    ...{ action: `${chrome.base}/login/passkey`, fields: [secrets(form), hidden({ partial })], label: passkey.use },
    ...{
      without: partial === null ? passkey.noScript : passkey.noScriptSecond,
      conditional: partial === null,
      primary,
    },
  };
  return askFor(offer, how, chrome);
}

interface Asking {
  readonly action: string;
  readonly fields: Child;
  readonly label: string;
  readonly without: string;
  readonly conditional: boolean;
  readonly primary: boolean;
}

function askFor(
  offer: PasskeyOffer,
  { action, fields, label, without, conditional, primary }: Asking,
  { words, passkeyScript }: Chrome,
): readonly Child[] {
  const { challenge, rpId, sealed } = offer;
  const options = { challenge, rpId, userVerification: "required", timeout: 300_000 };
  return [
    html`<form class="passkey" method="post" action=${action} hidden data-passkey="get"
      data-conditional=${conditional ? "yes" : null} data-options=${JSON.stringify(options)}>
      ${fields} ${hidden({ challenge: sealed, credential: "" })}
      <button class=${primary ? "button primary" : "button"} type="submit">${icon("key")}<span>${label}</span></button>
      <p class="field-error" role="alert" hidden data-passkey-problem>${icon("circleAlert")}<span>${words.passkey.cancelled}</span></p>
    </form>`,
    html`<p class="soft small" data-passkey-without>${without}</p>`,
    html`<script src=${passkeyScript} defer></script>`,
  ];
}
