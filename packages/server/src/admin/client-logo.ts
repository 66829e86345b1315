/** A client's logo: decoded, made small and plain, and stored under the hash of the result. */

import { createHash } from "node:crypto";
import { renderPicture } from "../pictures/render-picture.ts";
import { refuse } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";

export const MAX_LOGO_BYTES = 1_048_576;
/** Maximum width and height of the stored picture. */
export const LOGO_SIZE = 256;
/** A picture says its size before it is decoded. One with more pixels (16 Mi) is not decoded. */
const MAX_PIXELS = 16_777_216;

/**
 * The picture as PNG of at most 256 × 256 pixels, without metadata; of an animation, the first frame. Throws `invalid`.
 */
export async function renderLogo(picture: Uint8Array): Promise<Buffer> {
  const shape = { bytes: MAX_LOGO_BYTES, pixels: MAX_PIXELS, size: LOGO_SIZE, fit: "inside", as: "png" } as const;
  const rendered = await renderPicture(picture, shape);
  return rendered.kind === "rendered" ? rendered.bytes : refuse("invalid", "logo", rendered.reason);
}

/** Renders and stores the picture. Returns the hash for `/logos/{hash}`. Throws `invalid`. */
export async function storeLogo(picture: Uint8Array, { storage, now }: AdminContext): Promise<string> {
  const bytes = await renderLogo(picture);
  const hash = createHash("sha256").update(bytes).digest("base64url");
  await storage.logos.put({ hash, type: "image/png", bytes, now: now() });
  return hash;
}
