/** A person chooses a picture of themselves, or removes it. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import type { SignedIn } from "../authorization/context.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";
import type { PictureStorage } from "./picture-storage.ts";

/** Maximum number of pictures that one person can upload in an hour, those that can't be read included. */
export const PICTURES_AN_HOUR = 20;
const HOUR: Millis = 3_600_000;

export interface PictureContext {
  readonly storage: Uses<OwnerStorage, "attempts.count"> & Uses<PictureStorage, "pictures.set">;
  /** Hashes the keys of counters, so that the table has no name or address. */
  attemptKey(...parts: readonly string[]): string;
  /** A new id in a partition. */
  newId(partition: number): string;
  now(): Millis;
}

/** False: this person has uploaded enough for now. Counts the upload. */
export async function mayUpload(
  { personId }: Pick<Person, "personId">,
  { storage, attemptKey, now }: PictureContext,
): Promise<boolean> {
  const attempts = [{ key: attemptKey("picture", personId), limit: PICTURES_AN_HOUR, window: HOUR }];
  return (await storage.attempts.count({ attempts, now: now() })).kind !== "throttled";
}

/** `bytes`: a WebP picture that this server has made. Null: no picture. False: the session has ended meanwhile. */
export function setPicture(
  { person: { partition, personId }, session: { sessionId } }: SignedIn,
  bytes: Uint8Array | null,
  { storage, newId, now }: PictureContext,
): Promise<boolean> {
  const picture = bytes === null ? null : { pictureId: newId(partition), type: "image/webp", bytes };
  return storage.pictures.set({ partition, personId, sessionId, picture, now: now() });
}
