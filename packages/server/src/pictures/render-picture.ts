/** Pictures of strangers: decoded, made small and plain, and encoded again. */

/** In one picture, before it is decoded: a picture says its size first. */
interface Limits {
  readonly bytes: number;
  readonly pixels: number;
}

interface Shape extends Limits {
  /** Maximum width and height of the result. It is never larger than the picture. */
  readonly size: number;
  /** `inside`: the whole picture. `square`: the middle of it. */
  readonly fit: "inside" | "square";
  readonly as: "png" | "webp";
}

export type Rendered =
  | { readonly kind: "rendered"; readonly bytes: Buffer }
  | {
      readonly kind: "refused";
      readonly problem: "too_many_bytes" | "no_picture" | "unreadable";
      /** For the operator. */
      readonly reason: string;
    };

type Format = "png" | "jpeg" | "webp" | "gif";

/** The format by the first bytes. Vector formats are not accepted, because they can hold programs. */
function formatOf(bytes: Buffer): Format | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from("89504e470d0a1a0a", "hex"))) return "png";
  if (bytes.subarray(0, 3).equals(Buffer.from("ffd8ff", "hex"))) return "jpeg";
  if (/^GIF8[79]a/.test(bytes.toString("latin1", 0, 6))) return "gif";
  if (/^RIFF....WEBP/s.test(bytes.toString("latin1", 0, 12))) return "webp";
  return undefined;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * The picture without metadata; of an animation, the first frame. One picture is decoded at a time, because a large one
 * takes about 100 MB.
 */
export function renderPicture(picture: Uint8Array, shape: Shape): Promise<Rendered> {
  const rendered = last.then(() => render(picture, shape));
  last = rendered.catch(() => undefined);
  return rendered;
}

async function render(picture: Uint8Array, { bytes: mostBytes, pixels, size, fit, as }: Shape): Promise<Rendered> {
  const refused = (problem: Extract<Rendered, { kind: "refused" }>["problem"], reason: string) =>
    ({ kind: "refused", problem, reason }) as const;
  const mebibytes = mostBytes / 1_048_576;
  if (picture.byteLength > mostBytes)
    return refused(
      "too_many_bytes",
      `the picture has ${picture.byteLength} bytes; at most ${mostBytes} (${mebibytes} MiB) are allowed`,
    );
  const bytes = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength);
  const format = formatOf(bytes);
  if (format === undefined) return refused("no_picture", "the file is not a PNG, JPEG, WebP or GIF picture");
  // The package is large, and few requests need it.
  const { default: sharp } = await import("sharp");
  try {
    const image = sharp(bytes, { limitInputPixels: pixels, failOn: "error", pages: 1 });
    const { format: found, width, height } = await image.metadata();
    if (found !== format) return refused("unreadable", "the file's content doesn't match its header");
    const side = Math.min(size, width, height);
    const resized = image
      .timeout({ seconds: 10 })
      .autoOrient()
      .resize(
        fit === "square"
          ? { width: side, height: side, fit: "cover" }
          : { width: size, height: size, fit: "inside", withoutEnlargement: true },
      )
      .toColourspace("srgb");
    const encoded = as === "png" ? resized.png({ compressionLevel: 9 }) : resized.webp({ quality: 80 });
    return { kind: "rendered", bytes: await encoded.toBuffer() };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return refused("unreadable", `the picture can't be read (${reason})`);
  }
}
