/** A process that changes scopes and seals their events, until somebody kills it. Arguments: the database's URL, a prefix of names. */

import { Secrets } from "../../../src/crypto/server-secret.ts";
import { because } from "../../../src/events/event.ts";
import { Sealer } from "../../../src/events/sealer.ts";
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

for (let n = 0; ; n += 1) {
  const changes = Array.from({ length: 4 }, (_, at) =>
    because(storage, { ...cause, at: now() }).scopes.put({
      scope: aScope({ name: `${prefix}-${n}-${at}`, resource: null }),
      create: true,
    }),
  );
  await Promise.all([...changes, sealer.round()]);
  // A process that was killed before its first change would test nothing, however slow the machine is.
  if (n === 0) process.send?.("wrote");
}
