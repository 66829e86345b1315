/** Why a module of the suite ends with a warning, a review or a skip. Each needs an explanation here. */

import type { ModuleRun, Result } from "./suite-api.ts";

interface Explanation {
  readonly modules: readonly string[];
  readonly result: Result;
  /** The conditions whose warnings it explains. */
  readonly warnings?: readonly string[];
  readonly why: string;
}

const explanations: readonly Explanation[] = [
  {
    modules: ["oidcc-discovery-endpoint-verification"],
    result: "WARNING",
    warnings: ["CheckForUnexpectedParametersInServerMetadata"],
    why: "The suite does not know `authorization_grant_profiles_supported` and `identity_chaining_requested_token_types_supported`. They are fields of draft-ietf-oauth-identity-assertion-authz-grant-03 §7. RFC 8414 §2 and OpenID Connect Discovery §3 allow other fields.",
  },
  {
    modules: ["oidcc-prompt-login", "oidcc-max-age-1"],
    result: "REVIEW",
    why: "A person must look at a picture of the second sign-in page. The program checks that the page has the text “Sign in”. The suite itself checks that `auth_time` is later.",
  },
  {
    modules: ["oidcc-idtoken-unsigned"],
    result: "SKIPPED",
    why: "Assent signs every ID token; it has no `none`.",
  },
  {
    modules: ["oidcc-registration-sector-uri", "oidcc-registration-sector-bad"],
    result: "SKIPPED",
    why: 'Assent has no pairwise subject identifiers. The metadata has `subject_types_supported: ["public"]`.',
  },
  {
    modules: ["oidcc-registration-policy-uri", "oidcc-registration-tos-uri"],
    result: "REVIEW",
    why: "A person must look at a picture of the consent page. The program checks that the page has the link.",
  },
  {
    modules: ["oidcc-ensure-redirect-uri-in-authorization-request"],
    result: "REVIEW",
    why: "OpenID Connect needs `redirect_uri` in each request. A person must look at a picture of the refusal. The program checks that the page names `redirect_uri_mismatch`.",
  },
  {
    modules: [
      "oidcc-ensure-registered-redirect-uri",
      "oidcc-redirect-uri-query-mismatch",
      "oidcc-redirect-uri-query-added",
    ],
    result: "REVIEW",
    why: "A person must look at a picture of the refusal. The program checks that the page names `redirect_uri_mismatch`.",
  },
  {
    modules: ["oidcc-ensure-request-object-with-redirect-uri"],
    result: "REVIEW",
    why: "The registered `redirect_uri` is in a request object. Assent does not follow request objects, so it refuses the one beside the object. A person must look at a picture of the refusal. The program checks that the page names `redirect_uri_mismatch`.",
  },
  {
    modules: ["oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported"],
    result: "SKIPPED",
    why: "Assent does not support request objects. It answers `request_not_supported`, as OpenID Connect Core §6.1 says, and the metadata has `request_parameter_supported: false`.",
  },
  {
    modules: ["oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported"],
    result: "SKIPPED",
    why: "Assent does not fetch request objects. It answers `request_uri_not_supported`, as OpenID Connect Core §6.2 says, and the metadata has `request_uri_parameter_supported: false`.",
  },
  {
    modules: [
      "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
      "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri",
    ],
    result: "REVIEW",
    why: "A person must look at a picture of the page. The `post_logout_redirect_uri` isn't registered, so Assent does not redirect to it (OpenID Connect RP-Initiated Logout §3: MUST NOT). §4 leaves the page to the server, and warns against leaving people signed in. Assent signs the person out, because the ID token names them, and shows its page “You’re signed out”. The program checks this text.",
  },
  {
    modules: [
      "oidcc-rp-initiated-logout-modified-id-token-hint",
      "oidcc-rp-initiated-logout-bad-id-token-hint",
      "oidcc-rp-initiated-logout-no-id-token-hint",
    ],
    result: "REVIEW",
    why: "A person must look at a picture of the page. Without a genuine ID token, Assent asks the person before it signs them out. The program checks that the page has the question.",
  },
  {
    modules: [
      "oidcc-rp-initiated-logout-no-params",
      "oidcc-rp-initiated-logout-only-state",
      "oidcc-rp-initiated-logout-no-post-logout-redirect-uri",
    ],
    result: "REVIEW",
    why: "A person must look at a picture of the page. The program checks that the page has the text “You’re signed out”. Without an ID token, the program first answers Assent's question with yes.",
  },
];

/** What explains this run. Undefined: something in it has no explanation. */
export function explanationOf(
  testModule: string,
  { result, log }: Pick<ModuleRun, "result" | "log">,
): string | undefined {
  const one = explanations.find((each) => each.modules.includes(testModule) && each.result === result);
  const known = (entry: { src?: string }) => one?.warnings?.includes(entry.src ?? "") === true;
  return log.filter((entry) => entry.result === "WARNING").every(known) ? one?.why : undefined;
}
