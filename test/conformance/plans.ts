/** The certification plans that Assent runs, and the configuration of each. */

import {
  authorizes,
  readsConsent,
  refusesAuthorization,
  signsOut,
  staysAfterLogout,
  type Visit,
} from "./browser-steps.ts";
import type { ClientWish, Provider, ProviderClient } from "./provider.ts";

export interface PlanWish {
  readonly name: string;
  readonly variant: Readonly<Record<string, string>>;
  /** The path at which the suite serves this plan's clients. One alias runs one module at a time. */
  readonly alias: string;
  readonly backChannelLogout?: true;
  /** The suite registers the clients of this plan itself (RFC 7591). */
  readonly registersItself?: true;
  /** Modules that are not run, with the reason. */
  readonly without?: Readonly<Record<string, string>>;
}

const STATIC_CLIENT = { client_registration: "static_client" } as const;
const BASIC = { server_metadata: "discovery", ...STATIC_CLIENT } as const;
const LOGOUT = { response_type: "code", ...STATIC_CLIENT } as const;
const DYNAMIC_CLIENT = { client_registration: "dynamic_client" } as const;
const DYNAMIC_BASIC = { server_metadata: "discovery", ...DYNAMIC_CLIENT } as const;
const DYNAMIC_LOGOUT = { response_type: "code", ...DYNAMIC_CLIENT } as const;

export const plans: readonly PlanWish[] = [
  { name: "oidcc-basic-certification-test-plan", variant: BASIC, alias: "assent-basic" },
  { name: "oidcc-config-certification-test-plan", variant: {}, alias: "assent-config" },
  { name: "oidcc-formpost-basic-certification-test-plan", variant: BASIC, alias: "assent-form-post" },
  { name: "oidcc-rp-initiated-logout-certification-test-plan", variant: LOGOUT, alias: "assent-logout" },
  {
    name: "oidcc-backchannel-rp-initiated-logout-certification-test-plan",
    variant: LOGOUT,
    alias: "assent-back-channel",
    backChannelLogout: true,
  },
  {
    name: "oidcc-basic-certification-test-plan",
    variant: DYNAMIC_BASIC,
    alias: "assent-basic-dynamic",
    registersItself: true,
  },
  {
    name: "oidcc-dynamic-certification-test-plan",
    variant: { response_type: "code" },
    alias: "assent-dynamic",
    registersItself: true,
    without: {
      "oidcc-userinfo-rs256": "UserInfo responses are not signed.",
      "oidcc-discovery-endpoint-verification":
        "The profile needs the response types `id_token` and `token id_token`; Assent has `code` and `token`.",
      "oidcc-registration-logo-uri": "Assent does not show the logo of a client that nobody has looked at.",
      "oidcc-request-uri-unsigned": "Assent does not fetch request objects.",
      "oidcc-request-uri-signed-rs256": "Assent does not fetch request objects.",
    },
  },
  {
    name: "oidcc-rp-initiated-logout-certification-test-plan",
    variant: DYNAMIC_LOGOUT,
    alias: "assent-logout-dynamic",
    registersItself: true,
  },
  {
    name: "oidcc-backchannel-rp-initiated-logout-certification-test-plan",
    variant: DYNAMIC_LOGOUT,
    alias: "assent-back-channel-dynamic",
    registersItself: true,
  },
];

/** The configuration of a plan. Registers its clients at the server. */
export async function configurationOf(plan: PlanWish, suite: URL, provider: Provider): Promise<object> {
  const { issuer, person } = provider;
  return {
    alias: plan.alias,
    description: `Assent, ${plan.alias}`,
    server: { discoveryUrl: `${issuer}/.well-known/openid-configuration` },
    ...(plan.registersItself ? await admitted() : await registered()),
    // The suite's browser stops at some selectors of Assent's style sheet.
    options: { browsercontrol_css_enable: false },
    browser: [authorizes(issuer, person), signsOut(issuer)],
    override: overrides(provider),
  };

  async function registered() {
    return {
      client: await register(""),
      client_secret_post: await register(" (post)", { authMethod: "client_secret_post" }),
      client2: await register(" (second)"),
    };
  }

  async function admitted() {
    const token = await provider.initialAccessToken();
    const client = { client_name: plan.alias, initial_access_token: token };
    return { client, client2: { ...client, client_name: `${plan.alias} (second)` } };
  }

  function address(end: string): string {
    return new URL(`/test/a/${plan.alias}/${end}`, suite).href;
  }

  function register(suffix: string, more: Partial<ClientWish> = {}): Promise<ProviderClient> {
    return provider.addClient({
      name: `${plan.alias}${suffix}`,
      // Some modules use an address with a query.
      redirectUris: [address("callback"), `${address("callback")}?dummy1=lorem&dummy2=ipsum`],
      postLogoutRedirectUri: address("post_logout_redirect"),
      ...(plan.backChannelLogout ? { backChannelLogoutUri: address("backchannel_logout") } : {}),
      ...more,
    });
  }
}

/** Modules in which the browser does something else. */
function overrides({ issuer, person }: Provider): Readonly<Record<string, { readonly browser: readonly Visit[] }>> {
  const allow = authorizes(issuer, person);
  const refused = { browser: [refusesAuthorization(issuer, "redirect_uri_mismatch")] };
  const shows = (text: string) => ({ browser: [readsConsent(issuer, person, text)] });
  const again = { browser: [authorizes(issuer, person, true)] };
  const asks = { browser: [allow, staysAfterLogout(issuer, "Sign out?", false)] };
  const signedOut = { browser: [allow, staysAfterLogout(issuer, "You’re signed out", false)] };
  const confirmed = { browser: [allow, staysAfterLogout(issuer, "You’re signed out", true)] };
  return {
    "oidcc-prompt-login": again,
    "oidcc-max-age-1": again,
    "oidcc-ensure-redirect-uri-in-authorization-request": refused,
    "oidcc-registration-policy-uri": shows("Privacy policy"),
    "oidcc-registration-tos-uri": shows("Terms"),
    "oidcc-redirect-uri-query-mismatch": refused,
    "oidcc-redirect-uri-query-added": refused,
    "oidcc-ensure-registered-redirect-uri": refused,
    "oidcc-ensure-request-object-with-redirect-uri": refused,
    "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri": signedOut,
    "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri": signedOut,
    "oidcc-rp-initiated-logout-modified-id-token-hint": asks,
    "oidcc-rp-initiated-logout-bad-id-token-hint": asks,
    "oidcc-rp-initiated-logout-no-id-token-hint": asks,
    "oidcc-rp-initiated-logout-no-params": confirmed,
    "oidcc-rp-initiated-logout-no-post-logout-redirect-uri": signedOut,
    "oidcc-rp-initiated-logout-only-state": confirmed,
  };
}
