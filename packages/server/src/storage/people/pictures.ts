/** Verbs of people's pictures. A picture has a row of its own, because it is larger than all other data of a person. */

import type { Millis } from "../../oauth/model.ts";
import type { Picture } from "../../owners/account/picture-storage.ts";
import type { ByLesser, InSession } from "../../owners/change-conditions.ts";
import { query, type Row, sql, transaction } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { isOperator, mayStill } from "../factors/lock-person-row.ts";
import { bytes, text } from "../row-conversion.ts";
import { type PersonKey, thisPerson } from "./person-row.ts";

export interface NewPicture extends PersonKey, InSession, ByLesser {
  readonly picture: (Picture & { readonly pictureId: string }) | null;
  readonly now: Millis;
}

export const setPicture = transaction<NewPicture, boolean>(
  async (tx, { partition, personId, picture, now, unlessOperator = false, ...asked }) => {
    const key = { partition, personId };
    if (!(await mayStill(tx, key, asked))) return false;
    if (unlessOperator && (await isOperator(tx, key))) return false;
    // Locks the person, so that a simultaneous deletion or another picture comes before or after this one.
    const changed = await tx.run(
      sql`UPDATE people SET picture_id = :pictureId, updated_at = :now WHERE ${thisPerson}`,
      { ...key, pictureId: picture?.pictureId ?? null, now },
    );
    if (changed === 0) return false;
    const by = asked.sessionId === undefined ? "operator" : `user:${personId}`;
    await tell(tx, {
      ...{ kind: "user.picture_changed", at: now, by, subject: personId, details: { session_id: asked.sessionId } },
    });
    if (picture === null) {
      await tx.run(sql`DELETE FROM pictures WHERE ${thisPerson}`, key);
      return true;
    }
    await tx.run(
      sql`INSERT INTO pictures (partition, person_id, picture_id, type, bytes, created_at)
        VALUES (:partition, :personId, :pictureId, :type, :bytes, :now)
        ON CONFLICT (partition, person_id) DO UPDATE
          SET picture_id = excluded.picture_id, type = excluded.type, bytes = excluded.bytes, created_at = excluded.created_at`,
      { ...key, ...picture, now },
    );
    return true;
  },
);

/** A disabled person has no picture, as UserInfo says nothing about them. */
export const getPicture = query<{ readonly partition: number; readonly pictureId: string }, Picture | undefined>({
  sql: sql`SELECT type, bytes FROM pictures WHERE partition = :partition AND picture_id = :pictureId
    AND EXISTS (SELECT 1 FROM people WHERE people.partition = pictures.partition AND people.person_id = pictures.person_id AND people.status = 'active')`,
  bind: ({ partition, pictureId }) => ({ partition, pictureId }),
  outcome: ([row]) => row && pictureOf(row),
});

export const ownPicture = query<PersonKey, Picture | undefined>({
  sql: sql`SELECT type, bytes FROM pictures WHERE ${thisPerson}`,
  bind: ({ partition, personId }) => ({ partition, personId }),
  outcome: ([row]) => row && pictureOf(row),
});

function pictureOf(row: Row): Picture {
  return { type: text(row, "type"), bytes: bytes(row, "bytes") };
}
