/** Grant types of an embedder's own: what they are given, what they decide, and how a decision becomes a token (RFC 6749 §§4.5, 8.3). */

import { accessTokenTtl, issueAccessToken, type TokenResponse } from "../access-token.ts";
import type { AssertedOwner } from "../asserted-subject.ts";
import { CLOCK_SKEW, SHORTEST_TOKEN } from "../assertion.ts";
import { type ConditionName, refuse } from "../errors.ts";
import { type Client, type GrantedScope, NEVER } from "../model.ts";
import type { OAuthContext } from "../ports.ts";
import { ownScopesOf, signForClient } from "./client-credentials.ts";
import { readDecision } from "./custom-shape.ts";
import type { GrantRequest, GrantType } from "./index.ts";
import { judgeGrant, oneResource, scopesWithin, type Within } from "./judge.ts";

/**
 * A grant type of your own. It says for whom a token is, and how far it may reach; the server authenticates the client, checks that it is registered for
 * the grant, judges scope and resource, asks the consent record, and issues. There is never a refresh token: the client comes again.
 */
export interface CustomGrant {
  /** The value of `grant_type`: an absolute URI, at most 200 characters, of a name that is yours (RFC 6749 §4.5). */
  readonly grantType: string;
  /**
   * What its requests carry beside `scope`, `resource` and the client's own credentials. A request without a required one is refused before
   * `redeem` is asked. Names are like `voucher_code`; at most 20.
   */
  readonly parameters: Readonly<Record<string, "required" | "optional">>;
  /**
   * Looks at what was presented, and decides; refuses by `request.refuse`. Anything else that it throws is a fault: the client gets
   * `server_error`, the log the error. The client waits for it, so bound what it waits for.
   */
  redeem(request: CustomGrantRequest): CustomGrantDecision | Promise<CustomGrantDecision>;
}

/** A token request of an authenticated client that is registered for the grant. */
export interface CustomGrantRequest {
  /**
   * The value of a declared parameter, as the token endpoint takes it: valid Unicode without control characters, at most 2,048 characters long (one that is
   * called `assertion` 65,536, `token` 16,384); "" where an optional one was left out. Throws for one that isn't declared.
   */
  parameter(name: string): string;
  readonly client: Readonly<Pick<Client, "clientId" | "name" | "type">>;
  /** Where the request came from: an IP address. */
  readonly address: string;
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
  /**
   * Refuses the request. `detail` is for the log alone: never a secret, nor what the client presented. `invalid_grant`: what was presented isn't accepted;
   * `invalid_request`: it can't be read; `temporarily_unavailable`: nobody can say now, and another try makes sense.
   */
  refuse(error: CustomGrantError, detail?: string): never;
}

export type CustomGrantError = "invalid_grant" | "invalid_request" | "temporarily_unavailable";

/** For whom a token is. */
export type CustomGrantDecision = TokenForOwner | TokenForClient;

interface Decided {
  /** When the token ends at the latest, in whole milliseconds since the epoch; left out: the API's lifetime decides alone. */
  readonly expiresAt?: number;
  /**
   * What may be accepted once: an id of at most 512 characters, among those of this grant type, and when it was made. The first request with it gets a
   * token, on all processes; later ones are refused until `until`. A request that is refused for its form, its scope, its API or its
   * owner uses nothing up; one that then lacks a consent has used it. One that was made before the database was
   * put back to an earlier time is refused: whether it was used is forgotten. Both in whole milliseconds since the epoch, `until` at most 366 days ahead.
   */
  readonly once?: { readonly id: string; readonly madeAt: number; readonly until: number };
}

/** A token for a person. Operators and scopes that need a role are beyond it. */
export interface TokenForOwner extends Decided {
  readonly for: "owner";
  /** `id`: the `sub` of this server's tokens. */
  readonly owner: { readonly by: "id" | "username"; readonly value: string };
  /**
   * `consent`: what the owner allowed this client on a page, and still holds, must cover the request. `operator policy`: you answer for it; it is put
   * on record, the owner sees it on the page of their apps, and once they took it back it is refused.
   */
  readonly under: "consent" | "operator policy";
  /** The most that the token may have, in names of scopes; what the client may not ask for is never in it. */
  readonly scopes: readonly string[];
  /** When the person last proved who they are, in whole milliseconds since the epoch; left out: the token doesn't say. */
  readonly authTime?: number;
}

/** A token for the client itself, within the scopes that it holds for itself; a confidential one (RFC 6749 §4.4). */
export interface TokenForClient extends Decided {
  readonly for: "client";
  /** The most that the token may have; left out: all of its own. */
  readonly scopes?: readonly string[];
}

const REFUSALS: Readonly<Record<CustomGrantError, ConditionName>> = {
  invalid_grant: "custom_grant_refused",
  invalid_request: "custom_grant_malformed",
  temporarily_unavailable: "temporarily_unavailable",
};

/** Of what an embedder's code says to the log. */
const MAX_DETAIL = 300;

/** One of ours, made of an embedder's. */
export function customGrant(grant: CustomGrant): GrantType {
  return {
    grantType: grant.grantType,

    async redeem(request, context): Promise<TokenResponse> {
      const resource = oneResource(request);
      const decision = readDecision(
        await grant.redeem(asSeen(grant, request, context)),
        grant.grantType,
        context.now(),
      );
      const end = Math.min(decision.expiresAt ?? NEVER, decision.once?.until ?? NEVER);
      if (end < context.now() + SHORTEST_TOKEN) refuse("custom_grant_refused", "expiresAt or once.until is over");
      return decision.for === "client"
        ? forClient(decision, grant, request, context)
        : forOwner(decision, grant, request, resource, context);
    },
  };
}

/** No secret of the client is in it, and no parameter that wasn't declared. */
function asSeen({ parameters }: CustomGrant, { client, single, address }: GrantRequest, context: OAuthContext) {
  for (const [name, kind] of Object.entries(parameters)) {
    if (kind === "required" && !single.has(name)) refuse("custom_parameter_missing", name);
  }
  const { clientId, name, type } = client;
  const seen: CustomGrantRequest = {
    parameter(wanted) {
      if (!Object.hasOwn(parameters, wanted)) throw new Error(`the parameter ${wanted} isn't declared`);
      return single.get(wanted) ?? "";
    },
    client: { clientId, name, type },
    address,
    now: context.now(),
    refuse(error, detail) {
      if (!Object.hasOwn(REFUSALS, error)) throw new TypeError(`${String(error)} is no error of a custom grant`);
      return refuse(REFUSALS[error], detail?.slice(0, MAX_DETAIL));
    },
  };
  return Object.freeze(seen);
}

async function forClient(
  { scopes: most, expiresAt, once }: TokenForClient,
  grant: CustomGrant,
  request: GrantRequest,
  context: OAuthContext,
): Promise<TokenResponse> {
  const { ownScopes } = request.client;
  const held = most === undefined ? ownScopes : ownScopes.filter((name) => most.includes(name));
  const own = await ownScopesOf(request, held, context);
  await useUp(once, grant, context);
  return signForClient(own, request.client, context, expiresAt);
}

async function forOwner(
  decision: TokenForOwner,
  grant: CustomGrant,
  request: GrantRequest,
  resource: string | undefined,
  context: OAuthContext,
): Promise<TokenResponse> {
  const within = await scopesWithin(decision.scopes, request, resource, context);
  const owner = await context.findOwner(decision.owner.by, decision.owner.value);
  if (owner === undefined) return refuse("custom_grant_refused", "no such owner");
  if (owner.operator) return refuse("custom_grant_refused", "the owner is an operator");
  if (!owner.active) return refuse("custom_grant_refused", "the owner is disabled");
  await useUp(decision.once, grant, context);
  const { client } = request;
  const issued = await issue(owner, within, decision, request, context);
  const { scopes, audience } = await judgeGrant(issued, client, { scope: undefined, resource }, context);
  const end = decision.expiresAt ?? NEVER;
  const capped = scopes.map(({ name, expiresAt }) => ({ name, expiresAt: Math.min(expiresAt ?? NEVER, end) }));
  const { token, expiresIn, scope } = await issueAccessToken(issued.grant, client, capped, audience, context);
  context.event("grant_issued", { client_id: client.clientId, owner: owner.ownerId, scope });
  return { access_token: token, token_type: "Bearer", expires_in: expiresIn, scope };
}

async function useUp(once: Decided["once"], { grantType }: CustomGrant, context: OAuthContext): Promise<void> {
  if (once === undefined) return;
  const { notBefore } = context;
  if (notBefore > 0 && once.madeAt < notBefore + CLOCK_SKEW) {
    refuse("custom_grant_refused", "it is from before the database was restored, and may have been used");
  }
  const key = context.hashes.sha256(JSON.stringify([grantType, once.id]));
  const first = await context.storage.once({ kind: "custom grant", key, until: once.until, now: context.now() });
  if (!first) refuse("custom_grant_refused", "used before");
}

/** The grant's row, and for the operator's policy the consent that stands for it, in one transaction. */
async function issue(
  { partition, ownerId }: AssertedOwner,
  { scopes, audience }: Within,
  { under, authTime, expiresAt }: TokenForOwner,
  { client, address }: GrantRequest,
  context: OAuthContext,
) {
  const now = context.now();
  const ttl = accessTokenTtl((await context.catalog.resources()).get(audience), context.policy.accessTtl);
  const accessUntil = Math.min(now + ttl, expiresAt ?? NEVER);
  const grant = {
    partition,
    grantId: context.newGrantId(partition),
    clientId: client.clientId,
    ownerId,
    personId: ownerId,
    refreshable: false,
    scopes,
    audience,
    authTime: authTime ?? null,
    acr: null,
    amr: [],
  };
  const granted = async (): Promise<readonly GrantedScope[] | undefined> => {
    if (under === "consent") {
      // Born redeemed, as for a token without a code: the hash of no salt leads to it.
      const none = { codeSaltHash: new Uint8Array(), redirectUri: "", codeChallenge: null, codeChallengeMethod: null };
      const outcome = await context.storage.issueGrant({
        grant: { ...grant, ...none, codeUntil: now, accessUntil },
        address,
        now,
      });
      return outcome.kind === "issued" ? outcome.scopes : undefined;
    }
    const shown = { locale: "en", clientName: client.name, logo: client.logo };
    const ends = { accessUntil, idleUntil: accessUntil, consentUntil: null };
    const record = { via: "operator policy", refreshSaltHash: null, shown, address, now } as const;
    const outcome = await context.storage.issueDirect({ grant, ...record, ...ends });
    return outcome.kind === "issued" ? outcome.grant.scopes : undefined;
  };
  const live = (await granted()) ?? refuse("custom_grant_refused", `nothing stands for it under ${under}`);
  return { grant, scopes: live };
}
