/**
 * A sign-in after its first step. The browser carries it, sealed and bound to it. The session is made only after the
 * last step.
 */

import { hashes } from "../crypto/node-hashes.ts";
import { seal, unseal } from "../crypto/seal.ts";
import type { Millis } from "../oauth/model.ts";
import { activePerson, type SessionContext } from "../owners/sessions.ts";
import type { Person } from "../owners/storage.ts";
import type { UpstreamSignIn } from "../owners/subject-link-storage.ts";
import type { Visitor } from "./browser-of-request.ts";
import type { FormTools } from "./endpoint-contexts.ts";

/** How long the second step may take. */
export const PARTIAL_TTL: Millis = 600_000;

/** The proofs so far. */
export interface Partial {
  readonly person: Person;
  /** The time of the first step, which becomes the time of the sign-in. */
  readonly authTime: Millis;
  /** The session whose sign-in was the first step. Null: the first step was done just now. */
  readonly sessionId: string | null;
  /** What the first step proved (RFC 8176). */
  readonly amr: readonly string[];
  /** The provider of the first step. Absent: there is none, or the session of `sessionId` knows it. */
  readonly upstream?: UpstreamSignIn;
}

/** Characters, as sealed. An issuer has at most 1,024 of them. */
const MAX_PARTIAL = 4_096;
const PURPOSE = "partial sign-in";

export function sealPartial(
  { person, authTime, sessionId, amr, upstream }: Partial,
  { nonce }: Visitor,
  tools: Pick<FormTools, "secrets" | "now">,
): string {
  const { partition, personId, passwordHash } = person;
  const plain = [partition, personId, tools.now(), authTime, sessionId, tagOf(passwordHash), amr, upstream ?? null];
  return Buffer.from(seal(tools.secrets, PURPOSE, nonce, Buffer.from(JSON.stringify(plain)))).toString("base64url");
}

/**
 * Undefined: it belongs to another browser, is too old, or no longer counts, because the password changed, the person
 * was disabled, or the session ended.
 */
export async function openPartial(
  sealed: string | null,
  { nonce, signedIn }: Visitor,
  assent: Pick<FormTools, "secrets" | "now"> & { readonly sessions: SessionContext },
): Promise<Partial | undefined> {
  if (sealed === null || sealed.length > MAX_PARTIAL || !/^[A-Za-z0-9_-]+$/.test(sealed)) return undefined;
  const plain = unseal(assent.secrets, PURPOSE, nonce, Buffer.from(sealed, "base64url"));
  if (plain === undefined) return undefined;
  const [partition, personId, at, authTime, sessionId, tag, amr, upstream = null] = JSON.parse(plain.toString()) as [
    number,
    string,
    Millis,
    Millis,
    string | null,
    string,
    readonly string[],
    (UpstreamSignIn | null)?,
  ];
  if (assent.now() - at > PARTIAL_TTL) return undefined;
  if (sessionId !== null && sessionId !== signedIn?.session.sessionId) return undefined;
  const person = await activePerson({ partition, personId }, assent.sessions);
  if (person === undefined || tagOf(person.passwordHash) !== tag) return undefined;
  return { person, authTime, sessionId, amr, ...(upstream && { upstream }) };
}

function tagOf(passwordHash: string | null): string {
  return hashes.sha256(passwordHash ?? "").slice(0, 16);
}
