/** The media type of a picture by its first bytes. The server decides by the picture itself. */

const FIRST: ReadonlyMap<number, string> = new Map([
  [0x89, "image/png"],
  [0xff, "image/jpeg"],
  [0x52, "image/webp"],
]);

export function pictureType(bytes: Uint8Array): string {
  return FIRST.get(bytes[0] ?? 0) ?? "image/gif";
}
