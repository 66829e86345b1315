/**
 * This server as a client of a provider that has OAuth only (RFC 6749 §4.1, RFC 7636), such as GitHub: no ID token, so an
 * API of the provider says who the owner of the access token is.
 */

import * as oidc from "openid-client";
import { claimOf } from "../owners/identities/claim-names.ts";
import { presetOf } from "../owners/identities/provider-presets.ts";
import type { SignInProvider } from "../owners/identities/sign-in-provider.ts";
import type { Attempt, UpstreamClient, Wishes } from "../owners/identities/upstream-identity.ts";
import { identityOf } from "./identity-of-claims.ts";
import type { OpenIdProviderParts } from "./openid-provider.ts";
import { allowPlainAt, failed, fetchWith, Unverified } from "./provider-requests.ts";

type Claims = Readonly<Record<string, unknown>>;

export class OAuthProviders implements UpstreamClient {
  readonly #parts: OpenIdProviderParts;

  constructor(parts: OpenIdProviderParts) {
    this.#parts = parts;
  }

  /** It has no `nonce`, and nothing that makes the person prove again who they are. */
  async begin(provider: SignInProvider, attempt: Attempt, wishes: Wishes): ReturnType<UpstreamClient["begin"]> {
    try {
      const { prompts = [], hintParameter } = presetOf(provider) ?? {};
      const location = oidc.buildAuthorizationUrl(this.#configured(provider), {
        redirect_uri: attempt.redirectUri,
        ...(provider.scopes.length === 0 ? {} : { scope: provider.scopes.join(" ") }),
        state: attempt.state,
        code_challenge: await oidc.calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: "S256",
        ...(wishes.choose && !wishes.noChooser && prompts.includes("select_account")
          ? { prompt: "select_account" }
          : {}),
        ...(hintParameter === undefined || wishes.loginHint === null ? {} : { [hintParameter]: wishes.loginHint }),
      });
      return { kind: "begun", location: location.href };
    } catch (error) {
      return failed(error);
    }
  }

  /** Redeems the code, and asks the provider who the owner of the token is. The token is not kept. */
  async finish(provider: SignInProvider, attempt: Attempt, query: string): ReturnType<UpstreamClient["finish"]> {
    try {
      const known = this.#configured(provider);
      const callback = new URL(`${attempt.redirectUri}?${query}`);
      const { state: expectedState, codeVerifier: pkceCodeVerifier } = attempt;
      const tokens = await oidc.authorizationCodeGrant(known, callback, { expectedState, pkceCodeVerifier });
      const { userEndpoint, emailsEndpoint } = endpointsOf(provider);
      const claims = await this.#ask(known, userEndpoint, tokens.access_token);
      if (!isObject(claims)) throw new Unverified("the answer of the user endpoint is no object");
      const subject = subjectOf(claims[claimOf("subject", provider) ?? ""]);
      if (subject === undefined) throw new Unverified("the answer of the user endpoint has no subject");
      const address =
        emailsEndpoint === undefined ? {} : primaryOf(await this.#ask(known, emailsEndpoint, tokens.access_token));
      return {
        kind: "finished",
        identity: identityOf(provider, { issuer: provider.issuer, subject }, { ...undated(claims), ...address }, {}),
      };
    } catch (error) {
      return failed(error);
    }
  }

  /** It sends no logout tokens. */
  async keysAt(): ReturnType<UpstreamClient["keysAt"]> {
    return failed(new Unverified("the provider is none of OpenID Connect"));
  }

  async #ask(known: oidc.Configuration, endpoint: string, accessToken: string): Promise<unknown> {
    const headers = new Headers({ accept: "application/json", "user-agent": "assent" });
    const response = await oidc.fetchProtectedResource(known, accessToken, new URL(endpoint), "GET", null, headers);
    if (response.status !== 200) throw new Unverified(`${new URL(endpoint).pathname}: status ${response.status}`);
    return response.json();
  }

  #configured(provider: SignInProvider): oidc.Configuration {
    const { authorizationEndpoint, tokenEndpoint } = endpointsOf(provider);
    const secret = this.#parts.secretOf(provider);
    const known = new oidc.Configuration(
      { issuer: provider.issuer, authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint },
      provider.clientId,
      {},
      secret === null ? oidc.None() : oidc.ClientSecretPost(secret),
    );
    known[oidc.customFetch] = fetchWith(this.#parts.fetcher);
    allowPlainAt(tokenEndpoint, known);
    return known;
  }
}

function endpointsOf({ oauth }: SignInProvider): NonNullable<SignInProvider["oauth"]> {
  if (oauth === undefined) throw new Unverified("the provider has no endpoints");
  return oauth;
}

/** How and when the person signed in is a matter of ID tokens, which are signed. */
function undated({ auth_time: _, acr: _acr, amr: _amr, sid: _sid, ...claims }: Claims): Claims {
  return claims;
}

/** Many of these providers number their people. A number that was rounded could be another person's. */
function subjectOf(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined;
  return typeof value === "string" ? value : undefined;
}

/** GitHub's list of addresses: the one that its owner chose, and whether GitHub has verified it. */
function primaryOf(listed: unknown): Claims {
  if (!Array.isArray(listed)) throw new Unverified("the answer of the endpoint of addresses is no list");
  const primary = listed.find((one): one is Claims => isObject(one) && one["primary"] === true);
  return { email: primary?.["email"], email_verified: primary?.["verified"] === true };
}

function isObject(value: unknown): value is Claims {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
