import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readBrand } from "../../src/operator-branding.ts";
import { contrast } from "../../src/pages/contrast.ts";
import {
  appsPage,
  assets,
  brandOf,
  type Chrome,
  chrome,
  locales,
  OURS,
  readBrandColors,
} from "../../src/pages/index.ts";
import { anAppsView, manyApps, states } from "./page-states.ts";

describe("colours", () => {
  test.each(["", "red", "#fff", "#0d6b56,", "#0d6b56,#64d0b3,#000000", "#0d6b5g", "url(x)", "#0d6b56}body{"])(
    "%j, which is none → refused",
    (text) => expect(readBrandColors(text)).toBeUndefined(),
  );

  test.each([
    ["yellow on white", "#ffe000"],
    ["light grey", "#999999"],
    ["dark green on dark ground", "#0d6b56,#0d6b56"],
  ])("%s, that couldn't be read → refused", (_, text) => {
    expect(readBrandColors(text)).toBeUndefined();
  });

  test.each(["#0d6b56", "#1a4fd0", "#b0271d", "#000000", "#6b2fa0"])(
    "%s alone → one for dark ground is made of it",
    (text) => {
      const colors = readBrandColors(text);
      expect(colors?.light).toBe(text);
      const rgb = [1, 3, 5].map((at) => Number.parseInt(colors?.dark.slice(at, at + 2) ?? "", 16));
      expect(contrast([rgb[0] ?? 0, rgb[1] ?? 0, rgb[2] ?? 0], [23, 29, 26])).toBeGreaterThanOrEqual(4.5);
    },
  );

  test("black on white is 21, a colour on itself 1", () => {
    expect([contrast([0, 0, 0], [255, 255, 255]), contrast([9, 9, 9], [9, 9, 9])]).toEqual([21, 1]);
  });
});

describe("files", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "assent-brand-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const none = { brandName: null, brandColors: null, brandLogo: null, brandCss: null };
  const write = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  test.each([
    ["a logo that isn't there", () => ({ brandLogo: join(folder, "nowhere.png") }), "ASSENT_BRAND_LOGO"],
    ["a drawing", () => ({ brandLogo: write("a.svg", "<svg/>") }), "ASSENT_BRAND_LOGO"],
    ["a logo that is too large", () => ({ brandLogo: write("b.png", Buffer.alloc(262_145)) }), "ASSENT_BRAND_LOGO"],
    ["a style sheet that is too large", () => ({ brandCss: write("b.css", "a".repeat(65_537)) }), "ASSENT_BRAND_CSS"],
  ])("%s → the start stops and says which", (_, settings, variable) => {
    expect(() => readBrand({ ...none, ...settings() })).toThrow(variable);
  });

  test("nothing set → our own look, nothing more to load", () => {
    expect(readBrand(none)).toEqual({ ...OURS, stylesheet: null, logo: null });
  });

  test("all set → tokens first, the operator's sheet behind them, the logo in place of the mark, the name everywhere", () => {
    const png = Buffer.from("89504e470d0a1a0a00", "hex");
    const brand = readBrand({
      brandName: "Acme Konto",
      brandColors: readBrandColors("#1a4fd0") ?? null,
      brandLogo: write("c.png", png),
      brandCss: write("c.css", ".card{border-radius:0}"),
    });
    expect(brand.stylesheet?.bytes.toString()).toMatch(
      /^:root\{--accent:#1a4fd0;[\s\S]*prefers-color-scheme: dark[\s\S]*\n\.card\{border-radius:0\}$/,
    );
    const html = states["apps"]?.(chrome({ issuer: "https://a.example/auth", brand })) ?? "";
    expect(html).toContain(`<link rel="stylesheet" href="/auth${brand.stylesheet?.path}"`);
    expect(html).toContain(`<img class="brand-logo" src="/auth${brand.logo?.path}" alt="Acme Konto"`);
    expect(html).toContain("<title>Your apps · Acme Konto</title>");
    expect(html).not.toMatch(/<style|\sstyle=/);
  });
});

test("each page weighs 60 kB at most over the wire, its files included, in every state and language", () => {
  const shared = [...assets.values()].reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0);
  const heavy: string[] = [];
  const full = { "a hundred apps": (c: Chrome) => appsPage(anAppsView({ apps: manyApps(100) }), c) };
  for (const locale of locales) {
    for (const [name, render] of Object.entries({ ...states, ...full })) {
      const size = gzipSync(render(chrome({ issuer: "https://a.example", locale, here: "/" }))).length + shared;
      if (size > 60_000) heavy.push(`${name} ${locale}: ${size}`);
    }
  }
  expect(heavy).toEqual([]);
  expect(brandOf({ name: null, colors: null, css: null, logo: null }).name).toBe("Assent");
});
