/** The catalogue of events. Names are stable: a kind is added, but never renamed. The reference page is made from it. */

interface Kind {
  /** What happened, in one sentence. */
  readonly summary: string;
  /** Values in `details`, with their meanings. Every one can be absent. */
  readonly details?: Readonly<Record<string, string>>;
  /** Values in `personal`. */
  readonly personal?: readonly string[];
}

const SCOPES = { scope: "the scopes, separated by spaces", until: "when the permission ends (ISO 8601)" };
const SESSION = { session_id: "the session in which it was done" };

const WEBHOOK = { webhook: "its id" };

const catalogue = {
  "sign_in.succeeded": {
    summary: "A person signed in",
    details: {
      session_id: "the new session",
      amr: "how (RFC 8176)",
      acr: "how surely",
      provider: "signed in elsewhere",
      auth_time: "when the person proved who they are, in milliseconds",
      when: "sign_in, sign_up, or continued: after a change of the password or the authenticator",
      known_device: "true: the person had signed in with this browser before",
    },
    personal: ["address", "user_agent"],
  },
  "sign_in.refused": {
    summary: "A sign-in, or a proof of one, was refused",
    details: {
      ...{ step: "what was tried", reason: "why it was refused", provider: "elsewhere: the provider" },
      network: "its network",
      ...{ when: "by a policy: the occasion", acr: "how surely", amr: "how (RFC 8176)" },
      auth_time: "when the person proved who they are, in milliseconds",
    },
    personal: ["address"],
  },
  "sign_in.throttled": {
    summary: "Sign-ins were tried so often that the server refused to check them",
    details: { step: "what was tried", network: "their network" },
  },
  "session.ended": {
    summary: "A person signed out of a browser, or an operator or another system ended the session",
    details: { session_id: "the session", system: "the system that ended it" },
  },
  "session.all_ended": {
    summary: "Several sessions of a person ended together",
    details: { count: "how many", system: "the system that ended them" },
  },
  "user.created": {
    summary: "A person was created or signed up",
    details: { via: "operator, sign_up or another system" },
  },
  "user.updated": { summary: "A person's record was changed", details: { changed: "names of the changed fields" } },
  "user.disabled": { summary: "A person was disabled", details: { system: "the system that disabled them" } },
  "user.enabled": { summary: "A person was enabled", details: { system: "the system that enabled them" } },
  "user.deleted": { summary: "A person was deleted, and with them the key of their personal data in events" },
  "user.deletion_requested": { summary: "A person asked for the deletion of their account", details: SESSION },
  "user.deletion_withdrawn": {
    summary: "A person withdrew that request, or took their account back by mail",
    details: SESSION,
  },
  "user.password_changed": {
    summary: "A person's password was changed",
    details: {
      ...SESSION,
      must_change: "true: it works for one sign-in",
      apps_ended: "true: the access of apps ended",
    },
  },
  "user.email_changed": { summary: "A person changed their e-mail address" },
  "user.email_verified": { summary: "A person proved that they read their e-mail address" },
  "user.recovered": {
    summary: "A person took their account back by mail",
    details: { way: "recover, undo or restore", apps_ended: "how many apps were disconnected" },
  },
  "user.passkey_added": { summary: "A passkey was added", details: SESSION, personal: ["credential_id"] },
  "user.passkey_removed": { summary: "A passkey was removed", details: SESSION, personal: ["credential_id"] },
  "user.second_step_set": { summary: "A second step of the sign-in was set up or replaced", details: SESSION },
  "user.second_step_removed": { summary: "The second step of the sign-in was removed", details: SESSION },
  "user.recovery_codes_renewed": { summary: "New recovery codes replaced the old ones", details: SESSION },
  "user.recovery_code_used": { summary: "A recovery code was used" },
  "user.identity_linked": {
    summary: "A subject of another system was connected with a person",
    details: { issuer: "the id of that system", made_by: "who connected it" },
  },
  "user.identity_unlinked": { summary: "Such a connection was removed", details: SESSION },
  "user.picture_changed": { summary: "A person's picture was set or removed", details: SESSION },
  "consent.given": {
    summary: "An owner allowed an app",
    details: { ...SCOPES, via: "how", person: "the acting member" },
  },
  "consent.connected": { summary: "A member connected an app under a company's approval", details: SCOPES },
  "consent.reconnected": {
    summary:
      "An app got access again without a page, noted once a day for each person, and again for scopes that were not noted that day, or after access ended",
    details: SCOPES,
  },
  "consent.declined": {
    summary: "An owner chose “Don't allow”, noted once a day for each app",
    details: { asked: "the scopes" },
  },
  "consent.changed": {
    summary: "An owner took scopes out of a consent, or moved its end",
    details: { ...SCOPES, removed: "the scopes that were taken out" },
  },
  "consent.paused": { summary: "An owner paused an app: it gets no tokens until they resume it" },
  "consent.resumed": { summary: "An owner let a paused app go on" },
  "consent.revoked": {
    summary: "A consent was revoked, and the grants under it ended",
    details: { removed: "its scopes" },
  },
  "grant.given_up": { summary: "A client revoked its own grant (RFC 7009)", details: { grant_id: "the grant" } },
  "grant.ended": {
    summary: "Grants of an app ended without a decision about the app",
    details: { cause: "why", grant_id: "set if it was one of several", person: "the member whose grants they were" },
  },
  "identity_assertion.issued": {
    summary: "An app got an ID-JAG, to act for a person at another server, noted once a day",
    details: {
      scope: "empty",
      through: "the issuer of the other server",
      person: "the person, if a company owns the access",
    },
  },
  "grant.exchanged": {
    summary:
      "A client got a token for an owner through the app that the owner allowed, noted once a day, and for scopes that were not noted that day",
    details: {
      ...{ scope: "the scopes of the token, separated by spaces", through: "the app", person: "the acting member" },
      impersonation: "true: the token does not name the client as the actor",
    },
  },
  "grant.reuse_detected": {
    summary: "A used code or refresh token came back, so that somebody may have stolen it; the grant ended",
    details: { grant_id: "the grant", credential: "code or refresh_token" },
  },
  "client.created": { summary: "A client was registered", details: { type: "confidential or public" } },
  "client.registered": {
    summary: "A client registered itself",
    details: {
      type: "confidential or public",
      ...{ token_id: "the initial access token, if one was needed", network: "its network" },
    },
  },
  "client.updated": {
    summary: "A client's registration was changed",
    details: { changed: "names of the changed fields" },
  },
  "client.disabled": { summary: "A client was disabled; its grants end" },
  "client.enabled": { summary: "A client was enabled" },
  "client.deleted": {
    summary: "A client was deleted; its grants and consents end",
    details: {
      cause:
        "unused: it registered itself and no owner ever answered it, or nobody used it and a document describes it",
    },
  },
  "company.created": { summary: "A company was created" },
  "company.updated": { summary: "A company's record was changed", details: { changed: "names of the changed fields" } },
  "company.disabled": { summary: "A company was disabled" },
  "company.enabled": { summary: "A company was enabled" },
  "company.deleted": { summary: "A company was deleted" },
  "company.member_joined": {
    summary: "A person became a member",
    details: { person: "the person", role: "their role" },
  },
  "company.member_role_changed": {
    summary: "A member got another role",
    details: { person: "the person", role: "the role" },
  },
  "company.member_left": {
    summary: "A member left or was removed, or their account was deleted",
    details: { person: "the person", cause: "`member_deleted`: the account was deleted" },
  },
  "company.member_invited": {
    summary: "Somebody was invited",
    details: { role: "the offered role", invitation: "the invitation" },
  },
  "company.invitation_withdrawn": { summary: "An invitation was withdrawn", details: { invitation: "the invitation" } },
  "company.rule_changed": {
    summary: "A company's rule about an app, or its default rule, was changed",
    details: { rule: "the rule from then on; `default_…`: the rule for apps without a rule of their own" },
  },
  "company.connection_changed": {
    summary:
      "A company's admin connected an app with another server for the members, changed that, or removed it; or it ended with the app",
    details: {
      ...SCOPES,
      through: "the issuer of the other server",
      removed: "the scopes that ended",
      step: "connected, changed or removed",
    },
  },
  "company.sign_in_changed": {
    summary: "A company's own sign-in was changed",
    details: { provider: "its name", step: "connected, changed, on, off or removed" },
  },
  "scope.created": { summary: "A scope was created", details: { scope: "its name" } },
  "scope.updated": { summary: "A scope was changed", details: { scope: "its name" } },
  "scope.deleted": { summary: "A scope was deleted", details: { scope: "its name" } },
  "resource.created": { summary: "An API was registered", details: { resource: "its identifier" } },
  "resource.updated": { summary: "An API was changed", details: { resource: "its identifier" } },
  "resource.deleted": { summary: "An API was deleted", details: { resource: "its identifier" } },
  "issuer.created": { summary: "A trusted issuer was added", details: { issuer: "its identifier" } },
  "issuer.updated": { summary: "A trusted issuer was changed", details: { issuer: "its identifier" } },
  "issuer.deleted": { summary: "A trusted issuer was deleted", details: { issuer: "its identifier" } },
  "provider.created": { summary: "A sign-in provider was added", details: { provider: "its id" } },
  "provider.updated": { summary: "A sign-in provider was changed", details: { provider: "its id" } },
  "provider.deleted": { summary: "A sign-in provider was deleted", details: { provider: "its id" } },
  "key.created": {
    summary: "A signing key was made, by a rotation or because a new alg needs one",
    details: { kid: "the key", alg: "its algorithm", signs_from: "when it begins to sign (ISO 8601)" },
  },
  "key.retired": { summary: "A signing key stopped signing", details: { kid: "the key" } },
  "key.removed": { summary: "A signing key was removed; its tokens are refused", details: { kid: "the key" } },
  "admin_token.created": {
    summary: "An access token for the admin API was made",
    details: { token_id: "the token", scope: "its scopes", expires_at: "its end (ISO 8601)" },
  },
  "admin_token.revoked": {
    summary: "An access token for the admin API was revoked",
    details: { token_id: "the token" },
  },
  "webhook.created": { summary: "A webhook was created", details: WEBHOOK },
  "webhook.updated": { summary: "A webhook was changed", details: WEBHOOK },
  "webhook.secret_rotated": { summary: "A webhook got a new secret", details: WEBHOOK },
  "webhook.deleted": { summary: "A webhook was deleted, with its deliveries", details: WEBHOOK },
  "webhook.disabled": {
    summary: "The server disabled a webhook, because its receiver had failed for days, or wants no more events",
    details: { ...WEBHOOK, reason: "the last fault" },
  },
  "webhook.replayed": {
    summary: "An operator let the server deliver events again",
    details: { ...WEBHOOK, count: "how many" },
  },
  "webhook.tested": {
    summary: "An operator tried a webhook out. The event goes to that webhook, whatever its kinds are",
    details: WEBHOOK,
  },
  "registration_token.created": {
    summary: "An initial access token was made, with which clients register themselves",
    details: { token_id: "the token", uses: "for how many clients", expires_at: "its end (ISO 8601)" },
  },
  "registration_token.revoked": { summary: "An initial access token was revoked", details: { token_id: "the token" } },
  "security.suspicion": {
    summary: "A client or somebody unknown did what an honest one does not do",
    details: { what: "the name that the log has for it", network: "its network" },
  },
} satisfies Readonly<Record<string, Kind>>;

export type EventKind = keyof typeof catalogue;

export const eventKinds: Readonly<Record<EventKind, Kind>> = catalogue;

/** Values that `details` of every event of an operator have. */
export const OPERATORS_DETAILS: Readonly<Record<string, string>> = {
  door: "api, command, or registration (the client itself)",
  operation: "the operation of the admin API, or the command",
  fields: "names of the fields that the request set",
  request_id: "the number of the request",
  address: "the address of a program that is no person",
};

export function isEventKind(name: string): name is EventKind {
  return Object.hasOwn(catalogue, name);
}
