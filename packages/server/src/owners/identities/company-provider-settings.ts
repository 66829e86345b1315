/** What a company's own provider can be. Its administrators write it, so nothing of it is believed. */

import { displayTextProblem } from "../../oauth/names/display-name.ts";
import { isScopeName } from "../../oauth/scope.ts";
import { CLAIM_FIELDS, type ClaimField, type ClaimNames, isClaimName } from "./claim-names.ts";
import type { CompanyProvider } from "./company-provider.ts";
import type { RoleMapping } from "./sign-in-provider.ts";

/** Companies with a provider on one server: each server process holds all of them in memory. */
export const MAX_COMPANY_PROVIDERS = 1_000;
const MAX_NAME = 60;
const MAX_ISSUER = 1024;
const MAX_SCOPES = 20;
/** Groups of one role. */
export const MAX_MAPPED = 50;
const MAX_GROUP = 255;

/** For what a company may name a claim. Its people's usernames come from their addresses, and the subject is `sub`. */
export const COMPANY_CLAIM_FIELDS: readonly ClaimField[] = CLAIM_FIELDS.filter(
  (one) => one !== "subject" && one !== "username",
);

export interface ProviderSettings {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Null: this server is a public client there. Undefined: as before. */
  readonly clientSecret: string | null | undefined;
  readonly scopes: readonly string[];
  readonly roles: RoleMapping | null;
  /** Claims by field. Empty: the usual ones. */
  readonly claims: Readonly<Record<string, string>>;
  readonly profile: "first" | "follow";
}

export const SETTING_FAULTS = {
  name: `must be 1 to ${MAX_NAME} characters, without invisible ones`,
  issuer: "must be an https URL without query, fragment, user and password, exactly as the provider writes it",
  own: "this is this server's own issuer",
  clientId: "must be 1 to 255 printable ASCII characters without spaces",
  clientSecret: "must be 1 to 512 printable ASCII characters, with no space at its start or end",
  scope: `must be at most ${MAX_SCOPES} scopes (RFC 6749 §3.3)`,
  claim: "must be a claim's name: 1 to 100 printable ASCII characters without spaces",
  claims: `must be field=claim, with one of these fields: ${COMPANY_CLAIM_FIELDS.join(", ")}`,
  groups: `at most ${MAX_MAPPED} groups for each role are allowed, each with at most ${MAX_GROUP} characters, and at least one in all`,
} as const;

export type SettingFault = keyof typeof SETTING_FAULTS;

/** `own`: this server's issuer. */
export function settingFaults(
  { name, issuer, clientId, clientSecret, scopes, roles, claims }: ProviderSettings,
  own: string,
  before: CompanyProvider | null,
): readonly SettingFault[] {
  const faults: (SettingFault | false | undefined)[] = [
    displayTextProblem(name, MAX_NAME, before?.name) !== undefined && "name",
    issuerFault(issuer, own),
    !/^[\u0021-\u007e]{1,255}$/.test(clientId) && "clientId",
    clientSecret != null && !isSecret(clientSecret) && "clientSecret",
    (scopes.length > MAX_SCOPES || scopes.some((one) => !isScopeName(one))) && "scope",
    !Object.entries(claims).every(isNamedClaim) && "claims",
    ...(roles === null ? [] : roleFaults(roles)),
  ];
  return faults.filter((one) => one !== false && one !== undefined);
}

function isNamedClaim([field, claim]: [string, string]): boolean {
  const known: readonly string[] = COMPANY_CLAIM_FIELDS;
  return known.includes(field) && (claim === "" || isClaimName(claim));
}

function isSecret(text: string): boolean {
  return text.length <= 512 && /^[\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?$/.test(text);
}

function roleFaults({ claim, admin, member }: RoleMapping): readonly (SettingFault | false)[] {
  const isGroup = (one: string) => one.length >= 1 && one.length <= MAX_GROUP && !/\p{Cc}/u.test(one);
  const many = admin.length > MAX_MAPPED || member.length > MAX_MAPPED;
  return [
    !/^[\u0021-\u007e]{1,100}$/.test(claim) && "claim",
    (many || admin.length + member.length === 0 || ![...admin, ...member].every(isGroup)) && "groups",
  ];
}

/**
 * OpenID Connect Discovery §3. http only to this machine, and only if this server is itself served over http there: a
 * server for development.
 */
function issuerFault(issuer: string, own: string): SettingFault | undefined {
  const plain = /^https?:\/\/(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:\/[\u0021-\u007e]*)?$/;
  if (issuer.length > MAX_ISSUER || !plain.test(issuer) || /[?#\\]/.test(issuer) || !URL.canParse(issuer))
    return "issuer";
  const { protocol, hostname, href } = new URL(issuer);
  const local = ["127.0.0.1", "localhost", "[::1]"].includes(hostname) && own.startsWith("http:");
  if (protocol !== "https:" && !local) return "issuer";
  const bare = (url: string) => url.replace(/\/$/, "");
  return bare(href) === bare(new URL(own).href) ? "own" : undefined;
}

/** The record with these settings. A sign-in with other settings has to be tried again. */
export function providerWith(
  settings: ProviderSettings,
  {
    before,
    id,
    sealedSecret,
    now,
  }: {
    readonly before: CompanyProvider | null;
    readonly id: string;
    readonly sealedSecret: string | null;
    readonly now: number;
  },
): CompanyProvider {
  const { name, issuer, clientId, roles, profile } = settings;
  const claims: ClaimNames = settings.claims;
  const scopes = [...new Set(["openid", ...settings.scopes])];
  const reaches = { issuer, clientId, sealedSecret, scopes: scopes.join(" "), claim: roles?.claim, claims };
  const reached = before && {
    ...{ issuer: before.issuer, clientId: before.clientId, sealedSecret: before.sealedSecret },
    ...{ scopes: before.scopes.join(" "), claim: before.roles?.claim, claims: before.claims ?? {} },
  };
  const same = JSON.stringify(reaches) === JSON.stringify(reached);
  const { whenDisabled, changeClients } = before ?? {};
  return {
    ...{ id, name: name.normalize("NFC"), issuer, clientId, sealedSecret, scopes, roles },
    ...(Object.keys(claims).length > 0 && { claims }),
    ...(profile === "follow" && { profile }),
    ...(whenDisabled && { whenDisabled }),
    ...(changeClients && { changeClients }),
    status: before?.status ?? "disabled",
    triedAt: same ? (before?.triedAt ?? null) : null,
    createdAt: before?.createdAt ?? now,
    // Two changes in one millisecond are two versions.
    changedAt: Math.max(now, (before?.changedAt ?? 0) + 1),
  };
}
