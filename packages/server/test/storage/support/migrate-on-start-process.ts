/** A process that starts on a database as a server does: opens, migrates, reads, and reports the applied migrations. */

import { openStorage } from "../../../src/storage/open.ts";
import { NOW } from "./record-builders.ts";

const storage = await openStorage({ url: process.argv[2] ?? "" });
const applied = await storage.migrate({ now: NOW });
await storage.catalog.ping();
await storage.close();
process.send?.(applied, () => process.disconnect?.());
