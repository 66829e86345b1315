/** The picture of a person: a square of at most 256 pixels, as apps show it. */

import { type Rendered, renderPicture } from "./render-picture.ts";

/** In bytes: photos of usual phones have up to 8 MiB. */
export const MAX_PICTURE_BYTES = 8_388_608;
/** Photos of usual phones have up to 24 million pixels. */
const MAX_PIXELS = 33_554_432;
export const PICTURE_SIZE = 256;

export function renderPersonPicture(picture: Uint8Array): Promise<Rendered> {
  return renderPicture(picture, {
    bytes: MAX_PICTURE_BYTES,
    pixels: MAX_PIXELS,
    size: PICTURE_SIZE,
    fit: "square",
    as: "webp",
  });
}
