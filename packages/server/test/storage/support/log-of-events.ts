/** A log of events in a database of its own, with what tests do to it. */

import { randomBytes } from "node:crypto";
import { adminOf } from "../../../src/admin/context.ts";
import { listEvents, sealWaiting, verifyEvents } from "../../../src/admin/events.ts";
import { Secrets } from "../../../src/crypto/server-secret.ts";
import type { NewEvent } from "../../../src/events/event.ts";
import { Sealer, type SealerParts } from "../../../src/events/sealer.ts";
import type { Opened } from "./backends.ts";
import { byHand } from "./raw-statements.ts";
import { NOW } from "./record-builders.ts";

const ISSUER = "https://login.test";
/** A database of its own, because the log is one for all. */
export async function aLog(create: () => Promise<Opened>, keptFor: number | null = null) {
  const opened = await create();
  const { storage } = opened;
  const raw = randomBytes(32);
  const secrets = new Secrets([raw]);
  const at = { now: NOW };
  const context = {
    ...adminOf(
      storage,
      ISSUER,
      () => at.now,
      () => secrets,
    ),
    secrets: () => secrets,
  };
  const sealer = (by: Secrets = secrets, event: SealerParts["event"] = () => undefined, isSteady = () => true) =>
    new Sealer({ storage, secrets: by, issuer: ISSUER, keptFor, now: () => at.now, event, isSteady });
  return {
    ...{ storage, raw, secrets, at, context, opened },
    sealer,
    note: (about: Partial<NewEvent> = {}) =>
      storage.events.note({ events: [{ kind: "security.suspicion", at: at.now, ...about }] }),
    seal: () => sealWaiting(context),
    verify: (checkpoint?: string) => verifyEvents(checkpoint === undefined ? {} : { checkpoint }, context),
    kinds: async () => (await listEvents({ limit: 1000 }, context)).map(({ kind }) => kind).reverse(),
    byHand: (statement: string, ...values: readonly (string | number)[]) => byHand(opened.url, [statement, ...values]),
    [Symbol.asyncDispose]: () => opened.remove(),
  };
}
