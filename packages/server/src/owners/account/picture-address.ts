/** Where a person's picture is. The id is random and new with each picture, so nobody can guess the address. */

/** Below the issuer. */
export function picturePath(pictureId: string): string {
  return `/pictures/${pictureId}.webp`;
}

/** Undefined: the file's name is none of a picture. */
export function pictureIdOf(file: string): string | undefined {
  return /^([A-Za-z0-9_-]{22})\.webp$/.exec(file)?.[1];
}
