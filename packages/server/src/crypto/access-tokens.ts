/** JWT access tokens (RFC 9068): signed in batches, once per turn of the event loop. */

import { LRUCache } from "lru-cache";
import type { Millis } from "../oauth/model.ts";
import type { AccessTokenClaims, AccessTokens, VerifiedAccessToken } from "../oauth/ports.ts";
import { signEs256, verifyEs256 } from "./es256.ts";
import { hashes } from "./hashes.ts";
import { randomText } from "./random.ts";
import type { KeySet } from "./signing-keys.ts";

const MAX_TOKEN = 8192;

interface Waiting {
  readonly claims: AccessTokenClaims;
  readonly resolve: (token: string) => void;
  readonly reject: (error: unknown) => void;
}

/** `keys` answers with the keys of the moment; it is asked once per batch. */
export class JwtAccessTokens implements AccessTokens {
  readonly #issuer: string;
  readonly #keys: () => Promise<KeySet>;
  #waiting: Waiting[] = [];
  // An API introspects the same token again and again: its signature is checked once, its end each time.
  readonly #verified = new LRUCache<string, VerifiedAccessToken>({ max: 10_000 });
  #jwks = "";

  constructor(issuer: string, keys: () => Promise<KeySet>) {
    this.#issuer = issuer;
    this.#keys = keys;
  }

  sign(claims: AccessTokenClaims): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ claims, resolve, reject });
      // Everything that this turn brings is signed together: fewer switches between parsing and signing, a shorter tail.
      if (this.#waiting.length === 1) setImmediate(() => this.#signAll());
    });
  }

  async #signAll(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      const { active } = await this.#keys();
      for (const { claims, resolve } of batch) {
        const input = `${active.header}.${Buffer.from(this.#payload(claims)).toString("base64url")}`;
        resolve(`${input}.${signEs256(input, active.privateKey).toString("base64url")}`);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  #payload({ sub, aud, clientId, scope, iat, exp, grantId, person }: AccessTokenClaims): string {
    return JSON.stringify({
      iss: this.#issuer,
      sub,
      aud,
      client_id: clientId,
      scope,
      iat,
      exp,
      // The grant's id leads introspection to its row where an API wants to be told of the grant's end.
      jti: grantId === null ? randomText(16) : `${grantId}.${randomText(12)}`,
      ...(person === null
        ? {}
        : { auth_time: Math.floor(person.authTime / 1000), acr: person.acr ?? undefined, amr: person.amr }),
    });
  }

  async verify(token: string, now: Millis): Promise<VerifiedAccessToken | undefined> {
    if (token.length > MAX_TOKEN) return undefined;
    const keys = await this.#keys();
    if (keys.jwks !== this.#jwks) {
      // A key went: what it signed is no longer ours to vouch for.
      this.#jwks = keys.jwks;
      this.#verified.clear();
    }
    const key = hashes.sha256(token);
    let verified = this.#verified.get(key);
    if (verified === undefined) {
      verified = this.#check(token, keys);
      if (verified === undefined) return undefined;
      this.#verified.set(key, verified);
    }
    return verified.claims.exp * 1000 > now ? verified : undefined;
  }

  /** Ours has exactly one of our own headers, so nothing in a foreign header is ever interpreted. */
  #check(token: string, { published }: KeySet): VerifiedAccessToken | undefined {
    const [header, payload = "", signature = "", ...rest] = token.split(".");
    const key = published.find((one) => one.header === header);
    if (key === undefined || rest.length > 0) return undefined;
    const bytes = Buffer.from(signature, "base64url");
    if (bytes.toString("base64url") !== signature) return undefined;
    if (!verifyEs256(`${header}.${payload}`, bytes, key.publicKey)) return undefined;
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as VerifiedAccessToken["claims"];
    const [grantId, random] = claims.jti.split(".");
    return { claims, grantId: random === undefined ? null : (grantId ?? null) };
  }
}
