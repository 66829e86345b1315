/** Which connections of an app with other servers a company may use, and what one gives. Pure functions. */

import type { Client, Connection, Millis } from "../oauth/model.ts";
import type { CompanyConnection } from "./company-connection-storage.ts";

/**
 * The connection that applies to a company: the one that the operator made for this company, whatever its status is, or else
 * what is offered to all companies.
 */
export function connectionFor(company: string, connections: readonly Connection[]): Connection | undefined {
  return (
    connections.find((one) => one.company === company) ??
    connections.find((one) => one.company === null && one.status === "offered")
  );
}

/** What applies to a company of a client's connections: one for each other server. */
export function applying(company: string, { tokenExchange }: Pick<Client, "tokenExchange">): readonly Connection[] {
  const byAudience = Map.groupBy(tokenExchange?.connections ?? [], ({ audience }) => audience);
  return [...byAudience.values()].flatMap((all) => connectionFor(company, all) ?? []);
}

/** True: the client is connected with another server for the company, or could be. */
export function appliesTo(company: string, client: Client): boolean {
  return mayExchange(client) && applying(company, client).length > 0;
}

/** What the operator offers a company among connections with one server. Undefined: nothing. */
export function offerTo(company: string | null, connections: readonly Connection[]): Connection | undefined {
  const found = company === null ? undefined : connectionFor(company, connections);
  return found?.status === "offered" ? found : undefined;
}

/** What the operator offers a company for this client and server. Undefined: nothing, or the client gets no ID-JAG at all. */
export function offerAt(company: string, client: Client | undefined, audience: string): Connection | undefined {
  if (client === undefined || !mayExchange(client)) return undefined;
  const there = client.tokenExchange?.connections?.filter((one) => one.audience === audience) ?? [];
  return offerTo(company, there);
}

/**
 * What the admin's connection gives under the operator's present offer. It never gives more than the admin saw, nor more
 * than is offered now. Undefined: it has ended, or nothing of it is left.
 */
export function connectionUnder(
  offer: Connection,
  { companyId, record, endsAt }: Pick<CompanyConnection, "companyId" | "record" | "endsAt">,
  now: Millis,
): Connection | undefined {
  const part = endsAt <= now ? undefined : partUnder(offer, record);
  return part && { ...part, company: companyId };
}

/** What an offer gives of what an admin chose. Undefined: nothing. */
export function partUnder(
  offer: Connection,
  chosen: Pick<CompanyConnection["record"], "clientIdThere" | "scopes" | "resources">,
): Connection | undefined {
  if (offer.clientId !== chosen.clientIdThere) return undefined;
  const scopes = chosen.scopes.filter((name) => offer.scopes.includes(name));
  if (scopes.length === 0) return undefined;
  // Without an API, an ID-JAG is for all of the other server. So an offer that is limited to some since then limits it.
  if (chosen.resources.length === 0) return { ...offer, scopes };
  const resources = chosen.resources.filter((one) => offer.resources.includes(one));
  if (resources.length === 0) return undefined;
  return { ...offer, scopes, resources };
}

/** False: the client gets no ID-JAG at all, whatever its connections are. */
export function mayExchange(client: Pick<Client, "status" | "type" | "grantTypes">): boolean {
  return client.type === "confidential" && exchangeObstacles(client).length === 0;
}

export type ExchangeObstacle = "disabled" | "no grant type";

/** Why a confidential client gets no ID-JAG at all. A public client can have no connection. */
export function exchangeObstacles({
  status,
  grantTypes,
}: Pick<Client, "status" | "grantTypes">): readonly ExchangeObstacle[] {
  const obstacles: ExchangeObstacle[] = [];
  if (status !== "active") obstacles.push("disabled");
  if (!grantTypes.includes(TOKEN_EXCHANGE)) obstacles.push("no grant type");
  return obstacles;
}

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

/** Scopes of another server in words for people. A scope without words has its name. */
export function scopeWords(scopes: readonly string[], texts: Connection["texts"] = {}): readonly string[] {
  return scopes.map((name) => (Object.hasOwn(texts, name) ? texts[name] : undefined) ?? name);
}

/** What people call the other server. Its host is always shown beside it. */
export function serverName({ name, audience }: Pick<Connection, "name" | "audience">): string {
  return name ?? new URL(audience).host;
}
