import { createHash } from "node:crypto";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aBomb } from "../../../../test/support/hostile-pictures.ts";
import {
  type AdminContext,
  clientOf,
  clientRecord,
  createClient,
  LOGO_SIZE,
  MAX_LOGO_BYTES,
  renderLogo,
  rotateSecret,
  setLogo,
  updateClient,
} from "../../src/admin/index.ts";
import { openTestAdmin, refusal, type TestAdmin } from "./support/open-test-admin.ts";

let admin: TestAdmin;
beforeAll(async () => {
  admin = await openTestAdmin();
});
afterAll(() => admin.close());

const red = { r: 200, g: 30, b: 30, alpha: 1 };

function aPicture(width = 400, height = 300): Sharp {
  return sharp({ create: { width, height, channels: 4, background: red } });
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

  test("AD-25 the operator vouches for the client while a lesser caller sets its logo, or rotates its secret → refused, as it was", async () => {
    const { client } = await createClient(
      { type: "confidential", metadata: { client_name: "Printer", redirect_uris: ["https://a.example/cb"] } },
      admin,
    );
    const { clientId } = client;
    const check = (present: { readonly verified?: boolean }) => {
      if (present.verified) throw new Error("vouched for");
    };
    /** The client becomes a verified one just before the first write. */
    const late = (): AdminContext => {
      const { put } = admin.storage.clients;
      let first = true;
      const clients = {
        ...admin.storage.clients,
        put: async (args: Parameters<typeof put>[0]) => {
          if (first) await updateClient(clientId, { verified: true }, admin);
          first = false;
          return put(args);
        },
      };
      return { ...admin, storage: { ...admin.storage, clients } };
    };
    const png = await aPicture(20, 10).png().toBuffer();
    await expect(setLogo(clientId, png, late(), check)).rejects.toThrow("vouched for");
    await updateClient(clientId, { verified: false }, admin);
    await expect(rotateSecret(clientId, 0, late(), undefined, check)).rejects.toThrow("vouched for");
    const after = await clientOf(clientId, admin);
    expect([after.logo, after.secrets]).toEqual([client.logo, client.secrets]);
    await updateClient(clientId, { verified: false }, admin);
    expect((await setLogo(clientId, png, admin, check)).logo).toEqual(expect.any(String));
  });
});
