/** Verbs with which an operator disables and enables people. */

import type { Millis } from "../../oauth/model.ts";
import type { ByLesser } from "../../owners/change-conditions.ts";
import { noteForCompanies, tellOf } from "../companies/membership-outbox.ts";
import { noteSystem } from "../consents/history.ts";
import { sql, steps, transaction, words } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { isOperator } from "../factors/lock-person-row.ts";
import { revokeDevices } from "./known-devices.ts";
import { noteSessionEnds } from "./logout-notices.ts";
import { endGrantsOf, pauseGrantsOf } from "./people.ts";
import { type PersonKey, thisPerson } from "./person-row.ts";

type NewStatus = PersonKey & ByLesser & { readonly status: "active" | "disabled"; readonly now: Millis };

/**
 * Changes the person first, then tells each of their companies. If this is interrupted in between, housekeeping tells
 * the others.
 */
export const setPersonStatus = steps<NewStatus, boolean>(async (call, args) => {
  const changed = await call(writePersonStatus, args);
  if (changed) await tellOf(call, args, args.now);
  return changed;
});

/** An operator overrules every other system. */
export const writePersonStatus = transaction<NewStatus, boolean>(async (tx, args) => {
  const { partition, personId, status, unlessOperator = false, now } = args;
  const key = { partition, personId };
  const before = await tx.one(sql`SELECT disabled_by FROM people WHERE ${thisPerson} ${words.forUpdate}`, key);
  if (before === undefined || (unlessOperator && (await isOperator(tx, key)))) return false;
  await tx.run(sql`UPDATE people SET status = :status, disabled_by = NULL, updated_at = :now WHERE ${thisPerson}`, {
    partition,
    personId,
    status,
    now,
  });
  if (status === "active" && before["disabled_by"] !== null) {
    await pauseGrantsOf(tx, { partition, personId }, null);
    await noteSystem(tx, { partition, personId, now }, "enabled", null);
  }
  if (status === "disabled") {
    await revokeDevices(tx, { partition, personId }, { by: "operator" }, now);
    await tx.run(sql`DELETE FROM sessions WHERE ${thisPerson}`, { partition, personId });
    await noteSessionEnds(tx, { partition, personId }, now);
    await endGrantsOf(tx, { partition, personId, cause: "account", by: "operator", now });
  }
  await noteForCompanies(tx, { partition, personId }, { cutAt: status === "disabled" ? now : null, now });
  const kind = status === "disabled" ? "user.disabled" : "user.enabled";
  await tell(tx, { kind, at: now, by: "operator", subject: personId });
  return true;
});
