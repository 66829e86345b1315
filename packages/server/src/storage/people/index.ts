/** The verbs of this folder: verbs that the ports call, by aggregate, and verbs that only other verbs call. */

import type { Verb } from "../define-verbs.ts";
import {
  countAttempt,
  forgiveAttempt,
  fullUntil,
  resetAttempts,
  returnAttempt,
  takeAttempt,
} from "./attempt-counters.ts";
import { addressesOf, owedTo, whoLeft } from "./current-and-former-addresses.ts";
import { giveAnswer, useAnswer } from "./external-answers.ts";
import { getKnownDevice, listKnownDevices, rememberDevice } from "./known-devices.ts";
import { claimNotice, claimNotices, dueNotices, postponeNotice, removeNotice } from "./logout-notices.ts";
import { bearsName, bearsPasskey, bearsSlug, bearsSubject } from "./name-reconciliation.ts";
import {
  createPerson,
  deletePerson,
  erasePerson,
  findPersonByName,
  insertPerson,
  listPeople,
  peopleAfter,
  rehashPassword,
  setPassword,
  updatePerson,
  writeNewPerson,
  writePassword,
  writePerson,
} from "./people.ts";
import { getPerson } from "./person-row.ts";
import { setPersonStatus, writePersonStatus } from "./person-status.ts";
import { getPicture, ownPicture, setPicture } from "./pictures.ts";
import {
  adminsOf,
  duePeople,
  noteStanding,
  postponeDeletion,
  setDeletion,
  soleAdminOf,
  stepDown,
  writeDeletion,
} from "./scheduled-account-deletion.ts";
import {
  createSession,
  endOneSession,
  endSession,
  endSessionsOf,
  endUpstreamSessions,
  endUpstreamSessionsOf,
  findSession,
  isOpenSession,
  listSessions,
  peopleOfUpstreamLink,
  peopleOfUpstreamSid,
  revokeSession,
  touchSession,
  useSession,
} from "./sessions.ts";
import {
  createLinkedPerson,
  eraseOwnSubjectLink,
  eraseSubjectLink,
  eraseToldLink,
  findPersonBySubject,
  insertLinkedPerson,
  insertSubjectLink,
  linkedPerson,
  linkSubject,
  listSubjectLinks,
  removeSubjectLink,
  subjectsOf,
  unlinkSubject,
} from "./subject-links.ts";
import {
  activateName,
  claimName,
  dropName,
  forgetName,
  holderOfName,
  reserveName,
  staleNames,
  unreserveName,
} from "./unique-names.ts";

import { personDisabledBy, upstreamChanged, writeUpstreamChange } from "./upstream-changes.ts";

export const people = {
  create: createPerson,
  findByName: findPersonByName,
  get: getPerson,
  list: listPeople,
  update: updatePerson,
  setPassword,
  rehashPassword,
  setStatus: setPersonStatus,
  upstreamChanged,
  disabledBy: personDisabledBy,
  delete: deletePerson,
  setDeletion,
  soleAdminOf,
  addresses: addressesOf,
  owedTo,
};
export const subjectLinks = {
  findPerson: findPersonBySubject,
  link: linkSubject,
  createPerson: createLinkedPerson,
  unlink: unlinkSubject,
  remove: removeSubjectLink,
  ofPerson: subjectsOf,
  list: listSubjectLinks,
};
export const sessions = {
  create: createSession,
  use: useSession,
  end: endSession,
  endAll: endSessionsOf,
  endOne: endOneSession,
  endUpstream: endUpstreamSessions,
  revoke: revokeSession,
  isOpen: isOpenSession,
  list: listSessions,
};
export const pictures = { set: setPicture, get: getPicture, ofPerson: ownPicture };
export const logoutNotices = { claim: claimNotices, remove: removeNotice, postpone: postponeNotice };
export const knownDevices = { get: getKnownDevice, list: listKnownDevices, remember: rememberDevice };
export const externalAnswers = { give: giveAnswer, use: useAnswer };
export const attempts = { count: countAttempt, forgive: forgiveAttempt };

/** The verbs that the verbs above consist of. */
export const peopleSteps: Readonly<Record<string, Verb<never, unknown>>> = {
  whoLeft,
  bearsName,
  bearsPasskey,
  bearsSlug,
  bearsSubject,
  fullUntil,
  takeAttempt,
  returnAttempt,
  resetAttempts,
  reserveName,
  activateName,
  unreserveName,
  dropName,
  forgetName,
  holderOfName,
  staleNames,
  insertPerson,
  peopleAfter,
  writePerson,
  writeNewPerson,
  writePassword,
  writePersonStatus,
  writeUpstreamChange,
  erasePerson,
  claimName,
  insertLinkedPerson,
  linkedPerson,
  insertSubjectLink,
  eraseSubjectLink,
  eraseToldLink,
  eraseOwnSubjectLink,
  findSession,
  touchSession,
  endUpstreamSessionsOf,
  peopleOfUpstreamLink,
  peopleOfUpstreamSid,
  dueNotices,
  claimNotice,
  writeDeletion,
  adminsOf,
  duePeople,
  noteStanding,
  postponeDeletion,
  stepDown,
};
