/** Signs and verifies ID tokens with the keys of the server (OpenID Connect Core §§2, 3.1.3.6). */

import { createHash } from "node:crypto";
import type { SigningAlg, Soon } from "../oauth/model.ts";
import type { IdTokenContent, IdTokens } from "../oauth/ports.ts";
import { signedPayload } from "./access-tokens.ts";
import { signingAlgorithms } from "./signing-algs.ts";
import { DEFAULT_ALG, type KeySet, type PublishedKey, type SigningKey } from "./signing-keys.ts";

/** Longer than any ID token of this server. */
const MAX_TOKEN = 8192;

/** The hash of `at_hash` is the one of the ID token's algorithm; Ed25519 hashes with SHA-512. */
const HASHES: Readonly<Record<SigningAlg, string>> = {
  ES256: "sha256",
  ES384: "sha384",
  EdDSA: "sha512",
  PS256: "sha256",
  RS256: "sha256",
};

export interface IdTokenSources {
  readonly issuer: string;
  keys(): Soon<KeySet>;
  /** Makes the first key of an alg. Returns the keys with it. */
  makeKey(alg: SigningAlg): Promise<KeySet>;
}

export class OwnIdTokens implements IdTokens {
  readonly #sources: IdTokenSources;

  constructor(sources: IdTokenSources) {
    this.#sources = sources;
  }

  /** Access tokens, logout tokens and receipts have other headers. */
  async verify(token: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    if (token.length > MAX_TOKEN) return undefined;
    const payload = signedPayload(token, await this.#sources.keys(), (key) => headerOf(key, "JWT"));
    if (payload === undefined) return undefined;
    const claims = JSON.parse(payload.toString()) as Readonly<Record<string, unknown>>;
    return claims["iss"] === this.#sources.issuer ? claims : undefined;
  }

  async sign({ alg, claims, accessToken }: IdTokenContent): Promise<string> {
    return this.#signed(alg, "JWT", { ...claims, at_hash: leftHalf(accessToken, alg) });
  }

  /** The type in the header keeps a logout token from counting as an ID token (OpenID Connect Back-Channel Logout §2.4). */
  signLogout(alg: SigningAlg, claims: Readonly<Record<string, unknown>>): Promise<string> {
    return this.#signed(alg, "logout+jwt", claims);
  }

  /** Its type keeps it from counting as a token of this server (draft-ietf-oauth-identity-assertion-authz-grant §3.1). */
  signIdentityAssertion(claims: Readonly<Record<string, unknown>>): Promise<string> {
    return this.#signed(DEFAULT_ALG, "oauth-id-jag+jwt", claims);
  }

  async #signed(alg: SigningAlg, typ: Typ, claims: Readonly<Record<string, unknown>>): Promise<string> {
    const key = await this.#keyOf(alg);
    const input = `${headerOf(key, typ)}.${encoded({ iss: this.#sources.issuer, ...claims })}`;
    const signature = await signingAlgorithms[alg].sign(input, key.privateKey);
    return `${input}.${signature.toString("base64url")}`;
  }

  /** Makes the first key of this algorithm if there is none. Never rejects. */
  async prepare(alg: SigningAlg): Promise<void> {
    // A failure is met again, and reported, when the ID token is signed.
    await this.#keyOf(alg).catch(() => undefined);
  }

  async #keyOf(alg: SigningAlg): Promise<SigningKey> {
    const { keys, makeKey } = this.#sources;
    const key = (await keys()).active.get(alg) ?? (await makeKey(alg)).active.get(alg);
    if (key === undefined) throw new Error(`no ${alg} key could be made`);
    return key;
  }
}

type Typ = "JWT" | "logout+jwt" | "oauth-id-jag+jwt";

function headerOf({ alg, kid }: Pick<PublishedKey, "alg" | "kid">, typ: Typ): string {
  return encoded({ alg, typ, kid });
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function leftHalf(text: string, alg: SigningAlg): string {
  const digest = createHash(HASHES[alg]).update(text, "ascii").digest();
  return digest.subarray(0, digest.length / 2).toString("base64url");
}
