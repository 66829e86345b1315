/**
 * Shows the pages in their states: takes pictures, light and dark, wide, phone and small phone, and the main ones right to left.
 *
 *   node scripts/gallery.ts FOLDER [STATE…]
 *
 * FOLDER is made where it is missing and gets `STATE.THEME.WIDTH.webp` and a `README.md` that shows them. Without STATE, the main ones; `all` stands
 * for every state, one that ends in `*` for all that begin so.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { serveStates } from "../packages/server/test/pages/serve.ts";
import { states } from "../packages/server/test/pages/states.ts";
import { launchBrowser } from "../test/support/browser.ts";

const MAIN = [
  ...["sign-in", "consent", "consent-more", "consent-unverified", "device-consent", "apps", "apps-revoked"],
  ...["history", "problem-404"],
];
const widths = [1280, 390, 320] as const;
/** Theme and language of each column. */
const looks = [
  ["light", "en"],
  ["dark", "en"],
  ["light", "ar"],
] as const;

const [folder, ...wanted] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: node scripts/gallery.ts FOLDER [STATE…]");
  process.exit(2);
}
const fits = (name: string, want: string) =>
  want === "all" || (want.endsWith("*") ? name.startsWith(want.slice(0, -1)) : name === want);
const chosen =
  wanted.length === 0 ? MAIN : Object.keys(states).filter((name) => wanted.some((want) => fits(name, want)));
mkdirSync(folder, { recursive: true });
const fileOf = (name: string, theme: string, locale: string, width: number) =>
  `${name}.${locale === "en" ? theme : locale}.${width}.webp`;

const server = await serveStates();
const browser = await launchBrowser();
let bytes = 0;
try {
  for (const [colorScheme, locale] of looks) {
    for (const width of widths) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: width > 600 ? 800 : 700 } });
      const page = await context.newPage();
      for (const name of chosen) {
        await page.goto(`${server.origin}/${name}?locale=${locale}`);
        const picture = await page.screenshot({ fullPage: true });
        const small = await sharp(picture).webp({ quality: 60, effort: 6 }).toBuffer();
        bytes += small.length;
        writeFileSync(join(folder, fileOf(name, colorScheme, locale, width)), small);
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  await server.close();
}

const rows = chosen.map((name) => {
  const pictures = looks.flatMap(([theme, locale]) =>
    widths.map((width) => {
      const look = locale === "en" ? theme : locale;
      return `<img src="${fileOf(name, theme, locale, width)}" width="${width / 5}" alt="${name}, ${look}, ${width} px">`;
    }),
  );
  return `## ${name}\n\n${pictures.join("\n")}\n`;
});
writeFileSync(
  join(folder, "README.md"),
  `# The pages\n\nLight, dark and right to left, at 1280, 390 and 320 px. Made by \`node scripts/gallery.ts docs/gallery\`.\n\n${rows.join("\n")}`,
);
console.log(
  `${chosen.length} states, ${chosen.length * looks.length * widths.length} pictures, ${Math.round(bytes / 1000)} kB`,
);
