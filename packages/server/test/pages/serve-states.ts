/** Serves the states of the pages to a browser over real HTTP, with the headers of real pages. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import sharp from "sharp";
import { axeScript } from "../../../../test/support/chromium.ts";
import { assets, chrome } from "../../src/pages/index.ts";
import { states } from "./page-states.ts";

export const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const AXE = "/axe-core.js";

const KEPT = { "cache-control": "max-age=3600" };

export interface GalleryServer {
  /** Without a slash at the end. `{origin}/{state}` is a page; `?locale=` selects its language. */
  readonly origin: string;
  /** The address of axe-core's script (`AxeOptions.script`). */
  readonly axeScript: string;
  close(): Promise<void>;
}

/** Starts a server on a free loopback port. */
export async function serveStates(): Promise<GalleryServer> {
  const logo = await sharp({ create: { width: 128, height: 128, channels: 3, background: "#2b6de0" } })
    .composite([
      {
        input: Buffer.from(
          '<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" fill="none" stroke="#fff" stroke-width="8"><path d="M24 88 52 56l20 22 14-14 20 24z"/><circle cx="88" cy="40" r="10"/></svg>',
        ),
      },
    ])
    .png()
    .toBuffer();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
    const asset = assets.get(path);
    const state = states[path.slice(1)];
    // Doesn't serve the script of the form post page, so that the page stays visible.
    if (asset && !path.endsWith("/form-post.js"))
      response.writeHead(200, { "content-type": asset.type, ...KEPT }).end(asset.bytes);
    else if (path === AXE) response.writeHead(200, { "content-type": "text/javascript", ...KEPT }).end(axeScript);
    else if (path.startsWith("/logos/") || path.startsWith("/pictures/"))
      response.writeHead(200, { "content-type": "image/png", ...KEPT }).end(logo);
    else if (state) {
      const locale = new URL(request.url ?? "/", "http://127.0.0.1").searchParams.get("locale") ?? "en";
      const page = state(chrome({ issuer: "http://127.0.0.1", here: path, locale }));
      response
        .writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY })
        .end(page);
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    axeScript: `${origin}${AXE}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
