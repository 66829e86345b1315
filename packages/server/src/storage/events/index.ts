/** The verbs of this folder: verbs that the ports call, by aggregate, and verbs that only other verbs call. */

import type { Verb } from "../define-verbs.ts";
import {
  chainOfEvents,
  dropEvents,
  eventsDue,
  eventsOfActor,
  eventsOfAll,
  eventsOfClient,
  eventsOfKind,
  eventsOfSubject,
  getEvent,
  lastCheckpoint,
  listCheckpoints,
  noteEvents,
  noteReuse,
  pageOfEvents,
  personsEventKey,
  renewCheckpoints,
  retireEvents,
  sealEvents,
  seqAt,
  unsealedTail,
  waitingEvents,
} from "./log.ts";

export const events = {
  note: noteEvents,
  noteReuse,
  due: eventsDue,
  waiting: waitingEvents,
  seal: sealEvents,
  page: pageOfEvents,
  chain: chainOfEvents,
  get: getEvent,
  checkpoints: listCheckpoints,
  lastCheckpoint,
  tail: unsealedTail,
  personsKey: personsEventKey,
  renew: renewCheckpoints,
  retire: retireEvents,
  drop: dropEvents,
};

/** The verbs that the verbs above consist of. */
export const eventsSteps: Readonly<Record<string, Verb<never, unknown>>> = {
  eventsOfSubject,
  eventsOfClient,
  eventsOfActor,
  eventsOfKind,
  eventsOfAll,
  seqAt,
};
