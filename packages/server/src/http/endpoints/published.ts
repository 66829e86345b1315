/** What programs ask a server about itself: metadata (RFC 8414), keys (RFC 7517), health. */

import type { Assent } from "../../server-parts.ts";
import { type Answer, cachedJson, type HttpRequest, json } from "../message.ts";

/** An operator's new scope is in it within a second. */
export async function metadata(_http: HttpRequest, assent: Assent): Promise<Answer> {
  return cachedJson(await assent.metadata());
}

export async function jwks(_http: HttpRequest, assent: Assent): Promise<Answer> {
  return cachedJson((await assent.keys()).jwks);
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
    await assent.storage.catalog.ping();
    const crew = assent.crew();
    return json(200, { status: "ready", ...(crew === undefined ? {} : { workers: crew }) });
  } catch {
    return json(503, { status: "database unavailable" }, { "retry-after": "2" });
  }
}
