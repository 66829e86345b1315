/** A client's logo: decoded, made small and plain, and stored under the hash of the result. */

import { createHash } from "node:crypto";
import { refuse } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";

export const MAX_LOGO_BYTES = 1_048_576;
/** Maximum width and height of the stored picture. */
export const LOGO_SIZE = 256;
/** A picture says its size before it is decoded. One with more pixels (16 Mi) is not decoded. */
const MAX_PIXELS = 16_777_216;

type Format = "png" | "jpeg" | "webp" | "gif";

/** The format by the first bytes. Vector formats are not accepted, because they can hold programs. */
function formatOf(bytes: Buffer): Format | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from("89504e470d0a1a0a", "hex"))) return "png";
  if (bytes.subarray(0, 3).equals(Buffer.from("ffd8ff", "hex"))) return "jpeg";
  if (/^GIF8[79]a/.test(bytes.toString("latin1", 0, 6))) return "gif";
  if (/^RIFF....WEBP/s.test(bytes.toString("latin1", 0, 12))) return "webp";
  return undefined;
}

/**
 * The picture as PNG of at most 256 × 256 pixels, without metadata; of an animation, the first frame. Throws `invalid`.
 */
export async function renderLogo(picture: Uint8Array): Promise<Buffer> {
  if (picture.byteLength > MAX_LOGO_BYTES) {
    refuse(
      "invalid",
      "logo",
      `the picture has ${picture.byteLength} bytes; at most ${MAX_LOGO_BYTES} (1 MiB) are allowed`,
    );
  }
  const bytes = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength);
  const format = formatOf(bytes);
  if (format === undefined) return refuse("invalid", "logo", "the file is not a PNG, JPEG, WebP or GIF picture");
  // The package is large, and only an operator with a picture needs it.
  const { default: sharp } = await import("sharp");
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: "error", pages: 1 });
    const metadata = await image.metadata();
    if (metadata.format !== format) return refuse("invalid", "logo", "the file's content doesn't match its header");
    return await image
      .timeout({ seconds: 10 })
      .autoOrient()
      .resize({ width: LOGO_SIZE, height: LOGO_SIZE, fit: "inside", withoutEnlargement: true })
      .toColourspace("srgb")
      .png({ compressionLevel: 9 })
      .toBuffer();
  } catch (error) {
    if (error instanceof Error && error.name === "AdminError") throw error;
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return refuse("invalid", "logo", `the picture can't be read (${reason})`);
  }
}

/** Renders and stores the picture. Returns the hash for `/logos/{hash}`. Throws `invalid`. */
export async function storeLogo(picture: Uint8Array, { storage, now }: AdminContext): Promise<string> {
  const bytes = await renderLogo(picture);
  const hash = createHash("sha256").update(bytes).digest("base64url");
  await storage.logos.put({ hash, type: "image/png", bytes, now: now() });
  return hash;
}
