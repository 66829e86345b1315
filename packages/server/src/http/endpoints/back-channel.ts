/** The back channel: token, revocation and introspection endpoints (RFC 6749 §3.2, RFC 7009, RFC 7662). */

import { LRUCache } from "lru-cache";
import type { Assent } from "../../assent.ts";
import { formDecode } from "../../oauth/client-authentication/client-secret-basic.ts";
import { OAuthError, refuse } from "../../oauth/errors.ts";
import { introspect } from "../../oauth/introspection.ts";
import { parseParameters } from "../../oauth/parameters.ts";
import { revoke } from "../../oauth/revocation.ts";
import { exchange, type TokenRequest } from "../../oauth/token-endpoint/endpoint.ts";
import { networkOf } from "../client-address.ts";
import { backChannelForm } from "../form-body.ts";
import { type Answer, type HttpRequest, json } from "../message.ts";
import { problemJson, refusalOf } from "../problem.ts";

type BackChannel = (form: TokenRequest, assent: Assent) => Promise<Answer>;

export const token = guarded(async (form, assent) => json(200, await exchange(form, assent.oauth)));

export const revocation = guarded(async (form, assent) => {
  await revoke(form, assent.oauth);
  return json(200, "");
});

export const introspection = guarded(async (form, assent) => json(200, await introspect(form, assent.oauth)));

/** What the three share: the form, the count of failed authentications, refusals as JSON. */
function guarded(answer: BackChannel): (http: HttpRequest, assent: Assent) => Promise<Answer> {
  return async (http, assent) => {
    try {
      const form = backChannelForm(http);
      const { failedClients } = assent;
      if (failedClients.any && failedClients.exceeded(failuresOf(form, http))) refuse("client_throttled");
      try {
        return await answer(form, assent);
      } catch (error) {
        if (error instanceof OAuthError && refusalIsInvalidClient(error)) failedClients.count(failuresOf(form, http));
        throw error;
      }
    } catch (error) {
      const refusal = refusalOf(error);
      assent.refused(refusal, http, error);
      return problemJson(refusal.condition, assent.issuer);
    }
  };
}

function refusalIsInvalidClient({ condition }: OAuthError): boolean {
  return condition === "client_secret_wrong" || condition === "client_secret_expired" || condition === "client_unknown";
}

/** Who fails: a client's claim from a network. Other networks aren't affected. */
function failuresOf(form: TokenRequest, http: HttpRequest): string {
  return `${networkOf(http.address)} ${claimedClient(form)}`;
}

/** The id alone, as it will be read: another spelling of it is the same client. No secret is kept, not even a wrong one. */
function claimedClient({ body, authorization: [header] }: TokenRequest): string {
  if (header !== undefined) {
    const credentials = Buffer.from(header.slice(header.indexOf(" ") + 1, 1024), "base64").toString();
    return formDecode(credentials.slice(0, Math.min(600, Math.max(0, credentials.indexOf(":"))))).slice(0, 200);
  }
  // An id as it stands is found without reading the whole form; one that is escaped, or whose name is, takes the long way.
  const plain = /(?:^|&)client_id=([\w.~-]{1,200})(?:&|$)/.exec(body)?.[1];
  return plain ?? parseParameters(body).single.get("client_id")?.slice(0, 200) ?? "";
}

/** Failed authentications by (client, network): 60 in a minute, then 429 for the rest of it. */
export class FailedClients {
  static readonly LIMIT = 60;
  readonly #counts = new LRUCache<string, { failures: number }>({ max: 10_000, ttl: 60_000, noUpdateTTL: true });

  /** False: nobody has failed lately, and nobody need be looked up. */
  get any(): boolean {
    return this.#counts.size > 0;
  }

  exceeded(key: string): boolean {
    return (this.#counts.get(key)?.failures ?? 0) >= FailedClients.LIMIT;
  }

  count(key: string): void {
    const entry = this.#counts.get(key);
    if (entry === undefined) this.#counts.set(key, { failures: 1 });
    else entry.failures += 1;
  }
}
