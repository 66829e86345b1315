/** Which redirect hosts a consent holds for (RFC 6749 §10.6, RFC 9700 §4.1). */

import type { Client, ConsentedScope } from "./model.ts";
import { consentHost, consentHosts } from "./redirect-uri.ts";

/** Where the answer to a request goes, and what a consent must hold for to give it without a page. */
export interface Reach {
  /** The host of the request's redirect URI; null: the answer goes to the client itself, as for a device. */
  readonly host: string | null;
  /** What consents hold for that were given before hosts were noted. */
  readonly earlierHosts: readonly string[];
}

/** `redirectUri` null: there is none. */
export function reachOf(client: Pick<Client, "earlierRedirectUris">, redirectUri: string | null): Reach {
  return {
    host: redirectUri === null ? null : consentHost(redirectUri),
    earlierHosts: consentHosts(client.earlierRedirectUris ?? []),
  };
}

/** `hosts`: as a consent or an approval notes them. */
export function reaches(hosts: ConsentedScope["hosts"] | null, { host, earlierHosts }: Reach): boolean {
  return host === null || (hosts ?? earlierHosts).includes(host);
}
