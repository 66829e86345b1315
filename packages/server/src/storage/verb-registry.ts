/** Every verb under the name that callers use: `storage.grants.redeem(…)` runs `grants.redeem`. Each folder registers its own. */

import type { AdminStorage } from "../admin/storage.ts";
import type { EventStorage } from "../events/storage.ts";
import type { DeviceStorage, GrantStorage } from "../oauth/storage.ts";
import type { DelegationStorage } from "../oauth/token-exchange/storage.ts";
import type { PictureStorage } from "../owners/account/picture-storage.ts";
import type { CompanyConnectionStorage } from "../owners/company-connection-storage.ts";
import type { CompanySignInStorage } from "../owners/company-sign-in-storage.ts";
import type { CompanyStorage } from "../owners/company-storage.ts";
import type { FactorStorage } from "../owners/factor-storage.ts";
import type { ExternalAnswerStorage } from "../owners/identities/external-answer-storage.ts";
import type { KnownDeviceStorage } from "../owners/known-device-storage.ts";
import type { LastCompanyStorage } from "../owners/last-company.ts";
import type { LogoutNoticeStorage } from "../owners/logout-notice-storage.ts";
import type { MailStorage } from "../owners/mail/storage.ts";
import type { RecoveryStorage } from "../owners/recovery/storage.ts";
import type { OwnerStorage } from "../owners/storage.ts";
import type { WebhookStorage } from "../webhooks/storage.ts";
import {
  companies,
  companiesSteps,
  companyApps,
  companyConnections,
  companySignIn,
  invitations,
  lastCompanies,
  members,
  membershipOutbox,
} from "./companies/index.ts";
import { consents, consentsSteps, history } from "./consents/index.ts";
import type { Verb } from "./define-verbs.ts";
import { events, eventsSteps, webhooks } from "./events/index.ts";
import { factorsSteps, passkeys, recovery, secondFactors } from "./factors/index.ts";
import { apiUses, delegations, deviceRequests, grants, grantsSteps, replayCache, scopeUses } from "./grants/index.ts";
import { mail, mailLinks, mailRequests, mailSteps } from "./mail/index.ts";
import {
  adminRequests,
  adminTokens,
  catalog,
  clients,
  configuredRecords,
  directory,
  housekeeping,
  issuers,
  keys,
  leases,
  logos,
  operatorSteps,
  refusals,
  registrations,
  resources,
  scopes,
  signInProviders,
} from "./operator/index.ts";
import {
  attempts,
  externalAnswers,
  knownDevices,
  logoutNotices,
  people,
  peopleSteps,
  pictures,
  sessions,
  subjectLinks,
} from "./people/index.ts";

/** Everything that the server asks of a database. */
export type Ports = GrantStorage &
  DeviceStorage &
  DelegationStorage &
  OwnerStorage &
  KnownDeviceStorage &
  ExternalAnswerStorage &
  LogoutNoticeStorage &
  PictureStorage &
  FactorStorage &
  CompanyStorage &
  CompanySignInStorage &
  CompanyConnectionStorage &
  LastCompanyStorage &
  MailStorage &
  RecoveryStorage &
  EventStorage &
  WebhookStorage &
  AdminStorage;

// biome-ignore lint/suspicious/noConfusingVoidType: a verb without arguments is called without any
type Args<F> = F extends () => unknown ? void : F extends (args: infer A) => unknown ? A : never;
type Outcome<F> = F extends (...args: never) => Promise<infer O> ? O : never;
type VerbsOf<Port> = { readonly [Name in keyof Port]: Verb<Args<Port[Name]>, Outcome<Port[Name]>> };

/** If a method of a port has no verb, or a verb of another shape, this does not compile. */
export const aggregates: { readonly [Name in keyof Ports]: VerbsOf<Ports[Name]> } = {
  grants,
  deviceRequests,
  replayCache,
  scopeUses,
  apiUses,
  delegations,

  consents,
  history,

  people,
  subjectLinks,
  sessions,
  pictures,
  logoutNotices,
  knownDevices,
  attempts,
  externalAnswers,

  passkeys,
  secondFactors,
  recovery,

  companies,
  members,
  companyApps,
  companySignIn,
  companyConnections,
  lastCompanies,
  invitations,
  membershipOutbox,

  mail,
  mailRequests,
  mailLinks,

  events,
  webhooks,

  clients,
  scopes,
  resources,
  issuers,
  signInProviders,
  directory,
  adminTokens,
  adminRequests,
  registrations,
  logos,
  keys,
  refusals,
  leases,
  catalog,
  housekeeping,
  configuredRecords,
};

const steps = {
  ...grantsSteps,
  ...consentsSteps,
  ...peopleSteps,
  ...factorsSteps,
  ...companiesSteps,
  ...mailSteps,
  ...eventsSteps,
  ...operatorSteps,
};

/** All verbs by name. The writer's thread receives names, because functions can't be sent to a thread. */
export const verbs: ReadonlyMap<string, Verb<never, unknown>> = new Map<string, Verb<never, unknown>>([
  ...Object.entries(aggregates).flatMap(([aggregate, registered]) =>
    Object.entries<Verb<never, unknown>>(registered).map(([name, verb]) => [`${aggregate}.${name}`, verb] as const),
  ),
  ...Object.entries<Verb<never, unknown>>(steps),
]);

const names = new Map<unknown, string>([...verbs].map(([name, verb]) => [verb, name]));

/** The name under which a verb is registered. */
export function nameOf<A, O>(verb: Verb<A, O>): string {
  const name = names.get(verb);
  if (name === undefined) throw new Error("this verb is not registered");
  return name;
}
