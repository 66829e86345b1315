/** Documents that anyone may read: metadata (RFC 8414), keys (RFC 7517), what an error means, files of pages, health. */

import type { Assent } from "../../assent.ts";
import { type Condition, conditions, publicConditions } from "../../oauth/errors.ts";
import { assets, conditionPage } from "../../pages/index.ts";
import { type Answer, cachedJson, type HttpRequest, json, page, redirect } from "../message.ts";
import { problemAnswer } from "../problem.ts";

const FIVE_MINUTES = 300;

/** An operator's new scope is in it within a second. */
export async function metadata(_http: HttpRequest, assent: Assent): Promise<Answer> {
  return cachedJson(await assent.metadata(), FIVE_MINUTES);
}

export async function jwks(_http: HttpRequest, assent: Assent): Promise<Answer> {
  return cachedJson((await assent.keys()).jwks, FIVE_MINUTES);
}

/** The page that `error_uri` leads to. */
export async function errorCondition(http: HttpRequest, assent: Assent): Promise<Answer> {
  const name = publicConditions().find((one) => one === http.params["condition"]);
  if (name === undefined) return problemAnswer("not_found", http, assent);
  const { error, status, section, description, help }: Condition = conditions[name];
  const others = publicConditions().filter((one) => one !== name);
  const view = { name, error, status, section, description, help: [help], others };
  return page(200, conditionPage(view, assent.chrome(http)));
}

export async function asset(http: HttpRequest, assent: Assent): Promise<Answer> {
  const path = http.path.slice(assent.basePath.length);
  const { stylesheet, logo: mark } = assent.brand;
  const found = assets.get(path) ?? [stylesheet, mark].find((one) => one?.path === path);
  if (found === undefined || found === null) return problemAnswer("not_found", http, assent);
  const caching = found.immutable ? "public, max-age=31536000, immutable" : "public, max-age=86400";
  const headers = { "content-type": found.type, "cache-control": caching, etag: found.etag };
  if (http.header("if-none-match") === found.etag) return { status: 304, headers, body: "" };
  return { status: 200, headers, body: found.bytes };
}

/** A client's logo: stored and re-encoded by us, named by its hash. */
export async function logo(http: HttpRequest, assent: Assent): Promise<Answer> {
  const hash = http.params["hash"] ?? "";
  const found = /^[A-Za-z0-9_-]{43}$/.test(hash) ? await assent.storage.getLogo({ hash }) : undefined;
  if (found === undefined) return problemAnswer("not_found", http, assent);
  const headers = {
    "content-type": found.type,
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; sandbox",
  };
  return { status: 200, headers, body: found.bytes };
}

export async function home(_http: HttpRequest, assent: Assent): Promise<Answer> {
  return redirect(303, `${assent.issuer}/account/apps`);
}

/** The process runs. */
export async function live(): Promise<Answer> {
  return json(200, { status: "live" });
}

/** It can serve: the database answers, and it isn't stopping. Where several processes share the port, how many of them serve. */
export async function ready(_http: HttpRequest, assent: Assent): Promise<Answer> {
  if (assent.ending()) return json(503, { status: "stopping" }, { "retry-after": "5" });
  if (assent.unfit()) return json(503, { status: "database changed" }, { "retry-after": "60" });
  try {
    await assent.storage.ping();
    const crew = assent.crew();
    return json(200, { status: "ready", ...(crew === undefined ? {} : { workers: crew }) });
  } catch {
    return json(503, { status: "database unavailable" }, { "retry-after": "2" });
  }
}
