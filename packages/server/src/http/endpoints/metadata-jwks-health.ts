/** What a server publishes about itself for programs: metadata (RFC 8414), keys (RFC 7517), health. */

import type { KeySet } from "../../crypto/signing-keys.ts";
import type { Soon } from "../../oauth/model.ts";
import type { OpenId } from "../../oauth/ports.ts";
import { type Answer, cachedJson, type HttpRequest, json } from "../http-message.ts";

/** The data that the server publishes. */
interface Published {
  keys(): Soon<KeySet>;
  /** The metadata document as JSON. */
  metadata(): Promise<string>;
}

interface PublishedWithOpenId extends Published {
  readonly oauth: { readonly openId: Pick<OpenId, "prepare"> };
}

/** The facts that decide whether the server is ready. */
interface Readiness {
  /** True: it was told to stop. */
  ending(): boolean;
  /** True: the database was changed so that this process must not use it any more. */
  unfit(): boolean;
  databaseAnswers(): Promise<boolean>;
  /** How many processes share the port with this one. Undefined: it is the only one. */
  crew(): object | undefined;
}

/** A new scope appears in it within a second. */
export async function metadata(_http: HttpRequest, tools: Published): Promise<Answer> {
  return cachedJson(await tools.metadata());
}

/**
 * The metadata for OpenID Connect. Clients fetch the keys next, and some only then, so the key for the ID tokens of most
 * clients is there before (OpenID Connect Discovery §3, `jwks_uri`).
 */
export async function openIdConfiguration(http: HttpRequest, tools: PublishedWithOpenId): Promise<Answer> {
  await tools.oauth.openId.prepare({});
  return metadata(http, tools);
}

export async function jwks(_http: HttpRequest, tools: Published): Promise<Answer> {
  return cachedJson((await tools.keys()).jwks);
}

/** The process runs. */
export async function live(): Promise<Answer> {
  return json(200, { status: "live" });
}

/**
 * The server is ready: the database answers, and it is not stopping. If several processes share the port, the response
 * says how many are ready.
 */
export async function ready(_http: HttpRequest, tools: Readiness): Promise<Answer> {
  if (tools.ending()) return json(503, { status: "stopping" }, { "retry-after": "5" });
  if (tools.unfit()) return json(503, { status: "database changed" }, { "retry-after": "60" });
  if (!(await tools.databaseAnswers())) return json(503, { status: "database unavailable" }, { "retry-after": "2" });
  const crew = tools.crew();
  return json(200, { status: "ready", ...(crew === undefined ? {} : { workers: crew }) });
}
