/** The section about passkeys, on the page about security. */
import type { Chrome } from "../chrome.ts";
import type { PasskeyEntry } from "../factor-views.ts";
import { fill, rich } from "../messages/index.ts";
import { html, type Markup } from "../parts/html.ts";
import { timeElement } from "../shown-time.ts";
import { name, visible } from "../untrusted-text.ts";
import { facts, seenFrom } from "./sign-in-way-names.ts";
import type { SecurityView } from "./views.ts";

export function passkeysSection(view: SecurityView, chrome: Chrome): Markup {
  const { words, base } = chrome;
  const { passkeys } = words;
  const { available, entries } = view.passkeys;
  return html`<section class="card section" aria-labelledby="passkeys-title">
    <div>
      <h2 id="passkeys-title">${passkeys.title}</h2>
      <p class="soft small">${available ? passkeys.intro : passkeys.unavailable}</p>
    </div>
    ${available && html`<a class="button" href=${`${base}/account/security/passkeys`}>${passkeys.add}</a>`}
    ${entries.length > 0 && html`<ul class="ways">${entries.map((entry) => passkeyEntry(entry, view, chrome))}</ul>`}
  </section>`;
}

function passkeyEntry(entry: PasskeyEntry, { now }: SecurityView, { words, base }: Chrome): Markup {
  const { passkeys } = words;
  const { lastUsedAt } = entry;
  const used =
    lastUsedAt === null ? passkeys.unused : rich(passkeys.used, { when: timeElement(words, lastUsedAt, now) });
  return html`<li class="way">
    <div class="way-what">
      <p>${name(entry.name)}</p>
      <p class="soft small">${facts([...seenFrom(entry, entry.createdAt, now, words), used])}</p>
      <p class="soft small">${entry.synced ? passkeys.synced : passkeys.bound}</p>
    </div>
    <a class="button" href=${`${base}/account/security/passkeys/remove?${new URLSearchParams({ id: entry.id })}`} aria-label=${fill(passkeys.removeNamed, { name: visible(entry.name, 60) })}>${passkeys.remove}</a>
  </li>`;
}
