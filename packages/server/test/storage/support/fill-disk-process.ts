/** A process that writes until the disk is full, and reports which operations then succeed or fail. */

import { openStorage } from "../../../src/storage/open.ts";
import { aKey } from "./record-builders.ts";

const storage = await openStorage({ url: process.argv[2] ?? "" });
const large = (serial: number) => ({ key: aKey({ serial, sealedPrivate: new Uint8Array(200_000) }) });

let acknowledged = 0;
let error = "none";
while (error === "none" && acknowledged < 1000) {
  try {
    await storage.keys.add(large(acknowledged + 1));
    acknowledged += 1;
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.name : "unknown";
  }
}
const others = await Promise.allSettled([storage.keys.add(large(2001)), storage.keys.add(large(2002))]);
console.log(
  JSON.stringify({
    acknowledged,
    error,
    others: others.map((result) => (result.status === "rejected" ? result.reason.name : "stored")),
    readable: (await storage.keys.list()).length,
  }),
);
await storage.close();
