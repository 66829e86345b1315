/** The host that gets an app's answers, in words: the one fact about an app that it can't choose freely. */

import { type Messages, rich } from "./messages/index.ts";
import { type Child, html, type Markup } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { hostText } from "./text.ts";

/** How the address that gets the answer is reached: a site, this device's loopback, or an app by its own scheme. */
export function hostKind(host: string): "web" | "loopback" | "scheme" {
  if (host.endsWith(":")) return "scheme";
  return /^(127(\.\d+){3}|\[::1\]|localhost)(:\d+)?$/.test(host) ? "loopback" : "web";
}

/** The real host of a client in plain text, as it was registered, not as the client calls itself. */
export function hostWords(host: string, words: Messages): Child {
  switch (hostKind(host)) {
    case "web":
      return hostText(host);
    case "loopback":
      return rich(words.consent.thisDevice, { host: hostText(host) });
    case "scheme":
      return rich(words.consent.appOnDevice, { host: hostText(host.slice(0, -1)) });
  }
}

/** The same as a line of its own, with a sign for a site or a device; nothing where there is no host. */
export function clientHost(host: string | null, words: Messages): Markup | null {
  if (host === null) return null;
  return html`<p class="client-host">
    ${icon(hostKind(host) === "web" ? "globe" : "device")}<span>${hostWords(host, words)}</span>
  </p>`;
}
