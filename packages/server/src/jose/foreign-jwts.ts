/**
 * The protocol's port to JWTs that others signed: it finds the key and verifies the signature (RFC 7517, RFC 8725 §3).
 */

import { LRUCache } from "lru-cache";
import { type PublicJwk, pickKey, readPublishedKeys } from "../oauth/foreign-jwk-set.ts";
import type { ForeignJwt, ForeignJwts, SignatureOutcome, VerifiedBy } from "../oauth/ports.ts";
import { readJsonObject } from "./strict-json.ts";
import { readJwt, verifySignature } from "./verify-jwt.ts";

/**
 * The keys at a `jwks_uri`, cached for a while. `fits` says whether the wanted key is among them. If it isn't, the
 * server fetches the keys again, unless it just did so. Undefined: the server can't get them. `busy`: too many callers
 * wait for them.
 */
export type RemoteKeys = (
  uri: string,
  fits: (keys: readonly PublicJwk[]) => boolean,
) => Promise<readonly PublicJwk[] | "busy" | undefined>;

/** RFC 7518 §3.2: a secret must have at least as many bytes as the hash. */
const HMAC_BYTES: ReadonlyMap<string, number> = new Map([
  ["HS256", 32],
  ["HS384", 48],
  ["HS512", 64],
]);

/** A key without its private part. The server verifies with it only to spend the usual time, and ignores the result. */
const NOBODYS: PublicJwk = {
  kty: "EC",
  crv: "P-256",
  x: "_rSsZBygLBnVvA-NCqAYjHQtfudUrZ9NCavMiBonpps",
  y: "TfcfpzP7mS1OlzRpaqTkuYHKGVZ0ib20sWWQmqI-J_k",
};
/** Not all zeros: such a signature fails before any arithmetic, so it would take less time than a real one. */
const NOBODYS_SIGNATURE = Buffer.alloc(64, 1).toString("base64url");
const NOBODYS_HEADER = Buffer.from('{"alg":"ES256"}').toString("base64url");

export class JoseForeignJwts implements ForeignJwts {
  readonly #remote: RemoteKeys;
  /** Key sets by their text, so that a client's keys are parsed and imported only once until they change. */
  readonly #sets = new LRUCache<string, { readonly keys: readonly PublicJwk[] }>({ max: 1_000 });

  constructor(remote: RemoteKeys) {
    this.#remote = remote;
  }

  read(text: string): ForeignJwt | undefined {
    return readJwt(text);
  }

  async verify(jwt: ForeignJwt, by: VerifiedBy): Promise<SignatureOutcome> {
    const outcome = await this.#check(jwt, by);
    // Without a key there is nothing to verify. Verify with another key, so that the response takes the same time.
    if (outcome === "alg_refused" || outcome === "key_unknown") await this.pretend(jwt);
    return outcome;
  }

  async #check(jwt: ForeignJwt, by: VerifiedBy): Promise<SignatureOutcome> {
    if (!by.algs.includes(jwt.alg)) return "alg_refused";
    if ("secrets" in by) return verifyBySecret(jwt, by.secrets);
    const keys = await this.#keys(jwt, by);
    if (keys === undefined) return "keys_unavailable";
    if (keys === "busy") return "keys_busy";
    const key = pickKey(keys, jwt.alg, jwt.kid);
    if (key === undefined) return "key_unknown";
    return (await verifySignature(jwt, key)) ? "verified" : "wrong";
  }

  async pretend({ claims }: ForeignJwt): Promise<void> {
    const text = `${NOBODYS_HEADER}.e30.${NOBODYS_SIGNATURE}`;
    await verifySignature({ text, alg: "ES256", typ: undefined, kid: undefined, claims }, NOBODYS);
  }

  async #keys(
    { alg, kid }: ForeignJwt,
    { jwks, jwksUri }: { readonly jwks: string | null; readonly jwksUri: string | null },
  ): Promise<readonly PublicJwk[] | "busy" | undefined> {
    if (jwks !== null) return this.#parsed(jwks);
    if (jwksUri === null) return [];
    return this.#remote(jwksUri, (keys) => pickKey(keys, alg, kid) !== undefined);
  }

  #parsed(jwks: string): readonly PublicJwk[] {
    let set = this.#sets.get(jwks);
    if (set === undefined) {
      set = { keys: readKeySet(Buffer.from(jwks)) ?? [] };
      this.#sets.set(jwks, set);
    }
    return set.keys;
  }
}

async function verifyBySecret(jwt: ForeignJwt, secrets: readonly string[]): Promise<SignatureOutcome> {
  const least = HMAC_BYTES.get(jwt.alg);
  const usable = secrets
    .map((secret) => Buffer.from(secret))
    .filter(({ length }) => least !== undefined && length >= least);
  if (usable.length === 0) return "key_unknown";
  const found = await Promise.all(usable.map((secret) => verifySignature(jwt, secret)));
  return found.includes(true) ? "verified" : "wrong";
}

/** The usable keys of a JWK Set in JSON; undefined if the text isn't one. */
export function readKeySet(bytes: Uint8Array): readonly PublicJwk[] | undefined {
  const document = readJsonObject(bytes);
  return document === undefined ? undefined : readPublishedKeys(document);
}
