/** Storage verbs for the pictures of people. */

import type { Millis } from "../../oauth/model.ts";
import type { ByLesser, InSession } from "../change-conditions.ts";

export interface Picture {
  /** The media type of the bytes. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface PictureStorage {
  readonly pictures: {
    /**
     * Replaces the person's picture, or removes it with null. False: there is no such person, or the session that asks
     * has ended, and nothing changes. Also false by `unlessOperator`.
     */
    set(
      args: InSession &
        ByLesser & {
          readonly partition: number;
          readonly personId: string;
          readonly picture: (Picture & { readonly pictureId: string }) | null;
          readonly now: Millis;
        },
    ): Promise<boolean>;
    /** The picture with this id. Undefined: it was replaced or removed, or never was. */
    get(args: { readonly partition: number; readonly pictureId: string }): Promise<Picture | undefined>;
    ofPerson(args: { readonly partition: number; readonly personId: string }): Promise<Picture | undefined>;
  };
}
