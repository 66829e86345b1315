/** The signing keys of providers, for the client library: cached, and read again at once for a key that is new (RFC 7517 §5). */

import { LRUCache } from "lru-cache";
import type { Millis } from "../oauth/model.ts";

/** How long keys count. A key that the provider withdraws works here for this long. */
const KEYS_TTL: Millis = 300_000;
/** The shortest time between two requests for keys that are not among the cached ones. */
const UNKNOWN_EVERY: Millis = 5_000;

/** The answer of a `jwks_uri`. */
interface Keys {
  readonly status: number;
  readonly body: string;
  readonly kids: ReadonlySet<string>;
  readonly readAt: Millis;
}

export class ProviderKeys {
  readonly #now: () => Millis;
  readonly #keys = new LRUCache<string, Keys>({ max: 200 });
  /** Requests that somebody waits for, so that a hundred sign-ins at once read the keys once. */
  readonly #reading = new Map<string, Promise<Keys>>();
  /** When keys were read because one was missing. */
  readonly #missedAt = new LRUCache<string, Millis>({ max: 200 });

  /** `now`: a monotonic clock. */
  constructor(now: () => Millis) {
    this.#now = now;
  }

  /** `kid`: the key that is wanted. Undefined: the token names none. `read` asks the provider. */
  async at(uri: string, kid: string | undefined, read: () => Promise<Response>): Promise<Response> {
    const known = this.#keys.get(uri);
    const fresh = known !== undefined && this.#now() - known.readAt < KEYS_TTL;
    const has = fresh && (kid === undefined || known.kids.has(kid) || !this.#mayAskAgain(uri));
    const { status, body } = has ? known : await this.#read(uri, read);
    return new Response(body === "" ? null : body, { status, headers: { "content-type": "application/json" } });
  }

  /** A provider that signs with unknown keys again and again is not asked for each of its tokens. */
  #mayAskAgain(uri: string): boolean {
    const before = this.#missedAt.get(uri);
    if (before !== undefined && this.#now() - before < UNKNOWN_EVERY && !this.#reading.has(uri)) return false;
    if (!this.#reading.has(uri)) this.#missedAt.set(uri, this.#now());
    return true;
  }

  #read(uri: string, read: () => Promise<Response>): Promise<Keys> {
    const under = this.#reading.get(uri);
    if (under !== undefined) return under;
    const reading = read()
      .then(async (response) => {
        const body = await response.text();
        const keys = { status: response.status, body, kids: kidsOf(body), readAt: this.#now() };
        if (response.status === 200) this.#keys.set(uri, keys);
        return keys;
      })
      .finally(() => this.#reading.delete(uri));
    this.#reading.set(uri, reading);
    return reading;
  }
}

/** The library judges the document. */
function kidsOf(body: string): ReadonlySet<string> {
  try {
    const { keys } = JSON.parse(body) as { keys?: readonly { kid?: unknown }[] };
    return new Set((keys ?? []).map(({ kid }) => kid).filter((kid) => typeof kid === "string"));
  } catch {
    return new Set();
  }
}

/** The key that the ID token of a token response names. Undefined: none, or there is no ID token. */
export function kidOfTokenResponse(body: string): string | undefined {
  try {
    const { id_token: token } = JSON.parse(body) as { id_token?: unknown };
    const header = Buffer.from(String(token).split(".", 1)[0] ?? "", "base64url").toString();
    const { kid } = JSON.parse(header) as { kid?: unknown };
    return typeof kid === "string" ? kid : undefined;
  } catch {
    return undefined;
  }
}
