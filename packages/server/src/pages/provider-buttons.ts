/** The buttons that lead to other providers: one form, in the operator's order. */
import type { Chrome } from "./chrome.ts";
import { type Messages, rich, sentences } from "./messages/index.ts";
import { hidden, secrets } from "./parts/components.ts";
import { type Child, html, type Markup } from "./parts/html.ts";
import { listed } from "./security/sign-in-way-names.ts";
import { name, visible } from "./untrusted-text.ts";
import type { FormSecrets, NotSignedInElsewhere, NoWayIn, ProviderButton } from "./views.ts";

interface Buttons {
  readonly providers: readonly ProviderButton[];
  readonly form: FormSecrets;
  readonly primary?: boolean;
  /** Only the second factor is missing. */
  readonly only?: "second-factor";
}

export function providerButtons({ providers, form, primary = false, only }: Buttons, { words, base }: Chrome): Markup {
  return html`<form class="fields providers" method="post" action=${`${base}/login/provider`}>
    ${secrets(form)} ${only !== undefined && hidden({ only })}
    ${providers.map(
      (one) =>
        html`<button class=${primary ? "button primary" : "button"} type="submit" name="provider" value=${one.id}>
          <span class="initial" aria-hidden="true">${initialOf(one.name)}</span>
          <span>${rich(words.elsewhere.with, { provider: name(one.name) })}</span>
        </button>`,
    )}
  </form>`;
}

/**
 * What went wrong at a provider, for somebody who is signed in and lacks a second step. Their page has neither "Switch
 * account" nor another sign-in.
 */
export function secondStepProblem({ why, provider }: NotSignedInElsewhere, { elsewhere }: Messages): Child {
  const { problem, onlyHere } = elsewhere;
  const text =
    why === "denied" ? onlyHere.denied : why === "another" || why === "other_person" ? onlyHere.another : problem[why];
  return rich(text, { provider: name(provider) });
}

/** Says that a person has no way to sign in now, and what helps. `signedOut`: also what signing out would mean. */
export function noWayText({ password, providers, how }: NoWayIn, words: Messages, signedOut: boolean): Child {
  const { elsewhere, security, language } = words;
  const { noWay } = elsewhere;
  return sentences(
    language,
    password === "none" ? security.passwordNone : security.passwordUnknown,
    providers.length === 0 ? noWay.noOther : rich(noWay.notNow, { providers: listed(providers, words).html }),
    signedOut && noWay.signOut,
    how === "by mail" ? noWay.byMail : noWay[how],
  );
}

/** The first letter or number of a name. It only helps to find the button, so a reader of the page doesn't hear it. */
function initialOf(text: string): string {
  const [first] = /[\p{L}\p{N}]\p{M}*/u.exec(visible(text, 60)) ?? ["•"];
  return first.toUpperCase();
}
