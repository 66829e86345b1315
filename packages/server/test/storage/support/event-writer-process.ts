/** A process that changes scopes and seals their events, until somebody kills it. Arguments: the database's URL, a prefix of names. */

import { Secrets } from "../../../src/crypto/server-secret.ts";
import { because } from "../../../src/events/event.ts";
import { Sealer } from "../../../src/events/sealer.ts";
import { StorageUnavailable } from "../../../src/storage/errors.ts";
import { openStorage } from "../../../src/storage/open.ts";
import { aScope } from "./record-builders.ts";

const [url = "", prefix = ""] = process.argv.slice(2);
const storage = await openStorage({ url });
const now = () => Date.now();
const sealer = new Sealer({
  ...{ storage, secrets: new Secrets([Buffer.alloc(32, 1)]), issuer: "https://login.test", keptFor: null, now },
  event: () => undefined,
});
const cause = {
  actor: "operator",
  door: "command",
  operation: "test",
  fields: [],
  address: null,
  requestId: null,
} as const;

let wrote = false;
for (let n = 0; ; n += 1) {
  const changes = Array.from({ length: 4 }, (_, at) =>
    because(storage, { ...cause, at: now() }).scopes.put({
      scope: aScope({ name: `${prefix}-${n}-${at}`, resource: null }),
      create: true,
    }),
  );
  const outcomes = await Promise.allSettled([...changes, sealer.round()]);
  const failed = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  // On a busy machine, the database refuses some of it.
  for (const error of failed) if (!(error instanceof StorageUnavailable)) throw error;
  // A process that was killed before its first change would test nothing, however slow the machine is.
  if (failed.length > 0 || wrote) continue;
  wrote = true;
  process.send?.("wrote");
}
