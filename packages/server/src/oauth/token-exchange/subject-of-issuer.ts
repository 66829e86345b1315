/** Subject tokens of trusted issuers (RFC 8693 §2.1, RFC 7523 §3). */

import { assertionEntitlement } from "../assertion.ts";
import { OAuthError, publicCondition, refuse } from "../errors.ts";
import type { OwnerEntitlement } from "../grants/grant-type.ts";
import { verifiedAssertion } from "../grants/jwt-bearer.ts";
import type { OAuthContext } from "../ports.ts";
import { actorsOf, mustNotBeStopped } from "./actor.ts";
import type { Exchange } from "./exchange-request.ts";
import { mustBeAllowed } from "./target.ts";

/** The owner that the issuer names. The operator approves with the issuer's record, as for the grant of RFC 7523. */
export async function externalSubject(
  token: string,
  exchange: Exchange,
  context: OAuthContext,
): Promise<OwnerEntitlement> {
  const { policy, target } = exchange;
  const request = { ...exchange.request, resource: target.named };
  const { assertion, claims } = await asSubject(() => verifiedAssertion(token, request.client, context));
  const { record } = assertion;
  // That the issuer's JWTs are grants does not mean that they can be exchanged.
  if (record.exchange !== true) refuse("subject_token_refused", "the issuer is not trusted for token exchange");
  const { agents, actor } = await actorsOf({ agents: [], mayAct: claims["may_act"] }, exchange, context);
  const most = { ...record, scopes: record.scopes.filter((name) => policy.scopes.includes(name)) };
  const found = await asSubject(async () => assertionEntitlement({ ...assertion, record: most }, request, context));
  return {
    ...found,
    agents,
    async within() {
      const within = await found.within();
      mustBeAllowed(within.audience, policy);
      return within;
    },
    async owner(within) {
      const owner = await asSubject(() => found.owner(within));
      await mustNotBeStopped(actor, owner, request.client, context);
      return owner;
    },
    refusals: { blocked: "subject_token_refused", noOwner: "subject_token_refused" },
  };
}

/** §2.2.2: a subject token that is not accepted is an `invalid_request`. The log has the exact reason. */
async function asSubject<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof OAuthError) || publicCondition(error.condition) !== "assertion_refused") throw error;
    return refuse(
      "subject_token_refused",
      `${error.condition}${error.detail === undefined ? "" : `: ${error.detail}`}`,
    );
  }
}
