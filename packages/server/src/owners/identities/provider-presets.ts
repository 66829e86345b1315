/** Ready-made settings for well-known sign-in providers, and how each of them differs from the standard. */

import type { ClaimNames } from "./claim-names.ts";
import type { OAuthEndpoints, PresetName, SignInProvider } from "./sign-in-provider.ts";

/** What `assent provider create --preset` reads besides the usual settings. */
export interface PresetInputs {
  /** The ID of one Entra ID tenant. */
  readonly tenant?: string;
  /** Host name, with a port if it is not 443. */
  readonly host?: string;
  /** A Keycloak realm. */
  readonly realm?: string;
}

export interface ProviderPreset {
  /** Present: the provider has OAuth only, and is asked there. */
  endpointsOf?(inputs: Required<PresetInputs>): OAuthEndpoints;
  /** Absent: the usual ones. */
  readonly scopes?: readonly string[];
  /** Absent: the usual ones. */
  readonly claims?: ClaimNames;
  /** The parameter that suggests an account, where it isn't `login_hint`. */
  readonly hintParameter?: string;
  /** True: the answer comes as a form from its own pages. */
  readonly formPost?: true;
  /** True: the client secret is signed for each request. */
  readonly signedSecret?: true;
  /** The name on the button. Absent: the operator chooses it. */
  readonly name?: string;
  /** The inputs that make the issuer. `default`: used if the input is absent. */
  readonly inputs: Readonly<Partial<Record<keyof PresetInputs, { readonly default?: string }>>>;
  /** False: the preset alone decides the issuer. */
  readonly otherIssuer: boolean;
  issuerOf(inputs: Required<PresetInputs>): string;
  /** Claims that the ID token must have, with these values. */
  requiredClaims?(inputs: Required<PresetInputs>): Readonly<Record<string, string>>;
  /** The values of `prompt` that it documents. Absent: all that its metadata don't exclude. */
  readonly prompts?: readonly string[];
  /** True: it refuses a `prompt` of several values. */
  readonly onePrompt?: true;
  /** True: its documentation promises no `auth_time`. */
  readonly noAuthTime?: true;
  /** True: it sends `hd`, the domain of a person's organization. */
  readonly hostedDomains?: true;
  /** A claim that says, besides `email_verified`, that the address is the person's. */
  readonly verifiedBy?: string;
  /** Why `trustEmail` can't be on. Undefined: it can. */
  trustProblem?(provider: Pick<SignInProvider, "emailDomains" | "requiredClaims">): string | undefined;
  /** What the operator has to do there before addresses count. */
  readonly addressRemark?: string;
}

/** Google gives out these addresses to anybody, and each to one person. */
const GMAIL: readonly string[] = ["gmail.com", "googlemail.com"];
/** Apple gives out these addresses, and each to one person. */
const APPLE_MAIL: readonly string[] = ["icloud.com", "me.com", "mac.com", "privaterelay.appleid.com"];

export const PROVIDER_PRESETS: Readonly<Record<PresetName, ProviderPreset>> = {
  // https://developers.google.com/identity/openid-connect/reference
  google: {
    name: "Google",
    inputs: {},
    otherIssuer: false,
    issuerOf: () => "https://accounts.google.com",
    // `login` is not among them.
    prompts: ["none", "consent", "select_account"],
    noAuthTime: true,
    hostedDomains: true,
    trustProblem: ({ emailDomains, requiredClaims }) =>
      requiredClaims?.["hd"] !== undefined || emailDomains.every((one) => GMAIL.includes(one))
        ? undefined
        : "Google also verifies addresses of domains that it doesn't manage, and the address may have another owner later: add --hosted-domain",
  },
  // https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
  entra: {
    name: "Microsoft",
    inputs: { tenant: {} },
    otherIssuer: false,
    issuerOf: ({ tenant }) => `https://login.microsoftonline.com/${tenant}/v2.0`,
    requiredClaims: ({ tenant }) => ({ tid: tenant }),
    onePrompt: true,
    // An optional claim, too.
    noAuthTime: true,
    // An optional claim: the tenant, or the person, has proved the domain or the address. `email` alone proves nothing.
    verifiedBy: "xms_edov",
    addressRemark:
      "Entra ID doesn't send email_verified: add the optional claims email and xms_edov to the ID token of the app registration, otherwise nobody has a verified address",
  },
  // https://docs.gitlab.com/integration/openid_connect_provider/
  gitlab: {
    name: "GitLab",
    inputs: { host: { default: "gitlab.com" } },
    otherIssuer: true,
    issuerOf: ({ host }) => `https://${host}`,
  },
  // https://www.keycloak.org/securing-apps/oidc-layers
  keycloak: {
    inputs: { host: {}, realm: {} },
    otherIssuer: true,
    issuerOf: ({ host, realm }) => `https://${host}/realms/${encodeURIComponent(realm)}`,
  },
  assent: {
    inputs: { host: {} },
    otherIssuer: true,
    issuerOf: ({ host }) => `https://${host}`,
  },
  // https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
  github: {
    name: "GitHub",
    inputs: { host: { default: "github.com" } },
    otherIssuer: false,
    issuerOf: ({ host }) => `https://${host}`,
    endpointsOf: ({ host }) => ({
      authorizationEndpoint: `https://${host}/login/oauth/authorize`,
      tokenEndpoint: `https://${host}/login/oauth/access_token`,
      userEndpoint: `${gitHubApi(host)}/user`,
      emailsEndpoint: `${gitHubApi(host)}/user/emails`,
    }),
    scopes: ["read:user", "user:email"],
    // A login can be renamed, and given to somebody else afterwards. The number stays.
    claims: { subject: "id", username: "login", given_name: "", family_name: "", locale: "", zoneinfo: "" },
    prompts: ["select_account"],
    hintParameter: "login",
    noAuthTime: true,
    trustProblem: () =>
      "GitHub verifies addresses that it doesn't manage: somebody who left an organization may still have its address there",
  },
  // https://developer.apple.com/documentation/signinwithapplerestapi
  apple: {
    name: "Apple",
    inputs: {},
    otherIssuer: false,
    issuerOf: () => "https://appleid.apple.com",
    scopes: ["openid", "name", "email"],
    prompts: [],
    formPost: true,
    signedSecret: true,
    noAuthTime: true,
    trustProblem: ({ emailDomains }) =>
      emailDomains.every((one) => APPLE_MAIL.includes(one))
        ? undefined
        : `Apple verifies addresses that it doesn't manage: only ${APPLE_MAIL.join(", ")} can be trusted`,
  },
};

/** GitHub's API has a host of its own, except on a server of one's own. */
function gitHubApi(host: string): string {
  return host === "github.com" || host.endsWith(".ghe.com") ? `https://api.${host}` : `https://${host}/api/v3`;
}

/** How the provider differs from the standard. Undefined: it has no preset. */
export function presetOf({ preset }: Pick<SignInProvider, "preset">): ProviderPreset | undefined {
  return preset === undefined ? undefined : PROVIDER_PRESETS[preset];
}

/** What each input must be, and the text for what is not. */
const INPUTS: Readonly<Record<keyof PresetInputs, readonly [pattern: RegExp, problem: string]>> = {
  tenant: [
    /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    "must be the tenant's ID (a UUID): common, organizations and domain names don't work, because the issuer of their tokens is the ID's",
  ],
  host: [
    /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\d{1,5})?$/,
    "must be a host name such as id.example.com, without https:// and path",
  ],
  realm: [
    /^[A-Za-z0-9][A-Za-z0-9 ._~-]{0,254}$/,
    "must be the realm's name; for one with other characters, use --issuer",
  ],
};

export interface PresetProblem {
  readonly field: string;
  readonly problem: string;
}

type SettingsOfPreset = Pick<SignInProvider, "type" | "issuer" | "preset" | "requiredClaims" | "oauth">;

/** The settings that a preset makes of its inputs, or the problems of the inputs. */
export type MadeByPreset =
  | { readonly kind: "made"; readonly settings: SettingsOfPreset }
  | { readonly kind: "problems"; readonly problems: readonly PresetProblem[] };

/** `issuer`: one that the operator named instead of the inputs. */
export function settingsOfPreset(
  preset: PresetName,
  issuer: string | undefined,
  given: { readonly [Name in keyof PresetInputs]?: PresetInputs[Name] | undefined },
): MadeByPreset {
  const { inputs, otherIssuer, issuerOf, endpointsOf, requiredClaims } = PROVIDER_PRESETS[preset];
  const problems: PresetProblem[] = [];
  const named = { tenant: "", host: "", realm: "" };
  if (issuer !== undefined && !otherIssuer)
    problems.push({ field: "issuer", problem: `the preset ${preset} has its own issuer` });
  for (const name of Object.keys(INPUTS) as (keyof PresetInputs)[]) {
    const [pattern, problem] = INPUTS[name];
    const value = name === "realm" ? given[name] : given[name]?.toLowerCase();
    const known = inputs[name];
    if (value !== undefined && (known === undefined || issuer !== undefined)) {
      const other = issuer === undefined ? `the preset ${preset} has no such setting` : "is not used with an issuer";
      problems.push({ field: name, problem: other });
    } else if (known !== undefined && issuer === undefined) {
      named[name] = value ?? known.default ?? "";
      if (!pattern.test(named[name])) problems.push({ field: name, problem });
    }
  }
  if (problems.length > 0) return { kind: "problems", problems };
  const claims = requiredClaims?.(named);
  const oauth = endpointsOf?.(named);
  const settings: SettingsOfPreset = {
    ...{ preset, type: oauth === undefined ? "openid" : "oauth", issuer: issuer ?? issuerOf(named) },
    ...(claims && { requiredClaims: claims }),
    ...(oauth && { oauth }),
  };
  return { kind: "made", settings };
}
