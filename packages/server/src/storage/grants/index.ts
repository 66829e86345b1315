/** The verbs of this folder: verbs that the ports call, by aggregate, and verbs that only other verbs call. */

import type { Verb } from "../define-verbs.ts";
import { isStopped, listDelegations, recordDelegation, recordVouching, tellMember, vouch } from "./delegations.ts";
import {
  approveDevice,
  claimDevice,
  createDevice,
  denyDevice,
  grantDevice,
  markApproved,
  pollDevice,
  previewDeviceAnswer,
  recordDevice,
  redeemDevice,
  spendDevice,
} from "./device-requests.ts";
import { approve, endGrant, findGrant, issueGrant, redeemCode, refreshGrant, refuse } from "./grant-lifecycle.ts";
import { issueDirect } from "./issue-without-code.ts";
import { emptyRing, renewInOneSpan, useAcrossSpans, useInOneSpan, useOnce } from "./replay-cache.ts";
import { listApiUses, listScopeUses, recordApiUse, recordIntrospection, recordScopeUses } from "./uses.ts";

export const grants = {
  issueWithoutCode: issueDirect,
  approve,
  refuse,
  issue: issueGrant,
  redeem: redeemCode,
  refresh: refreshGrant,
  find: findGrant,
  end: endGrant,
  recordIntrospection,
};
export const replayCache = { useOnce };
export const scopeUses = { record: recordScopeUses, list: listScopeUses };
export const apiUses = { record: recordApiUse, list: listApiUses };
export const delegations = { record: recordDelegation, vouch, list: listDelegations, isStopped };
export const deviceRequests = {
  create: createDevice,
  poll: pollDevice,
  redeem: redeemDevice,
  claim: claimDevice,
  approve: approveDevice,
  deny: denyDevice,
  previewAnswer: previewDeviceAnswer,
};

/** The verbs that the verbs above consist of. */
export const grantsSteps: Readonly<Record<string, Verb<never, unknown>>> = {
  recordVouching,
  tellMember,
  emptyRing,
  useAcrossSpans,
  ...Object.fromEntries(useInOneSpan.map((verb, at) => [`useInOneSpan${at}`, verb])),
  ...Object.fromEntries(renewInOneSpan.map((verb, at) => [`renewInOneSpan${at}`, verb])),
  grantDevice,
  spendDevice,
  recordDevice,
  markApproved,
};
