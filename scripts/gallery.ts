/**
 * Shows every page in every state: writes its HTML and takes pictures of it, light and dark, wide, phone and small phone.
 *
 *   node scripts/gallery.ts FOLDER [STATE…]
 *
 * FOLDER is made where it is missing and gets `index.html`, `html/STATE.html` and `STATE.THEME.WIDTH.png`. Without STATE, all of them;
 * a STATE that ends in `*` stands for all that begin so.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chrome } from "../packages/server/src/pages/index.ts";
import { serveStates } from "../packages/server/test/pages/serve.ts";
import { states } from "../packages/server/test/pages/states.ts";
import { launchBrowser } from "../test/support/browser.ts";

const themes = ["light", "dark"] as const;
const widths = [1280, 390, 320] as const;

const [folder, ...wanted] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: node scripts/gallery.ts FOLDER [STATE…]");
  process.exit(2);
}
const chosen = Object.keys(states).filter(
  (name) =>
    wanted.length === 0 ||
    wanted.some((want) => (want.endsWith("*") ? name.startsWith(want.slice(0, -1)) : name === want)),
);

mkdirSync(join(folder, "html"), { recursive: true });
for (const name of chosen) {
  writeFileSync(join(folder, "html", `${name}.html`), states[name]?.(chrome({ issuer: "http://127.0.0.1" })) ?? "");
}

const server = await serveStates();
const browser = await launchBrowser();
try {
  for (const colorScheme of themes) {
    for (const width of widths) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: width > 600 ? 800 : 700 } });
      const page = await context.newPage();
      for (const name of chosen) {
        await page.goto(`${server.origin}/${name}`);
        await page.screenshot({ path: join(folder, `${name}.${colorScheme}.${width}.png`), fullPage: true });
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  await server.close();
}

const rows = chosen.map((name) => {
  const pictures = themes.flatMap((theme) =>
    widths.map(
      (width) =>
        `<img loading="lazy" src="${name}.${theme}.${width}.png" width="${width / 2}" alt="${theme} ${width}">`,
    ),
  );
  return `<h2><a href="html/${name}.html">${name}</a></h2><p>${pictures.join(" ")}</p>`;
});
writeFileSync(
  join(folder, "index.html"),
  `<!doctype html><meta charset="utf-8"><title>Pages</title><style>body{font:16px system-ui;margin:2rem}img{vertical-align:top;border:1px solid #ccc}</style>${rows.join("\n")}`,
);
console.log(
  `${chosen.length} states, ${chosen.length * themes.length * widths.length} pictures: ${join(folder, "index.html")}`,
);
