/** Converts rows of the tables to values of the model, and back. */

import type { Consent, ConsentedScope, Grant, GrantedScope, Millis, PersonDetails } from "../oauth/model.ts";
import type { Person, Session } from "../owners/storage.ts";
import { type Row, sql } from "./define-verbs.ts";

/** Neither another system nor the owner has paused the grant. */
export const isUnpaused = sql`(paused_at IS NULL AND owner_paused_at IS NULL)`;

/** Since when a grant is paused, whoever paused it. */
export const pausedSince = sql`COALESCE(paused_at, owner_paused_at) AS paused_at`;

/** The columns of a grant that leave the storage. The salts' hashes are not among them. */
export const grantColumns = sql`partition, grant_id, client_id, owner_id, person_id, status, generation, refreshable, redirect_uri,
  code_challenge, code_challenge_method, scopes, audience, auth_time, acr, amr, created_at, code_until, rotated_at, retries, last_used_at,
  uses, idle_until, absolute_until, ended_at, whole_used_at, used_from, decided_at, nonce, claims, sid,
  ${pausedSince}`;

/**
 * The rows of `grants` that an owner's statements read. Only these indexes of active grants have this condition:
 * `grants_active` and `grants_active_of_member`.
 */
export const isActive = sql`(ended_at IS NULL AND status = 'active')`;

export const consentColumns = sql`partition, owner_id, client_id, status, granted_by, via, scopes, created_at, updated_at, expires_at,
  last_used_at, last_used_address, uses, revoked_at, revoked_by, shown, removed, declined, chosen_at, paused_at`;

export const personColumns = sql`partition, person_id, username, look_alike, email, email_verified_at, name, details, picture_id, status, password_hash, password_changed_at,
  must_change_password, operator, language, delete_at, created_at, updated_at, signed_out_at`;

export const sessionColumns = sql`partition, session_id, person_id, auth_time, acr, amr, created_at, last_seen_at, idle_until, absolute_until,
  user_agent, address, device_id`;

/** A text column that is never null. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`column ${column} holds no text`);
  return value;
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

/** A whole number. PostgreSQL's driver returns 64-bit numbers as text. */
export function whole(row: Row, column: string): number {
  const value = row[column];
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number))
    throw new TypeError(`column ${column} holds no whole number`);
  return number;
}

export function wholeOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : whole(row, column);
}

export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw new TypeError(`column ${column} holds no bytes`);
  return value;
}

/** The value of `grants.auth_time`, which can't be null, if the time of the sign-in is unknown. */
export const AUTH_TIME_UNKNOWN: Millis = 0;

function authTimeOf(row: Row): Millis | null {
  const at = whole(row, "auth_time");
  return at === AUTH_TIME_UNKNOWN ? null : at;
}

/** A JSON column. Only this program writes it, so its shape is not checked. */
export function json<T>(row: Row, column: string): T {
  return JSON.parse(text(row, column)) as T;
}

/** True: the value read from a row is the one that somebody has read before, in all its parts. */
export function isStill<T>(present: T, expected: T | undefined): boolean {
  return expected === undefined || JSON.stringify(present) === JSON.stringify(expected);
}

/**
 * Makes a grant from a row with `grantColumns`. The end of the consent limits the time at which the grant becomes idle.
 */
export function grantOf(row: Row): Grant {
  const absoluteUntil = whole(row, "absolute_until");
  return {
    partition: whole(row, "partition"),
    grantId: text(row, "grant_id"),
    clientId: text(row, "client_id"),
    ownerId: text(row, "owner_id"),
    personId: text(row, "person_id"),
    status: text(row, "status") as Grant["status"],
    generation: whole(row, "generation"),
    refreshable: whole(row, "refreshable") === 1,
    redirectUri: text(row, "redirect_uri"),
    codeChallenge: textOrNull(row, "code_challenge"),
    codeChallengeMethod: textOrNull(row, "code_challenge_method") as Grant["codeChallengeMethod"],
    scopes: json<readonly GrantedScope[]>(row, "scopes"),
    audience: textOrNull(row, "audience"),
    authTime: authTimeOf(row),
    acr: textOrNull(row, "acr"),
    amr: json<readonly string[]>(row, "amr"),
    nonce: textOrNull(row, "nonce"),
    claims: row["claims"] === null ? null : json<readonly string[]>(row, "claims"),
    sid: textOrNull(row, "sid"),
    pausedAt: wholeOrNull(row, "paused_at"),
    createdAt: whole(row, "created_at"),
    decidedAt: wholeOrNull(row, "decided_at") ?? whole(row, "created_at"),
    codeUntil: whole(row, "code_until"),
    rotatedAt: wholeOrNull(row, "rotated_at"),
    retries: whole(row, "retries"),
    lastUsedAt: wholeOrNull(row, "last_used_at"),
    wholeUsedAt: wholeOrNull(row, "whole_used_at"),
    usedFrom: textOrNull(row, "used_from"),
    uses: whole(row, "uses"),
    idleUntil: Math.min(whole(row, "idle_until"), absoluteUntil),
    absoluteUntil,
    endedAt: wholeOrNull(row, "ended_at"),
  };
}

export function consentOf(row: Row): Consent {
  return {
    partition: whole(row, "partition"),
    ownerId: text(row, "owner_id"),
    clientId: text(row, "client_id"),
    status: text(row, "status") as Consent["status"],
    grantedBy: text(row, "granted_by"),
    via: text(row, "via") as Consent["via"],
    scopes: json<readonly ConsentedScope[]>(row, "scopes"),
    removed: json<readonly string[]>(row, "removed"),
    declined: json<readonly string[]>(row, "declined"),
    chosenAt: wholeOrNull(row, "chosen_at"),
    createdAt: whole(row, "created_at"),
    updatedAt: whole(row, "updated_at"),
    expiresAt: wholeOrNull(row, "expires_at"),
    lastUsedAt: wholeOrNull(row, "last_used_at"),
    lastUsedAddress: textOrNull(row, "last_used_address"),
    uses: whole(row, "uses"),
    revokedAt: wholeOrNull(row, "revoked_at"),
    revokedBy: textOrNull(row, "revoked_by"),
    shown: json<Consent["shown"]>(row, "shown"),
    pausedAt: wholeOrNull(row, "paused_at"),
  };
}

export function personOf(row: Row): Person {
  const signedOutAt = wholeOrNull(row, "signed_out_at");
  return {
    partition: whole(row, "partition"),
    personId: text(row, "person_id"),
    username: text(row, "username"),
    lookAlike: textOrNull(row, "look_alike"),
    email: text(row, "email"),
    emailVerifiedAt: wholeOrNull(row, "email_verified_at"),
    name: textOrNull(row, "name"),
    details: row["details"] === null ? null : json<PersonDetails>(row, "details"),
    pictureId: textOrNull(row, "picture_id"),
    status: text(row, "status") as Person["status"],
    passwordHash: textOrNull(row, "password_hash"),
    passwordChangedAt: wholeOrNull(row, "password_changed_at"),
    mustChangePassword: whole(row, "must_change_password") === 1,
    operator: json<readonly string[]>(row, "operator"),
    language: textOrNull(row, "language"),
    deleteAt: wholeOrNull(row, "delete_at"),
    createdAt: whole(row, "created_at"),
    updatedAt: whole(row, "updated_at"),
    ...(signedOutAt === null ? {} : { signedOutAt }),
  };
}

/** `createdAt`: the column's name where a row also has the columns of a person. */
export function sessionOf(row: Row, createdAt = "created_at"): Session {
  return {
    partition: whole(row, "partition"),
    sessionId: text(row, "session_id"),
    personId: text(row, "person_id"),
    authTime: whole(row, "auth_time"),
    acr: textOrNull(row, "acr"),
    amr: json<readonly string[]>(row, "amr"),
    createdAt: whole(row, createdAt),
    lastSeenAt: whole(row, "last_seen_at"),
    idleUntil: whole(row, "idle_until"),
    absoluteUntil: whole(row, "absolute_until"),
    userAgent: textOrNull(row, "user_agent"),
    address: textOrNull(row, "address"),
    deviceId: textOrNull(row, "device_id"),
  };
}

/** The two databases share no boolean type, so SQL gets 1 and 0. */
export function flag(value: boolean): number {
  return value ? 1 : 0;
}

export const MINUTE: Millis = 60_000;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

/** How long the row of an ended grant is kept, so that a late code or token still finds it. */
export const ENDED_KEPT: Millis = 2 * DAY;

/**
 * When the row of a superseded grant guards nothing any more, from the last use or the unused code: no access token lives
 * longer than a day, a use is recorded within the hour, and no page can send the same decision after an hour.
 */
export const supersededUntil = sql`(CASE WHEN last_used_at IS NULL THEN code_until ELSE last_used_at END + 90000000)`;

/** How long the owner's page shows a theft. */
export const ALARM_KEPT: Millis = 30 * DAY;
/** When housekeeping visits a theft for the first time. It writes the event, if the process that saw the theft died. */
export const ALARM_VISITED: Millis = 60_000;
