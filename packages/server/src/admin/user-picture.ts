/** The operator gives a person a picture, or removes it. */

import { newId } from "../crypto/ids.ts";
import type { Person } from "../owners/storage.ts";
import { renderPersonPicture } from "../pictures/picture-of-person.ts";
import { refuse } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";
import { type UserRef, userOf } from "./people.ts";

export { MAX_PICTURE_BYTES } from "../pictures/picture-of-person.ts";

/** The person afterwards. Null removes the picture. Throws `unknown`, `invalid`. */
export async function setUserPicture(login: UserRef, file: Uint8Array | null, context: AdminContext): Promise<Person> {
  const { storage, now } = context;
  const { partition, personId } = await userOf(login, context);
  const rendered = file === null ? null : await renderPersonPicture(file);
  if (rendered?.kind === "refused") return refuse("invalid", "picture", rendered.reason);
  const picture = rendered && { pictureId: newId(partition), type: "image/webp", bytes: rendered.bytes };
  await storage.pictures.set({ partition, personId, picture, now: now() });
  return userOf(login, context);
}
