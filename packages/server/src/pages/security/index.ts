/** `/account/security`: a section for each way to sign in. */
import type { Chrome } from "../chrome.ts";
import { sentences } from "../messages/index.ts";
import { accessEnds } from "../parts/access-ends.ts";
import { notice, titled } from "../parts/components.ts";
import { type Child, html } from "../parts/html.ts";
import { accountPage } from "../parts/layout.ts";
import { noWayText } from "../provider-buttons.ts";
import { authenticatorSection } from "./authenticator-section.ts";
import { identitiesSection } from "./identities-section.ts";
import { passkeysSection } from "./passkeys-section.ts";
import { passwordSection } from "./password-section.ts";
import { providersSection } from "./providers-section.ts";
import { sessionsSection } from "./sessions-section.ts";
import { SECURITY_NOTICES, type SecurityView } from "./views.ts";

/** Renders `GET /account/security`. Each section is a function of the whole view, in a file of its own. */
export function securityPage(view: SecurityView, chrome: Chrome): string {
  const { words } = chrome;
  const refusal = view.notice !== null && SECURITY_NOTICES[view.notice] === "danger";
  return accountPage(
    chrome,
    titled(words.security.title, refusal, words),
    { ...view, here: "security" },
    html`<div class="stack">
      <div class="heading">
        <h1>${words.security.title}</h1>
        <p class="soft">${words.security.intro}</p>
      </div>
      ${view.notice !== null && notice(SECURITY_NOTICES[view.notice], noticeText(view.notice, view.appsEndIn, chrome), refusal ? { focus: true } : {})}
      ${view.noWay !== undefined && notice("warning", noWayText(view.noWay, words, true))}
      <div class="apps one-column">
        ${passwordSection(view, chrome)} ${passkeysSection(view, chrome)} ${authenticatorSection(view, chrome)}
        ${providersSection(view, chrome)} ${identitiesSection(view, chrome)} ${sessionsSection(view, chrome)}
      </div>
    </div>`,
  );
}

function noticeText(done: NonNullable<SecurityView["notice"]>, appsEndIn: number, chrome: Chrome): Child {
  const { words } = chrome;
  switch (done) {
    case "password":
      return words.security.passwordDone;
    case "password-and-apps":
      return sentences(
        words.language,
        words.security.passwordDone,
        words.takeBack.appsRevoked,
        accessEnds(appsEndIn, chrome),
        words.security.companyAppsEnded,
      );
    case "passkey-added":
      return words.passkeys.doneAdded;
    case "passkey-removed":
      return words.passkeys.doneRemoved;
    case "passkey-last":
      return words.passkeys.last;
    case "authenticator-removed":
      return words.authenticator.doneRemoved;
    case "codes-newer":
      return words.recovery.newer;
    case "identity-removed":
      return words.identities.doneRemoved;
    case "identity-last":
      return words.identities.last;
    case "account-connected":
      return words.elsewhere.doneConnected;
    case "account-known":
      return words.elsewhere.doneKnown;
    case "account-taken":
      return words.elsewhere.doneTaken;
    case "account-held":
      return words.companySignIn.held;
    case "account-other":
      return words.elsewhere.doneOther;
    case "account-failed":
      return words.elsewhere.doneFailed;
    case "account-closed":
      return words.elsewhere.doneClosed;
    case "account-disconnected":
      return words.elsewhere.doneDisconnected;
    case "account-last":
      return words.elsewhere.last;
    case "session-ended":
      return words.sessions.doneOne;
    case "others-ended":
      return words.sessions.doneOthers;
  }
}
