/** The verbs of this folder: verbs that the ports call, by aggregate, and verbs that only other verbs call. */

import type { Verb } from "../sql.ts";
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
  acceptInvitation,
  createInvitation,
  findInvitation,
  joinCompany,
  listInvitations,
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
  removeMember,
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

export const companies = {
  create: createCompany,
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
};
export const companyApps = {
  list: listCompanyApps,
  listRules,
  setRule,
  revokeForAll,
  setOptOut,
  grantsOfMember,
  askApproval,
  countActing,
  refuseRequest,
  listRequests,
};
export const invitations = {
  create: createInvitation,
  withdraw: withdrawInvitation,
  list: listInvitations,
  find: findInvitation,
  accept: acceptInvitation,
};
export const membershipOutbox = { deliver: tellCompanies, undelivered: untoldPeople };

/** The verbs that the verbs above consist of. */
export const companiesSteps: Readonly<Record<string, Verb<never, unknown>>> = {
  insertCompany,
  companiesAfter,
  writeCompany,
  eraseCompany,
  writeCompanyLink,
  insertMember,
  confirmCompanyLink,
  doubtCompanyLink,
  dropCompanyLink,
  eraseMember,
  companyLinksOf,
  staleCompanyLinks,
  adoptCompanyLink,
  joinCompany,
  untold,
  untoldOfPerson,
  applyOutboxEntry,
  removeFromOutbox,
};
