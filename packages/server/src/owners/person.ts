/** A person, as all of this server knows them. */

import type { DetailName, Millis, PersonDetails } from "../oauth/model.ts";

/** A person who owns, or acts for a company that owns. */
export interface Person {
  readonly partition: number;
  readonly personId: string;
  readonly username: string;
  /** A username that theirs looks like, and that nobody else may have; null or absent: none. */
  readonly lookAlike?: string | null;
  readonly email: string;
  /** When it was known last that the address is theirs; null: somebody said so, and nobody vouched for it. */
  readonly emailVerifiedAt: Millis | null;
  readonly name: string | null;
  /** What else they say about themselves; null or absent: nothing. */
  readonly details?: PersonDetails | null;
  /** Names their picture in its address; null or absent: they have none. */
  readonly pictureId?: string | null;
  readonly status: "active" | "disabled";
  /** argon2id, PHC string; null: cannot sign in by password. */
  readonly passwordHash: string | null;
  readonly passwordChangedAt: Millis | null;
  readonly mustChangePassword: boolean;
  /** Operator roles: `admin`, `read`, `clients`, `users`. */
  readonly operator: readonly string[];
  /** The language of their pages when they signed in last (BCP 47); null or absent: not known. */
  readonly language?: string | null;
  /** When the account goes, as they wished; null or absent: it stays. */
  readonly deleteAt?: Millis | null;
  /** When they were signed out everywhere, by themselves or an operator; absent: never. */
  readonly signedOutAt?: Millis;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/**
 * The salt, as 22 characters of a PHC string, of a hash whose password nobody knows. No other hash has it, because their
 * salts are random.
 */
export const SALT_OF_UNKNOWN = "a25vd24gdG8gbm9ib2R5Lg";

/**
 * False: they have no password, or the undo of a removal replaced it by one that nobody knows. With the latter, a link
 * by mail leads to a new password, as it does for a forgotten one.
 */
export function knowsPassword({ passwordHash }: Pick<Person, "passwordHash">): boolean {
  return passwordHash !== null && !passwordHash.includes(`$${SALT_OF_UNKNOWN}$`);
}

/** Null removes a detail. A detail that is absent stays. */
export type DetailChanges = Readonly<Partial<Record<DetailName, string | null>>> & {
  /** Only an operator sets it. Absent: another phone number is unverified, the same one stays as it is. */
  readonly phoneVerified?: boolean;
};
