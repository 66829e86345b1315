/** The certification plans that Assent runs, and the configuration of each. */

import { authorizes, refusesAuthorization, signsOut, staysAfterLogout, type Visit } from "./browser-steps.ts";
import type { ClientWish, Provider, ProviderClient } from "./provider.ts";

export interface PlanWish {
  readonly name: string;
  readonly variant: Readonly<Record<string, string>>;
  /** The path at which the suite serves this plan's clients. One alias runs one module at a time. */
  readonly alias: string;
  readonly backChannelLogout?: true;
}

const STATIC_CLIENT = { client_registration: "static_client" } as const;
const BASIC = { server_metadata: "discovery", ...STATIC_CLIENT } as const;
const LOGOUT = { response_type: "code", ...STATIC_CLIENT } as const;

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
];

/** The configuration of a plan. Registers its clients at the server. */
export async function configurationOf(plan: PlanWish, suite: URL, provider: Provider): Promise<object> {
  const { issuer, person } = provider;
  const client = await register("");
  return {
    alias: plan.alias,
    description: `Assent, ${plan.alias}`,
    server: { discoveryUrl: `${issuer}/.well-known/openid-configuration` },
    client,
    client_secret_post: await register(" (post)", { authMethod: "client_secret_post" }),
    client2: await register(" (second)"),
    // The suite's browser stops at some selectors of Assent's style sheet.
    options: { browsercontrol_css_enable: false },
    browser: [authorizes(issuer, person), signsOut(issuer)],
    override: overrides(provider),
  };

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
  const again = { browser: [authorizes(issuer, person, true)] };
  const asks = { browser: [allow, staysAfterLogout(issuer, "An app wants to sign you out", false)] };
  const signedOut = { browser: [allow, staysAfterLogout(issuer, "You’re signed out", false)] };
  const confirmed = { browser: [allow, staysAfterLogout(issuer, "You’re signed out", true)] };
  return {
    "oidcc-prompt-login": again,
    "oidcc-max-age-1": again,
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
