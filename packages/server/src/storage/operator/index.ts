/** The verbs of this folder: verbs that the ports call, by aggregate, and verbs that only other verbs call. */

import type { Verb } from "../define-verbs.ts";
import {
  addToken,
  beginRequest,
  findToken,
  finishRequest,
  forgetRequest,
  listTokens,
  revokeToken,
} from "./admin-access.ts";
import { catalogVersions, listConfigured, ping, putConfigured } from "./catalog-versions.ts";
import { getLogo, putLogo } from "./client-logos.ts";
import {
  clientsChangedSince,
  countDescribed,
  deleteClient,
  getClient,
  listClients,
  putClient,
  removeClient,
  writeClient,
} from "./clients.ts";
import {
  clientsByAge,
  clientsById,
  clientsByName,
  clientsConsents,
  companiesBySlug,
  directoryClients,
  directoryCompanies,
  directoryConsents,
  directoryPeople,
  disabledPeople,
  everyConsent,
  newestClients,
  newestPeople,
  operators,
  ownersConsents,
  peopleByEmail,
  peopleByUsername,
} from "./directory.ts";
import { endGrantsOfClient, endingClients } from "./end-grants-of-client.ts";
import {
  backlog,
  collect,
  collectAccepted,
  collectAddresses,
  collectAdminRequests,
  collectAdminTokens,
  collectAnswers,
  collectAttempts,
  collectClients,
  collectDevices,
  collectGarbage,
  collectGrants,
  collectHistory,
  collectInvitations,
  collectKnownDevices,
  collectLeases,
  collectMailLinks,
  collectMailRequests,
  collectNotices,
  collectOutbox,
  collectRegistrationTokens,
  collectRequests,
  collectSessions,
} from "./housekeeping.ts";
import { claimLease, databaseChanges, releaseLease, runningServers } from "./leases.ts";
import { addRefusal, collectRefusals, getRefusal, listRefusals, refusalsOfAll, refusalsOfClient } from "./refusals.ts";
import {
  addRegistrationToken,
  clientsToForget,
  collectIfUnused,
  findRegistrationToken,
  listRegistrationTokens,
  registerClient,
  revokeRegistrationToken,
} from "./registrations.ts";
import { deleteResource, listResources, putResource } from "./resources.ts";
import { deleteScope, listScopes, putScope } from "./scopes.ts";
import { deleteProvider, listProviders, putProvider, removeProvider } from "./sign-in-providers.ts";
import { addKey, listKeys, removeKey, retireKey } from "./signing-keys.ts";
import { deleteIssuer, listIssuers, putIssuer, removeIssuer } from "./trusted-issuers.ts";

export const clients = {
  changedSince: clientsChangedSince,
  countDescribed,
  get: getClient,
  list: listClients,
  put: putClient,
  delete: deleteClient,
};
export const scopes = { list: listScopes, put: putScope, delete: deleteScope };
export const resources = { list: listResources, put: putResource, delete: deleteResource };
export const issuers = { list: listIssuers, put: putIssuer, delete: deleteIssuer };
export const signInProviders = { list: listProviders, put: putProvider, delete: deleteProvider };
export const directory = {
  people: directoryPeople,
  clients: directoryClients,
  companies: directoryCompanies,
  consents: directoryConsents,
};
export const adminTokens = { add: addToken, find: findToken, list: listTokens, revoke: revokeToken };
export const adminRequests = { begin: beginRequest, finish: finishRequest, forget: forgetRequest };
export const registrations = {
  addToken: addRegistrationToken,
  findToken: findRegistrationToken,
  listTokens: listRegistrationTokens,
  revokeToken: revokeRegistrationToken,
  register: registerClient,
};
export const logos = { put: putLogo, get: getLogo };
export const keys = { list: listKeys, add: addKey, retire: retireKey, remove: removeKey };
export const refusals = { add: addRefusal, get: getRefusal, list: listRefusals };
export const housekeeping = { collectGarbage, collect, backlog };
export const leases = { claim: claimLease, release: releaseLease, runningServers };
export const configuredRecords = { list: listConfigured, put: putConfigured };
export const catalog = { versions: catalogVersions, databaseChanges, ping };

/** The verbs that the verbs above consist of. */
export const operatorSteps: Readonly<Record<string, Verb<never, unknown>>> = {
  removeIssuer,
  removeProvider,
  writeClient,
  removeClient,
  endGrantsOfClient,
  endingClients,
  clientsToForget,
  collectIfUnused,
  collectRegistrationTokens,
  collectGrants,
  collectNotices,
  collectSessions,
  collectAnswers,
  collectAttempts,
  collectKnownDevices,
  collectClients,
  collectHistory,
  collectAccepted,
  collectDevices,
  collectInvitations,
  collectLeases,
  collectMailLinks,
  collectMailRequests,
  collectOutbox,
  collectRequests,
  collectAddresses,
  collectRefusals,
  refusalsOfAll,
  refusalsOfClient,
  collectAdminRequests,
  collectAdminTokens,
  clientsByAge,
  clientsById,
  clientsByName,
  clientsConsents,
  companiesBySlug,
  disabledPeople,
  everyConsent,
  ownersConsents,
  newestClients,
  newestPeople,
  operators,
  peopleByEmail,
  peopleByUsername,
};
