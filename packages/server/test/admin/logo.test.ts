import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientRecord, createClient, LOGO_SIZE, MAX_LOGO_BYTES, renderLogo, setLogo } from "../../src/admin/index.ts";
import { openTestAdmin, refusal, type TestAdmin } from "./support/admin.ts";

let admin: TestAdmin;
beforeAll(async () => {
  admin = await openTestAdmin();
});
afterAll(() => admin.close());

const red = { r: 200, g: 30, b: 30, alpha: 1 };

function aPicture(width = 400, height = 300): Sharp {
  return sharp({ create: { width, height, channels: 4, background: red } });
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), data])));
  return Buffer.concat([length, Buffer.from(type), data, crc]);
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** A PNG that says it is 50,000 × 50,000 pixels: 2.5 GB of memory in some kilobytes. */
function aBomb(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(50_000, 0);
  header.writeUInt32BE(50_000, 4);
  header[8] = 8;
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  const data = deflateSync(Buffer.alloc(1_000_000));
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';

describe("renderLogo refuses", () => {
  test.each([
    ["nothing", Buffer.alloc(0), "not a PNG, JPEG, WebP or GIF"],
    ["text", Buffer.from("hello"), "not a PNG, JPEG, WebP or GIF"],
    ["SVG", Buffer.from(svg), "not a PNG, JPEG, WebP or GIF"],
    ["SVG with an XML head", Buffer.from(`<?xml version="1.0"?>${svg}`), "not a PNG, JPEG, WebP or GIF"],
    [
      "SVG behind the first bytes of a PNG",
      Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.from(svg)]),
      "can't be read",
    ],
    ["a PNG that is cut off", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), "can't be read"],
    ["dimensions of a bomb", aBomb(), "exceeds pixel limit"],
    ["more than 1 MiB", Buffer.alloc(MAX_LOGO_BYTES + 1), "are allowed"],
  ])("%s", async (_, bytes, words) => {
    const { kind, problems } = await refusal(renderLogo(bytes));
    expect(kind).toBe("invalid");
    expect(problems).toEqual([expect.stringMatching(/^logo: /)]);
    expect(problems[0]).toContain(words);
  });

  test("a TIFF and an AVIF, which sharp could read", async () => {
    for (const bytes of [await aPicture().tiff().toBuffer(), await aPicture(16, 16).avif().toBuffer()]) {
      expect((await refusal(renderLogo(bytes))).problems[0]).toContain("not a PNG, JPEG, WebP or GIF");
    }
  });
});

describe("renderLogo makes", () => {
  test.each(["png", "jpeg", "webp", "gif"] as const)(
    "of %s → a PNG of at most 256 pixels, proportions kept",
    async (format) => {
      const bytes = await renderLogo(await aPicture(400, 300).toFormat(format).toBuffer());
      expect(await sharp(bytes).metadata()).toMatchObject({ format: "png", width: LOGO_SIZE, height: 192 });
    },
  );

  test("of a small one → not larger", async () => {
    expect(await sharp(await renderLogo(await aPicture(20, 10).png().toBuffer())).metadata()).toMatchObject({
      width: 20,
      height: 10,
    });
  });

  test("of one with metadata → without it", async () => {
    const told = await aPicture()
      .withExif({ IFD0: { Copyright: "somebody's secret place" } })
      .jpeg()
      .toBuffer();
    expect(told.toString("latin1")).toContain("somebody's secret place");
    const bytes = await renderLogo(told);
    expect(bytes.toString("latin1")).not.toContain("somebody");
    expect((await sharp(bytes).metadata()).exif).toBeUndefined();
  });
});

describe("a client's logo", () => {
  const aClient = { client_name: "Printer", redirect_uris: ["https://app.test/cb"] };

  test("a bad picture at creation → no client", async () => {
    const before = await admin.storage.clients.list({ limit: 10, after: null });
    await refusal(createClient({ type: "public", metadata: aClient, logo: Buffer.from(svg) }, admin));
    expect(await admin.storage.clients.list({ limit: 10, after: null })).toEqual(before);
  });

  test("a good one → stored under its hash, shown at logo_uri; taken away → neither", async () => {
    const picture = await aPicture().png().toBuffer();
    const { client } = await createClient({ type: "public", metadata: aClient, logo: picture }, admin);
    const stored = await admin.storage.logos.get({ hash: client.logo ?? "" });
    expect(stored?.type).toBe("image/png");
    expect(
      createHash("sha256")
        .update(stored?.bytes ?? "")
        .digest("base64url"),
    ).toBe(client.logo);
    expect(clientRecord(client, admin.issuer)["logo_uri"]).toBe(`https://id.test/logos/${client.logo}`);
    const without = await setLogo(client.clientId, null, admin);
    expect(without.logo).toBeNull();
    expect(clientRecord(without, admin.issuer)).not.toHaveProperty("logo_uri");
  });

  test("for an unknown client → unknown", async () => {
    expect((await refusal(setLogo("nobody", null, admin))).kind).toBe("unknown");
  });
});
