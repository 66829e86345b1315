/** The ID token: who signed in, when and how, for the client alone (OpenID Connect Core §2). */

import type { Client, Millis } from "../model.ts";
import type { HintedSignIn, IdTokenParts, IdTokens, OAuthContext, PersonFacts } from "../ports.ts";
import { scopeOfClaim } from "./claims-parameter.ts";
import { idTokenAlgOf } from "./metadata.ts";
import type { OwnClaims } from "./own-claims.ts";
import { claimsAbout } from "./user-info.ts";

/** How long a client may accept an ID token. It says what happened at one time, so it need not live long. */
const ID_TOKEN_TTL: Millis = 600_000;

export interface IdTokenContext extends Pick<OAuthContext, "now"> {
  readonly idTokens: IdTokens;
  readonly ownClaims: OwnClaims;
  /** Undefined: the person was deleted or is disabled. */
  personFacts(personId: string): Promise<PersonFacts | undefined>;
}

/**
 * The ID token beside this access token. Undefined: it is unknown when the person signed in, because somebody else
 * vouched for them. With a company as owner, `sub` is the person and `organization` the company.
 */
export async function idToken(
  parts: IdTokenParts,
  accessToken: string,
  { idTokens, ownClaims, personFacts, now }: IdTokenContext,
): Promise<string | undefined> {
  const { subject, client, nonce, scopes, claims, sid } = parts;
  const { sub, actor, person } = subject;
  if (person === null || person.authTime === null) return undefined;
  const { authTime, acr, amr } = person;
  const granted = new Set(scopes.map(({ name }) => name));
  const asked = claims?.filter((claim) => granted.has(scopeOfClaim(claim) ?? "")) ?? [];
  const facts = asked.length === 0 ? undefined : await personFacts(actor ?? sub);
  const own = parts.ownClaims ?? (await ownClaimsOf(parts, ownClaims));
  const iat = Math.floor(now() / 1000);
  return idTokens.sign({
    alg: idTokenAlgOf(client),
    accessToken,
    claims: {
      ...own,
      ...(facts === undefined ? {} : claimsAbout(facts, asked)),
      sub: actor ?? sub,
      ...(actor === null ? {} : { organization: sub }),
      aud: client.clientId,
      azp: client.clientId,
      iat,
      exp: iat + ID_TOKEN_TTL / 1000,
      auth_time: Math.floor(authTime / 1000),
      ...(nonce === null || nonce === undefined ? {} : { nonce }),
      ...(sid === null || sid === undefined ? {} : { sid }),
      ...(acr === null ? {} : { acr }),
      ...(amr.length === 0 ? {} : { amr }),
    },
  });
}

/** As in `OpenId`. */
export async function ownClaimsOf(
  { subject: { sub, actor }, client: { clientId }, scopes, claims }: Omit<IdTokenParts, "nonce" | "sid">,
  ownClaims: OwnClaims,
): Promise<Readonly<Record<string, unknown>>> {
  const asked = claims?.filter((claim) => scopes.some(({ name }) => name === ownClaims.scopeOf(claim))) ?? [];
  return ownClaims.named(asked, { sub: actor ?? sub, organization: actor === null ? null : sub, clientId });
}

/** As in `OpenId`. An ID token says this for good, so its end doesn't matter (§3.1.2.1, `id_token_hint`). */
export async function personOf(
  token: string,
  { clientId }: Pick<Client, "clientId">,
  idTokens: Pick<IdTokens, "verify">,
): Promise<string | undefined> {
  const hint = await readHint(token, idTokens);
  return hint?.clientId === clientId ? hint.personId : undefined;
}

/** As in `OpenId`. */
export async function readHint(token: string, idTokens: Pick<IdTokens, "verify">): Promise<HintedSignIn | undefined> {
  const { aud, sub } = (await idTokens.verify(token)) ?? {};
  return typeof aud === "string" && typeof sub === "string" ? { clientId: aud, personId: sub } : undefined;
}
