/**
 * Password hashes that another system made: argon2, bcrypt, scrypt and PBKDF2, in the text forms that are common. Their
 * cost is bounded, because whoever can write one decides how long this server works on it.
 */

import { pbkdf2, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { HashRequester } from "../owners/password-hash-requester.ts";
import { hashInTurn, loadHashing } from "./password-hashing.ts";

type Verify = (password: string, stored: string) => Promise<boolean>;

const MIB = 2 ** 20;
/** Bytes that one hash may use. */
const MAX_MEMORY = 256 * MIB;
const MAX_STORED = 512;

/** Each form of a stored hash, and how it is verified. `fits`: its cost is within the bounds. */
interface Form {
  readonly shape: RegExp;
  fits(parts: Readonly<Record<string, string>>): boolean;
  readonly verify: (password: string, stored: string, parts: Readonly<Record<string, string>>) => Promise<boolean>;
}

const whole = (text: string | undefined) => Number(text ?? Number.NaN);
const within = (value: number, least: number, most: number) => value >= least && value <= most;

const FORMS: readonly Form[] = [
  {
    // RFC 9106, in the PHC string format.
    shape:
      /^\$argon2(?:id|i|d)\$v=19\$m=(?<m>\d{1,9}),t=(?<t>\d{1,4}),p=(?<p>\d{1,3})\$[A-Za-z0-9+/]{8,}\$[A-Za-z0-9+/]{16,}$/,
    fits: ({ m, t, p }) => within(whole(m) * 1024, 0, MAX_MEMORY) && within(whole(t), 1, 20) && within(whole(p), 1, 16),
    verify: async (password, stored) => (await loadHashing()).verify(stored, password),
  },
  {
    shape: /^\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/,
    fits: ({ cost }) => within(whole(cost), 4, 15),
    verify: async (password, stored) => (await import("@node-rs/bcrypt")).verify(password, stored),
  },
  {
    // RFC 7914, as passlib and the PHC string format write it.
    shape:
      /^\$scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,2}),p=(?<p>\d{1,2})\$(?<salt>[A-Za-z0-9+/]{8,})\$(?<hash>[A-Za-z0-9+/]{22,})$/,
    fits: ({ ln, r, p }) =>
      within(whole(ln), 1, 20) &&
      within(whole(r), 1, 32) &&
      within(whole(p), 1, 16) &&
      128 * 2 ** whole(ln) * whole(r) <= MAX_MEMORY,
    verify: (password, _, { ln, r, p, salt, hash }) => {
      const wanted = Buffer.from(hash ?? "", "base64");
      const options = { N: 2 ** whole(ln), r: whole(r), p: whole(p), maxmem: 2 * MAX_MEMORY };
      return equal(wanted, scrypted(password, Buffer.from(salt ?? "", "base64"), wanted.length, options));
    },
  },
  {
    // RFC 8018 §5.2, as passlib writes it: base64 with a dot instead of a plus.
    shape:
      /^\$pbkdf2(?:-(?<digest>sha256|sha512))?\$(?<turns>\d{1,8})\$(?<salt>[A-Za-z0-9./]{8,})\$(?<hash>[A-Za-z0-9./]{22,})$/,
    fits: fitsTurns,
    verify: (password, _, { digest = "sha1", turns, salt = "", hash = "" }) =>
      derived(password, fromPasslib(salt), whole(turns), digest, fromPasslib(hash)),
  },
  {
    // The same as Django writes it: the salt is text.
    shape:
      /^pbkdf2_(?<digest>sha256|sha1)\$(?<turns>\d{1,8})\$(?<salt>[A-Za-z0-9]{4,})\$(?<hash>[A-Za-z0-9+/]{22,}={0,2})$/,
    fits: fitsTurns,
    verify: (password, _, { digest = "sha256", turns, salt = "", hash = "" }) =>
      derived(password, Buffer.from(salt), whole(turns), digest, Buffer.from(hash, "base64")),
  },
];

function fitsTurns({ turns }: Readonly<Record<string, string>>): boolean {
  return within(whole(turns), 1, 5_000_000);
}

/** How this server verifies that hash. Undefined: it has another form, or costs too much. */
function verifierOf(stored: string): Verify | undefined {
  if (stored.length > MAX_STORED) return undefined;
  for (const { shape, fits, verify } of FORMS) {
    const parts = shape.exec(stored)?.groups;
    if (parts !== undefined && fits(parts)) return (password) => verify(password, stored, parts);
  }
  return undefined;
}

/** Before the hash of a password that was imported and not typed here since. The hashes of this server have no such word. */
export const IMPORTED = "imported:";

export function isKnownHash(stored: string): boolean {
  return verifierOf(stored) !== undefined;
}

/**
 * False for a wrong password. It is compared as it was typed, because other systems rarely normalize. Takes its turn in
 * the queue of hashes, and throws as that does if there is no room. Throws for a hash that is not known.
 */
export function verifyForeignPassword(password: string, stored: string, whose: HashRequester): Promise<boolean> {
  const verify = verifierOf(stored);
  if (verify === undefined) throw new TypeError("a password hash has an unknown form");
  // For PBKDF2 and scrypt, a password with a NUL at its end is the same password.
  if (password.includes("\0")) return Promise.resolve(false);
  return hashInTurn(whose, () => verify(password, stored));
}

const scrypted = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
const pbkdf2d = promisify(pbkdf2);

function derived(password: string, salt: Buffer, turns: number, digest: string, wanted: Buffer): Promise<boolean> {
  return equal(wanted, pbkdf2d(password, salt, turns, wanted.length, digest));
}

async function equal(wanted: Buffer, made: Promise<Buffer>): Promise<boolean> {
  const found = await made;
  return found.length === wanted.length && timingSafeEqual(found, wanted);
}

function fromPasslib(text: string): Buffer {
  return Buffer.from(text.replaceAll(".", "+"), "base64");
}
