/**
 * Sign-in with a password whose hash was imported. Another kind of hash takes another time, which would tell who has an
 * account here: so wrong sign-ins of all kinds take equally long once this process has seen an imported one.
 */

import { IMPORTED, verifyForeignPassword } from "./crypto/foreign-password-hashes.ts";
import { verifyPassword } from "./crypto/password-hashing.ts";
import type { LikeTimes } from "./owners/identities/like-times.ts";
import type { HashRequester } from "./owners/password-hash-requester.ts";

export class ImportedPasswords {
  readonly #times: LikeTimes;

  constructor(times: LikeTimes) {
    this.#times = times;
  }

  /** As `verifyPassword`, also for imported hashes. */
  async verify(password: string, stored: string | null, whose: HashRequester): Promise<boolean> {
    const [by, check] = stored?.startsWith(IMPORTED)
      ? (["theirs", () => verifyForeignPassword(password, stored.slice(IMPORTED.length), whose)] as const)
      : (["ours", () => verifyPassword(password, stored, whose)] as const);
    const began = this.#times.now();
    const right = await this.#times.of(by, check);
    if (!right) await this.#times.wait(by, began);
    return right;
  }
}
