/** The cause of each refusal in an operator's words, and the commands that mend it. */

import type { ConditionName } from "../../oauth/errors.ts";
import { BEYOND_ANSWERED, NEEDS_SIGN_IN, NOTHING_ANSWERED } from "../../oauth/grants/effective-scopes.ts";
import { AN_OPERATOR } from "../../oauth/map-asserted-subject.ts";
import { GRANTER_DISABLED, type GrantStatus, STOPPED_BY, type StoppedBy } from "../../oauth/model.ts";
import type { StoredRefusal } from "../storage.ts";

export interface Remedy {
  /** The exact check, and what to do. */
  readonly explanation: string;
  readonly commands: readonly string[];
}

/**
 * The parts of a text that come from the request. A command never holds the refused value: a stranger may have chosen it,
 * and a command that can be pasted would allow it.
 */
interface Words {
  /** The client's ID, or `CLIENT_ID` if the request named none that could be one. */
  readonly client: string;
  /** `received` and `registered` for a sentence. */
  readonly differs: string;
  /** True: the request has the refused parameter. */
  readonly isSent: boolean;
  /** True: the client asked in its own name (RFC 6749 §4.4). */
  readonly isOwn: boolean;
  /** What ended the access. Undefined: the refusal is of an earlier version. */
  readonly stoppedBy: StoppedBy | undefined;
  /** The exact check's own words. */
  readonly detail: string;
}

const show = ({ client }: Words) => `assent client show ${client}`;

/** Texts without a command. */
const told = (explanation: string): (() => Remedy) => {
  return () => ({ explanation, commands: [] });
};

/** A text with commands about the client. */
const about = (explanation: string, ...commands: readonly ((words: Words) => string)[]) => {
  return (words: Words): Remedy => ({
    explanation: `${explanation}${words.differs}`,
    commands: commands.map((command) => command(words)),
  });
};

const otherRedirectUri = about(
  "The redirect URI is not registered for this client. The server compares it character by character, except for the port of a loopback address. Anybody can send such a request. Check first that the address belongs to the app: the server sends codes there.",
  ({ client }) => `assent client update ${client} --add-redirect-uri URI`,
);

const stops = Object.keys(STOPPED_BY) as readonly StoppedBy[];
const PAGE = "the consent page, if the client has one (authorization_code and a redirect URI)";
const BACK = `They can allow it on ${PAGE}. A client without a page gets it back when you delete the client and register it again under the same client_id (assent apply, or the admin API). What owners revoked or paused themselves stays so.`;
const STOPPED: Readonly<Record<StoppedBy, string>> = {
  owner: `The owner revoked this app's access. They alone can allow it again: on ${PAGE}.`,
  paused: "The owner paused this app. They can resume it on their page of apps.",
  pausedBefore: `The owner had paused this app when its access ended. They alone can allow it again: on ${PAGE}.`,
  scopes: `The owner removed all of these scopes from this app's access. They alone can allow them again: on ${PAGE}.`,
  operator: `An operator revoked this app's access to the owner's data. ${BACK}`,
  restore: `The restore of a backup ended this app's access, because the owner may have revoked it since the backup. ${BACK}`,
  client: `This app's access ended when the client was deleted. ${BACK}`,
};

const ASKS =
  "The app must send the person to the authorization endpoint again. It connects without a page if a consent or a company's approval still counts.";
const PAUSED =
  "the owner paused the app, or an identity provider disabled the person. The token works again when the owner resumes the app, or the identity provider enables the person.";
/** The causes of each end of a grant. Several share a status, and nothing stores which of them it was. */
const ENDED: Readonly<Record<Exclude<GrantStatus, "active" | "state_lost"> | "expired", string>> = {
  revoked:
    "The access was revoked. The owner, an operator or an admin of the company revoked it, the company blocked the app, or the member stopped it.",
  owner_ended:
    "The account of the person or company that gave the access lost all its access at once. The causes: an operator disabled or deleted the account or the company, the owner deleted the account, somebody set a new password, the owner recovered the account, the member left the company or was removed, or an identity provider disabled or deleted the person.",
  client_ended: "An operator disabled or deleted the client, or the client unregistered itself.",
  client_revoked: "The app itself revoked its token (RFC 7009).",
  superseded:
    "The app connected more often than the server keeps: a new connection of the same owner ended the one that was unused for longest. Let the app keep its refresh token instead of connecting again each time.",
  theft:
    "A replaced refresh token of this access was used again after its retry window, so somebody may have stolen it. The first such refusal has the condition refresh_token_replayed.",
  replayed:
    "The code of this access was used twice, so somebody may have stolen it. The first such refusal has the condition code_replayed.",
  burned: "The app presented the code of this access with a wrong redirect_uri or code_verifier.",
  expired:
    "The time of the access is over: the token was not used for too long, the time that the owner or the company allowed has passed, or the client's consent ceiling ends the access earlier.",
};
const refreshEnded = ({ detail }: Words): string => {
  if (detail === "paused") return `The access is paused: ${PAUSED}`;
  if (detail === GRANTER_DISABLED)
    return "The account of the member who gave the access was disabled, and the access ends or pauses with it.";
  const known = Object.entries(ENDED).find(([status]) => status === detail);
  if (known !== undefined) return `${known[1]} ${ASKS}`;
  const causes = [ENDED.revoked, ENDED.owner_ended, ENDED.client_ended, ENDED.expired].join(" Or: ");
  return `The access has ended or is paused. ${causes} Or: ${PAUSED} ${ASKS}`;
};

const scopeOfClient = about(
  "A scope does not exist on this server, or the client is not registered for it. Add a scope only if the app needs it.",
  () => "assent scope list",
  ({ client, isOwn }) => `assent client update ${client} ${isOwn ? "--add-own-scope" : "--add-scope"} SCOPE`,
);
const scopeNotAllowed = (words: Words): Remedy => {
  if (words.detail.endsWith(NEEDS_SIGN_IN)) {
    return {
      explanation:
        "The client asked without a page, for example by an assertion, for a scope that only a person who signs in can give: it needs an operator's role or a certain sign-in, or belongs to OpenID Connect. The app must leave it out, or send the person to the authorization endpoint.",
      commands: ["assent scope list"],
    };
  }
  if (!words.detail.endsWith(BEYOND_ANSWERED) && words.detail !== NOTHING_ANSWERED) return scopeOfClient(words);
  // The client's registered scopes are not the cause.
  return {
    explanation:
      "The client asked without a page for a scope that the trusted issuer of the assertion may not request. Add the scope to the issuer only if every client that may use its assertions can have it. For a custom grant type, its program decides about scopes.",
    commands: ["assent issuer list", "assent issuer update ISSUER --add-scope SCOPE"],
  };
};

const remedies: Partial<Readonly<Record<ConditionName, (words: Words) => Remedy>>> = {
  // -- the client
  client_id_missing: told(
    "The request has no client_id: neither in the body, nor in the Authorization header, nor as the subject of an assertion. Configure the client's ID in the app.",
  ),
  client_unknown: about(
    "No client has this ID. The app may use an ID of another server, or the client was deleted.",
    () => "assent client list",
  ),
  authorization_client_unknown: about(
    "No active client has this ID. The app may use an ID of another server, or the client was deleted or disabled.",
    () => "assent client list",
    show,
  ),
  client_disabled: about(
    "The client is disabled. Enable it only if you know why it was disabled.",
    ({ client }) => `assent client enable ${client}`,
  ),
  client_secret_missing: about(
    "The client is registered with a secret, and the request has none. Configure the secret in the app. If the app can't keep a secret, register it as a public client.",
    show,
  ),
  client_secret_wrong: about(
    "The secret is not one of this client's. The app may still use a secret from before the last rotation, or one with a space or a line break at its end. Anybody can send a wrong secret, so ask the people of the app first. The server stores a hash only, so make a new secret if nobody has it.",
    ({ client }) => `assent client rotate-secret ${client}`,
  ),
  client_secret_expired: about(
    "The secret was right, but it was replaced and the time in which both worked is over. Configure the new one, or make another.",
    ({ client }) => `assent client rotate-secret ${client}`,
  ),
  client_has_no_secret: about(
    "The client is public and has no secret, but the request has one. Remove the secret from the app's configuration; its library must use the method none.",
    show,
  ),
  client_method_not_registered: about(
    "The client authenticated by another method than the one it is registered for. Change the app, or the registration: never to a weaker method for convenience.",
    show,
    ({ client }) => `assent client update ${client} --auth-method METHOD`,
  ),
  client_assertion_incomplete: told(
    "The request has only one of client_assertion and client_assertion_type. The app must send both (RFC 7521 §4.2).",
  ),
  client_assertion_malformed: told(
    "client_assertion is no signed JWT in compact form. The app must send exactly one JWT.",
  ),
  client_assertion_subject_wrong: told(
    "iss and sub of the client assertion must both be the client's ID. Correct the app, or its library's setting for the issuer of assertions.",
  ),
  client_assertion_audience_wrong: about(
    "aud of the client assertion must be this server's issuer, and nothing else. If you know that the app's library can only send the URL of the token endpoint, allow that for this client.",
    ({ client }) => `assent client update ${client} --token-endpoint-audience`,
  ),
  client_assertion_out_of_time: told(
    "The client assertion has expired, is not valid yet, or is valid for more than 5 minutes. Check the clock of the app's machine, and the lifetime that the app sets.",
  ),
  client_assertion_id_missing: told(
    "The client assertion has no jti. The app must put a new, random jti into each assertion.",
  ),
  client_assertion_replayed: told(
    "The client assertion was used before. The app must make a new one, with a new jti, for each request.",
  ),
  client_assertion_alg_refused: about(
    "The algorithm of the client assertion is not one that this client may use. private_key_jwt takes ES256, ES384, EdDSA, PS256, PS384 and RS256; client_secret_jwt takes HS256, HS384 and HS512.",
    show,
  ),
  client_assertion_key_unknown: about(
    "No registered key of the client has the kid of the assertion. Register the new key, or let the app sign with a registered one.",
    ({ client }) => `assent client update ${client} --jwks FILE`,
  ),
  client_assertion_keys_unavailable: about(
    "The server could not fetch the client's keys from its jwks_uri. The address must be https, public, without a redirect, and answer within 5 seconds.",
    show,
    () => "assent doctor",
  ),
  client_assertion_signature_wrong: about(
    "The signature of the client assertion does not match the registered key. The app may have new keys that nobody registered. Get them from the people of the app.",
    ({ client }) => `assent client update ${client} --jwks FILE`,
  ),
  client_workload_issuer_wrong: about(
    "The token is not of the platform that the client is registered with, or that issuer is disabled or deleted.",
    show,
    () => "assent issuer list",
  ),
  client_workload_audience_wrong: about(
    "aud of the platform's token must be this server's issuer, or the audience that is registered for the client, and nothing else. Ask the platform for a token with that audience.",
    show,
  ),
  client_workload_subject_wrong: about(
    "The token is of another workload than the client is registered with. Compare sub of the token with the registered subject, character by character.",
    show,
  ),
  client_workload_out_of_time: told(
    "The platform's token has expired, is not valid yet, or is valid for more than an hour. Ask the platform for a token with a shorter life.",
  ),
  exchange_not_allowed: about(
    "The client is registered for token exchange, but nothing says which tokens it may exchange.",
    ({ client }) =>
      `assent client exchange ${client} --subject access_token --source API --audience API --scope SCOPES`,
  ),
  exchange_audience_not_allowed: about(
    "The client may not get tokens for that API by token exchange.",
    show,
    ({ client }) => `assent client exchange ${client} --add-audience API`,
  ),
  exchange_scope_not_allowed: about(
    "The client may not get that scope by token exchange.",
    show,
    ({ client }) => `assent client exchange ${client} --add-scope SCOPES`,
  ),
  client_certificate_missing: about(
    "The client is registered with a certificate, and the connection had none. Behind a proxy, ASSENT_CLIENT_CERT_HEADER must name the header in which the proxy passes it.",
    show,
  ),
  client_certificate_untrusted: told(
    "None of the authorities in ASSENT_TLS_CLIENT_CA issued the client's certificate, or it has expired.",
  ),
  client_certificate_subject_wrong: about(
    "The certificate names another subject than the one that is registered.",
    show,
    ({ client }) => `assent client update ${client} --tls-subject FIELD=VALUE`,
  ),
  client_certificate_key_unknown: about(
    "The key of the certificate is not in the client's registered keys.",
    ({ client }) => `assent client update ${client} --jwks FILE`,
  ),
  basic_malformed: told(
    "The Authorization header has the scheme Basic, but its value is no base64 text of ID and secret with a colon between them, both form-encoded (RFC 6749 §2.3.1).",
  ),
  authorization_scheme_unknown: told(
    "The Authorization header has a scheme that this endpoint does not support. It takes Basic only.",
  ),
  two_credentials: told(
    "The app sent credentials twice, for example in the Authorization header and in the body. Select one method in the options of its library.",
  ),
  // -- the authorization request
  redirect_uri_mismatch: (words) =>
    words.isSent
      ? otherRedirectUri(words)
      : about(
          "The request has no redirect_uri, or one with characters that no URI has. The app must send a registered one.",
          show,
        )(words),
  unsupported_response_type: about("The server does not offer this response type. The usual one is code."),
  response_type_not_registered: about(
    "The client is not registered for this response type. token (implicit) is the least safe flow; let the app use code with PKCE if it can. Add the type only if the app needs it.",
    ({ client }) => `assent client update ${client} --add-response-type TYPE`,
  ),
  code_challenge_missing: told(
    "This client must use PKCE (public clients always must), and the request has no code_challenge. Switch PKCE on in the app's library, with S256.",
  ),
  code_challenge_method_unsupported: about(
    "The server accepts code_challenge_method=S256 only. If you know that the app can only send plain challenges, allow that for this client.",
    ({ client }) => `assent client update ${client} --allow-plain-pkce`,
  ),
  scope_missing: about(
    "The request names no scope. Configure the scopes that the app needs, or set a default for apps that can't name any.",
    ({ client }) => `assent client update ${client} --add-default-scope SCOPE`,
  ),
  scope_not_allowed: scopeNotAllowed,
  scope_exceeds_grant: about(
    "The app asked for more scopes than the owner granted. It must send the owner to the authorization endpoint again.",
  ),
  resource_not_allowed: about(
    "No API has this identifier, or the scopes of the request belong to another API. The server compares identifiers character by character, also a slash at the end.",
    () => "assent resource list",
    () => "assent scope list",
  ),
  resource_needed: told(
    "The scopes belong to several APIs, and a token is for one. The app must send resource with the identifier of the API.",
  ),
  access_denied: told(
    "The owner pressed Don’t allow, had nothing left to allow, or could no longer allow it: for example, because a company's rule or the owner's account changed meanwhile. Nothing is wrong with the app.",
  ),
  nothing_grantable: about(
    "The scopes need a role of an operator, which this person does not have.",
    () => "assent scope list",
    () => "assent user update USER --operator ROLE",
  ),
  login_required: told(
    "The app asked without a page (prompt=none), and nobody was signed in in this browser. The app must repeat the request without prompt=none.",
  ),
  consent_required: told(
    "The app asked without a page (prompt=none), and the owner has not allowed everything that it asks for, or the consent has ended. The app must repeat the request without prompt=none.",
  ),
  authentication_unmet: told(
    "The request or a scope needs a stronger sign-in than the owner has set up. The owner can add a passkey or an authenticator app on their security page.",
  ),
  form_token_invalid: told(
    "The form belongs to another session of the browser, for example because it was sent before, or the browser keeps no cookies. The person can open the page again.",
  ),
  interaction_unknown: told(
    "The page was opened in another browser than the one that began, or the cookie was deleted. The person must begin again from the app.",
  ),
  interaction_expired: told("The person waited for more than an hour. They must begin again from the app."),
  // -- the token request
  unsupported_grant_type: about("This server does not offer the grant type.", () => "assent doctor"),
  grant_type_not_registered: about(
    "The client is not registered for this grant type. Add it only if the app needs it.",
    ({ client }) => `assent client update ${client} --add-grant-type GRANT_TYPE`,
  ),
  grant_needs_confidential_client: about(
    "Public clients can't use this grant type, because they can't authenticate. Register a confidential client for the program that runs on a server.",
    () => "assent client create --name NAME --type confidential",
  ),
  redirect_uri_missing: told(
    "The token request has no redirect_uri. It must repeat the one of the authorization request.",
  ),
  code_unknown: told(
    "The code is not one of this server's, or its time (60 seconds) was over, or its grant had ended. The app must redeem a code at once, and only once.",
  ),
  code_replayed: told(
    "The code was used twice, so the grant has ended: somebody may have stolen the code. Often the app itself sends it twice, for example React's StrictMode in development or a page that is loaded again.",
  ),
  code_redirect_uri_differs: about(
    "redirect_uri of the token request differs from that of the authorization request. The code is used up.",
  ),
  code_verifier_wrong: told(
    "code_verifier does not belong to the code_challenge. The app must keep the verifier of each request until its code comes. The code is used up.",
  ),
  code_verifier_missing: told(
    "The authorization request had a code_challenge, and the token request has no code_verifier. The code is used up.",
  ),
  code_verifier_unexpected: told(
    "The token request has a code_verifier, but the authorization request had no code_challenge. Somebody may have removed it on the way. The code is used up.",
  ),
  refresh_token_unknown: told(
    "This server has no grant for the refresh token. The app may have cut the token, or mixed up two servers. Or the grant ended long ago, its owner or client was deleted, or the database lost the grant at a failover. Then the app must ask the owner again.",
  ),
  refresh_token_ended: (words) =>
    about(refreshEnded(words), ({ client }) => `assent consent list --client ${client}`)(words),
  refresh_token_of_other_client: told(
    "The refresh token belongs to another client. Nothing was changed. Two apps may share one store of tokens, or somebody tried a stolen token.",
  ),
  refresh_token_replayed: about(
    "A refresh token that had been replaced came again after its retry window, so the grant has ended: somebody may have stolen it. Often the app does not store the new token of each answer, or refreshes in two processes at once.",
    ({ client }) => `assent client update ${client} --refresh keep`,
  ),
  refresh_state_lost: told(
    "The database was restored from a backup, or lost its last changes at a failover. The restore ended the grant of this refresh token. Or the token was issued after the backup or the last saved change, so that the database does not know it. The app must ask the owner again.",
  ),
  offline_access_ended: about(
    "The owner allowed the app to keep access while they are away (offline_access) until a time that has passed, or took that permission away since. The app can ask them again.",
    ({ client }) => `assent consent list --client ${client}`,
  ),
  scopes_all_ended: about(
    "None of the grant's scopes is left: their ends have passed, the owner took them back, or the client may not ask for them any more.",
    show,
  ),
  owner_password_wrong: told("The username or the password is wrong, or the account is disabled."),
  owner_must_change_password: told(
    "The password was right, but the owner must choose a new one or has a second factor. They must sign in with a browser.",
  ),
  owner_consent_revoked: told(
    "This app's access has ended: the owner, an operator or the restore of a backup revoked it, or the owner paused the app. They can allow it again on the consent page (response_type=code).",
  ),
  device_code_expired: told("Nobody allowed the device in time. It must ask for a new code."),
  device_denied: told("The owner pressed Don’t allow for this device. Nothing is wrong with the app."),
  device_code_spent: told("The device asked again after it had got its tokens. It must use those."),
  slow_down: told(
    "The device polls faster than the interval that it was told. It must wait 5 seconds longer each time.",
  ),
  // -- assertions
  assertion_issuer_unknown: about(
    "No active trusted issuer has the name in iss (or Issuer) of the assertion.",
    () => "assent issuer list",
    () => "assent issuer create --type jwt --issuer ISSUER --jwks-uri URL",
  ),
  assertion_client_not_allowed: about(
    "The trusted issuer's record lists the clients that may use its assertions, and this one is not among them. Add it only if you know the app.",
    ({ client }) => `assent issuer update ISSUER --add-client ${client}`,
  ),
  assertion_audience_wrong: about(
    "The assertion is for another audience. It must name this server's issuer, or the audience of the trusted issuer's record.",
    () => "assent issuer update ISSUER --audience ID",
  ),
  assertion_signature_wrong: about(
    "The signature does not match the keys of the trusted issuer. It may have new keys.",
    () => "assent issuer update ISSUER --jwks-uri URL",
  ),
  assertion_key_unknown: about(
    "The trusted issuer has no key with the kid of the assertion. It may have new keys.",
    () => "assent issuer update ISSUER --jwks-uri URL",
  ),
  assertion_expired: told(
    "The assertion has expired. Check the clocks of both machines; a minute of difference is accepted.",
  ),
  assertion_lifetime_too_long: about(
    "The assertion is valid for longer than the trusted issuer's record allows.",
    () => "assent issuer update ISSUER --max-lifetime SECONDS",
  ),
  assertion_subject_not_allowed: ({ detail }) =>
    detail === AN_OPERATOR
      ? {
          explanation:
            "The subject of the assertion is an operator of this server. No assertion acts for operators, because whoever holds the issuer's key could then be one. They must sign in themselves.",
          commands: [],
        }
      : {
          explanation:
            "The trusted issuer's record lists the subjects that its assertions may name, and this one is not among them. Add it only if the issuer may speak for this person.",
          commands: ["assent issuer list", "assent issuer update ISSUER --add-subject NAME"],
        },
  assertion_subject_unknown: about(
    "No owner here belongs to the subject of the assertion. Link the subject, change how subjects are mapped, or let the server create owners.",
    () => "assent issuer link ISSUER SUBJECT --user USER",
    () => "assent issuer update ISSUER --map-subject email",
  ),
  assertion_type_refused: told(
    "The typ of the JWT is not one for this purpose. A plain assertion has none, or JWT; an identity assertion authorization grant (ID-JAG) has exactly oauth-id-jag+jwt.",
  ),
  assertion_of_another_client: about(
    "The claim client_id of the ID-JAG is not this client. The company's identity provider must know the client by the ID that it has here.",
    show,
  ),
  assertion_claim_unsupported: told(
    "The ID-JAG is bound to a key (cnf) or has structured permissions (authorization_details). This server supports neither, and does not ignore them. Let the identity provider issue it without them.",
  ),
  assertion_tenant_wrong: about(
    "The claim tenant of the ID-JAG is not the tenant of the trusted issuer's record.",
    () => "assent issuer update ISSUER --tenant TENANT",
  ),
  assertion_owner_outside_company: about(
    "The person is not an active member of the issuer's company, or also belongs to another company or is an operator. For people of several companies, link nobody: they sign in themselves.",
    () => "assent company show COMPANY",
  ),
  assertion_app_not_approved: about(
    "A rule of the company does not let this member use the app, or the member stopped it. An administrator of the company can approve the app on the company's page.",
    () => "assent company show COMPANY",
  ),
  assertion_replayed: told("The assertion was used before. The issuer must make a new one for each request."),
  assertion_consent_revoked: (words) =>
    about(STOPPED[words.stoppedBy ?? "owner"], show, ({ client }) => `assent consent list --client ${client}`)(words),
};

/** Undefined: the public text of the condition says enough. */
export function remedyOf(refusal: StoredRefusal): Remedy | undefined {
  return remedies[refusal.condition]?.(wordsOf(refusal));
}

/** The conditions with a text of their own. */
export function explainedConditions(): readonly string[] {
  return Object.keys(remedies);
}

const CLIENT_ID = /^[\w.~-]{1,200}$/;

function wordsOf({ clientId, parameter, received, registered, detail }: StoredRefusal): Words {
  const found = received === undefined ? "" : ` The request had ${parameter}: ${received}.`;
  const wanted =
    registered === undefined ? "" : ` Registered: ${registered.length === 0 ? "nothing" : registered.join(", ")}.`;
  return {
    client: CLIENT_ID.test(clientId) && !clientId.startsWith("-") ? clientId : "CLIENT_ID",
    differs: found + wanted,
    isSent: received !== undefined,
    stoppedBy: stops.find((by) => detail?.startsWith(STOPPED_BY[by]) === true),
    detail: detail ?? "",
    isOwn: detail?.endsWith("is not the client's own") ?? false,
  };
}
