/** The verbs of this folder: verbs that the ports call, by aggregate, and verbs that only other verbs call. */

import type { Verb } from "../define-verbs.ts";
import { listVerifiedClients } from "../operator/clients.ts";
import { countPeople, listActing, liveAccess } from "./acting-members.ts";
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
  writeNewCompany,
} from "./companies.ts";
import {
  askApproval,
  grantsOfMember,
  listCompanyApps,
  listRequests,
  listRules,
  refuseRequest,
  requestsOfMember,
  revokeForAll,
  setAppPaused,
  setOptOut,
  setRule,
} from "./company-apps.ts";
import {
  findCompanyConnection,
  listCompanyConnections,
  listConnectedClients,
  listConnectionsOfServer,
  putCompanyConnection,
  removeCompanyConnection,
} from "./company-connections.ts";
import {
  dropCompanySignIn,
  endCompanySessions,
  eraseCompanyProvider,
  followRole,
  getCompanySignIn,
  listCompanySignIns,
  putCompanyProvider,
  removeCompanyProvider,
  removeMember,
  setCompanySignIn,
} from "./company-sign-in.ts";
import { foundCompany, holdName, insertFounded, releaseName, writeFounderLink } from "./create-own-company.ts";
import {
  acceptInvitation,
  createInvitation,
  findInvitation,
  joinCompany,
  listInvitations,
  traceInvitation,
  withdrawInvitation,
} from "./invitations.ts";
import {
  addMember,
  adoptCompanyLink,
  companiesOf,
  companyLinksOf,
  confirmCompanyLink,
  doubtCompanyLink,
  dropCompanyLink,
  eraseMember,
  findActing,
  insertMember,
  listMembers,
  setMemberRole,
  staleCompanyLinks,
  writeCompanyLink,
} from "./members.ts";
import {
  applyOutboxEntry,
  removeFromOutbox,
  tellCompanies,
  untold,
  untoldOfPerson,
  untoldPeople,
} from "./membership-outbox.ts";
import {
  consentAndCompaniesOf,
  consentAndLinksOf,
  forgetChoice,
  listChoices,
  listLastCompanies,
  listStopped,
  noteLastCompany,
} from "./remembered-company-choices.ts";

export const companies = {
  create: createCompany,
  found: foundCompany,
  holdName,
  releaseName,
  find: findCompany,
  get: getCompany,
  list: listCompanies,
  update: updateCompany,
  setStatus: setCompanyStatus,
  delete: deleteCompany,
};
export const members = {
  add: addMember,
  setRole: setMemberRole,
  remove: removeMember,
  list: listMembers,
  findActing,
  companiesOf,
  consentAndCompaniesOf,
};
export const companyApps = {
  list: listCompanyApps,
  listRules,
  setRule,
  revokeForAll,
  setPaused: setAppPaused,
  forgetChoice,
  listChoices,
  listStopped,
  setOptOut,
  grantsOfMember,
  askApproval,
  countPeople,
  liveAccess,
  listActing,
  refuseRequest,
  requestsOfMember,
  listRequests,
  listVerified: listVerifiedClients,
};
export const lastCompanies = { note: noteLastCompany, list: listLastCompanies };

export const companyConnections = {
  list: listCompanyConnections,
  find: findCompanyConnection,
  listOfServer: listConnectionsOfServer,
  put: putCompanyConnection,
  remove: removeCompanyConnection,
  listClients: listConnectedClients,
};
export const invitations = {
  create: createInvitation,
  withdraw: withdrawInvitation,
  list: listInvitations,
  find: findInvitation,
  trace: traceInvitation,
  accept: acceptInvitation,
};
export const companySignIn = {
  list: listCompanySignIns,
  get: getCompanySignIn,
  set: setCompanySignIn,
  putProvider: putCompanyProvider,
  removeProvider: removeCompanyProvider,
  endSessions: endCompanySessions,
  followRole,
};
export const membershipOutbox = { deliver: tellCompanies, undelivered: untoldPeople };

/** The verbs that the verbs above consist of. */
export const companiesSteps: Readonly<Record<string, Verb<never, unknown>>> = {
  insertCompany,
  writeFounderLink,
  insertFounded,
  companiesAfter,
  writeCompany,
  writeNewCompany,
  eraseCompany,
  writeCompanyLink,
  insertMember,
  confirmCompanyLink,
  doubtCompanyLink,
  dropCompanyLink,
  eraseMember,
  companyLinksOf,
  consentAndLinksOf,
  staleCompanyLinks,
  adoptCompanyLink,
  joinCompany,
  eraseCompanyProvider,
  dropCompanySignIn,
  untold,
  untoldOfPerson,
  applyOutboxEntry,
  removeFromOutbox,
};
