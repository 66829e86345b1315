/** Public documents beside the pages: explanations of errors, logos, files of pages. */

import { type Condition, conditions, publicConditions } from "../../oauth/errors.ts";
import { accentSheet, assets, type Brand, conditionPage } from "../../pages/index.ts";
import type { PageTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { type Answer, type HttpRequest, page, redirect } from "../http-message.ts";

interface FileTools extends PageTools {
  /** The path of the issuer without its final slash. */
  readonly basePath: string;
  readonly brand: Brand;
}

interface LogoTools extends PageTools {
  /** A client's logo by its hash. Undefined: no client has had it. */
  logo(hash: string): Promise<{ readonly type: string; readonly bytes: Uint8Array } | undefined>;
}

/** The page at `error_uri`. */
export async function errorCondition(http: HttpRequest, tools: PageTools): Promise<Answer> {
  const name = publicConditions().find((one) => one === http.params["condition"]);
  if (name === undefined) return problemAnswer("not_found", http, tools);
  const { error, status, section, description, help }: Condition = conditions[name];
  const others = publicConditions().filter((one) => one !== name && conditions[one].error === error);
  const view = { name, error, status, section, description, help: [help], others };
  return page(200, conditionPage(view, tools.chrome(http)));
}

export async function asset(http: HttpRequest, tools: FileTools): Promise<Answer> {
  const path = http.path.slice(tools.basePath.length);
  const { stylesheet, logo: mark } = tools.brand;
  const found = assets.get(path) ?? [stylesheet, mark].find((one) => one?.path === path) ?? accentSheet(path);
  if (found === undefined || found === null) return problemAnswer("not_found", http, tools);
  const caching = found.immutable ? "public, max-age=31536000, immutable" : "public, max-age=86400";
  const headers = { "content-type": found.type, "cache-control": caching, etag: found.etag };
  if (http.header("if-none-match") === found.etag) return { status: 304, headers, body: "" };
  return { status: 200, headers, body: found.bytes };
}

/** A client's logo: stored and re-encoded by this server, named by its hash. */
export async function logo(http: HttpRequest, tools: LogoTools): Promise<Answer> {
  const hash = http.params["hash"] ?? "";
  const found = /^[A-Za-z0-9_-]{43}$/.test(hash) ? await tools.logo(hash) : undefined;
  if (found === undefined) return problemAnswer("not_found", http, tools);
  const headers = {
    "content-type": found.type,
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; sandbox",
  };
  return { status: 200, headers, body: found.bytes };
}

export async function home(_http: HttpRequest, { issuer }: PageTools): Promise<Answer> {
  return redirect(303, `${issuer}/account/apps`);
}
