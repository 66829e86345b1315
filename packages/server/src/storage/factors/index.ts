/** The verbs of this folder: verbs that the ports call, by aggregate, and verbs that only other verbs call. */

import type { Verb } from "../define-verbs.ts";
import {
  endLinks,
  endWaysBack,
  eraseWaysBack,
  recoverPassword,
  restoreFactors,
  undoEmail,
  writeRecovery,
  writeRestore,
  writeUndo,
} from "./account-recovery.ts";
import {
  addPasskey,
  dropPasskey,
  erasePasskey,
  findPasskey,
  getPasskey,
  insertPasskey,
  listPasskeys,
  removePasskey,
  usePasskey,
  vouchPasskey,
} from "./passkeys.ts";
import { dueRemovals, eraseRemoved, removedFactors, removedPasskeys } from "./removed-factors.ts";
import {
  getSecondFactor,
  hasRecoveryCode,
  removeSecondFactor,
  setRecoveryCodes,
  setSecondFactor,
  useEarlierFactor,
  useRecoveryCode,
  useSecondFactor,
  vouchSecondFactor,
} from "./second-factors.ts";

export const passkeys = {
  add: addPasskey,
  find: findPasskey,
  list: listPasskeys,
  use: usePasskey,
  remove: removePasskey,
  vouch: vouchPasskey,
};
export const secondFactors = {
  get: getSecondFactor,
  set: setSecondFactor,
  use: useSecondFactor,
  useEarlier: useEarlierFactor,
  remove: removeSecondFactor,
  setRecoveryCodes,
  hasRecoveryCode,
  useRecoveryCode,
  vouch: vouchSecondFactor,
};
export const recovery = { recoverPassword, undoEmail, restoreFactors, removedFactors, endWaysBack, endLinks };

/** The verbs that the verbs above consist of. */
export const factorsSteps: Readonly<Record<string, Verb<never, unknown>>> = {
  insertPasskey,
  getPasskey,
  dropPasskey,
  erasePasskey,
  writeRecovery,
  writeUndo,
  writeRestore,
  dueRemovals,
  eraseRemoved,
  removedPasskeys,
  eraseWaysBack,
};
