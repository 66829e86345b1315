/** What programs ask a server about itself: metadata (RFC 8414), keys (RFC 7517), health. */

import type { KeySet } from "../../crypto/signing-keys.ts";
import type { Soon } from "../../oauth/model.ts";
import { type Answer, cachedJson, type HttpRequest, json } from "../message.ts";

/** What the server publishes of itself. */
interface Published {
  keys(): Soon<KeySet>;
  /** The metadata document, serialized. */
  metadata(): Promise<string>;
}

/** By which it is decided whether the server can serve. */
interface Readiness {
  /** It has been told to stop. */
  ending(): boolean;
  /** The database was changed so that this process can't serve it any more. */
  unfit(): boolean;
  databaseAnswers(): Promise<boolean>;
  /** How many processes serve beside this one; undefined: it is the only one. */
  crew(): object | undefined;
}

/** An operator's new scope is in it within a second. */
export async function metadata(_http: HttpRequest, tools: Published): Promise<Answer> {
  return cachedJson(await tools.metadata());
}

export async function jwks(_http: HttpRequest, tools: Published): Promise<Answer> {
  return cachedJson((await tools.keys()).jwks);
}

/** The process runs. */
export async function live(): Promise<Answer> {
  return json(200, { status: "live" });
}

/** It can serve: the database answers, and it isn't stopping. Where several processes share the port, how many of them serve. */
export async function ready(_http: HttpRequest, tools: Readiness): Promise<Answer> {
  if (tools.ending()) return json(503, { status: "stopping" }, { "retry-after": "5" });
  if (tools.unfit()) return json(503, { status: "database changed" }, { "retry-after": "60" });
  if (!(await tools.databaseAnswers())) return json(503, { status: "database unavailable" }, { "retry-after": "2" });
  const crew = tools.crew();
  return json(200, { status: "ready", ...(crew === undefined ? {} : { workers: crew }) });
}
