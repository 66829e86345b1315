/** Ids, secrets and passwords that are made for an operator. */

import { base64url } from "../crypto/random.ts";
import { partitionOf } from "../storage/partition.ts";
import type { Remark } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";

/**
 * A client's id: 16 random bytes as base64url. It is never of the shape of an owner's id, because both can be the `sub` of a token, and
 * never begins with a dash, which command lines take for an option.
 */
export function newClientId({ randomBytes }: Pick<AdminContext, "randomBytes">): string {
  for (;;) {
    const id = base64url(randomBytes(16));
    if (/^[A-Za-z0-9]/.test(id) && partitionOf(id) === -1) return id;
  }
}

/** Of an id that an operator chooses. An address is the id of a client that describes itself; `rs_` begins an API's. */
export function clientIdProblems(id: string): readonly Remark[] {
  const fits = /^[A-Za-z0-9][A-Za-z0-9._-]{2,99}$/.test(id) && !id.startsWith("rs_") && partitionOf(id) === -1;
  if (fits) return [];
  const problem =
    "must be 3 to 100 letters, digits, dots, dashes and underscores; it begins with a letter or digit, not with rs_, and doesn't look like a person's id";
  return [{ field: "client_id", problem }];
}

/**
 * A secret of a client or an API: random bytes, behind a prefix that secret scanners know. `size`: 32 unless it is a key of HS512, which wants as many
 * bytes as the hash has (RFC 7518 §3.2).
 */
export function newSecret({ randomBytes }: Pick<AdminContext, "randomBytes">, size: 32 | 64 = 32): string {
  return `cs_${base64url(randomBytes(size))}`;
}

/** 32 letters and digits that can't be taken for each other. */
const READABLE = "abcdefghjkmnpqrstuvwxyz023456789";

/** A password of 100 random bits, in five groups of four, to be read out or typed. */
export function newPassword({ randomBytes }: Pick<AdminContext, "randomBytes">): string {
  const letters = Array.from(randomBytes(20), (byte) => READABLE[byte % READABLE.length]);
  return [0, 4, 8, 12, 16].map((from) => letters.slice(from, from + 4).join("")).join("-");
}
