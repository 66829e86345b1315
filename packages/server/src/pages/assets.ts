/** Files that pages load from this server: one style sheet, the mark, three scripts. Read once, when the process starts. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export interface Asset {
  /** Path on the server, below the issuer's. */
  readonly path: string;
  /** Value of Content-Type. */
  readonly type: string;
  readonly bytes: Buffer;
  /** The path names the content: it may be cached for a year (`immutable`). */
  readonly immutable: boolean;
  /** Strong ETag, quotes included, for what is not immutable. */
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
/** Sends the form post page's form; no page needs it. */
const formPostScript = load("form-post.js", "text/javascript; charset=utf-8", true);
/** Asks the browser for passkeys; who has none, or no scripts, signs in without it. */
const passkeyScript = load("passkeys.js", "text/javascript; charset=utf-8", true);
/** Says times in the reader's own zone; without it they are in UTC. */
const timesScript = load("times.js", "text/javascript; charset=utf-8", true);
const favicon = load("favicon.svg", "image/svg+xml", false);

/** Every asset, by its path. */
export const assets: ReadonlyMap<string, Asset> = new Map(
  [stylesheet, formPostScript, passkeyScript, timesScript, favicon].map((asset) => [asset.path, asset]),
);

export const assetPaths = {
  stylesheet: stylesheet.path,
  formPostScript: formPostScript.path,
  passkeyScript: passkeyScript.path,
  timesScript: timesScript.path,
  favicon: favicon.path,
} as const;
