/** The verbs by name: what the ports promise, and what only other verbs call. */

import type { AdminStorage } from "../../admin/storage.ts";
import type { DeviceStorage, GrantStorage } from "../../oauth/storage.ts";
import type { CompanyStorage } from "../../owners/company-storage.ts";
import type { FactorStorage } from "../../owners/factor-storage.ts";
import type { KnownDeviceStorage } from "../../owners/known-device-storage.ts";
import type { MailStorage } from "../../owners/mail-storage.ts";
import type { RecoveryStorage } from "../../owners/recovery/storage.ts";
import type { OwnerStorage } from "../../owners/storage.ts";
import type { Verb } from "../sql.ts";
import { addressesOf } from "./addresses.ts";
import { countAttempt, forgiveAttempt, fullUntil, resetAttempts, returnAttempt, takeAttempt } from "./attempts.ts";
import { catalogVersions, ping } from "./catalog.ts";
import { endGrantsOfClient, endingClients } from "./client-endings.ts";
import {
  clientsChangedSince,
  deleteClient,
  getClient,
  listClients,
  putClient,
  removeClient,
  writeClient,
} from "./clients.ts";
import {
  companiesAfter,
  createCompany,
  deleteCompany,
  eraseCompany,
  findCompany,
  getCompany,
  insertCompany,
  listCompanies,
  setCompanyStatus,
  updateCompany,
  writeCompany,
} from "./companies.ts";
import {
  askApproval,
  countActing,
  grantsOfMember,
  listCompanyApps,
  listRequests,
  listRules,
  refuseRequest,
  revokeForAll,
  setOptOut,
  setRule,
} from "./company-apps.ts";
import {
  approve,
  changeEnd,
  consentsOfAll,
  consentsOfClient,
  consentsOfOwner,
  countOwners,
  findConsent,
  lastIssues,
  listAllConsents,
  listConsents,
  narrowConsent,
  revokeConsent,
} from "./consents.ts";
import { adminsOf, duePeople, postponeDeletion, setDeletion, soleAdminOf, writeDeletion } from "./deletion.ts";
import {
  approveDevice,
  claimDevice,
  createDevice,
  denyDevice,
  deviceStanding,
  grantDevice,
  markApproved,
  pollDevice,
  recordDevice,
  redeemDevice,
  spendDevice,
} from "./device.ts";
import { issueDirect } from "./direct.ts";
import {
  getSecondFactor,
  removeSecondFactor,
  setRecoveryCodes,
  setSecondFactor,
  useEarlierFactor,
  useRecoveryCode,
  useSecondFactor,
  vouchSecondFactor,
} from "./factors.ts";
import { endGrant, findGrant, issueGrant, redeemCode, refreshGrant } from "./grants.ts";
import { getHistoryEntry, keepReceiptKey, listHistory, listReceiptKeys } from "./history.ts";
import {
  backlog,
  collect,
  collectAccepted,
  collectAddresses,
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
  collectOutbox,
  collectRequests,
  collectSessions,
} from "./housekeeping.ts";
import {
  acceptInvitation,
  createInvitation,
  findInvitation,
  joinCompany,
  listInvitations,
  withdrawInvitation,
} from "./invitations.ts";
import { deleteIssuer, listIssuers, putIssuer, removeIssuer } from "./issuers.ts";
import { addKey, listKeys, removeKey, retireKey } from "./keys.ts";
import { getKnownDevice, listKnownDevices, rememberDevice } from "./known-devices.ts";
import { claimLease, databaseChanges, releaseLease, runningServers } from "./leases.ts";
import { getLogo, putLogo } from "./logos.ts";
import { changeEmail, createMailLink, findMailLink, takeMailLink, verifyEmail, writeEmail } from "./mail-links.ts";
import {
  claimMailRequest,
  claimMailRequests,
  dueMailRequests,
  insertMailRequest,
  mailWaiting,
  removeMailRequest,
  requestMail,
} from "./mail-requests.ts";
import {
  addMember,
  adoptLink,
  companiesOf,
  confirmLink,
  doubtLink,
  dropLink,
  eraseMember,
  findActing,
  insertMember,
  linksOf,
  listMembers,
  removeMember,
  setMemberRole,
  staleLinks,
  writeLink,
} from "./members.ts";
import {
  activateName,
  claimName,
  dropName,
  forgetName,
  holderOfName,
  loosenName,
  reserveName,
  staleNames,
} from "./names.ts";
import { emptyRing, once, onceAcross, onceWithin } from "./once.ts";
import { claimMail, claimOne, dueMail, postMail, settleMail } from "./outbox.ts";
import {
  addPasskey,
  dropPasskey,
  erasePasskey,
  findPasskey,
  getPasskey,
  hasPasskeyId,
  insertPasskey,
  listPasskeys,
  removePasskey,
  usePasskey,
  vouchPasskey,
} from "./passkeys.ts";
import {
  createPerson,
  deletePerson,
  erasePerson,
  findPersonByName,
  getPerson,
  insertPerson,
  listPeople,
  peopleAfter,
  rehashPassword,
  setPassword,
  setPersonStatus,
  updatePerson,
  writePassword,
  writePerson,
  writePersonStatus,
} from "./people.ts";
import { recoverPassword, restoreFactors, undoEmail, writeRecovery, writeRestore, writeUndo } from "./recovery.ts";
import { dueRemovals, eraseRemoved, removedFactors } from "./removals.ts";
import { deleteResource, listResources, putResource } from "./resources.ts";
import { listScopeUses, recordScopeUses } from "./scope-uses.ts";
import { deleteScope, listScopes, putScope } from "./scopes.ts";
import {
  createSession,
  endSession,
  endSessionsOf,
  findSession,
  listSessions,
  touchSession,
  useSession,
} from "./sessions.ts";
import { applyStanding, forgetStanding, tellCompanies, untold, untoldOfPerson, untoldPeople } from "./standings.ts";
import {
  createLinkedPerson,
  eraseLink,
  findPersonBySubject,
  insertLink,
  insertLinkedPerson,
  linkedPerson,
  linkSubject,
  listSubjectLinks,
  subjectsOf,
  unlinkSubject,
} from "./subject-links.ts";

/** What the server may ask of a database. */
export type Ports = GrantStorage &
  DeviceStorage &
  OwnerStorage &
  KnownDeviceStorage &
  FactorStorage &
  CompanyStorage &
  MailStorage &
  RecoveryStorage &
  AdminStorage;

// biome-ignore lint/suspicious/noConfusingVoidType: a verb without arguments is called without any
type Args<F> = F extends () => unknown ? void : F extends (args: infer A) => unknown ? A : never;
type Outcome<F> = F extends (...args: never) => Promise<infer O> ? O : never;

/** A port's method without its verb doesn't compile, nor does a verb of another shape. */
export const portVerbs: { readonly [Name in keyof Ports]: Verb<Args<Ports[Name]>, Outcome<Ports[Name]>> } = {
  issueGrant,
  redeemCode,
  refreshGrant,
  findGrant,
  endGrant,
  issueDirect,
  once,
  recordScopeUses,

  createDevice,
  pollDevice,
  redeemDevice,
  claimDevice,
  approveDevice,
  denyDevice,
  deviceStanding,

  createPerson,
  findPersonByName,
  getPerson,
  listPeople,
  updatePerson,
  setPassword,
  rehashPassword,
  setPersonStatus,
  deletePerson,
  findPersonBySubject,
  linkSubject,
  createLinkedPerson,
  unlinkSubject,
  listSubjectLinks,
  subjectsOf,
  createSession,
  useSession,
  endSession,
  endSessionsOf,
  listSessions,
  getKnownDevice,
  listKnownDevices,
  rememberDevice,
  countAttempt,
  forgiveAttempt,
  approve,
  findConsent,
  lastIssues,
  listConsents,
  revokeConsent,
  narrowConsent,
  changeEnd,
  countOwners,
  listScopeUses,
  listHistory,
  getHistoryEntry,
  keepReceiptKey,
  listReceiptKeys,

  addPasskey,
  findPasskey,
  listPasskeys,
  usePasskey,
  removePasskey,
  vouchPasskey,
  getSecondFactor,
  setSecondFactor,
  useSecondFactor,
  useEarlierFactor,
  removeSecondFactor,
  setRecoveryCodes,
  useRecoveryCode,
  vouchSecondFactor,

  createCompany,
  findCompany,
  getCompany,
  listCompanies,
  updateCompany,
  setCompanyStatus,
  deleteCompany,
  addMember,
  setMemberRole,
  removeMember,
  listMembers,
  findActing,
  companiesOf,
  listCompanyApps,
  listRules,
  setRule,
  revokeForAll,
  setOptOut,
  grantsOfMember,
  askApproval,
  countActing,
  refuseRequest,
  listRequests,
  createInvitation,
  withdrawInvitation,
  listInvitations,
  findInvitation,
  acceptInvitation,
  tellCompanies,
  untoldPeople,

  postMail,
  claimMail,
  settleMail,
  requestMail,
  claimMailRequests,
  removeMailRequest,
  mailWaiting,
  createMailLink,
  findMailLink,
  takeMailLink,
  verifyEmail,
  changeEmail,
  recoverPassword,
  undoEmail,
  restoreFactors,
  removedFactors,
  addressesOf,
  setDeletion,
  soleAdminOf,

  catalogVersions,
  clientsChangedSince,
  getClient,
  listClients,
  putClient,
  deleteClient,
  listScopes,
  putScope,
  deleteScope,
  listResources,
  putResource,
  deleteResource,
  listIssuers,
  putIssuer,
  deleteIssuer,
  putLogo,
  getLogo,
  listKeys,
  addKey,
  retireKey,
  removeKey,
  listAllConsents,
  collectGarbage,
  collect,
  backlog,
  claimLease,
  releaseLease,
  runningServers,
  databaseChanges,
  ping,
};

const innerVerbs = {
  fullUntil,
  takeAttempt,
  returnAttempt,
  resetAttempts,
  reserveName,
  activateName,
  loosenName,
  dropName,
  forgetName,
  holderOfName,
  staleNames,
  insertPerson,
  peopleAfter,
  writePerson,
  writePassword,
  writePersonStatus,
  erasePerson,
  claimName,
  insertLinkedPerson,
  linkedPerson,
  insertLink,
  eraseLink,
  removeIssuer,
  writeClient,
  removeClient,
  endGrantsOfClient,
  endingClients,
  insertCompany,
  companiesAfter,
  writeCompany,
  eraseCompany,
  writeLink,
  insertMember,
  confirmLink,
  doubtLink,
  dropLink,
  eraseMember,
  linksOf,
  staleLinks,
  adoptLink,
  joinCompany,
  untold,
  untoldOfPerson,
  applyStanding,
  forgetStanding,
  consentsOfOwner,
  consentsOfClient,
  consentsOfAll,
  insertPasskey,
  getPasskey,
  hasPasskeyId,
  dropPasskey,
  erasePasskey,
  findSession,
  touchSession,
  collectGrants,
  collectSessions,
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
  emptyRing,
  onceAcross,
  ...Object.fromEntries(onceWithin.map((verb, at) => [`onceWithin${at}`, verb])),
  grantDevice,
  spendDevice,
  recordDevice,
  markApproved,
  dueMail,
  claimOne,
  insertMailRequest,
  dueMailRequests,
  claimMailRequest,
  writeRecovery,
  writeEmail,
  writeUndo,
  writeRestore,
  dueRemovals,
  eraseRemoved,
  collectAddresses,
  writeDeletion,
  adminsOf,
  duePeople,
  postponeDeletion,
};

/** All of them: the writer's thread is told a name, not a function. */
export const verbs: ReadonlyMap<string, Verb<never, unknown>> = new Map<string, Verb<never, unknown>>(
  Object.entries({ ...portVerbs, ...innerVerbs }),
);

const names = new Map<unknown, string>([...verbs].map(([name, verb]) => [verb, name]));

/** The name under which the table holds a verb. */
export function nameOf<A, O>(verb: Verb<A, O>): string {
  const name = names.get(verb);
  if (name === undefined) throw new Error("this verb is not in the table");
  return name;
}
