/** Passkeys (Web Authentication Level 3): challenges, and what authenticators answer to them. Attestation isn't asked for. */

import { isIP } from "node:net";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { Millis } from "../oauth/model.ts";
import type { Passkey } from "../owners/factor-storage.ts";
import { base64url, randomBytes } from "./random.ts";
import { seal, unseal } from "./seal.ts";
import type { Secrets } from "./server-secret.ts";

/** As long as a page of a sign-in may stay open: the browser waits behind its fields for a passkey to be chosen. */
const CHALLENGE_TTL: Millis = 3_600_000;
/** An answer with a certificate or two in it; ours are much shorter. */
const MAX_ANSWER = 20_000;
/** WebAuthn §4: at most 1,023 bytes. */
const CREDENTIAL_ID = /^[A-Za-z0-9_-]{1,1364}$/;
/** COSE: EdDSA, ES256, RS256; all that authenticators make. */
export const ALGORITHMS = [-8, -7, -257] as const;

/** The site that passkeys are of. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/** Undefined: browsers make passkeys for no such address (an IP address, or http elsewhere than on this machine). */
export function relyingPartyOf(issuer: string): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(issuer);
  const local = hostname === "localhost" || hostname.endsWith(".localhost");
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0 || (protocol !== "https:" && !local)) return undefined;
  return { id: hostname, origin };
}

export interface Challenge {
  /** base64url of 32 random bytes. */
  readonly challenge: string;
  /** It and its time, for the form that brings the answer. */
  readonly sealed: string;
}

/** `bearer`: the browser or session that alone may answer. Nothing is stored. */
export function newChallenge(secrets: Secrets, bearer: string, now: Millis): Challenge {
  const challenge = base64url(randomBytes(32));
  const plain = Buffer.from(JSON.stringify([challenge, now]));
  return { challenge, sealed: base64url(seal(secrets, "passkey challenge", bearer, plain)) };
}

export interface OpenChallenge {
  readonly challenge: string;
  /** It is over then. */
  readonly until: Millis;
}

/** Undefined: not one of ours, another's, or too old. */
export function openChallenge(
  secrets: Secrets,
  bearer: string,
  sealed: string | null,
  now: Millis,
): OpenChallenge | undefined {
  if (sealed === null || !/^[A-Za-z0-9_-]{1,300}$/.test(sealed)) return undefined;
  const plain = unseal(secrets, "passkey challenge", bearer, Buffer.from(sealed, "base64url"));
  if (plain === undefined) return undefined;
  const [challenge, at] = JSON.parse(plain.toString()) as [string, Millis];
  const until = at + CHALLENGE_TTL;
  return now < until ? { challenge, until } : undefined;
}

export type MadePasskey = Pick<
  Passkey,
  "credentialId" | "publicKey" | "counter" | "backupEligible" | "backedUp" | "transports"
>;

/** An answer that isn't right: the text is for the log. */
export interface Refused {
  readonly refused: string;
}

/** §7.1: the new key pair of a registration. */
export async function madePasskey(
  answer: string,
  { challenge }: OpenChallenge,
  rp: RelyingParty,
): Promise<MadePasskey | Refused> {
  const response = answerOf<RegistrationResponseJSON>(answer);
  if (response === undefined) return { refused: "malformed" };
  // Loaded when the first passkey comes: most starts of the server need none of it.
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      ...{ response, expectedChallenge: challenge, expectedOrigin: rp.origin, expectedRPID: rp.id },
      ...{ requireUserVerification: true, supportedAlgorithmIDs: [...ALGORITHMS] },
    });
    if (!verified) return { refused: "not verified" };
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
    if (!CREDENTIAL_ID.test(credential.id)) return { refused: "the id is too long" };
    return {
      credentialId: credential.id,
      publicKey: credential.publicKey,
      counter: credential.counter,
      backupEligible: credentialDeviceType === "multiDevice",
      backedUp: credentialBackedUp,
      transports: transportsOf(credential.transports),
    };
  } catch (error) {
    return { refused: reasonOf(error) };
  }
}

/** The key that an answer says it was signed by; undefined: it is no answer at all. */
export function credentialIdOf(answer: string): string | undefined {
  const id = answerOf<AuthenticationResponseJSON>(answer)?.id;
  return typeof id === "string" && CREDENTIAL_ID.test(id) ? id : undefined;
}

/** §7.2, but for the count, which the database decides about. */
export async function usedPasskey(
  answer: string,
  passkey: Passkey,
  { challenge }: OpenChallenge,
  rp: RelyingParty,
): Promise<{ readonly counter: number; readonly backedUp: boolean } | Refused> {
  const response = answerOf<AuthenticationResponseJSON>(answer);
  if (response === undefined) return { refused: "malformed" };
  // Step 6: whom the authenticator names is whose key it is.
  const { userHandle } = response.response;
  if (userHandle !== passkey.personId) return { refused: "the user handle is another person's" };
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...{ response, expectedChallenge: challenge, expectedOrigin: rp.origin, expectedRPID: rp.id },
      requireUserVerification: true,
      credential: { id: passkey.credentialId, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    });
    if (!verified) return { refused: "the signature is wrong" };
    const { credentialDeviceType, credentialBackedUp, newCounter } = authenticationInfo;
    // Step 17: whether a key may leave its device never changes.
    if ((credentialDeviceType === "multiDevice") !== passkey.backupEligible) {
      return { refused: "its backup eligibility has changed" };
    }
    return { counter: newCounter, backedUp: credentialBackedUp };
  } catch (error) {
    return { refused: reasonOf(error) };
  }
}

/** As much of the answer's shape as others go by before it is verified. */
function answerOf<T>(answer: string): T | undefined {
  if (answer.length > MAX_ANSWER) return undefined;
  try {
    const parsed: unknown = JSON.parse(answer);
    const whole = typeof parsed === "object" && parsed !== null && "response" in parsed ? parsed : undefined;
    return typeof whole?.response === "object" && whole.response !== null ? (whole as T) : undefined;
  } catch {
    return undefined;
  }
}

function transportsOf(given: unknown): readonly string[] {
  if (!Array.isArray(given)) return [];
  return given.filter((one): one is string => typeof one === "string" && /^[a-z-]{1,20}$/.test(one)).slice(0, 8);
}

/** The library's words, as far as they fit a line of the log; they may quote what the browser sent. */
function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : "unreadable").replace(/[^\x20-\x7e]/g, "?").slice(0, 200);
}
