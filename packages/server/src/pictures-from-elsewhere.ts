/** Pictures that a provider names: fetched by the guarded fetcher and made anew, while the person goes on. */

import { newId } from "./crypto/ids.ts";
import type { Millis } from "./oauth/model.ts";
import { GuardedFetcher } from "./outbound/guarded-fetch.ts";
import type { Person } from "./owners/person.ts";
import { renderPersonPicture } from "./pictures/picture-of-person.ts";
import type { Storage } from "./storage/open.ts";
import type { Uses } from "./storage-subset.ts";

/** Pictures on their way at a time. Further ones are dropped: a picture is not worth a queue. */
const MOST = 8;

interface Parts {
  readonly storage: Uses<Storage, "pictures.set" | "pictures.ofPerson">;
  readonly outboundAllow: readonly string[];
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
  now(): Millis;
}

export class PicturesFromElsewhere {
  readonly #parts: Parts;
  readonly #fetcher: GuardedFetcher;
  #running = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#fetcher = new GuardedFetcher({ now: () => performance.now(), alsoAllowed: parts.outboundAllow });
  }

  /** `replaces`: also a picture that the person has. */
  async take({ partition, personId }: Person, address: string, replaces: boolean): Promise<void> {
    if (this.#running >= MOST) return;
    this.#running += 1;
    try {
      const { storage, event, now } = this.#parts;
      const present = await storage.pictures.ofPerson({ partition, personId });
      if (present !== undefined && !replaces) return;
      const fetched = await this.#fetcher.fetch(address, { accept: "image/png, image/jpeg, image/webp" });
      const rendered = fetched.kind === "failed" ? undefined : await renderPersonPicture(fetched.body);
      if (rendered?.kind !== "rendered") {
        const reason = fetched.kind === "failed" ? `${fetched.fault}: ${fetched.detail}` : (rendered?.reason ?? "");
        event("picture_from_elsewhere_failed", { owner: personId, detail: reason.slice(0, 200) });
        return;
      }
      // The same picture again keeps its address, so that apps don't load it again.
      if (present !== undefined && Buffer.compare(present.bytes, rendered.bytes) === 0) return;
      const picture = { pictureId: newId(partition), type: "image/webp", bytes: rendered.bytes };
      await storage.pictures.set({ partition, personId, picture, now: now() });
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.#parts.event("picture_from_elsewhere_failed", { owner: personId, detail: detail.slice(0, 200) });
    } finally {
      this.#running -= 1;
    }
  }
}
