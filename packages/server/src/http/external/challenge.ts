/**
 * A sign-in challenge: sealed, so that the operator's page can show it in an address and keep it in logs. Only this server
 * opens it, and it takes effect only in the browser that began.
 */

import { timingSafeEqual } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { hashes } from "../../crypto/node-hashes.ts";
import { seal, unseal } from "../../crypto/seal.ts";
import type { Secrets } from "../../crypto/server-secret.ts";
import type { Acr, Millis } from "../../oauth/model.ts";
import type { Continuation } from "../../owners/authorization/continuation.ts";
import type { ExternalAnswer, ExternalChallenge } from "../../owners/identities/external-sign-in.ts";

/** A longer challenge would make an address that some servers refuse. */
export const MAX_CHALLENGE = 6_000;
/** Bytes of an opened challenge. More than a request can have. */
const MAX_OPENED = 262_144;

/** Text of most requests, so that challenges are short. Another text can't open the challenges of this one. */
const USUAL = Buffer.from(
  `prompt=login&max_age=&ui_locales=&login_hint=&resource=https%3A%2F%2Fapi.&response_mode=form_post&acr_values=mfa&scope=offline_access+openid+profile+email&redirect_uri=http%3A%2F%2Flocalhost%3A&redirect_uri=https%3A%2F%2Fwww.example.com%2Foauth%2Fcallback&code_challenge_method=S256&code_challenge=&nonce=&state=&response_type=code&client_id=",null,null,null,null]{"kind":"account_page","page":"security"}{"kind":"invitation","token":"}{"kind":"device","userCode":"","claimedBy":null,"clientId":null,"confirmed":false}","startedAt":17","nonce":"","codeSalt":""}]",false,{"kind":"request","query":"`,
);

/** The hash of a browser's nonce that a challenge contains. */
export function browserTag(nonce: string): string {
  return hashes.sha256(`external sign-in ${nonce}`).slice(0, 22);
}

/** Whether the challenge began in the browser with that nonce. */
export function beganIn(nonce: string, { browser }: ExternalChallenge): boolean {
  const [wanted, given] = [Buffer.from(browser), Buffer.from(browserTag(nonce))];
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

const PURPOSE = "external sign-in";

export function sealChallenge(challenge: ExternalChallenge, secrets: Secrets): string {
  const { id, browser, begunAt, provedSince, connects, person, typed, choose, lacks, continuation } = challenge;
  const waits = lacks === undefined ? [continuation ?? null] : [continuation ?? null, lacks];
  const plain = [id, browser, begunAt, begunAt - provedSince, connects, person, typed, choose, ...waits];
  const bytes = deflateRawSync(Buffer.from(JSON.stringify(plain)), { dictionary: USUAL, level: 9 });
  return Buffer.from(seal(secrets, PURPOSE, "", bytes)).toString("base64url");
}

/** Undefined: it is not from this server, or was changed. */
export function openChallenge(sealed: string | null, secrets: Secrets): ExternalChallenge | undefined {
  if (sealed === null || sealed.length > MAX_CHALLENGE || !/^[A-Za-z0-9_-]+$/.test(sealed)) return undefined;
  const bytes = unseal(secrets, PURPOSE, "", Buffer.from(sealed, "base64url"));
  if (bytes === undefined) return undefined;
  const plain = inflateRawSync(bytes, { dictionary: USUAL, maxOutputLength: MAX_OPENED }).toString();
  const [id, browser, begunAt, age, connects, person, typed, choose, continuation, lacks] = JSON.parse(plain) as [
    ...[id: string, browser: string, begunAt: Millis, age: Millis, connects: string | null],
    ...[person: ExternalChallenge["person"], typed: string | null, choose: boolean, continuation: Continuation | null],
    lacks?: Acr,
  ];
  const provedSince = begunAt - age;
  return {
    id,
    browser,
    begunAt,
    provedSince,
    connects,
    person,
    typed,
    choose,
    ...(lacks === undefined ? {} : { lacks }),
    continuation: continuation ?? undefined,
  };
}

const ANSWER = "external answer";

/** An answer says who somebody is. It waits in the database. */
export function sealAnswer(answer: ExternalAnswer, challengeId: string, secrets: Secrets): Uint8Array {
  return seal(secrets, ANSWER, challengeId, Buffer.from(JSON.stringify(answer)));
}

export function unsealAnswer(sealed: Uint8Array, challengeId: string, secrets: Secrets): ExternalAnswer {
  const plain = unseal(secrets, ANSWER, challengeId, sealed);
  if (plain === undefined) throw new Error("an answer is sealed under a secret that isn't in ASSENT_SECRET any more");
  return JSON.parse(plain.toString()) as ExternalAnswer;
}

/** What the browser brings back. Nobody can make it without the server's secret. */
export function verifiersOf(answer: ExternalAnswer, challengeId: string, secrets: Secrets): readonly string[] {
  return secrets.macs(ANSWER, JSON.stringify([challengeId, answer]));
}
