/** What would end with a record, as the admin API answers it and commands say it. Apart from records: it costs counting. */

import type { Company } from "../owners/company-storage.ts";
import type { ProviderImpact } from "../owners/identities/provider-impact.ts";
import type { Person } from "../owners/storage.ts";
import { firstNames } from "./counted.ts";
import type {
  Choice,
  CompanyAppImpact,
  ConnectionImpact,
  impactOfClient,
  impactOfCompany,
  impactOfConsent,
  impactOfIssuer,
  impactOfMember,
  impactOfResource,
  impactOfScope,
  impactOfUser,
} from "./deletion-impact.ts";

type Of<F extends (...args: never) => Promise<unknown>> = Awaited<ReturnType<F>>;

const named = ({ personId, username, email, status }: Person) => ({ id: personId, username, email, status });
const ofCompany = ({ companyId, name, slug, status }: Company) => ({ id: companyId, name, slug, status });

export type ConnectionImpactRecord = ReturnType<typeof connectionImpactRecord>;
export type ClientImpactRecord = ReturnType<typeof clientImpactRecord>;
export type UserImpactRecord = ReturnType<typeof userImpactRecord>;
export type CompanyImpactRecord = ReturnType<typeof companyImpactRecord>;
export type MemberImpactRecord = ReturnType<typeof memberImpactRecord>;
export type CompanyAppImpactRecord = ReturnType<typeof companyAppImpactRecord>;
export type ConsentImpactRecord = ReturnType<typeof consentImpactRecord>;
export type ScopeImpactRecord = ReturnType<typeof scopeImpactRecord>;
export type ResourceImpactRecord = ReturnType<typeof resourceImpactRecord>;
export type IssuerImpactRecord = ReturnType<typeof issuerImpactRecord>;
export type ProviderImpactRecord = ReturnType<typeof providerImpactRecord>;

export function connectionImpactRecord({
  connection: { audience, status, company: companyId },
  company,
  companies,
  members,
  owners,
  choices,
}: ConnectionImpact) {
  return {
    ...{
      audience,
      status,
      company: companyId,
      company_name: company?.name ?? null,
      company_slug: company?.slug ?? null,
    },
    ...{ companies, members, owners },
    choices: choices.map(({ clientIdThere, scopes, ...one }) => ({
      ...{ client_id_there: clientIdThere, scope: scopes.join(" "), ...one },
    })),
  };
}

/** The reverse of what a record has for a choice. */
export function choiceOf({
  client_id_there: clientIdThere,
  scope,
  ...one
}: ConnectionImpactRecord["choices"][number]): Choice {
  return { clientIdThere, scopes: scope.split(" "), ...one };
}

/** `connected`: all connections and offers of the client. */
export function clientImpactRecord(
  { client, consents, grants, approvals, connections }: Of<typeof impactOfClient>,
  connected: readonly ConnectionImpact[],
) {
  return {
    ...{ client_id: client.clientId, client_name: client.name, status: client.status },
    ...{ consents, grants, approvals, company_connections: connections },
    connections: connected.map(connectionImpactRecord),
  };
}

export function userImpactRecord({
  person,
  sessions,
  grants,
  consents,
  companies,
  companyGrants,
  onlyAdminOf,
}: Of<typeof impactOfUser>) {
  return {
    ...{ ...named(person), sessions, grants, consents, companies },
    ...{ company_grants: companyGrants, only_admin_of: onlyAdminOf },
  };
}

export function companyImpactRecord({ company, members, grants, consents }: Of<typeof impactOfCompany>) {
  return { ...ofCompany(company), members, grants, consents };
}

/** Says no more of the person than the list of members does. */
export function memberImpactRecord({ company, person, onlyAdmin, ...impact }: Of<typeof impactOfMember>) {
  const { personId, username, status } = person;
  const { grants, returnsBy } = impact;
  return {
    ...{ company: ofCompany(company), user: { id: personId, username, status } },
    ...{ grants, returns_by: returnsBy, only_admin: onlyAdmin },
  };
}

export function companyAppImpactRecord({ company, app, ...impact }: CompanyAppImpact) {
  const { members, active, approved, afterwards, servers, vouching } = impact;
  return {
    ...{ company: ofCompany(company), app, members, active, approved, rule_afterwards: afterwards },
    ...{ servers, vouching },
  };
}

/** Says which access at other servers and by identity providers a block stops. Empty: there is none. */
export function blockedElsewhereText({ servers, vouching }: Pick<CompanyAppImpact, "servers" | "vouching">): string {
  const [where, who] = [firstNames(servers.map(({ name, audience }) => `${name} (${audience})`)), firstNames(vouching)];
  const [end, connections] =
    servers.length === 1 ? ["that server ends it", "connection counts"] : ["those servers end it", "connections count"];
  const there = `The app gets no new access at ${where} for members while it is blocked. The access that it has there lasts until ${end}. When you lift the block, the ${connections} again.`;
  const here = `The app gets no new access to members' own accounts by ${who} while it is blocked, and can get it again when you lift the block.`;
  return [...(where === "" ? [] : [there]), ...(who === "" ? [] : [here])].map((text) => ` ${text}`).join("");
}

/** A list of consents names no person, so this has only the id. */
export function consentImpactRecord({ person, app, grants }: Of<typeof impactOfConsent>) {
  return { user_id: person.personId, app, grants: grants ?? null };
}

export function scopeImpactRecord(name: string, { clients, consents, approvals }: Of<typeof impactOfScope>) {
  return { name, clients, consents, approvals };
}

export function resourceImpactRecord({ resource, scopes }: Of<typeof impactOfResource>) {
  const { identifier, name, introspectionClientId } = resource;
  return { identifier, name, introspection_client_id: introspectionClientId, scopes };
}

export function issuerImpactRecord({ issuer, links, clients }: Of<typeof impactOfIssuer>) {
  return { issuer: issuer.issuer, links, clients };
}

/** `own`: the provider is a company's own. */
export function providerImpactRecord({ provider, people, stranded, all }: ProviderImpact, own: boolean) {
  return { id: provider.id, name: provider.name, own, people, without_another: stranded, complete: all };
}
