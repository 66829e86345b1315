/**
 * A company's own OpenID Connect provider. Its administrators control what it says of people, so it counts for this
 * company alone: see `sign-in-at-company.ts`.
 */

import type { Millis } from "../../oauth/model.ts";
import type { Role } from "../company-storage.ts";
import type { WhenDisabled } from "../upstream-change-storage.ts";
import type { ClaimNames } from "./claim-names.ts";
import type { RoleMapping } from "./sign-in-provider.ts";
import type { UpstreamIdentity } from "./upstream-identity.ts";

/** What a company's admin, or the operator, registered. */
export interface CompanyProvider {
  /** Random. A part of the redirect URI. */
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** As in `SignInProvider`. */
  readonly sealedSecret: string | null;
  readonly scopes: readonly string[];
  /** Null: new people are members, and admins change roles on the page of the members. */
  readonly roles: RoleMapping | null;
  /** As in `SignInProvider`. */
  readonly claims?: ClaimNames;
  /** `follow`: each sign-in renews the profile of accounts that the provider made. Absent: it is filled once. */
  readonly profile?: "follow";
  /** Absent: `keep`. Only the operator sets it. */
  readonly whenDisabled?: WhenDisabled;
  /** Absent: none. Only the operator sets it. */
  readonly changeClients?: readonly string[];
  /** `disabled`: nobody signs in there, but an admin can try it. */
  readonly status: "active" | "disabled";
  /** When a sign-in of an admin worked with these settings. Null: not yet. */
  readonly triedAt: Millis | null;
  readonly createdAt: Millis;
  /** The version of this record. Each change has a later one. */
  readonly changedAt: Millis;
}

/** How the people of one company sign in. */
export interface CompanySignIn {
  readonly partition: number;
  readonly companyId: string;
  /** True: the company's admins may connect their own provider. Only the operator decides. */
  readonly ownProvider: boolean;
  /** Lowercase domains whose addresses the operator knows to be the company's. Each belongs to one company. */
  readonly emailDomains: readonly string[];
  readonly provider: CompanyProvider | null;
}

/** The role that somebody's groups give. Undefined: none, and nobody without one may sign in. Null: groups don't count. */
export function roleByGroups(roles: RoleMapping | null, { groups }: Pick<UpstreamIdentity, "groups">) {
  if (roles === null) return null;
  const has = (wanted: readonly string[]) => wanted.some((one) => groups.includes(one));
  if (has(roles.admin)) return "admin" satisfies Role;
  if (has(roles.member) || roles.others === "member") return "member" satisfies Role;
  return undefined;
}
