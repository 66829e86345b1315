/** The algorithms that access tokens are signed with (RFC 7518 §§3.3–3.5, RFC 8037 §3.1): each API chooses one. */

import { constants, generateKeyPair, type KeyObject, type SignKeyObjectInput, sign, verify } from "node:crypto";
import { promisify } from "node:util";
import type { SigningAlg } from "../oauth/model.ts";
import { CpuSemaphore } from "./cpu-semaphore.ts";
import { signEs256, verifyEs256 } from "./es256.ts";

/** Of a public JWK. */
type Member = "crv" | "e" | "kty" | "n" | "x" | "y";

export interface SigningAlgorithm {
  /** Takes up to a second for RSA; on a thread of Node's own, so nothing waits behind it. */
  generate(): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }>;
  /** The members of its public JWK, in the order in which RFC 7638 §3.2 hashes them. */
  readonly members: readonly Member[];
  sign(input: string, key: KeyObject): Buffer | Promise<Buffer>;
  verify(input: string, signature: Uint8Array, key: KeyObject): boolean;
}

const generate = promisify(generateKeyPair);

const EC_MEMBERS: readonly Member[] = ["crv", "kty", "x", "y"];
/** NIST SP 800-57: enough beyond 2030. */
const MODULUS = 3072;

/** RFC 7518 §3.5: the salt is as long as the hash. */
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } as const;
const P1363 = { dsaEncoding: "ieee-p1363" } as const;

/** Not as many as there are threads: five that are busy on one core leave a fifth of it to the one that refuses what is too much. */
const places = new CpuSemaphore(0);

/** An RSA signature takes a millisecond: it is made on a thread of Node's own. As many wait as requests may be under way. */
function signApart(input: string, key: SignKeyObjectInput): Promise<Buffer> {
  return places.inTurn(
    () =>
      new Promise((resolve, reject) => {
        sign("sha256", Buffer.from(input), key, (error, signature) => (error ? reject(error) : resolve(signature)));
      }),
  );
}

export const signingAlgorithms: Readonly<Record<SigningAlg, SigningAlgorithm>> = {
  ES256: {
    generate: () => generate("ec", { namedCurve: "P-256" }),
    members: EC_MEMBERS,
    sign: signEs256,
    verify: verifyEs256,
  },
  ES384: {
    generate: () => generate("ec", { namedCurve: "P-384" }),
    members: EC_MEMBERS,
    sign: (input, key) => sign("sha384", Buffer.from(input), { key, ...P1363 }),
    verify: (input, signature, key) => verify("sha384", Buffer.from(input), { key, ...P1363 }, signature),
  },
  EdDSA: {
    generate: () => generate("ed25519"),
    members: ["crv", "kty", "x"],
    sign: (input, key) => sign(null, Buffer.from(input), key),
    verify: (input, signature, key) => verify(null, Buffer.from(input), key, signature),
  },
  PS256: {
    generate: () => generate("rsa", { modulusLength: MODULUS }),
    members: ["e", "kty", "n"],
    sign: (input, key) => signApart(input, { key, ...PSS }),
    verify: (input, signature, key) => verify("sha256", Buffer.from(input), { key, ...PSS }, signature),
  },
  RS256: {
    generate: () => generate("rsa", { modulusLength: MODULUS }),
    members: ["e", "kty", "n"],
    sign: (input, key) => signApart(input, { key }),
    verify: (input, signature, key) => verify("sha256", Buffer.from(input), key, signature),
  },
};

/** What an operator may name. */
export const SIGNING_ALGS = Object.keys(signingAlgorithms) as readonly SigningAlg[];

/** An alg of ours, if the text names one. */
export function signingAlgOf(text: string): SigningAlg | undefined {
  return SIGNING_ALGS.find((alg) => alg === text);
}
