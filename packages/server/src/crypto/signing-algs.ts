/** The algorithms that sign access tokens (RFC 7518 §§3.3–3.5, RFC 8037 §3.1): each API chooses one. */

import { constants, generateKeyPair, type KeyObject, type SignKeyObjectInput, sign, verify } from "node:crypto";
import { promisify } from "node:util";
import type { SigningAlg } from "../oauth/model.ts";
import { CpuSemaphore } from "./cpu-semaphore.ts";
import { signEs256, verifyEs256 } from "./es256.ts";

/** A member of a public JWK. */
type Member = "crv" | "e" | "kty" | "n" | "x" | "y";

export interface SigningAlgorithm {
  /** Takes up to a second for RSA, on one of Node's threads, so that nothing waits for it. */
  generate(): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }>;
  /** The members of its public JWK, in the order in which RFC 7638 §3.2 hashes them. */
  readonly members: readonly Member[];
  sign(input: string, key: KeyObject): Buffer | Promise<Buffer>;
  verify(input: string, signature: Uint8Array, key: KeyObject): boolean;
}

const generate = promisify(generateKeyPair);

const EC_MEMBERS: readonly Member[] = ["crv", "kty", "x", "y"];
/** NIST SP 800-57: strong enough beyond 2030. */
const MODULUS = 3072;

/** RFC 7518 §3.5: the salt is as long as the hash. */
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } as const;
const P1363 = { dsaEncoding: "ieee-p1363" } as const;

/**
 * Fewer than there are threads: five busy threads on one core would leave a fifth of it to the thread that refuses
 * excess requests.
 */
const places = new CpuSemaphore(0);

/**
 * An RSA signature takes a millisecond, so one of Node's threads makes it. As many can wait as requests are allowed.
 */
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

/** The names that an operator can choose. */
export const SIGNING_ALGS = Object.keys(signingAlgorithms) as readonly SigningAlg[];

/** The alg that the text names, if the server has it. */
export function signingAlgOf(text: string): SigningAlg | undefined {
  return SIGNING_ALGS.find((alg) => alg === text);
}
