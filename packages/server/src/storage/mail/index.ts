/** The verbs of this folder: what the ports call, by aggregate, and what only other verbs call. */

import type { Verb } from "../sql.ts";
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
import { claimMail, claimOne, dueMail, postMail, settleMail } from "./outbox.ts";

export const mail = { post: postMail, claim: claimMail, settle: settleMail };
export const mailRequests = {
  add: requestMail,
  claim: claimMailRequests,
  remove: removeMailRequest,
  countWaiting: mailWaiting,
};
export const mailLinks = { create: createMailLink, find: findMailLink, take: takeMailLink, verifyEmail, changeEmail };

/** Steps of the verbs above. */
export const mailSteps: Readonly<Record<string, Verb<never, unknown>>> = {
  dueMail,
  claimOne,
  insertMailRequest,
  dueMailRequests,
  claimMailRequest,
  writeEmail,
};
