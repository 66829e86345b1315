/** The verbs of this folder: verbs that the ports call, by aggregate, and verbs that only other verbs call. */

import type { Verb } from "../define-verbs.ts";
import { changeEmail, createMailLink, findMailLink, takeMailLink, verifyEmail, writeEmail } from "./mail-links.ts";
import {
  claimMailRequest,
  claimMailRequests,
  dueMailRequests,
  insertMailRequest,
  mailWaiting,
  removeMailRequest,
  requestMail,
} from "./mail-request-queue.ts";
import { claimMail, claimOne, dueMail, postMail, settleMail } from "./outbox.ts";

export const mail = { post: postMail, claim: claimMail, settle: settleMail };
export const mailRequests = {
  add: requestMail,
  claim: claimMailRequests,
  remove: removeMailRequest,
  countWaiting: mailWaiting,
};
export const mailLinks = { create: createMailLink, find: findMailLink, take: takeMailLink, verifyEmail, changeEmail };

/** The verbs that the verbs above consist of. */
export const mailSteps: Readonly<Record<string, Verb<never, unknown>>> = {
  dueMail,
  claimOne,
  insertMailRequest,
  dueMailRequests,
  claimMailRequest,
  writeEmail,
};
