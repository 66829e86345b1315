/**
 * The `state` of a sign-in at another provider (RFC 6749 §4.1.1): sealed and bound to the browser, so that the server
 * stores nothing for it. It carries what waits behind the sign-in.
 */

import { deflateRawSync, inflateRawSync } from "node:zlib";
import { seal, unseal } from "../../crypto/seal.ts";
import type { Secrets } from "../../crypto/server-secret.ts";
import type { Millis } from "../../oauth/model.ts";
import type { Continuation } from "../../owners/authorization/continuation.ts";

/** How long a sign-in at another provider may take. */
export const STATE_TTL: Millis = 600_000;
/** A longer state would make an address that some servers refuse. */
export const MAX_STATE = 6_000;
/** Bytes of an opened state. More than a request can have. */
const MAX_OPENED = 262_144;

const PURPOSE = "sign-in elsewhere";

export interface ElsewhereState {
  readonly providerId: string;
  /** The session whose person connects an account. Null: a sign-in. */
  readonly connects: string | null;
  /** True: an admin tries their company's provider. Absent: false. */
  readonly tries?: boolean;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly begunAt: Millis;
  /** True: the provider was asked to make the person prove who they are. */
  readonly fresh: boolean;
  /** True: the person asked for another account than the one that is signed in here. */
  readonly choose: boolean;
  /** True: the provider has refused the request for a choice of accounts. Absent: false. */
  readonly noChooser?: boolean;
  /** True: somebody who is signed in lacks a second factor alone. Absent: false. */
  readonly stepsUp?: boolean;
  readonly continuation: Continuation | undefined;
}

/** `browser`: the nonce of the browser that carries it. */
export function sealState(state: ElsewhereState, browser: string, secrets: Secrets): string {
  const { providerId, connects, nonce, codeVerifier, begunAt, fresh, choose, continuation } = state;
  const { tries = false, noChooser = false, stepsUp = false } = state;
  const asked = [fresh, continuation ?? null, choose, tries, noChooser, stepsUp];
  const plain = [providerId, connects, nonce, codeVerifier, begunAt, ...asked];
  const bytes = deflateRawSync(Buffer.from(JSON.stringify(plain)));
  return Buffer.from(seal(secrets, PURPOSE, browser, bytes)).toString("base64url");
}

/** Undefined: it is not from this server, was changed, or belongs to another browser. It may be older than `STATE_TTL`. */
export function openState(sealed: string | null, browser: string, secrets: Secrets): ElsewhereState | undefined {
  if (sealed === null || sealed.length > MAX_STATE || !/^[A-Za-z0-9_-]+$/.test(sealed)) return undefined;
  const bytes = unseal(secrets, PURPOSE, browser, Buffer.from(sealed, "base64url"));
  if (bytes === undefined) return undefined;
  const plain = inflateRawSync(bytes, { maxOutputLength: MAX_OPENED }).toString();
  type Asked = [
    fresh: boolean,
    continuation: Continuation | null,
    choose?: boolean,
    tries?: boolean,
    noChooser?: boolean,
    stepsUp?: boolean,
  ];
  const [providerId, connects, nonce, codeVerifier, begunAt, ...asked] = JSON.parse(plain) as [
    ...[string, string | null, string, string, Millis],
    ...Asked,
  ];
  const [fresh, continuation, choose = false, tries = false, noChooser = false, stepsUp = false] = asked;
  const opened = { providerId, connects, nonce, codeVerifier, begunAt, fresh, choose, tries, noChooser, stepsUp };
  return { ...opened, continuation: continuation ?? undefined };
}
