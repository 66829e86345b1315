/**
 * A running server announces itself in the database, for commands that must not run beside a server: a new epoch, a
 * contract step. It also checks whether it can still use the database.
 */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Logger } from "pino";
import { type AdminStorage, type DatabaseChanges, PRESENCE_LASTS, SERVER_LEASE } from "./admin/storage.ts";
import type { Millis } from "./oauth/model.ts";
import { SchemaMismatch, StorageUnavailable } from "./storage/errors.ts";
import type { Uses } from "./storage-subset.ts";

export interface HeartbeatParts {
  readonly storage: Uses<AdminStorage, "leases.claim" | "leases.release" | "catalog.databaseChanges"> & {
    now(): Millis;
    displaced(): boolean;
  };
  readonly log: Logger;
  /** The newest migration that this program knows. */
  readonly schema: number;
  /** Time between two announcements. Default: a third of their validity. */
  readonly every?: Millis;
}

export class Heartbeat {
  readonly #parts: HeartbeatParts;
  readonly #name = `${SERVER_LEASE}${randomUUID()}`;
  #holder = "";
  #timer: NodeJS.Timeout | undefined;
  #under: Promise<void> = Promise.resolve();
  #beating = false;
  #epochs = 0;
  #unfit: string | undefined;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
  }

  /**
   * Announces the server for the first time. After that, the caller checks whether a server may run on the database:
   * changes from before are seen by this check, and later commands see this server. Throws `SchemaMismatch` if a step
   * removed something that this program needs.
   */
  async begin(): Promise<void> {
    const { schema, storage } = this.#parts;
    this.#holder = JSON.stringify({ host: hostname(), pid: process.pid, schema, since: storage.now() });
    await this.#claim();
    const changes = await storage.catalog.databaseChanges();
    const tooOld = this.#tooOldFor(changes);
    if (tooOld !== undefined) throw new SchemaMismatch(tooOld);
    this.#epochs = changes.epochs;
    this.#timer = setInterval(
      () => {
        // One after the other: a delayed claim must not arrive after the release.
        if (!this.#beating) this.#under = this.#beat();
      },
      this.#parts.every ?? PRESENCE_LASTS / 3,
    );
    this.#timer.unref();
  }

  /** Why this process can't use the database any more. Undefined: it can. */
  get unfit(): string | undefined {
    return this.#unfit;
  }

  /** Ends the announcement, so that commands don't have to wait until it expires. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#under;
    if (this.#holder === "") return;
    await this.#parts.storage.leases.release({ name: this.#name, holder: this.#holder }).catch(() => undefined);
  }

  async #claim(): Promise<void> {
    const { storage } = this.#parts;
    const now = storage.now();
    await storage.leases.claim({ name: this.#name, holder: this.#holder, until: now + PRESENCE_LASTS, now });
  }

  async #beat(): Promise<void> {
    const { storage, log } = this.#parts;
    this.#beating = true;
    try {
      await this.#claim();
      const unfit = this.#wrongWith(await storage.catalog.databaseChanges());
      if (unfit !== undefined && this.#unfit === undefined) log.error({ event: "database_changed" }, unfit);
      this.#unfit = unfit;
    } catch (error) {
      // While the database is unavailable, other parts report that.
      if (!(error instanceof StorageUnavailable)) log.warn({ err: error }, "the sign of life could not be given");
    } finally {
      this.#beating = false;
    }
  }

  #wrongWith(changes: DatabaseChanges): string | undefined {
    const { storage } = this.#parts;
    if (storage.displaced()) {
      return "the database's file was moved away or replaced while this server ran on it: put it back where it was, or start the server again";
    }
    if (changes.importing || changes.epochs !== this.#epochs) {
      return "the database was put back while this server ran on it: start it again";
    }
    return this.#tooOldFor(changes);
  }

  #tooOldFor({ floor }: DatabaseChanges): string | undefined {
    const { schema } = this.#parts;
    if (floor <= schema) return undefined;
    return `a newer version took away what this one needs of the schema (migration ${floor}; this one knows ${schema}): start the newer version`;
  }
}
