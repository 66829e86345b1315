/** Files that pages load from this server: one style sheet, the mark, four scripts. The process reads them once, at start. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export interface Asset {
  /** Path on the server, below the issuer's path. */
  readonly path: string;
  /** Value of Content-Type. */
  readonly type: string;
  readonly bytes: Buffer;
  /** True if the path contains a hash of the content. Browsers may then cache the file for a year (`immutable`). */
  readonly immutable: boolean;
  /** Strong ETag with its quotes, for files that are not immutable. */
  readonly etag: string;
}

function load(file: string, type: string, hashed: boolean): Asset {
  const bytes = readFileSync(new URL(`./assets/${file}`, import.meta.url));
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 16);
  return {
    path: hashed ? `/assets/${hash}/${file}` : `/${file}`,
    type,
    bytes,
    immutable: hashed,
    etag: `"${hash}"`,
  };
}

const stylesheet = load("assent.css", "text/css; charset=utf-8", true);
/** Submits the form of the form post page. No other page loads this script. */
const formPostScript = load("form-post.js", "text/javascript; charset=utf-8", true);
/** Asks the browser for passkeys. People without scripts or passkeys sign in without it. */
const passkeyScript = load("passkeys.js", "text/javascript; charset=utf-8", true);
/** Shows times in the reader's time zone. Without this script the times are in UTC. */
const timesScript = load("times.js", "text/javascript; charset=utf-8", true);
/** Shows a password that is typed, and how hard a new one is to guess. Pages work without it. */
const passwordScript = load("passwords.js", "text/javascript; charset=utf-8", true);
const favicon = load("favicon.svg", "image/svg+xml", false);

/** Every asset, by path. */
export const assets: ReadonlyMap<string, Asset> = new Map(
  [stylesheet, formPostScript, passkeyScript, timesScript, passwordScript, favicon].map((asset) => [asset.path, asset]),
);

export const assetPaths = {
  stylesheet: stylesheet.path,
  formPostScript: formPostScript.path,
  passkeyScript: passkeyScript.path,
  timesScript: timesScript.path,
  passwordScript: passwordScript.path,
  favicon: favicon.path,
} as const;
