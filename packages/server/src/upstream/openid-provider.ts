/**
 * This server as a relying party of another OpenID Connect provider (OpenID Connect Core §3.1): the authorization code
 * flow with PKCE, by openid-client. Only files here import that library.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import * as oidc from "openid-client";
import type { Millis } from "../oauth/model.ts";
import type { GuardedFetcher } from "../outbound/guarded-fetch.ts";
import { presetOf } from "../owners/identities/provider-presets.ts";
import type { SignInProvider } from "../owners/identities/sign-in-provider.ts";
import type { Attempt, UpstreamClient, UpstreamFailed, Wishes } from "../owners/identities/upstream-identity.ts";
import { identityOf, missesAddress, missesGroups, missesNamed } from "./identity-of-claims.ts";
import { kidOfTokenResponse, ProviderKeys } from "./provider-keys.ts";
import { allowPlainAt, CLOCK_TOLERANCE, failed, fetchWith, Unreachable, Unverified } from "./provider-requests.ts";
import { signedClientSecret } from "./signed-client-secret.ts";

/** How long a provider's metadata count. */
const METADATA_TTL: Millis = 3_600_000;
/** How long a failure to read metadata counts for logout tokens, which anybody can send. */
const FAILURE_TTL: Millis = 5_000;
/** Logout tokens that wait for metadata at a time. */
const MAX_WAITING = 64;
/** The oldest sign-in at the provider that counts, in seconds. A provider that is asked for an age says when it was. */
const OLDEST_SIGN_IN = 604_800;
/** How long before the request an ID token may have been issued: a provider's clock can be late. */
const OLDEST_TOKEN: Millis = 600_000;

export interface OpenIdProviderParts {
  readonly fetcher: GuardedFetcher;
  /** The client secret. Null: none. Throws if no secret of this server opens it. */
  secretOf(provider: SignInProvider): string | null;
  /** A monotonic clock. */
  now(): Millis;
}

export class OpenIdProviders implements UpstreamClient {
  readonly #parts: OpenIdProviderParts;
  /** Number of logout tokens that wait for metadata. */
  #waiting = 0;
  readonly #failures = new LRUCache<string, UpstreamFailed>({ max: 200, ttl: FAILURE_TTL });
  readonly #known = new LRUCache<string, Promise<oidc.Configuration>>({ max: 200, ttl: METADATA_TTL });

  readonly #keys: ProviderKeys;

  constructor(parts: OpenIdProviderParts) {
    this.#parts = parts;
    this.#keys = new ProviderKeys(parts.now);
  }

  /** The address to which the browser goes (OpenID Connect Core §3.1.2.1). */
  async begin(provider: SignInProvider, attempt: Attempt, wishes: Wishes): ReturnType<UpstreamClient["begin"]> {
    try {
      const known = await this.#configurationOf(provider);
      const preset = presetOf(provider);
      const hostedDomain = provider.requiredClaims?.["hd"];
      const supported = preset?.prompts ?? known.serverMetadata()["prompt_values_supported"];
      const prompt = promptOf(wishes, supported, preset?.onePrompt);
      const location = oidc.buildAuthorizationUrl(known, {
        redirect_uri: attempt.redirectUri,
        scope: provider.scopes.join(" "),
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: "S256",
        ui_locales: wishes.uiLocales,
        ...(prompt === "" ? {} : { prompt }),
        max_age: wishes.fresh ? "0" : String(OLDEST_SIGN_IN),
        ...(preset?.hostedDomains && hostedDomain !== undefined ? { hd: hostedDomain } : {}),
        ...(wishes.loginHint === null ? {} : { login_hint: wishes.loginHint }),
        ...(preset?.formPost ? { response_mode: "form_post" } : {}),
        ...acrValuesOf(provider, wishes),
      });
      return { kind: "begun", location: location.href };
    } catch (error) {
      return failed(error);
    }
  }

  /**
   * Redeems the code of a callback and verifies the ID token, its signature included (§3.1.3.7). Asks UserInfo only for
   * what the ID token does not have and the operator wants. `query`: the query of the callback, as it arrived.
   */
  async finish(provider: SignInProvider, attempt: Attempt, query: string): ReturnType<UpstreamClient["finish"]> {
    try {
      const known = this.#withKeys(await this.#configurationOf(provider), provider);
      const callback = new URL(`${attempt.redirectUri}?${query}`);
      const { state: expectedState, nonce: expectedNonce, codeVerifier: pkceCodeVerifier } = attempt;
      const checks = { expectedState, expectedNonce, pkceCodeVerifier, idTokenExpected: true };
      const tokens = await oidc.authorizationCodeGrant(known, callback, checks);
      const claims = tokens.claims();
      if (claims === undefined) throw new Unverified("no ID token");
      requireAccessTokenHash(tokens.id_token ?? "", tokens.access_token);
      requireForThisAttempt(claims, provider, attempt);
      requireClaims(claims, provider);
      const wanted = missesAddress(provider, claims) || missesNamed(provider, claims) || missesGroups(provider, claims);
      const hasUserInfo = known.serverMetadata().userinfo_endpoint !== undefined;
      // The library refuses UserInfo of another subject (§5.3.2).
      const more = wanted && hasUserInfo ? await oidc.fetchUserInfo(known, tokens.access_token, claims.sub) : {};
      const { iss: issuer, sub: subject } = claims;
      return { kind: "finished", identity: identityOf(provider, { issuer, subject }, claims, { ...more }) };
    } catch (error) {
      return failed(error);
    }
  }

  /** Metadata that could not be read are not asked for again at once: logout tokens can come in any number. */
  async keysAt(provider: SignInProvider): ReturnType<UpstreamClient["keysAt"]> {
    const before = this.#failures.get(keyOf(provider));
    if (before !== undefined) return before;
    if (this.#waiting >= MAX_WAITING) return failed(new Unreachable("too many logout tokens wait for metadata"));
    this.#waiting += 1;
    try {
      const { jwks_uri: uri } = (await this.#configurationOf(provider)).serverMetadata();
      return uri === undefined ? failed(new Unverified("the metadata have no jwks_uri")) : { kind: "found", uri };
    } catch (error) {
      const failure = failed(error);
      this.#failures.set(keyOf(provider), failure);
      return failure;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Metadata that could not be read are asked for again by the next person. */
  #configurationOf(provider: SignInProvider): Promise<oidc.Configuration> {
    const key = keyOf(provider);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const asked = this.#discover(provider);
    this.#known.set(key, asked);
    asked.catch(() => this.#known.delete(key));
    return asked;
  }

  async #discover(provider: SignInProvider): Promise<oidc.Configuration> {
    const { issuer, clientId } = provider;
    const plain = issuer.startsWith("http:") ? [oidc.allowInsecureRequests] : [];
    const found = await oidc.discovery(
      new URL(issuer),
      clientId,
      { [oidc.clockTolerance]: CLOCK_TOLERANCE },
      oidc.None(),
      { [oidc.customFetch]: fetchWith(this.#parts.fetcher), execute: plain },
    );
    const metadata = found.serverMetadata();
    // The library compares them as URLs, so a final slash would not matter (OpenID Connect Discovery §4.3).
    if (metadata.issuer !== issuer) throw new Unverified("the metadata name another issuer");
    return this.#configured(metadata, provider, fetchWith(this.#parts.fetcher));
  }

  #configured(metadata: oidc.ServerMetadata, provider: SignInProvider, send: oidc.CustomFetch): oidc.Configuration {
    const known = new oidc.Configuration(
      metadata,
      provider.clientId,
      { [oidc.clockTolerance]: CLOCK_TOLERANCE },
      this.#authentication(provider, metadata.token_endpoint_auth_methods_supported),
    );
    known[oidc.customFetch] = send;
    allowPlainAt(provider.issuer, known);
    oidc.enableNonRepudiationChecks(known);
    return known;
  }

  #authentication(provider: SignInProvider, supported: readonly string[] | undefined): oidc.ClientAuth {
    const secret = this.#parts.secretOf(provider);
    if (secret === null || provider.signedSecret === undefined) return authenticationOf(secret, supported);
    return (_server, client, body) => {
      body.set("client_id", client.client_id);
      body.set("client_secret", signedClientSecret(provider, secret, Math.floor(Date.now() / 1000)));
    };
  }

  /**
   * The same for one sign-in. The library would wait a minute before it asks for a key that it doesn't know. A new
   * configuration has no keys, so it asks each time, and `#keys` answers.
   */
  #withKeys(known: oidc.Configuration, provider: SignInProvider): oidc.Configuration {
    const metadata = known.serverMetadata();
    const send = fetchWith(this.#parts.fetcher);
    let kid: string | undefined;
    return this.#configured(metadata, provider, async (url, options) => {
      if (isAt(url, metadata.jwks_uri)) return this.#keys.at(url, kid, () => send(url, options));
      const response = await send(url, options);
      if (isAt(url, metadata.token_endpoint)) kid = kidOfTokenResponse(await response.clone().text());
      return response;
    });
  }
}

/** `url`: as the library spells it. */
function isAt(url: string, endpoint: string | undefined): boolean {
  return endpoint !== undefined && url === new URL(endpoint).href;
}

function keyOf({ id, issuer, clientId, sealedSecret, signedSecret }: SignInProvider): string {
  return JSON.stringify([id, issuer, clientId, sealedSecret, signedSecret]);
}

/** Without values that the provider says it does not know. It would refuse the whole request. */
function promptOf({ fresh, choose, noChooser }: Wishes, supported: unknown, onlyOne = false): string {
  const knows = (value: string) => !Array.isArray(supported) || supported.includes(value);
  const chooser = !noChooser && knows("select_account");
  // Where nobody can choose an account, they can at least type another one.
  const wanted = [
    ...(fresh || (choose && !chooser) ? ["login"] : []),
    ...(choose && chooser ? ["select_account"] : []),
  ];
  const known = wanted.filter(knows);
  return known.slice(0, onlyOne ? 1 : known.length).join(" ");
}

/** The request needs a second factor, and the operator has said what that is at this provider (§3.1.2.1). */
function acrValuesOf({ mfaAcr = [] }: SignInProvider, { mfa }: Wishes): { readonly acr_values?: string } {
  return mfa && mfaAcr.length > 0 ? { acr_values: mfaAcr.join(" ") } : {};
}

/** `client_secret_basic` unless the provider lists other methods only (OpenID Connect Discovery §3). */
function authenticationOf(secret: string | null, supported: readonly string[] | undefined): oidc.ClientAuth {
  if (secret === null) return oidc.None();
  const basic = supported?.includes("client_secret_basic") ?? true;
  return basic ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
}

/** The hash of each signature algorithm (OpenID Connect Core §3.1.3.6; EdDSA: the hash of Ed25519). */
const HASH_OF: Readonly<Record<string, string>> = {
  ...{ RS256: "sha256", ES256: "sha256", PS256: "sha256", RS384: "sha384", ES384: "sha384", PS384: "sha384" },
  ...{ RS512: "sha512", ES512: "sha512", PS512: "sha512", EdDSA: "sha512", Ed25519: "sha512" },
};

/** `at_hash` is voluntary here, but a wrong one, or one that can't be checked, means a wrong token (§3.1.3.8). */
function requireAccessTokenHash(idToken: string, accessToken: string): void {
  const [header = "", payload = ""] = idToken.split(".").map((part) => Buffer.from(part, "base64url").toString());
  const { at_hash: given } = JSON.parse(payload) as { at_hash?: unknown };
  if (given === undefined) return;
  const hash = HASH_OF[String((JSON.parse(header) as { alg?: unknown }).alg)];
  if (hash === undefined || typeof given !== "string") throw new Unverified("at_hash can't be checked");
  const whole = createHash(hash).update(accessToken).digest();
  const wanted = Buffer.from(whole.subarray(0, whole.length / 2).toString("base64url"));
  const sent = Buffer.from(given);
  if (sent.length !== wanted.length || !timingSafeEqual(sent, wanted)) throw new Unverified("at_hash is wrong");
}

/** The library does not check these: whom the token was issued to, and when (§3.1.3.7 points 5 and 10). */
function requireForThisAttempt({ azp, iat }: oidc.IDToken, { clientId }: SignInProvider, { begunAt }: Attempt): void {
  if (azp !== undefined && azp !== clientId) throw new Unverified("azp is another client");
  if (iat * 1000 < begunAt - OLDEST_TOKEN) throw new Unverified("the ID token was issued before the request");
}

/** The ID token's own, not UserInfo's: the ID token is signed. */
function requireClaims(claims: oidc.IDToken, { requiredClaims = {} }: SignInProvider): void {
  for (const [name, value] of Object.entries(requiredClaims))
    if (claims[name] !== value) throw new Unverified(`the claim ${name} is not the required one`);
}
