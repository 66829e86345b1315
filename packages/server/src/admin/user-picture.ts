/** The operator gives a person a picture, or removes it. */

import { newId } from "../crypto/ids.ts";
import type { Person } from "../owners/storage.ts";
import { renderPersonPicture } from "../pictures/picture-of-person.ts";
import { refuse } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";
import { type UserRef, userOf, whileAllowed } from "./people.ts";
import type { Precondition } from "./precondition.ts";

export { MAX_PICTURE_BYTES } from "../pictures/picture-of-person.ts";

/** The person afterwards. Null removes the picture. Throws `unknown`, `invalid`. */
export async function setUserPicture(
  login: UserRef,
  file: Uint8Array | null,
  context: AdminContext,
  check?: Precondition<Person>,
): Promise<Person> {
  const { storage, now } = context;
  const found = await userOf(login, context);
  check?.(found);
  const rendered = file === null ? null : await renderPersonPicture(file);
  if (rendered?.kind === "refused") return refuse("invalid", "picture", rendered.reason);
  await whileAllowed(login, context, check, ({ partition, personId }, unlessOperator) => {
    const picture = rendered && { pictureId: newId(partition), type: "image/webp", bytes: rendered.bytes };
    return storage.pictures.set({ partition, personId, picture, unlessOperator, now: now() });
  });
  return userOf(login, context);
}
