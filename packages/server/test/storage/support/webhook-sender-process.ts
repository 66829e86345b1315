/**
 * A process that changes scopes, seals their events and delivers them, until somebody kills it. Arguments: the database's
 * URL, a prefix of names.
 */

import { Secrets } from "../../../src/crypto/server-secret.ts";
import { because, type Cause } from "../../../src/events/event.ts";
import { Sealer } from "../../../src/events/sealer.ts";
import { GuardedFetcher } from "../../../src/outbound/guarded-fetch.ts";
import { openStorage } from "../../../src/storage/open.ts";
import { Deliverer } from "../../../src/webhooks/deliverer.ts";
import { aScope } from "./record-builders.ts";

const [url = "", prefix = ""] = process.argv.slice(2);
const storage = await openStorage({ url });
const now = () => Date.now();
const monotonic = () => performance.now();
const parts = { storage, secrets: new Secrets([Buffer.alloc(32, 1)]), issuer: "https://login.test", now };
const sealer = new Sealer({ ...parts, keptFor: null, event: () => undefined });
const deliverer = new Deliverer({
  ...{ ...parts, monotonic, random: () => 0.5, withoutCredentials: (text: string) => text, free: () => undefined },
  fetcher: new GuardedFetcher({ now: monotonic, alsoAllowed: ["127.0.0.0/8"], leftAlone: 0 }),
  ...{ event: () => undefined, alarm: () => undefined, disabled: async () => undefined },
});
const cause: Omit<Cause, "at"> = {
  ...{ actor: "operator", door: "command", operation: "test", fields: [], address: null, requestId: null },
};

for (let n = 0; ; n += 1) {
  const changes = Array.from({ length: 4 }, (_, at) =>
    because(storage, { ...cause, at: now() }).scopes.put({
      scope: aScope({ name: `${prefix}-${n}-${at}`, resource: null }),
      create: true,
    }),
  );
  await Promise.all([...changes, sealer.round(), deliverer.round()]);
  // A process that was killed before its first change would test nothing, however slow the machine is.
  if (n === 1) process.send?.("wrote");
}
