/** Who acts for the subject: the actor token, or the client itself (RFC 8693 §§2.1, 4.1, 4.4). */

import { refuse } from "../errors.ts";
import type { Client } from "../model.ts";
import type { OAuthContext } from "../ports.ts";
import { type Exchange, kindOf } from "./exchange-request.ts";

/** Greatest number of clients that act one through the other. */
export const MAX_AGENTS = 5;

/** What the subject token says about actors. */
export interface ActedFor {
  /** The clients that act by the subject token, the latest first. */
  readonly agents: readonly string[];
  /** The claim `may_act`. Undefined: it has none. */
  readonly mayAct: unknown;
}

/** The actors of the new token. `actor` null: impersonation, so that the chain stays as it is. */
export async function actorsOf(
  { agents, mayAct }: ActedFor,
  exchange: Exchange,
  context: OAuthContext,
): Promise<{ readonly agents: readonly string[]; readonly actor: Client | null }> {
  const { request, policy } = exchange;
  const presented = await presentedActor(exchange, context);
  const actor = presented ?? request.client;
  if (mayAct !== undefined) mustBeNamed(mayAct, actor, context.issuer);
  if (presented === undefined && policy.impersonation) return { agents, actor: null };
  // A cycle counts like any other chain.
  if (agents.length >= MAX_AGENTS) refuse("exchange_chain_too_long");
  return { agents: [actor.clientId, ...agents], actor };
}

/**
 * Refuses an actor whose access the owner removed, blocked or paused, as `delegations.record` does under a grant. That an
 * actor never asked the owner is no hindrance. The consent of the client itself is checked elsewhere.
 */
export async function mustNotBeStopped(
  actor: Client | null,
  {
    partition,
    ownerId,
    personId = ownerId,
  }: { readonly partition: number; readonly ownerId: string; readonly personId?: string },
  { clientId }: Client,
  { storage }: OAuthContext,
): Promise<void> {
  if (actor === null || actor.clientId === clientId) return;
  if (await storage.delegations.isStopped({ partition, ownerId, personId, clientId: actor.clientId }))
    refuse("subject_token_refused", "the owner removed, blocked or paused the access of the actor");
}

/** The client that the actor token is about. Undefined: there is no actor token. */
async function presentedActor({ request, policy }: Exchange, context: OAuthContext): Promise<Client | undefined> {
  const { single, client } = request;
  const token = single.get("actor_token");
  const type = single.get("actor_token_type");
  if (token === undefined && type === undefined) return undefined;
  if (token === undefined || type === undefined) return refuse("actor_token_incomplete");
  if (kindOf(type) !== "access_token") refuse("actor_token_refused", "not the type of an access token");
  const verified = await context.accessTokens.verify(token, context.now());
  if (verified === undefined) return refuse("actor_token_refused", "no access token of this server, or it has expired");
  const { sub, client_id: clientId, cnf } = verified.claims;
  // A token of an owner names the owner, who is nobody's agent here.
  if (verified.grantId !== null || sub !== clientId) return refuse("actor_token_refused", "not a client's own token");
  if (cnf !== undefined && !isBoundTo(cnf, request.thumbprint(), context))
    refuse("exchange_proof_missing", "the actor");
  if (sub === client.clientId) return client;
  if (!policy.actors.includes(sub))
    return refuse("actor_token_refused", "another client, which the policy doesn't name");
  const actor = await context.catalog.client(sub);
  return actor?.status === "active" ? actor : refuse("actor_token_refused", "a client that is disabled or deleted");
}

/** True: the connection has the certificate that the claim `cnf` names (RFC 8705 §3.1). */
export function isBoundTo(cnf: unknown, thumbprint: string | undefined, { hashes }: Pick<OAuthContext, "hashes">) {
  const bound: unknown = typeof cnf === "object" && cnf !== null ? (cnf as Record<string, unknown>)["x5t#S256"] : null;
  return typeof bound === "string" && thumbprint !== undefined && hashes.equal(bound, thumbprint);
}

/** §4.4: `may_act` names the party that may act. A member that this server does not understand may limit it further. */
function mustBeNamed(mayAct: unknown, { clientId }: Client, issuer: string): void {
  const known = typeof mayAct === "object" && mayAct !== null ? Object.entries(mayAct) : [];
  const isNamed = known.length > 0 && known.every(([name, value]) => isRight(name, value, clientId, issuer));
  if (!isNamed) refuse("exchange_actor_not_named");
}

function isRight(name: string, value: unknown, clientId: string, issuer: string): boolean {
  if (name === "iss") return value === issuer;
  return (name === "sub" || name === "client_id") && value === clientId;
}
