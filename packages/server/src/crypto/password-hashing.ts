/** Passwords: argon2id, a few hashes at a time, with a limited queue (RFC 9106; NIST SP 800-63B-4). */

import type { HashRequester } from "../owners/password-hash-requester.ts";
import { SALT_OF_UNKNOWN } from "../owners/person.ts";
import { coresBeside } from "./cpu-semaphore.ts";
import { PasswordHashQueue } from "./password-hash-queue.ts";
import { randomText } from "./random.ts";

interface Cost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** 19 MiB, two passes, one lane: OWASP's minimum, about 10 ms … 30 ms. */
const USUAL: Cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const NEXT_TO_NOTHING: Cost = { memoryCost: 8, timeCost: 1, parallelism: 1 };
let cost = USUAL;

/**
 * For tests about something else: with `true`, hashes cost nothing and protect nobody. A test ensures that the program
 * never calls this.
 */
export function dangerouslyHashAtNoCost(yes: boolean): void {
  cost = yes ? NEXT_TO_NOTHING : USUAL;
  decoy = undefined;
}

/** One core stays free for requests other than sign-ins. */
const line = new PasswordHashQueue(() => coresBeside(1));
/** Hashes for operators and for the server itself. */
const OWN: HashRequester = { allocation: "", provider: "", network: "", account: "", known: true };

/** Number of running hashes, and of waiting ones. */
export function passwordQueue(): { readonly running: number; readonly waiting: number } {
  return { running: line.running, waiting: line.waiting };
}

/** Throws `PasswordQueueFull` if the queue is full and has no room for this hash. */
export function requireHashRoom(whose: HashRequester): void {
  line.requireRoom(whose);
}

/** Loads the hashing package on demand: a request without a password does not need it. */
export function loadHashing(): Promise<typeof import("@node-rs/argon2")> {
  return import("@node-rs/argon2");
}

/** The form that is hashed: NFC, as RFC 8265 §4.2 says, so that the same password typed on two systems is equal. */
function prepared(password: string): string {
  return password.normalize("NFC");
}

/** Does some hashing when its turn comes. Rejects with `PasswordQueueFull` if there is no room. */
export function hashInTurn<T>(whose: HashRequester, work: () => Promise<T>): Promise<T> {
  return line.inTurn(whose, work);
}

export function hashPassword(password: string, whose: HashRequester = OWN): Promise<string> {
  return line.inTurn(whose, async () => (await loadHashing()).hash(prepared(password), cost));
}

/** The hash of a password that nobody knows. A check against it takes as long as one against any other. */
export function hashUnknownPassword(whose: HashRequester): Promise<string> {
  const salt = Buffer.from(SALT_OF_UNKNOWN, "base64");
  return line.inTurn(whose, async () => (await loadHashing()).hash(randomText(32), { ...cost, salt }));
}

let decoy: Promise<string> | undefined;

/** Made once, outside of the queue: otherwise a full queue would refuse only unknown names. */
async function newDecoy(): Promise<string> {
  return (await loadHashing()).hash("a decoy that nobody has", cost);
}

/**
 * False for a wrong password. Without a hash, the same time is spent on a decoy, so that an unknown name takes as long.
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  whose: HashRequester = OWN,
): Promise<boolean> {
  decoy ??= newDecoy().catch((error: unknown) => {
    decoy = undefined;
    throw error;
  });
  decoy.catch(() => undefined);
  const against = stored ?? (await decoy);
  const matches = await line.inTurn(whose, async () => (await loadHashing()).verify(against, prepared(password)));
  return matches && stored !== null;
}

/** True if the hash was made with other parameters than the present ones. */
export function needsRehash(stored: string): boolean {
  return !stored.startsWith(`$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`);
}
