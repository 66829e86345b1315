/**
 * Takes pictures of the pages in their states: light, dark and right to left. Each picture shows a desktop, a phone and
 * a small phone side by side.
 *
 *   node scripts/gallery.ts FOLDER [STATE…]
 *
 * The script creates FOLDER if needed. It writes `STATE.LOOK.webp` and a `README.md` that shows the pictures, and
 * deletes pictures of other states. Without STATE, it shows one or two states of each page. `all` selects every state,
 * and `NAME*` all states whose names begin with NAME.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import sharp from "sharp";
import { states } from "../packages/server/test/pages/page-states.ts";
import { serveStates } from "../packages/server/test/pages/serve-states.ts";
import { launchBrowser } from "../test/support/chromium.ts";

const MAIN: Readonly<Record<string, readonly string[]>> = {
  "Signing in": [
    ...["sign-in-passkey", "sign-in-ways", "sign-in-wrong", "second-step-passkey", "second-step-problem-wrongRecovery"],
    ...[
      "sign-in-providers-app",
      "sign-in-providers-five",
      "confirm-at-provider",
      "stronger",
      "stronger-device-provider",
      "sign-in-invited",
      "sign-up",
      "sign-up-sent-app",
      "sign-up-account",
      "sign-up-ready-app-elsewhere",
      "recover",
      "recover-sent",
      "recover-prove-both",
      "recover-new-intruded",
      "recover-done-removed",
      "recover-done-app",
      "restore",
      "link-incomplete",
      "link-used",
      "signed-out",
    ],
  ],
  Consent: [
    ...[
      "consent",
      "consent-more",
      "consent-unverified",
      "consent-new-host",
      "consent-document",
      "consent-registered-itself",
      "consent-owners",
      "consent-other-owner",
      "consent-declined",
      "consent-sign-in",
      "consent-away",
      "consent-paused",
    ],
    ...["ask-admin", "asked-admin"],
  ],
  Devices: ["device-linked", "device-elsewhere", "device-consent", "device-allowed"],
  "The account": [
    ...[
      "apps",
      "apps-revoked",
      "apps-declined",
      "apps-search",
      "agents",
      "agents-paused",
      "history",
      "verify-receipt-altered",
      "receipt",
      "security-everything",
      "security-providers",
      "security-account-held",
      "connect-account",
      "connect-account-company",
      "change-password",
    ],
    ...[
      "add-passkey",
      "remove-passkey",
      "authenticator",
      "recovery-codes",
      "profile",
      "profile-fault",
      "confirm-change",
      "delete",
    ],
  ],
  Companies: [
    "companies",
    "company-apps",
    "company-app",
    "company-app-request",
    "company-search",
    "company-agents",
    "company-narrow",
    "company-members-invited",
    "company-remove",
    "company-unapprove",
    "company-proof",
    "company-history",
    "company-connections",
    "company-connect-find",
    "company-connect",
    "company-connection-remove",
    "company-provider-off",
    "invitation",
  ],
  "And else": ["language", "problem-400", "held-error", "condition"],
};
const widths = [1280, 390, 320] as const;
/** Name, theme and language of each look. */
const looks = [
  ["light", "light", "en"],
  ["dark", "dark", "en"],
  ["rtl", "light", "ar"],
] as const;
const GAP = 24;

const [folder, ...wanted] = process.argv.slice(2);
if (folder === undefined || folder.startsWith("-")) {
  console.error("usage: node scripts/gallery.ts FOLDER [STATE…]");
  process.exit(2);
}
const fits = (name: string, want: string) =>
  want === "all" || (want.endsWith("*") ? name.startsWith(want.slice(0, -1)) : name === want);
const chosen =
  wanted.length === 0
    ? MAIN
    : { Chosen: Object.keys(states).filter((name) => wanted.some((want) => fits(name, want))) };
const names = Object.values(chosen).flat();
mkdirSync(folder, { recursive: true });
for (const file of readdirSync(folder)) if (file.endsWith(".webp")) rmSync(join(folder, file));

/** One state in one look, with all widths side by side. */
async function sheet(
  { browser, origin }: { readonly browser: Browser; readonly origin: string },
  name: string,
  [, colorScheme, locale]: (typeof looks)[number],
): Promise<Buffer> {
  const pictures: { input: Buffer; left: number; top: number }[] = [];
  let left = GAP;
  let height = 0;
  for (const width of widths) {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: width > 600 ? 720 : 640 } });
    await page.goto(`${origin}/${name}?locale=${locale}`);
    const input = await page.screenshot({ fullPage: true });
    await page.close();
    pictures.push({ input, left, top: GAP });
    left += width + GAP;
    height = Math.max(height, (await sharp(input).metadata()).height);
  }
  const create = { width: left, height: height + 2 * GAP, channels: 3, background: "#8d9390" } as const;
  return sharp({ create }).composite(pictures).webp({ quality: 55, effort: 4 }).toBuffer();
}

const server = await serveStates();
const browser = await launchBrowser();
let bytes = 0;
try {
  for (const look of looks) {
    for (const name of names) {
      const picture = await sheet({ browser, origin: server.origin }, name, look);
      bytes += picture.length;
      writeFileSync(join(folder, `${name}.${look[0]}.webp`), picture);
    }
  }
} finally {
  await browser.close();
  await server.close();
}

const shown = (name: string) =>
  looks.map(([look]) => `<img src="${name}.${look}.webp" width="640" alt="${name}, ${look}: 1280, 390 and 320 px">`);
const sections = Object.entries(chosen).map(
  ([title, those]) => `## ${title}\n\n${those.map((name) => `### ${name}\n\n${shown(name).join("\n")}\n`).join("\n")}`,
);
writeFileSync(
  join(folder, "README.md"),
  `# The pages\n\nThis page shows each page of the server in light, dark and right-to-left form.\nEach picture has three widths side by side: 1280, 390 and 320 px.\n\nTo make the pictures again, run \`node scripts/gallery.ts docs/gallery\`.\n\n${sections.join("\n")}`,
);
console.log(`${names.length} states, ${names.length * looks.length} pictures, ${Math.round(bytes / 1000)} kB`);
