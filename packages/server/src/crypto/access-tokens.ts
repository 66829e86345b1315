/**
 * Access tokens in the form that their API takes: a JWT (RFC 9068), signed in batches once per turn of the event loop,
 * or a sealed text.
 */

import { LRUCache } from "lru-cache";
import type { Millis, SigningAlg, Soon } from "../oauth/model.ts";
import type { AccessTokenClaims, AccessTokens, VerifiedAccessToken } from "../oauth/ports.ts";
import { hashes } from "./node-hashes.ts";
import { randomText } from "./random.ts";
import { seal, unseal } from "./seal.ts";
import type { Secrets } from "./server-secret.ts";
import { signingAlgorithms } from "./signing-algs.ts";
import type { KeySet, PublishedKey, SigningKey } from "./signing-keys.ts";

const MAX_TOKEN = 8192;
/** Scanners for leaked secrets recognize a sealed token by this prefix; a JWT begins differently. */
const SEALED_PREFIX = "at_";

interface Waiting {
  readonly claims: AccessTokenClaims;
  readonly resolve: (token: string | Promise<string>) => void;
  readonly reject: (error: unknown) => void;
}

export interface AccessTokenParts {
  readonly issuer: string;
  readonly secrets: Secrets;
  /** The present keys; called once per batch. */
  keys(): Soon<KeySet>;
  /** Makes the first key of an alg, if an API began to use it a moment ago. Returns the keys with it. */
  makeKey(alg: SigningAlg): Promise<KeySet>;
}

/** Makes the tokens of all APIs and verifies them. The server stores none. */
export class OwnAccessTokens implements AccessTokens {
  readonly #parts: AccessTokenParts;
  #waiting: Waiting[] = [];
  // An API introspects the same token many times: the signature is checked once, the expiry each time.
  readonly #verified = new LRUCache<string, VerifiedAccessToken>({ max: 10_000 });
  #jwks = "";

  constructor(parts: AccessTokenParts) {
    this.#parts = parts;
  }

  sign(claims: AccessTokenClaims): Promise<string> {
    if (claims.format === "opaque") return Promise.resolve(this.#seal(claims));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ claims, resolve, reject });
      // All tokens of this turn are signed together: fewer switches between parsing and signing shorten the longest
      // waits.
      if (this.#waiting.length === 1) setImmediate(() => this.#signAll());
    });
  }

  /**
   * `at_` ‖ base64url of the claims under XAES-256-GCM. The tag distinguishes a token of this server from any other
   * text, before any lookup.
   */
  #seal(claims: AccessTokenClaims): string {
    const sealed = seal(this.#parts.secrets, "access token", "", Buffer.from(this.#payload(claims)));
    return SEALED_PREFIX + Buffer.from(sealed).toString("base64url");
  }

  async #signAll(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      const { active } = await this.#parts.keys();
      for (const { claims, resolve } of batch) {
        const key = active.get(claims.alg);
        resolve(key === undefined ? this.#signWithFirst(claims) : this.#signWith(key, claims));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  #signWith({ alg, header, privateKey }: SigningKey, claims: AccessTokenClaims): string | Promise<string> {
    const input = `${header}.${Buffer.from(this.#payload(claims)).toString("base64url")}`;
    const signature = signingAlgorithms[alg].sign(input, privateKey);
    const withSignature = (bytes: Buffer) => `${input}.${bytes.toString("base64url")}`;
    return signature instanceof Promise ? signature.then(withSignature) : withSignature(signature);
  }

  async #signWithFirst(claims: AccessTokenClaims): Promise<string> {
    const key = (await this.#parts.makeKey(claims.alg)).active.get(claims.alg);
    if (key === undefined) throw new Error(`there is no key for ${claims.alg}, though one has been made`);
    return this.#signWith(key, claims);
  }

  #payload(claims: AccessTokenClaims): string {
    const { sub, aud, clientId, scope, iat, exp, grantId, actor, agents, person, certificateThumbprint } = claims;
    return JSON.stringify({
      iss: this.#parts.issuer,
      sub,
      aud,
      client_id: clientId,
      scope,
      iat,
      exp,
      // The grant's id leads introspection to its row, for an API that must know when the grant ended.
      jti: grantId === null ? randomText(16) : `${grantId}.${randomText(12)}`,
      ...(actor === null && agents === undefined ? {} : { act: actClaim(actor, agents) }),
      ...(certificateThumbprint === undefined ? {} : { cnf: { "x5t#S256": certificateThumbprint } }),
      ...(person === null ? {} : signedIn(person)),
    });
  }

  verify(token: string, now: Millis): Soon<VerifiedAccessToken | undefined> {
    if (token.length > MAX_TOKEN) return undefined;
    if (token.startsWith(SEALED_PREFIX)) return live(this.#open(token), now);
    const keys = this.#parts.keys();
    if (keys instanceof Promise) return keys.then((set) => live(this.#verify(token, set), now));
    return live(this.#verify(token, keys), now);
  }

  #open(token: string): VerifiedAccessToken | undefined {
    const bytes = canonical(token.slice(SEALED_PREFIX.length));
    const plain = bytes && unseal(this.#parts.secrets, "access token", "", bytes);
    return plain && verifiedOf(plain);
  }

  #verify(token: string, keys: KeySet): VerifiedAccessToken | undefined {
    if (keys.jwks !== this.#jwks) {
      // A key was retired: the server no longer accepts its signatures.
      this.#jwks = keys.jwks;
      this.#verified.clear();
    }
    const key = hashes.sha256(token);
    let verified = this.#verified.get(key);
    if (verified === undefined) {
      verified = check(token, keys);
      if (verified !== undefined) this.#verified.set(key, verified);
    }
    return verified;
  }
}

function live(token: VerifiedAccessToken | undefined, now: Millis): VerifiedAccessToken | undefined {
  return token !== undefined && token.claims.exp * 1000 > now ? token : undefined;
}

/** RFC 8693 §4.1: the latest actor is the outermost; the person who acts for a company is the innermost. */
function actClaim(person: string | null, agents: readonly string[] = []): object | undefined {
  const innermost = person === null ? undefined : { sub: person };
  return agents.reduceRight<object | undefined>((act, sub) => (act === undefined ? { sub } : { sub, act }), innermost);
}

/** RFC 9068 §2.2.1. A resource server takes an `auth_time` for a sign-in, so an unknown one is left out. */
function signedIn({ authTime, acr, amr }: NonNullable<AccessTokenClaims["person"]>) {
  return {
    auth_time: authTime === null ? undefined : Math.floor(authTime / 1000),
    acr: acr ?? undefined,
    amr: amr.length === 0 ? undefined : amr,
  };
}

function check(token: string, keys: KeySet): VerifiedAccessToken | undefined {
  const payload = signedPayload(token, keys, ({ header }) => header);
  return payload && verifiedOf(payload);
}

/**
 * The payload of a JWT that this server signed. Undefined: it did not. Such a JWT has exactly one of the server's own
 * headers, so no foreign header is ever interpreted. The key decides the alg.
 *
 * @param headerOf the encoded header of this kind of JWT under a key.
 */
export function signedPayload(
  token: string,
  { published }: Pick<KeySet, "published">,
  headerOf: (key: PublishedKey) => string,
): Buffer | undefined {
  const [header, payload = "", signature = "", ...rest] = token.split(".");
  const key = published.find((one) => headerOf(one) === header);
  const bytes = canonical(signature);
  if (key === undefined || bytes === undefined || rest.length > 0) return undefined;
  if (!signingAlgorithms[key.alg].verify(`${header}.${payload}`, bytes, key.publicKey)) return undefined;
  return Buffer.from(payload, "base64url");
}

/** Base64url has several spellings of the same bytes; the server accepts only the canonical one. */
function canonical(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}

/** Reads bytes that are known to be from this server. */
function verifiedOf(payload: Buffer): VerifiedAccessToken {
  const claims = JSON.parse(payload.toString()) as VerifiedAccessToken["claims"];
  const [grantId, random] = claims.jti.split(".");
  return { claims, grantId: random === undefined ? null : (grantId ?? null) };
}
