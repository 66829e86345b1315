/** The host that gets an app's answers, in words. It is the one fact about an app that the app can't choose freely. */

import { fill, type Messages, rich } from "./messages/index.ts";
import { type Child, html, type Markup } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { hostText, visible } from "./untrusted-text.ts";

/** The kind of address that gets the answer: a website, this device's loopback interface, or an app's own URI scheme. */
export function hostKind(host: string): "web" | "loopback" | "scheme" {
  if (host.endsWith(":")) return "scheme";
  return /^(127(\.\d+){3}|\[::1\]|localhost)(:\d+)?$/.test(host) ? "loopback" : "web";
}

/** The real host of a client in plain text. It comes from the registered address, not from the client's name. */
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

/** The same as plain text, for messages. */
export function hostPlain(host: string, { consent }: Messages): string {
  const text = visible(host);
  const kind = hostKind(host);
  if (kind === "web") return text;
  return kind === "loopback"
    ? fill(consent.thisDevice, { host: text })
    : fill(consent.appOnDevice, { host: text.slice(0, -1) });
}

/** The host on a line of its own, with an icon for a website or a device. Null if there is no host. */
export function clientHost(host: string | null, words: Messages): Markup | null {
  if (host === null) return null;
  return html`<p class="client-host">
    ${icon(hostKind(host) === "web" ? "globe" : "device")}<span>${hostWords(host, words)}</span>
  </p>`;
}
