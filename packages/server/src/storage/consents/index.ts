/** The verbs of this folder: verbs that the ports call, by aggregate, and verbs that only other verbs call. */

import type { Verb } from "../define-verbs.ts";
import { listHeld } from "../grants/uses.ts";
import { countOfClient, countOfOwner, countOfScope, countOwners } from "../operator/directory.ts";
import { keepReceiptKey, listReceiptKeys } from "../operator/signing-keys.ts";
import {
  changeEnd,
  consentsOfAll,
  consentsOfClient,
  consentsOfOwner,
  findConsent,
  forgetDeclined,
  forgetOwnChoice,
  lastIssues,
  listAllConsents,
  listConsents,
  narrowConsent,
  revokeConsent,
  setConsentPaused,
} from "./consents.ts";
import { getHistoryEntry, listHistory, resumedSince } from "./history.ts";

export const consents = {
  find: findConsent,
  lastIssues,
  list: listConsents,
  listHeld,
  listAll: listAllConsents,
  revoke: revokeConsent,
  narrow: narrowConsent,
  forgetDeclined,
  forgetChoice: forgetOwnChoice,
  changeEnd,
  setPaused: setConsentPaused,
  countOwners,
  countOfClient,
  countOfOwner,
  countOfScope,
};
export const history = { list: listHistory, get: getHistoryEntry, keepReceiptKey, listReceiptKeys, resumedSince };

/** The verbs that the verbs above consist of. */
export const consentsSteps: Readonly<Record<string, Verb<never, unknown>>> = {
  consentsOfOwner,
  consentsOfClient,
  consentsOfAll,
};
